//! Errors: how they are raised, where they are said to come from, and the text that ends a script.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use mlua::ffi::{self, lua_Debug, lua_State};

use super::number;
use super::stack::{add_text, bytes, is, push, push_field, set_field};
use super::state::{State, state};

const KILLED: &[u8] = b"Script killed by user with SCRIPT KILL...";

/// Pushes the error table `{err = "ERR text"}`.
pub(super) unsafe fn push_error(l: *mut lua_State, text: &[u8]) {
    // SAFETY: the caller has a few slots of stack left.
    unsafe {
        ffi::lua_createtable(l, 0, 1);
        push(l, b"ERR ");
        push(l, text);
        ffi::lua_concat(l, 2);
        set_field(l, -2, b"err");
    }
}

/// Ends a killed script: from here on the hook fires at every line and instruction, so catching the error helps nobody.
pub(super) unsafe fn die(l: *mut lua_State) -> ! {
    // SAFETY: this frame owns nothing.
    unsafe {
        ffi::lua_sethook(l, Some(hook), ffi::LUA_MASKLINE | ffi::LUA_MASKCOUNT, 1);
        push_error(l, KILLED);
        ffi::lua_error(l)
    }
}

/// Whether Lua holds more than it may, even after a collection: what was pushed leniently is checked with this.
#[inline]
pub(super) unsafe fn over_limit(l: *mut lua_State, state: &State) -> bool {
    let over = || state.meter.used_bytes.get() > state.meter.limit_bytes.get();
    if !over() {
        return false;
    }
    // SAFETY: a collection runs no code of scripts, and raises nothing.
    unsafe { ffi::lua_gc(l, ffi::LUA_GCCOLLECT, 0) };
    state.meter.refused.set(over());
    over()
}

/// The count hook.
pub(super) unsafe extern "C-unwind" fn hook(l: *mut lua_State, _: *mut lua_Debug) {
    // SAFETY: called by a live VM; nothing is owned when `die` leaves.
    unsafe {
        if state(l).interrupted() {
            ffi::lua_checkstack(l, 8);
            die(l);
        }
    }
}

/// The message handler of every run, and the global `__redis__err__handler`: makes the error a table and adds its
/// place.
pub(super) unsafe extern "C-unwind" fn handler(l: *mut lua_State) -> c_int {
    // SAFETY: a C function of a live VM; `place` is plain data that lua_getinfo fills before it is read.
    unsafe {
        ffi::lua_settop(l, 1);
        if !is(l, 1, ffi::LUA_TTABLE) {
            describe(l);
            ffi::lua_createtable(l, 0, 3);
            ffi::lua_insert(l, 1);
            push(l, b"ERR ");
            ffi::lua_insert(l, 2);
            ffi::lua_concat(l, 2);
            set_field(l, 1, b"err");
        }
        let mut place = MaybeUninit::<lua_Debug>::zeroed();
        let mut found = ffi::lua_getstack(l, 1, place.as_mut_ptr()) != 0;
        if found {
            ffi::lua_getinfo(l, c"Sl".as_ptr(), place.as_mut_ptr());
            if *(*place.as_ptr()).what == b'C' as std::ffi::c_char {
                found = ffi::lua_getstack(l, 2, place.as_mut_ptr()) != 0;
                if found {
                    ffi::lua_getinfo(l, c"Sl".as_ptr(), place.as_mut_ptr());
                }
            }
        }
        if found {
            ffi::lua_pushstring_(l, (*place.as_ptr()).source);
            set_field(l, 1, b"source");
            ffi::lua_pushinteger(l, (*place.as_ptr()).currentline as ffi::lua_Integer);
            set_field(l, 1, b"line");
        }
    }
    1
}

/// Turns the value on top into a string, as `tostring` without metamethods does.
unsafe fn describe(l: *mut lua_State) {
    // SAFETY: one value is on the stack; type names are static C strings.
    unsafe {
        match ffi::lua_type(l, -1) {
            ffi::LUA_TSTRING => {}
            ffi::LUA_TNUMBER => {
                ffi::lua_tolstring(l, -1, std::ptr::null_mut());
            }
            ffi::LUA_TBOOLEAN if ffi::lua_toboolean(l, -1) != 0 => push(l, b"true"),
            ffi::LUA_TBOOLEAN => push(l, b"false"),
            kind => ffi::lua_pushstring_(l, ffi::lua_typename(l, kind)),
        }
        if ffi::lua_gettop(l) > 1 {
            ffi::lua_replace(l, 1);
        }
    }
}

