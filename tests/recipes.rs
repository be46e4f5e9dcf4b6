//! The lock recipes in `lua/`, each as a client runs it: over a socket, by EVALSHA.

use crate::harness::Server;
use redis::{Connection, RedisResult, Script, ToRedisArgs, Value};
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// A recipe by the name of its file.
macro_rules! recipe {
    ($name:literal) => {
        include_str!(concat!("../lua/", $name, ".lua"))
    };
}

/// `{1, ..}`: held.
const HELD: i64 = 1;
/// `{0, ..}`: somebody else's.
const BUSY: i64 = 0;

/// Runs a recipe.
fn run<T: redis::FromRedisValue>(client: &mut Connection, source: &str, keys: &[&str], args: &[&str]) -> T {
    try_run(client, source, keys, args).expect("the recipe succeeds")
}

fn try_run<T: redis::FromRedisValue, A: ToRedisArgs>(
    client: &mut Connection,
    source: &str,
    keys: &[&str],
    args: &[A],
) -> RedisResult<T> {
    let script = Script::new(source);
    let mut invocation = script.prepare_invoke();
    for key in keys {
        invocation.key(*key);
    }
    for arg in args {
        invocation.arg(arg);
    }
    invocation.invoke(client)
}

fn ask<T: redis::FromRedisValue>(client: &mut Connection, words: &[&str]) -> T {
    let mut command = redis::cmd(words[0]);
    for word in &words[1..] {
        command.arg(*word);
    }
    command.query(client).expect("a reply")
}

fn pause_ms(ms: u64) {
    std::thread::sleep(Duration::from_millis(ms));
}

/// Lets the lease of a lock run out.
fn lapse(client: &mut Connection, lock: &str) {
    assert_eq!(ask::<i64>(client, &["PEXPIRE", lock, "20"]), 1);
    pause_ms(40);
}

/// Hears what is published on the channels while `act` runs: the first message's channel and text.
fn heard(server: &Server, channels: &[&str], act: impl FnOnce()) -> Option<(String, String)> {
    let mut client = server.client();
    let mut listener = client.as_pubsub();
    channels.iter().for_each(|channel| listener.subscribe(*channel).expect("subscribed"));
    act();
    listener.set_read_timeout(Some(Duration::from_millis(300))).expect("an option");
    let message = listener.get_message().ok()?;
    Some((message.get_channel_name().to_owned(), message.get_payload().expect("text")))
}

fn heard_on(channel: &str, message: &str) -> Option<(String, String)> {
    Some((channel.to_owned(), message.to_owned()))
}

#[test]
fn a_token_lock_is_given_up_by_its_token_alone() {
    let server = Server::start(&[]);
    let mut client = server.client();
    let release = recipe!("compare_and_delete");
    let token: &[u8] = b"\x00\xff\r\n\x80 token";
    let take = |client: &mut Connection, token: &[u8]| -> Value {
        redis::cmd("SET").arg("lock").arg(token).arg("NX").arg("PX").arg(30_000).query(client).expect("a reply")
    };
    assert_eq!(take(&mut client, token), Value::Okay);
    assert_eq!(take(&mut client, b"other"), Value::Nil);
    for wrong in [b"other".as_slice(), b"", b"\x00", b"\x00\xff\r\n\x80 Token"] {
        assert_eq!(try_run(&mut client, release, &["lock"], &[wrong]), Ok(0));
    }
    assert_eq!(try_run(&mut client, release, &["lock"], &[token]), Ok(1));
    assert_eq!(try_run(&mut client, release, &["lock"], &[token]), Ok(0), "it is free already");
    assert_eq!(take(&mut client, b"other"), Value::Okay);
}

