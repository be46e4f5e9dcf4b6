//! What a command may refuse with. The `Display` of an error is its text on the wire, code included.

use thiserror::Error;

/// A refusal. Texts are those of Redis 7.0.15.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum CommandError {
    #[error("WRONGTYPE Operation against a key holding the wrong kind of value")]
    WrongType,
    #[error("ERR syntax error")]
    Syntax,
    #[error("ERR value is not an integer or out of range")]
    NotInteger,
    #[error("ERR value is not a valid float")]
    NotFloat,
    #[error("ERR value is out of range, must be positive")]
    NotPositive,
    #[error("ERR value is out of range")]
    OutOfRange,
    #[error("ERR no such key")]
    NoSuchKey,
    #[error("ERR index out of range")]
    IndexOutOfRange,
    #[error("ERR increment or decrement would overflow")]
    Overflow,
    #[error("ERR source and destination objects are the same")]
    SameObject,
    #[error("ERR wrong number of arguments for '{0}' command")]
    Arity(String),
    #[error("ERR unknown subcommand '{0}'. Try {1} HELP.")]
    UnknownSubcommand(String, String),
    #[error("ERR invalid expire time in '{0}' command")]
    InvalidExpire(&'static str),
    /// A text that only one command uses.
    #[error("{0}")]
    Text(&'static str),
    /// A text with a variable part.
    #[error("{0}")]
    Owned(String),
}

impl From<crate::keyspace::WrongType> for CommandError {
    fn from(_: crate::keyspace::WrongType) -> Self {
        Self::WrongType
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_redis() {
        let texts = [
            (CommandError::Syntax, "ERR syntax error"),
            (CommandError::NotInteger, "ERR value is not an integer or out of range"),
            (CommandError::Arity("set".into()), "ERR wrong number of arguments for 'set' command"),
            (
                CommandError::UnknownSubcommand("NOSUCH".into(), "SCRIPT".into()),
                "ERR unknown subcommand 'NOSUCH'. Try SCRIPT HELP.",
            ),
            (CommandError::InvalidExpire("set"), "ERR invalid expire time in 'set' command"),
        ];
        for (error, text) in texts {
            assert_eq!(error.to_string(), text);
        }
    }
}
