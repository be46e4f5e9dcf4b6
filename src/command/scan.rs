//! What SSCAN, HSCAN and ZSCAN have in common: cursor, options, and the shape of a step.

use super::args;
use super::error::CommandError;
use crate::glob;
use crate::number;
use crate::reply::Sink;

/// MATCH and COUNT.
pub(super) struct ScanOptions<'a> {
    pattern: Option<&'a [u8]>,
    /// About how many elements to visit in this step.
    pub(super) count: usize,
}

impl<'a> ScanOptions<'a> {
    /// Reads the words behind the cursor. A word given twice counts the last time.
    ///
    /// # Errors
    /// `ERR syntax error`, of a COUNT below 1 too; `ERR value is not an integer or out of range`.
    pub(super) fn parse(words: &[&'a [u8]]) -> Result<Self, CommandError> {
        let mut options = Self { pattern: None, count: 10 };
        for pair in words.chunks(2) {
            match *pair {
                [word, count] if args::is(word, "COUNT") => {
                    let count = usize::try_from(args::int(count)?).unwrap_or(0);
                    options.count = Some(count).filter(|count| *count > 0).ok_or(CommandError::Syntax)?;
                }
                [word, pattern] if args::is(word, "MATCH") => {
                    // Redis asks no matcher then; its matcher would refuse the empty string.
                    options.pattern = Some(pattern).filter(|pattern| *pattern != b"*");
                }
                _ => return Err(CommandError::Syntax),
            }
        }
        Ok(options)
    }

    /// Whether `element` belongs into the reply.
    pub(super) fn wants(&self, element: &[u8]) -> bool {
        self.pattern.is_none_or(|pattern| glob::matches(pattern, element))
    }
}

/// The cursor argument.
///
/// # Errors
/// `ERR invalid cursor`.
pub(super) fn cursor(arg: &[u8]) -> Result<u64, CommandError> {
    number::parse_cursor(arg).ok_or(CommandError::Text("ERR invalid cursor"))
}

/// Says one step: the cursor to go on from, and what was found.
pub(super) fn say_step(next: u64, found: &[Vec<u8>], out: &mut dyn Sink) {
    out.array(2);
    out.bulk(next.to_string().as_bytes());
    out.array(found.len());
    found.iter().for_each(|element| out.bulk(element));
}
