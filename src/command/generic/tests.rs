//! Transcripts recorded from Redis 7.0.15.

use crate::transcript::{check, check_with, replay};

#[test]
fn an_index_of_a_database_is_refused_as_redis_refuses_it() {
    check(
        r#"
        A: SELECT x
        A= -ERR value is not an integer or out of range
        A: SELECT 9223372036854775807
        A= -ERR value is out of range, value must between -2147483648 and 2147483647
        A: SELECT -1
        A= -ERR DB index is out of range
        A: SELECT 16
        A= -ERR DB index is out of range
        A: MOVE k 2147483648
        A= -ERR value is out of range, value must between -2147483648 and 2147483647
        A: COPY a b DB -2147483649
        A= -ERR value is out of range, value must between -2147483648 and 2147483647
        "#,
    );
}

#[test]
fn keys_and_databases_answer_as_redis() {
    check(
        r#"
            A: MSET a 1 b 2 c 3
            A= +OK
            A: EXISTS a b a none
            A= :3
            A: DEL a none a
            A= :1
            A: UNLINK b none
            A= :1
            A: TOUCH c none c
            A= :2
            A: TYPE c
            A= +string
            A: TYPE none
            A= +none
            A: RPUSH l 1
            A= :1
            A: TYPE l
            A= +list
            A: RENAME c c
            A= +OK
            A: RENAME none none
            A= -ERR no such key
            A: RENAME none c
            A= -ERR no such key
            A: SETEX v 100 x
            A= +OK
            A: RENAME v c
            A= +OK
            A: TTL c
            A= :100
            A: GET c
            A= "x"
            A: EXISTS v
            A= :0
            A: RENAMENX c l
            A= :0
            A: RENAMENX c c
            A= :0
            A: RENAMENX c v
            A= :1
            A: TTL v
            A= :100
            A: COPY v w
            A= :1
            A: TTL w
            A= :100
            A: COPY v w
            A= :0
            A: COPY l w REPLACE
            A= :1
            A: TTL w
            A= :-1
            A: COPY none w
            A= :0
            A: COPY v v
            A= -ERR source and destination objects are the same
            A: COPY v v DB 0
            A= -ERR source and destination objects are the same
            A: COPY v v DB 1
            A= :1
            A: COPY v v DB x
            A= -ERR value is not an integer or out of range
            A: COPY v v DB 99
            A= -ERR DB index is out of range
            A: COPY v v DB
            A= -ERR syntax error
            A: COPY v v foo
            A= -ERR syntax error
            A: MOVE v 1
            A= :0
            A: MOVE v 0
            A= -ERR source and destination objects are the same
            A: MOVE v x
            A= -ERR value is not an integer or out of range
            A: MOVE v 99
            A= -ERR DB index is out of range
            A: MOVE none 1
            A= :0
            A: MOVE l 1
            A= :1
            A: DBSIZE
            A= :2
            A: SELECT 1
            A= +OK
            A: DBSIZE
            A= :2
            A: TTL v
            A= :100
            A: LRANGE l 0 -1
            A= ["1"]
            A: SWAPDB 0 1
            A= +OK
            A: DBSIZE
            A= :2
            A: KEYS w*
            A= ["w"]
            A: KEYS ?
            A~ [".*", ".*"]
            A: KEYS *
            A~ [.*"v".*]
            A: RANDOMKEY
            A~ ".*"
            A: SCAN 0
            A~ ["0", [".*", ".*"]]
            A: SCAN 0 TYPE list
            A= ["0", ["w"]]
            A: SCAN 0 TYPE string
            A= ["0", ["v"]]
            A: SCAN 0 TYPE foo
            A= ["0", []]
            A: SCAN 0 MATCH x*
            A= ["0", []]
            A: SCAN x
            A= -ERR invalid cursor
            A: SCAN 0 COUNT 0
            A= -ERR syntax error
            A: SCAN 0 COUNT x
            A= -ERR value is not an integer or out of range
            A: SCAN 0 MATCH
            A= -ERR syntax error
            A: SCAN 0 foo bar
            A= -ERR syntax error
            A: SCAN 0 COUNT 5 MATCH
            A= -ERR syntax error
            A: SWAPDB a 1
            A= -ERR invalid first DB index
            A: SWAPDB 1 b
            A= -ERR invalid second DB index
            A: SWAPDB 0 99
            A= -ERR DB index is out of range
            A: SWAPDB 0 -1
            A= -ERR DB index is out of range
            A: SWAPDB 1 1
            A= +OK
            A: FLUSHDB foo
            A= -ERR syntax error
            A: FLUSHDB ASYNC SYNC
            A= -ERR syntax error
            A: FLUSHDB SYNC
            A= +OK
            A: DBSIZE
            A= :0
            A: RANDOMKEY
            A= nil
            A: SCAN 0
            A= ["0", []]
            A: SELECT 0
            A= +OK
            A: DBSIZE
            A= :2
            A: FLUSHALL ASYNC
            A= +OK
            A: DBSIZE
            A= :0
            A: OBJECT ENCODING none
            A= nil
            A: SET n 5
            A= +OK
            A: OBJECT ENCODING n
            A= "int"
            A: OBJECT REFCOUNT n
            A= :2147483647
            A: OBJECT FREQ n
            A= -ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.
            A: OBJECT FREQ none
            A= nil
            A: SET n 10000
            A= +OK
            A: OBJECT REFCOUNT n
            A= :1
            A: OBJECT foo n
            A= -ERR unknown subcommand 'foo'. Try OBJECT HELP.
            A: OBJECT ENCODING
            A= -ERR wrong number of arguments for 'object|encoding' command
            A: OBJECT
            A= -ERR wrong number of arguments for 'object' command
        "#,
    );
}

