//! The timer wheel: now goes in, due handles come out. No clock, no I/O, no items of its own.
//!
//! Time is a number of 63 bits, read as eleven digits of six bits. A timer sits on the level of the highest digit in
//! which its deadline differs from the present, in the bucket of that digit. When the present reaches the first
//! millisecond of a bucket, the bucket *fires*: its timers are due, or move to lower levels. So a timer moves at most
//! ten times in its life, in practice two or three times, and every deadline that Redis can express has its place.
//!
//! An extension is lazy: [`Wheel::reschedule`] to a later time stores the deadline and leaves the timer where it is; it
//! moves when its old bucket fires. A lock that is renewed often thus costs one store a renewal. Removal and shortening
//! unlink at once, or every unlock would leave a dead timer behind.
//!
//! Invariant: a timer's list fires no later than its deadline, and no level holds a bucket that fires before all of
//! those on the levels below it.

mod level;
mod timer;

use level::{BUCKETS, LEVELS, Level, NIL, bucket_of, level_of, start_of};
use timer::{Before, DUE, HANDLES, ListId};

pub use timer::Timer;

/// The greatest deadline in milliseconds: the greatest that a Redis client can send.
pub const MAX_DEADLINE: u64 = i64::MAX as u64;

/// Timers that one call of [`Wheel::pop_due`] deals out to lower levels before it gives the caller a chance to do other
/// work: a long bucket may hold a million.
const MOVES_PER_CALL: usize = 1024;

/// Where the timers live: the caller's items, each under a handle that does not change while its timer is linked.
pub trait Timers {
    /// The timer of the item `handle`.
    fn timer(&self, handle: u32) -> &Timer;
    /// The timer of the item `handle`, to be changed.
    fn timer_mut(&mut self, handle: u32) -> &mut Timer;
}

/// A hierarchical timer wheel with ticks of 1 ms, whose links live in the caller's items. An empty one allocates
/// nothing.
#[derive(Debug)]
pub struct Wheel {
    now: u64,
    len: usize,
    due: u32,
    /// From the lowest up, as many as were ever needed.
    levels: Vec<Level>,
}

impl Wheel {
    /// An empty wheel that stands at `now_ms`.
    pub fn new(now_ms: u64) -> Wheel {
        Wheel { now: now_ms, len: 0, due: NIL, levels: Vec::new() }
    }

    /// Up to where the wheel has turned: the last `now_ms` of [`pop_due`](Wheel::pop_due) once that has returned None
    /// with nothing left to do, else the time of the work it stopped at.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// The number of linked timers.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no timer is linked.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Links `handle`, whose timer must not be linked, to fire at `deadline_ms`: at once if that is not after `now`.
    /// O(1).
    ///
    /// # Panics
    /// If the deadline is above [`MAX_DEADLINE`] or the handle among the last thousand of a u32.
    pub fn insert(&mut self, timers: &mut impl Timers, handle: u32, deadline_ms: u64) {
        assert!(deadline_ms <= MAX_DEADLINE, "deadline out of range");
        assert!(handle < HANDLES, "handle out of range");
        let timer = timers.timer_mut(handle);
        debug_assert!(!timer.is_linked(), "insert of a linked timer");
        timer.set_when(deadline_ms);
        self.link(timers, handle, deadline_ms);
        self.len += 1;
    }

    /// Unlinks `handle` and forgets its deadline; harmless if it has none. O(1), at once.
    pub fn remove(&mut self, timers: &mut impl Timers, handle: u32) {
        self.unlink(timers, handle);
        timers.timer_mut(handle).clear();
    }

    /// Gives `handle` another deadline; one that is not linked is inserted. O(1).
    ///
    /// # Panics
    /// As [`insert`](Wheel::insert).
    pub fn reschedule(&mut self, timers: &mut impl Timers, handle: u32, deadline_ms: u64) {
        assert!(deadline_ms <= MAX_DEADLINE, "deadline out of range");
        let timer = timers.timer_mut(handle);
        if timer.is_linked() && timer.when() <= deadline_ms {
            timer.set_when(deadline_ms);
            return;
        }
        self.unlink(timers, handle);
        self.insert(timers, handle, deadline_ms);
    }

    /// The next time at which [`pop_due`](Wheel::pop_due) has work to do, None when the wheel is empty.
    ///
    /// Never later than the earliest deadline. It is that deadline if the timer is less than 64 ms ahead and was not
    /// extended; it may also be a time when timers only move to lower levels. No more than
    /// [`now`](Wheel::now) means that `pop_due` was left with work undone.
    pub fn next_deadline(&self) -> Option<u64> {
        if self.due != NIL {
            return Some(self.now);
        }
        self.next_bucket().map(|(level, bucket)| start_of(level, bucket, self.now))
    }

