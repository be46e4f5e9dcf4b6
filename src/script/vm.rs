//! The VM: compiles a script once, runs it often.

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::fmt;
use std::panic::resume_unwind;
use std::ptr::{self, NonNull};

use mlua::ffi::{self, lua_State};

use super::cache::Cache;
use super::shebang::{self, Flags};
use super::stack::{bytes, is, push};
use super::state::State;
use super::{Host, Limits, answer, bytecode, memory, sandbox, trouble};
use crate::reply::Sink;

/// The name of a script: the SHA-1 of its text in 40 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sha(pub [u8; 40]);

impl Sha {
    /// The name of this text.
    pub fn of(source: &[u8]) -> Self {
        let mut digits = [0; 40];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(sha1_smol::Sha1::from(source).digest().bytes()) {
            pair[0] = b"0123456789abcdef"[usize::from(byte >> 4)];
            pair[1] = b"0123456789abcdef"[usize::from(byte & 15)];
        }
        Self(digits)
    }

    /// A name as a client gives it, in either case; `None` unless it has 40 characters.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let mut digits: [u8; 40] = text.try_into().ok()?;
        digits.make_ascii_lowercase();
        Some(Self(digits))
    }
}

impl fmt::Display for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

impl fmt::Debug for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A compiled script. Good for the next [`Vm::run`]; a later load or flush may drop what it stands for.
#[derive(Debug, Clone, Copy)]
pub struct Script {
    /// Its name.
    pub sha: Sha,
    /// What its shebang declares; [`Flags::COMPAT`] without one.
    pub flags: Flags,
    reference: c_int,
}

/// How a run ended. Its reply has been said to the sink either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ran {
    /// The script raised an error that nothing caught.
    pub failed: bool,
    /// The reply is, or holds, an error that no command was already blamed for: error statistics should count it.
    pub uncounted_error: bool,
}

/// Figures for INFO.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// `used_memory_vm_eval`: bytes that Lua holds.
    pub vm_bytes: usize,
    /// `used_memory_scripts_eval`: bytes of cached sources.
    pub scripts_bytes: usize,
    /// `number_of_cached_scripts`.
    pub cached_scripts: usize,
}

/// One Lua state with its sandbox and its scripts.
pub struct Vm {
    l: *mut lua_State,
    state: NonNull<State>,
    cache: Cache,
    limits: Limits,
}

// SAFETY: the Lua state and everything it points to belong to this value alone, and nothing in it is tied to a thread.
// The `Rc`s of the cache never leave it.
unsafe impl Send for Vm {}

// The main stack holds these all the time, so that a run finds them without a lookup.
const GLOBALS: c_int = 1;
const HANDLER: c_int = 2;
const KEYS: c_int = 3;
const ARGV: c_int = 4;

impl Vm {
    /// A VM with nothing loaded. Aborts if the system has no memory for it.
    pub fn new(limits: Limits) -> Self {
        let state = NonNull::from(Box::leak(Box::new(State::new(limits.memory_bytes))));
        // SAFETY: the state lives until `drop`; it starts lenient, so setting up cannot fail.
        let l = unsafe {
            let l = ffi::lua_newstate(memory::allocate, state.as_ptr().cast());
            ffi::lua_atpanic(l, unprotected);
            sandbox::set_up(l, &limits);
            ffi::lua_pushcclosure(l, trouble::handler, 0);
            push(l, b"KEYS");
            push(l, b"ARGV");
            ffi::lua_settop(l, ARGV);
            ffi::lua_gc(l, ffi::LUA_GCCOLLECT, 0);
            l
        };
        let vm = Self { l, state, cache: Cache::default(), limits };
        vm.state().meter.lenient.set(false);
        vm
    }

    fn state(&self) -> &State {
        // SAFETY: owned by this value, and only ever shared.
        unsafe { self.state.as_ref() }
    }

    /// Finds or compiles a script. With `keep` it stays until a flush, as SCRIPT LOAD promises. The error is a reply's
    /// text.
    pub fn load(&mut self, source: &[u8], keep: bool) -> Result<Script, Vec<u8>> {
        let script = match self.cache.find_source(source) {
            Some(script) => script,
            None => {
                let script = self.compile(source)?;
                self.cache.insert(source, script);
                script
            }
        };
        if keep {
            self.cache.keep(&script.sha);
        }
        while let Some(old) = self.cache.evict(self.limits.cached_scripts) {
            self.release(old);
        }
        Ok(script)
    }

