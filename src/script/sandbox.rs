//! What scripts can see: the globals of Redis 7.0, write-protected.
//!
//! Lua 5.1 has no read-only tables. A protected table is therefore an empty one, the *proxy*, whose metatable finds
//! fields in the real table and refuses new ones. The functions that bypass metatables (`rawset`, `next`, ...) are
//! replaced here by ones that know proxies, so that a script cannot tell.

use std::ffi::c_int;

use mlua::ffi::{self, lua_CFunction, lua_State};

use super::stack::{
    add_function, add_text, bytes, check_bytes, is, push, push_field, raise_bare, raise_here, set_field,
};
use super::state::state;
use super::{Limits, lib, random, redis, trouble};

const READ_ONLY: &str = "Attempt to modify a readonly table";

/// Globals of the base library that Redis does not offer.
const REMOVED: [&[u8]; 8] =
    [b"dofile", b"loadfile", b"print", b"newproxy", b"getfenv", b"setfenv", b"module", b"require"];

/// Quantifiers that one pattern may have: Lua's matcher recurses at each of them, on the C stack.
const MAX_QUANTIFIERS: usize = 1000;

/// Slots of [`super::state::State::originals`].
#[derive(Clone, Copy)]
enum Original {
    Insert,
    Foreach,
    Find,
    Match,
    Gmatch,
    Gsub,
    Collect,
    Unpack,
}

/// Builds the globals; leaves the real table of globals on the stack and makes its proxy the environment of new chunks.
///
/// # Safety
/// `l` is fresh, and the allocator lenient.
pub(super) unsafe fn set_up(l: *mut lua_State, limits: &Limits) {
    // SAFETY: with nothing to fail, this is straight-line table building.
    unsafe {
        ffi::lua_checkstack(l, 64);
        for open in [ffi::luaopen_base as lua_CFunction, ffi::luaopen_table, ffi::luaopen_string, ffi::luaopen_math] {
            ffi::lua_pushcclosure(l, open, 0);
            ffi::lua_call(l, 0, 0);
        }
        ffi::lua_createtable(l, 0, 64);
        let reals = ffi::luaL_ref(l, ffi::LUA_REGISTRYINDEX);
        ffi::lua_createtable(l, 0, 4);
        let shown = ffi::luaL_ref(l, ffi::LUA_REGISTRYINDEX);
        state(l).reals_ref.set(reals);
        state(l).shown_ref.set(shown);
        ffi::lua_pushvalue(l, ffi::LUA_GLOBALSINDEX);
        for name in REMOVED {
            ffi::lua_pushnil(l);
            set_field(l, -2, name);
        }
        replace_base(l);
        replace_in_libraries(l);
        redis::push_redis(l, limits);
        set_field(l, -2, b"redis");
        lib::open(l);
        for name in
            [b"redis".as_slice(), b"string", b"table", b"math", b"coroutine", b"cjson", b"cmsgpack", b"struct", b"bit"]
        {
            push_field(l, -1, name);
            protect(l);
            set_field(l, -2, name);
        }
        show_string_metatable(l);
        seal_globals(l);
    }
}

unsafe fn replace_base(l: *mut lua_State) {
    // SAFETY: the globals are on top.
    unsafe {
        add_function(l, b"next", next);
        ffi::lua_pushcclosure(l, next, 0);
        ffi::lua_pushcclosure(l, pairs, 1);
        set_field(l, -2, b"pairs");
        add_function(l, b"rawget", rawget);
        add_function(l, b"rawset", rawset);
        add_function(l, b"getmetatable", getmetatable);
        add_function(l, b"setmetatable", setmetatable);
        add_function(l, b"pcall", trouble::pcall);
        add_function(l, b"load", load);
        add_function(l, b"loadstring", loadstring);
        keep(l, b"collectgarbage", Original::Collect, collectgarbage);
        keep(l, b"unpack", Original::Unpack, unpack);
        add_function(l, b"__redis__err__handler", trouble::handler);
    }
}

unsafe fn replace_in_libraries(l: *mut lua_State) {
    // SAFETY: the globals are on top.
    unsafe {
        push_field(l, -1, b"table");
        keep(l, b"insert", Original::Insert, insert);
        keep(l, b"foreach", Original::Foreach, foreach);
        ffi::lua_pop(l, 1);
        push_field(l, -1, b"string");
        keep(l, b"find", Original::Find, find);
        keep(l, b"match", Original::Match, match_);
        keep(l, b"gmatch", Original::Gmatch, gmatch);
        add_function(l, b"gfind", gmatch);
        keep(l, b"gsub", Original::Gsub, gsub);
        ffi::lua_pop(l, 1);
        push_field(l, -1, b"math");
        add_function(l, b"random", random::random);
        add_function(l, b"randomseed", random::random_seed);
        ffi::lua_pop(l, 1);
    }
}

