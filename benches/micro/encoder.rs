//! Replies to bytes.

use criterion::{Criterion, Throughput};
use holdfast::reply::Sink;
use holdfast::resp::Encoder;
use std::hint::black_box;

pub(crate) fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("encoder");
    let mut out = Vec::with_capacity(4096);
    group.throughput(Throughput::Elements(4));
    group.bench_function("nil, int, bulk, status", |bencher| {
        bencher.iter(|| {
            out.clear();
            let mut encoder = Encoder::new(&mut out, black_box(false));
            encoder.nil();
            encoder.int(black_box(29_987));
            encoder.bulk(black_box(crate::OWNER));
            encoder.status("OK");
            black_box(&out);
        });
    });
    group.throughput(Throughput::Elements(1));
    for resp3 in [false, true] {
        group.bench_function(if resp3 { "message RESP3" } else { "message RESP2" }, |bencher| {
            bencher.iter(|| {
                out.clear();
                let mut encoder = Encoder::new(&mut out, black_box(resp3));
                encoder.push(3);
                encoder.bulk(b"message");
                encoder.bulk(black_box(b"redisson_lock__channel:{order}"));
                encoder.bulk(b"0");
                black_box(&out);
            });
        });
    }
    group.finish();
}
