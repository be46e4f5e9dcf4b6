//! DEBUG as Redis 7.0.15 answered it.

use super::digest;
use crate::keyspace::{Keep, State, Trace};
use crate::time::{Deadline, Millis};
use crate::transcript::{Stage, check_with, split};
use crate::value::{EncodingLimits, Hash, Value};

const ALLOWED: &[&str] = &["--enable-debug-command", "yes"];

#[test]
fn subcommands_are_answered_as_by_redis() {
    check_with(
        ALLOWED,
        r#"
        A: DEBUG
        A= -ERR wrong number of arguments for 'debug' command
        A: DEBUG JMAP
        A= -ERR unknown subcommand or wrong number of arguments for 'JMAP'. Try DEBUG HELP.
        A: DEBUG sleep
        A= -ERR unknown subcommand or wrong number of arguments for 'sleep'. Try DEBUG HELP.
        A: DEBUG SLEEP x
        A= +OK
        A: DEBUG ERROR "MYERR text here"
        A= -MYERR text here
        A: DEBUG OBJECT nokey
        A= -ERR no such key
        A: DEBUG CHANGE-REPL-ID
        A= +OK
        A: DEBUG REPLYBUFFER PEAK-RESET-TIME foo
        A= -ERR value is not an integer or out of range
        A: DEBUG REPLYBUFFER FOO x
        A= -ERR unknown subcommand or wrong number of arguments for 'REPLYBUFFER'. Try DEBUG HELP.
        A: DEBUG HTSTATS 99
        A= -ERR Out of range database
        A: DEBUG HTSTATS x
        A= -ERR value is not an integer or out of range
        A: DEBUG LISTPACK nokey
        A= -ERR no such key
        A: DEBUG LOG hello
        A= +OK
        "#,
    );
}

#[test]
fn populated_keys_are_found_and_kept() {
    check_with(
        ALLOWED,
        r#"
        A: DEBUG POPULATE -3
        A= -ERR value is out of range, must be positive
        A: DEBUG POPULATE 2 pre 3
        A= +OK
        A: DEBUG POPULATE 3 pre
        A= +OK
        A: DEBUG OBJECT pre:2
        A~ +Value at:0x.*refcount:1 encoding:embstr serializedlength:.*lru_seconds_idle:0
        A: DEBUG LISTPACK pre:0
        A= -ERR Not a listpack encoded object.
        A: DEBUG HTSTATS 0
        A~ "[Dictionary HT]\nHash table 0 stats (main hash table):\n table size: 4\n number of elements: 3\n.*
        "#,
    );
}

