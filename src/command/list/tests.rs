//! Transcripts of list commands, recorded from redis-server 7.0.15.

use crate::transcript::{check, replay};

#[test]
fn lists_answer_as_redis_does() {
    replay(
        r#"
        A: RPUSH l a b c
        A= :3
        A: LPUSH l z y
        A= :5
        A: LRANGE l 0 -1
        A= ["y", "z", "a", "b", "c"]
        A: LPUSHX nokey a
        A= :0
        A: RPUSHX nokey a
        A= :0
        A: LPUSHX l x
        A= :6
        A: RPUSHX l d e
        A= :8
        A: LLEN l
        A= :8
        A: LLEN nokey
        A= :0
        A: LRANGE l -3 -2
        A= ["c", "d"]
        A: LRANGE l 5 2
        A= []
        A: LRANGE l -100 100
        A= ["x", "y", "z", "a", "b", "c", "d", "e"]
        A: LRANGE nokey 0 -1
        A= []
        A: LRANGE l x 1
        A= -ERR value is not an integer or out of range
        A: LRANGE l 0 x
        A= -ERR value is not an integer or out of range
        A: LINDEX l 0
        A= "x"
        A: LINDEX l -1
        A= "e"
        A: LINDEX l 99
        A= nil
        A: LINDEX l -99
        A= nil
        A: LINDEX l x
        A= -ERR value is not an integer or out of range
        A: LINDEX nokey 0
        A= nil
        A: LINDEX nokey x
        A= nil
        A: LSET l 0 X
        A= +OK
        A: LSET l -1 E
        A= +OK
        A: LSET l 99 x
        A= -ERR index out of range
        A: LSET l -99 x
        A= -ERR index out of range
        A: LSET l x x
        A= -ERR value is not an integer or out of range
        A: LSET nokey 0 x
        A= -ERR no such key
        A: LSET nokey x x
        A= -ERR no such key
        A: LINSERT l BEFORE a new
        A= :9
        A: LINSERT l after a new2
        A= :10
        A: LINSERT l BETWEEN a new
        A= -ERR syntax error
        A: LINSERT l BEFORE nopivot new
        A= :-1
        A: LINSERT nokey BEFORE a new
        A= :0
        A: LRANGE l 0 -1
        A= ["X", "y", "z", "new", "a", "new2", "b", "c", "d", "E"]
        A: RPUSH r a b a c a b a
        A= :7
        A: LREM r 2 a
        A= :2
        A: LRANGE r 0 -1
        A= ["b", "c", "a", "b", "a"]
        A: LREM r -1 a
        A= :1
        A: LREM r 0 b
        A= :2
        A: LREM r x b
        A= -ERR value is not an integer or out of range
        A: LREM nokey x b
        A= -ERR value is not an integer or out of range
        A: LREM nokey 0 b
        A= :0
        A: LREM r 0 nothing
        A= :0
        A: LRANGE r 0 -1
        A= ["c", "a"]
        A: LREM r -9223372036854775808 c
        A= :1
        A: LREM r 9223372036854775807 a
        A= :1
        A: LLEN r
        A= :0
        A: RPUSH t 1 2 3 4 5
        A= :5
        A: LTRIM t 1 -2
        A= +OK
        A: LRANGE t 0 -1
        A= ["2", "3", "4"]
        A: LTRIM t x 1
        A= -ERR value is not an integer or out of range
        A: LTRIM nokey 0 1
        A= +OK
        A: LTRIM nokey x 1
        A= -ERR value is not an integer or out of range
        A: LTRIM t 0 -1
        A= +OK
        A: LTRIM t 5 10
        A= +OK
        A: LLEN t
        A= :0
        A: RPUSH p 1 2 3 4 5 6 7
        A= :7
        A: LPOP p
        A= "1"
        A: RPOP p
        A= "7"
        A: LPOP p 2
        A= ["2", "3"]
        A: RPOP p 2
        A= ["6", "5"]
        A: LPOP p 0
        A= []
        A: LPOP p -1
        A= -ERR value is out of range, must be positive
        A: LPOP p x
        A= -ERR value is out of range, must be positive
        A: LPOP p 1 1
        A= -ERR wrong number of arguments for 'lpop' command
        A: RPOP p 1 1
        A= -ERR wrong number of arguments for 'rpop' command
        A: LPOP p 99
        A= ["4"]
        A: LPOP p
        A= nil
        A: LPOP p 1
        A= *nil
        A: LPOP p 0
        A= *nil
        A: LPOP p -1
        A= -ERR value is out of range, must be positive
        A: RPUSH s a b c 1 2 3 c c
        A= :8
        A: LPOS s c
        A= :2
        A: LPOS s c RANK 2
        A= :6
        A: LPOS s c RANK -1
        A= :7
        A: LPOS s c RANK -2
        A= :6
        A: LPOS s c RANK 9
        A= nil
        A: LPOS s c RANK 0
        A= -ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list
        A: LPOS s c RANK x
        A= -ERR value is not an integer or out of range
        A: LPOS s c RANK -9223372036854775808
        A= :7
        A: LPOS s c COUNT 2
        A= [:2, :6]
        A: LPOS s c COUNT 0
        A= [:2, :6, :7]
        A: LPOS s c COUNT 2 RANK -1
        A= [:7, :6]
        A: LPOS s c COUNT 0 RANK -2
        A= [:6, :2]
        A: LPOS s c COUNT -1
        A= -ERR COUNT can't be negative
        A: LPOS s c COUNT x
        A= -ERR COUNT can't be negative
        A: LPOS s c MAXLEN 2
        A= nil
        A: LPOS s c MAXLEN 3
        A= :2
        A: LPOS s c MAXLEN 0 COUNT 0
        A= [:2, :6, :7]
        A: LPOS s c MAXLEN 7 COUNT 0
        A= [:2, :6]
        A: LPOS s c MAXLEN 1 RANK -1 COUNT 0
        A= [:7]
        A: LPOS s c MAXLEN -1
        A= -ERR MAXLEN can't be negative
        A: LPOS s c MAXLEN x
        A= -ERR MAXLEN can't be negative
        A: LPOS s c COUNT
        A= -ERR syntax error
        A: LPOS s c NOSUCH 1
        A= -ERR syntax error
        A: LPOS s nosuch
        A= nil
        A: LPOS s nosuch COUNT 1
        A= []
        A: LPOS nokey c
        A= nil
        A: LPOS nokey c COUNT 1
        A= []
        A: LPOS nokey c RANK 0
        A= -ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list
        A: LPOS s 2
        A= :4
        A: LMOVE s d LEFT RIGHT
        A= "a"
        A: LMOVE s d right left
        A= "c"
        A: LMOVE s d LEFT UP
        A= -ERR syntax error
        A: LMOVE s d UP LEFT
        A= -ERR syntax error
        A: LMOVE s s LEFT RIGHT
        A= "b"
        A: LMOVE s s RIGHT LEFT
        A= "b"
        A: LMOVE s s LEFT LEFT
        A= "b"
        A: LMOVE nokey d LEFT LEFT
        A= nil
        A: RPOPLPUSH s d
        A= "c"
        A: RPOPLPUSH s s
        A= "3"
        A: RPOPLPUSH nokey d
        A= nil
        A: LRANGE s 0 -1
        A= ["3", "b", "c", "1", "2"]
        A: LRANGE d 0 -1
        A= ["c", "c", "a"]
        A: RPUSH one 1
        A= :1
        A: LMOVE one one LEFT RIGHT
        A= "1"
        A: RPOPLPUSH one two
        A= "1"
        A: LLEN one
        A= :0
        A: LRANGE two 0 -1
        A= ["1"]
        A: LMPOP 2 nokey d LEFT
        A= ["d", ["c"]]
        A: LMPOP 2 nokey d RIGHT COUNT 2
        A= ["d", ["a", "c"]]
        A: LMPOP 2 nokey d left count 99
        A= *nil
        A: LMPOP 2 nokey d LEFT
        A= *nil
        A: LMPOP 0 d LEFT
        A= -ERR numkeys should be greater than 0
        A: LMPOP -1 d LEFT
        A= -ERR numkeys should be greater than 0
        A: LMPOP x d LEFT
        A= -ERR numkeys should be greater than 0
        A: LMPOP 3 a d LEFT
        A= -ERR syntax error
        A: LMPOP 2 a d UP
        A= -ERR syntax error
        A: LMPOP 1 d LEFT COUNT 0
        A= -ERR count should be greater than 0
        A: LMPOP 1 d LEFT COUNT -1
        A= -ERR count should be greater than 0
        A: LMPOP 1 d LEFT COUNT x
        A= -ERR count should be greater than 0
        A: LMPOP 1 d LEFT COUNT
        A= -ERR syntax error
        A: LMPOP 1 d LEFT COUNT 1 COUNT 1
        A= -ERR syntax error
        A: LMPOP 1 d LEFT X 1
        A= -ERR syntax error
        A: LMPOP 1 d COUNT 1
        A= -ERR syntax error
        A: LMPOP 9223372036854775807 d LEFT
        A= -ERR syntax error
        A: LMPOP 1 two LEFT COUNT 9223372036854775807
        A= ["two", ["1"]]
        A: HELLO 3
        A~ {"server".*
        A: LPOP nokey
        A= nil
        A: LPOP nokey 1
        A= nil
        A: LPOS nokey a
        A= nil
        A: LPOS nokey a COUNT 0
        A= []
        A: LMPOP 1 nokey LEFT
        A= nil
        A: RPUSH l3 a 1
        A= :2
        A: LMPOP 1 l3 LEFT
        A= ["l3", ["a"]]
        A: LPOP l3 1
        A= ["1"]
        "#,
    );
}

#[test]
fn every_list_command_refuses_another_type() {
    check(
        r#"
        A: HSET h a 1
        A= :1
        A: RPUSH l a
        A= :1
        A: LPUSH h a
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: RPUSH h a
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: LPUSHX h a
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: RPUSHX h a
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: LPOP h
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: LPOP h 0
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: LPOP h -1
        A= -ERR value is out of range, must be positive
        A: RPOP h 1
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: LLEN h
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: LRANGE h 0 1
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: LINDEX h 0
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: LINDEX h x
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: LSET h 0 a
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: LSET h x a
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: LINSERT h BEFORE a b
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: LINSERT h UP a b
        A= -ERR syntax error
        A: LREM h 0 a
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: LTRIM h 0 1
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: LPOS h a
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: LPOS h a RANK 0
        A= -ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list
        A: LMOVE h l LEFT LEFT
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: LMOVE l h LEFT LEFT
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: LMOVE nokey h LEFT LEFT
        A= nil
        A: RPOPLPUSH h l
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: RPOPLPUSH l h
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: LMPOP 2 nokey h LEFT
        A= -WRONGTYPE Operation against a key holding the wrong kind of value
        A: LMPOP 2 l h LEFT
        A= ["l", ["a"]]
        "#,
    );
}
