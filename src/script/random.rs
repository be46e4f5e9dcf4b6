//! `math.random` and `math.randomseed` with Redis's own generator: the 48-bit linear congruence of `lrand48`.
//!
//! Redis 7.0 starts it once per process, not per script, so a script sees the sequence go on where the last one left
//! it.

use std::ffi::c_int;

use mlua::ffi::{self, lua_State};

use super::stack::raise_here;
use super::state::state;

/// Where the sequence starts before any `randomseed`.
pub(super) const START: u64 = 0x1234_ABCD_330E;
const LARGEST: u32 = i32::MAX as u32;

fn step(state: u64) -> u64 {
    state.wrapping_mul(0x5_DEEC_E66D).wrapping_add(0xB) & 0xFFFF_FFFF_FFFF
}

pub(super) unsafe extern "C-unwind" fn random(l: *mut lua_State) -> c_int {
    // SAFETY: a C function of a live VM; nothing is owned while a check may raise.
    unsafe {
        let cell = &state(l).random;
        cell.set(step(cell.get()));
        let share = f64::from((cell.get() >> 17) as u32 % LARGEST) / f64::from(LARGEST);
        let number = match ffi::lua_gettop(l) {
            0 => share,
            1 => {
                let upper = ffi::luaL_checkinteger(l, 1) as i32;
                ffi::luaL_argcheck(l, c_int::from(1 <= upper), 1, c"interval is empty".as_ptr());
                (share * f64::from(upper)).floor() + 1.0
            }
            2 => {
                let lower = ffi::luaL_checkinteger(l, 1) as i32;
                let upper = ffi::luaL_checkinteger(l, 2) as i32;
                ffi::luaL_argcheck(l, c_int::from(lower <= upper), 2, c"interval is empty".as_ptr());
                let width = upper.wrapping_sub(lower).wrapping_add(1);
                (share * f64::from(width)).floor() + f64::from(lower)
            }
            _ => raise_here(l, c"wrong number of arguments"),
        };
        ffi::lua_pushnumber(l, number);
    }
    1
}

pub(super) unsafe extern "C-unwind" fn random_seed(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        let seed = ffi::luaL_checkinteger(l, 1) as u32;
        state(l).random.set((u64::from(seed) << 16) | 0x330E);
    }
    0
}
