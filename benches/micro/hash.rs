//! A Redisson lock's value: a hash with one owner.

use criterion::Criterion;
use holdfast::value::{EncodingLimits, Hash};
use std::hint::black_box;

pub(crate) fn benches(criterion: &mut Criterion) {
    let limits = EncodingLimits::default();
    let mut held = Hash::new();
    held.increment(crate::OWNER, 1, &limits).expect("a number");
    let mut group = criterion.benchmark_group("hash of one owner");
    group.bench_function("HEXISTS", |bencher| {
        bencher.iter(|| assert!(black_box(&held).contains(black_box(crate::OWNER))));
    });
    group.bench_function("HINCRBY 1 and -1", |bencher| {
        let mut held = held.clone();
        bencher.iter(|| {
            held.increment(black_box(crate::OWNER), 1, &limits).expect("a number");
            held.increment(black_box(crate::OWNER), -1, &limits).expect("a number");
        });
    });
    group.bench_function("create, HINCRBY, drop", |bencher| {
        bencher.iter(|| {
            let mut hash = Hash::new();
            hash.increment(black_box(crate::OWNER), 1, &limits).expect("a number");
            hash
        });
    });
    group.finish();
}