#[test]
fn a_token_lock_is_extended_by_its_token_alone() {
    let server = Server::start(&[]);
    let mut client = server.client();
    let extend = recipe!("compare_and_extend");
    let _: () = ask(&mut client, &["SET", "lock", "mine", "NX", "PX", "1000"]);
    assert_eq!(run::<i64>(&mut client, extend, &["lock"], &["other", "60000"]), 0);
    assert!(ask::<i64>(&mut client, &["PTTL", "lock"]) <= 1000);
    assert_eq!(run::<i64>(&mut client, extend, &["lock"], &["mine", "60000"]), 1);
    assert!(ask::<i64>(&mut client, &["PTTL", "lock"]) > 50_000);
    assert_eq!(run::<i64>(&mut client, extend, &["lock"], &["mine", "20"]), 1);
    pause_ms(40);
    assert_eq!(run::<i64>(&mut client, extend, &["lock"], &["mine", "60000"]), 0, "never revived");
    assert_eq!(ask::<i64>(&mut client, &["EXISTS", "lock"]), 0);
}

#[test]
fn no_recipe_takes_a_lease_that_is_not_a_positive_whole_number() {
    let server = Server::start(&[]);
    let mut client = server.client();
    for lease in ["", "0", "-1", "1.5", "1e3", "0x10", " 5", "soon", "9999999999999999"] {
        let cases: [(&str, &[&str]); 6] = [
            (recipe!("compare_and_extend"), &["lock"]),
            (recipe!("reentrant_acquire"), &["lock"]),
            (recipe!("reentrant_extend"), &["lock"]),
            (recipe!("read_acquire"), &["lock"]),
            (recipe!("write_acquire"), &["lock"]),
            (recipe!("fenced_acquire"), &["lock", "counter"]),
        ];
        for (source, keys) in cases {
            let error = try_run::<Value, _>(&mut client, source, keys, &["me", lease]).expect_err(lease);
            assert!(error.to_string().contains("not a positive number of milliseconds"), "{error}");
        }
        for args in [["me", lease, "100"], ["me", "100", lease]] {
            let keys = ["lock", "queue", "deadlines"];
            let error = try_run::<Value, _>(&mut client, recipe!("fair_acquire"), &keys, &args).expect_err(lease);
            assert!(error.to_string().contains("not positive numbers of milliseconds"), "{error}");
        }
    }
    assert_eq!(ask::<i64>(&mut client, &["DBSIZE"]), 0);
}

#[test]
fn a_reentrant_lock_counts_holds_and_announces_the_last_release() {
    let server = Server::start(&[]);
    let mut client = server.client();
    let (acquire, release) = (recipe!("reentrant_acquire"), recipe!("reentrant_release"));
    assert_eq!(run::<(i64, i64)>(&mut client, acquire, &["lock"], &["a", "30000"]), (HELD, 1));
    assert_eq!(run::<(i64, i64)>(&mut client, acquire, &["lock"], &["a", "10"]), (HELD, 2));
    let (held, remaining_ms) = run::<(i64, i64)>(&mut client, acquire, &["lock"], &["b", "30000"]);
    assert_eq!(held, BUSY);
    assert!((29_000..=30_000).contains(&remaining_ms), "a shorter lease must not shorten: {remaining_ms}");

    let first = heard(&server, &["free"], || {
        assert_eq!(run::<i64>(&mut client, release, &["lock"], &["b", "free"]), -1);
        assert_eq!(run::<i64>(&mut client, release, &["lock"], &["a", "free"]), 1);
    });
    assert_eq!(first, None, "still held");
    let last = heard(&server, &["free"], || {
        assert_eq!(run::<i64>(&mut client, release, &["lock"], &["a", "free"]), 0);
    });
    assert_eq!(last, heard_on("free", "free"));
    assert_eq!(run::<i64>(&mut client, release, &["lock"], &["a", "free"]), -1);
    assert_eq!(run::<(i64, i64)>(&mut client, acquire, &["lock"], &["b", "30000"]), (HELD, 1));
}

