//! What can go wrong with settings, as the exact text to show.

use crate::REDIS_VERSION;
use std::path::{Path, PathBuf};

/// A refusal. `Display` is the whole text: for start-up errors what belongs on standard error, for CONFIG SET the reply
/// with its code. File texts are as in redis-server 7.0.15.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A line of a file, of standard input or of the command line, counted from 1 within its source. Options of the
    /// command line count as lines after those of the file and of standard input.
    #[error(
        "\n*** FATAL CONFIG FILE ERROR (Redis {REDIS_VERSION}) ***\nReading the configuration file, at line {number}\n\
         >>> '{line}'\n{why}"
    )]
    Line {
        /// Line number.
        number: usize,
        /// The line, trimmed.
        line: String,
        /// What is wrong with it.
        why: String,
    },
    /// The settings as a whole.
    #[error("\n*** FATAL CONFIG FILE ERROR (Redis {REDIS_VERSION}) ***\n{0}")]
    Whole(String),
    /// A file that cannot be read.
    #[error("Fatal error, can't open config file '{}': {why}", path.display())]
    Unreadable {
        /// The file as it was named.
        path: PathBuf,
        /// The system's reason.
        why: String,
    },
    /// A command line that asks for something other than a server.
    #[error("{0}")]
    Unsupported(String),
    /// CONFIG SET of a name that does not exist.
    #[error("ERR Unknown option or number of arguments for CONFIG SET - '{0}'")]
    UnknownName(String),
    /// CONFIG SET that failed; nothing was changed.
    #[error("ERR CONFIG SET failed (possibly related to argument '{name}') - {why}")]
    Set {
        /// The argument to blame.
        name: String,
        /// What is wrong with it.
        why: String,
    },
}

impl ConfigError {
    /// The reply to a CONFIG SET whose new value parsed but could not be put into effect, such as a port in use.
    /// Whoever applies settings keeps a clone of the old [`Config`](super::Config) and puts it back.
    pub fn not_applied(name: &str, why: &str) -> Self {
        Self::Set { name: name.to_owned(), why: why.to_owned() }
    }

    /// The system's text for an error, without its number.
    pub fn reason(error: &std::io::Error) -> String {
        reason(error)
    }

    pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        Self::Unreadable { path: path.to_owned(), why: reason(error) }
    }
}

/// The system's text for an error, without the number that the standard library appends.
pub(super) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}
