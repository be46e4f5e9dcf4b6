//! The sink of `redis.call`: a command's reply becomes Lua values as it is said.

use std::ffi::c_int;

use mlua::ffi::{self, lua_State};
use smallvec::SmallVec;

use super::number;
use super::stack::{add_text, push, set_field};
use super::trouble::push_failure;
use crate::reply::Sink;

/// Pushes one reply. May only be used while the allocator is lenient: then pushing raises nothing.
pub(super) struct LuaSink {
    l: *mut lua_State,
    resp3: bool,
    failed: bool,
    /// Lua's stack is full: the rest of the reply is dropped and the call fails.
    full: bool,
    open: SmallVec<[Open; 4]>,
}

struct Open {
    kind: Kind,
    missing: usize,
    next: c_int,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// The table is on top.
    Array,
    /// The wrapper `{map = ..}` and the inner table are on top; with one more value when a key waits for its value.
    Map,
    /// The wrapper `{set = ..}` and the inner table are on top.
    Set,
}

/// Slots that one level of nesting needs at most, scalars and their tables included.
const LEVEL_SLOTS: c_int = 8;

impl LuaSink {
    pub(super) fn new(l: *mut lua_State, resp3: bool) -> Self {
        Self { l, resp3, failed: false, full: false, open: SmallVec::new() }
    }

    /// Ends the reply: one value stands above `top`. Returns whether it is an error.
    pub(super) fn finish(&mut self, top: c_int) -> bool {
        // SAFETY: the stack has the slots of a C function at least; a host that said nothing answers nil.
        unsafe {
            if self.full {
                ffi::lua_settop(self.l, top);
                push_failure(self.l, b"ERR reached lua stack limit");
                return true;
            }
            ffi::lua_settop(self.l, top + 1);
        }
        self.failed
    }

    /// Whether there is still room; when not, nothing may be pushed any more.
    fn room(&mut self) -> bool {
        // SAFETY: lenient, so growing the stack does not raise.
        if !self.full && !self.open.is_empty() && unsafe { ffi::lua_checkstack(self.l, LEVEL_SLOTS) } == 0 {
            self.full = true;
        }
        !self.full
    }

    /// Files the value on top into the aggregate that waits for it.
    fn file(&mut self) {
        loop {
            let Some(open) = self.open.last_mut() else { return };
            // SAFETY: the layout of the stack for each kind is as told at `Kind`.
            unsafe {
                match open.kind {
                    Kind::Array => {
                        open.next += 1;
                        ffi::lua_rawseti_(self.l, -2, open.next);
                    }
                    Kind::Map if open.missing.is_multiple_of(2) => {
                        if ffi::lua_type(self.l, -1) == ffi::LUA_TNIL {
                            // Lua has no nil keys.
                            ffi::lua_pop(self.l, 1);
                            push(self.l, b"");
                        }
                    }
                    Kind::Map => ffi::lua_rawset(self.l, -3),
                    Kind::Set => {
                        if ffi::lua_type(self.l, -1) == ffi::LUA_TNIL {
                            ffi::lua_pop(self.l, 1);
                        } else {
                            ffi::lua_pushboolean(self.l, 1);
                            ffi::lua_rawset(self.l, -3);
                        }
                    }
                }
            }
            open.missing -= 1;
            if open.missing > 0 || !self.close() {
                return;
            }
        }
    }

    /// Closes the innermost aggregate; its table is on top then. Returns whether another one waits for it.
    fn close(&mut self) -> bool {
        let Some(open) = self.open.pop() else { return false };
        // SAFETY: wrapper and inner table are on top.
        unsafe {
            match open.kind {
                Kind::Array => {}
                Kind::Map => set_field(self.l, -2, b"map"),
                Kind::Set => set_field(self.l, -2, b"set"),
            }
        }
        !self.open.is_empty()
    }

