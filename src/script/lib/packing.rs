//! `struct`: values to and from binary records, by a format string.
//!
//! Options: `<` `>` byte order, `!n` alignment, `b B h H i I l L T` integers (`i` and `I` with a size in bytes),
//! `f d` floating point, `s` zero-terminated string, `cn` string of n bytes (`c0`: size from the value before), `x`
//! pad.

use std::ffi::c_int;

use mlua::ffi::{self, lua_State};

use super::{Buffer, Outcome, Trouble, check_memory, guarded};
use crate::script::number::to_integer;
use crate::script::stack::{add_function, bytes, check_bytes, push};
use crate::script::state::State;

const MAX_INTEGER_BYTES: u64 = 32;
const NATIVE_ALIGNMENT: u64 = 8;

pub(super) unsafe fn push_library(l: *mut lua_State) {
    // SAFETY: setting up.
    unsafe {
        ffi::lua_createtable(l, 0, 3);
        add_function(l, b"pack", pack);
        add_function(l, b"unpack", unpack);
        add_function(l, b"size", size);
    }
}

/// A format being read.
struct Format<'a> {
    rest: &'a [u8],
    big_endian: bool,
    alignment: u64,
}

impl<'a> Format<'a> {
    fn new(text: &'a [u8]) -> Self {
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
        Self { rest: &text[..end], big_endian: false, alignment: 1 }
    }

    /// The next option with its size; 0 for those without one.
    fn next(&mut self) -> Result<Option<(u8, u64)>, Trouble> {
        let Some((&option, rest)) = self.rest.split_first() else { return Ok(None) };
        self.rest = rest;
        let size = match option {
            b'b' | b'B' | b'x' => 1,
            b'h' | b'H' => 2,
            b'f' => 4,
            b'l' | b'L' | b'T' | b'd' => 8,
            b'c' => self.number(1)?,
            b'i' | b'I' => {
                let size = self.number(4)?;
                if size > MAX_INTEGER_BYTES {
                    let text = format!("integral size {size} is larger than limit of {MAX_INTEGER_BYTES}");
                    return Err(Trouble::Here(text));
                }
                size
            }
            _ => 0,
        };
        Ok(Some((option, size)))
    }

    fn number(&mut self, default: u64) -> Result<u64, Trouble> {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return Ok(default);
        }
        let (text, rest) = self.rest.split_at(digits);
        self.rest = rest;
        text.iter().try_fold(0_u64, |number, digit| {
            let number = number * 10 + u64::from(digit - b'0');
            if number > i32::MAX as u64 { Err(Trouble::Here("integral size overflow".into())) } else { Ok(number) }
        })
    }

    fn padding(&self, position: u64, option: u8, size: u64) -> u64 {
        if size == 0 || option == b'c' {
            return 0;
        }
        let size = size.min(self.alignment);
        (size - (position & (size - 1))) & (size - 1)
    }

    /// An option that only sets the mode, or trouble.
    fn control(&mut self, option: u8) -> Result<(), Trouble> {
        match option {
            b' ' => {}
            b'<' => self.big_endian = false,
            b'>' => self.big_endian = true,
            b'!' => {
                let alignment = self.number(NATIVE_ALIGNMENT)?;
                if !alignment.is_power_of_two() {
                    return Err(Trouble::Here(format!("alignment {alignment} is not a power of 2")));
                }
                self.alignment = alignment;
            }
            _ => return Err(Trouble::Argument(1, format!("invalid format option '{}'", char::from(option)))),
        }
        Ok(())
    }
}

unsafe extern "C-unwind" fn pack(l: *mut lua_State) -> c_int {
    // SAFETY: a C function of a live VM that owns nothing; so are the others. The nil stands behind the last argument.
    unsafe {
        check_bytes(l, 1);
        ffi::lua_pushnil(l);
        guarded(l, pack_all)
    }
}

unsafe fn pack_all(l: *mut lua_State, state: &State) -> Outcome {
    // SAFETY: run by `guarded`; strings stay on the stack while they are read.
    unsafe {
        let mut format = Format::new(bytes(l, 1));
        let mut packed = Buffer::new(state);
        let mut argument = 1;
        while let Some((option, size)) = format.next()? {
            let padding = format.padding(packed.bytes.len() as u64, option, size);
            packed.extend(&[0; 32][..padding as usize])?;
            match option {
                b'b' | b'B' | b'h' | b'H' | b'i' | b'I' | b'l' | b'L' | b'T' => {
                    argument += 1;
                    let number = number(l, argument)?;
                    packed.extend(integer_bytes(number, format.big_endian, &mut [0; 32][..size as usize]))?;
                }
                b'x' => packed.extend(&[0])?,
                b'f' | b'd' => {
                    argument += 1;
                    let number = number(l, argument)?;
                    match (option, format.big_endian) {
                        (b'f', true) => packed.extend(&(number as f32).to_be_bytes())?,
                        (b'f', false) => packed.extend(&(number as f32).to_le_bytes())?,
                        (_, true) => packed.extend(&number.to_be_bytes())?,
                        (_, false) => packed.extend(&number.to_le_bytes())?,
                    }
                }
                b's' | b'c' => {
                    argument += 1;
                    if ffi::lua_isstring(l, argument) == 0 {
                        return Err(Trouble::Type(argument, c"string"));
                    }
                    let text = bytes(l, argument);
                    let wanted = if size == 0 { text.len() } else { size as usize };
                    let Some(text) = text.get(..wanted) else {
                        return Err(Trouble::Argument(argument + 1, "string too short".into()));
                    };
                    packed.extend(text)?;
                    if option == b's' {
                        packed.extend(&[0])?;
                    }
                }
                _ => format.control(option)?,
            }
        }
        push(l, &packed.bytes);
    }
    Ok(1)
}

