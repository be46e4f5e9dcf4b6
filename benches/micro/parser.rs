//! Requests out of bytes: a pipeline of 32 lock attempts, as one read brings it.

use criterion::{Criterion, Throughput};
use holdfast::resp::{Limits, Parsed, Parser};
use redis_protocol::resp2::decode::decode_bytes;
use std::hint::black_box;

const DEPTH: usize = 32;

pub(crate) fn benches(criterion: &mut Criterion) {
    let attempt = crate::wire(&[
        b"EVALSHA",
        b"a3f2c1d0e9b8a7968574635241302f1e0d9c8b7a",
        b"1",
        b"lock:order:123456",
        b"30000",
        crate::OWNER,
    ]);
    let pipeline = attempt.repeat(DEPTH);
    let mut group = criterion.benchmark_group("parser/32 EVALSHA");
    group.throughput(Throughput::Elements(DEPTH as u64));
    group.bench_function("holdfast", |bencher| {
        let limits = Limits::default();
        let mut parser = Parser::new();
        bencher.iter(|| {
            let mut at = 0;
            while let Ok(Parsed::Request { consumed }) = parser.parse(black_box(&pipeline[at..]), &limits) {
                black_box(parser.args());
                at += consumed;
            }
            assert_eq!(at, pipeline.len());
        });
    });
    group.bench_function("redis-protocol", |bencher| {
        let pipeline = redis_protocol::bytes::Bytes::from(pipeline.clone());
        bencher.iter(|| {
            let mut rest = pipeline.clone();
            while let Ok(Some((frame, consumed))) = decode_bytes(black_box(&rest)) {
                black_box(frame);
                rest = rest.slice(consumed..);
            }
            assert!(rest.is_empty());
        });
    });
    group.finish();
}
