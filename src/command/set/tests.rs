//! Transcripts of set commands, recorded from Redis 7.0.15.

use crate::config::Config;
use crate::journal::Memory;
use crate::transcript::{Stage, check, replay};
use std::collections::BTreeSet;

#[test]
fn members_come_and_go_and_wrong_types_are_refused() {
    check(
        r#"
        A: SADD s a b a
        A= :2
        A: SADD s a
        A= :0
        A: SADD s 1
        A= :1
        A: SCARD s
        A= :3
        A: SISMEMBER s a
        A= :1
        A: SISMEMBER s z
        A= :0
        A: SISMEMBER nokey z
        A= :0
        A: SMISMEMBER s a z 1
        A= [:1, :0, :1]
        A: SMISMEMBER nokey a
        A= [:0]
        A: SREM s z
        A= :0
        A: SREM s a z
        A= :1
        A: SREM s b 1 a
        A= :2
        A: SCARD s
        A= :0
        A: SADD ints 3 1 2
        A= :3
        A: SMEMBERS ints
        A= ["1", "2", "3"]
        A: SMEMBERS nokey
        A= []
        A: SADD one x
        A= :1
        A: SMOVE nokey one m
        A= :0
        A: SMOVE one two nosuch
        A= :0
        A: SMOVE one two x
        A= :1
        A: SMEMBERS two
        A= ["x"]
        A: SMOVE two two x
        A= :1
        A: SMOVE two two nosuch
        A= :0
        A: ZADD str 1 m
        A= :1
        A: SADD str a
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: SREM str a
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: SCARD str
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: SISMEMBER str a
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: SMEMBERS str
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: SMOVE two str x
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: SMOVE nokey str x
        A= :0
        A: SMOVE str two x
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: SPOP str
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: SPOP str 1
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: SRANDMEMBER str
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: SRANDMEMBER str 1
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: SSCAN str 0
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: SINTER two str
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: SINTER nokey str
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: SUNION two str
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: SDIFFSTORE d two str
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: SINTERCARD 2 two str
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: HELLO 3
        A~ {.*"proto": :3.*
        A: SMEMBERS ints
        A= ~["1", "2", "3"]
        A: SMEMBERS nokey
        A= ~[]
        A: SISMEMBER ints 1
        A= :1
        A: SMISMEMBER ints 1 5
        A= [:1, :0]
        A: SPOP nokey
        A= nil
        A: SPOP nokey 2
        A= ~[]
        A: SPOP ints 0
        A= ~[]
        A: SRANDMEMBER nokey
        A= nil
        A: SRANDMEMBER nokey 3
        A= []
        A: SRANDMEMBER ints 9
        A= ["1", "2", "3"]
        A: SINTER ints
        A= ~["1", "2", "3"]
        A: SUNION nokey ints
        A= ~["1", "2", "3"]
        A: SDIFF ints nokey
        A= ~["1", "2", "3"]
        A: SSCAN ints 0
        A= ["0", ["1", "2", "3"]]
        A: SPOP ints 3
        A= ~["1", "2", "3"]
        "#,
    );
}

#[test]
fn algebra_answers_and_stores() {
    check(
        r#"
        A: SADD a 1 2 3 4
        A= :4
        A: SADD b 2 3 x
        A= :3
        A: SADD c 3
        A= :1
        A: SINTER a nokey
        A= []
        A: SINTERSTORE d a b
        A= :2
        A: SMEMBERS d
        A= ["2", "3"]
        A: SINTERSTORE d a nokey
        A= :0
        A: SCARD d
        A= :0
        A: SINTERSTORE d nokey
        A= :0
        A: SINTERCARD 2 a b
        A= :2
        A: SINTERCARD 2 a b LIMIT 1
        A= :1
        A: SINTERCARD 2 a b LIMIT 0
        A= :2
        A: SINTERCARD 1 a LIMIT 1 LIMIT 3
        A= :3
        A: SDIFF a b
        A= ["1", "4"]
        A: SDIFF a a
        A= []
        A: SDIFF nokey a
        A= []
        A: SDIFFSTORE d a b nokey
        A= :2
        A: SDIFFSTORE d b c c c c c c
        A= :2
        A: SADD e 2 3 x
        A= :3
        A: SDIFFSTORE d e b
        A= :0
        A: SUNIONSTORE d a c
        A= :4
        A: SMEMBERS d
        A= ["1", "2", "3", "4"]
        A: SUNIONSTORE d b c
        A= :3
        A: SCARD d
        A= :3
        A: SUNIONSTORE d c
        A= :1
        A: SUNIONSTORE d nokey
        A= :0
        A: ZADD d 1 m
        A= :1
        A: SUNIONSTORE d c
        A= :1
        A: SMEMBERS d
        A= ["3"]
        A: SUNIONSTORE d nokey nokey2
        A= :0
        A: SCARD d
        A= :0
        "#,
    );
}

#[test]
fn refusals_are_those_of_redis() {
    check(
        r#"
        A: SADD s a b c d e f g h i j
        A= :10
        A: SPOP s -1
        A= -ERR value is out of range, must be positive
        A: SPOP s x
        A= -ERR value is out of range, must be positive
        A: SPOP s 1 2
        A= -ERR syntax error
        A: SRANDMEMBER s -9223372036854775808
        A= -ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807
        A: SRANDMEMBER s x
        A= -ERR value is not an integer or out of range
        A: SRANDMEMBER s 1 2
        A= -ERR syntax error
        A: SINTERCARD 0 s
        A= -ERR numkeys should be greater than 0
        A: SINTERCARD x s
        A= -ERR numkeys should be greater than 0
        A: SINTERCARD 2 s
        A= -ERR Number of keys can't be greater than number of args
        A: SINTERCARD 1 s LIMIT
        A= -ERR syntax error
        A: SINTERCARD 1 s LIMIT -1
        A= -ERR LIMIT can't be negative
        A: SINTERCARD 1 s LIMIT x
        A= -ERR LIMIT can't be negative
        A: SINTERCARD 1 s LIMIT 3
        A= :3
        A: SSCAN s x
        A= -ERR invalid cursor
        A: SSCAN nokey 0 FOO
        A= ["0", []]
        A: SSCAN s 0 FOO
        A= -ERR syntax error
        A: SSCAN s 0 COUNT 0
        A= -ERR syntax error
        A: SSCAN s 0 COUNT x
        A= -ERR value is not an integer or out of range
        A: SSCAN s 0 TYPE set
        A= -ERR syntax error
        A: SSCAN s 0 MATCH
        A= -ERR syntax error
        A: SPOP nokey 3
        A= []
        A: SPOP nokey
        A= nil
        A: SRANDMEMBER nokey
        A= nil
        A: SRANDMEMBER nokey 2
        A= []
        "#,
    );
}

/// Plays `text` with all events published; B hears of them.
fn check_events(text: &str) {
    let mut config = Config::default();
    config.set(&[(b"notify-keyspace-events", b"EA")], true).expect("a known setting");
    let mut stage = Stage::with_journal(config, Box::new(Memory::new()));
    stage.play("B: PSUBSCRIBE __keyevent*\nB= [\"psubscribe\", \"__keyevent*\", :1]");
    stage.play(text);
}

#[test]
fn every_change_is_told() {
    check_events(
        r#"
        A: SADD a 1 2 3
        A= :3
        B= ["pmessage", "__keyevent*", "__keyevent@0__:sadd", "a"]
        A: SMOVE a b 1
        A= :1
        B= ["pmessage", "__keyevent*", "__keyevent@0__:srem", "a"]
        B= ["pmessage", "__keyevent*", "__keyevent@0__:sadd", "b"]
        A: SMOVE a b 2
        A= :1
        B= ["pmessage", "__keyevent*", "__keyevent@0__:srem", "a"]
        B= ["pmessage", "__keyevent*", "__keyevent@0__:sadd", "b"]
        A: SMOVE a b 3
        A= :1
        B= ["pmessage", "__keyevent*", "__keyevent@0__:srem", "a"]
        B= ["pmessage", "__keyevent*", "__keyevent@0__:del", "a"]
        B= ["pmessage", "__keyevent*", "__keyevent@0__:sadd", "b"]
        A: SREM b 1
        A= :1
        B= ["pmessage", "__keyevent*", "__keyevent@0__:srem", "b"]
        A: SPOP b 9
        A= ["2", "3"]
        B= ["pmessage", "__keyevent*", "__keyevent@0__:spop", "b"]
        B= ["pmessage", "__keyevent*", "__keyevent@0__:del", "b"]
        A: SADD c x
        A= :1
        B= ["pmessage", "__keyevent*", "__keyevent@0__:sadd", "c"]
        A: SPOP c
        A= "x"
        B= ["pmessage", "__keyevent*", "__keyevent@0__:spop", "c"]
        B= ["pmessage", "__keyevent*", "__keyevent@0__:del", "c"]
        A: SADD a 1
        A= :1
        B= ["pmessage", "__keyevent*", "__keyevent@0__:sadd", "a"]
        A: SUNIONSTORE d a
        A= :1
        B= ["pmessage", "__keyevent*", "__keyevent@0__:sunionstore", "d"]
        A: SINTERSTORE d a nokey
        A= :0
        B= ["pmessage", "__keyevent*", "__keyevent@0__:del", "d"]
        A: SDIFFSTORE d a nokey
        A= :1
        B= ["pmessage", "__keyevent*", "__keyevent@0__:sdiffstore", "d"]
        A: SREM d 1
        A= :1
        B= ["pmessage", "__keyevent*", "__keyevent@0__:srem", "d"]
        B= ["pmessage", "__keyevent*", "__keyevent@0__:del", "d"]
        "#,
    );
}

#[test]
fn an_encoding_follows_how_a_set_was_made() {
    let mut stage = Stage::new();
    stage.play("A: SADD b 2 3 x\nA= :3\nA: SADD c x\nA= :1\nA: SADD e y\nA= :1");
    // Asking makes an intset of what is left, removing leaves a table.
    stage.play("A: SDIFFSTORE asked b c\nA= :2\nA: SDIFFSTORE removed b c e c e c\nA= :2");
    stage.play("A: SADD rest 1 2 3 x y\nA= :5\nA: SREM rest x y\nA= :2");
    for (key, encoding) in [("asked", "intset"), ("removed", "hashtable"), ("rest", "hashtable")] {
        assert_eq!(encoding_of(&mut stage, key), encoding, "{key}");
    }
    stage.play("A: SADD rest 4 5 6 7 8 9\nA= :6");
    // What is left of a pop is built anew once the pop takes five times as much.
    stage.play("A: SPOP rest 7\nA~ [.*");
    assert_eq!(encoding_of(&mut stage, "rest"), "hashtable");
    stage.play("A: SADD more 1 2 3 4 5 6 x\nA= :7\nA: SREM more x\nA= :1");
    stage.play("A: SPOP more 5\nA~ [.*");
    assert_eq!(encoding_of(&mut stage, "more"), "intset");
}

fn encoding_of(stage: &mut Stage, key: &str) -> &'static str {
    let now = stage.clock.now();
    let executor = &mut stage.executor;
    let doors = executor.state.doors(&mut executor.trace, 0, now);
    doors.peek(key.as_bytes()).expect("a key").encoding()
}

