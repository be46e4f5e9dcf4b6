//! One question to compiled Lua 5.1 code: does it assign to a global?
//!
//! If not, it may run with the real table of globals as its environment instead of the write-protected view of it,
//! which saves a failed lookup at each use of a global.

use std::ffi::{c_int, c_void};

use mlua::ffi::{self, lua_State};

const SET_GLOBAL: u32 = 7;
const OPCODE_BITS: u32 = 0x3f;
const HEADER_LEN: usize = 12;

unsafe extern "C-unwind" fn collect(_: *mut lua_State, piece: *const c_void, len: usize, ud: *mut c_void) -> c_int {
    // SAFETY: `ud` is the buffer handed to lua_dump, `piece` is valid for `len` bytes.
    unsafe { (*ud.cast::<Vec<u8>>()).extend_from_slice(std::slice::from_raw_parts(piece.cast(), len)) };
    0
}

/// Whether the Lua function on top of the stack, or one inside it, assigns to a global. When in doubt, it does.
///
/// # Safety
/// A Lua function is on top, and the allocator is lenient.
pub(super) unsafe fn assigns_global(l: *mut lua_State) -> bool {
    let mut code = Vec::new();
    // SAFETY: lua_dump calls `collect` with this buffer only, and allocates nothing.
    unsafe { ffi::lua_dump_(l, collect, (&raw mut code).cast()) };
    let mut reader = Reader { rest: code.get(HEADER_LEN..).unwrap_or_default() };
    reader.assigns().unwrap_or(true)
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(taken)
    }

    fn count(&mut self) -> Option<usize> {
        let bytes = self.take(size_of::<c_int>())?;
        usize::try_from(c_int::from_ne_bytes(bytes.try_into().ok()?)).ok()
    }

    fn skip_string(&mut self) -> Option<()> {
        let len = usize::from_ne_bytes(self.take(size_of::<usize>())?.try_into().ok()?);
        self.take(len).map(|_| ())
    }

    fn assigns(&mut self) -> Option<bool> {
        self.skip_string()?;
        self.take(2 * size_of::<c_int>() + 4)?;
        let instructions = self.count()?;
        let code = self.take(instructions.checked_mul(4)?)?;
        let opcode = |word: &[u8]| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]) & OPCODE_BITS;
        if code.chunks_exact(4).any(|word| opcode(word) == SET_GLOBAL) {
            return Some(true);
        }
        for _ in 0..self.count()? {
            match self.take(1)?[0] {
                0 => {}
                1 => drop(self.take(1)?),
                3 => drop(self.take(size_of::<f64>())?),
                4 => self.skip_string()?,
                _ => return None,
            }
        }
        for _ in 0..self.count()? {
            if self.assigns()? {
                return Some(true);
            }
        }
        let lines = self.count()?;
        self.take(lines.checked_mul(size_of::<c_int>())?)?;
        for _ in 0..self.count()? {
            self.skip_string()?;
            self.take(2 * size_of::<c_int>())?;
        }
        for _ in 0..self.count()? {
            self.skip_string()?;
        }
        Some(false)
    }
}
