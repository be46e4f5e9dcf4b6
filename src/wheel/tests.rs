//! The wheel beside a naive twin, a sorted map, under random operations; and the promises its doc makes.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

impl Timers for Vec<Timer> {
    fn timer(&self, handle: u32) -> &Timer {
        &self[handle as usize]
    }

    fn timer_mut(&mut self, handle: u32) -> &mut Timer {
        &mut self[handle as usize]
    }
}

fn timers(count: usize) -> Vec<Timer> {
    vec![Timer::new(); count]
}

/// Walks every list: links agree both ways, lists fire no later than their timers, the count is right.
fn audit(wheel: &Wheel, timers: &Vec<Timer>) {
    let mut linked = 0;
    let mut walk = |list: ListId, start: u64| {
        let mut handle = wheel.head(list);
        let mut prev = None;
        while handle != NIL {
            match (timers.timer(handle).before(), prev) {
                (Before::ListHead(at), None) => assert_eq!(at, list),
                (Before::Timer(at), Some(prev)) => assert_eq!(at, prev),
                _ => panic!("broken backward link"),
            }
            assert!(list == DUE || start <= timers.timer(handle).when(), "a list fires after its timer's deadline");
            linked += 1;
            prev = Some(handle);
            handle = timers.timer(handle).next();
        }
    };
    walk(DUE, 0);
    walk(DEALT, wheel.turned);
    for ahead in 0..SPAN as u64 {
        let at = wheel.now + ahead;
        assert!((1..=wheel.turned - wheel.now).contains(&ahead) || wheel.ring.head(slot_of(at)) == NIL);
        walk(NEAR + slot_of(at) as ListId, at);
    }
    for (level, it) in wheel.levels.iter().enumerate() {
        for bucket in 0..BUCKETS {
            walk((level * BUCKETS + bucket) as ListId, start_of(level, bucket, wheel.turned));
            assert!(it.head(bucket) == NIL || it.first().is_some_and(|first| first <= bucket));
        }
    }
    assert_eq!(linked, wheel.len());
    assert_eq!(linked, timers.iter().filter(|timer| timer.is_linked()).count());
}

