//! The acquire script in a bare VM: what Lua costs, commands aside.

use criterion::Criterion;
use holdfast::reply::{Sink, Tree};
use holdfast::script::{Host, Interrupt, Limits, LogLevel, Vm};
use std::hint::black_box;

/// Answers as if the lock were free.
struct Stub;

impl Host for Stub {
    fn call(&mut self, argv: &[&[u8]], sink: &mut dyn Sink) {
        sink.int(i64::from(!argv[0].eq_ignore_ascii_case(b"exists")));
    }
    fn set_resp(&mut self, _version: u8) {}
    fn log(&mut self, _level: LogLevel, _message: &[u8]) {}
    fn acl_check(&mut self, _argv: &[&[u8]]) -> Option<bool> {
        Some(true)
    }
    fn set_repl(&mut self, _targets: u8) {}
    fn interrupt(&mut self) -> Interrupt {
        Interrupt::Continue
    }
}

pub(crate) fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("script");
    for (name, source) in [("acquire", crate::ACQUIRE), ("return 1", "return 1")] {
        group.bench_function(name, |bencher| {
            let mut vm = Vm::new(Limits::default());
            let script = vm.load(source.as_bytes(), true).expect("it compiles");
            let mut reply = Tree::new(false);
            bencher.iter(|| {
                let keys: [&[u8]; 1] = [black_box(b"lock:order:123456")];
                let ran = vm.run(&script, &keys, &[b"30000", crate::OWNER], &mut Stub, &mut reply);
                assert!(!ran.failed);
                black_box(reply.take());
            });
        });
    }
    group.finish();
}
