//! `bit`: operations on numbers as 32-bit integers, with the wrap-around of Lua BitOp.

use std::ffi::c_int;

use mlua::ffi::{self, lua_State};

use crate::script::stack::{add_function, push};

pub(super) unsafe fn push_library(l: *mut lua_State) {
    // SAFETY: setting up.
    unsafe {
        ffi::lua_createtable(l, 0, 12);
        add_function(l, b"tobit", tobit);
        add_function(l, b"tohex", tohex);
        add_function(l, b"bnot", bnot);
        add_function(l, b"band", band);
        add_function(l, b"bor", bor);
        add_function(l, b"bxor", bxor);
        add_function(l, b"lshift", lshift);
        add_function(l, b"rshift", rshift);
        add_function(l, b"arshift", arshift);
        add_function(l, b"rol", rol);
        add_function(l, b"ror", ror);
        add_function(l, b"bswap", bswap);
    }
}

/// Adding this moves the integer part of a double into its lowest bits.
const SHIFT_IN: f64 = 6_755_399_441_055_744.0;

unsafe fn bits(l: *mut lua_State, index: c_int) -> u32 {
    // SAFETY: raises when it is not a number; nothing is owned, here and below.
    unsafe { (ffi::luaL_checknumber(l, index) + SHIFT_IN).to_bits() as u32 }
}

unsafe fn give(l: *mut lua_State, value: u32) -> c_int {
    // SAFETY: one free slot.
    unsafe { ffi::lua_pushnumber(l, f64::from(value as i32)) };
    1
}

unsafe fn fold(l: *mut lua_State, join: fn(u32, u32) -> u32) -> c_int {
    // SAFETY: as above.
    unsafe {
        let mut value = bits(l, 1);
        for index in 2..=ffi::lua_gettop(l) {
            value = join(value, bits(l, index));
        }
        give(l, value)
    }
}

unsafe fn shift(l: *mut lua_State, by: fn(u32, u32) -> u32) -> c_int {
    // SAFETY: as above.
    unsafe {
        let value = bits(l, 1);
        let count = bits(l, 2) & 31;
        give(l, by(value, count))
    }
}

unsafe extern "C-unwind" fn tobit(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe { give(l, bits(l, 1)) }
}

unsafe extern "C-unwind" fn bnot(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe { give(l, !bits(l, 1)) }
}

unsafe extern "C-unwind" fn band(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe { fold(l, |a, b| a & b) }
}

unsafe extern "C-unwind" fn bor(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe { fold(l, |a, b| a | b) }
}

unsafe extern "C-unwind" fn bxor(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe { fold(l, |a, b| a ^ b) }
}

unsafe extern "C-unwind" fn lshift(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe { shift(l, |value, count| value << count) }
}

unsafe extern "C-unwind" fn rshift(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe { shift(l, |value, count| value >> count) }
}

unsafe extern "C-unwind" fn arshift(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe { shift(l, |value, count| (value as i32 >> count) as u32) }
}

unsafe extern "C-unwind" fn rol(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe { shift(l, u32::rotate_left) }
}

unsafe extern "C-unwind" fn ror(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe { shift(l, u32::rotate_right) }
}

unsafe extern "C-unwind" fn bswap(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe { give(l, bits(l, 1).swap_bytes()) }
}

unsafe extern "C-unwind" fn tohex(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        let value = bits(l, 1);
        let wanted = if ffi::lua_type(l, 2) == ffi::LUA_TNONE { 8 } else { bits(l, 2) as i32 };
        let digits = if wanted < 0 { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
        let count = wanted.unsigned_abs().min(8) as usize;
        let mut text = [0; 8];
        for (place, digit) in text[..count].iter_mut().rev().enumerate() {
            *digit = digits[(value >> (4 * place)) as usize & 15];
        }
        push(l, &text[..count]);
    }
    1
}