/// All that is due by `now_ms`, with the deadline of each.
fn pop_all(wheel: &mut Wheel, timers: &mut Vec<Timer>, now_ms: u64) -> Vec<(u64, u32)> {
    let mut popped = Vec::new();
    loop {
        while let Some(handle) = wheel.pop_due(timers, now_ms) {
            assert!(!timers.timer(handle).is_linked());
            popped.push((timers.timer(handle).deadline().expect("a popped timer shows its deadline"), handle));
        }
        if wheel.next_deadline().is_none_or(|next| next > now_ms) {
            return popped;
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    Insert(u32, u64),
    Remove(u32),
    Reschedule(u32, i64),
    Advance(u64, usize),
}

const HANDLES_IN_TEST: u32 = 40;

/// Distances from 0 ms to about 36,000 years, each power of two as likely as the next.
fn distance() -> impl Strategy<Value = u64> {
    (0..50_u32, any::<u64>()).prop_map(|(bits, noise)| noise & ((1 << bits) - 1))
}

fn step() -> impl Strategy<Value = Step> {
    let handle = 0..HANDLES_IN_TEST;
    prop_oneof![
        4 => (handle.clone(), distance()).prop_map(|(handle, ahead)| Step::Insert(handle, ahead)),
        2 => handle.clone().prop_map(Step::Remove),
        3 => (handle, distance(), any::<bool>()).prop_map(|(handle, by, later)| {
            Step::Reschedule(handle, if later { by as i64 } else { -(by as i64) })
        }),
        3 => (distance(), 0..60_usize).prop_map(|(by, budget)| Step::Advance(by, budget)),
    ]
}

struct Pair {
    wheel: Wheel,
    timers: Vec<Timer>,
    twin: BTreeMap<u32, u64>,
    now: u64,
}

impl Pair {
    fn take(&mut self, step: Step) {
        let Pair { wheel, timers, twin, now } = self;
        match step {
            Step::Insert(handle, ahead) => {
                if !timers.timer(handle).is_linked() {
                    let wake = wheel.wake_for(*now + ahead);
                    assert!(wake <= *now + ahead, "woken too late");
                    wheel.insert(timers, handle, *now + ahead);
                    let next = wheel.next_deadline().expect("one was inserted");
                    assert!(wheel.now() >= next || next <= wake, "wake_for is not among what next_deadline looks at");
                    twin.insert(handle, *now + ahead);
                }
            }
            Step::Remove(handle) => {
                wheel.remove(timers, handle);
                twin.remove(&handle);
                assert_eq!(timers.timer(handle).deadline(), None);
            }
            Step::Reschedule(handle, by) => {
                let old = twin.get(&handle).copied().unwrap_or(*now);
                let deadline_ms = old.saturating_add_signed(by).min(MAX_DEADLINE);
                wheel.reschedule(timers, handle, deadline_ms);
                twin.insert(handle, deadline_ms);
            }
            Step::Advance(by, budget) => {
                *now += by;
                self.pop_some(budget);
            }
        }
    }

    /// Pops up to `budget` handles, each of which must be the one with the earliest deadline.
    fn pop_some(&mut self, budget: usize) {
        let Pair { wheel, timers, twin, now } = self;
        for _ in 0..budget {
            let turned = wheel.now();
            let Some(handle) = wheel.pop_due(timers, *now) else {
                assert!(twin.values().all(|deadline_ms| deadline_ms > now), "a due timer was kept back");
                assert_eq!(wheel.now(), *now);
                return;
            };
            let deadline_ms = twin.remove(&handle).expect("popped a handle that was not linked");
            assert!(deadline_ms <= *now);
            let earliest = twin.values().min().copied().unwrap_or(u64::MAX);
            assert!(deadline_ms <= earliest.max(turned), "popped {deadline_ms} before {earliest}");
        }
    }

    fn agree(&self) {
        audit(&self.wheel, &self.timers);
        assert_eq!(self.wheel.len(), self.twin.len());
        for (&handle, &deadline_ms) in &self.twin {
            assert_eq!(self.timers.timer(handle).deadline(), Some(deadline_ms));
        }
        let earliest = self.twin.values().min().copied();
        let next = self.wheel.next_deadline();
        assert_eq!(next.is_some(), earliest.is_some());
        assert!(next <= earliest.map(|at| at.max(self.wheel.now())));
    }
}

proptest! {
    #[test]
    fn wheel_agrees_with_a_sorted_map(start in distance(), steps in prop::collection::vec(step(), 1..200)) {
        let mut pair = Pair {
            wheel: Wheel::new(start), timers: timers(HANDLES_IN_TEST as usize), twin: BTreeMap::new(), now: start,
        };
        for step in steps {
            pair.take(step);
            pair.agree();
        }
    }
}

#[test]
fn deadlines_of_every_size_fire_on_time_and_in_order() {
    let now_ms = 1_700_000_000_000;
    let mut deadlines: Vec<u64> = (0..63).map(|bit| (now_ms + (1 << bit)).min(MAX_DEADLINE)).collect();
    // The year 10000, and the greatest deadline of all.
    deadlines.extend([253_402_300_800_000, MAX_DEADLINE]);
    let (mut wheel, mut timers) = (Wheel::new(now_ms), timers(deadlines.len()));
    for (handle, &deadline_ms) in deadlines.iter().enumerate() {
        wheel.insert(&mut timers, handle as u32, deadline_ms);
    }
    deadlines.sort_unstable();
    for deadline_ms in BTreeSet::from_iter(deadlines) {
        assert_eq!(pop_all(&mut wheel, &mut timers, deadline_ms - 1), []);
        let popped = pop_all(&mut wheel, &mut timers, deadline_ms);
        assert!(!popped.is_empty() && popped.iter().all(|&(at, _)| at == deadline_ms));
    }
    assert!(wheel.is_empty());
}

#[test]
fn late_call_gives_earlier_deadlines_first() {
    let (mut wheel, mut timers) = (Wheel::new(5), timers(1000));
    for handle in 0..1000_u32 {
        wheel.insert(&mut timers, handle, 6 + u64::from(handle) * 7919 % 100_000);
    }
    let popped = pop_all(&mut wheel, &mut timers, 1_000_000);
    assert_eq!(popped.len(), 1000);
    assert!(popped.is_sorted_by_key(|&(deadline_ms, _)| deadline_ms));
}

#[test]
fn next_deadline_is_exact_within_64_ms_of_it() {
    let (mut wheel, mut timers) = (Wheel::new(1000), timers(1));
    wheel.insert(&mut timers, 0, 31_000);
    let mut wakes = 0;
    while let Some(next) = wheel.next_deadline().filter(|&next| next < 31_000) {
        assert_eq!(pop_all(&mut wheel, &mut timers, next), []);
        wakes += 1;
    }
    assert!(wakes <= 3, "{wakes} wakes for one timer");
    assert_eq!(wheel.next_deadline(), Some(31_000));
    assert_eq!(wheel.pop_due(&mut timers, 31_000), Some(0));
}

#[test]
fn deadline_not_after_now_is_due_at_once() {
    let (mut wheel, mut timers) = (Wheel::new(1000), timers(3));
    wheel.insert(&mut timers, 0, 1000);
    wheel.insert(&mut timers, 1, 3);
    wheel.insert(&mut timers, 2, 1001);
    assert_eq!(wheel.next_deadline(), Some(1000));
    assert_eq!(pop_all(&mut wheel, &mut timers, 1000).len(), 2);
    assert_eq!(wheel.next_deadline(), Some(1001));
}

#[test]
fn time_that_runs_backwards_pops_nothing() {
    let (mut wheel, mut timers) = (Wheel::new(1000), timers(1));
    wheel.insert(&mut timers, 0, 900);
    assert_eq!(wheel.pop_due(&mut timers, 800), None);
    assert_eq!((wheel.now(), wheel.len()), (1000, 1));
}

#[test]
fn the_wall_bit_survives_all_the_wheel_does() {
    let (mut wheel, mut timers) = (Wheel::new(0), timers(2));
    timers.timer_mut(0).set_wall(true);
    for deadline_ms in [100_000, 200_000, 50_000] {
        wheel.reschedule(&mut timers, 0, deadline_ms);
        wheel.reschedule(&mut timers, 1, deadline_ms);
    }
    assert_eq!(pop_all(&mut wheel, &mut timers, 60_000).len(), 2);
    wheel.remove(&mut timers, 0);
    assert!(timers.timer(0).wall() && !timers.timer(1).wall());
}

#[test]
fn million_extended_timers_leave_nothing_behind_when_removed() {
    const COUNT: u32 = 1_000_000;
    let (mut wheel, mut timers) = (Wheel::new(0), timers(COUNT as usize));
    for handle in 0..COUNT {
        wheel.insert(&mut timers, handle, 30_000 + u64::from(handle % 10_000));
    }
    for renewal in 1..=3 {
        for handle in 0..COUNT {
            wheel.reschedule(&mut timers, handle, 30_000 + renewal * 10_000 + u64::from(handle % 10_000));
        }
        assert_eq!(pop_all(&mut wheel, &mut timers, 10_000 * renewal), []);
    }
    assert_eq!(wheel.len(), COUNT as usize);
    for handle in 0..COUNT {
        wheel.remove(&mut timers, handle);
    }
    audit(&wheel, &timers);
    assert_eq!((wheel.len(), wheel.next_deadline()), (0, None));
}

#[test]
fn long_bucket_is_dealt_out_in_bounded_calls_and_loses_no_timer() {
    let (mut wheel, mut timers) = (Wheel::new(0), timers(10_000));
    for handle in 0..10_000 {
        wheel.insert(&mut timers, handle, 5000 + u64::from(handle % 1000));
    }
    assert_eq!(wheel.pop_due(&mut timers, 4999), None);
    assert_eq!(wheel.next_deadline(), Some(wheel.now()), "left with work undone");
    assert_eq!(pop_all(&mut wheel, &mut timers, 4999), []);
    assert_eq!(pop_all(&mut wheel, &mut timers, 6000).len(), 10_000);
}