#[test]
fn a_reentrant_lock_is_extended_by_its_owner_and_freed_by_its_lease() {
    let server = Server::start(&[]);
    let mut client = server.client();
    let (acquire, extend) = (recipe!("reentrant_acquire"), recipe!("reentrant_extend"));
    assert_eq!(run::<(i64, i64)>(&mut client, acquire, &["lock"], &["a", "60000"]), (HELD, 1));
    assert_eq!(run::<i64>(&mut client, extend, &["lock"], &["b", "90000"]), 0);
    assert_eq!(run::<i64>(&mut client, extend, &["lock"], &["a", "50"]), 1);
    pause_ms(80);
    assert_eq!(run::<i64>(&mut client, extend, &["lock"], &["a", "50"]), 0);
    assert_eq!(run::<(i64, i64)>(&mut client, acquire, &["lock"], &["b", "30000"]), (HELD, 1));
}

#[test]
fn readers_share_and_a_writer_is_alone() {
    let server = Server::start(&[]);
    let mut client = server.client();
    let (read, write) = (recipe!("read_acquire"), recipe!("write_acquire"));
    let (end_read, end_write) = (recipe!("read_release"), recipe!("write_release"));
    assert_eq!(run::<(i64, i64)>(&mut client, read, &["lock"], &["a", "30000"]), (HELD, 1));
    assert_eq!(run::<(i64, i64)>(&mut client, read, &["lock"], &["b", "20000"]), (HELD, 1));
    assert_eq!(run::<(i64, i64)>(&mut client, read, &["lock"], &["b", "20000"]), (HELD, 2));
    let (held, remaining_ms) = run::<(i64, i64)>(&mut client, write, &["lock"], &["w", "30000"]);
    assert!(held == BUSY && remaining_ms > 29_000, "{held} {remaining_ms}");
    assert_eq!(run::<(i64, i64)>(&mut client, write, &["lock"], &["a", "30000"]).0, BUSY, "no upgrade");

    let some = heard(&server, &["free"], || {
        assert_eq!(run::<i64>(&mut client, end_write, &["lock"], &["a", "free"]), -1);
        assert_eq!(run::<i64>(&mut client, end_read, &["lock"], &["w", "free"]), -1);
        assert_eq!(run::<i64>(&mut client, end_read, &["lock"], &["b", "free"]), 1);
        assert_eq!(run::<i64>(&mut client, end_read, &["lock"], &["a", "free"]), 0);
    });
    assert_eq!(some, None, "one still reads");
    let last = heard(&server, &["free"], || {
        assert_eq!(run::<i64>(&mut client, end_read, &["lock"], &["b", "free"]), 0);
    });
    assert_eq!(last, heard_on("free", "free"));

    assert_eq!(run::<(i64, i64)>(&mut client, write, &["lock"], &["w", "30000"]), (HELD, 1));
    assert_eq!(run::<(i64, i64)>(&mut client, write, &["lock"], &["w", "30000"]), (HELD, 2));
    assert_eq!(run::<(i64, i64)>(&mut client, read, &["lock"], &["a", "30000"]).0, BUSY);
    assert_eq!(run::<(i64, i64)>(&mut client, write, &["lock"], &["v", "30000"]).0, BUSY);
    assert_eq!(run::<i64>(&mut client, end_write, &["lock"], &["v", "free"]), -1);
    assert_eq!(run::<i64>(&mut client, end_write, &["lock"], &["w", "free"]), 1);
    let last = heard(&server, &["free"], || {
        assert_eq!(run::<i64>(&mut client, end_write, &["lock"], &["w", "free"]), 0);
    });
    assert_eq!(last, heard_on("free", "free"));
    assert_eq!(ask::<i64>(&mut client, &["EXISTS", "lock"]), 0);
}