/// Replaces a C function of the table on top, and keeps the one that was there.
unsafe fn keep(l: *mut lua_State, name: &[u8], slot: Original, ours: lua_CFunction) {
    // SAFETY: a table is on top.
    unsafe {
        push_field(l, -1, name);
        state(l).originals[slot as usize].set(ffi::lua_tocfunction(l, -1));
        ffi::lua_pop(l, 1);
        add_function(l, name, ours);
    }
}

/// Replaces the table on top by a proxy for it.
unsafe fn protect(l: *mut lua_State) {
    // SAFETY: a table is on top.
    unsafe {
        ffi::lua_createtable(l, 0, 0);
        ffi::lua_createtable(l, 0, 2);
        ffi::lua_pushvalue(l, -3);
        set_field(l, -2, b"__index");
        add_function(l, b"__newindex", refuse);
        ffi::lua_setmetatable(l, -2);
        ffi::lua_rawgeti_(l, ffi::LUA_REGISTRYINDEX, state(l).reals_ref.get());
        ffi::lua_pushvalue(l, -2);
        ffi::lua_pushvalue(l, -4);
        ffi::lua_rawset(l, -3);
        ffi::lua_pop(l, 1);
        ffi::lua_remove(l, -2);
    }
}

/// Makes `getmetatable('')` answer a protected table, while string methods go the short way.
unsafe fn show_string_metatable(l: *mut lua_State) {
    // SAFETY: the globals are on top, with proxies for libraries.
    unsafe {
        push(l, b"");
        ffi::lua_getmetatable(l, -1);
        ffi::lua_createtable(l, 0, 1);
        push_field(l, -4, b"string");
        set_field(l, -2, b"__index");
        protect(l);
        set_field(l, -2, b"__metatable");
        ffi::lua_pop(l, 2);
    }
}

/// Gives the globals on top their metatable and their proxy.
unsafe fn seal_globals(l: *mut lua_State) {
    // SAFETY: the globals are on top.
    unsafe {
        ffi::lua_createtable(l, 0, 1);
        add_function(l, b"__index", undefined);
        ffi::lua_pushvalue(l, -1);
        protect(l);
        ffi::lua_insert(l, -2);
        ffi::lua_setmetatable(l, -3);
        ffi::lua_pushvalue(l, -2);
        protect(l);
        ffi::lua_rawgeti_(l, ffi::LUA_REGISTRYINDEX, state(l).shown_ref.get());
        ffi::lua_pushvalue(l, -2);
        ffi::lua_pushvalue(l, -4);
        ffi::lua_rawset(l, -3);
        ffi::lua_pop(l, 1);
        ffi::lua_remove(l, -2);
        ffi::lua_pushvalue(l, -1);
        set_field(l, -3, b"_G");
        ffi::lua_replace(l, ffi::LUA_GLOBALSINDEX);
        add_text(l, b"_VERSION", b"Lua 5.1");
    }
}

/// If the table at `index` (absolute) is a proxy, pushes what the registry table `slot` holds for it.
unsafe fn push_of_proxy(l: *mut lua_State, index: c_int, slot: c_int) -> bool {
    // SAFETY: called from C functions with free slots.
    unsafe {
        if ffi::lua_getmetatable(l, index) == 0 {
            return false;
        }
        ffi::lua_rawgeti_(l, ffi::LUA_REGISTRYINDEX, slot);
        ffi::lua_pushvalue(l, index);
        ffi::lua_rawget_(l, -2);
        if is(l, -1, ffi::LUA_TNIL) {
            ffi::lua_pop(l, 3);
            return false;
        }
        ffi::lua_insert(l, -3);
        ffi::lua_pop(l, 2);
        true
    }
}

/// Replaces a proxy at `index` by its real table. Only for a frame that does not hand the table on to the script.
pub(super) unsafe fn see_through(l: *mut lua_State, index: c_int) {
    // SAFETY: as above.
    unsafe {
        if push_of_proxy(l, index, state(l).reals_ref.get()) {
            ffi::lua_replace(l, index);
        }
    }
}

