//! The hash table of a database, through the doors that commands use: a hundred thousand keys.

use criterion::{BatchSize, Criterion, Throughput};
use holdfast::keyspace::{Keep, State, Trace};
use holdfast::time::Millis;
use holdfast::value::{StringValue, Value};
use std::hint::black_box;

const KEYS: usize = 100_000;
const NOW: Millis = Millis(1_700_000_000_000);

fn keys() -> Vec<Vec<u8>> {
    (0..KEYS).map(|number| format!("lock:order:{number:06}").into_bytes()).collect()
}

fn insert_all(keys: &[Vec<u8>]) -> (State, Trace) {
    let (mut state, mut trace) = (State::new(1, NOW), Trace::new(false));
    let mut doors = state.doors(&mut trace, 0, NOW);
    for key in keys {
        doors.put(key, Value::String(StringValue::new(b"1")), Keep::Nothing);
    }
    (state, trace)
}

pub(crate) fn benches(criterion: &mut Criterion) {
    let keys = keys();
    let mut group = criterion.benchmark_group("keyspace");
    group.bench_function("find", |bencher| {
        let (mut state, mut trace) = insert_all(&keys);
        let mut turn = 0;
        bencher.iter(|| {
            turn += 7919;
            assert!(state.doors(&mut trace, 0, NOW).write(black_box(&keys[turn % KEYS])).is_some());
        });
    });
    group.bench_function("find nothing", |bencher| {
        let (mut state, mut trace) = insert_all(&keys);
        bencher.iter(|| assert!(state.doors(&mut trace, 0, NOW).write(black_box(b"lock:order:none")).is_none()));
    });
    group.bench_function("insert and delete", |bencher| {
        let (mut state, mut trace) = insert_all(&keys);
        bencher.iter(|| {
            let mut doors = state.doors(&mut trace, 0, NOW);
            doors.put(black_box(b"lock:order:new"), Value::String(StringValue::new(b"1")), Keep::Nothing);
            assert!(doors.delete(b"lock:order:new"));
        });
    });
    group.throughput(Throughput::Elements(KEYS as u64));
    group.bench_function("insert from empty", |bencher| {
        bencher.iter_batched(|| (), |()| insert_all(&keys), BatchSize::LargeInput);
    });
    group.finish();
}
