//! Replies to bytes.

use crate::number::format_double;
use crate::reply::Sink;

/// A letter, a sign, 20 digits, CRLF.
const LONGEST_LINE: usize = 24;

/// Writes replies in RESP2 or RESP3 behind what `out` holds already.
///
/// Into a `Vec<u8>` rather than a `BytesMut`: the same appends take 3.7 and 4.0 ns a reply, and no reply is ever split
/// off or shared.
#[derive(Debug)]
pub struct Encoder<'a> {
    out: &'a mut Vec<u8>,
    resp3: bool,
}

impl<'a> Encoder<'a> {
    /// An encoder that appends to `out`.
    pub fn new(out: &'a mut Vec<u8>, resp3: bool) -> Self {
        Self { out, resp3 }
    }

    /// `letter`, a number and CRLF: integers and all headers.
    #[inline]
    fn header(&mut self, letter: u8, value: usize) {
        if value < 10 {
            self.out.extend_from_slice(&[letter, b'0' + value as u8, b'\r', b'\n']);
        } else {
            self.numbered(letter, value as u64, false);
        }
    }

    /// The line is written backwards, and copied at a fixed length: that is a few stores, where a copy of its true
    /// length is a call (5.9 against 4.8 ns a reply).
    #[inline]
    fn numbered(&mut self, letter: u8, mut value: u64, negative: bool) {
        let mut line = [0; 2 * LONGEST_LINE];
        line[LONGEST_LINE - 2..LONGEST_LINE].copy_from_slice(b"\r\n");
        let mut start = LONGEST_LINE - 2;
        loop {
            start -= 1;
            line[start] = b'0' + (value % 10) as u8;
            value /= 10;
            if value == 0 {
                break;
            }
        }
        if negative {
            start -= 1;
            line[start] = b'-';
        }
        start -= 1;
        line[start] = letter;
        self.out.extend_from_slice(&line[start..start + LONGEST_LINE]);
        self.out.truncate(self.out.len() - start);
    }

    fn line(&mut self, letter: u8, text: &[u8]) {
        self.out.reserve(text.len() + 3);
        self.out.push(letter);
        let start = self.out.len();
        self.out.extend_from_slice(text);
        for byte in &mut self.out[start..] {
            if matches!(byte, b'\r' | b'\n') {
                *byte = b' ';
            }
        }
        self.out.extend_from_slice(b"\r\n");
    }
}

impl Sink for Encoder<'_> {
    fn nil(&mut self) {
        // Two calls, each of a length known to the compiler: as fast as two stores.
        if self.resp3 { self.out.extend_from_slice(b"_\r\n") } else { self.out.extend_from_slice(b"$-1\r\n") }
    }

    fn nil_array(&mut self) {
        if self.resp3 { self.out.extend_from_slice(b"_\r\n") } else { self.out.extend_from_slice(b"*-1\r\n") }
    }

    fn int(&mut self, value: i64) {
        match value {
            0 => self.out.extend_from_slice(b":0\r\n"),
            1 => self.out.extend_from_slice(b":1\r\n"),
            _ => self.numbered(b':', value.unsigned_abs(), value < 0),
        }
    }

    fn bulk(&mut self, bytes: &[u8]) {
        self.out.reserve(bytes.len() + 25);
        self.header(b'$', bytes.len());
        self.out.extend_from_slice(bytes);
        self.out.extend_from_slice(b"\r\n");
    }

    fn status(&mut self, text: &str) {
        match text {
            "OK" => self.out.extend_from_slice(b"+OK\r\n"),
            _ => self.line(b'+', text.as_bytes()),
        }
    }

    /// Line ends at the end of `text` are dropped, as Redis does.
    fn error(&mut self, text: &[u8]) {
        let end = text.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n')).map_or(0, |last| last + 1);
        self.line(b'-', &text[..end]);
    }

    fn double(&mut self, value: f64) {
        let text = format_double(value);
        if self.resp3 { self.line(b',', &text) } else { self.bulk(&text) }
    }

    fn boolean(&mut self, value: bool) {
        self.out.extend_from_slice(match (self.resp3, value) {
            (true, true) => b"#t\r\n",
            (true, false) => b"#f\r\n",
            (false, true) => b":1\r\n",
            (false, false) => b":0\r\n",
        });
    }

    fn big_number(&mut self, digits: &[u8]) {
        if self.resp3 { self.line(b'(', digits) } else { self.bulk(digits) }
    }

    fn verbatim(&mut self, format: &str, bytes: &[u8]) {
        if !self.resp3 {
            return self.bulk(bytes);
        }
        self.header(b'=', format.len() + 1 + bytes.len());
        self.out.extend_from_slice(format.as_bytes());
        self.out.push(b':');
        self.out.extend_from_slice(bytes);
        self.out.extend_from_slice(b"\r\n");
    }

    fn array(&mut self, len: usize) {
        self.header(b'*', len);
    }

    fn map(&mut self, pairs: usize) {
        if self.resp3 { self.header(b'%', pairs) } else { self.header(b'*', pairs * 2) }
    }

    fn set(&mut self, len: usize) {
        self.header(if self.resp3 { b'~' } else { b'*' }, len);
    }

    fn push(&mut self, len: usize) {
        self.header(if self.resp3 { b'>' } else { b'*' }, len);
    }

    fn attributes(&mut self, pairs: usize) -> bool {
        if self.resp3 {
            self.header(b'|', pairs);
        }
        self.resp3
    }

    fn resp3(&self) -> bool {
        self.resp3
    }
}

#[cfg(test)]
mod tests;
