//! Transcripts recorded from Redis 7.0.15.

use crate::transcript::{check, check_with, replay};

#[test]
fn set_and_its_kin_answer_as_redis() {
    check(
        r#"
            A: SET k v
            A= +OK
            A: GET k
            A= "v"
            A: GET missing
            A= nil
            A: SET k w NX
            A= nil
            A: SET k w XX
            A= +OK
            A: SET missing w XX
            A= nil
            A: SET k x GET
            A= "w"
            A: SET k y NX GET
            A= "x"
            A: GET k
            A= "x"
            A: SET fresh y NX GET
            A= nil
            A: SET fresh z XX GET
            A= "y"
            A: SET k v nx xx
            A= -ERR syntax error
            A: SET k v xx nx
            A= -ERR syntax error
            A: SET k v NX NX
            A= nil
            A: SET k v foo
            A= -ERR syntax error
            A: SET k v EX
            A= -ERR syntax error
            A: SET k v EX 10 PX 10
            A= -ERR syntax error
            A: SET k v EX 10 EX 20
            A= +OK
            A: SET k v KEEPTTL EX 5
            A= -ERR syntax error
            A: SET k v EX 5 KEEPTTL
            A= -ERR syntax error
            A: SET k v PERSIST
            A= -ERR syntax error
            A: SET k v EX 0
            A= -ERR invalid expire time in 'set' command
            A: SET k v PX -1
            A= -ERR invalid expire time in 'set' command
            A: SET k v PX abc
            A= -ERR value is not an integer or out of range
            A: SET k v EX 9223372036854775807
            A= -ERR invalid expire time in 'set' command
            A: SET k v PX 9223372036854775807
            A= -ERR invalid expire time in 'set' command
            A: SET k v PXAT 99999999999999
            A= +OK
            A: PEXPIRETIME k
            A= :99999999999999
            A: SET k w KEEPTTL
            A= +OK
            A: PEXPIRETIME k
            A= :99999999999999
            A: SET k w
            A= +OK
            A: PEXPIRETIME k
            A= :-1
            A: SET k v EXAT 99999999999
            A= +OK
            A: EXPIRETIME k
            A= :99999999999
            A: SETNX k v
            A= :0
            A: SETNX nxk v
            A= :1
            A: SETEX k 100 v
            A= +OK
            A: TTL k
            A= :100
            A: SETEX k 0 v
            A= -ERR invalid expire time in 'setex' command
            A: SETEX k x v
            A= -ERR value is not an integer or out of range
            A: PSETEX k -1 v
            A= -ERR invalid expire time in 'psetex' command
            A: PSETEX k 100000 v
            A= +OK
            A: GETSET k n
            A= "v"
            A: TTL k
            A= :-1
            A: GETSET never n
            A= nil
            A: GETDEL never
            A= "n"
            A: GETDEL never
            A= nil
            A: RPUSH l a
            A= :1
            A: GET l
            A= -WRONGTYPE Operation against a key holding the wrong kind of value
            A: SET l v GET
            A= -WRONGTYPE Operation against a key holding the wrong kind of value
            A: SET l v NX GET
            A= -WRONGTYPE Operation against a key holding the wrong kind of value
            A: SETNX l v
            A= :0
            A: GETSET l v
            A= -WRONGTYPE Operation against a key holding the wrong kind of value
            A: GETDEL l
            A= -WRONGTYPE Operation against a key holding the wrong kind of value
            A: GETEX l
            A= -WRONGTYPE Operation against a key holding the wrong kind of value
            A: SET l v
            A= +OK
            A: GETEX l EX 100
            A= "v"
            A: TTL l
            A= :100
            A: GETEX l PERSIST
            A= "v"
            A: TTL l
            A= :-1
            A: GETEX l PERSIST EX 1
            A= -ERR syntax error
            A: GETEX l EX 1 PERSIST
            A= -ERR syntax error
            A: GETEX l KEEPTTL
            A= -ERR syntax error
            A: GETEX l NX
            A= -ERR syntax error
            A: GETEX l EX 0
            A= -ERR invalid expire time in 'getex' command
            A: GETEX gone EX 0
            A= nil
            A: GETEX gone EX x
            A= nil
            A: GETEX l PXAT 1
            A= "v"
            A: EXISTS l
            A= :0
            A: SET past v PXAT 1
            A= +OK
            A: GET past
            A= nil
            A: MSET a 1 b 2 a 3
            A= +OK
            A: MGET a b c k
            A= ["3", "2", nil, "n"]
            A: MSET a
            A= -ERR wrong number of arguments for 'mset' command
            A: MSET a 1 b
            A= -ERR wrong number of arguments for 'mset' command
            A: MSETNX a 1 z 2
            A= :0
            A: MSETNX y 1 z 2
            A= :1
            A: MSETNX y 1 z
            A= -ERR wrong number of arguments for 'msetnx' command
            A: RPUSH list a
            A= :1
            A: MGET a list nope
            A= ["3", nil, nil]
        "#,
    );
}

