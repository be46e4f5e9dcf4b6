//! `cmsgpack`: Lua values to and from MessagePack, with the choices of lua-cmsgpack 0.4.0 as Redis 7.0 ships it.
//!
//! Known to both: integers over 2^63 read back negative, bin and ext types are refused, tables nested deeper than 16
//! are packed as nil.

use std::ffi::c_int;

use mlua::ffi::{self, lua_State};

use super::{Buffer, Outcome, Trouble, check_memory, guarded};
use crate::script::number::to_integer;
use crate::script::sandbox::see_through;
use crate::script::stack::{add_function, add_text, bytes, check_bytes, is, push};
use crate::script::state::State;

const MAX_NESTING: usize = 16;

pub(super) unsafe fn push_library(l: *mut lua_State) {
    // SAFETY: setting up.
    unsafe {
        ffi::lua_createtable(l, 0, 8);
        add_function(l, b"pack", pack);
        add_function(l, b"unpack", unpack);
        add_function(l, b"unpack_one", unpack_one);
        add_function(l, b"unpack_limit", unpack_limit);
        add_text(l, b"_NAME", b"cmsgpack");
        add_text(l, b"_VERSION", b"lua-cmsgpack 0.4.0");
        add_text(l, b"_COPYRIGHT", b"Copyright (C) 2012, Salvatore Sanfilippo");
        add_text(l, b"_DESCRIPTION", b"MessagePack C implementation for Lua");
    }
}

unsafe extern "C-unwind" fn pack(l: *mut lua_State) -> c_int {
    // SAFETY: a C function of a live VM that owns nothing; so are the others.
    unsafe { guarded(l, pack_all) }
}

unsafe fn pack_all(l: *mut lua_State, state: &State) -> Outcome {
    // SAFETY: run by `guarded`.
    unsafe {
        let count = ffi::lua_gettop(l);
        if count == 0 {
            return Err(Trouble::Argument(0, "MessagePack pack needs input.".into()));
        }
        let mut packed = Buffer::new(state);
        ffi::lua_checkstack(l, 4);
        for index in 1..=count {
            ffi::lua_pushvalue(l, index);
            pack_value(l, &mut packed, 0)?;
        }
        push(l, &packed.bytes);
    }
    Ok(1)
}

/// Packs the value on top and pops it.
unsafe fn pack_value(l: *mut lua_State, packed: &mut Buffer, level: usize) -> Result<(), Trouble> {
    // SAFETY: one value is on top; a table asks for the room it needs.
    unsafe {
        match ffi::lua_type(l, -1) {
            ffi::LUA_TSTRING => pack_string(bytes(l, -1), packed)?,
            ffi::LUA_TBOOLEAN => packed.extend(&[if ffi::lua_toboolean(l, -1) != 0 { 0xc3 } else { 0xc2 }])?,
            ffi::LUA_TNUMBER => pack_number(ffi::lua_tonumber(l, -1), packed)?,
            ffi::LUA_TTABLE if level < MAX_NESTING => {
                ffi::lua_checkstack(l, 8);
                see_through(l, ffi::lua_gettop(l));
                pack_table(l, packed, level + 1)?;
            }
            _ => packed.extend(&[0xc0])?,
        }
        ffi::lua_pop(l, 1);
    }
    Ok(())
}

fn pack_string(text: &[u8], packed: &mut Buffer) -> Result<(), Trouble> {
    match text.len() {
        len @ ..32 => packed.extend(&[0xa0 | len as u8])?,
        len @ ..=0xff => packed.extend(&[0xd9, len as u8])?,
        len => pack_length(len, [0xda, 0xdb], packed)?,
    }
    packed.extend(text)
}

/// A length of two or four bytes behind the mark for it.
fn pack_length(len: usize, marks: [u8; 2], packed: &mut Buffer) -> Result<(), Trouble> {
    if let Ok(len) = u16::try_from(len) {
        packed.extend(&[marks[0]])?;
        packed.extend(&len.to_be_bytes())
    } else {
        packed.extend(&[marks[1]])?;
        packed.extend(&(len as u32).to_be_bytes())
    }
}

fn pack_number(number: f64, packed: &mut Buffer) -> Result<(), Trouble> {
    let integer = to_integer(number);
    if integer as f64 == number {
        return pack_integer(integer, packed);
    }
    if f64::from(number as f32) == number {
        packed.extend(&[0xca])?;
        packed.extend(&(number as f32).to_be_bytes())
    } else {
        packed.extend(&[0xcb])?;
        packed.extend(&number.to_be_bytes())
    }
}

