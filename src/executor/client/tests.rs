//! Transcripts of CLIENT, recorded from Redis 7.0.15 where it has the subcommand.

use crate::transcript::{Stage, check};

#[test]
fn replies_can_be_dropped() {
    check(
        r#"
        A: CLIENT REPLY ON
        A= +OK
        A: CLIENT REPLY SKIP
        A: PING
        A! nothing
        A: PING
        A= +PONG
        A: CLIENT REPLY SKIP
        A: CLIENT REPLY SKIP
        A: nosuch
        A! nothing
        A: CLIENT REPLY SKIP
        A: CLIENT REPLY ON
        A= +OK
        A: CLIENT REPLY OFF
        A: CLIENT REPLY SKIP
        A: PING
        A: PING
        A! nothing
        A: CLIENT REPLY ON
        A= +OK
        A: CLIENT REPLY x
        A= -ERR syntax error
        A: CLIENT REPLY
        A= -ERR wrong number of arguments for 'client|reply' command
        A: CLIENT REPLY OFF
        A: SUBSCRIBE c
        A= ["subscribe", "c", :1]
        B: PUBLISH c m
        B= :1
        A= ["message", "c", "m"]
        A: RESET
        A= +RESET
        A: PING
        A= +PONG
        "#,
    );
}

#[test]
fn names_and_libraries_are_kept() {
    check(
        r#"
        A: CLIENT GETNAME
        A= nil
        A: CLIENT SETNAME "a b"
        A= -ERR Client names cannot contain spaces, newlines or special characters.
        A: CLIENT SETNAME me
        A= +OK
        A: CLIENT GETNAME
        A= "me"
        A: CLIENT SETNAME ""
        A= +OK
        A: CLIENT GETNAME
        A= nil
        A: CLIENT SETINFO lib-name redisson
        A= +OK
        A: CLIENT SETINFO LIB-VER 3.27
        A= +OK
        A: CLIENT SETINFO lib-x 1
        A= -ERR Unrecognized option 'lib-x'
        A: CLIENT SETINFO Lib-Name "a b"
        A= -ERR Lib-Name cannot contain spaces, newlines or special characters.
        A: CLIENT INFO
        A~ "id=1 .* name= .* lib-name=redisson lib-ver=3.27\n"
        A: CLIENT ID
        A= :1
        A: CLIENT NO-TOUCH x
        A= -ERR syntax error
        A: CLIENT NO-TOUCH on
        A= +OK
        A: CLIENT NO-EVICT ON
        A= +OK
        A: CLIENT INFO
        A~ "id=1 .* flags=eT .*
        A: CLIENT TRACKING ON
        A= -ERR unknown subcommand 'TRACKING'. Try CLIENT HELP.
        "#,
    );
}

