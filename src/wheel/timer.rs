//! What the wheel keeps in each of the caller's items: two links and a deadline, 16 bytes. Knows no wheel.

use super::MAX_DEADLINE;
use super::level::{BUCKETS, LEVELS, NIL};
use super::ring::SPAN;

/// The id of a list of timers: `level * 64 + bucket`, from [`NEAR`] on a bucket of the ring, [`DEALT`] or [`DUE`].
pub(super) type ListId = u32;

/// The first list of the ring.
pub(super) const NEAR: ListId = (LEVELS * BUCKETS) as ListId;

/// The list of timers whose far bucket has fired and that are about to be dealt out, to the ring or to lower levels.
pub(super) const DEALT: ListId = NEAR + SPAN as ListId;

/// The list of timers whose time has come.
pub(super) const DUE: ListId = DEALT + 1;

/// No deadline. A value of `prev`, as are those below.
const IDLE: u32 = u32::MAX;

/// Popped: in no list any more, its deadline still readable.
const POPPED: u32 = u32::MAX - 1;

/// `FIRST + id` in `prev` marks the first timer of list `id`.
const FIRST: u32 = POPPED - 1 - DUE;

/// Handles below this can be told from the marks.
pub(super) const HANDLES: u32 = FIRST;

/// The top bit of `when`, the caller's.
const WALL: u64 = 1 << 63;

/// A deadline and its place in a [`Wheel`](super::Wheel): kept inside the item it belongs to, changed only by the
/// wheel.
///
/// Only the first timer of a list says which list it is in, in place of its backward link. That is all that unlinking
/// needs; it lets a whole bucket move in one step, and leaves 63 bits for the deadline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timer {
    prev: u32,
    next: u32,
    when: u64,
}

/// What comes before a timer.
pub(super) enum Before {
    /// Nothing: it is in no list.
    Unlinked,
    /// It is the first of this list.
    ListHead(ListId),
    /// Another timer.
    Timer(u32),
}

impl Timer {
    /// A timer without a deadline, its wall bit clear.
    pub const fn new() -> Timer {
        Timer { prev: IDLE, next: NIL, when: 0 }
    }

    /// The deadline in milliseconds, or None when none is set.
    ///
    /// A handle that [`pop_due`](super::Wheel::pop_due) gave out still shows the deadline that fired.
    pub fn deadline(&self) -> Option<u64> {
        (self.prev != IDLE).then_some(self.when & !WALL)
    }

    /// Whether the timer is in a wheel.
    pub fn is_linked(&self) -> bool {
        self.prev < POPPED
    }

    /// A bit for the caller: the wheel neither reads nor changes it.
    pub fn wall(&self) -> bool {
        self.when & WALL != 0
    }

    /// Sets the caller's bit.
    pub fn set_wall(&mut self, wall: bool) {
        self.when = self.when & !WALL | if wall { WALL } else { 0 };
    }

    pub(super) fn when(&self) -> u64 {
        self.when & !WALL
    }

    pub(super) fn set_when(&mut self, deadline_ms: u64) {
        debug_assert!(deadline_ms <= MAX_DEADLINE);
        self.when = self.when & WALL | deadline_ms;
    }

    pub(super) fn next(&self) -> u32 {
        self.next
    }

    pub(super) fn set_next(&mut self, next: u32) {
        self.next = next;
    }

    pub(super) fn before(&self) -> Before {
        match self.prev {
            IDLE | POPPED => Before::Unlinked,
            mark if mark >= FIRST => Before::ListHead(mark - FIRST),
            handle => Before::Timer(handle),
        }
    }

    pub(super) fn set_before(&mut self, before: Before) {
        self.prev = match before {
            Before::Unlinked => POPPED,
            Before::ListHead(list) => FIRST + list,
            Before::Timer(handle) => handle,
        };
    }

    /// Forgets the deadline of a timer that is in no list.
    pub(super) fn clear(&mut self) {
        debug_assert!(!self.is_linked());
        self.prev = IDLE;
        self.set_when(0);
    }
}

impl Default for Timer {
    fn default() -> Timer {
        Timer::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_is_16_bytes() {
        assert_eq!(size_of::<Timer>(), 16);
    }

    #[test]
    fn the_wall_bit_and_the_deadline_do_not_touch_each_other() {
        let mut timer = Timer::new();
        timer.set_wall(true);
        timer.set_when(MAX_DEADLINE);
        timer.set_before(Before::ListHead(DUE));
        assert!(timer.wall());
        timer.set_wall(false);
        assert_eq!((timer.deadline(), timer.wall()), (Some(MAX_DEADLINE), false));
    }

    #[test]
    fn list_heads_and_handles_are_told_apart() {
        let mut timer = Timer::new();
        timer.set_before(Before::ListHead(0));
        assert!(matches!(timer.before(), Before::ListHead(0)));
        timer.set_before(Before::ListHead(DUE));
        assert!(matches!(timer.before(), Before::ListHead(DUE)));
        timer.set_before(Before::Timer(HANDLES - 1));
        assert!(matches!(timer.before(), Before::Timer(handle) if handle == HANDLES - 1));
    }
}