#[test]
fn ranges_and_numbers_answer_as_redis() {
    check(
        r#"
            A: APPEND s abc
            A= :3
            A: APPEND s def
            A= :6
            A: STRLEN s
            A= :6
            A: STRLEN none
            A= :0
            A: GETRANGE s 1 3
            A= "bcd"
            A: SUBSTR s -3 -1
            A= "def"
            A: GETRANGE s x 1
            A= -ERR value is not an integer or out of range
            A: GETRANGE none 0 -1
            A= ""
            A: SETRANGE s 1 XX
            A= :6
            A: SETRANGE s 8 end
            A= :11
            A: GET s
            A= "aXXdef\x00\x00end"
            A: SETRANGE none 3 ""
            A= :0
            A: EXISTS none
            A= :0
            A: SETRANGE s 0 ""
            A= :11
            A: SETRANGE s -1 v
            A= -ERR offset is out of range
            A: SETRANGE s x v
            A= -ERR value is not an integer or out of range
            A: SETRANGE s 536870911 v2
            A= -ERR string exceeds maximum allowed size (proto-max-bulk-len)
            A: SETRANGE s 9223372036854775807 v
            A= -ERR string exceeds maximum allowed size (proto-max-bulk-len)
            A: APPEND n 12
            A= :2
            A: OBJECT ENCODING n
            A= "int"
            A: APPEND n ""
            A= :2
            A: OBJECT ENCODING n
            A= "raw"
            A: INCR n
            A= :13
            A: OBJECT ENCODING n
            A= "int"
            A: DECR n
            A= :12
            A: INCRBY n 10
            A= :22
            A: DECRBY n 30
            A= :-8
            A: INCRBY n x
            A= -ERR value is not an integer or out of range
            A: DECRBY n -9223372036854775808
            A= -ERR decrement would overflow
            A: SET n 9223372036854775807
            A= +OK
            A: INCR n
            A= -ERR increment or decrement would overflow
            A: GET n
            A= "9223372036854775807"
            A: SET n " 1"
            A= +OK
            A: INCR n
            A= -ERR value is not an integer or out of range
            A: INCRBYFLOAT f 0.1
            A= "0.1"
            A: INCRBYFLOAT f 0.2
            A= "0.3"
            A: INCRBYFLOAT f abc
            A= -ERR value is not a valid float
            A: INCRBYFLOAT f inf
            A= -ERR increment would produce NaN or Infinity
            A: OBJECT ENCODING f
            A= "embstr"
            A: INCRBYFLOAT n 1
            A= -ERR value is not a valid float
            A: SET n 3.0e3
            A= +OK
            A: INCRBYFLOAT n 200
            A= "3200"
            A: RPUSH l a
            A= :1
            A: APPEND l x
            A= -WRONGTYPE Operation against a key holding the wrong kind of value
            A: INCR l
            A= -WRONGTYPE Operation against a key holding the wrong kind of value
            A: INCRBYFLOAT l 1
            A= -WRONGTYPE Operation against a key holding the wrong kind of value
            A: SETRANGE l 0 x
            A= -WRONGTYPE Operation against a key holding the wrong kind of value
            A: SETRANGE l 0 ""
            A= -WRONGTYPE Operation against a key holding the wrong kind of value
            A: GETRANGE l 0 1
            A= -WRONGTYPE Operation against a key holding the wrong kind of value
            A: STRLEN l
            A= -WRONGTYPE Operation against a key holding the wrong kind of value
        "#,
    );
}