#[test]
fn a_writer_may_go_on_reading_and_a_dead_writer_lets_readers_in() {
    let server = Server::start(&[]);
    let mut client = server.client();
    let (read, write) = (recipe!("read_acquire"), recipe!("write_acquire"));
    assert_eq!(run::<(i64, i64)>(&mut client, write, &["lock"], &["w", "30000"]), (HELD, 1));
    assert_eq!(run::<(i64, i64)>(&mut client, read, &["lock"], &["w", "30000"]), (HELD, 1));
    let downgrade = heard(&server, &["free"], || {
        assert_eq!(run::<i64>(&mut client, recipe!("write_release"), &["lock"], &["w", "free"]), 0);
    });
    assert_eq!(downgrade, heard_on("free", "read"));
    assert_eq!(run::<(i64, i64)>(&mut client, read, &["lock"], &["a", "30000"]), (HELD, 1));
    assert_eq!(run::<(i64, i64)>(&mut client, write, &["lock"], &["v", "30000"]).0, BUSY);

    assert_eq!(run::<(i64, i64)>(&mut client, write, &["other"], &["w", "30000"]), (HELD, 1));
    let (held, remaining_ms) = run::<(i64, i64)>(&mut client, read, &["other"], &["a", "30000"]);
    assert!(held == BUSY && (1..=30_000).contains(&remaining_ms), "{held} {remaining_ms}");
    lapse(&mut client, "other");
    assert_eq!(run::<(i64, i64)>(&mut client, read, &["other"], &["a", "30000"]), (HELD, 1));
}

const FAIR: [&str; 3] = ["lock", "queue", "deadlines"];

fn fair_acquire(client: &mut Connection, token: &str, lease_ms: &str, patience_ms: &str) -> (i64, i64) {
    run(client, recipe!("fair_acquire"), &FAIR, &[token, lease_ms, patience_ms])
}

fn fair_release(client: &mut Connection, token: &str) -> i64 {
    run(client, recipe!("fair_release"), &FAIR, &[token, "turn:"])
}

#[test]
fn three_waiters_get_a_fair_lock_in_the_order_of_asking() {
    let server = Server::start(&[]);
    let mut client = server.client();
    let channels = ["turn:a", "turn:b", "turn:c"];
    assert_eq!(fair_acquire(&mut client, "holder", "30000", "5000"), (HELD, 30_000));
    for token in ["a", "b", "c"] {
        assert_eq!(fair_acquire(&mut client, token, "30000", "5000"), (BUSY, 2500));
    }
    assert_eq!(fair_acquire(&mut client, "a", "30000", "5000"), (BUSY, 2500), "asking again keeps the place");
    assert_eq!(ask::<Vec<String>>(&mut client, &["LRANGE", "queue", "0", "-1"]), ["a", "b", "c"]);
    assert_eq!(fair_release(&mut client, "a"), 0, "not the holder");

    let mut holder = "holder";
    for (next, late) in [("a", "c"), ("b", "c"), ("c", "new")] {
        let told = heard(&server, &channels, || assert_eq!(fair_release(&mut client, holder), 1));
        assert_eq!(told, heard_on(&format!("turn:{next}"), "next"));
        assert_eq!(fair_acquire(&mut client, late, "30000", "5000").0, if late == next { HELD } else { BUSY });
        assert_eq!(fair_acquire(&mut client, next, "30000", "5000"), (HELD, 30_000));
        assert_eq!(fair_acquire(&mut client, next, "20000", "5000"), (HELD, 20_000), "the lease starts anew");
        holder = next;
    }
    assert_eq!(run::<i64>(&mut client, recipe!("compare_and_extend"), &["lock"], &["c", "90000"]), 1);
    assert!(ask::<i64>(&mut client, &["PTTL", "lock"]) > 80_000);
}

