//! Reads the command line: a config file, options in the names of redis.conf, and `-` for standard input, as
//! redis-server 7.0.15 does. Options become lines after those of the file and of standard input.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::error::reason;
use super::source::{Loader, in_quotes, read, split_words};
use super::{Config, ConfigError};

/// What a command line asks for.
#[derive(Debug)]
pub enum Invocation {
    /// `--help` or `-h` as first argument.
    Help,
    /// `--version` or `-v` as first argument.
    Version,
    /// To serve with these settings.
    Serve(Box<Config>),
}

impl Invocation {
    /// Reads the arguments after the program's name. Standard input is read only if `-` is the first or the last of
    /// them. Reads the config file, what it includes, and probes the log file by opening it.
    pub fn parse(args: &[OsString], stdin: &mut dyn Read) -> Result<Self, ConfigError> {
        match args.first().map(|arg| arg.as_bytes()) {
            Some(b"-h" | b"--help") => return Ok(Self::Help),
            Some(b"-v" | b"--version") => return Ok(Self::Version),
            Some(refused @ (b"--check-system" | b"--test-memory" | b"--sentinel")) => {
                let name = String::from_utf8_lossy(refused);
                return Err(ConfigError::Unsupported(format!("{name} is not supported by holdfast")));
            }
            _ => {}
        }
        let mut config = Config::default();
        let mut source = Vec::new();
        let (file, options) = match args {
            [file, options @ ..] if !file.as_bytes().starts_with(b"-") => (Some(PathBuf::from(file)), options),
            _ => (None, args),
        };
        if let Some(file) = file {
            let file = config.dir.join(file);
            source = read(&file, Path::new("/"))?;
            config.file = Some(file);
        }
        let options = Options::parse(options, config.file.is_some());
        if options.read_stdin {
            let read = stdin.read_to_end(&mut source);
            read.map_err(|error| ConfigError::Whole(format!("Can't read standard input: {}", reason(&error))))?;
        }
        if !options.lines.is_empty() {
            source.push(b'\n');
            source.extend(options.lines);
        }
        Loader::new(&mut config).load(&source)?;
        Ok(Self::Serve(Box::new(config)))
    }
}

#[derive(Default)]
struct Options {
    /// In the syntax of redis.conf.
    lines: Vec<u8>,
    read_stdin: bool,
}

impl Options {
    fn parse(args: &[OsString], after_file: bool) -> Self {
        let mut options = Self::default();
        // An argument right after a name is its value even if it starts with two dashes.
        let mut name_may_follow = true;
        for (at, arg) in args.iter().enumerate() {
            let arg = arg.as_bytes();
            let first = at == 0 && !after_file;
            let next = args.get(at + 1).map(|next| next.as_bytes());
            match arg.strip_prefix(b"--") {
                _ if arg == b"-" && (first || next.is_none()) => options.read_stdin = true,
                Some(name) if name_may_follow => name_may_follow = options.push_name(name, next),
                _ => {
                    options.push_value(arg);
                    name_may_follow = true;
                }
            }
        }
        options
    }

    /// Starts a line. Answers whether another name may follow at once.
    fn push_name(&mut self, name: &[u8], next: Option<&[u8]>) -> bool {
        if !self.lines.is_empty() {
            self.lines.push(b'\n');
        }
        self.lines.extend(name);
        self.lines.push(b' ');
        // One argument may hold a name and its values.
        if split_words(name).is_none_or(|words| words.len() != 1) {
            return true;
        }
        // `--save` without a value is `--save ""`.
        let bare = name.eq_ignore_ascii_case(b"save") && next.is_none_or(|next| next.starts_with(b"--"));
        if bare {
            self.lines.extend(b"\"\"");
        }
        bare
    }

    fn push_value(&mut self, value: &[u8]) {
        self.lines.extend(in_quotes(value));
        self.lines.push(b' ');
    }
}
