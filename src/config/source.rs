//! Reads settings in the syntax of redis.conf, from files and from text that was put together elsewhere.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::error::reason;
use super::settings::Rename;
use super::value::{Kind, Value, Why};
use super::{Config, ConfigError, table};
use crate::resp::{quote, split_quoted};

/// Directives that Redis 7.0 still reads and ignores, with one value.
const IGNORED: [&str; 3] = ["list-max-ziplist-entries", "list-max-ziplist-value", "lua-replicate-commands"];
/// Redis has no bound and ends in a crash.
const MAX_INCLUDE_DEPTH: usize = 16;

/// Loads text into a config.
pub(super) struct Loader<'a> {
    config: &'a mut Config,
    /// The first `save` replaces the default, later ones add to it, as in Redis 7.0.
    save_seen: bool,
    depth: usize,
}

/// What stops a load within a line: a complaint about the line, or an error that an included file already made whole.
enum Stop {
    Line(Why),
    Whole(ConfigError),
}

impl From<&'static str> for Stop {
    fn from(why: &'static str) -> Self {
        Self::Line(why.into())
    }
}

impl<'a> Loader<'a> {
    pub(super) fn new(config: &'a mut Config) -> Self {
        Self { config, save_seen: false, depth: 0 }
    }

    /// Loads each line of `source`; the first bad one ends the load.
    pub(super) fn load(&mut self, source: &[u8]) -> Result<(), ConfigError> {
        for (at, line) in source.split(|&b| b == b'\n').enumerate() {
            let line = trim(line);
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            let shown = || String::from_utf8_lossy(line).into_owned();
            let loaded = match split_words(line) {
                Some(words) => self.load_line(&words, at + 1, line),
                None => Err("Unbalanced quotes in configuration line".into()),
            };
            match loaded {
                Ok(()) => {}
                Err(Stop::Whole(error)) => return Err(error),
                Err(Stop::Line(why)) => {
                    return Err(ConfigError::Line { number: at + 1, line: shown(), why: why.into_owned() });
                }
            }
        }
        self.check_logfile()
    }

    fn load_line(&mut self, words: &[Vec<u8>], number: usize, line: &[u8]) -> Result<(), Stop> {
        let Some((name, args)) = words.split_first() else {
            return Ok(());
        };
        if let Some((index, row, _)) = table::find(name) {
            return self.load_setting(index, row, args);
        }
        let lower = name.to_ascii_lowercase();
        match (lower.as_slice(), args) {
            (b"include", [path]) => self.include(path).map_err(Stop::Whole),
            (b"rename-command", [from, to]) => {
                let line = String::from_utf8_lossy(line).into_owned();
                self.config.renames.push(Rename { from: from.clone(), to: to.clone(), number, line });
                Ok(())
            }
            (b"user", [_, ..]) => Err("ACL users are not supported yet".into()),
            (b"loadmodule", [_, ..]) => Err("modules are not supported".into()),
            (b"sentinel", _) => Err("sentinel mode is not supported".into()),
            (_, [_]) if IGNORED.iter().any(|ignored| ignored.as_bytes() == lower) => Ok(()),
            (_, [_]) if lower.contains(&b'.') => Err("modules are not supported, nor are their settings".into()),
            _ if lower.contains(&b'.') => Err("Module config specified without value".into()),
            _ => Err("Bad directive or wrong number of arguments".into()),
        }
    }

    fn load_setting(&mut self, index: usize, row: &'static table::Row, args: &[Vec<u8>]) -> Result<(), Stop> {
        let words: Vec<&[u8]> = match args {
            [alone] if row.kind.is_multi() => row.kind.words(alone),
            _ => args.iter().map(Vec::as_slice).collect(),
        };
        if matches!(row.kind, Kind::Save) && !std::mem::replace(&mut self.save_seen, true) {
            self.config.values[index] = Value::Ints(Vec::new());
        }
        self.config.assign(index, row, &words).map_err(Stop::Line)
    }

