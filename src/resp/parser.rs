//! The request parser. It owns no input: the caller keeps the unconsumed bytes and shows them again, with more behind.

use std::ops::Range;

use memchr::memchr;

use super::{Limits, ProtocolError, split_quoted};
use crate::number::parse_int;

const UNAUTHENTICATED_ARGS: usize = 10;
const UNAUTHENTICATED_BULK_LEN: usize = 16 * 1024;

/// Capacities above these are given back after the request that needed them.
const KEPT_ARGS: usize = 1024;
const KEPT_SCRATCH: usize = 1024;

/// What [`Parser::parse`] found at the head of the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parsed {
    /// No whole request yet. Nothing is consumed: show the same bytes again, with more behind them.
    Incomplete,
    /// A request of at least one argument, in [`Parser::args`]. The next call must start `consumed` bytes further on.
    Request {
        /// Bytes of the buffer that the request took.
        consumed: usize,
    },
    /// Something that Redis ignores: `*0`, `*-1`, a blank line. The next call must start `consumed` bytes further on.
    Empty {
        /// Bytes of the buffer that it took.
        consumed: usize,
    },
}

/// Parses requests out of a growing buffer, and remembers how far it got in an incomplete one.
///
/// Work is linear in the bytes received, however they are cut. Memory grows with the arguments that have arrived, never
/// with a length that was announced. No allocation per request once the list of arguments has grown to its usual size.
///
/// Redis 7.0.15 in all but two points, both invisible to a sane client. Redis waits for ever on a NUL byte in a `*`,
/// `$` or inline line, here it is a byte like any other. And Redis accepts a line above 64 KiB if its end arrives in
/// the same read as the byte that exceeds the limit; here the limit does not depend on how the bytes arrive.
#[derive(Debug, Default)]
pub struct Parser {
    args: Vec<Range<usize>>,
    scratch: Vec<u8>,
    inline: bool,
    finished: bool,
    /// First byte not yet understood.
    at: usize,
    /// No end of line in `at..scanned`.
    scanned: usize,
    /// Arguments still to come; 0 while the head of the request is unread.
    missing: usize,
    wanted: usize,
    /// Length of the argument whose `$` line is read but whose bytes are not all there.
    bulk_len: Option<usize>,
}

impl Parser {
    /// A parser at the start of a connection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks for one request in `buf`, whose first byte is the first unconsumed one.
    ///
    /// # Errors
    /// After an error the connection is beyond repair: send the text, close, do not call again.
    pub fn parse(&mut self, buf: &[u8], limits: &Limits) -> Result<Parsed, ProtocolError> {
        if self.finished {
            self.forget();
        }
        if self.missing == 0 {
            match buf.first() {
                None => {
                    self.wanted = 1;
                    return Ok(Parsed::Incomplete);
                }
                Some(b'*') => {
                    let Some(count) = self.count_line(buf, limits)? else {
                        return Ok(Parsed::Incomplete);
                    };
                    if count == 0 {
                        self.finished = true;
                        return Ok(Parsed::Empty { consumed: self.at });
                    }
                    self.missing = count;
                }
                Some(_) => return self.inline(buf, limits),
            }
        }
        self.bulks(buf, limits)
    }

    /// Where the arguments of the last request lie in [`Parser::source`]. Holds until the next [`Parser::parse`].
    pub fn args(&self) -> &[Range<usize>] {
        debug_assert!(self.finished, "args of an unfinished request");
        &self.args
    }

    /// What [`Parser::args`] index: `buf`, the buffer that was parsed, or for an inline request an inner one that holds
    /// the unescaped words.
    pub fn source<'a>(&'a self, buf: &'a [u8]) -> &'a [u8] {
        if self.inline { &self.scratch } else { buf }
    }

    /// After [`Parsed::Incomplete`]: a length that the buffer must reach before another call can get any further. For
    /// the size of the next read; it is an announced length, so never allocate by it.
    pub fn wanted(&self) -> usize {
        self.wanted
    }

    fn forget(&mut self) {
        self.args.clear();
        self.args.shrink_to(KEPT_ARGS);
        self.scratch.clear();
        self.scratch.shrink_to(KEPT_SCRATCH);
        self.inline = false;
        self.finished = false;
        self.at = 0;
        self.scanned = 0;
        self.missing = 0;
        self.bulk_len = None;
    }

    fn bulks(&mut self, buf: &[u8], limits: &Limits) -> Result<Parsed, ProtocolError> {
        while self.missing > 0 {
            let len = match self.bulk_len {
                Some(len) => len,
                None => match self.bulk_line(buf, limits)? {
                    Some(len) => len,
                    None => return Ok(Parsed::Incomplete),
                },
            };
            // The two bytes behind an argument are skipped unread, as Redis does.
            let have = buf.len() - self.at;
            if have < 2 || have - 2 < len {
                self.bulk_len = Some(len);
                self.wanted = self.at.saturating_add(len).saturating_add(2);
                return Ok(Parsed::Incomplete);
            }
            self.args.push(self.at..self.at + len);
            self.at += len + 2;
            self.bulk_len = None;
            self.missing -= 1;
        }
        self.finished = true;
        Ok(Parsed::Request { consumed: self.at })
    }