#[test]
fn each_kind_of_reply_is_shown() {
    check_with(
        ALLOWED,
        r#"
        A: DEBUG PROTOCOL map
        A= [:0, :0, :1, :1, :2, :0]
        A: DEBUG PROTOCOL double
        A= "3.141"
        A: DEBUG PROTOCOL push
        A= -ERR RESP2 is not supported by this command
        A: DEBUG PROTOCOL attrib
        A= "Some real reply following the attribute"
        A: DEBUG PROTOCOL foo
        A~ -ERR Wrong protocol type name. Please use one of the following: string|integer|.*
        A: HELLO 3
        A~ {.*
        A: DEBUG PROTOCOL map
        A= {:0: #f, :1: #t, :2: #f}
        A: DEBUG PROTOCOL double
        A= ,3.141
        A: DEBUG PROTOCOL set
        A= ~[:0, :1, :2]
        A: DEBUG PROTOCOL push
        A= >["server-cpu-usage", :42]
        A= "Some real reply following the push reply"
        A: DEBUG PROTOCOL bignum
        A= (1234567999999999999999999999999999999
        A: DEBUG PROTOCOL null
        A= nil
        "#,
    );
}

#[test]
fn an_empty_server_has_the_digest_zero() {
    let zero = format!("+{}", "0".repeat(40));
    let mut stage = Stage::with_options(ALLOWED);
    for (request, expected) in [("DEBUG DIGEST", zero.clone()), ("DEBUG DIGEST-VALUE a b", format!("[{zero}, {zero}]"))]
    {
        stage.send("A", split(request));
        assert_eq!(stage.next_reply("A"), Some(expected));
    }
}

fn hash(fields: &[&str], limits: &EncodingLimits) -> Value {
    let mut hash = Hash::new();
    fields.iter().for_each(|field| {
        hash.insert(field.as_bytes(), b"1", limits);
    });
    Value::Hash(hash)
}

#[test]
fn equal_data_has_an_equal_digest_whatever_its_order_and_encoding() {
    let now = Millis(1000);
    let tight = EncodingLimits { hash_max_listpack_entries: 1, ..EncodingLimits::default() };
    let (mut one, mut two) = (State::new(2, now), State::new(2, now));
    let mut trace = Trace::new(false);
    one.doors(&mut trace, 0, now).put(b"k", hash(&["a", "b", "c"], &EncodingLimits::default()), Keep::Nothing);
    two.doors(&mut trace, 0, now).put(b"k", hash(&["c", "b", "a"], &tight), Keep::Nothing);
    assert_eq!(digest::of_state(&one), digest::of_state(&two));
    let deadline = Deadline::after(now, 50).expect("in range");
    two.doors(&mut trace, 0, now).set_deadline(b"k", deadline);
    assert_ne!(digest::of_state(&one), digest::of_state(&two));
    let value = |state: &mut State, trace: &mut Trace| digest::of_key(state.doors(trace, 0, now), b"k");
    assert_ne!(value(&mut one, &mut trace), value(&mut two, &mut trace));
    two.doors(&mut trace, 0, now).clear_deadline(b"k");
    assert_eq!(value(&mut one, &mut trace), value(&mut two, &mut trace));
}

#[test]
fn scripts_may_call_everything_but_scripts_when_told_so() {
    check_with(
        ALLOWED,
        r#"
        A: EVAL "return redis.call('debug','protocol','integer')" 0
        A~ -ERR This Redis command is not allowed from script.*
        A: DEBUG SET-DISABLE-DENY-SCRIPTS 1
        A= +OK
        A: EVAL "return redis.call('debug','protocol','integer')" 0
        A= :12345
        A: EVAL "redis.setresp(3) return redis.call('debug','protocol','attrib')" 0
        A= "Some real reply following the attribute"
        A: EVAL "return redis.call('eval','return 1',0)" 0
        A~ -ERR This Redis command is not allowed from script.*
        A: DEBUG SET-DISABLE-DENY-SCRIPTS 0
        A= +OK
        A: EVAL "return redis.call('debug','protocol','integer')" 0
        A~ -ERR This Redis command is not allowed from script.*
        "#,
    );
}

#[test]
fn all_data_survives_a_reload() {
    check_with(
        ALLOWED,
        r#"
        A: SET s 12
        A= +OK
        A: RPUSH l a b c
        A= :3
        A: SADD u 3 1 2
        A= :3
        A: SADD v x y
        A= :2
        A: HSET h f 1 g 2
        A= :2
        A: ZADD z 1.5 m -inf n
        A= :2
        A: PEXPIRE l 1000
        A= :1
        A: SELECT 3
        A= +OK
        A: SET t x
        A= +OK
        A: EXPIREAT t 1700000005
        A= :1
        A: DEBUG RELOAD
        A= +OK
        A: TTL t
        A= :5
        A: SELECT 0
        A= +OK
        A: GET s
        A= "12"
        A: LRANGE l 0 -1
        A= ["a", "b", "c"]
        A: PTTL l
        A= :1000
        A: OBJECT ENCODING u
        A= "intset"
        A: SMEMBERS u
        A= ["1", "2", "3"]
        A: SCARD v
        A= :2
        A: HGETALL h
        A= ["f", "1", "g", "2"]
        A: ZRANGE z 0 -1 WITHSCORES
        A= ["n", "-inf", "m", "1.5"]
        advance 1000
        A: DEBUG LOADAOF
        A= +OK
        A: EXISTS l s
        A= :1
        A: DEBUG RELOAD NOSAVE
        A= -ERR Nothing is saved to disk that could be reloaded
        "#,
    );
}