    /// A path with wildcards may match nothing; one without must exist. Relative paths start at `dir`.
    fn include(&mut self, path: &[u8]) -> Result<(), ConfigError> {
        let path = Path::new(OsStr::from_bytes(path));
        if self.depth == MAX_INCLUDE_DEPTH {
            return Err(ConfigError::Unreadable { path: path.to_owned(), why: "included too deeply".to_owned() });
        }
        let source = read(path, &self.config.dir)?;
        self.depth += 1;
        let loaded = self.load(&source);
        self.depth -= 1;
        loaded
    }

    fn check_logfile(&self) -> Result<(), ConfigError> {
        let Some(path) = &self.config.logfile else {
            return Ok(());
        };
        match std::fs::OpenOptions::new().append(true).create(true).open(self.config.dir.join(path)) {
            Ok(_) => Ok(()),
            Err(error) => Err(ConfigError::Whole(format!("Can't open the log file: {}", reason(&error)))),
        }
    }
}

/// The bytes of the file, or of all files in order if the path has wildcards.
pub(super) fn read(path: &Path, base: &Path) -> Result<Vec<u8>, ConfigError> {
    let paths = if has_wildcard(path.as_os_str()) { expand(path, base) } else { vec![path.to_owned()] };
    let mut bytes = Vec::new();
    for path in paths {
        let content = std::fs::read(base.join(&path)).map_err(|error| ConfigError::unreadable(&path, &error))?;
        bytes.extend(content);
    }
    Ok(bytes)
}

fn has_wildcard(name: &OsStr) -> bool {
    name.as_bytes().iter().any(|b| matches!(b, b'*' | b'?' | b'['))
}

/// The existing paths that a pattern matches, sorted. A wildcard matches neither `/` nor a leading dot.
fn expand(pattern: &Path, base: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for part in pattern.components() {
        match part {
            Component::Normal(name) if has_wildcard(name) => {
                found = found.iter().flat_map(|parent| children(parent, name.as_bytes(), base)).collect();
            }
            _ => found.iter_mut().for_each(|path| path.push(part)),
        }
    }
    found.retain(|path| base.join(path).exists());
    found.sort();
    found
}

fn children(parent: &Path, pattern: &[u8], base: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(base.join(parent)) else {
        return Vec::new();
    };
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    let wanted = names.filter(|name| {
        let name = name.as_bytes();
        (!name.starts_with(b".") || pattern.starts_with(b".")) && crate::glob::matches(pattern, name)
    });
    wanted.map(|name| parent.join(name)).collect()
}

pub(super) fn trim(mut line: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'\r' | b'\n', rest @ ..] | [rest @ .., b' ' | b'\t' | b'\r' | b'\n'] = line {
        line = rest;
    }
    line
}

/// Splits a line into words. Double quotes know `\n \r \t \a \b \xHH` and `\` before any other byte, single quotes know
/// `\'`; a closing quote must end its word. `None` if a quote is not closed so.
pub(super) fn split_words(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (mut bytes, mut places) = (Vec::new(), Vec::new());
    let closed = split_quoted(line, &mut bytes, &mut places);
    closed.then(|| places.into_iter().map(|place| bytes[place].to_vec()).collect())
}

/// The word as it stands in a file: in double quotes unless it is plain.
pub(super) fn quoted(word: &[u8]) -> Vec<u8> {
    let plain = |byte: &u8| matches!(byte, b'!'..=b'~') && !matches!(byte, b'"' | b'\'' | b'\\' | b'#');
    if !word.is_empty() && word.iter().all(plain) {
        return word.to_vec();
    }
    in_quotes(word)
}

/// The word in double quotes, with the escapes that [`split_words`] knows.
pub(super) fn in_quotes(word: &[u8]) -> Vec<u8> {
    let mut text = String::new();
    quote(word, &mut text);
    text.into_bytes()
}
