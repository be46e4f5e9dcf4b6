//! Transcripts of sorted set commands, recorded from Redis 7.0.15.

use crate::config::Config;
use crate::journal::Memory;
use crate::transcript::{Stage, check, replay};
use std::collections::BTreeSet;

#[test]
fn scores_are_set_under_conditions_and_told_in_either_protocol() {
    check(
        r#"
        A: ZADD z 1 a 2 b 3 c
        A= :3
        A: ZADD z 1 a 5 c 4 d
        A= :1
        A: ZADD z CH 1 a 6 c 7 e
        A= :2
        A: ZADD z NX 9 a 8 f
        A= :1
        A: ZADD z XX 9 a 8 g
        A= :0
        A: ZADD z GT CH 1 a 10 b
        A= :1
        A: ZADD z LT CH 20 a 1 b 3 new
        A= :2
        A: ZADD z INCR 1 a
        A= "10"
        A: ZADD z NX INCR 1 a
        A= nil
        A: ZADD z XX INCR 1 nosuch
        A= nil
        A: ZADD z GT INCR -1 a
        A= nil
        A: ZADD nokey XX 1 a
        A= :0
        A: ZCARD nokey
        A= :0
        A: ZADD z INCR -0 negzero
        A= "-0"
        A: ZINCRBY z 0.1 f
        A= "8.0999999999999996"
        A: ZINCRBY z 1e300 new2
        A= "1.0000000000000001e+300"
        A: ZRANGE z 0 -1 WITHSCORES
        A= ["negzero", "0", "b", "1", "new", "3", "d", "4", "c", "6", "e", "7", "f", "8.0999999999999996", "a", "10", "new2", "1.0000000000000001e+300"]
        A: ZSCORE z f
        A= "8.0999999999999996"
        A: ZSCORE z nosuch
        A= nil
        A: ZSCORE nokey a
        A= nil
        A: ZMSCORE z a nosuch negzero
        A= ["10", nil, "0"]
        A: ZRANK z a
        A= :7
        A: ZREVRANK z a
        A= :1
        A: ZRANK z nosuch
        A= nil
        A: ZRANK nokey a
        A= nil
        A: ZCOUNT z (1 +inf
        A= :7
        A: ZCOUNT z 3 1
        A= :0
        A: ZREM z a nosuch b
        A= :2
        A: ZREMRANGEBYSCORE z 8 (9
        A= :1
        A: ZREMRANGEBYRANK z -1 -1
        A= :1
        A: ZCARD z
        A= :5
        A: ZREMRANGEBYRANK z 0 -1
        A= :5
        A: ZCARD z
        A= :0
        A: SADD str m
        A= :1
        A: ZADD str 1 m
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: ZADD str XX 1 m
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: ZREM str m
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: ZRANK str m
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: ZRANGE str 0 -1
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: ZPOPMIN str 0
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: ZMPOP 2 nokey str MIN
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: ZRANDMEMBER str
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: ZSCAN str 0
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: ZREMRANGEBYRANK str 0 1
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: HELLO 3
        A~ {.*"proto": :3.*
        A: ZADD z 1.5 a 2 b inf c
        A= :3
        A: ZADD z INCR 1 a
        A= ,2.5
        A: ZADD z NX INCR 1 a
        A= nil
        A: ZSCORE z c
        A= ,inf
        A: ZMSCORE z a nosuch
        A= [,2.5, nil]
        A: ZRANGE z 0 -1 WITHSCORES
        A= [["b", ,2], ["a", ,2.5], ["c", ,inf]]
        A: ZRANGE z 0 1
        A= ["b", "a"]
        A: ZREVRANGEBYSCORE z +inf 0 WITHSCORES LIMIT 0 1
        A= [["c", ,inf]]
        A: ZSCAN z 0
        A= ["0", ["b", "2", "a", "2.5", "c", "inf"]]
        A: ZRANDMEMBER nokey
        A= nil
        A: ZPOPMIN z
        A= ["b", ,2]
        A: ZPOPMIN z 1
        A= [["a", ,2.5]]
        A: ZPOPMIN z 0
        A= []
        A: ZPOPMIN nokey
        A= []
        A: ZPOPMIN nokey 2
        A= []
        A: ZMPOP 1 z MAX COUNT 2
        A= ["z", [["c", ,inf]]]
        A: ZMPOP 1 z MAX
        A= nil
        "#,
    );
}

#[test]
fn ranges_go_by_rank_score_and_string() {
    check(
        r#"
        A: ZADD z 1 a 2 b 2 c 3 d 5 e
        A= :5
        A: ZRANGE z 1 2
        A= ["b", "c"]
        A: ZRANGE z -2 -1 REV
        A= ["b", "a"]
        A: ZRANGE z 0 0 REV WITHSCORES
        A= ["e", "5"]
        A: ZRANGE z 5 1
        A= []
        A: ZRANGE z (1 3 BYSCORE
        A= ["b", "c", "d"]
        A: ZRANGE z 3 (1 BYSCORE REV WITHSCORES
        A= ["d", "3", "c", "2", "b", "2"]
        A: ZRANGE z -inf +inf BYSCORE LIMIT 1 2
        A= ["b", "c"]
        A: ZRANGE z +inf -inf BYSCORE REV LIMIT 1 -1
        A= ["d", "c", "b", "a"]
        A: ZRANGE z -inf +inf BYSCORE LIMIT -1 2
        A= []
        A: ZRANGE z -inf +inf BYSCORE LIMIT 9 2
        A= []
        A: ZRANGE z -inf +inf BYSCORE LIMIT 1 0
        A= []
        A: ZREVRANGE z 0 1 WITHSCORES
        A= ["e", "5", "d", "3"]
        A: ZRANGEBYSCORE z "" 2
        A= ["a", "b", "c"]
        A: ZRANGEBYSCORE z " 1" 2
        A= ["a", "b", "c"]
        A: ZRANGEBYSCORE z ( 1
        A= ["a"]
        A: ZRANGEBYSCORE z (2 2
        A= []
        A: ZREVRANGEBYSCORE z 3 2 LIMIT 0 2 WITHSCORES
        A= ["d", "3", "c", "2"]
        A: ZRANGESTORE d z 1 2
        A= :2
        A: ZRANGE d 0 -1 WITHSCORES
        A= ["b", "2", "c", "2"]
        A: ZRANGESTORE d z 5 2 BYSCORE REV LIMIT 0 2
        A= :2
        A: ZRANGE d 0 -1 WITHSCORES
        A= ["d", "3", "e", "5"]
        A: ZRANGESTORE d z 7 8
        A= :0
        A: ZCARD d
        A= :0
        A: ZRANGESTORE d z 0 -1 WITHSCORES
        A= -ERR syntax error
        A: ZADD l 0 a 0 b 0 c 0 d 0 e
        A= :5
        A: ZRANGEBYLEX l - +
        A= ["a", "b", "c", "d", "e"]
        A: ZRANGEBYLEX l (a [c
        A= ["b", "c"]
        A: ZRANGEBYLEX l + -
        A= []
        A: ZRANGEBYLEX l - + LIMIT 1 2
        A= ["b", "c"]
        A: ZREVRANGEBYLEX l + [c
        A= ["e", "d", "c"]
        A: ZRANGE l [d - BYLEX REV LIMIT 0 2
        A= ["d", "c"]
        A: ZLEXCOUNT l (a +
        A= :4
        A: ZLEXCOUNT l [c [b
        A= :0
        A: ZREMRANGEBYLEX l [b (d
        A= :2
        A: ZRANGE l 0 -1
        A= ["a", "d", "e"]
        A: ZREMRANGEBYLEX l - +
        A= :3
        A: ZCARD l
        A= :0
        "#,
    );
}

#[test]
fn algebra_joins_weighted_scores() {
    check(
        r#"
        A: ZADD a 1 x 2 y 3 z
        A= :3
        A: ZADD b 10 y 20 z 30 w
        A= :3
        A: SADD s x z q
        A= :3
        A: ZUNION 2 a b
        A= ["x", "y", "z", "w"]
        A: ZUNION 2 a b WITHSCORES
        A= ["x", "1", "y", "12", "z", "23", "w", "30"]
        A: ZUNION 3 a b s WEIGHTS 1 2 100 WITHSCORES
        A= ["y", "22", "w", "60", "q", "100", "x", "101", "z", "143"]
        A: ZUNION 2 a b AGGREGATE MAX WITHSCORES
        A= ["x", "1", "y", "10", "z", "20", "w", "30"]
        A: ZINTER 2 a b WITHSCORES
        A= ["y", "12", "z", "23"]
        A: ZINTER 2 a s AGGREGATE MIN WITHSCORES
        A= ["x", "1", "z", "1"]
        A: ZINTER 2 a nokey
        A= []
        A: ZDIFF 2 a b WITHSCORES
        A= ["x", "1"]
        A: ZDIFF 2 a a
        A= []
        A: ZDIFF 2 nokey a
        A= []
        A: ZINTERCARD 2 a b
        A= :2
        A: ZINTERCARD 2 a b LIMIT 1
        A= :1
        A: ZINTERCARD 2 a b LIMIT 0
        A= :2
        A: ZUNIONSTORE d 2 a s WEIGHTS -1 0
        A= :4
        A: ZRANGE d 0 -1 WITHSCORES
        A= ["z", "-3", "y", "-2", "x", "-1", "q", "0"]
        A: ZINTERSTORE d 2 a b WEIGHTS 2 3 AGGREGATE MIN
        A= :2
        A: ZRANGE d 0 -1 WITHSCORES
        A= ["y", "4", "z", "6"]
        A: ZDIFFSTORE d 2 a s
        A= :1
        A: ZRANGE d 0 -1 WITHSCORES
        A= ["y", "2"]
        A: ZDIFFSTORE d 2 a a
        A= :0
        A: ZCARD d
        A= :0
        A: ZADD p inf m
        A= :1
        A: ZADD n -inf m
        A= :1
        A: ZUNION 2 p n WITHSCORES
        A= ["m", "0"]
        A: ZUNION 1 p WEIGHTS 0 WITHSCORES
        A= ["m", "0"]
        A: ZINTER 2 p n WEIGHTS 1 0 WITHSCORES
        A= ["m", "0"]
        A: ZUNION 1 s WEIGHTS -0 WITHSCORES
        A= ["q", "-0", "x", "-0", "z", "-0"]
        A: SADD a m
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: HELLO 3
        A~ {.*"proto": :3.*
        A: ZUNION 2 a b WITHSCORES
        A= [["x", ,1], ["y", ,12], ["z", ,23], ["w", ,30]]
        A: ZINTER 2 a b
        A= ["y", "z"]
        A: ZDIFF 1 a WITHSCORES
        A= [["x", ,1], ["y", ,2], ["z", ,3]]
        "#,
    );
}

#[test]
fn refusals_are_those_of_redis() {
    check(
        r#"
        A: SADD s a b c d e f g h i j
        A= :10
        A: ZADD z 1 a 2 b 3 c
        A= :3
        A: ZADD z
        A= -ERR wrong number of arguments for 'zadd' command
        A: ZADD z 1
        A= -ERR wrong number of arguments for 'zadd' command
        A: ZADD z NX 1 a 2
        A= -ERR syntax error
        A: ZADD z NX XX 1 a
        A= -ERR XX and NX options at the same time are not compatible
        A: ZADD z GT LT 1 a
        A= -ERR GT, LT, and/or NX options at the same time are not compatible
        A: ZADD z INCR 1 a 2 b
        A= -ERR INCR option supports a single increment-element pair
        A: ZADD z x a
        A= -ERR value is not a valid float
        A: ZADD z nan a
        A= -ERR value is not a valid float
        A: ZADD z inf a
        A= :0
        A: ZADD z INCR -inf a
        A= -ERR resulting score is not a number (NaN)
        A: ZINCRBY z -inf a
        A= -ERR resulting score is not a number (NaN)
        A: ZINCRBY z nx a
        A= -ERR syntax error
        A: ZADD z XX INCR 1 nosuch
        A= nil
        A: ZADD nokey XX INCR 1 nosuch
        A= nil
        A: ZADD z INCR -0 negzero
        A= "-0"
        A: ZPOPMIN z -1
        A= -ERR value is out of range, must be positive
        A: ZPOPMIN z x
        A= -ERR value is out of range, must be positive
        A: ZPOPMIN z 1 2
        A= -ERR syntax error
        A: ZMPOP 0 z MIN
        A= -ERR numkeys should be greater than 0
        A: ZMPOP 1 z
        A= -ERR wrong number of arguments for 'zmpop' command
        A: ZMPOP 1 z FOO
        A= -ERR syntax error
        A: ZMPOP 1 z MIN COUNT 0
        A= -ERR count should be greater than 0
        A: ZMPOP 1 z MIN COUNT 1 COUNT 1
        A= -ERR syntax error
        A: ZMPOP 2 z MIN
        A= -ERR syntax error
        A: ZUNION 0 z
        A= -ERR at least 1 input key is needed for 'zunion' command
        A: ZUNION x z
        A= -ERR value is not an integer or out of range
        A: ZUNION 3 z
        A= -ERR syntax error
        A: ZUNIONSTORE d 0 z
        A= -ERR at least 1 input key is needed for 'zunionstore' command
        A: ZINTERCARD 0 z
        A= -ERR at least 1 input key is needed for 'zintercard' command
        A: ZINTERCARD 1 z LIMIT -1
        A= -ERR LIMIT can't be negative
        A: ZUNION 1 z WEIGHTS x
        A= -ERR weight value is not a float
        A: ZUNION 1 z WEIGHTS
        A= -ERR syntax error
        A: ZUNION 1 z AGGREGATE foo
        A= -ERR syntax error
        A: ZDIFF 1 z WEIGHTS 1
        A= -ERR syntax error
        A: ZUNION 1 s WITHSCORES
        A= ["a", "1", "b", "1", "c", "1", "d", "1", "e", "1", "f", "1", "g", "1", "h", "1", "i", "1", "j", "1"]
        A: ZRANGE z 0 -1 LIMIT 0 1
        A= -ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX
        A: ZRANGE z - + BYLEX WITHSCORES
        A= -ERR syntax error, WITHSCORES not supported in combination with BYLEX
        A: ZRANGE z x 1
        A= -ERR value is not an integer or out of range
        A: ZRANGE z x 1 BYSCORE
        A= -ERR min or max is not a float
        A: ZRANGE z x 1 BYLEX
        A= -ERR min or max not valid string range item
        A: ZRANGEBYSCORE z 0 1 LIMIT x 1
        A= -ERR value is not an integer or out of range
        A: ZRANGEBYSCORE z 0 1 LIMIT 1
        A= -ERR syntax error
        A: ZREMRANGEBYRANK z x 1
        A= -ERR value is not an integer or out of range
        A: ZREMRANGEBYSCORE z x 1
        A= -ERR min or max is not a float
        A: ZREMRANGEBYLEX z x 1
        A= -ERR min or max not valid string range item
        A: ZRANDMEMBER z x
        A= -ERR value is not an integer or out of range
        A: ZRANDMEMBER z 1 FOO
        A= -ERR syntax error
        A: ZRANDMEMBER z -9223372036854775807 WITHSCORES
        A= -ERR value is out of range
        A: ZRANDMEMBER z -9223372036854775808
        A= -ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807
        A: ZADD z 0.1 f 1e17 g 1e21 h -0 i
        A= :4
        A: ZUNION 1 s WITHSCORES
        A= ["a", "1", "b", "1", "c", "1", "d", "1", "e", "1", "f", "1", "g", "1", "h", "1", "i", "1", "j", "1"]
        A: ZRANDMEMBER z 1 WITHSCORES FOO
        A= -ERR syntax error
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
        A: ZADD z 1 m
        A= :1
        B= ["pmessage", "__keyevent*", "__keyevent@0__:zadd", "z"]
        A: ZADD z 1 m
        A= :0
        A: ZADD z INCR 1 m
        A= "2"
        B= ["pmessage", "__keyevent*", "__keyevent@0__:zincr", "z"]
        A: ZINCRBY z 1 m
        A= "3"
        B= ["pmessage", "__keyevent*", "__keyevent@0__:zincr", "z"]
        A: ZUNIONSTORE z2 1 z
        A= :1
        B= ["pmessage", "__keyevent*", "__keyevent@0__:zunionstore", "z2"]
        A: ZRANGESTORE z3 z 0 -1
        A= :1
        B= ["pmessage", "__keyevent*", "__keyevent@0__:zrangestore", "z3"]
        A: ZRANGESTORE z3 z 5 -1
        A= :0
        B= ["pmessage", "__keyevent*", "__keyevent@0__:del", "z3"]
        A: ZPOPMIN z2
        A= ["m", "3"]
        B= ["pmessage", "__keyevent*", "__keyevent@0__:zpopmin", "z2"]
        B= ["pmessage", "__keyevent*", "__keyevent@0__:del", "z2"]
        A: ZREMRANGEBYRANK z 0 -1
        A= :1
        B= ["pmessage", "__keyevent*", "__keyevent@0__:zremrangebyrank", "z"]
        B= ["pmessage", "__keyevent*", "__keyevent@0__:del", "z"]
        A: ZADD z 1 m
        A= :1
        B= ["pmessage", "__keyevent*", "__keyevent@0__:zadd", "z"]
        A: BZPOPMAX z 0
        A= ["z", "m", "1"]
        B= ["pmessage", "__keyevent*", "__keyevent@0__:zpopmax", "z"]
        B= ["pmessage", "__keyevent*", "__keyevent@0__:del", "z"]
        A: ZADD z 1 m
        A= :1
        B= ["pmessage", "__keyevent*", "__keyevent@0__:zadd", "z"]
        A: ZMPOP 1 z MIN
        A= ["z", [["m", "1"]]]
        B= ["pmessage", "__keyevent*", "__keyevent@0__:zpopmin", "z"]
        B= ["pmessage", "__keyevent*", "__keyevent@0__:del", "z"]
        A: ZADD z 1 m 2 n
        A= :2
        B= ["pmessage", "__keyevent*", "__keyevent@0__:zadd", "z"]
        A: ZREM z m
        A= :1
        B= ["pmessage", "__keyevent*", "__keyevent@0__:zrem", "z"]
        A: ZREM z n
        A= :1
        B= ["pmessage", "__keyevent*", "__keyevent@0__:zrem", "z"]
        B= ["pmessage", "__keyevent*", "__keyevent@0__:del", "z"]
        "#,
    );
}

#[test]
fn ranks_come_with_scores_as_in_redis_7_2() {
    check(
        r#"
        A: ZADD z 1 a 2.5 b
        A= :2
        A: ZRANK z b WITHSCORE
        A= [:1, "2.5"]
        A: ZREVRANK z b withscore
        A= [:0, "2.5"]
        A: ZRANK z nosuch WITHSCORE
        A= *nil
        A: ZRANK nokey a WITHSCORE
        A= *nil
        A: ZRANK z a WITHSCORES
        A= -ERR syntax error
        A: ZRANK z a WITHSCORE b
        A= -ERR wrong number of arguments for 'zrank' command
        A: HELLO 3
        A~ {.*
        A: ZRANK z b WITHSCORE
        A= [:1, ,2.5]
        A: ZREVRANK z nosuch WITHSCORE
        A= nil
        "#,
    );
}

#[test]
fn a_large_set_keeps_the_sign_of_zero() {
    let mut stage = Stage::new();
    let pairs: Vec<String> = (0..200).map(|n| format!("{n} m{n}")).collect();
    stage.play(&format!("A: ZADD large {}\nA= :200", pairs.join(" ")));
    stage.play(
        r#"
        A: ZADD large -0 m7
        A= :0
        A: ZSCORE large m7
        A= "-0"
        A: ZRANGESTORE copy large 0 -1
        A= :200
        A: ZSCORE copy m7
        A= "-0"
        A: ZUNIONSTORE copy 1 large
        A= :200
        A: ZSCORE copy m7
        A= "-0"
        A: ZRANGESTORE copy large 0 9
        A= :10
        A: ZSCORE copy m7
        A= "0"
        "#,
    );
}

#[test]
fn random_members_are_distinct_unless_the_count_is_negative() {
    let mut stage = Stage::new();
    stage.play("A: ZADD z 1 a 2 b 3 c 4 d 5 e\nA= :5");
    let mut ask = |request: &str| -> Vec<String> {
        stage.send("A", request.split(' ').map(|word| word.as_bytes().to_vec()).collect());
        let reply = stage.next_reply("A").expect("a reply");
        reply.trim_matches(['[', ']']).split(", ").map(str::to_owned).collect()
    };
    for _ in 0..20 {
        let three = ask("ZRANDMEMBER z 3");
        assert_eq!((three.len(), three.iter().collect::<BTreeSet<_>>().len()), (3, 3));
        assert_eq!(ask("ZRANDMEMBER z 3 WITHSCORES").len(), 6);
        assert_eq!(ask("ZRANDMEMBER z 10").len(), 5);
        assert_eq!(ask("ZRANDMEMBER z -10").len(), 10);
    }
}

#[test]
fn pops_and_algebra_replay_as_they_were_decided() {
    replay(
        r#"
        A: ZADD a 1 x 2 y 3 z 4 w
        A= :4
        A: ZINCRBY a 0.1 x
        A= "1.1000000000000001"
        A: ZADD b 1 y 9 q
        A= :2
        A: SADD s x y
        A= :2
        A: ZPOPMIN a
        A= ["x", "1.1000000000000001"]
        A: ZPOPMAX a 2
        A= ["w", "4", "z", "3"]
        A: ZUNIONSTORE d 3 a b s WEIGHTS 1 2 3
        A= :3
        A: ZINTERSTORE e 2 a b
        A= :1
        A: ZDIFFSTORE f 2 b a
        A= :1
        A: ZRANGESTORE g d 0 1
        A= :2
        A: ZREMRANGEBYRANK d 0 0
        A= :1
        A: ZMPOP 2 nokey b MIN COUNT 9
        A= ["b", [["y", "1"], ["q", "9"]]]
        A: BZPOPMAX d 0
        A~ ["d", .*
        A: BZMPOP 0 1 d MIN
        A~ ["d", .*
        B: BZPOPMIN d 0
        A: ZADD d 5 m 6 n
        A= :2
        B= ["d", "m", "5"]
        "#,
    );
}
