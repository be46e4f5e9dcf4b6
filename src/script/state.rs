//! What a VM keeps beside Lua's own state, reachable from any `lua_State` of it in two loads.

use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};

use mlua::ffi::{self, lua_CFunction, lua_State};

use super::memory::Meter;
use super::{Host, Interrupt};

/// The allocator's user data. Only shared references to it exist, so all that changes is in cells.
pub(super) struct State {
    pub(super) meter: Meter,
    pub(super) host: Cell<Option<NonNull<dyn Host>>>,
    /// RESP version of the running script.
    pub(super) resp: Cell<u8>,
    pub(super) killed: Cell<bool>,
    pub(super) panic: Cell<Option<Box<dyn Any + Send>>>,
    pub(super) random: Cell<u64>,
    pub(super) scratch: UnsafeCell<Scratch>,
    /// A script stopped or retuned the garbage collector.
    pub(super) collector_touched: Cell<bool>,
    /// Registry slots of the table from proxy to real table, and of that from proxy to the metatable shown.
    pub(super) reals_ref: Cell<i32>,
    pub(super) shown_ref: Cell<i32>,
    pub(super) originals: [Cell<Option<lua_CFunction>>; 8],
}

/// Buffers of `redis.call`, kept here because its frame may own nothing.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) argv: Vec<&'static [u8]>,
    pub(super) numbers: Vec<u8>,
}

impl State {
    pub(super) fn new(memory_bytes: usize) -> Self {
        Self {
            meter: Meter {
                used_bytes: Cell::new(0),
                limit_bytes: Cell::new(memory_bytes),
                lenient: Cell::new(true),
                refused: Cell::new(false),
            },
            host: Cell::new(None),
            resp: Cell::new(2),
            killed: Cell::new(false),
            panic: Cell::new(None),
            random: Cell::new(super::random::START),
            scratch: UnsafeCell::default(),
            collector_touched: Cell::new(false),
            reals_ref: Cell::new(ffi::LUA_NOREF),
            shown_ref: Cell::new(ffi::LUA_NOREF),
            originals: Default::default(),
        }
    }

    /// Runs `ask` with the host and an allocator that cannot fail; `None` when no script runs or the host panicked, in
    /// which case the script is killed and the panic resumed once it has ended.
    pub(super) fn with_host<T>(&self, ask: impl FnOnce(&mut dyn Host) -> T) -> Option<T> {
        let mut host = self.host.get()?;
        let before = self.meter.lenient.replace(true);
        // SAFETY: `Vm::run` set the pointer from a `&mut` that it holds until the run is over, and a host cannot reach
        // the VM while it is being asked, so this is the only reference in use.
        let told = catch_unwind(AssertUnwindSafe(|| ask(unsafe { host.as_mut() })));
        self.meter.lenient.set(before);
        match told {
            Ok(told) => Some(told),
            Err(payload) => {
                self.panic.set(Some(payload));
                self.killed.set(true);
                None
            }
        }
    }

    pub(super) fn interrupted(&self) -> bool {
        if !self.killed.get() && self.with_host(|host| host.interrupt()) == Some(Interrupt::Kill) {
            self.killed.set(true);
        }
        self.killed.get()
    }
}

/// The state behind a `lua_State`.
///
/// # Safety
/// `l` belongs to a live VM of this room.
#[inline]
pub(super) unsafe fn state<'a>(l: *mut lua_State) -> &'a State {
    let mut ud = ptr::null_mut();
    // SAFETY: every VM was created with a `State` as the allocator's user data, which outlives it.
    unsafe {
        ffi::lua_getallocf(l, &mut ud);
        &*ud.cast::<State>()
    }
}
