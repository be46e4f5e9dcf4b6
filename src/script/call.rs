//! `redis.call`, `redis.pcall` and `redis.acl_check_cmd`: from the Lua stack to the host and back.

use std::ffi::c_int;

use mlua::ffi::{self, lua_State};

use super::number;
use super::sink::LuaSink;
use super::stack::bytes;
use super::state::{State, state};
use super::trouble::{self, push_error};

pub(super) unsafe extern "C-unwind" fn call(l: *mut lua_State) -> c_int {
    // SAFETY: a C function of a live VM.
    unsafe { command(l, true) }
}

pub(super) unsafe extern "C-unwind" fn pcall(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe { command(l, false) }
}

unsafe fn command(l: *mut lua_State, raise: bool) -> c_int {
    // SAFETY: `state` is shared, the stack has the 20 free slots of every C function, and this frame owns nothing.
    unsafe {
        let state = state(l);
        if let Err(text) = gather(l, state) {
            push_error(l, text);
            return if raise { ffi::lua_error(l) } else { 1 };
        }
        let failed = dispatch(l, state);
        if state.killed.get() {
            trouble::die(l);
        }
        if trouble::over_limit(l, state) {
            push_error(l, b"not enough memory");
            ffi::lua_error(l);
        }
        if failed && raise { ffi::lua_error(l) } else { 1 }
    }
}

/// Collects the arguments of the running C function as borrowed slices in the scratch buffer.
unsafe fn gather(l: *mut lua_State, state: &State) -> Result<(), &'static [u8]> {
    // SAFETY: nobody else borrows the scratch: the host cannot re-enter, and no Lua runs in here. The slices stay good
    // while the arguments are on the stack; numbers are printed into memory reserved beforehand, so it does not move.
    unsafe {
        let scratch = &mut *state.scratch.get();
        scratch.argv.clear();
        scratch.numbers.clear();
        let count = ffi::lua_gettop(l);
        if count == 0 {
            return Err(b"Please specify at least one argument for this redis lib call");
        }
        for index in 1..=count {
            match ffi::lua_type(l, index) {
                ffi::LUA_TSTRING => scratch.argv.push(bytes(l, index)),
                ffi::LUA_TNUMBER => {
                    if scratch.numbers.is_empty() {
                        scratch.numbers.reserve(count as usize * number::LONGEST);
                    }
                    let mut buffer = [0; number::LONGEST];
                    let text = number::print(&mut buffer, ffi::lua_tonumber(l, index), 17);
                    let start = scratch.numbers.as_mut_ptr().add(scratch.numbers.len());
                    scratch.numbers.extend_from_slice(text);
                    scratch.argv.push(std::slice::from_raw_parts(start, text.len()));
                }
                _ => return Err(b"Lua redis lib command arguments must be strings or integers"),
            }
        }
    }
    Ok(())
}

/// Runs the gathered command; exactly one value is pushed. Returns whether it is an error. Raises nothing.
unsafe fn dispatch(l: *mut lua_State, state: &State) -> bool {
    // SAFETY: as in `gather`; the sink only pushes while the allocator is lenient.
    unsafe {
        let top = ffi::lua_gettop(l);
        let argv = &(*state.scratch.get()).argv;
        let failed = state.with_host(|host| {
            let mut sink = LuaSink::new(l, state.resp.get() == 3);
            host.call(argv, &mut sink);
            sink.finish(top)
        });
        if failed.is_none() {
            ffi::lua_settop(l, top + 1);
        }
        failed.unwrap_or(true)
    }
}

pub(super) unsafe extern "C-unwind" fn acl_check_cmd(l: *mut lua_State) -> c_int {
    // SAFETY: as in `command`.
    unsafe {
        let state = state(l);
        let told = match gather(l, state) {
            Err(text) => Err(text),
            Ok(()) => {
                let argv = &(*state.scratch.get()).argv;
                match state.with_host(|host| host.acl_check(argv)) {
                    Some(Some(allowed)) => Ok(allowed),
                    Some(None) => Err(b"Invalid command passed to redis.acl_check_cmd()".as_slice()),
                    None => trouble::die(l),
                }
            }
        };
        match told {
            Ok(allowed) => ffi::lua_pushboolean(l, c_int::from(allowed)),
            Err(text) => {
                push_error(l, text);
                ffi::lua_error(l);
            }
        }
    }
    1
}