#[test]
fn sort_answers_as_redis() {
    check(
        r#"
            A: RPUSH l 3 1 2 10
            A= :4
            A: SORT l
            A= ["1", "2", "3", "10"]
            A: SORT l DESC
            A= ["10", "3", "2", "1"]
            A: SORT l ALPHA
            A= ["1", "10", "2", "3"]
            A: SORT l ALPHA DESC
            A= ["3", "2", "10", "1"]
            A: SORT l LIMIT 1 2
            A= ["2", "3"]
            A: SORT l LIMIT -1 2
            A= ["1", "2"]
            A: SORT l LIMIT 1 -1
            A= ["2", "3", "10"]
            A: SORT l LIMIT 1 0
            A= []
            A: SORT l LIMIT 10 2
            A= []
            A: SORT l LIMIT x 2
            A= -ERR value is not an integer or out of range
            A: SORT l LIMIT 1
            A= -ERR syntax error
            A: SORT l foo
            A= -ERR syntax error
            A: SORT l BY
            A= -ERR syntax error
            A: SORT l BY nosort
            A= ["3", "1", "2", "10"]
            A: SORT l BY nosort DESC
            A= ["10", "2", "1", "3"]
            A: SORT l BY nosort LIMIT 1 2
            A= ["1", "2"]
            A: SORT l BY nosort DESC LIMIT 1 2
            A= ["2", "1"]
            A: SORT l BY nosort GET x GET #
            A= [nil, "3", nil, "1", nil, "2", nil, "10"]
            A: MSET w_1 5 w_2 1 w_3 9
            A= +OK
            A: SORT l BY w_*
            A= ["10", "2", "1", "3"]
            A: SORT l BY w_* DESC GET # GET w_*
            A= ["3", "9", "1", "5", "2", "1", "10", nil]
            A: SORT l BY w_* ALPHA
            A= ["10", "2", "1", "3"]
            A: HSET h_1 f 7
            A= :1
            A: HSET h_2 f 6 g x
            A= :2
            A: SORT l BY h_*->f GET h_*->f GET h_*->g GET h_*->
            A= [nil, nil, nil, nil, nil, nil, "6", "x", nil, "7", nil, nil]
            A: SORT l BY l* GET l*
            A= [nil, nil, nil, nil]
            A: SORT l STORE d
            A= :4
            A: LRANGE d 0 -1
            A= ["1", "2", "3", "10"]
            A: SORT l GET w_* STORE d
            A= :4
            A: LRANGE d 0 -1
            A= ["5", "1", "9", ""]
            A: SORT l LIMIT 9 9 STORE d
            A= :0
            A: EXISTS d
            A= :0
            A: SORT none STORE d
            A= :0
            A: SORT none
            A= []
            A: SORT_RO l STORE d
            A= -ERR syntax error
            A: SORT_RO l LIMIT 0 1
            A= ["1"]
            A: SADD s c a b
            A= :3
            A: SORT s
            A= -ERR One or more scores can't be converted into double
            A: SORT s ALPHA
            A= ["a", "b", "c"]
            A: SORT s BY nosort STORE d
            A= :3
            A: LRANGE d 0 -1
            A= ["a", "b", "c"]
            A: SADD si 3 2 1
            A= :3
            A: SORT si BY nosort
            A= ["1", "2", "3"]
            A: SORT si BY nosort DESC
            A= ["1", "2", "3"]
            A: ZADD z 1 c 2 b 3 a
            A= :3
            A: SORT z BY nosort
            A= ["c", "b", "a"]
            A: SORT z BY nosort DESC
            A= ["a", "b", "c"]
            A: SORT z BY nosort LIMIT 1 1
            A= ["b"]
            A: SORT z BY nosort DESC LIMIT 0 1
            A= ["a"]
            A: SORT z ALPHA
            A= ["a", "b", "c"]
            A: SET str x
            A= +OK
            A: SORT str
            A= -WRONGTYPE Operation against a key holding the wrong kind of value
            A: HSET h a b
            A= :1
            A: SORT h
            A= -WRONGTYPE Operation against a key holding the wrong kind of value
            A: RPUSH e "" " 5" 0x10 -inf 1e2
            A= :5
            A: SORT e
            A= ["-inf", "", " 5", "0x10", "1e2"]
            A: RPUSH e x
            A= :6
            A: SORT e
            A= -ERR One or more scores can't be converted into double
            A: RPUSH n nan
            A= :1
            A: SORT n
            A= -ERR One or more scores can't be converted into double
        "#,
    );
}