    /// Reads a `*` line; 0 stands for all counts that announce nothing.
    fn count_line(&mut self, buf: &[u8], limits: &Limits) -> Result<Option<usize>, ProtocolError> {
        let count = match self.short_number(buf) {
            Some(count) => count,
            None => match self.line(buf, b'\r', limits, ProtocolError::TooBigMultibulkCount)? {
                None => return Ok(None),
                Some(line) => {
                    let count = parse_int(&buf[line][1..]).ok_or(ProtocolError::InvalidMultibulkLength)?;
                    usize::try_from(count).unwrap_or(0)
                }
            },
        };
        if count > limits.max_multibulk {
            return Err(ProtocolError::InvalidMultibulkLength);
        }
        if count > UNAUTHENTICATED_ARGS && !limits.authenticated {
            return Err(ProtocolError::UnauthenticatedMultibulkLength);
        }
        Ok(Some(count))
    }

    fn bulk_line(&mut self, buf: &[u8], limits: &Limits) -> Result<Option<usize>, ProtocolError> {
        let len = match buf.get(self.at) {
            Some(b'$') => self.short_number(buf),
            _ => None,
        };
        let len = match len {
            Some(len) => len,
            None => match self.line(buf, b'\r', limits, ProtocolError::TooBigBulkCount)? {
                None => return Ok(None),
                Some(line) => {
                    // The empty line's first byte is its CR.
                    let first = buf[line.start];
                    if first != b'$' {
                        return Err(ProtocolError::ExpectedDollar(first));
                    }
                    let len = parse_int(&buf[line][1..]).ok_or(ProtocolError::InvalidBulkLength)?;
                    usize::try_from(len).map_err(|_| ProtocolError::InvalidBulkLength)?
                }
            },
        };
        if len > limits.proto_max_bulk_len {
            return Err(ProtocolError::InvalidBulkLength);
        }
        if len > UNAUTHENTICATED_BULK_LEN && !limits.authenticated {
            return Err(ProtocolError::UnauthenticatedBulkLength);
        }
        Ok(Some(len))
    }

    /// The number on a whole line of one letter, one to eight digits, CR and one more byte, which is then passed.
    /// `None`, and nothing passed, on anything else: the general way decides.
    #[inline]
    fn short_number(&mut self, buf: &[u8]) -> Option<usize> {
        let digits = &buf[self.at + 1..];
        let mut value = 0;
        for (i, &byte) in digits.iter().take(9).enumerate() {
            match byte {
                b'0'..=b'9' if i == 0 || value != 0 => value = value * 10 + usize::from(byte - b'0'),
                b'\r' if i > 0 && digits.len() > i + 1 => {
                    self.at += i + 3;
                    return Some(value);
                }
                _ => return None,
            }
        }
        None
    }

    /// The line at `at` up to `end`, once the byte behind CR is there too; passes both.
    fn line(
        &mut self,
        buf: &[u8],
        end: u8,
        limits: &Limits,
        too_big: ProtocolError,
    ) -> Result<Option<Range<usize>>, ProtocolError> {
        let from = self.scanned.max(self.at);
        let window = buf.len().min(self.at + limits.max_line + 1).max(from);
        let Some(found) = memchr(end, &buf[from..window]) else {
            self.scanned = window;
            self.wanted = window + 1;
            return if window - self.at > limits.max_line { Err(too_big) } else { Ok(None) };
        };
        let stop = from + found;
        let next = if end == b'\r' { stop + 2 } else { stop + 1 };
        if buf.len() < next {
            self.scanned = stop;
            self.wanted = next;
            return Ok(None);
        }
        let line = self.at..stop;
        self.at = next;
        Ok(Some(line))
    }

    fn inline(&mut self, buf: &[u8], limits: &Limits) -> Result<Parsed, ProtocolError> {
        let Some(line) = self.line(buf, b'\n', limits, ProtocolError::TooBigInline)? else {
            return Ok(Parsed::Incomplete);
        };
        let line = &buf[line];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        self.inline = true;
        self.finished = true;
        if !split_quoted(line, &mut self.scratch, &mut self.args) {
            return Err(ProtocolError::UnbalancedQuotes);
        }
        if self.args.is_empty() {
            return Ok(Parsed::Empty { consumed: self.at });
        }
        Ok(Parsed::Request { consumed: self.at })
    }
}

#[cfg(test)]
mod tests;