unsafe fn is_proxy(l: *mut lua_State, index: c_int) -> bool {
    // SAFETY: as above.
    unsafe {
        let found = push_of_proxy(l, index, state(l).reals_ref.get());
        if found {
            ffi::lua_pop(l, 1);
        }
        found
    }
}

unsafe extern "C-unwind" fn refuse(l: *mut lua_State) -> c_int {
    // SAFETY: a C function of a live VM that owns nothing; so are all below.
    unsafe { raise_here(l, c"Attempt to modify a readonly table") }
}

unsafe extern "C-unwind" fn undefined(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        if ffi::lua_isstring(l, 2) == 0 {
            raise_here(l, c"Second argument to luaProtectedTableError must be a string or number");
        }
        let name = ffi::lua_tolstring(l, 2, std::ptr::null_mut());
        ffi::luaL_error(l, c"Script attempted to access nonexistent global variable '%s'".as_ptr(), name)
    }
}

unsafe extern "C-unwind" fn next(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        ffi::luaL_checktype(l, 1, ffi::LUA_TTABLE);
        ffi::lua_settop(l, 2);
        see_through(l, 1);
        if ffi::lua_next(l, 1) != 0 {
            return 2;
        }
        ffi::lua_pushnil(l);
    }
    1
}

unsafe extern "C-unwind" fn pairs(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        ffi::luaL_checktype(l, 1, ffi::LUA_TTABLE);
        ffi::lua_pushvalue(l, ffi::lua_upvalueindex(1));
        ffi::lua_pushvalue(l, 1);
        ffi::lua_pushnil(l);
    }
    3
}

unsafe extern "C-unwind" fn rawget(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        ffi::luaL_checktype(l, 1, ffi::LUA_TTABLE);
        ffi::luaL_checkany(l, 2);
        ffi::lua_settop(l, 2);
        see_through(l, 1);
        ffi::lua_rawget_(l, 1);
    }
    1
}

unsafe extern "C-unwind" fn rawset(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        ffi::luaL_checktype(l, 1, ffi::LUA_TTABLE);
        ffi::luaL_checkany(l, 2);
        ffi::luaL_checkany(l, 3);
        ffi::lua_settop(l, 3);
        if is_proxy(l, 1) {
            raise_bare(l, READ_ONLY.as_bytes());
        }
        ffi::lua_rawset(l, 1);
    }
    1
}

unsafe extern "C-unwind" fn getmetatable(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        ffi::luaL_checkany(l, 1);
        if is(l, 1, ffi::LUA_TTABLE) && is_proxy(l, 1) {
            if !push_of_proxy(l, 1, state(l).shown_ref.get()) {
                ffi::lua_pushnil(l);
            }
        } else if ffi::lua_getmetatable(l, 1) == 0 {
            ffi::lua_pushnil(l);
        } else {
            ffi::luaL_getmetafield_(l, 1, c"__metatable".as_ptr());
        }
    }
    1
}

unsafe extern "C-unwind" fn setmetatable(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        let kind = ffi::lua_type(l, 2);
        ffi::luaL_checktype(l, 1, ffi::LUA_TTABLE);
        let fits = kind == ffi::LUA_TNIL || kind == ffi::LUA_TTABLE;
        ffi::luaL_argcheck(l, c_int::from(fits), 2, c"nil or table expected".as_ptr());
        if ffi::luaL_getmetafield_(l, 1, c"__metatable".as_ptr()) != 0 {
            raise_here(l, c"cannot change a protected metatable");
        }
        ffi::lua_settop(l, 2);
        if is_proxy(l, 1) {
            raise_bare(l, READ_ONLY.as_bytes());
        }
        ffi::lua_setmetatable(l, 1);
    }
    1
}

unsafe fn original(l: *mut lua_State, slot: Original) -> c_int {
    // SAFETY: the function kept at set-up runs in our place, on the same frame.
    unsafe {
        match state(l).originals[slot as usize].get() {
            Some(function) => function(l),
            None => 0,
        }
    }
}

unsafe extern "C-unwind" fn insert(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        if is(l, 1, ffi::LUA_TTABLE) && is_proxy(l, 1) {
            raise_bare(l, READ_ONLY.as_bytes());
        }
        original(l, Original::Insert)
    }
}

unsafe extern "C-unwind" fn foreach(l: *mut lua_State) -> c_int {
    // SAFETY: as above; the library hands keys and values to the script, not the table.
    unsafe {
        if is(l, 1, ffi::LUA_TTABLE) {
            see_through(l, 1);
        }
        original(l, Original::Foreach)
    }
}

