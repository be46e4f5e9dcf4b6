//! Transcripts of hash commands, recorded from redis-server 7.0.15.

use crate::transcript::{check, replay};

#[test]
fn hashes_answer_as_redis_does() {
    replay(
        r#"
        A: HSET h a
        A= -ERR wrong number of arguments for 'hset' command
        A: HSET h a 1 b
        A= -ERR wrong number of arguments for 'hset' command
        A: HMSET h a 1 b
        A= -ERR wrong number of arguments for 'hmset' command
        A: HSET h a 1 b 2
        A= :2
        A: HSET h a 5 c text
        A= :1
        A: HMSET h d 4
        A= +OK
        A: HSETNX h a 9
        A= :0
        A: HSETNX h e ""
        A= :1
        A: HGET h a
        A= "5"
        A: HGET h e
        A= ""
        A: HGET h nofield
        A= nil
        A: HGET nokey a
        A= nil
        A: HMGET h a nofield c
        A= ["5", nil, "text"]
        A: HMGET nokey a b
        A= [nil, nil]
        A: HGETALL h
        A= ["a", "5", "b", "2", "c", "text", "d", "4", "e", ""]
        A: HGETALL nokey
        A= []
        A: HKEYS h
        A= ["a", "b", "c", "d", "e"]
        A: HVALS h
        A= ["5", "2", "text", "4", ""]
        A: HKEYS nokey
        A= []
        A: HLEN h
        A= :5
        A: HLEN nokey
        A= :0
        A: HSTRLEN h c
        A= :4
        A: HSTRLEN h a
        A= :1
        A: HSTRLEN h nofield
        A= :0
        A: HEXISTS h a
        A= :1
        A: HEXISTS h nofield
        A= :0
        A: HDEL h nofield
        A= :0
        A: HDEL h a a b nofield
        A= :2
        A: HDEL nokey a
        A= :0
        A: HDEL h c d e
        A= :3
        A: HINCRBY n f 5
        A= :5
        A: HINCRBY n f -7
        A= :-2
        A: HINCRBY n f x
        A= -ERR value is not an integer or out of range
        A: HINCRBY n f 9223372036854775807
        A= :9223372036854775805
        A: HINCRBY n f 9
        A= -ERR increment or decrement would overflow
        A: HINCRBY n f 0
        A= :9223372036854775805
        A: HSET n t text
        A= :1
        A: HINCRBY n t 1
        A= -ERR hash value is not an integer
        A: HINCRBYFLOAT n t 1
        A= -ERR hash value is not a float
        A: HINCRBYFLOAT n g 10.5
        A= "10.5"
        A: HINCRBYFLOAT n g 0.1
        A= "10.6"
        A: HINCRBYFLOAT n g -5
        A= "5.6"
        A: HINCRBYFLOAT n g 2.0e2
        A= "205.60000000000000001"
        A: HINCRBYFLOAT n g x
        A= -ERR value is not a valid float
        A: HINCRBYFLOAT n g inf
        A= -ERR value is NaN or Infinity
        A: HINCRBYFLOAT n g nan
        A= -ERR value is not a valid float
        A: HSET n i inf
        A= :1
        A: HINCRBYFLOAT n i 1
        A= -ERR increment would produce NaN or Infinity
        A: HSCAN n x
        A= -ERR invalid cursor
        A: HSCAN n 0 MATCH g*
        A= ["0", ["g", "205.60000000000000001"]]
        A: HSET star "" 1
        A= :1
        A: HSCAN star 0 MATCH *
        A= ["0", ["", "1"]]
        A: HSCAN star 0 MATCH **
        A= ["0", []]
        A: HSCAN n 0 COUNT 0
        A= -ERR syntax error
        A: HSCAN n 0 COUNT x
        A= -ERR value is not an integer or out of range
        A: HSCAN n 0 MATCH
        A= -ERR syntax error
        A: HSCAN n 0 TYPE hash
        A= -ERR syntax error
        A: HSCAN nokey 0 COUNT 0
        A= ["0", []]
        A: HRANDFIELD nokey
        A= nil
        A: HRANDFIELD nokey 3
        A= []
        A: HRANDFIELD nokey -3 WITHVALUES
        A= []
        A: HDEL n i g t
        A= :3
        A: HRANDFIELD n
        A= "f"
        A: HRANDFIELD n 3
        A= ["f"]
        A: HRANDFIELD n 1 WITHVALUES
        A= ["f", "9223372036854775805"]
        A: HRANDFIELD n -3
        A= ["f", "f", "f"]
        A: HRANDFIELD n -2 withvalues
        A= ["f", "9223372036854775805", "f", "9223372036854775805"]
        A: HRANDFIELD n 0 WITHVALUES
        A= []
        A: HRANDFIELD n x
        A= -ERR value is not an integer or out of range
        A: HRANDFIELD n 1 VALUES
        A= -ERR syntax error
        A: HRANDFIELD n 1 WITHVALUES x
        A= -ERR syntax error
        A: HRANDFIELD n -9223372036854775808
        A= -ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807
        A: HRANDFIELD n -4611686018427387904 WITHVALUES
        A= -ERR value is out of range
        A: HRANDFIELD n 9223372036854775807
        A= ["f"]
        A: HELLO 3
        A~ {"server".*
        A: HGETALL n
        A= {"f": "9223372036854775805"}
        A: HGETALL nokey
        A= {}
        A: HRANDFIELD n 1 WITHVALUES
        A= [["f", "9223372036854775805"]]
        A: HRANDFIELD n -2 WITHVALUES
        A= [["f", "9223372036854775805"], ["f", "9223372036854775805"]]
        A: HGET n nofield
        A= nil
        A: HKEYS n
        A= ["f"]
        A: HVALS n
        A= ["9223372036854775805"]
        A: HSCAN n 0
        A= ["0", ["f", "9223372036854775805"]]
        
        "#,
    );
}

#[test]
fn every_hash_command_refuses_another_type() {
    check(
        r#"
        A: RPUSH s x
        A= :1
        A: HSET s a 1
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: HMSET s a 1
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: HSETNX s a 1
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: HDEL s a
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: HINCRBY s a 1
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: HINCRBYFLOAT s a 1
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: HGET s a
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: HMGET s a
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: HGETALL s
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: HKEYS s
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: HVALS s
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: HLEN s
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: HSTRLEN s a
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: HEXISTS s a
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: HSCAN s 0 COUNT 0
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: HRANDFIELD s
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: HRANDFIELD s 1
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        
        "#,
    );
}

#[test]
fn changes_are_published_and_mere_looks_are_not() {
    replay(
        r#"
        A: HSET h a 1 b 2
        A= :2
        A: WATCH h
        A= +OK
        A: HSETNX h a 9
        A= :0
        A: HDEL h nofield
        A= :0
        A: MULTI
        A= +OK
        A: HINCRBY h a 0
        A= +QUEUED
        A: EXEC
        A= [:1]
        A: WATCH h
        A= +OK
        B: HINCRBY h a 0
        B= :1
        A: MULTI
        A= +OK
        A: HLEN h
        A= +QUEUED
        A: EXEC
        A= *nil
        "#,
    );
}

#[test]
fn a_scan_visits_every_field_of_a_large_hash() {
    let mut text = String::new();
    for field in 0..500 {
        text.push_str(&format!("A: HSET big field:{field} {field}\nA= :1\n"));
    }
    let mut stage = crate::transcript::Stage::new();
    stage.play(&text);
    let mut seen = std::collections::BTreeSet::new();
    let mut cursor = "0".to_owned();
    loop {
        stage.send("A", crate::transcript::split(&format!("HSCAN big {cursor} MATCH field:*7 COUNT 20")));
        let reply = stage.next_reply("A").expect("answered");
        let mut words = reply.split('"').skip(1).step_by(2);
        cursor = words.next().expect("a cursor").to_owned();
        while let (Some(field), Some(value)) = (words.next(), words.next()) {
            assert_eq!(field, format!("field:{value}"));
            seen.insert(field.to_owned());
        }
        if cursor == "0" {
            break;
        }
    }
    assert_eq!(seen.len(), 50);
}

#[test]
fn distinct_fields_are_drawn_for_a_positive_count() {
    let mut stage = crate::transcript::Stage::new();
    for field in 0..200 {
        stage.play(&format!("A: HSET big {field} {field}\nA= :1"));
    }
    stage.send("A", crate::transcript::split("HRANDFIELD big 150"));
    let reply = stage.next_reply("A").expect("answered");
    let drawn: std::collections::BTreeSet<&str> = reply.split('"').skip(1).step_by(2).collect();
    assert_eq!(drawn.len(), 150);
}