#[test]
fn random_members_are_distinct_unless_the_count_is_negative() {
    let mut stage = Stage::new();
    stage.play("A: SADD s a b c d e f\nA= :6");
    let mut ask = |request: &str| -> Vec<String> {
        stage.send("A", request.split(' ').map(|word| word.as_bytes().to_vec()).collect());
        let reply = stage.next_reply("A").expect("a reply");
        reply.trim_matches(['[', ']']).split(", ").map(str::to_owned).collect()
    };
    for _ in 0..20 {
        let four = ask("SRANDMEMBER s 4");
        assert_eq!((four.len(), four.iter().collect::<BTreeSet<_>>().len()), (4, 4));
        assert_eq!(ask("SRANDMEMBER s 10").len(), 6);
        assert_eq!(ask("SRANDMEMBER s -10").len(), 10);
    }
    let popped = ask("SPOP s 4");
    let left = ask("SMEMBERS s");
    assert_eq!(popped.iter().chain(&left).collect::<BTreeSet<_>>().len(), 6);
}

#[test]
fn pops_and_algebra_replay_as_they_were_decided() {
    replay(
        r#"
        A: SADD a 1 2 3 4 5 6 7
        A= :7
        A: SADD b 5 6 7 8 x
        A= :5
        A: SPOP a
        A~ ".*
        A: SPOP a 3
        A~ [".*
        A: SMOVE b c x
        A= :1
        A: SUNIONSTORE d a b
        A~ :.*
        A: SINTERSTORE e a b
        A~ :.*
        A: SDIFFSTORE f a b
        A~ :.*
        A: SADD g one
        A= :1
        A: SPOP g
        A= "one"
        A: SREM b 5 6 7 8
        A= :4
        "#,
    );
}