#[test]
fn a_dead_waiter_is_skipped_and_its_queue_goes_away() {
    let server = Server::start(&[]);
    let mut client = server.client();
    assert_eq!(fair_acquire(&mut client, "holder", "30000", "5000").0, HELD);
    assert_eq!(fair_acquire(&mut client, "dead", "30000", "50"), (BUSY, 25));
    assert_eq!(fair_acquire(&mut client, "alive", "30000", "5000").0, BUSY);
    pause_ms(80);
    let told = heard(&server, &["turn:dead", "turn:alive"], || assert_eq!(fair_release(&mut client, "holder"), 1));
    assert_eq!(told, heard_on("turn:alive", "next"));
    assert_eq!(fair_acquire(&mut client, "alive", "30000", "5000").0, HELD);

    // Without a release: the lease runs out, then the patience of the first waiter.
    assert_eq!(fair_acquire(&mut client, "dead", "30000", "500").0, BUSY);
    lapse(&mut client, "lock");
    let (held, retry_ms) = fair_acquire(&mut client, "next", "30000", "5000");
    assert!(held == BUSY && (1..=500).contains(&retry_ms), "the place of the first is kept: {held} {retry_ms}");
    pause_ms(retry_ms.unsigned_abs() + 20);
    assert_eq!(fair_acquire(&mut client, "next", "30000", "5000").0, HELD);

    assert_eq!(fair_acquire(&mut client, "gone", "30000", "50").0, BUSY);
    pause_ms(80);
    assert_eq!(ask::<i64>(&mut client, &["EXISTS", "queue", "deadlines"]), 0);
}

#[test]
fn a_waiter_that_gives_up_leaves_the_queue_and_tells_the_next() {
    let server = Server::start(&[]);
    let mut client = server.client();
    let cancel = recipe!("fair_cancel");
    assert_eq!(fair_acquire(&mut client, "holder", "30000", "5000").0, HELD);
    for token in ["a", "b", "c"] {
        assert_eq!(fair_acquire(&mut client, token, "30000", "5000").0, BUSY);
    }
    let quiet = heard(&server, &["turn:a", "turn:c"], || {
        assert_eq!(run::<i64>(&mut client, cancel, &FAIR, &["b", "turn:"]), 1);
        assert_eq!(run::<i64>(&mut client, cancel, &FAIR, &["b", "turn:"]), 0);
        assert_eq!(run::<i64>(&mut client, cancel, &FAIR, &["holder", "turn:"]), 0);
    });
    assert_eq!(quiet, None, "the lock is held");
    assert_eq!(fair_release(&mut client, "holder"), 1);
    let told = heard(&server, &["turn:a", "turn:c"], || {
        assert_eq!(run::<i64>(&mut client, cancel, &FAIR, &["a", "turn:"]), 1);
    });
    assert_eq!(told, heard_on("turn:c", "next"));
    assert_eq!(fair_acquire(&mut client, "c", "30000", "5000").0, HELD);
}

#[test]
fn a_holder_paused_past_its_lease_is_refused_by_its_fence() {
    let server = Server::start(&[]);
    let mut client = server.client();
    let (acquire, write) = (recipe!("fenced_acquire"), recipe!("fenced_write"));
    let keys = ["lock", "counter"];
    let (held, slow) = run::<(i64, i64)>(&mut client, acquire, &keys, &["slow", "30000"]);
    assert_eq!((held, slow), (HELD, 1));
    assert_eq!(run::<(i64, i64)>(&mut client, acquire, &keys, &["slow", "30000"]), (HELD, 1), "the same fence");
    let (held, remaining_ms) = run::<(i64, i64)>(&mut client, acquire, &keys, &["quick", "30000"]);
    assert!(held == BUSY && (1..=30_000).contains(&remaining_ms), "{held} {remaining_ms}");
    assert_eq!(run::<i64>(&mut client, write, &["resource"], &["1", "by slow"]), 1);

    lapse(&mut client, "lock");
    assert_eq!(run::<(i64, i64)>(&mut client, acquire, &keys, &["quick", "30000"]), (HELD, 2));
    assert_eq!(run::<i64>(&mut client, write, &["resource"], &["2", "by quick"]), 1);
    assert_eq!(run::<i64>(&mut client, write, &["resource"], &["1", "by slow, late"]), 0);
    assert_eq!(run::<i64>(&mut client, write, &["resource"], &["2", "by quick again"]), 1);
    assert_eq!(ask::<String>(&mut client, &["HGET", "resource", "value"]), "by quick again");
    for fence in ["", "0", "-1", "1.5", "x"] {
        assert!(try_run::<i64, _>(&mut client, write, &["resource"], &[fence, "v"]).is_err(), "{fence}");
    }
    assert_eq!(run::<i64>(&mut client, recipe!("compare_and_delete"), &["lock"], &["slow"]), 0);
    assert_eq!(run::<i64>(&mut client, recipe!("compare_and_delete"), &["lock"], &["quick"]), 1);
}

