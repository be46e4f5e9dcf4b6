//! Reading arguments: numbers, keywords, times, with Redis's refusals.

use super::error::CommandError;
use super::spec::Spec;
use crate::keyspace::{Doors, Mode};
use crate::number;
use crate::time::{Deadline, Millis};
use crate::value::IntBuffer;
use smallvec::SmallVec;

/// Whether `arg` is the keyword `word`, in any case.
pub fn is(arg: &[u8], word: &str) -> bool {
    arg.eq_ignore_ascii_case(word.as_bytes())
}

/// A 64-bit integer.
///
/// # Errors
/// `ERR value is not an integer or out of range`.
pub fn int(arg: &[u8]) -> Result<i64, CommandError> {
    number::parse_int(arg).ok_or(CommandError::NotInteger)
}

/// A 32-bit integer, such as the index of a database.
///
/// # Errors
/// As [`int`], and another text for a number out of range (Redis 7.0).
pub fn int32(arg: &[u8]) -> Result<i32, CommandError> {
    const RANGE: CommandError =
        CommandError::Text("ERR value is out of range, value must between -2147483648 and 2147483647");
    i32::try_from(int(arg)?).map_err(|_| RANGE)
}

/// A floating point number; infinities are allowed, NaN is not.
///
/// # Errors
/// `ERR value is not a valid float`.
pub fn float(arg: &[u8]) -> Result<f64, CommandError> {
    number::parse_double(arg).ok_or(CommandError::NotFloat)
}

/// A count that must not be negative.
///
/// # Errors
/// `ERR value is out of range, must be positive`, and for anything else than a number the same (Redis 7.0,
/// getPositiveLongFromObject).
pub fn count(arg: &[u8]) -> Result<usize, CommandError> {
    let value = number::parse_int(arg).ok_or(CommandError::NotPositive)?;
    usize::try_from(value).map_err(|_| CommandError::NotPositive)
}

/// A count whose sign means something else than the number (SRANDMEMBER, ZRANDMEMBER).
///
/// # Errors
/// `ERR value is not an integer or out of range`, and another text for -2^63, which has no opposite (Redis 7.0).
pub fn signed_count(arg: &[u8]) -> Result<i64, CommandError> {
    const LOWEST: CommandError = CommandError::Text(
        "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807",
    );
    int(arg).and_then(|count| if count == i64::MIN { Err(LOWEST) } else { Ok(count) })
}

/// Count and the word that asks for values too (HRANDFIELD, ZRANDMEMBER), refused in the order of Redis 7.0.15: with
/// the word twice the count must fit 63 bits.
///
/// # Errors
/// Those of [`signed_count`], `ERR syntax error`, `ERR value is out of range`.
pub fn drawn_count(count: &[u8], options: &[&[u8]], word: &str) -> Result<(i64, bool), CommandError> {
    let count = signed_count(count)?;
    match options {
        [] => Ok((count, false)),
        [option] if is(option, word) => {
            let fits = count.unsigned_abs() <= i64::MAX as u64 / 2;
            if fits { Ok((count, true)) } else { Err(CommandError::OutOfRange) }
        }
        _ => Err(CommandError::Syntax),
    }
}

/// The refusal of a request whose number of arguments does not fit `spec`.
pub fn arity(spec: &Spec) -> CommandError {
    CommandError::Arity(spec.name.to_owned())
}

/// Unit and base of a time argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Relative seconds (EX, EXPIRE).
    Seconds,
    /// Relative milliseconds (PX, PEXPIRE).
    Millis,
    /// Unix time in seconds (EXAT, EXPIREAT).
    UnixSeconds,
    /// Unix time in milliseconds (PXAT, PEXPIREAT).
    UnixMillis,
}

impl TimeUnit {
    /// The deadline that `value` means now; may have passed already.
    ///
    /// While an entry is applied Unix times are server time, as [`log_until`] logs them.
    ///
    /// # Errors
    /// `ERR invalid expire time in '..' command` when it does not fit 64 bits.
    pub fn deadline(self, value: i64, keys: &Doors<'_>, command: &'static str) -> Result<Deadline, CommandError> {
        let invalid = CommandError::InvalidExpire(command);
        let value_ms = match self {
            Self::Seconds | Self::UnixSeconds => value.checked_mul(1000).ok_or(invalid.clone())?,
            Self::Millis | Self::UnixMillis => value,
        };
        match self {
            Self::Seconds | Self::Millis => Deadline::after(keys.now, value_ms).ok_or(invalid),
            _ if keys.trace.mode == Mode::Applying => Ok(Deadline { at: Millis(value_ms), wall: false }),
            Self::UnixSeconds | Self::UnixMillis => Ok(keys.state.wall_deadline(value_ms)),
        }
    }
}

/// Logs the running command as `command` with `deadline` behind it: server time in milliseconds, and the word `WALL` if
/// it was given as Unix time. Commands logged so ([`TimeUnit::UnixMillis`]: `SET .. PXAT`, `PEXPIREAT`) take that word
/// among their options while an entry is applied ([`is_wall`]).
pub fn log_until(keys: &mut Doors<'_>, command: &[&[u8]], deadline: Deadline) {
    log_words(command, deadline, |words| keys.log(words));
}

/// Hands `log` what [`log_until`] logs.
pub fn log_words(command: &[&[u8]], deadline: Deadline, log: impl FnOnce(&[&[u8]])) {
    let mut at = IntBuffer::new();
    let mut words: SmallVec<[&[u8]; 6]> = SmallVec::from_slice(command);
    words.push(at.format(deadline.at.0));
    if deadline.wall {
        words.push(b"WALL");
    }
    log(&words);
}

/// Whether the option `arg` is the word `WALL` of an entry that is applied. Never so in a client's request.
pub fn is_wall(arg: &[u8], keys: &Doors<'_>) -> bool {
    arg == b"WALL" && keys.trace.mode == Mode::Applying
}
