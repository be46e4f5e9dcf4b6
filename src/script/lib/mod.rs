//! The libraries that Redis adds to Lua: `bit`, `struct`, `cmsgpack`, `cjson`.
//!
//! Those that build or take apart data own buffers, which an error of Lua would leak. So their bodies run under
//! [`guarded`]: the allocator is lenient, trouble is returned, and raised once the body has let go of everything.

mod bit;
mod cjson;
mod cjson_decode;
mod cjson_encode;
mod cmsgpack;
mod packing;

use std::ffi::{CStr, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use mlua::ffi::{self, lua_State};

use super::stack::{push, raise_bare, set_field};
use super::state::{State, state};
use super::trouble;

/// Adds the libraries to the globals on top of the stack.
pub(super) unsafe fn open(l: *mut lua_State) {
    // SAFETY: setting up, with a lenient allocator.
    unsafe {
        bit::push_library(l);
        set_field(l, -2, b"bit");
        packing::push_library(l);
        set_field(l, -2, b"struct");
        cmsgpack::push_library(l);
        set_field(l, -2, b"cmsgpack");
        cjson::push_library(l);
        set_field(l, -2, b"cjson");
    }
}

/// Why a library function gives up.
#[derive(Debug)]
pub(super) enum Trouble {
    /// An error with the position of the caller in front.
    Here(String),
    /// An error as it is.
    Bare(&'static str),
    /// `bad argument #n to 'f' (text)`.
    Argument(c_int, String),
    /// `bad argument #n to 'f' (type expected, got ..)`.
    Type(c_int, &'static CStr),
    /// The result would take more than the VM may hold.
    Memory,
}

/// How many values a body pushed, or what went wrong.
pub(super) type Outcome = Result<c_int, Trouble>;

/// What is left of an outcome when nothing is owned any more; a text lies on the Lua stack.
enum Verdict {
    Done(c_int),
    Here,
    Bare,
    Argument(c_int),
    Type(c_int, &'static CStr),
    Memory,
    Panicked,
}

/// Runs the body of a library function, then raises what it returned.
pub(super) unsafe fn guarded(l: *mut lua_State, body: unsafe fn(*mut lua_State, &State) -> Outcome) -> c_int {
    // SAFETY: nothing in this frame has a destructor when something is raised.
    unsafe {
        let state = state(l);
        match judge(l, state, body) {
            Verdict::Done(_) | Verdict::Memory if trouble::over_limit(l, state) => raise_bare(l, b"not enough memory"),
            Verdict::Done(count) => count,
            Verdict::Memory => raise_bare(l, b"not enough memory"),
            Verdict::Here => ffi::luaL_error(l, c"%s".as_ptr(), ffi::lua_tostring(l, -1)),
            Verdict::Bare => ffi::lua_error(l),
            Verdict::Argument(index) => ffi::luaL_argerror(l, index, ffi::lua_tostring(l, -1)),
            Verdict::Type(index, expected) => ffi::luaL_typerror(l, index, expected.as_ptr()),
            Verdict::Panicked => trouble::die(l),
        }
    }
}

#[inline(never)]
unsafe fn judge(l: *mut lua_State, state: &State, body: unsafe fn(*mut lua_State, &State) -> Outcome) -> Verdict {
    let before = state.meter.lenient.replace(true);
    // SAFETY: lenient, so neither the body nor the pushes raise.
    let verdict = unsafe {
        match catch_unwind(AssertUnwindSafe(|| body(l, state))) {
            Ok(Ok(count)) => Verdict::Done(count),
            Ok(Err(trouble)) => {
                ffi::lua_checkstack(l, 4);
                match trouble {
                    Trouble::Here(text) => {
                        push(l, text.as_bytes());
                        Verdict::Here
                    }
                    Trouble::Bare(text) => {
                        push(l, text.as_bytes());
                        Verdict::Bare
                    }
                    Trouble::Argument(index, text) => {
                        push(l, text.as_bytes());
                        Verdict::Argument(index)
                    }
                    Trouble::Type(index, expected) => Verdict::Type(index, expected),
                    Trouble::Memory => Verdict::Memory,
                }
            }
            Err(payload) => {
                state.panic.set(Some(payload));
                state.killed.set(true);
                Verdict::Panicked
            }
        }
    };
    state.meter.lenient.set(before);
    verdict
}

/// Bytes being built, no more than the VM may still hold.
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    limit: usize,
}

impl Buffer {
    pub(super) fn new(state: &State) -> Self {
        let limit = state.meter.limit_bytes.get().saturating_sub(state.meter.used_bytes.get());
        Self { bytes: Vec::new(), limit }
    }

    pub(super) fn extend(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        if self.bytes.len() + bytes.len() > self.limit {
            return Err(Trouble::Memory);
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }
}

/// Fails once Lua holds more than it may, for bodies that build values.
pub(super) fn check_memory(state: &State) -> Result<(), Trouble> {
    if state.meter.used_bytes.get() > state.meter.limit_bytes.get() { Err(Trouble::Memory) } else { Ok(()) }
}
