//! The table `redis`, less the two calls.

use std::ffi::c_int;

use mlua::ffi::{self, lua_State};

use super::stack::{add_function, add_text, bytes, is, push, set_field};
use super::state::state;
use super::trouble::{die, push_error};
use super::{Limits, LogLevel, call};

/// Pushes the table.
pub(super) unsafe fn push_redis(l: *mut lua_State, limits: &Limits) {
    // SAFETY: setting up, with a lenient allocator and a fresh stack.
    unsafe {
        ffi::lua_createtable(l, 0, 24);
        add_function(l, b"call", call::call);
        add_function(l, b"pcall", call::pcall);
        add_function(l, b"acl_check_cmd", call::acl_check_cmd);
        add_function(l, b"log", log);
        add_function(l, b"setresp", setresp);
        add_function(l, b"set_repl", set_repl);
        add_function(l, b"sha1hex", sha1hex);
        add_function(l, b"error_reply", error_reply);
        add_function(l, b"status_reply", status_reply);
        add_function(l, b"replicate_commands", replicate_commands);
        add_function(l, b"breakpoint", breakpoint);
        add_function(l, b"debug", debug);
        let (major, minor, patch) = limits.version;
        add_text(l, b"REDIS_VERSION", format!("{major}.{minor}.{patch}").as_bytes());
        let number = u32::from_be_bytes([0, major, minor, patch]);
        let numbers: [(&[u8], u32); 10] = [
            (b"REDIS_VERSION_NUM", number),
            (b"LOG_DEBUG", 0),
            (b"LOG_VERBOSE", 1),
            (b"LOG_NOTICE", 2),
            (b"LOG_WARNING", 3),
            (b"REPL_NONE", 0),
            (b"REPL_AOF", 1),
            (b"REPL_SLAVE", 2),
            (b"REPL_REPLICA", 2),
            (b"REPL_ALL", 3),
        ];
        for (name, value) in numbers {
            ffi::lua_pushnumber(l, f64::from(value));
            set_field(l, -2, name);
        }
    }
}

unsafe fn fail(l: *mut lua_State, text: &[u8]) -> ! {
    // SAFETY: this frame owns nothing.
    unsafe {
        push_error(l, text);
        ffi::lua_error(l)
    }
}

unsafe extern "C-unwind" fn log(l: *mut lua_State) -> c_int {
    // SAFETY: a C function of a live VM. The line is built on the Lua stack so that this frame owns nothing.
    unsafe {
        let count = ffi::lua_gettop(l);
        if count < 2 {
            fail(l, b"redis.log() requires two arguments or more.");
        }
        if ffi::lua_isnumber(l, 1) == 0 {
            fail(l, b"First argument must be a number (log level).");
        }
        let level = match ffi::lua_tonumber(l, 1) as i64 {
            0 => LogLevel::Debug,
            1 => LogLevel::Verbose,
            2 => LogLevel::Notice,
            3 => LogLevel::Warning,
            _ => fail(l, b"Invalid debug level."),
        };
        let mut parts = 0;
        ffi::luaL_checkstack_(l, 2 * count + 2, c"too many arguments".as_ptr());
        for index in 2..=count {
            if ffi::lua_isstring(l, index) != 0 {
                if parts > 0 {
                    push(l, b" ");
                    parts += 1;
                }
                ffi::lua_pushvalue(l, index);
                parts += 1;
            }
        }
        ffi::lua_concat(l, parts);
        ffi::lua_tolstring(l, -1, std::ptr::null_mut());
        let line = bytes(l, -1);
        if state(l).with_host(|host| host.log(level, line)).is_none() {
            die(l);
        }
    }
    0
}

unsafe extern "C-unwind" fn setresp(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        if ffi::lua_gettop(l) != 1 {
            fail(l, b"redis.setresp() requires one argument.");
        }
        let version = ffi::lua_tonumber(l, 1) as i64;
        if version != 2 && version != 3 {
            fail(l, b"RESP version must be 2 or 3.");
        }
        state(l).resp.set(version as u8);
        if state(l).with_host(|host| host.set_resp(version as u8)).is_none() {
            die(l);
        }
    }
    0
}

unsafe extern "C-unwind" fn set_repl(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        if ffi::lua_gettop(l) != 1 {
            fail(l, b"redis.set_repl() requires two arguments.");
        }
        let targets = ffi::lua_tonumber(l, 1) as i64;
        if targets & !3 != 0 {
            fail(l, b"Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.");
        }
        if state(l).with_host(|host| host.set_repl(targets as u8)).is_none() {
            die(l);
        }
    }
    0
}

unsafe extern "C-unwind" fn sha1hex(l: *mut lua_State) -> c_int {
    // SAFETY: as above; the digest is plain data.
    unsafe {
        if ffi::lua_gettop(l) != 1 {
            fail(l, b"wrong number of arguments");
        }
        ffi::lua_tolstring(l, 1, std::ptr::null_mut());
        let text = if is(l, 1, ffi::LUA_TSTRING) { bytes(l, 1) } else { b"" };
        push(l, &super::vm::Sha::of(text).0);
    }
    1
}

unsafe extern "C-unwind" fn error_reply(l: *mut lua_State) -> c_int {
    // SAFETY: as above. The text keeps its own code unless it is a single word.
    unsafe {
        if ffi::lua_gettop(l) != 1 || !is(l, 1, ffi::LUA_TSTRING) {
            push_error(l, b"wrong number or type of arguments");
            return 1;
        }
        let text = bytes(l, 1);
        let text = text.strip_prefix(b"-").unwrap_or(text);
        let ends = |byte: &u8| matches!(byte, b'\r' | b'\n');
        match text.iter().position(|&byte| byte == b' ') {
            None => push_error(l, trim(text, ends)),
            Some(space) => {
                ffi::lua_createtable(l, 0, 1);
                push(l, &text[..=space]);
                push(l, trim(&text[space + 1..], ends));
                ffi::lua_concat(l, 2);
                set_field(l, -2, b"err");
            }
        }
    }
    1
}

fn trim(text: &[u8], strip: impl Fn(&u8) -> bool) -> &[u8] {
    let start = text.iter().position(|byte| !strip(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !strip(byte)).map_or(start, |last| last + 1);
    &text[start..end]
}

unsafe extern "C-unwind" fn status_reply(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        if ffi::lua_gettop(l) != 1 || !is(l, 1, ffi::LUA_TSTRING) {
            push_error(l, b"wrong number or type of arguments");
            return 1;
        }
        ffi::lua_createtable(l, 0, 1);
        ffi::lua_pushvalue(l, 1);
        set_field(l, -2, b"ok");
    }
    1
}

unsafe extern "C-unwind" fn replicate_commands(l: *mut lua_State) -> c_int {
    // SAFETY: as above. Effects are all that is ever replicated.
    unsafe { ffi::lua_pushboolean(l, 1) };
    1
}

unsafe extern "C-unwind" fn breakpoint(l: *mut lua_State) -> c_int {
    // SAFETY: as above. There is no debugger to stop in.
    unsafe { ffi::lua_pushboolean(l, 0) };
    1
}

unsafe extern "C-unwind" fn debug(_: *mut lua_State) -> c_int {
    0
}