#[test]
fn a_line_has_the_fields_of_redis() {
    check(
        r#"
        A: PING
        A= +PONG
        advance 2500
        A: CLIENT INFO
        A~ "id=1 addr=127.0.0.1:10001 laddr=127.0.0.1:6379 fd=0 name= age=2 idle=0 flags=N db=0 sub=0 psub=0 ssub=0 multi=-1 qbuf=26 qbuf-free=0 argv-mem=10 multi-mem=0 rbs=.* rbp=.* obl=0 oll=0 omem=0 tot-mem=.*
        "#,
    );
    check(
        r#"
        A: CLIENT INFO
        A~ .* events=r cmd=client|info user=default redir=-1 resp=2 lib-name= lib-ver=\n"
        A: HELLO 3
        A~ {.*
        A: SELECT 3
        A= +OK
        A: nosuch
        A~ -ERR.*
        B: MULTI
        B= +OK
        B: PING
        B= +QUEUED
        B: ECHO
        B~ -ERR wrong.*
        C: SUBSCRIBE a b
        C~ ["subscribe".*
        C~ ["subscribe".*
        C: PSUBSCRIBE p
        C~ ["psubscribe".*
        D: CLIENT LIST
        D~ "id=1 .* flags=N db=3 .* cmd=NULL user=default redir=-1 resp=3 .*\nid=2 .* flags=x db=0 .* multi=1 .* cmd=echo .*\nid=3 .* flags=P db=0 sub=2 psub=1 ssub=0 .* cmd=psubscribe .*\nid=4 .* cmd=client|list .*\n"
        "#,
    );
}

#[test]
fn lists_can_be_narrowed() {
    check(
        r#"
        A: PING
        A= +PONG
        B: SUBSCRIBE c
        B~ [.*
        A: CLIENT LIST TYPE pubsub
        A~ "id=2 .*
        A: CLIENT LIST TYPE normal
        A~ "id=1 .*
        A: CLIENT LIST TYPE replica
        A= ""
        A: CLIENT LIST TYPE x
        A= -ERR Unknown client type 'x'
        A: CLIENT LIST TYPE normal x
        A= -ERR syntax error
        A: CLIENT LIST ID
        A= -ERR syntax error
        A: CLIENT LIST ID x
        A= -ERR Invalid client ID
        A: CLIENT LIST ID 99 -1 2 1
        A~ "id=2 .*\nid=1 .*
        A: CLIENT LIST x
        A= -ERR syntax error
        "#,
    );
}

#[test]
fn connections_are_killed_by_address_or_filter() {
    check(
        r#"
        A: PING
        A= +PONG
        B: SUBSCRIBE c
        B~ [.*
        C: PING
        C= +PONG
        A: CLIENT KILL 1.1.1.1:1
        A= -ERR No such client
        A: CLIENT KILL ID 0
        A= -ERR client-id should be greater than 0
        A: CLIENT KILL TYPE x
        A= -ERR Unknown client type 'x'
        A: CLIENT KILL USER nosuch
        A= -ERR No such user 'nosuch'
        A: CLIENT KILL SKIPME maybe
        A= -ERR syntax error
        A: CLIENT KILL TYPE normal ID
        A= -ERR syntax error
        A: CLIENT KILL MAXAGE 1
        A= -ERR syntax error
        A: CLIENT KILL ID 1
        A= :0
        A: CLIENT KILL ID 1 SKIPME no ADDR 1.1.1.1:1
        A= :0
        A: PUBLISH c m
        A= :1
        A: CLIENT KILL TYPE pubsub
        A= :1
        A: PUBLISH c m
        A= :0
        A: CLIENT KILL 127.0.0.1:10003
        A= +OK
        A: CLIENT KILL LADDR 127.0.0.1:6379 USER default
        A= :0
        A: CLIENT KILL 127.0.0.1:10001
        A= +OK
        "#,
    );
}

#[test]
fn a_pause_of_writes_lets_reads_through() {
    check(
        r##"
        A: CLIENT PAUSE 100 WRITE
        A= +OK
        B: PING
        B= +PONG
        B: PUBLISH c m
        B! nothing
        A: CLIENT LIST ID 2
        A~ "id=2 .* flags=b .* cmd=publish .*
        A: CLIENT UNBLOCK 2
        A= :0
        advance 99
        B! nothing
        advance 1
        B= :0
        A: CLIENT PAUSE 1000 WRITE
        A= +OK
        B: MULTI
        B= +OK
        B: PING
        B= +QUEUED
        B: EXEC
        B= [+PONG]
        B: EVAL "#!lua flags=no-writes\nreturn 1" 0
        B= :1
        B: EVAL_RO "return 2" 0
        B= :2
        C: EVAL "return 3" 0
        C! nothing
        D: EVAL "#!lua\nreturn 4" 0
        D! nothing
        A: INFO clients
        A~ "# Clients\r\n.*blocked_clients:2\r\n.*
        B: CLIENT REPLY SKIP
        B: PUBLISH c m
        B: PING
        B! nothing
        A: CLIENT UNPAUSE
        A= +OK
        B= +PONG
        B! nothing
        C= :3
        D= :4
        "##,
    );
}

#[test]
fn a_pause_of_all_holds_everything_and_is_never_shortened() {
    check(
        r#"
        A: CLIENT PAUSE x
        A= -ERR timeout is not an integer or out of range
        A: CLIENT PAUSE -1
        A= -ERR timeout is negative
        A: CLIENT PAUSE 1 x
        A= -ERR CLIENT PAUSE mode must be WRITE or ALL
        A: CLIENT PAUSE 1 ALL x
        A= -ERR unknown subcommand or wrong number of arguments for 'PAUSE'. Try CLIENT HELP.
        A: CLIENT PAUSE 0
        A= +OK
        A: CLIENT PAUSE 9223372036854775807
        A= +OK
        A: MULTI
        A= +OK
        A: CLIENT PAUSE 70 ALL
        A= +QUEUED
        A: CLIENT PAUSE 200 WRITE
        A= +QUEUED
        A: EXEC
        A= [+OK, +OK]
        A: CLIENT UNPAUSE
        B: PING
        advance 199
        A! nothing
        B! nothing
        advance 1
        A= +OK
        B= +PONG
        "#,
    );
}

#[test]
fn nothing_expires_during_a_pause() {
    let mut stage = Stage::new();
    stage.play("A: WATCH w\nA= +OK");
    let state = &mut stage.executor.state;
    let mut doors = state.doors(&mut stage.executor.trace, 0, crate::transcript::BEGINNING);
    let value = crate::value::Value::String(crate::value::StringValue::new(b"v"));
    let deadline = crate::time::Deadline { at: crate::time::Millis(crate::transcript::BEGINNING.0 + 50), wall: false };
    doors.put(b"k", value, crate::keyspace::Keep::Nothing);
    doors.set_deadline(b"k", deadline);
    stage.play("A: CLIENT PAUSE 100 WRITE\nA= +OK\nadvance 99\nA: MULTI\nA= +OK\nA: EXEC\nA= []");
    assert_eq!(stage.executor.state.all().count(), 1);
    stage.play("advance 1");
    assert_eq!(stage.executor.state.all().count(), 0);
}

#[test]
fn unblock_refuses_what_it_does_not_know() {
    check(
        r#"
        A: CLIENT UNBLOCK x
        A= -ERR value is not an integer or out of range
        A: CLIENT UNBLOCK 1 x
        A= -ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR
        A: CLIENT UNBLOCK -5 TIMEOUT
        A= :0
        A: CLIENT UNBLOCK 1 ERROR
        A= :0
        A: CLIENT UNBLOCK 1 ERROR x
        A= -ERR unknown subcommand or wrong number of arguments for 'UNBLOCK'. Try CLIENT HELP.
        A: CLIENT
        A= -ERR wrong number of arguments for 'client' command
        A: CLIENT nosuch
        A= -ERR unknown subcommand 'nosuch'. Try CLIENT HELP.
        A: CLIENT HELP
        A~ [+CLIENT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:, +ID, .*
        "#,
    );
}