#[test]
fn lcs_answers_as_redis() {
    check(
        r#"
            A: MSET a ohmytext b mynewtext
            A= +OK
            A: LCS a b
            A= "mytext"
            A: LCS a b LEN
            A= :6
            A: LCS a b IDX
            A= ["matches", [[[:4, :7], [:5, :8]], [[:2, :3], [:0, :1]]], "len", :6]
            A: LCS a b IDX MINMATCHLEN 4
            A= ["matches", [[[:4, :7], [:5, :8]]], "len", :6]
            A: LCS a b IDX WITHMATCHLEN MINMATCHLEN -5
            A= ["matches", [[[:4, :7], [:5, :8], :4], [[:2, :3], [:0, :1], :2]], "len", :6]
            A: LCS a b LEN IDX
            A= -ERR If you want both the length and indexes, please just use IDX.
            A: LCS a b MINMATCHLEN
            A= -ERR syntax error
            A: LCS a b MINMATCHLEN x
            A= -ERR value is not an integer or out of range
            A: LCS a b foo
            A= -ERR syntax error
            A: LCS a none
            A= ""
            A: LCS a none IDX
            A= ["matches", [], "len", :0]
            A: RPUSH l a
            A= :1
            A: LCS a l foo
            A= -ERR The specified keys must contain string values
            A: MSET a abcabcaabbcc b cbacbabcabca
            A= +OK
            A: LCS a b
            A= "bcabcabc"
            A: LCS a b IDX WITHMATCHLEN
            A= ["matches", [[[:11, :11], [:10, :10], :1], [[:9, :9], [:9, :9], :1], [[:7, :7], [:8, :8], :1], [[:3, :5], [:5, :7], :3], [[:2, :2], [:3, :3], :1], [[:1, :1], [:1, :1], :1]], "len", :8]
        "#,
    );
}

#[test]
fn set_compares_as_newer_servers_do() {
    check(
        r#"
            A: SET lock b IFEQ a
            A= nil
            A: SET lock a IFNE a
            A= +OK
            A: SET lock b IFNE a
            A= nil
            A: SET lock b IFEQ x GET
            A= "a"
            A: SET lock b IFEQ a PX 1000 GET
            A= "a"
            A: PTTL lock
            A= :1000
            A: SET lock b IFEQ b KEEPTTL
            A= +OK
            A: PTTL lock
            A= :1000
            A: SET lock 12 IFEQ b
            A= +OK
            A: SET lock 13 IFEQ 12
            A= +OK
            A: SET lock 13 IFEQ
            A= -ERR syntax error
            A: SET lock 13 NX IFEQ 13
            A= -ERR syntax error
            A: SET lock 13 IFEQ 13 XX
            A= -ERR syntax error
            A: SET lock 13 IFEQ 13 IFNE 13
            A= -ERR syntax error
            A: RPUSH list a
            A= :1
            A: SET list v IFEQ a
            A= -WRONGTYPE Operation against a key holding the wrong kind of value
            A: SET list v IFNE a
            A= -WRONGTYPE Operation against a key holding the wrong kind of value
            "#,
    );
}

#[test]
fn a_failed_set_leaves_watch_and_lifetime_alone() {
    check(
        r#"
            A: SET lock a PX 1000
            A= +OK
            A: WATCH lock
            A= +OK
            A: MULTI
            A= +OK
            A: PTTL lock
            A= +QUEUED
            B: SET lock b NX PX 5
            B= nil
            B: SETNX lock b
            B= :0
            B: SET lock b IFEQ c
            B= nil
            A: EXEC
            A= [:1000]
            advance 999
            A: GET lock
            A= "a"
            advance 1
            A: SET lock b NX
            A= +OK
            "#,
    );
}

#[test]
fn strings_replay() {
    replay(
        r#"
            A: SET a v PX 100
            A= +OK
            A: SET b v PXAT 1700000009999
            A= +OK
            A: SET WALL WALL
            A= +OK
            A: SET c v
            A= +OK
            A: SET c WALL IFEQ v
            A= +OK
            A: SETEX d 10 v
            A= +OK
            A: SET d v KEEPTTL
            A= +OK
            A: SET d w GET
            A= "v"
            A: GETEX b EX 77
            A= "v"
            A: GETEX b PXAT 1700000099999
            A= "v"
            A: SET e 1
            A= +OK
            A: GETEX e PX 1
            A= "1"
            A: GETDEL c
            A= "WALL"
            A: INCRBYFLOAT f 0.1
            A= "0.1"
            A: EXPIRE f 100
            A= :1
            A: INCRBYFLOAT f 0.2
            A= "0.3"
            A: APPEND g 1
            A= :1
            A: SETRANGE g 3 x
            A= :4
            A: MSETNX h 1 i 2
            A= :1
            advance 50
            A: SET j v PXAT 1
            A= +OK
            advance 60
            A: DBSIZE
            A= :7
            "#,
    );
}

