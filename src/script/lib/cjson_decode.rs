//! `cjson.decode`: as tolerant of odd numbers as the original, and with its words for what it does not understand.

use std::ffi::{c_char, c_int};
use std::ptr;

use mlua::ffi::{self, lua_State};
use nix::libc;

use super::cjson::{DEEPEST, Settings, settings};
use super::{Outcome, Trouble, check_memory};
use crate::script::stack::{bytes, push};
use crate::script::state::State;

/// Body of `decode`: the text is on the stack.
pub(super) unsafe fn decode(l: *mut lua_State, state: &State) -> Outcome {
    // SAFETY: run by `guarded`; the text is the argument and ends with a zero that is not counted, as Lua's strings do.
    unsafe {
        let text = bytes(l, 1);
        let mut parser = Parser { l, state, settings: *settings(l), text, at: 0, depth: 0, unescaped: Vec::new() };
        let first = parser.token();
        parser.push_value(first)?;
        match parser.token() {
            Token { kind: Kind::End, .. } => Ok(1),
            other => Err(other.unexpected("the end")),
        }
    }
}

struct Parser<'a> {
    l: *mut lua_State,
    state: &'a State,
    settings: Settings,
    text: &'a [u8],
    at: usize,
    depth: c_int,
    unescaped: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Token {
    kind: Kind,
    at: usize,
}

#[derive(Clone, Copy)]
enum Kind {
    ObjectBegin,
    ObjectEnd,
    ArrayBegin,
    ArrayEnd,
    /// Its text is in `unescaped`.
    String,
    Number(f64),
    Boolean(bool),
    Null,
    Colon,
    Comma,
    End,
    Wrong(&'static str),
}

impl Token {
    fn unexpected(self, expected: &str) -> Trouble {
        let found = match self.kind {
            Kind::ObjectBegin => "T_OBJ_BEGIN",
            Kind::ObjectEnd => "T_OBJ_END",
            Kind::ArrayBegin => "T_ARR_BEGIN",
            Kind::ArrayEnd => "T_ARR_END",
            Kind::String => "T_STRING",
            Kind::Number(_) => "T_NUMBER",
            Kind::Boolean(_) => "T_BOOLEAN",
            Kind::Null => "T_NULL",
            Kind::Colon => "T_COLON",
            Kind::Comma => "T_COMMA",
            Kind::End => "T_END",
            Kind::Wrong(text) => text,
        };
        Trouble::Here(format!("Expected {expected} but found {found} at character {}", self.at + 1))
    }
}

impl Parser<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    fn token(&mut self) -> Token {
        while matches!(self.byte(self.at), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
        let start = self.at;
        let rest = &self.text[start.min(self.text.len())..];
        let (kind, len) = match self.byte(start) {
            b'{' => (Kind::ObjectBegin, 1),
            b'}' => (Kind::ObjectEnd, 1),
            b'[' => (Kind::ArrayBegin, 1),
            b']' => (Kind::ArrayEnd, 1),
            b':' => (Kind::Colon, 1),
            b',' => (Kind::Comma, 1),
            0 => (Kind::End, 0),
            b'"' => return self.string(start),
            b'-' | b'0'..=b'9' if self.settings.decode_invalid == 0 && self.odd_number(start) => {
                (Kind::Wrong("invalid number"), 0)
            }
            b'-' | b'0'..=b'9' => self.number(start),
            _ if rest.starts_with(b"true") => (Kind::Boolean(true), 4),
            _ if rest.starts_with(b"false") => (Kind::Boolean(false), 5),
            _ if rest.starts_with(b"null") => (Kind::Null, 4),
            b'+' | b'i' | b'I' | b'n' | b'N' if self.settings.decode_invalid != 0 && self.odd_number(start) => {
                self.number(start)
            }
            _ => (Kind::Wrong("invalid token"), 0),
        };
        self.at += len;
        Token { kind, at: start }
    }

    /// Whether C reads a number here that JSON does not have: signed with plus, hexadecimal, infinite and the like.
    fn odd_number(&self, start: usize) -> bool {
        if self.byte(start) == b'+' {
            return true;
        }
        let start = start + usize::from(self.byte(start) == b'-');
        match self.byte(start) {
            b'0' => matches!(self.byte(start + 1), b'x' | b'X' | b'0'..=b'9'),
            ..=b'9' => false,
            _ => {
                let word = self.text.get(start..start + 3).unwrap_or_default();
                word.eq_ignore_ascii_case(b"inf") || word.eq_ignore_ascii_case(b"nan")
            }
        }
    }

    fn number(&self, start: usize) -> (Kind, usize) {
        let first = self.text[start..].as_ptr().cast::<c_char>();
        let mut end = ptr::null_mut();
        // SAFETY: the text ends with a zero, at which strtod stops at the latest.
        let (number, len) = unsafe {
            let number = libc::strtod(first, &mut end);
            (number, end.cast_const().offset_from(first) as usize)
        };
        if len == 0 { (Kind::Wrong("invalid number"), 0) } else { (Kind::Number(number), len) }
    }