unsafe fn number(l: *mut lua_State, argument: c_int) -> Result<f64, Trouble> {
    // SAFETY: reads one value.
    unsafe {
        if ffi::lua_isnumber(l, argument) == 0 {
            return Err(Trouble::Type(argument, c"number"));
        }
        Ok(ffi::lua_tonumber(l, argument))
    }
}

/// The lowest bytes of the number; past the eighth they are zero.
fn integer_bytes(number: f64, big_endian: bool, place: &mut [u8]) -> &[u8] {
    let mut value = match number {
        _ if number < 9_223_372_036_854_775_808.0 => to_integer(number) as u64,
        _ if number < 18_446_744_073_709_551_616.0 => number as u64,
        _ => 0,
    };
    for byte in place.iter_mut() {
        *byte = value as u8;
        value >>= 8;
    }
    if big_endian {
        place.reverse();
    }
    place
}

unsafe extern "C-unwind" fn unpack(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        check_bytes(l, 1);
        check_bytes(l, 2);
        let position = ffi::luaL_optinteger(l, 3, 1);
        ffi::luaL_argcheck(l, c_int::from(position != 0), 3, c"offset must be 1 or greater".as_ptr());
        ffi::lua_settop(l, 2);
        ffi::lua_pushinteger(l, position);
        guarded(l, unpack_all)
    }
}

unsafe fn unpack_all(l: *mut lua_State, state: &State) -> Outcome {
    let short = || Trouble::Argument(2, "data string too short".into());
    // SAFETY: run by `guarded`; the strings are arguments; room is made before each push.
    unsafe {
        let mut format = Format::new(bytes(l, 1));
        let data = bytes(l, 2);
        let mut position = (ffi::lua_tonumber(l, 3) as i64 as u64).wrapping_sub(1);
        let mut count = 0;
        let slice = |position: u64, size: u64| {
            let end = position.checked_add(size).ok_or_else(short)?;
            data.get(usize::try_from(position).map_err(|_| short())?..end as usize).ok_or_else(short)
        };
        while let Some((option, mut size)) = format.next()? {
            position = position.wrapping_add(format.padding(position, option, size));
            let field = slice(position, size)?;
            if ffi::lua_checkstack(l, 3) == 0 {
                return Err(Trouble::Here("stack overflow (too many results)".into()));
            }
            check_memory(state)?;
            match option {
                b'b' | b'B' | b'h' | b'H' | b'i' | b'I' | b'l' | b'L' | b'T' => {
                    ffi::lua_pushnumber(l, integer(field, format.big_endian, option.is_ascii_lowercase()));
                    count += 1;
                }
                b'x' => {}
                b'f' | b'd' => {
                    ffi::lua_pushnumber(l, floating(field, format.big_endian));
                    count += 1;
                }
                b'c' => {
                    let mut text = field;
                    if size == 0 {
                        if count == 0 || ffi::lua_isnumber(l, -1) == 0 {
                            return Err(Trouble::Here("format 'c0' needs a previous size".into()));
                        }
                        size = to_integer(ffi::lua_tonumber(l, -1)) as u64;
                        text = slice(position, size)?;
                        ffi::lua_pop(l, 1);
                        count -= 1;
                    }
                    push(l, text);
                    count += 1;
                }
                b's' => {
                    let rest = &data[position as usize..];
                    let Some(end) = memchr::memchr(0, rest) else {
                        return Err(Trouble::Here("unfinished string in data".into()));
                    };
                    push(l, &rest[..end]);
                    size = end as u64 + 1;
                    count += 1;
                }
                _ => format.control(option)?,
            }
            position = position.wrapping_add(size);
        }
        ffi::lua_pushnumber(l, position.wrapping_add(1) as f64);
        Ok(count + 1)
    }
}

fn integer(field: &[u8], big_endian: bool, signed: bool) -> f64 {
    let join = |value: u64, byte: &u8| (value << 8) | u64::from(*byte);
    let value = if big_endian { field.iter().fold(0, join) } else { field.iter().rev().fold(0, join) };
    if !signed {
        return value as f64;
    }
    let sign = u64::MAX.wrapping_shl((field.len() as u32 * 8).wrapping_sub(1));
    (if value & sign == 0 { value } else { value | sign }) as i64 as f64
}

fn floating(field: &[u8], big_endian: bool) -> f64 {
    let mut place = [0; 8];
    let place = &mut place[..field.len()];
    place.copy_from_slice(field);
    if big_endian {
        place.reverse();
    }
    match *place {
        [a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => 0.0,
    }
}

unsafe extern "C-unwind" fn size(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        check_bytes(l, 1);
        guarded(l, measure)
    }
}

unsafe fn measure(l: *mut lua_State, _: &State) -> Outcome {
    // SAFETY: run by `guarded`.
    unsafe {
        let mut format = Format::new(bytes(l, 1));
        let mut total = 0_u64;
        while let Some((option, size)) = format.next()? {
            total += format.padding(total, option, size);
            if option == b's' || (option == b'c' && size == 0) {
                let name = if option == b's' { "s" } else { "c0" };
                return Err(Trouble::Argument(1, format!("option '{name}' has no fixed size")));
            }
            if !option.is_ascii_alphanumeric() {
                format.control(option)?;
            }
            total += size;
        }
        ffi::lua_pushnumber(l, total as f64);
    }
    Ok(1)
}