#[test]
fn a_fenced_lock_with_a_broken_counter_is_not_taken() {
    let server = Server::start(&[]);
    let mut client = server.client();
    let _: () = ask(&mut client, &["SET", "counter", "not a number"]);
    let reply = try_run::<Value, _>(&mut client, recipe!("fenced_acquire"), &["lock", "counter"], &["me", "1000"]);
    assert!(reply.is_err());
    assert_eq!(ask::<i64>(&mut client, &["EXISTS", "lock"]), 0);
}

/// Four threads add one to a plain counter, each in two requests (GET, SET) that only the lock keeps together.
fn four_threads_count(
    acquire: impl Fn(&mut Connection, &str) -> bool + Sync,
    release: impl Fn(&mut Connection, &str) + Sync,
    server: &Server,
) {
    let (threads, rounds) = (4, 200);
    let start = Barrier::new(threads);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (start, acquire, release) = (&start, &acquire, &release);
            scope.spawn(move || {
                let mut client = server.client();
                start.wait();
                for round in 0..rounds {
                    let token = format!("{thread}:{round}");
                    let deadline = Instant::now() + Duration::from_secs(60);
                    while !acquire(&mut client, &token) {
                        assert!(Instant::now() < deadline, "the lock never comes free");
                        std::thread::sleep(Duration::from_micros(200));
                    }
                    let count: Option<u64> = ask(&mut client, &["GET", "count"]);
                    let _: () = ask(&mut client, &["SET", "count", &(count.unwrap_or(0) + 1).to_string()]);
                    release(&mut client, &token);
                }
            });
        }
    });
    assert_eq!(ask::<usize>(&mut server.client(), &["GET", "count"]), threads * rounds);
}

#[test]
fn no_increment_is_lost_under_a_token_lock() {
    let server = Server::start(&[]);
    let acquire = |client: &mut Connection, token: &str| {
        ask::<Value>(client, &["SET", "lock", token, "NX", "PX", "30000"]) == Value::Okay
    };
    let release = |client: &mut Connection, token: &str| {
        assert_eq!(run::<i64>(client, recipe!("compare_and_delete"), &["lock"], &[token]), 1);
    };
    four_threads_count(acquire, release, &server);
}

#[test]
fn no_increment_is_lost_under_a_reentrant_lock() {
    let server = Server::start(&[]);
    let acquire = |client: &mut Connection, token: &str| {
        run::<(i64, i64)>(client, recipe!("reentrant_acquire"), &["lock"], &[token, "30000"]).0 == HELD
    };
    let release = |client: &mut Connection, token: &str| {
        assert_eq!(run::<i64>(client, recipe!("reentrant_release"), &["lock"], &[token, "free"]), 0);
    };
    four_threads_count(acquire, release, &server);
}

#[test]
fn no_increment_is_lost_under_a_write_lock() {
    let server = Server::start(&[]);
    let acquire = |client: &mut Connection, token: &str| {
        run::<(i64, i64)>(client, recipe!("write_acquire"), &["lock"], &[token, "30000"]).0 == HELD
    };
    let release = |client: &mut Connection, token: &str| {
        assert_eq!(run::<i64>(client, recipe!("write_release"), &["lock"], &[token, "free"]), 0);
    };
    four_threads_count(acquire, release, &server);
}

#[test]
fn no_increment_is_lost_under_a_fair_lock() {
    let server = Server::start(&[]);
    let acquire = |client: &mut Connection, token: &str| fair_acquire(client, token, "30000", "5000").0 == HELD;
    let release = |client: &mut Connection, token: &str| assert_eq!(fair_release(client, token), 1);
    four_threads_count(acquire, release, &server);
}