    /// The script of this name.
    pub fn find(&mut self, sha: &Sha) -> Option<Script> {
        self.cache.find(sha)
    }

    /// Whether there is a script of this name. Does not count as a use.
    pub fn contains(&self, sha: &Sha) -> bool {
        self.cache.contains(sha)
    }

    /// Forgets every script.
    pub fn flush(&mut self) {
        for script in self.cache.clear() {
            self.release(script);
        }
        // SAFETY: a collection runs no code of scripts: 5.1 finalizers exist for userdata only, which they cannot make.
        unsafe { ffi::lua_gc(self.l, ffi::LUA_GCCOLLECT, 0) };
    }

    /// Changes how many bytes Lua may hold. What it holds already stays until it is garbage.
    pub fn set_memory_limit(&mut self, bytes: usize) {
        self.limits.memory_bytes = bytes;
        self.state().meter.limit_bytes.set(bytes);
    }

    /// Figures for INFO.
    pub fn memory(&self) -> Memory {
        Memory {
            vm_bytes: self.state().meter.used_bytes.get(),
            scripts_bytes: self.cache.overhead_bytes(),
            cached_scripts: self.cache.len(),
        }
    }

    fn release(&mut self, script: Script) {
        // SAFETY: the reference was made by `compile`, and the entry that held it is gone.
        unsafe { ffi::luaL_unref(self.l, ffi::LUA_REGISTRYINDEX, script.reference) };
    }

    fn compile(&mut self, source: &[u8]) -> Result<Script, Vec<u8>> {
        let (flags, body) = shebang::parse(source)?;
        let l = self.l;
        // SAFETY: loading is protected by Lua; after it the allocator is lenient, so nothing raises.
        unsafe {
            ffi::lua_checkstack(l, 8);
            let status = load_text(l, body, c"@user_script".as_ptr());
            self.state().meter.lenient.set(true);
            let loaded = if status == 0 {
                if !bytecode::assigns_global(l) {
                    ffi::lua_pushvalue(l, GLOBALS);
                    ffi::lua_setfenv(l, -2);
                }
                let reference = ffi::luaL_ref(l, ffi::LUA_REGISTRYINDEX);
                Ok(Script { sha: Sha::of(source), flags, reference })
            } else {
                let text = if is(l, -1, ffi::LUA_TSTRING) { bytes(l, -1) } else { b"unknown" };
                let text = [b"ERR Error compiling script (new function): ", text].concat();
                ffi::lua_pop(l, 1);
                Err(text)
            };
            self.state().meter.lenient.set(false);
            loaded
        }
    }

    /// Runs a script and says its reply to `sink`. Panics of the host come out of here once Lua has unwound.
    pub fn run(
        &mut self,
        script: &Script,
        keys: &[&[u8]],
        argv: &[&[u8]],
        host: &mut dyn Host,
        sink: &mut dyn Sink,
    ) -> Ran {
        let l = self.l;
        self.begin(host);
        // SAFETY: outside of lua_pcall the allocator is lenient, so nothing raises there; the stack was laid out by
        // `new`.
        let ran = unsafe {
            push_list(l, KEYS, keys);
            push_list(l, ARGV, argv);
            ffi::lua_sethook(l, Some(trouble::hook), ffi::LUA_MASKCOUNT, self.limits.hook_period as c_int);
            ffi::lua_rawgeti_(l, ffi::LUA_REGISTRYINDEX, script.reference);
            self.state().meter.lenient.set(false);
            let status = ffi::lua_pcall(l, 0, 1, HANDLER);
            self.state().meter.lenient.set(true);
            if let Some(payload) = self.state().panic.take() {
                self.end();
                resume_unwind(payload);
            }
            if status == 0 {
                let uncounted_error = answer::answer(l, self.state().resp.get() == 3, sink);
                Ran { failed: false, uncounted_error }
            } else {
                let (text, counted) = trouble::last_words(l, &script.sha.0);
                sink.error(&text);
                Ran { failed: true, uncounted_error: !counted }
            }
        };
        self.end();
        ran
    }