/// The global `pcall`: as Lua's, but of an error table with a text only the text is returned.
pub(super) unsafe extern "C-unwind" fn pcall(l: *mut lua_State) -> c_int {
    // SAFETY: a C function of a live VM; lua_insert needs the slot that lua_pushboolean takes, and 20 are free.
    unsafe {
        let count = ffi::lua_gettop(l);
        ffi::lua_pushboolean(l, 1);
        ffi::lua_insert(l, 1);
        if ffi::lua_pcall(l, count - 1, ffi::LUA_MULTRET, 0) != 0 {
            ffi::lua_remove(l, 1);
            if is(l, -1, ffi::LUA_TTABLE) {
                ffi::lua_getfield_(l, -1, c"err".as_ptr());
                if ffi::lua_isstring(l, -1) != 0 {
                    ffi::lua_replace(l, -2);
                }
            }
            ffi::lua_pushboolean(l, 0);
            ffi::lua_insert(l, 1);
        }
        ffi::lua_gettop(l)
    }
}

/// The last words of a failed run, from the error value on top, and whether it was counted when it happened.
///
/// Redis 7.0.15 crashes on an error table without a text; here it has one.
pub(super) unsafe fn last_words(l: *mut lua_State, sha: &[u8]) -> (Vec<u8>, bool) {
    let mut text = Vec::new();
    // SAFETY: the allocator is lenient, so nothing raises; slices are copied before their value is popped.
    unsafe {
        if !is(l, -1, ffi::LUA_TTABLE) {
            text.extend_from_slice(b"ERR Error running script ");
            text.extend_from_slice(sha);
            text.extend_from_slice(b", ");
            text.extend_from_slice(if is(l, -1, ffi::LUA_TSTRING) { bytes(l, -1) } else { b"execution failure" });
            return (text, false);
        }
        if !append_field(l, b"err", &mut text) {
            text.extend_from_slice(b"ERR unknown error");
        }
        let (mut source, mut line) = (Vec::new(), Vec::new());
        if append_field(l, b"source", &mut source) && append_field(l, b"line", &mut line) {
            text.extend_from_slice(b" script: ");
            text.extend_from_slice(sha);
            text.extend_from_slice(b", on ");
            text.extend_from_slice(&source);
            text.push(b':');
            text.extend_from_slice(&line);
            text.push(b'.');
        }
        (text, counted(l, -1))
    }
}

/// Whether the error table at `index` says that it is in the statistics already.
pub(super) unsafe fn counted(l: *mut lua_State, index: c_int) -> bool {
    // SAFETY: the caller checked that it is a table and has two slots left.
    unsafe {
        push_field(l, index, b"ignore_error_stats_update");
        let counted = ffi::lua_toboolean(l, -1) != 0;
        ffi::lua_pop(l, 1);
        counted
    }
}

unsafe fn append_field(l: *mut lua_State, name: &[u8], text: &mut Vec<u8>) -> bool {
    // SAFETY: a table is on top and the allocator lenient.
    unsafe {
        push_field(l, -1, name);
        let found = match ffi::lua_type(l, -1) {
            ffi::LUA_TSTRING => {
                text.extend_from_slice(bytes(l, -1));
                true
            }
            ffi::LUA_TNUMBER => {
                let mut buffer = [0; number::LONGEST];
                text.extend_from_slice(number::print(&mut buffer, ffi::lua_tonumber(l, -1), 14));
                true
            }
            _ => false,
        };
        ffi::lua_pop(l, 1);
        found
    }
}

/// Pushes the table of a failed command.
pub(super) unsafe fn push_failure(l: *mut lua_State, text: &[u8]) {
    // SAFETY: the caller has a few slots of stack left.
    unsafe {
        ffi::lua_createtable(l, 0, 4);
        add_text(l, b"err", text);
        ffi::lua_pushboolean(l, 1);
        set_field(l, -2, b"ignore_error_stats_update");
    }
}