#[test]
fn events_are_those_of_redis() {
    check_with(
        &["--notify-keyspace-events", "EA$lgmn"],
        r#"
            B: PSUBSCRIBE __keyevent*
            B= ["psubscribe", "__keyevent*", :1]
            A: SET k v
            A= +OK
            B= ["pmessage", "__keyevent*", "__keyevent@0__:new", "k"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:set", "k"]
            A: SET k w EX 100
            A= +OK
            B= ["pmessage", "__keyevent*", "__keyevent@0__:set", "k"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:expire", "k"]
            A: SET k x KEEPTTL
            A= +OK
            B= ["pmessage", "__keyevent*", "__keyevent@0__:set", "k"]
            A: SET k x NX
            A= nil
            A: GET k
            A= "x"
            A: GET none
            A= nil
            B= ["pmessage", "__keyevent*", "__keyevent@0__:keymiss", "none"]
            A: SETNX n 1
            A= :1
            B= ["pmessage", "__keyevent*", "__keyevent@0__:new", "n"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:set", "n"]
            A: SETEX e 100 v
            A= +OK
            B= ["pmessage", "__keyevent*", "__keyevent@0__:new", "e"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:set", "e"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:expire", "e"]
            A: GETSET n 2
            A= "1"
            B= ["pmessage", "__keyevent*", "__keyevent@0__:set", "n"]
            A: GETEX e PX 5000
            A= "v"
            B= ["pmessage", "__keyevent*", "__keyevent@0__:expire", "e"]
            A: GETEX e PERSIST
            A= "v"
            B= ["pmessage", "__keyevent*", "__keyevent@0__:persist", "e"]
            A: GETEX e PERSIST
            A= "v"
            A: GETEX e EXAT 1
            A= "v"
            B= ["pmessage", "__keyevent*", "__keyevent@0__:del", "e"]
            A: GETDEL n
            A= "2"
            B= ["pmessage", "__keyevent*", "__keyevent@0__:del", "n"]
            A: GETDEL n
            A= nil
            B= ["pmessage", "__keyevent*", "__keyevent@0__:keymiss", "n"]
            A: MSET a 1 b 2 a 3
            A= +OK
            B= ["pmessage", "__keyevent*", "__keyevent@0__:new", "a"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:set", "a"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:new", "b"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:set", "b"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:set", "a"]
            A: MSETNX a 1 x 2
            A= :0
            A: MGET a zz
            A= ["3", nil]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:keymiss", "zz"]
            A: APPEND s abc
            A= :3
            B= ["pmessage", "__keyevent*", "__keyevent@0__:new", "s"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:append", "s"]
            A: APPEND s ""
            A= :3
            B= ["pmessage", "__keyevent*", "__keyevent@0__:append", "s"]
            A: SETRANGE s 1 x
            A= :3
            B= ["pmessage", "__keyevent*", "__keyevent@0__:setrange", "s"]
            A: SETRANGE s 1 ""
            A= :3
            A: SETRANGE s2 1 x
            A= :2
            B= ["pmessage", "__keyevent*", "__keyevent@0__:new", "s2"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:setrange", "s2"]
            A: STRLEN zz
            A= :0
            B= ["pmessage", "__keyevent*", "__keyevent@0__:keymiss", "zz"]
            A: INCR i
            A= :1
            B= ["pmessage", "__keyevent*", "__keyevent@0__:new", "i"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:incrby", "i"]
            A: DECRBY i 5
            A= :-4
            B= ["pmessage", "__keyevent*", "__keyevent@0__:incrby", "i"]
            A: INCRBYFLOAT i 1.5
            A= "-2.5"
            B= ["pmessage", "__keyevent*", "__keyevent@0__:incrbyfloat", "i"]
            A: LCS a zz
            A= ""
            B= ["pmessage", "__keyevent*", "__keyevent@0__:keymiss", "zz"]
            B! nothing
            "#,
    );
}