    fn begin(&mut self, host: &mut dyn Host) {
        // SAFETY: only the lifetime changes; `end` takes the pointer back before the borrow of `run` is over.
        let host: NonNull<dyn Host> = unsafe { std::mem::transmute(NonNull::from(host)) };
        let state = self.state();
        state.meter.lenient.set(true);
        state.host.set(Some(host));
        state.resp.set(2);
        state.killed.set(false);
        // SAFETY: growing the stack cannot fail now.
        unsafe { ffi::lua_checkstack(self.l, 16) };
    }

    fn end(&mut self) {
        let state = self.state();
        state.host.set(None);
        state.killed.set(false);
        // SAFETY: still lenient; a collection runs no code of scripts.
        unsafe {
            ffi::lua_settop(self.l, ARGV);
            if state.collector_touched.replace(false) {
                ffi::lua_gc(self.l, ffi::LUA_GCSETPAUSE, 200);
                ffi::lua_gc(self.l, ffi::LUA_GCSETSTEPMUL, 200);
                ffi::lua_gc(self.l, ffi::LUA_GCRESTART, 0);
            }
            if state.meter.refused.replace(false) || state.meter.used_bytes.get() > state.meter.limit_bytes.get() / 2 {
                push_list(self.l, KEYS, &[]);
                push_list(self.l, ARGV, &[]);
                ffi::lua_gc(self.l, ffi::LUA_GCCOLLECT, 0);
            }
        }
        state.meter.lenient.set(false);
    }
}

impl Drop for Vm {
    fn drop(&mut self) {
        // SAFETY: nothing uses the state after this, and the box was leaked by `new`.
        unsafe {
            self.state().meter.lenient.set(true);
            ffi::lua_close(self.l);
            drop(Box::from_raw(self.state.as_ptr()));
        }
    }
}

impl fmt::Debug for Vm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vm").field("memory", &self.memory()).field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// Sets the global whose name lies at `name` to a fresh table of `items`.
unsafe fn push_list(l: *mut lua_State, name: c_int, items: &[&[u8]]) {
    // SAFETY: on the main stack, lenient; the globals have no `__newindex`, and these two are written raw.
    unsafe {
        ffi::lua_pushvalue(l, name);
        ffi::lua_createtable(l, items.len() as c_int, 0);
        for (index, item) in (1..).zip(items) {
            push(l, item);
            ffi::lua_rawseti_(l, -2, index);
        }
        ffi::lua_rawset(l, GLOBALS);
    }
}

/// Compiles text, never bytecode: what Lua sees starts with a space. Returns Lua's status; function or error is pushed.
///
/// # Safety
/// `name` is a C string; the stack has two free slots.
pub(super) unsafe fn load_text(l: *mut lua_State, source: &[u8], name: *const c_char) -> c_int {
    // SAFETY: the reader hands out the two pieces, which outlive the call; the cell is plain data.
    unsafe {
        let pieces = Pieces { source: source.as_ptr_range(), step: Cell::new(0) };
        ffi::lua_load(l, read, (&raw const pieces).cast_mut().cast(), name)
    }
}

struct Pieces {
    source: std::ops::Range<*const u8>,
    step: Cell<u8>,
}

unsafe extern "C-unwind" fn read(_: *mut lua_State, ud: *mut c_void, len: *mut usize) -> *const c_char {
    // SAFETY: `ud` is the `Pieces` of `load_text`.
    unsafe {
        let pieces = &*ud.cast::<Pieces>();
        pieces.step.set(pieces.step.get() + 1);
        match pieces.step.get() {
            1 => {
                *len = 1;
                c" ".as_ptr()
            }
            2 => {
                *len = pieces.source.end.offset_from(pieces.source.start) as usize;
                pieces.source.start.cast()
            }
            _ => {
                *len = 0;
                ptr::null()
            }
        }
    }
}

/// Called for an error outside of every protected call, which the lenient allocator rules out.
unsafe extern "C-unwind" fn unprotected(_: *mut lua_State) -> c_int {
    std::process::abort()
}
