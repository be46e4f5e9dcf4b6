//! What a script returns, said to the client's sink.

use std::ffi::c_int;

use mlua::ffi::{self, lua_State};

use super::number::to_integer;
use super::stack::{bytes, is, push_field};
use super::trouble::counted;
use crate::reply::Sink;

/// A table that is being said; it lies on the Lua stack, with the key reached so far above it when it is a map or set.
enum Walk {
    Array { next: c_int, len: c_int },
    Pairs { values: bool, value_waits: bool },
}

/// Says the value on top of the stack and pops it. `resp3` is the script's version and decides how booleans look.
/// Returns whether an error was said that the statistics do not hold yet.
///
/// # Safety
/// The allocator is lenient: then nothing here raises.
pub(super) unsafe fn answer(l: *mut lua_State, resp3: bool, sink: &mut dyn Sink) -> bool {
    let mut walks = Vec::new();
    let mut uncounted = false;
    // SAFETY: each step keeps to the layout told at `Walk`; room is checked before a value is looked into.
    unsafe {
        say(l, resp3, sink, &mut walks, &mut uncounted);
        while let Some(walk) = walks.last_mut() {
            match walk {
                Walk::Array { next, len } if *next > *len => {
                    ffi::lua_pop(l, 1);
                    walks.pop();
                    continue;
                }
                Walk::Array { next, .. } => {
                    ffi::lua_rawgeti_(l, -1, *next);
                    *next += 1;
                }
                Walk::Pairs { value_waits, .. } if *value_waits => *value_waits = false,
                Walk::Pairs { values, value_waits } => {
                    if ffi::lua_next(l, -2) == 0 {
                        ffi::lua_pop(l, 1);
                        walks.pop();
                        continue;
                    }
                    if *values {
                        ffi::lua_pushvalue(l, -2);
                    } else {
                        ffi::lua_pop(l, 1);
                        ffi::lua_pushvalue(l, -1);
                    }
                    *value_waits = *values;
                }
            }
            say(l, resp3, sink, &mut walks, &mut uncounted);
        }
    }
    uncounted
}

/// Says the value on top and pops it, or, if it has parts, leaves it there and adds a walk.
unsafe fn say(l: *mut lua_State, resp3: bool, sink: &mut dyn Sink, walks: &mut Vec<Walk>, uncounted: &mut bool) {
    // SAFETY: types are checked before values are read.
    unsafe {
        if ffi::lua_checkstack(l, 4) == 0 {
            sink.error(b"ERR reached lua stack limit");
            *uncounted = true;
            ffi::lua_pop(l, 1);
            return;
        }
        match ffi::lua_type(l, -1) {
            ffi::LUA_TSTRING => sink.bulk(bytes(l, -1)),
            ffi::LUA_TBOOLEAN if resp3 => sink.boolean(ffi::lua_toboolean(l, -1) != 0),
            ffi::LUA_TBOOLEAN if ffi::lua_toboolean(l, -1) != 0 => sink.int(1),
            ffi::LUA_TNUMBER => sink.int(to_integer(ffi::lua_tonumber(l, -1))),
            ffi::LUA_TTABLE => {
                if !say_special(l, sink, walks, uncounted) {
                    begin_array(l, sink, walks);
                }
                return;
            }
            _ => sink.nil(),
        }
        ffi::lua_pop(l, 1);
    }
}

unsafe fn begin_array(l: *mut lua_State, sink: &mut dyn Sink, walks: &mut Vec<Walk>) {
    // SAFETY: a table is on top.
    unsafe {
        let mut len = 0;
        loop {
            ffi::lua_rawgeti_(l, -1, len + 1);
            let end = is(l, -1, ffi::LUA_TNIL);
            ffi::lua_pop(l, 1);
            if end {
                break;
            }
            len += 1;
        }
        sink.array(len as usize);
        walks.push(Walk::Array { next: 1, len });
    }
}

/// Says the table on top if one of its fields makes it an error, a status or a RESP3 type.
unsafe fn say_special(l: *mut lua_State, sink: &mut dyn Sink, walks: &mut Vec<Walk>, uncounted: &mut bool) -> bool {
    // SAFETY: a table is on top; whoever says a scalar pops field and table.
    unsafe {
        if field(l, b"err", ffi::LUA_TSTRING) {
            *uncounted |= !counted(l, -2);
            sink.error(&one_line(bytes(l, -1)));
        } else if field(l, b"ok", ffi::LUA_TSTRING) {
            sink.status(&String::from_utf8_lossy(&one_line(bytes(l, -1))));
        } else if field(l, b"double", ffi::LUA_TNUMBER) {
            sink.double(ffi::lua_tonumber(l, -1));
        } else if field(l, b"map", ffi::LUA_TTABLE) {
            begin_pairs(l, sink, walks, true);
            return true;
        } else if field(l, b"set", ffi::LUA_TTABLE) {
            begin_pairs(l, sink, walks, false);
            return true;
        } else if field(l, b"big_number", ffi::LUA_TSTRING) {
            sink.big_number(&one_line(bytes(l, -1)));
        } else if field(l, b"verbatim_string", ffi::LUA_TTABLE) {
            if !say_verbatim(l, sink) {
                ffi::lua_pop(l, 1);
                return false;
            }
        } else {
            return false;
        }
        ffi::lua_pop(l, 2);
    }
    true
}

/// Pushes the field if it has this type.
unsafe fn field(l: *mut lua_State, name: &[u8], kind: c_int) -> bool {
    // SAFETY: a table is on top.
    unsafe {
        push_field(l, -1, name);
        let found = is(l, -1, kind);
        if !found {
            ffi::lua_pop(l, 1);
        }
        found
    }
}

unsafe fn begin_pairs(l: *mut lua_State, sink: &mut dyn Sink, walks: &mut Vec<Walk>, values: bool) {
    // SAFETY: the inner table is on top, the outer one below it and no longer needed.
    unsafe {
        ffi::lua_remove(l, -2);
        let mut len = 0;
        ffi::lua_pushnil(l);
        while ffi::lua_next(l, -2) != 0 {
            ffi::lua_pop(l, 1);
            len += 1;
        }
        if values {
            sink.map(len);
        } else {
            sink.set(len);
        }
        ffi::lua_pushnil(l);
        walks.push(Walk::Pairs { values, value_waits: false });
    }
}

/// Says the verbatim string described by the table on top, if both of its fields are strings.
unsafe fn say_verbatim(l: *mut lua_State, sink: &mut dyn Sink) -> bool {
    // SAFETY: a table is on top; the two strings stay on the stack while they are read.
    unsafe {
        if !field(l, b"format", ffi::LUA_TSTRING) {
            return false;
        }
        push_field(l, -2, b"string");
        let complete = is(l, -1, ffi::LUA_TSTRING);
        if complete {
            let format = bytes(l, -2);
            let mut padded = [b' '; 3];
            let shown = format.len().min(3);
            padded[..shown].copy_from_slice(&format[..shown]);
            sink.verbatim(std::str::from_utf8(&padded).unwrap_or("txt"), bytes(l, -1));
        }
        ffi::lua_pop(l, 2);
        complete
    }
}

/// The text with every CR and LF as a space.
fn one_line(text: &[u8]) -> Vec<u8> {
    text.iter().map(|&byte| if matches!(byte, b'\r' | b'\n') { b' ' } else { byte }).collect()
}
