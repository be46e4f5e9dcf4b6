//! Transcripts recorded from Redis 7.0.15.

use crate::transcript::{check, replay};

#[test]
fn lifetimes_answer_as_redis() {
    check(
        r#"
            A: EXPIRE none 10
            A= :0
            A: SET k v
            A= +OK
            A: EXPIRE k 100 XX
            A= :0
            A: EXPIRE k 100 GT
            A= :0
            A: EXPIRE k 100 NX
            A= :1
            A: EXPIRE k 50 NX
            A= :0
            A: EXPIRE k 50 GT
            A= :0
            A: EXPIRE k 200 LT
            A= :0
            A: EXPIRE k 200 GT
            A= :1
            A: TTL k
            A= :200
            A: EXPIRE k 100 LT XX
            A= :1
            A: EXPIRE k 100 XX GT
            A= :0
            A: TTL k
            A= :100
            A: PERSIST k
            A= :1
            A: PERSIST k
            A= :0
            A: PERSIST none
            A= :0
            A: EXPIRE k 100 LT
            A= :1
            A: EXPIRE k 10 NX XX
            A= -ERR NX and XX, GT or LT options at the same time are not compatible
            A: EXPIRE k 10 NX GT
            A= -ERR NX and XX, GT or LT options at the same time are not compatible
            A: EXPIRE k 10 GT LT
            A= -ERR GT and LT options at the same time are not compatible
            A: EXPIRE k 10 NX Foo
            A= -ERR Unsupported option Foo
            A: EXPIRE k x NX XX
            A= -ERR NX and XX, GT or LT options at the same time are not compatible
            A: EXPIRE k x
            A= -ERR value is not an integer or out of range
            A: EXPIRE k 9223372036854775807
            A= -ERR invalid expire time in 'expire' command
            A: EXPIRE k -9223372036854775808
            A= -ERR invalid expire time in 'expire' command
            A: EXPIRE k 9223372036854775
            A= -ERR invalid expire time in 'expire' command
            A: PEXPIRE k 9223372036854775807
            A= -ERR invalid expire time in 'pexpire' command
            A: PEXPIRE k 1500
            A= :1
            A: TTL k
            A= :2
            A: PEXPIREAT k 9999999999999
            A= :1
            A: PEXPIRETIME k
            A= :9999999999999
            A: EXPIRETIME k
            A= :10000000000
            A: EXPIREAT k 9999999999
            A= :1
            A: PEXPIRETIME k
            A= :9999999999000
            A: TTL none
            A= :-2
            A: PTTL none
            A= :-2
            A: EXPIRETIME none
            A= :-2
            A: PEXPIRETIME none
            A= :-2
            A: PERSIST k
            A= :1
            A: TTL k
            A= :-1
            A: EXPIRETIME k
            A= :-1
            A: EXPIRE k 0
            A= :1
            A: EXISTS k
            A= :0
            A: SET k v
            A= +OK
            A: PEXPIREAT k 1
            A= :1
            A: EXISTS k
            A= :0
            A: SET k v
            A= +OK
            A: EXPIRE k -5 XX
            A= :0
            A: EXPIRE k -5
            A= :1
            A: GET k
            A= nil
        "#,
    );
}

#[test]
fn a_key_ends_at_its_deadline() {
    check(
        r#"
            A: SET k v
            A= +OK
            A: PEXPIRE k 1500
            A= :1
            A: TTL k
            A= :2
            advance 1001
            A: TTL k
            A= :0
            A: PTTL k
            A= :499
            advance 498
            A: PTTL k
            A= :1
            advance 1
            A: PTTL k
            A= :-2
            "#,
    );
}

#[test]
fn lifetimes_replay() {
    replay(
        r#"
            A: MSET a 1 b 1 c 1 d 1 e 1 f 1
            A= +OK
            A: EXPIRE a 100
            A= :1
            A: PEXPIRE b 10 NX
            A= :1
            A: PEXPIREAT c 1700000099999
            A= :1
            A: EXPIRE d -1
            A= :1
            A: EXPIRE e 100
            A= :1
            A: PERSIST e
            A= :1
            A: EXPIREAT f 9999999999 LT
            A= :1
            A: EXPIRE f 9999999 GT
            A= :0
            advance 20
            A: EXISTS a b c d e f
            A= :4
            "#,
    );
}