    fn string(&mut self, start: usize) -> Token {
        self.unescaped.clear();
        let mut at = start + 1;
        loop {
            let wrong = |text| Token { kind: Kind::Wrong(text), at };
            match self.byte(at) {
                b'"' => break,
                0 if at >= self.text.len() || self.text[at] == 0 => return wrong("unexpected end of string"),
                b'\\' => {
                    let plain = match self.byte(at + 1) {
                        byte @ (b'"' | b'\\' | b'/') => byte,
                        b'b' => 8,
                        b'f' => 12,
                        b'n' => b'\n',
                        b'r' => b'\r',
                        b't' => b'\t',
                        b'u' => {
                            let Some((letter, len)) = self.unicode(at) else {
                                return wrong("invalid unicode escape code");
                            };
                            self.unescaped.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                            at += len;
                            continue;
                        }
                        _ => return wrong("invalid escape code"),
                    };
                    self.unescaped.push(plain);
                    at += 2;
                }
                byte => {
                    self.unescaped.push(byte);
                    at += 1;
                }
            }
        }
        self.at = at + 1;
        Token { kind: Kind::String, at: start }
    }

    /// The letter of a `\u` escape, or of two that are halves of one, and the length of the escape.
    fn unicode(&self, at: usize) -> Option<(char, usize)> {
        let code = self.hex(at)?;
        if code & 0xf800 != 0xd800 {
            return Some((char::from_u32(code)?, 6));
        }
        let low = self.hex(at + 6)?;
        if code & 0x400 != 0 || low & 0xfc00 != 0xdc00 {
            return None;
        }
        Some((char::from_u32(0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff))?, 12))
    }

    fn hex(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 6)?.strip_prefix(b"\\u")?;
        digits.iter().try_fold(0, |code, &digit| Some(code << 4 | char::from(digit).to_digit(16)?))
    }

    unsafe fn push_value(&mut self, token: Token) -> Result<(), Trouble> {
        check_memory(self.state)?;
        // SAFETY: `descend` made room for a key and a value; the outermost value has the slots of a C function.
        unsafe {
            match token.kind {
                Kind::String => push(self.l, &self.unescaped),
                Kind::Number(number) => ffi::lua_pushnumber(self.l, number),
                Kind::Boolean(truth) => ffi::lua_pushboolean(self.l, c_int::from(truth)),
                Kind::Null => ffi::lua_pushlightuserdata(self.l, ptr::null_mut()),
                Kind::ObjectBegin => self.push_object()?,
                Kind::ArrayBegin => self.push_array()?,
                _ => return Err(token.unexpected("value")),
            }
        }
        Ok(())
    }

    unsafe fn descend(&mut self) -> Result<(), Trouble> {
        self.depth += 1;
        // SAFETY: lenient, so it does not raise.
        let room = unsafe { ffi::lua_checkstack(self.l, 4) } != 0;
        if self.depth <= self.settings.decode_max_depth.min(DEEPEST) && room {
            return Ok(());
        }
        let text = format!("Found too many nested data structures ({}) at character {}", self.depth, self.at);
        Err(Trouble::Here(text))
    }

    unsafe fn push_object(&mut self) -> Result<(), Trouble> {
        // SAFETY: as above.
        unsafe {
            self.descend()?;
            ffi::lua_createtable(self.l, 0, 0);
            let mut token = self.token();
            while !matches!(token.kind, Kind::ObjectEnd) {
                if !matches!(token.kind, Kind::String) {
                    return Err(token.unexpected("object key string"));
                }
                push(self.l, &self.unescaped);
                let colon = self.token();
                if !matches!(colon.kind, Kind::Colon) {
                    return Err(colon.unexpected("colon"));
                }
                let value = self.token();
                self.push_value(value)?;
                ffi::lua_rawset(self.l, -3);
                token = self.token();
                match token.kind {
                    Kind::ObjectEnd => break,
                    Kind::Comma => token = self.token(),
                    _ => return Err(token.unexpected("comma or object end")),
                }
                if matches!(token.kind, Kind::ObjectEnd) {
                    return Err(token.unexpected("object key string"));
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    unsafe fn push_array(&mut self) -> Result<(), Trouble> {
        // SAFETY: as above.
        unsafe {
            self.descend()?;
            ffi::lua_createtable(self.l, 0, 0);
            let mut token = self.token();
            let mut index = 0;
            while index > 0 || !matches!(token.kind, Kind::ArrayEnd) {
                self.push_value(token)?;
                index += 1;
                ffi::lua_rawseti_(self.l, -2, index);
                token = self.token();
                match token.kind {
                    Kind::ArrayEnd => break,
                    Kind::Comma => token = self.token(),
                    _ => return Err(token.unexpected("comma or array end")),
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }
}
