//! The timer wheel: now goes in, due handles come out. No clock, no I/O, no items of its own.
//!
//! Time is a number of 63 bits, read as eleven digits of six bits. A far timer sits on the level of the highest digit
//! in which its deadline differs from the time up to which the wheel has turned, in the bucket of that digit. When the
//! wheel reaches the first millisecond of a bucket, the bucket *fires*: its timers are dealt out to lower levels. So a
//! timer moves at most ten times in its life, in practice two or three times, and every deadline that Redis can express
//! has its place.
//!
//! A bucket may hold a million timers, and dealing them out takes longer than any of them may be late. So the wheel
//! turns two seconds ahead of the present, into a ring with one bucket for each of the next 4096 milliseconds, a
//! thousand timers at a time and only when nothing is due. What comes due is read from the ring alone.
//!
//! An extension is lazy: [`Wheel::reschedule`] to a later time stores the deadline and leaves the timer where it is; it
//! moves when its old bucket fires. A lock that is renewed often thus costs one store a renewal. Removal and shortening
//! unlink at once, or every unlock would leave a dead timer behind.
//!
//! Invariant: a timer's list fires no later than its deadline, no level holds a bucket that fires before all of those
//! on the levels below it, and the ring's times lie within its span after the present.

mod level;
mod ring;
mod timer;

use level::{BUCKETS, LEVELS, Level, NIL, bucket_of, level_of, start_of};
use ring::{Ring, SPAN, slot_of};
use timer::{Before, DEALT, DUE, HANDLES, ListId, NEAR};

pub use timer::Timer;

/// The greatest deadline in milliseconds: the greatest that a Redis client can send.
pub const MAX_DEADLINE: u64 = i64::MAX as u64;

/// Timers that one call of [`Wheel::pop_due`] deals out before it gives the caller a chance to do other work.
const MOVES_PER_CALL: usize = 1024;

/// How far ahead of the present the wheel turns. Dealing out a million timers takes a tenth of that, but they may be
/// dealt out while as many others come due.
const LEAD_MS: u64 = 2048;
const _: () = assert!(LEAD_MS < SPAN as u64);

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
    /// Up to where the far levels are turned: the ring holds every timer up to here, but for those still to be dealt.
    turned: u64,
    len: usize,
    due: u32,
    dealt: u32,
    ring: Ring,
    /// From the lowest up, as many as were ever needed.
    levels: Vec<Level>,
}

