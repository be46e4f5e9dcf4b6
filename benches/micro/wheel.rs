//! The timer wheel with a hundred thousand timers in it, deadlines within 30 seconds: as many locks.

use criterion::{BatchSize, Criterion, Throughput};
use holdfast::wheel::{Timer, Timers, Wheel};
use std::hint::black_box;

const START_MS: u64 = 1_700_000_000_000;
const TIMERS: u32 = 100_000;
const LEASE_MS: u64 = 30_000;

struct Slots(Vec<Timer>);

impl Timers for Slots {
    fn timer(&self, handle: u32) -> &Timer {
        &self.0[handle as usize]
    }

    fn timer_mut(&mut self, handle: u32) -> &mut Timer {
        &mut self.0[handle as usize]
    }
}

/// A wheel whose last slot is free.
fn filled() -> (Wheel, Slots) {
    let mut wheel = Wheel::new(START_MS);
    let mut slots = Slots(vec![Timer::new(); TIMERS as usize + 1]);
    for handle in 0..TIMERS {
        wheel.insert(&mut slots, handle, START_MS + 1 + spread(handle));
    }
    (wheel, slots)
}

/// A number below the lease that jumps about.
fn spread(handle: u32) -> u64 {
    u64::from(handle.wrapping_mul(2_654_435_761)) % LEASE_MS
}

pub(crate) fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("wheel");
    group.bench_function("insert and remove", |bencher| {
        let (mut wheel, mut slots) = filled();
        let mut turn = 0;
        bencher.iter(|| {
            turn += 1;
            wheel.insert(&mut slots, TIMERS, START_MS + 1 + black_box(spread(turn)));
            wheel.remove(&mut slots, TIMERS);
        });
    });
    group.bench_function("reschedule later", |bencher| {
        let (mut wheel, mut slots) = filled();
        let mut turn = 0;
        bencher.iter(|| {
            turn += 1;
            wheel.reschedule(&mut slots, turn % TIMERS, START_MS + LEASE_MS + u64::from(turn));
        });
    });
    group.bench_function("reschedule sooner", |bencher| {
        let (mut wheel, mut slots) = filled();
        let mut turn = 0;
        bencher.iter(|| {
            turn += 1;
            wheel.reschedule(&mut slots, TIMERS, START_MS + 2 * LEASE_MS);
            wheel.reschedule(&mut slots, TIMERS, START_MS + 1 + black_box(spread(turn)));
            wheel.remove(&mut slots, TIMERS);
        });
    });
    group.throughput(Throughput::Elements(u64::from(TIMERS)));
    group.bench_function("pop all, a millisecond at a time", |bencher| {
        bencher.iter_batched_ref(
            filled,
            |(wheel, slots)| {
                for now_ms in START_MS..=START_MS + LEASE_MS {
                    while wheel.next_deadline().is_some_and(|next| next <= now_ms) {
                        while let Some(handle) = wheel.pop_due(slots, now_ms) {
                            black_box(handle);
                        }
                    }
                }
                assert!(wheel.is_empty());
            },
            BatchSize::LargeInput,
        );
    });
    group.finish();
}
