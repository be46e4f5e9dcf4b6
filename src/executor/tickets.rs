//! Tests of what waits for the journal: the double commits when told to, so that each test sees what leaves before and
//! what behind it, and what becomes of it all when the journal loses its tail.

use crate::config::Config;
use crate::journal::Flaky;
use crate::session::Signals;
use crate::transcript::{Stage, split};

struct Bench {
    journal: Flaky,
    stage: Stage,
}

impl Bench {
    fn new() -> Self {
        let journal = Flaky::new();
        let stage = Stage::with_journal(Config::default(), Box::new(journal.clone()));
        Self { journal, stage }
    }

    fn play(&mut self, text: &str) {
        self.stage.play(text);
    }

    fn send(&mut self, who: &str, request: &str) {
        self.stage.send(who, split(request));
    }
}

#[test]
fn replies_wait_for_what_they_wrote() {
    let mut bench = Bench::new();
    bench.play("A: SET k 1\nA! nothing\nA: SET j 1\nA! nothing");
    bench.journal.commit(1);
    bench.play("A= +OK\nA! nothing");
    bench.journal.commit(1);
    bench.play("A= +OK\nA! nothing");
}

#[test]
fn readers_of_a_changed_key_wait_and_others_do_not() {
    let mut bench = Bench::new();
    bench.play("A: SET k 1");
    bench.play("B: GET k\nB! nothing\nC: GET other\nC= nil\nC: PING\nC= +PONG");
    bench.play("C: SET k 2 NX\nC! nothing\nD: TTL k\nD! nothing");
    bench.play("E: DBSIZE\nE! nothing\nF: WATCH other\nF= +OK");
    bench.play("G: RANDOMKEY\nG! nothing\nH: KEYS *\nH! nothing");
    bench.journal.commit_all();
    bench.play("A= +OK\nB= \"1\"\nC= nil\nD= :-1\nE= :1\nG= \"k\"\nH= [\"k\"]");
}

#[test]
fn a_deleted_key_is_not_missing_before_the_deletion_is_safe() {
    let mut bench = Bench::new();
    bench.play("A: SET k 1");
    bench.journal.commit_all();
    bench.play("A= +OK\nA: DEL k\nB: EXISTS k\nB! nothing\nC: SET k 2 NX\nC! nothing");
    bench.journal.commit(1);
    bench.play("A= :1\nB= :0\nC! nothing");
    bench.journal.commit(1);
    bench.play("C= +OK");
}

#[test]
fn a_reply_that_needs_no_entry_leaves_behind_those_that_do() {
    let mut bench = Bench::new();
    bench.play("A: SET k 1\nA: PING\nA! nothing");
    bench.journal.commit_all();
    bench.play("A= +OK\nA= +PONG");
}

#[test]
fn messages_events_and_monitor_lines_wait() {
    let mut bench = Bench::new();
    bench.play(
        r#"
        A: CONFIG SET notify-keyspace-events KEA
        A= +OK
        S: PSUBSCRIBE *
        S= ["psubscribe", "*", :1]
        M: MONITOR
        M= +OK
        A: EVAL "redis.call('set', KEYS[1], 'v'); return redis.call('publish', 'c', 'm')" 1 k
        A! nothing
        S! nothing
        M! nothing
        "#,
    );
    bench.journal.commit_all();
    bench.play(
        r#"
        A= :1
        S= ["pmessage", "*", "__keyspace@0__:k", "set"]
        S= ["pmessage", "*", "__keyevent@0__:set", "k"]
        S= ["pmessage", "*", "c", "m"]
        M~ +.*"EVAL".*
        M~ +.*"set".*
        M~ +.*"publish".*
        "#,
    );
}

#[test]
fn a_served_waiter_waits_for_the_entry_that_served_it() {
    let mut bench = Bench::new();
    bench.play("B: BLPOP l 0\nB! nothing\nA: RPUSH l x\nA! nothing\nB! nothing");
    bench.journal.commit(1);
    bench.play("B! nothing");
    bench.journal.commit(1);
    bench.play("A= :1\nB= [\"l\", \"x\"]");
}

#[test]
fn a_timed_out_waiter_waits_for_what_it_saw_at_first() {
    let mut bench = Bench::new();
    bench.play("A: RPUSH l x\nA: DEL l\nB: BLPOP l 1\nadvance 2000\nB! nothing");
    bench.journal.commit_all();
    bench.play("B= *nil");
}

#[test]
fn expiry_delays_its_own_key_and_no_other() {
    let mut bench = Bench::new();
    bench.play("A: SET k 1 PX 100\nA: SET m 1 PX 200");
    bench.journal.commit_all();
    bench.play("A= +OK\nA= +OK\nadvance 300");
    assert_eq!(bench.journal.len(), 4, "each expiry is an entry of its own");
    bench.play("B: GET other\nB= nil\nB: PING\nB= +PONG\nC: GET k\nC! nothing\nD: GET m\nD! nothing");
    bench.journal.commit(1);
    bench.play("C= nil\nD! nothing");
    bench.journal.commit(1);
    bench.play("D= nil");
}