#[test]
fn whole_database_changes_break_watches_of_what_they_change() {
    check(
        r#"
            A: WATCH missing
            A= +OK
            B: SET other v
            B= +OK
            B: FLUSHALL
            B= +OK
            A: MULTI
            A= +OK
            A: EXEC
            A= []
            B: SET k v
            B= +OK
            A: WATCH k
            A= +OK
            B: FLUSHDB
            B= +OK
            A: MULTI
            A= +OK
            A: EXEC
            A= *nil
            B: SELECT 1
            B= +OK
            B: SET k v
            B= +OK
            A: WATCH nowhere
            A= +OK
            B: SWAPDB 0 1
            B= +OK
            A: MULTI
            A= +OK
            A: EXEC
            A= []
            A: WATCH k
            A= +OK
            B: SWAPDB 1 0
            B= +OK
            A: MULTI
            A= +OK
            A: EXEC
            A= *nil
            A: WATCH k
            A= +OK
            B: SWAPDB 0 1
            B= +OK
            A: MULTI
            A= +OK
            A: EXEC
            A= *nil
            A: WATCH k
            A= +OK
            B: SWAPDB 1 1
            B= +OK
            A: MULTI
            A= +OK
            A: EXEC
            A= []
            "#,
    );
}

#[test]
fn keys_and_databases_replay() {
    replay(
        r#"
            A: MSET a 1 b 2 c 3 d 4
            A= +OK
            A: EXPIRE a 100
            A= :1
            A: RENAME a x
            A= +OK
            A: RENAME b c
            A= +OK
            A: COPY x y DB 3
            A= :1
            A: COPY c y DB 3 REPLACE
            A= :1
            A: MOVE c 2
            A= :1
            A: DEL d none
            A= :1
            A: SWAPDB 2 5
            A= +OK
            A: RPUSH l 3 1 2
            A= :3
            A: SORT l STORE s
            A= :3
            A: SELECT 3
            A= +OK
            A: FLUSHDB
            A= +OK
            A: SET z 1
            A= +OK
            "#,
    );
}

#[test]
fn idle_time_counts_from_the_last_access() {
    check(
        r#"
            A: SET k v
            A= +OK
            advance 5000
            A: EXISTS k
            A= :1
            A: TTL k
            A= :-1
            A: TYPE k
            A= +string
            A: OBJECT IDLETIME k
            A= :5
            A: TOUCH k
            A= :1
            A: OBJECT IDLETIME k
            A= :0
            A: OBJECT HELP
            A~ [+OBJECT <subcommand> .*, +ENCODING key, .*, +HELP, +    Prints this help.]
            "#,
    );
}