    fn begin(&mut self, kind: Kind, missing: usize) {
        if !self.room() {
            return;
        }
        // SAFETY: there is room. An announced length is no reason to allocate much.
        unsafe {
            if kind != Kind::Array {
                ffi::lua_createtable(self.l, 0, 1);
            }
            let hint = missing.min(1024) as c_int;
            ffi::lua_createtable(self.l, if kind == Kind::Array { hint } else { 0 }, 0);
        }
        self.open.push(Open { kind, missing, next: 0 });
        if missing == 0 && self.close() {
            self.file();
        }
    }

    fn say(&mut self, push: impl FnOnce(*mut lua_State)) {
        if self.room() {
            push(self.l);
            self.file();
        }
    }

    /// Says a string wrapped in a table, as RESP3 types without a Lua twin are.
    fn say_wrapped(&mut self, name: &[u8], bytes: &[u8]) {
        // SAFETY: `say` made room.
        self.say(|l| unsafe {
            ffi::lua_createtable(l, 0, 1);
            add_text(l, name, bytes);
        });
    }
}

impl Sink for LuaSink {
    fn nil(&mut self) {
        let resp3 = self.resp3;
        // SAFETY: `say` made room, here and in all that follows.
        self.say(|l| unsafe { if resp3 { ffi::lua_pushnil(l) } else { ffi::lua_pushboolean(l, 0) } });
    }
    fn nil_array(&mut self) {
        self.nil();
    }
    fn int(&mut self, value: i64) {
        // SAFETY: as above.
        self.say(|l| unsafe { ffi::lua_pushnumber(l, value as f64) });
    }
    fn bulk(&mut self, bytes: &[u8]) {
        // SAFETY: as above.
        self.say(|l| unsafe { push(l, bytes) });
    }
    fn status(&mut self, text: &str) {
        self.say_wrapped(b"ok", text.as_bytes());
    }
    fn error(&mut self, text: &[u8]) {
        self.failed |= self.open.is_empty();
        // SAFETY: as above.
        self.say(|l| unsafe { push_failure(l, text) });
    }
    fn double(&mut self, value: f64) {
        if self.resp3 {
            // SAFETY: as above.
            self.say(|l| unsafe {
                ffi::lua_createtable(l, 0, 1);
                ffi::lua_pushnumber(l, value);
                set_field(l, -2, b"double");
            });
        } else {
            let mut buffer = [0; number::LONGEST];
            self.bulk(number::print(&mut buffer, value, 17));
        }
    }
    fn boolean(&mut self, value: bool) {
        if self.resp3 {
            // SAFETY: as above.
            self.say(|l| unsafe { ffi::lua_pushboolean(l, c_int::from(value)) });
        } else {
            self.int(i64::from(value));
        }
    }
    fn big_number(&mut self, digits: &[u8]) {
        if self.resp3 {
            self.say_wrapped(b"big_number", digits);
        } else {
            self.bulk(digits);
        }
    }
    fn verbatim(&mut self, format: &str, bytes: &[u8]) {
        if !self.resp3 {
            return self.bulk(bytes);
        }
        // SAFETY: as above.
        self.say(|l| unsafe {
            ffi::lua_createtable(l, 0, 1);
            ffi::lua_createtable(l, 0, 2);
            add_text(l, b"string", bytes);
            add_text(l, b"format", format.as_bytes());
            set_field(l, -2, b"verbatim_string");
        });
    }
    fn array(&mut self, len: usize) {
        self.begin(Kind::Array, len);
    }
    fn map(&mut self, pairs: usize) {
        self.begin(if self.resp3 { Kind::Map } else { Kind::Array }, pairs * 2);
    }
    fn set(&mut self, len: usize) {
        self.begin(if self.resp3 { Kind::Set } else { Kind::Array }, len);
    }
    fn push(&mut self, len: usize) {
        self.begin(Kind::Array, len);
    }
    fn resp3(&self) -> bool {
        self.resp3
    }
}
