//! Transcripts of blocking commands: replies recorded from redis-server 7.0.15, waits driven by hand.

use crate::command::{hash, list};
use crate::config::Config;
use crate::journal::{Flaky, Memory};
use crate::session::Signals;
use crate::transcript::{Stage, check, replay, split};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

#[test]
fn refusals_and_timeouts_are_those_of_redis() {
    replay(
        r#"
        A: HSET h a 1
        A= :1
        A: BLPOP l h 0
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: BLPOP h 0
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: BLPOP nokey h x
        A= -ERR timeout is not a float or out of range
        A: BLPOP nokey h -1
        A= -ERR timeout is negative
        A: BRPOP nokey h 0
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: BLMOVE h l LEFT LEFT 0
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: BLMOVE h l UP LEFT x
        A= -ERR syntax error
        A: BLMOVE h l LEFT LEFT x
        A= -ERR timeout is not a float or out of range
        A: BRPOPLPUSH h l 0
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: BRPOPLPUSH h l x
        A= -ERR timeout is not a float or out of range
        A: BLMPOP 0 1 h LEFT
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: RPUSH l a
        A= :1
        A: BLMOVE l h LEFT LEFT 0
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: BRPOPLPUSH l h 0
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: BLMOVE nokey h LEFT LEFT 0.01
        advance 10
        A= *nil
        A: BLMPOP x 1 l LEFT
        A= -ERR timeout is not a float or out of range
        A: BLMPOP -1 1 l LEFT
        A= -ERR timeout is negative
        A: BLMPOP 0 0 l LEFT
        A= -ERR numkeys should be greater than 0
        A: BLMPOP 0 1 l UP
        A= -ERR syntax error
        A: BLMPOP 0 1 l LEFT COUNT 0
        A= -ERR count should be greater than 0
        A: BLMPOP x 0 l LEFT
        A= -ERR numkeys should be greater than 0
        A: BLMPOP 0 1 l LEFT COUNT 2
        A= ["l", ["a"]]
        A: BLPOP l inf
        A= -ERR timeout is negative
        A: BLPOP l nan
        A= -ERR timeout is not a float or out of range
        A: BLPOP l 1e300
        A= -ERR timeout is negative
        A: BLPOP l 0x
        A= -ERR timeout is not a float or out of range
        A: WAIT 0 0
        A= :0
        A: WAIT 0 10
        A= :0
        A: WAIT 1 10
        advance 10
        A= :0
        A: WAIT x 10
        A= -ERR value is not an integer or out of range
        A: WAIT 0 x
        A= -ERR timeout is not an integer or out of range
        A: WAIT 0 -1
        A= -ERR timeout is negative
        A: WAIT -1 0
        A= :0
        "#,
    );
}