#[test]
fn events_are_those_of_redis() {
    check_with(
        &["--notify-keyspace-events", "EA$lgmn"],
        r#"
            A: MSET a 1 b 2 s 1 s2 1
            A= +OK
            B: PSUBSCRIBE __keyevent*
            B= ["psubscribe", "__keyevent*", :1]
            A: EXPIRE a 100
            A= :1
            B= ["pmessage", "__keyevent*", "__keyevent@0__:expire", "a"]
            A: EXPIRE a 100 NX
            A= :0
            A: PERSIST a
            A= :1
            B= ["pmessage", "__keyevent*", "__keyevent@0__:persist", "a"]
            A: EXPIRE a -1
            A= :1
            B= ["pmessage", "__keyevent*", "__keyevent@0__:del", "a"]
            A: EXPIRE zz 1
            A= :0
            A: TTL zz
            A= :-2
            B= ["pmessage", "__keyevent*", "__keyevent@0__:keymiss", "zz"]
            A: EXISTS b zz
            A= :1
            B= ["pmessage", "__keyevent*", "__keyevent@0__:keymiss", "zz"]
            A: TYPE zz
            A= +none
            B= ["pmessage", "__keyevent*", "__keyevent@0__:keymiss", "zz"]
            A: TOUCH zz
            A= :0
            B= ["pmessage", "__keyevent*", "__keyevent@0__:keymiss", "zz"]
            A: OBJECT ENCODING zz
            A= nil
            A: DEL b zz
            A= :1
            B= ["pmessage", "__keyevent*", "__keyevent@0__:del", "b"]
            A: UNLINK x s2
            A= :1
            B= ["pmessage", "__keyevent*", "__keyevent@0__:del", "s2"]
            A: RENAME s t
            A= +OK
            B= ["pmessage", "__keyevent*", "__keyevent@0__:new", "t"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:rename_from", "s"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:rename_to", "t"]
            A: SET u v
            A= +OK
            B= ["pmessage", "__keyevent*", "__keyevent@0__:new", "u"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:set", "u"]
            A: RENAME t u
            A= +OK
            B= ["pmessage", "__keyevent*", "__keyevent@0__:new", "u"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:rename_from", "t"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:rename_to", "u"]
            A: RENAMENX u new
            A= :1
            B= ["pmessage", "__keyevent*", "__keyevent@0__:new", "new"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:rename_from", "u"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:rename_to", "new"]
            A: COPY new copy
            A= :1
            B= ["pmessage", "__keyevent*", "__keyevent@0__:new", "copy"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:copy_to", "copy"]
            A: COPY new copy REPLACE
            A= :1
            B= ["pmessage", "__keyevent*", "__keyevent@0__:new", "copy"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:copy_to", "copy"]
            A: COPY new copy DB 1
            A= :1
            B= ["pmessage", "__keyevent*", "__keyevent@1__:new", "copy"]
            B= ["pmessage", "__keyevent*", "__keyevent@1__:copy_to", "copy"]
            A: MOVE copy 1
            A= :0
            A: MOVE new 2
            A= :1
            B= ["pmessage", "__keyevent*", "__keyevent@2__:new", "new"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:move_from", "new"]
            B= ["pmessage", "__keyevent*", "__keyevent@2__:move_to", "new"]
            A: RPUSH l 3 1 2
            A= :3
            B= ["pmessage", "__keyevent*", "__keyevent@0__:new", "l"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:rpush", "l"]
            A: SORT l STORE d
            A= :3
            B= ["pmessage", "__keyevent*", "__keyevent@0__:new", "d"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:sortstore", "d"]
            A: SORT l STORE d2
            A= :3
            B= ["pmessage", "__keyevent*", "__keyevent@0__:new", "d2"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:sortstore", "d2"]
            A: SORT zz STORE d
            A= :0
            B= ["pmessage", "__keyevent*", "__keyevent@0__:keymiss", "zz"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:del", "d"]
            A: SORT l BY w_* GET o_*
            A= [nil, nil, nil]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:keymiss", "w_3"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:keymiss", "w_1"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:keymiss", "w_2"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:keymiss", "o_1"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:keymiss", "o_2"]
            B= ["pmessage", "__keyevent*", "__keyevent@0__:keymiss", "o_3"]
            A: SWAPDB 0 1
            A= +OK
            A: FLUSHDB
            A= +OK
            A: FLUSHALL
            A= +OK
            B! nothing
            "#,
    );
}
