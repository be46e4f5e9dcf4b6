//! `cjson`: the module table and its settings. Encoding and decoding are in their own files.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;

use mlua::ffi::{self, lua_State};

use super::{cjson_decode, cjson_encode, guarded};
use crate::script::stack::{add_text, check_bytes, raise_here, set_field};

/// What a module created by `cjson.new` may set for itself. Plain data: it lives in a userdata.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub(super) sparse_convert: c_int,
    pub(super) sparse_ratio: c_int,
    pub(super) sparse_safe: c_int,
    pub(super) encode_max_depth: c_int,
    pub(super) decode_max_depth: c_int,
    /// 0: refused, 1: written as C prints them, 2: written as null.
    pub(super) encode_invalid: c_int,
    pub(super) decode_invalid: c_int,
    pub(super) keep_buffer: c_int,
    pub(super) precision: c_int,
}

const DEFAULTS: Settings = Settings {
    sparse_convert: 0,
    sparse_ratio: 2,
    sparse_safe: 10,
    encode_max_depth: 1000,
    decode_max_depth: 1000,
    encode_invalid: 0,
    decode_invalid: 1,
    keep_buffer: 1,
    precision: 14,
};

/// Nesting past which this implementation stops whatever the settings say: it recurses.
pub(super) const DEEPEST: c_int = 2000;

/// The settings of the module that the running function belongs to.
pub(super) unsafe fn settings<'a>(l: *mut lua_State) -> &'a mut Settings {
    // SAFETY: the first upvalue of each function here is the userdata made by `push_library`; the reference does not
    // outlive the call that asked for it, and one call has one.
    unsafe { &mut *ffi::lua_touserdata(l, ffi::lua_upvalueindex(1)).cast::<Settings>() }
}

/// Pushes a module table with settings of its own.
pub(super) unsafe fn push_library(l: *mut lua_State) {
    let functions: [(&[u8], ffi::lua_CFunction); 10] = [
        (b"encode", encode),
        (b"decode", decode),
        (b"encode_sparse_array", encode_sparse_array),
        (b"encode_max_depth", encode_max_depth),
        (b"decode_max_depth", decode_max_depth),
        (b"encode_number_precision", encode_number_precision),
        (b"encode_keep_buffer", encode_keep_buffer),
        (b"encode_invalid_numbers", encode_invalid_numbers),
        (b"decode_invalid_numbers", decode_invalid_numbers),
        (b"new", new),
    ];
    // SAFETY: at set-up the allocator is lenient; in `new` an error leaks nothing.
    unsafe {
        ffi::lua_createtable(l, 0, 16);
        let place = ffi::lua_newuserdata(l, size_of::<Settings>()).cast::<Settings>();
        place.write(DEFAULTS);
        for (name, function) in functions {
            ffi::lua_pushvalue(l, -1);
            ffi::lua_pushcclosure(l, function, 1);
            set_field(l, -3, name);
        }
        ffi::lua_pop(l, 1);
        ffi::lua_pushlightuserdata(l, ptr::null_mut());
        set_field(l, -2, b"null");
        add_text(l, b"_NAME", b"cjson");
        add_text(l, b"_VERSION", b"2.1.0");
    }
}

unsafe extern "C-unwind" fn new(l: *mut lua_State) -> c_int {
    // SAFETY: a C function of a live VM that owns nothing; so are the others.
    unsafe { push_library(l) };
    1
}

unsafe extern "C-unwind" fn encode(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        ffi::luaL_argcheck(l, c_int::from(ffi::lua_gettop(l) == 1), 1, c"expected 1 argument".as_ptr());
        guarded(l, cjson_encode::encode)
    }
}

unsafe extern "C-unwind" fn decode(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        ffi::luaL_argcheck(l, c_int::from(ffi::lua_gettop(l) == 1), 1, c"expected 1 argument".as_ptr());
        let text = check_bytes(l, 1);
        if text.len() >= 2 && (text[0] == 0 || text[1] == 0) {
            raise_here(l, c"JSON parser does not support UTF-16 or UTF-32");
        }
        guarded(l, cjson_decode::decode)
    }
}