#[test]
fn transactions_and_scripts_are_one_entry_and_failed_ones_none() {
    let mut bench = Bench::new();
    bench.play("A: MULTI\nA= +OK\nA: SET a 1\nA= +QUEUED\nA: SET b 1\nA= +QUEUED\nA: EXEC\nA! nothing");
    assert_eq!(bench.journal.len(), 1);
    bench.journal.commit_all();
    bench.play("A= [+OK, +OK]");
    bench.play("A: SET a 2 NX\nA= nil\nA: EVAL \"return redis.call('set', KEYS[1], 1, 'NX')\" 1 a\nA= nil");
    assert_eq!(bench.journal.len(), 1, "a failed attempt logs nothing");
    bench.play("B: WATCH a\nB= +OK\nA: SET a 3\nB: MULTI\nB= +OK\nB: PING\nB= +QUEUED\nB: EXEC\nB! nothing");
    bench.journal.commit_all();
    bench.play("A= +OK\nB= *nil");
}

#[test]
fn a_full_journal_refuses_writes_before_they_run() {
    let mut bench = Bench::new();
    bench.play("A: SET k 1\nB: BLPOP l 0\nC: MULTI\nC= +OK\nC: SET k 2\nC= +QUEUED\nC: GET k\nC= +QUEUED");
    bench.journal.commit_all();
    bench.play("A= +OK");
    bench.journal.set_full(true);
    bench.play(
        r#"
        A: SET k 2
        A= -MISCONF Errors writing to the log: No space left on device
        A: RPUSH l x
        A= -MISCONF Errors writing to the log: No space left on device
        A: GET k
        A= "1"
        A: EVAL "return redis.call('set', KEYS[1], 2)" 1 k
        A~ -MISCONF Errors writing to the log: No space left on device.*
        A: PUBLISH c m
        A= :0
        C: EXEC
        C= -EXECABORT Transaction discarded because of: MISCONF Errors writing to the log: No space left on device
        C: EXEC
        C= -ERR EXEC without MULTI
        A: GET k
        A= "1"
        B! nothing
        "#,
    );
    assert_eq!(bench.journal.len(), 1);
    bench.journal.set_full(false);
    bench.play("A: RPUSH l x");
    bench.journal.commit_all();
    bench.play("A= :1\nB= [\"l\", \"x\"]");
}

#[test]
fn a_loss_drops_what_was_held_kills_every_session_and_rebuilds() {
    let mut bench = Bench::new();
    bench.play("A: SET k 1\nA: SET t 1 PX 5000");
    bench.journal.commit_all();
    bench.play("A= +OK\nA= +OK\nA: SET k 2\nA: DEL t\nB: GET k\nB! nothing\nC: PING\nC= +PONG");
    bench.play("D: BLPOP l 0\nE: WATCH k\nE! nothing\nF: SUBSCRIBE c\nF= [\"subscribe\", \"c\", :1]");
    bench.journal.lose();
    assert!(bench.stage.executor.recover_if_lost().expect("a sound journal"));
    for session in bench.stage.executor.sessions().iter() {
        assert!(session.has(Signals::KILLED), "client {} lives on", session.id);
        assert!(session.outbox.lock().is_empty(), "client {} would still get something", session.id);
    }
    // Their connections may have more to run before they notice: nothing of it is answered.
    bench.send("A", "GET k");
    bench.send("A", "PING");
    bench.play("A! nothing\nB! nothing\nE! nothing");
    bench.play("N: PUBLISH c m\nN= :0\nN: GET k\nN= \"1\"\nN: PTTL t\nN= :5000");
    assert!(!bench.stage.executor.recover_if_lost().expect("nothing lost"), "a loss is handled once");
    // The killed waiter takes nothing.
    bench.play("N: RPUSH l x\nN: LLEN l");
    bench.journal.commit_all();
    bench.play("N= :1\nN= :1\nD! nothing");
    bench.play("advance 6000\nN: EXISTS t\nN! nothing");
    bench.journal.commit_all();
    bench.play("N= :0");
}

#[test]
fn a_stepped_wall_clock_moves_wall_deadlines_alone_and_replays() {
    let mut bench = Bench::new();
    bench.play("A: SET at 1 EXAT 1700000010\nA: SET ttl 1 PX 10000\nA: EXPIRETIME at\nA: TTL at");
    bench.journal.commit_all();
    bench.play("A= +OK\nA= +OK\nA= :1700000010\nA= :10");
    bench.stage.clock.step_wall_us(4_000_000);
    bench.stage.executor.tick();
    let armed = bench.stage.executor.take_soonest();
    assert!(armed.is_some_and(|at| at.since(crate::transcript::BEGINNING) <= 6_000), "the timer moves too");
    bench.journal.commit_all();
    bench.play("A: PTTL at\nA= :6000\nA: PTTL ttl\nA= :10000\nA: EXPIRETIME at\nA= :1700000010");
    bench.stage.assert_replays();
    bench.play("advance 6000\nA: EXISTS at ttl\nA! nothing");
    bench.journal.commit_all();
    bench.play("A= :1");
    bench.stage.clock.step_wall_us(i64::from(i32::MAX) * -1_000_000);
    bench.play("A: SET far 1 PXAT 9223372036854775807\nA: SET far2 1 PXAT 99999999999999\nadvance 1");
    bench.journal.commit_all();
    bench.play("A~ .*\nA= +OK\nA: TTL ttl\nA= :4");
    bench.stage.assert_replays();
}
