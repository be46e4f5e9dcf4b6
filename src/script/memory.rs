//! Lua's allocator: counts bytes and refuses past a limit, except while lenient.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;

use super::state::State;

/// What Lua holds, and how much it may.
#[derive(Debug)]
pub(super) struct Meter {
    pub(super) used_bytes: Cell<usize>,
    pub(super) limit_bytes: Cell<usize>,
    /// While set, no allocation fails: Rust frames with destructors may be below.
    pub(super) lenient: Cell<bool>,
    /// An allocation was refused since this was last cleared.
    pub(super) refused: Cell<bool>,
}

const ALIGN: usize = 16;

/// The `lua_Alloc` of every VM.
///
/// # Safety
/// `ud` is the [`State`] of the VM, and `block` was returned by this function with size `old`.
pub(super) unsafe extern "C" fn allocate(ud: *mut c_void, block: *mut c_void, old: usize, new: usize) -> *mut c_void {
    // SAFETY: by contract; State is only ever shared, its fields are cells.
    let meter = unsafe { &(*ud.cast::<State>()).meter };
    let old = if block.is_null() { 0 } else { old };
    let used = meter.used_bytes.get();
    if new > old && !meter.lenient.get() && used + (new - old) > meter.limit_bytes.get() {
        meter.refused.set(true);
        return ptr::null_mut();
    }
    let Ok(new_layout) = Layout::from_size_align(new, ALIGN) else { return ptr::null_mut() };
    // SAFETY: sizes are the ones the block was allocated with, as Lua promises; a zero size never reaches the
    // allocator.
    let fresh = unsafe {
        let old_layout = Layout::from_size_align_unchecked(old, ALIGN);
        match (old, new) {
            (0, 0) => return ptr::null_mut(),
            (_, 0) => {
                dealloc(block.cast(), old_layout);
                meter.used_bytes.set(used - old);
                return ptr::null_mut();
            }
            (0, _) => alloc(new_layout),
            _ => realloc(block.cast(), old_layout, new),
        }
    };
    if fresh.is_null() {
        // Lua counts on shrinking to succeed, and a lenient caller on everything.
        if meter.lenient.get() || new <= old {
            handle_alloc_error(new_layout);
        }
        return ptr::null_mut();
    }
    meter.used_bytes.set(used + new - old);
    fresh.cast()
}