impl Wheel {
    /// An empty wheel that stands at `now_ms`.
    pub fn new(now_ms: u64) -> Wheel {
        Wheel { now: now_ms, turned: now_ms, len: 0, due: NIL, dealt: NIL, ring: Ring::new(), levels: Vec::new() }
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
    /// Never later than the earliest deadline. It is that deadline if the timer is less than two seconds ahead and was
    /// not extended; it may also be a time when timers only move. No more than [`now`](Wheel::now) means that `pop_due`
    /// was left with work undone.
    pub fn next_deadline(&self) -> Option<u64> {
        if self.due != NIL || self.dealt != NIL {
            return Some(self.now);
        }
        let far = self.next_bucket().map(|(level, bucket)| {
            let start = start_of(level, bucket, self.turned);
            start.saturating_sub(LEAD_MS).max(self.now)
        });
        [self.ring.first_after(self.now), far].into_iter().flatten().min()
    }

    /// When [`pop_due`](Wheel::pop_due) must be called for the sake of a timer with this deadline: at the deadline if
    /// that is near, else when its far bucket comes within the lead. Whoever waits for
    /// [`next_deadline`](Wheel::next_deadline) and inserts meanwhile waits for the earlier of the two.
    pub fn wake_for(&self, deadline_ms: u64) -> u64 {
        if deadline_ms <= self.turned {
            return deadline_ms;
        }
        let level = level_of(self.turned, deadline_ms);
        start_of(level, bucket_of(level, deadline_ms), self.turned).saturating_sub(LEAD_MS).max(self.now)
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
                self.relink(timers, handle, deadline_ms);
                moves += 1;
            }
            if self.fire_near(timers, now_ms) {
                continue;
            }
            if self.dealt == NIL && !self.fire_far(timers) {
                if self.now == now_ms {
                    return None;
                }
                self.skip_idle_time(now_ms);
            }
            while self.dealt != NIL {
                if moves == MOVES_PER_CALL {
                    return None;
                }
                let handle = self.dealt;
                let deadline_ms = timers.timer(handle).when();
                self.unlink(timers, handle);
                self.relink(timers, handle, deadline_ms);
                moves += 1;
            }
        }
    }

    /// Moves the present to the next near bucket by `now_ms`, and its timers to the due list; false if there is none,
    /// and the present has come as far as the ring is complete.
    fn fire_near(&mut self, timers: &mut impl Timers, now_ms: u64) -> bool {
        // What is still to be dealt may lie at the very time up to which the wheel is turned.
        let complete = if self.dealt == NIL { self.turned } else { self.turned - 1 };
        let reach = now_ms.min(complete);
        match self.ring.first_after(self.now).filter(|at| *at <= reach) {
            Some(at) => {
                debug_assert!(self.due == NIL && at > self.now);
                self.now = at;
                self.due = self.ring.head(slot_of(at));
                timers.timer_mut(self.due).set_before(Before::ListHead(DUE));
                self.ring.set_head(slot_of(at), NIL);
                true
            }
            None => {
                self.now = self.now.max(reach);
                false
            }
        }
    }

    /// Turns the far levels to the next bucket that fires within the lead, and gives its timers to be dealt; false if
    /// there is none, and the wheel is turned as far as it may.
    fn fire_far(&mut self, timers: &mut impl Timers) -> bool {
        let target = self.now + LEAD_MS;
        let next = self.next_bucket().map(|(level, bucket)| (level, bucket, start_of(level, bucket, self.turned)));
        let Some((level, bucket, start)) = next.filter(|(.., start)| *start <= target) else {
            self.turned = self.turned.max(target);
            return false;
        };
        debug_assert!(start > self.turned);
        self.turned = start;
        self.dealt = self.levels[level].head(bucket);
        timers.timer_mut(self.dealt).set_before(Before::ListHead(DEALT));
        self.levels[level].set_head(bucket, NIL);
        true
    }

    /// Nothing is due, dealt, or within the lead: jumps to where the next far bucket comes into it, or to `now_ms`.
    fn skip_idle_time(&mut self, now_ms: u64) {
        if self.ring.first_after(self.now).is_some() {
            return;
        }
        let next = self.next_bucket().map(|(level, bucket)| start_of(level, bucket, self.turned));
        let jump = next.map_or(now_ms, |start| now_ms.min(start.saturating_sub(1)));
        self.now = self.now.max(jump);
        self.turned = self.turned.max(self.now);
    }

    /// Level and index of the far bucket that fires next.
    fn next_bucket(&self) -> Option<(usize, usize)> {
        let mut buckets = self.levels.iter().enumerate().filter_map(|(level, it)| Some((level, it.first()?)));
        let next = buckets.next();
        debug_assert!(
            next.is_none_or(|(level, bucket)| {
                let start = start_of(level, bucket, self.turned);
                start > self.turned && buckets.all(|(level, bucket)| start_of(level, bucket, self.turned) > start)
            }),
            "a higher level fires before a lower one"
        );
        debug_assert_eq!(
            next.is_none() && self.due == NIL && self.dealt == NIL && self.ring.first_after(self.now).is_none(),
            self.len == 0,
            "wrong count of linked timers"
        );
        next
    }

    /// Puts an unlinked timer at the head of the list for a deadline. Does not count it.
    fn link(&mut self, timers: &mut impl Timers, handle: u32, deadline_ms: u64) {
        let list = if deadline_ms <= self.now {
            DUE
        } else if deadline_ms <= self.turned {
            debug_assert!(deadline_ms - self.now < SPAN as u64, "the ring is not that long");
            NEAR + slot_of(deadline_ms) as ListId
        } else {
            let level = level_of(self.turned, deadline_ms);
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

    /// Puts back a timer that [`Wheel::unlink`] has just taken out.
    fn relink(&mut self, timers: &mut impl Timers, handle: u32, deadline_ms: u64) {
        self.link(timers, handle, deadline_ms);
        self.len += 1;
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
        match list {
            DUE => self.due,
            DEALT => self.dealt,
            NEAR.. => self.ring.head((list - NEAR) as usize),
            _ => self.levels[list as usize / BUCKETS].head(list as usize % BUCKETS),
        }
    }

    fn set_head(&mut self, list: ListId, head: u32) {
        match list {
            DUE => self.due = head,
            DEALT => self.dealt = head,
            NEAR.. => self.ring.set_head((list - NEAR) as usize, head),
            _ => self.levels[list as usize / BUCKETS].set_head(list as usize % BUCKETS, head),
        }
    }
}

#[cfg(test)]
mod tests;