#[test]
fn waiters_are_served_oldest_first_and_gone_ones_lose_nothing() {
    replay(
        r#"
        B: BLPOP q 5
        C: BLPOP q q 5
        A: RPUSH q one two
        A= :2
        B= ["q", "one"]
        C= ["q", "two"]
        D: BLPOP gone 0
        D.close
        A: RPUSH gone a
        A= :1
        A: LRANGE gone 0 -1
        A= ["a"]
        E: BLPOP h 0
        E: BLPOP h 0
        E: PING
        A: RPUSH h a
        A= :1
        E= ["h", "a"]
        E! nothing
        A: RPUSH h b
        A= :1
        E= ["h", "b"]
        E= +PONG
        F: PING
        F: BLPOP pp 1
        F: PING
        F= +PONG
        F! nothing
        advance 999
        F! nothing
        advance 1
        F= *nil
        F= +PONG
        F: HELLO 3
        F~ {.*
        F: BLPOP pp 0.001
        advance 1
        F= nil
        "#,
    );
}

#[test]
fn a_push_undone_in_the_same_transaction_wakes_nobody() {
    replay(
        r#"
        B: BLPOP signal 1
        A: MULTI
        A= +OK
        A: LPUSH signal 1
        A= +QUEUED
        A: LPOP signal
        A= +QUEUED
        A: EXEC
        A= [:1, "1"]
        B! nothing
        A: MULTI
        A= +OK
        A: LPUSH signal 1
        A= +QUEUED
        A: LPOP signal
        A= +QUEUED
        A: HSET signal f v
        A= +QUEUED
        A: EXEC
        A= [:1, "1", :1]
        B! nothing
        A: HDEL signal f
        A= :1
        A: RPUSH signal again
        A= :1
        B= ["signal", "again"]
        "#,
    );
}

#[test]
fn the_key_pushed_first_serves_not_the_first_named() {
    replay(
        r#"
        B: BLPOP mm1 mm2 2
        A: MULTI
        A= +OK
        A: RPUSH mm2 a
        A= +QUEUED
        A: RPUSH mm1 b
        A= +QUEUED
        A: EXEC
        A= [:1, :1]
        B= ["mm2", "a"]
        A: LRANGE mm1 0 -1
        A= ["b"]
        "#,
    );
}

#[test]
fn one_service_wakes_the_next() {
    replay(
        r#"
        A: BLPOP dest 3
        B: BRPOPLPUSH src dest 3
        C: LPUSH src v
        C= :1
        B= "v"
        A= ["dest", "v"]
        # in a circle: each is served once
        B: BLPOP a 3
        C: BRPOPLPUSH b a 3
        D: BRPOPLPUSH a b 3
        A: LPUSH b x
        A= :1
        B= ["a", "x"]
        C= "x"
        D! nothing
        A: RPUSH a y
        A= :1
        D= "y"
        A: LRANGE b 0 -1
        A= ["y"]
        B: BLMOVE k k LEFT RIGHT 3
        A: RPUSH k 1 2 3
        A= :3
        B= "1"
        A: LRANGE k 0 -1
        A= ["2", "3", "1"]
        B: BLMPOP 3 2 none many RIGHT COUNT 2
        A: RPUSH many 1 2 3
        A= :3
        B= ["many", ["3", "2"]]
        A: LRANGE many 0 -1
        A= ["1"]
        "#,
    );
}

#[test]
fn a_destination_of_another_type_ends_the_wait_and_loses_nothing() {
    let mut stage = Stage::new();
    stage.play(
        r#"
        B: BLMOVE src h LEFT LEFT 3
        C: BLPOP src 3
        A: HSET h a 1
        A= :1
        A: RPUSH src 1
        A= :1
        B= -WRONGTYPE Operation against a key holding the wrong kind of value
        C= ["src", "1"]
        A: LLEN src
        A= :0
        "#,
    );
    assert_eq!(stage.executor.local.stats.errors["WRONGTYPE"], 1);
    let row = stage.executor.local.commands.find(b"blmove").expect("declared");
    let calls = stage.executor.local.stats.calls[row.id];
    assert_eq!((calls.calls, calls.failed), (1, 1));
}

#[test]
fn nothing_waits_inside_a_transaction() {
    check(
        r#"
        A: MULTI
        A= +OK
        A: BLMOVE x y LEFT LEFT 0
        A= +QUEUED
        A: BRPOPLPUSH x y 0
        A= +QUEUED
        A: BLMPOP 0 1 x LEFT
        A= +QUEUED
        A: BRPOP x 0
        A= +QUEUED
        A: WAIT 1 0
        A= +QUEUED
        A: WAITAOF 0 1 0
        A= +QUEUED
        A: EXEC
        A= [nil, nil, *nil, *nil, :0, [:0, :0]]
        "#,
    );
}

#[test]
fn waiting_for_files_of_replicas_answers_when_the_time_is_up() {
    check(
        r#"
        A: WAITAOF 1 0 0
        A= -ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.
        A: WAITAOF 2 0 0
        A= -ERR value is out of range, value must between 0 and 1
        A: WAITAOF 0 -1 0
        A= -ERR value is out of range, must be positive
        A: WAITAOF 0 0 0
        A= [:0, :0]
        A: WAITAOF 0 1 20
        advance 19
        A! nothing
        advance 1
        A= [:0, :0]
        "#,
    );
}

#[test]
fn waits_are_ended_by_hand_as_timeouts_or_errors() {
    let mut stage = Stage::new();
    stage.play("A: BLMOVE x y LEFT LEFT 0");
    assert!(stage.executor.unblock(1, false));
    stage.play("A= *nil");
    stage.play("A: WAIT 1 0");
    assert!(stage.executor.unblock(1, false));
    stage.play("A= :0");
    stage.play("A: CONFIG RESETSTAT\nA= +OK\nA: BLPOP x 0");
    assert!(stage.executor.unblock(1, true));
    stage.play("A= -UNBLOCKED client unblocked via CLIENT UNBLOCK");
    assert!(!stage.executor.unblock(1, false));
    assert_eq!(stage.executor.local.stats.errors["UNBLOCKED"], 1);
    stage.play("A: INFO commandstats\nA~ .*cmdstat_blpop:calls=1,.*failed_calls=1\\r\\n.*");
}

#[test]
fn served_pops_are_published_like_plain_ones() {
    let mut config = Config::default();
    config.set(&[(b"notify-keyspace-events", b"EA")], false).expect("a known setting");
    let mut stage = Stage::with_journal(config, Box::new(Memory::keeping()));
    stage.play(
        r#"
        E: PSUBSCRIBE *
        E= ["psubscribe", "*", :1]
        B: BLMOVE a b LEFT RIGHT 1
        A: RPUSH a 1
        A= :1
        B= "1"
        E= ["pmessage", "*", "__keyevent@0__:rpush", "a"]
        E= ["pmessage", "*", "__keyevent@0__:rpush", "b"]
        E= ["pmessage", "*", "__keyevent@0__:lpop", "a"]
        E= ["pmessage", "*", "__keyevent@0__:del", "a"]
        B: BRPOP b 0
        B= ["b", "1"]
        E= ["pmessage", "*", "__keyevent@0__:rpop", "b"]
        E= ["pmessage", "*", "__keyevent@0__:del", "b"]
        B: BRPOP b 0
        A: LPUSH b 1 2
        A= :2
        B= ["b", "1"]
        E= ["pmessage", "*", "__keyevent@0__:lpush", "b"]
        E= ["pmessage", "*", "__keyevent@0__:rpop", "b"]
        E! nothing
        A: LTRIM b 0 -1
        A= +OK
        E= ["pmessage", "*", "__keyevent@0__:ltrim", "b"]
        A: LSET b 0 x
        A= +OK
        E= ["pmessage", "*", "__keyevent@0__:lset", "b"]
        A: LINSERT b BEFORE x y
        A= :2
        E= ["pmessage", "*", "__keyevent@0__:linsert", "b"]
        A: LREM b 0 y
        A= :1
        E= ["pmessage", "*", "__keyevent@0__:lrem", "b"]
        A: LMPOP 1 b LEFT COUNT 5
        A= ["b", ["x"]]
        E= ["pmessage", "*", "__keyevent@0__:lpop", "b"]
        E= ["pmessage", "*", "__keyevent@0__:del", "b"]
        E! nothing
        "#,
    );
    stage.assert_replays();
}

#[test]
fn a_served_pop_fails_a_watch() {
    check(
        r#"
        B: BLPOP k 5
        W: WATCH k
        W= +OK
        A: MULTI
        A= +OK
        A: RPUSH k 1
        A= +QUEUED
        A: EXEC
        A= [:1]
        B= ["k", "1"]
        W: MULTI
        W= +OK
        W: LLEN k
        W= +QUEUED
        W: EXEC
        W= *nil
        "#,
    );
}

#[test]
fn a_thousand_waiters_are_served_in_order() {
    let mut stage = Stage::new();
    for waiter in 0..1000 {
        stage.send(&format!("w{waiter}"), split("BLPOP q 0"));
    }
    for pushed in 0..500 {
        stage.send("A", split(&format!("RPUSH q {pushed}")));
    }
    let rest: Vec<String> = (500..1000).map(|pushed| pushed.to_string()).collect();
    stage.send("A", split(&format!("RPUSH q {}", rest.join(" "))));
    for waiter in 0..1000 {
        assert_eq!(stage.next_reply(&format!("w{waiter}")), Some(format!("[\"q\", \"{waiter}\"]")));
    }
    assert!(stage.executor.local.waiters.is_empty());
}

#[test]
fn a_client_about_to_be_closed_takes_nothing() {
    let mut stage = Stage::new();
    stage.play("A: BLPOP q 0");
    stage.play("B: BLPOP q 0");
    stage.executor.sessions().get(&1).expect("connected").raise(Signals::KILLED);
    stage.play(
        r#"
        C: RPUSH q x
        C= :1
        B= ["q", "x"]
        "#,
    );
}

#[test]
fn a_served_reply_waits_for_the_entry_that_served_it() {
    let journal = Flaky::new();
    let mut stage = Stage::with_journal(Config::default(), Box::new(journal.clone()));
    stage.play("B: BLPOP q 0");
    stage.play("A: RPUSH q x");
    assert_eq!(journal.len(), 2);
    stage.play("B! nothing");
    journal.commit(1);
    stage.play("B! nothing");
    journal.commit(1);
    stage.play("B= [\"q\", \"x\"]");
    stage.play("A= :1");
}

#[test]
fn a_watch_is_broken_by_a_timer_even_if_nobody_asked_anything_since() {
    let mut stage = Stage::new();
    stage.play("A: RPUSH k 1\nA= :1");
    let deadline = crate::time::Deadline::after(stage.clock.now(), 10).expect("no overflow");
    let now = stage.clock.now();
    stage.executor.state.doors(&mut stage.executor.trace, 0, now).set_deadline(b"k", deadline);
    stage.play(
        r#"
        A: WATCH k
        A= +OK
        advance 20
        A: MULTI
        A= +OK
        A: LLEN k
        A= +QUEUED
        A: EXEC
        A= *nil
        "#,
    );
}

/// A template with its places filled in at random from few names, so that requests meet.
fn fill(template: &str, random: &mut SmallRng) -> Vec<Vec<u8>> {
    let mut pick = |words: &[&str]| words[random.random_range(0..words.len())].as_bytes().to_vec();
    let fill_one = |word: &str| match word {
        "{key}" => pick(&["a", "b", "c", "d"]),
        "{field}" | "{value}" => pick(&["x", "y", "1", "-7", "2.5", "a longer value that is not kept inline"]),
        "{int}" => pick(&["-3", "-1", "0", "1", "2", "9223372036854775807"]),
        "{float}" => pick(&["-0.1", "1e3", "2.25", "inf"]),
        "{count}" => pick(&["1", "2", "5"]),
        word => word.as_bytes().to_vec(),
    };
    template.split(' ').map(fill_one).collect()
}

#[test]
fn what_random_requests_log_rebuilds_what_they_did() {
    let mut random = SmallRng::seed_from_u64(7);
    for _ in 0..50 {
        let mut stage = Stage::with_journal(Config::default(), Box::new(Memory::keeping()));
        for _ in 0..300 {
            let family = [hash::TEMPLATES, list::TEMPLATES][random.random_range(0..2)];
            let request = fill(family[random.random_range(0..family.len())], &mut random);
            let client = ["A", "B", "C"][random.random_range(0..3)];
            stage.send(client, request);
            if random.random_range(0..10) == 0 {
                stage.send("D", split("LTRIM a 1 0"));
                stage.send("D", split("HDEL b x y 1 -7 2.5"));
                stage.advance(2);
            }
        }
        stage.assert_replays();
    }
}

#[test]
fn a_key_that_expired_while_the_command_ran_or_moved_in_dead_serves_nobody() {
    crate::transcript::check_with(
        &["--enable-debug-command", "yes"],
        r#"
        B: BRPOP k 1
        B! nothing
        A: MULTI
        A= +OK
        A: RPUSH k hello
        A= +QUEUED
        A: PEXPIRE k 100
        A= +QUEUED
        A: DEBUG SLEEP 0.2
        A= +QUEUED
        A: EXEC
        A= [:1, :1, +OK]
        B! nothing
        A: DBSIZE
        A= :0
        advance 1000
        B= *nil
        A: DEBUG SET-ACTIVE-EXPIRE 0
        A= +OK
        A: SELECT 1
        A= +OK
        A: RPUSH k hello
        A= :1
        A: PEXPIRE k 100
        A= :1
        B: BRPOP k 1
        B! nothing
        advance 101
        A: SWAPDB 1 0
        A= +OK
        B! nothing
        A: DBSIZE
        A= :0
        advance 1000
        B= *nil
        "#,
    );
}
