//! What SCAN, SSCAN, HSCAN and ZSCAN have in common: cursor, options, and the shape of a step.

use super::args;
use super::error::CommandError;
use crate::glob;
use crate::number;
use crate::reply::Sink;

/// MATCH, COUNT, and TYPE, which SCAN alone takes.
pub(super) struct ScanOptions<'a> {
    pattern: &'a [u8],
    kind: Option<&'a [u8]>,
    /// About how many elements to visit in this step.
    pub(super) count: usize,
}

impl<'a> ScanOptions<'a> {
    /// Reads the words behind the cursor. A word given twice counts the last time.
    ///
    /// # Errors
    /// `ERR syntax error`, of a COUNT below 1 too; `ERR value is not an integer or out of range`.
    pub(super) fn parse(words: &[&'a [u8]]) -> Result<Self, CommandError> {
        Self::parse_for(words, false)
    }

    /// The same for SCAN.
    pub(super) fn parse_of_keys(words: &[&'a [u8]]) -> Result<Self, CommandError> {
        Self::parse_for(words, true)
    }

    fn parse_for(words: &[&'a [u8]], keys: bool) -> Result<Self, CommandError> {
        let mut options = Self { pattern: b"*", kind: None, count: 10 };
        for pair in words.chunks(2) {
            match *pair {
                [word, count] if args::is(word, "COUNT") => {
                    let count = usize::try_from(args::int(count)?).unwrap_or(0);
                    options.count = Some(count).filter(|count| *count > 0).ok_or(CommandError::Syntax)?;
                }
                [word, pattern] if args::is(word, "MATCH") => options.pattern = pattern,
                [word, kind] if keys && args::is(word, "TYPE") => options.kind = Some(kind),
                _ => return Err(CommandError::Syntax),
            }
        }
        Ok(options)
    }

    /// Whether `element` belongs into the reply.
    pub(super) fn wants(&self, element: &[u8]) -> bool {
        fits(self.pattern, element)
    }

    /// Whether keys of this type belong into the reply.
    pub(super) fn wants_type(&self, type_name: &str) -> bool {
        self.kind.is_none_or(|kind| args::is(kind, type_name))
    }
}

/// Whether `element` matches `pattern`. A lone star fits the empty one, too: Redis asks no matcher then, and its
/// matcher would refuse it.
pub(super) fn fits(pattern: &[u8], element: &[u8]) -> bool {
    pattern == b"*" || glob::matches(pattern, element)
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
