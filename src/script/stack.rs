//! Small moves on the Lua stack. All are as unsafe as the calls they wrap: `l` must be live and the stack have room.

use std::ffi::{CStr, c_int};
use std::slice;

use mlua::ffi::{self, lua_CFunction, lua_State};

/// Pushes a string. Raises only when out of memory.
#[inline]
pub(super) unsafe fn push(l: *mut lua_State, bytes: &[u8]) {
    // SAFETY: the slice is valid for its length, which Lua copies.
    unsafe { ffi::lua_pushlstring_(l, bytes.as_ptr().cast(), bytes.len()) }
}

/// The bytes of the string at `index`, which must be one; they live as long as the value stays on the stack.
#[inline]
pub(super) unsafe fn bytes<'a>(l: *mut lua_State, index: c_int) -> &'a [u8] {
    let mut len = 0;
    // SAFETY: the caller checked the type, so no conversion takes place and the pointer is not null.
    unsafe {
        let start = ffi::lua_tolstring(l, index, &mut len);
        if start.is_null() { &[] } else { slice::from_raw_parts(start.cast(), len) }
    }
}

/// The string argument `index` of a C function, or a raised error. Numbers are converted in place, as everywhere in
/// Lua.
#[inline]
pub(super) unsafe fn check_bytes<'a>(l: *mut lua_State, index: c_int) -> &'a [u8] {
    let mut len = 0;
    // SAFETY: luaL_checklstring returns a valid string or does not return.
    unsafe {
        let start = ffi::luaL_checklstring(l, index, &mut len);
        slice::from_raw_parts(start.cast(), len)
    }
}

/// Whether the value at `index` is of this type.
#[inline]
pub(super) unsafe fn is(l: *mut lua_State, index: c_int, kind: c_int) -> bool {
    // SAFETY: by the caller's contract.
    unsafe { ffi::lua_type(l, index) == kind }
}

/// Pushes the raw field `name` of the table at `index` (which may not be relative to the top by more than the stack
/// holds).
pub(super) unsafe fn push_field(l: *mut lua_State, index: c_int, name: &[u8]) {
    // SAFETY: by the caller's contract; the index is made absolute before the push moves the top.
    unsafe {
        let index = absolute(l, index);
        push(l, name);
        ffi::lua_rawget_(l, index);
    }
}

/// Sets the raw field `name` of the table at `index` to the value on top, and pops it.
pub(super) unsafe fn set_field(l: *mut lua_State, index: c_int, name: &[u8]) {
    // SAFETY: as above.
    unsafe {
        let index = absolute(l, index);
        push(l, name);
        ffi::lua_insert(l, -2);
        ffi::lua_rawset(l, index);
    }
}

/// Adds a C function to the table on top.
pub(super) unsafe fn add_function(l: *mut lua_State, name: &[u8], function: lua_CFunction) {
    // SAFETY: as above.
    unsafe {
        ffi::lua_pushcclosure(l, function, 0);
        set_field(l, -2, name);
    }
}

/// Adds a string to the table on top.
pub(super) unsafe fn add_text(l: *mut lua_State, name: &[u8], text: &[u8]) {
    // SAFETY: as above.
    unsafe {
        push(l, text);
        set_field(l, -2, name);
    }
}

/// Raises `text` with the position of the caller in front, as `luaL_error` does.
pub(super) unsafe fn raise_here(l: *mut lua_State, text: &CStr) -> ! {
    // SAFETY: no Rust value is alive in this frame.
    unsafe {
        ffi::luaL_error(l, c"%s".as_ptr(), text.as_ptr());
    }
    unreachable!("luaL_error does not return")
}

/// Raises `text` as it is.
pub(super) unsafe fn raise_bare(l: *mut lua_State, text: &[u8]) -> ! {
    // SAFETY: as above.
    unsafe {
        push(l, text);
        ffi::lua_error(l)
    }
}

pub(super) unsafe fn absolute(l: *mut lua_State, index: c_int) -> c_int {
    // SAFETY: reads the height of the stack.
    if index < 0 && index > ffi::LUA_REGISTRYINDEX { unsafe { ffi::lua_gettop(l) + index + 1 } } else { index }
}