fn pack_integer(integer: i64, packed: &mut Buffer) -> Result<(), Trouble> {
    let (mark, len) = match integer {
        -32..=127 => return packed.extend(&[integer as u8]),
        128..=0xff => (0xcc, 1),
        0x100..=0xffff => (0xcd, 2),
        0x1_0000..=0xffff_ffff => (0xce, 4),
        0x1_0000_0000.. => (0xcf, 8),
        -0x80..-32 => (0xd0, 1),
        -0x8000..-0x80 => (0xd1, 2),
        -0x8000_0000..-0x8000 => (0xd2, 4),
        _ => (0xd3, 8),
    };
    packed.extend(&[mark])?;
    packed.extend(&integer.to_be_bytes()[8 - len..])
}

unsafe fn pack_table(l: *mut lua_State, packed: &mut Buffer, level: usize) -> Result<(), Trouble> {
    // SAFETY: a table is on top, with eight slots above.
    unsafe {
        let (mut count, mut largest, mut list) = (0_usize, 0.0_f64, true);
        ffi::lua_pushnil(l);
        while ffi::lua_next(l, -2) != 0 {
            ffi::lua_pop(l, 1);
            count += 1;
            if is(l, -1, ffi::LUA_TNUMBER) {
                let key = ffi::lua_tonumber(l, -1);
                list &= key > 0.0 && key.fract() == 0.0;
                largest = largest.max(key);
            } else {
                list = false;
            }
        }
        if list && largest == count as f64 {
            match count {
                ..16 => packed.extend(&[0x90 | count as u8])?,
                _ => pack_length(count, [0xdc, 0xdd], packed)?,
            }
            for index in 1..=count {
                ffi::lua_rawgeti_(l, -1, index as c_int);
                pack_value(l, packed, level)?;
            }
            return Ok(());
        }
        match count {
            ..16 => packed.extend(&[0x80 | count as u8])?,
            _ => pack_length(count, [0xde, 0xdf], packed)?,
        }
        ffi::lua_pushnil(l);
        while ffi::lua_next(l, -2) != 0 {
            ffi::lua_pushvalue(l, -2);
            pack_value(l, packed, level)?;
            pack_value(l, packed, level)?;
        }
    }
    Ok(())
}

unsafe extern "C-unwind" fn unpack(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe { ask(l, 0, 0) }
}

unsafe extern "C-unwind" fn unpack_one(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        let offset = ffi::luaL_optinteger(l, 2, 0);
        ask(l, 1, offset as i32)
    }
}

unsafe extern "C-unwind" fn unpack_limit(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        let limit = ffi::luaL_checkinteger(l, 2);
        let offset = ffi::luaL_optinteger(l, 3, 0);
        ask(l, limit as i32, offset as i32)
    }
}

/// Lays out the stack for `unpack_all`: data, limit, offset.
unsafe fn ask(l: *mut lua_State, limit: i32, offset: i32) -> c_int {
    // SAFETY: as above.
    unsafe {
        check_bytes(l, 1);
        ffi::lua_settop(l, 1);
        ffi::lua_pushnumber(l, f64::from(limit));
        ffi::lua_pushnumber(l, f64::from(offset));
        guarded(l, unpack_all)
    }
}