    /// Turns the wheel towards `now_ms` and unlinks one timer whose deadline is not after it. Amortised O(1), however
    /// long the wheel stood still; a time before [`now`](Wheel::now) gives None.
    ///
    /// Handles come out in the order of their deadlines, however late the call, those with the same deadline in no
    /// particular order. Only a handle that was already due when it was inserted comes out ahead of the rest.
    ///
    /// None means that nothing is due, or that the call has moved a thousand timers and wants to be made again:
    /// [`next_deadline`](Wheel::next_deadline) is then not after `now_ms`. A caller that pops until None and then waits
    /// for `next_deadline` need not tell the two apart.
    pub fn pop_due(&mut self, timers: &mut impl Timers, now_ms: u64) -> Option<u32> {
        if now_ms < self.now {
            return None;
        }
        let mut moves = 0;
        loop {
            while self.due != NIL {
                let handle = self.due;
                let deadline_ms = timers.timer(handle).when();
                if deadline_ms > self.now && moves == MOVES_PER_CALL {
                    return None;
                }
                self.unlink(timers, handle);
                if deadline_ms <= self.now {
                    return Some(handle);
                }
                self.link(timers, handle, deadline_ms);
                self.len += 1;
                moves += 1;
            }
            if !self.fire_next_bucket(timers, now_ms) {
                self.now = now_ms;
                return None;
            }
        }
    }

    /// Moves the time to the next bucket that fires by `now_ms`, and its timers to the due list; false if there is
    /// none.
    fn fire_next_bucket(&mut self, timers: &mut impl Timers, now_ms: u64) -> bool {
        let Some((level, bucket)) = self.next_bucket() else { return false };
        let start = start_of(level, bucket, self.now);
        if start > now_ms {
            return false;
        }
        debug_assert!(self.due == NIL && start > self.now);
        self.now = start;
        self.due = self.levels[level].head(bucket);
        timers.timer_mut(self.due).set_before(Before::ListHead(DUE));
        self.levels[level].set_head(bucket, NIL);
        true
    }

    /// Level and index of the bucket that fires next, the due list aside.
    fn next_bucket(&self) -> Option<(usize, usize)> {
        let mut buckets = self.levels.iter().enumerate().filter_map(|(level, it)| Some((level, it.first()?)));
        let next = buckets.next();
        debug_assert!(
            next.is_none_or(|(level, bucket)| {
                let start = start_of(level, bucket, self.now);
                start > self.now && buckets.all(|(level, bucket)| start_of(level, bucket, self.now) > start)
            }),
            "a higher level fires before a lower one"
        );
        debug_assert_eq!(next.is_none() && self.due == NIL, self.len == 0, "wrong count of linked timers");
        next
    }

    /// Puts an unlinked timer at the head of the list for a deadline. Does not count it.
    fn link(&mut self, timers: &mut impl Timers, handle: u32, deadline_ms: u64) {
        let list = if deadline_ms <= self.now {
            DUE
        } else {
            let level = level_of(self.now, deadline_ms);
            debug_assert!(level < LEVELS);
            if level >= self.levels.len() {
                self.levels.resize_with(level + 1, Level::new);
            }
            (level * BUCKETS + bucket_of(level, deadline_ms)) as ListId
        };
        let next = self.head(list);
        if next != NIL {
            timers.timer_mut(next).set_before(Before::Timer(handle));
        }
        let timer = timers.timer_mut(handle);
        timer.set_next(next);
        timer.set_before(Before::ListHead(list));
        self.set_head(list, handle);
    }

    /// Takes a timer out of its list, if it is in one, and off the count. Its deadline stays readable.
    fn unlink(&mut self, timers: &mut impl Timers, handle: u32) {
        let timer = timers.timer_mut(handle);
        let (before, next) = (timer.before(), timer.next());
        timer.set_before(Before::Unlinked);
        match before {
            Before::Unlinked => return,
            Before::ListHead(list) => {
                debug_assert_eq!(self.head(list), handle, "a list whose first timer is not its head");
                self.set_head(list, next);
            }
            Before::Timer(prev) => timers.timer_mut(prev).set_next(next),
        }
        if next != NIL {
            timers.timer_mut(next).set_before(before);
        }
        debug_assert!(self.len > 0);
        self.len -= 1;
    }

    fn head(&self, list: ListId) -> u32 {
        let list = list as usize;
        if list == DUE as usize { self.due } else { self.levels[list / BUCKETS].head(list % BUCKETS) }
    }

    fn set_head(&mut self, list: ListId, head: u32) {
        let list = list as usize;
        if list == DUE as usize {
            self.due = head;
        } else {
            self.levels[list / BUCKETS].set_head(list % BUCKETS, head);
        }
    }
}

#[cfg(test)]
mod tests;
