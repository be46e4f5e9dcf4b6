//! `cjson.encode`.

use std::ffi::{CStr, c_int};

use mlua::ffi::{self, lua_State};

use super::cjson::{DEEPEST, Settings, settings};
use super::{Buffer, Outcome, Trouble};
use crate::script::number;
use crate::script::sandbox::see_through;
use crate::script::stack::{bytes, is, push};
use crate::script::state::State;

/// Body of `encode`: one value is on the stack.
pub(super) unsafe fn encode(l: *mut lua_State, state: &State) -> Outcome {
    // SAFETY: run by `guarded`, with the one argument on top.
    unsafe {
        let settings = *settings(l);
        let mut json = Buffer::new(state);
        append(l, &settings, &mut json, 0)?;
        push(l, &json.bytes);
    }
    Ok(1)
}

/// Appends the value on top, which stays there.
unsafe fn append(l: *mut lua_State, settings: &Settings, json: &mut Buffer, depth: c_int) -> Result<(), Trouble> {
    // SAFETY: tables ask for the room they need.
    unsafe {
        match ffi::lua_type(l, -1) {
            ffi::LUA_TSTRING => append_string(bytes(l, -1), json),
            ffi::LUA_TNUMBER => append_number(l, -1, settings, json),
            ffi::LUA_TBOOLEAN => json.extend(if ffi::lua_toboolean(l, -1) != 0 { b"true" } else { b"false" }),
            ffi::LUA_TTABLE => append_table(l, settings, json, depth + 1),
            ffi::LUA_TNIL => json.extend(b"null"),
            ffi::LUA_TLIGHTUSERDATA if ffi::lua_touserdata(l, -1).is_null() => json.extend(b"null"),
            _ => Err(refusal(l, -1, "type not supported")),
        }
    }
}

unsafe fn refusal(l: *mut lua_State, index: c_int, reason: &str) -> Trouble {
    // SAFETY: type names are static C strings.
    let name = unsafe { CStr::from_ptr(ffi::luaL_typename(l, index)) };
    Trouble::Here(format!("Cannot serialise {}: {reason}", name.to_string_lossy()))
}

unsafe fn append_table(l: *mut lua_State, settings: &Settings, json: &mut Buffer, depth: c_int) -> Result<(), Trouble> {
    // SAFETY: a table is on top, and there is room for a key, a value and what a look through a proxy takes.
    unsafe {
        if depth > settings.encode_max_depth.min(DEEPEST) || ffi::lua_checkstack(l, 8) == 0 {
            return Err(Trouble::Here(format!("Cannot serialise, excessive nesting ({depth})")));
        }
        see_through(l, ffi::lua_gettop(l));
        match list_length(l, settings)? {
            Some(len) => append_list(l, settings, json, depth, len),
            None => append_object(l, settings, json, depth),
        }
    }
}

/// The length of the list that the table on top is, if it is one with something in it.
unsafe fn list_length(l: *mut lua_State, settings: &Settings) -> Result<Option<c_int>, Trouble> {
    let (mut largest, mut items) = (0.0_f64, 0.0_f64);
    // SAFETY: as above; the stack is as before on every way out.
    unsafe {
        ffi::lua_pushnil(l);
        while ffi::lua_next(l, -2) != 0 {
            ffi::lua_pop(l, 1);
            let key = if is(l, -1, ffi::LUA_TNUMBER) { ffi::lua_tonumber(l, -1) } else { 0.0 };
            if key <= 0.0 || key.fract() != 0.0 || key > f64::from(c_int::MAX) {
                ffi::lua_pop(l, 1);
                return Ok(None);
            }
            largest = largest.max(key);
            items += 1.0;
        }
        let sparse = settings.sparse_ratio > 0
            && largest > items * f64::from(settings.sparse_ratio)
            && largest > f64::from(settings.sparse_safe);
        if sparse && settings.sparse_convert == 0 {
            return Err(refusal(l, -1, "excessively sparse array"));
        }
        Ok((!sparse && largest > 0.0).then_some(largest as c_int))
    }
}

unsafe fn append_list(
    l: *mut lua_State,
    settings: &Settings,
    json: &mut Buffer,
    depth: c_int,
    len: c_int,
) -> Result<(), Trouble> {
    json.extend(b"[")?;
    for index in 1..=len {
        if index > 1 {
            json.extend(b",")?;
        }
        // SAFETY: as above.
        unsafe {
            ffi::lua_rawgeti_(l, -1, index);
            append(l, settings, json, depth)?;
            ffi::lua_pop(l, 1);
        }
    }
    json.extend(b"]")
}

unsafe fn append_object(
    l: *mut lua_State,
    settings: &Settings,
    json: &mut Buffer,
    depth: c_int,
) -> Result<(), Trouble> {
    json.extend(b"{")?;
    let mut first = true;
    // SAFETY: as above; the key is not converted in place, which would confuse lua_next.
    unsafe {
        ffi::lua_pushnil(l);
        while ffi::lua_next(l, -2) != 0 {
            if !std::mem::replace(&mut first, false) {
                json.extend(b",")?;
            }
            match ffi::lua_type(l, -2) {
                ffi::LUA_TNUMBER => {
                    json.extend(b"\"")?;
                    append_number(l, -2, settings, json)?;
                    json.extend(b"\":")?;
                }
                ffi::LUA_TSTRING => {
                    append_string(bytes(l, -2), json)?;
                    json.extend(b":")?;
                }
                _ => return Err(refusal(l, -2, "table key must be a number or string")),
            }
            append(l, settings, json, depth)?;
            ffi::lua_pop(l, 1);
        }
    }
    json.extend(b"}")
}

unsafe fn append_number(
    l: *mut lua_State,
    index: c_int,
    settings: &Settings,
    json: &mut Buffer,
) -> Result<(), Trouble> {
    // SAFETY: a number is at the index.
    let value = unsafe { ffi::lua_tonumber(l, index) };
    if !value.is_finite() {
        match settings.encode_invalid {
            // SAFETY: as above.
            0 => return Err(unsafe { refusal(l, index, "must not be NaN or Inf") }),
            1 if value.is_nan() => return json.extend(b"nan"),
            1 => {}
            _ => return json.extend(b"null"),
        }
    }
    let mut buffer = [0; number::LONGEST];
    json.extend(number::print(&mut buffer, value, settings.precision))
}

fn append_string(text: &[u8], json: &mut Buffer) -> Result<(), Trouble> {
    json.extend(b"\"")?;
    let mut plain_from = 0;
    for (at, &byte) in text.iter().enumerate() {
        let mut code = *b"\\u0000";
        let escape: &[u8] = match byte {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            b'/' => b"\\/",
            8 => b"\\b",
            12 => b"\\f",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            b'\t' => b"\\t",
            0..32 | 127 => {
                code[4] = b'0' + (byte >> 4);
                code[5] = b"0123456789abcdef"[usize::from(byte & 15)];
                &code
            }
            _ => continue,
        };
        json.extend(&text[plain_from..at])?;
        json.extend(escape)?;
        plain_from = at + 1;
    }
    json.extend(&text[plain_from..])?;
    json.extend(b"\"")
}