unsafe fn unpack_all(l: *mut lua_State, state: &State) -> Outcome {
    // SAFETY: run by `guarded`; the data is an argument.
    unsafe {
        let data = bytes(l, 1);
        let (limit, offset) = (ffi::lua_tonumber(l, 2) as i64, ffi::lua_tonumber(l, 3) as i64);
        let len = data.len() as i64;
        if limit < 0 || offset < 0 {
            let text = format!("Invalid request to unpack with offset of {offset} and limit of {len}.");
            return Err(Trouble::Here(text));
        }
        let Some(rest) = data.get(offset as usize..) else {
            return Err(Trouble::Here(format!("Start offset {offset} greater than input length {len}.")));
        };
        let everything = limit == 0 && offset == 0;
        let mut reader = Reader { rest };
        let mut count = 0;
        while !reader.rest.is_empty() && (everything || count < limit) {
            reader.push_value(l, state)?;
            count += 1;
        }
        if !everything {
            let stopped_at = if reader.rest.is_empty() { -1 } else { len - reader.rest.len() as i64 };
            ffi::lua_pushnumber(l, stopped_at as f64);
            ffi::lua_insert(l, 4);
            count += 1;
        }
        Ok(count as c_int)
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

/// A table being filled; it is on the stack, with a key above it when `key_waits`.
struct Open {
    missing: u64,
    map: bool,
    key_waits: bool,
    next: c_int,
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], Trouble> {
        let (taken, rest) = self.rest.split_at_checked(len).ok_or_else(missing)?;
        self.rest = rest;
        Ok(taken)
    }

    fn unsigned(&mut self, len: usize) -> Result<u64, Trouble> {
        Ok(self.take(len)?.iter().fold(0, |value, byte| (value << 8) | u64::from(*byte)))
    }

    fn signed(&mut self, len: usize) -> Result<i64, Trouble> {
        let unused = 64 - 8 * len as u32;
        Ok(((self.unsigned(len)? << unused) as i64) >> unused)
    }

    /// Pushes the next value, whatever its depth, without recursion.
    unsafe fn push_value(&mut self, l: *mut lua_State, state: &State) -> Result<(), Trouble> {
        let mut open: Vec<Open> = Vec::new();
        // SAFETY: room is made before each push; the layout is as told at `Open`.
        unsafe {
            loop {
                if ffi::lua_checkstack(l, 6) == 0 {
                    return Err(Trouble::Here("stack overflow (in function mp_decode_to_lua_type)".into()));
                }
                check_memory(state)?;
                if let Some(table) = self.push_next(l)? {
                    ffi::lua_createtable(l, 0, 0);
                    if table.missing > 0 {
                        open.push(table);
                        continue;
                    }
                }
                if !file(l, &mut open)? {
                    return Ok(());
                }
            }
        }
    }

    /// Pushes a scalar, or returns the table that begins here.
    unsafe fn push_next(&mut self, l: *mut lua_State) -> Result<Option<Open>, Trouble> {
        let array = |missing| Ok(Some(Open { missing, map: false, key_waits: false, next: 0 }));
        let map = |missing| Ok(Some(Open { missing, map: true, key_waits: false, next: 0 }));
        let mark = self.take(1)?[0];
        let number = match mark {
            0x00..=0x7f => f64::from(mark),
            0xe0..=0xff => f64::from(mark as i8),
            0xcc..=0xce => self.unsigned(1 << (mark - 0xcc))? as f64,
            0xcf => self.unsigned(8)? as i64 as f64,
            0xd0..=0xd3 => self.signed(1 << (mark - 0xd0))? as f64,
            0xca => f64::from(f32::from_bits(self.unsigned(4)? as u32)),
            0xcb => f64::from_bits(self.unsigned(8)?),
            0x90..=0x9f => return array(u64::from(mark & 15)),
            0xdc | 0xdd => return array(self.unsigned(if mark == 0xdc { 2 } else { 4 })?),
            0x80..=0x8f => return map(u64::from(mark & 15)),
            0xde | 0xdf => return map(self.unsigned(if mark == 0xde { 2 } else { 4 })?),
            _ => {
                // SAFETY: the caller made room.
                unsafe { self.push_other(l, mark)? };
                return Ok(None);
            }
        };
        // SAFETY: as above.
        unsafe { ffi::lua_pushnumber(l, number) };
        Ok(None)
    }

    unsafe fn push_other(&mut self, l: *mut lua_State, mark: u8) -> Result<(), Trouble> {
        let len = match mark {
            0xa0..=0xbf => usize::from(mark & 31),
            0xd9..=0xdb => self.unsigned(1 << (mark - 0xd9))? as usize,
            0xc0 | 0xc2 | 0xc3 => {
                // SAFETY: the caller made room, here and below.
                unsafe {
                    if mark == 0xc0 { ffi::lua_pushnil(l) } else { ffi::lua_pushboolean(l, c_int::from(mark & 1)) }
                };
                return Ok(());
            }
            _ => return Err(Trouble::Here("Bad data format in input.".into())),
        };
        // SAFETY: as above.
        unsafe { push(l, self.take(len)?) };
        Ok(())
    }
}

/// Files the value on top into the tables that wait for it. Returns whether one still waits for more.
unsafe fn file(l: *mut lua_State, open: &mut Vec<Open>) -> Result<bool, Trouble> {
    while let Some(table) = open.last_mut() {
        // SAFETY: the layout is as told at `Open`; keys that Lua would refuse are refused here.
        unsafe {
            if !table.map {
                table.next += 1;
                ffi::lua_rawseti_(l, -2, table.next);
            } else if !table.key_waits {
                table.key_waits = true;
                return Ok(true);
            } else {
                if is(l, -2, ffi::LUA_TNIL) {
                    return Err(Trouble::Bare("table index is nil"));
                }
                if is(l, -2, ffi::LUA_TNUMBER) && ffi::lua_tonumber(l, -2).is_nan() {
                    return Err(Trouble::Bare("table index is NaN"));
                }
                table.key_waits = false;
                ffi::lua_rawset(l, -3);
            }
        }
        table.missing -= 1;
        if table.missing > 0 {
            return Ok(true);
        }
        open.pop();
    }
    Ok(false)
}

fn missing() -> Trouble {
    Trouble::Here("Missing bytes in input.".into())
}