/// The library reckons the count as an `int`, and an optimizing compiler drops its check for an overflow: without this
/// one such a call ends the server.
unsafe extern "C-unwind" fn unpack(l: *mut lua_State) -> c_int {
    // SAFETY: as above; both numbers are read as the library reads them.
    unsafe {
        ffi::luaL_checktype(l, 1, ffi::LUA_TTABLE);
        let first = ffi::luaL_optinteger(l, 2, 1) as c_int;
        let last = match ffi::lua_isnoneornil(l, 3) {
            0 => ffi::luaL_checkinteger(l, 3) as c_int,
            _ => ffi::lua_objlen(l, 1) as c_int,
        };
        if i64::from(last) - i64::from(first) >= i64::from(c_int::MAX) {
            raise_here(l, c"too many results to unpack");
        }
        original(l, Original::Unpack)
    }
}

unsafe extern "C-unwind" fn collectgarbage(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        if is(l, 1, ffi::LUA_TSTRING) && !matches!(bytes(l, 1), b"collect" | b"count" | b"step") {
            state(l).collector_touched.set(true);
        }
        original(l, Original::Collect)
    }
}

/// Refuses patterns that would exhaust the C stack.
unsafe fn check_pattern(l: *mut lua_State) {
    // SAFETY: as above; other types are left to the library to refuse.
    unsafe {
        if is(l, 2, ffi::LUA_TSTRING) {
            let pattern = bytes(l, 2);
            if pattern.len() > MAX_QUANTIFIERS
                && pattern.iter().filter(|byte| b"?*+-".contains(byte)).count() > MAX_QUANTIFIERS
            {
                raise_here(l, c"pattern too complex");
            }
        }
    }
}

unsafe extern "C-unwind" fn find(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        if ffi::lua_toboolean(l, 4) == 0 {
            check_pattern(l);
        }
        original(l, Original::Find)
    }
}

unsafe extern "C-unwind" fn match_(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        check_pattern(l);
        original(l, Original::Match)
    }
}

unsafe extern "C-unwind" fn gmatch(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        check_pattern(l);
        original(l, Original::Gmatch)
    }
}

unsafe extern "C-unwind" fn gsub(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        check_pattern(l);
        original(l, Original::Gsub)
    }
}

unsafe extern "C-unwind" fn loadstring(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        let source = check_bytes(l, 1);
        let name = ffi::luaL_optlstring(l, 2, source.as_ptr().cast(), std::ptr::null_mut());
        let status = super::vm::load_text(l, source, name);
        loaded(l, status)
    }
}

unsafe fn loaded(l: *mut lua_State, status: c_int) -> c_int {
    // SAFETY: a function or an error text is on top.
    unsafe {
        if status == 0 {
            return 1;
        }
        ffi::lua_pushnil(l);
        ffi::lua_insert(l, -2);
    }
    2
}

unsafe extern "C-unwind" fn load(l: *mut lua_State) -> c_int {
    // SAFETY: as above; the reader keeps its string in slot 3, and `started` is plain data.
    unsafe {
        let name = ffi::luaL_optlstring(l, 2, c"=(load)".as_ptr(), std::ptr::null_mut());
        ffi::luaL_checktype(l, 1, ffi::LUA_TFUNCTION);
        ffi::lua_settop(l, 3);
        let mut started = false;
        let status = ffi::lua_load(l, piece, (&raw mut started).cast(), name);
        loaded(l, status)
    }
}

/// Reader of `load`. It starts with a space, so that what follows cannot be taken for bytecode.
unsafe extern "C-unwind" fn piece(
    l: *mut lua_State,
    ud: *mut std::ffi::c_void,
    len: *mut usize,
) -> *const std::ffi::c_char {
    // SAFETY: `ud` is the flag of `load`, whose frame is below; slots 1 and 3 are those of that frame.
    unsafe {
        let started = ud.cast::<bool>();
        if !*started {
            *started = true;
            *len = 1;
            return c" ".as_ptr();
        }
        ffi::luaL_checkstack_(l, 2, c"too many nested functions".as_ptr());
        ffi::lua_pushvalue(l, 1);
        ffi::lua_call(l, 0, 1);
        if is(l, -1, ffi::LUA_TNIL) {
            *len = 0;
            return std::ptr::null();
        }
        if ffi::lua_isstring(l, -1) == 0 {
            raise_here(l, c"reader function must return a string");
        }
        ffi::lua_replace(l, 3);
        ffi::lua_tolstring(l, 3, len)
    }
}
