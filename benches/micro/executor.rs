//! Whole requests on a bare executor: parsed already, no sockets.

use criterion::Criterion;
use holdfast::config::Config;
use holdfast::executor::{Executor, Hooks};
use holdfast::journal::Memory;
use holdfast::script::Sha;
use holdfast::session::{Client, Registry, Session, Shown};
use holdfast::time::{Clock, Millis};
use std::hint::black_box;
use std::sync::Arc;

/// An executor and one client of it.
struct Desk {
    executor: Executor,
    client: Client,
}

impl Desk {
    fn new() -> Self {
        let clock = Arc::new(Clock::system(Millis(0)));
        let registry = Arc::new(Registry::new());
        let shown = Shown { user: "default".to_owned(), ..Shown::default() };
        let session = Session::new(1, 0, clock.now(), shown);
        registry.insert(session.id, Arc::clone(&session));
        let executor = Executor::new(Config::default(), clock, Box::new(Memory::new()), registry, Hooks::none())
            .expect("an empty journal recovers");
        Self { executor, client: Client::new(session, true) }
    }

    /// Runs one request; gives the first byte of its reply.
    fn ask(&mut self, argv: &[&[u8]]) -> u8 {
        self.executor.execute(&mut self.client, argv);
        let first = self.client.reply[0];
        self.executor.finish_turn(&mut self.client);
        let mut outbox = self.client.session.outbox.lock();
        let len = outbox.len();
        outbox.advance(len);
        first
    }
}

/// One of a hundred thousand locks, another each time.
fn lock_name(turn: &mut u32) -> [u8; 17] {
    *turn = (*turn + 7919) % 100_000;
    let mut name = *b"lock:order:000000";
    let mut rest = *turn;
    for digit in name[11..].iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    name
}

pub(crate) fn benches(criterion: &mut Criterion) {
    let sha = Sha::of(crate::ACQUIRE.as_bytes());
    let mut group = criterion.benchmark_group("executor");
    group.bench_function("PING", |bencher| {
        let mut desk = Desk::new();
        bencher.iter(|| assert_eq!(desk.ask(&[black_box(b"PING")]), b'+'));
    });
    group.bench_function("SET NX PX", |bencher| {
        let (mut desk, mut turn) = (Desk::new(), 0);
        bencher.iter(|| desk.ask(&[b"SET", &lock_name(&mut turn), b"token", b"NX", b"PX", b"30000"]));
    });
    group.bench_function("EVALSHA acquire, re-entrant", |bencher| {
        let (mut desk, mut turn) = (Desk::new(), 0);
        desk.ask(&[b"SCRIPT", b"LOAD", crate::ACQUIRE.as_bytes()]);
        bencher.iter(|| {
            assert_eq!(desk.ask(&[b"EVALSHA", &sha.0, b"1", &lock_name(&mut turn), b"30000", crate::OWNER]), b'$');
        });
    });
    group.bench_function("EVALSHA acquire, refused", |bencher| {
        let mut desk = Desk::new();
        desk.ask(&[b"SCRIPT", b"LOAD", crate::ACQUIRE.as_bytes()]);
        desk.ask(&[b"EVALSHA", &sha.0, b"1", b"lock", b"3000000", b"somebody"]);
        bencher.iter(|| {
            assert_eq!(desk.ask(&[b"EVALSHA", &sha.0, b"1", b"lock", b"30000", crate::OWNER]), b':');
        });
    });
    group.bench_function("EVALSHA acquire and DEL", |bencher| {
        let (mut desk, mut turn) = (Desk::new(), 0);
        desk.ask(&[b"SCRIPT", b"LOAD", crate::ACQUIRE.as_bytes()]);
        bencher.iter(|| {
            let name = lock_name(&mut turn);
            assert_eq!(desk.ask(&[b"EVALSHA", &sha.0, b"1", &name, b"30000", crate::OWNER]), b'$');
            assert_eq!(desk.ask(&[b"DEL", &name]), b':');
        });
    });
    group.bench_function("PUBLISH to nobody", |bencher| {
        let mut desk = Desk::new();
        bencher.iter(|| assert_eq!(desk.ask(&[b"PUBLISH", b"redisson_lock__channel:{order}", b"0"]), b':'));
    });
    group.finish();
}