/// Refuses more than `count` arguments and fills up to that many with nil.
unsafe fn expect_arguments(l: *mut lua_State, count: c_int) {
    // SAFETY: as above.
    unsafe {
        let fits = ffi::lua_gettop(l) <= count;
        ffi::luaL_argcheck(l, c_int::from(fits), count + 1, c"found too many arguments".as_ptr());
        ffi::lua_settop(l, count);
    }
}

unsafe fn integer_option(l: *mut lua_State, index: c_int, setting: &mut c_int, lowest: c_int, highest: c_int) {
    // SAFETY: as above.
    unsafe {
        if ffi::lua_type(l, index) != ffi::LUA_TNIL {
            let value = ffi::luaL_checkinteger(l, index) as c_int;
            if value < lowest || value > highest {
                ffi::lua_pushfstring(l, c"expected integer between %d and %d".as_ptr(), lowest, highest);
                ffi::luaL_argerror(l, 1, ffi::lua_tostring(l, -1));
            }
            *setting = value;
        }
        ffi::lua_pushinteger(l, *setting as ffi::lua_Integer);
    }
}

/// Sets one of `off`, `on` and, where it is offered, `null`; booleans stand for the first two.
unsafe fn choice_option(l: *mut lua_State, index: c_int, setting: &mut c_int, null: bool) {
    const NAMES: [&CStr; 3] = [c"off", c"on", c"null"];
    let end = ptr::null::<c_char>();
    let offered = [NAMES[0].as_ptr(), NAMES[1].as_ptr(), if null { NAMES[2].as_ptr() } else { end }, end];
    // SAFETY: as above; the list ends with a null pointer.
    unsafe {
        match ffi::lua_type(l, index) {
            ffi::LUA_TNIL => {}
            ffi::LUA_TBOOLEAN => *setting = ffi::lua_toboolean(l, index),
            _ => *setting = ffi::luaL_checkoption(l, index, ptr::null(), offered.as_ptr()),
        }
        match *setting {
            0 | 1 => ffi::lua_pushboolean(l, *setting),
            _ => ffi::lua_pushstring_(l, NAMES[2].as_ptr()),
        }
    }
}

unsafe extern "C-unwind" fn encode_sparse_array(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        expect_arguments(l, 3);
        let settings = settings(l);
        choice_option(l, 1, &mut settings.sparse_convert, false);
        integer_option(l, 2, &mut settings.sparse_ratio, 0, c_int::MAX);
        integer_option(l, 3, &mut settings.sparse_safe, 0, c_int::MAX);
    }
    3
}

unsafe extern "C-unwind" fn encode_max_depth(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        expect_arguments(l, 1);
        integer_option(l, 1, &mut settings(l).encode_max_depth, 1, c_int::MAX);
    }
    1
}

unsafe extern "C-unwind" fn decode_max_depth(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        expect_arguments(l, 1);
        integer_option(l, 1, &mut settings(l).decode_max_depth, 1, c_int::MAX);
    }
    1
}

unsafe extern "C-unwind" fn encode_number_precision(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        expect_arguments(l, 1);
        integer_option(l, 1, &mut settings(l).precision, 1, 14);
    }
    1
}

unsafe extern "C-unwind" fn encode_keep_buffer(l: *mut lua_State) -> c_int {
    // SAFETY: as above. The setting is kept for who asks; buffers here never outlive a call.
    unsafe {
        expect_arguments(l, 1);
        choice_option(l, 1, &mut settings(l).keep_buffer, false);
    }
    1
}

unsafe extern "C-unwind" fn encode_invalid_numbers(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        expect_arguments(l, 1);
        choice_option(l, 1, &mut settings(l).encode_invalid, true);
    }
    1
}

unsafe extern "C-unwind" fn decode_invalid_numbers(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        expect_arguments(l, 1);
        choice_option(l, 1, &mut settings(l).decode_invalid, false);
    }
    1
}
