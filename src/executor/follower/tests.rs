//! What a follower is sent, byte by byte and request by request.

use crate::transcript::{Stage, split};

/// The stream since it was last looked at, one request a line.
fn stream(stage: &mut Stage) -> String {
    let bytes = stage.take_bytes("F");
    let mut words = bytes.split(|byte| *byte == b'\n').map(|line| String::from_utf8_lossy(line).trim_end().to_owned());
    let mut text = String::new();
    while let Some(header) = words.next().filter(|header| !header.is_empty()) {
        let count = header.trim_start_matches('*').parse().expect("a request");
        let request: Vec<String> = (0..count).filter_map(|_| words.nth(1)).collect();
        text.push_str(&request.join(" "));
        text.push('\n');
    }
    text
}

fn follow(stage: &mut Stage) -> Vec<u8> {
    stage.send("F", split("SYNC"));
    stage.take_bytes("F")
}

#[test]
fn an_image_of_all_data_comes_first() {
    let mut stage = Stage::new();
    assert_eq!(follow(&mut stage), b"$18\r\nREDIS0010\xff\0\0\0\0\0\0\0\0");
    stage.play(
        r#"
        F.close
        A: SELECT 2
        A= +OK
        A: SET k v PX 5
        A= +OK
        "#,
    );
    let expected = [
        b"$34\r\nREDIS0010\xfe\x02\xfc".as_slice(),
        &1_700_000_000_005_i64.to_le_bytes(),
        b"\0\x01k\x01v\xff\0\0\0\0\0\0\0\0",
    ];
    assert_eq!(follow(&mut stage), expected.concat());
}

#[test]
fn effects_follow_as_redis_would_propagate_them() {
    let mut stage = Stage::with_options(&["--enable-debug-command", "yes"]);
    stage.play("A: SELECT 9\nA= +OK");
    follow(&mut stage);
    stage.play(
        r#"
        A: SET k v EX 1
        A= +OK
        A: GET k
        A= "v"
        A: FLUSHDB
        A= +OK
        A: FLUSHDB ASYNC
        A= +OK
        A: MULTI
        A= +OK
        A: INCR n
        A= +QUEUED
        A: SELECT 3
        A= +QUEUED
        A: SADD s m
        A= +QUEUED
        A: SREM s x
        A= +QUEUED
        A: EXEC
        A= [:1, +OK, :1, :0]
        A: EVAL "redis.call('SPOP','s') redis.call('SET','t',1)" 0
        A= nil
        A: MULTI
        A= +OK
        A: EXPIREAT t 1700000002
        A= +QUEUED
        A: EXEC
        A= [:1]
        "#,
    );
    assert_eq!(
        stream(&mut stage),
        "SELECT 9\nSET k v PXAT 1700000001000\nFLUSHDB\nFLUSHDB ASYNC\nMULTI\nINCR n\nSELECT 3\nSADD s m\nEXEC\n\
         MULTI\nSREM s m\nSET t 1\nEXEC\nPEXPIREAT t 1700000002000\n"
    );
    stage.play(
        r#"
        A: DEBUG SET-ACTIVE-EXPIRE 0
        A= +OK
        A: SET u 1 PX 1
        A= +OK
        advance 2000
        A: EXISTS t u
        A= :0
        "#,
    );
    let lines = stream(&mut stage);
    assert!(["t", "u"].iter().all(|key| lines.contains(&format!("DEL {key}\n"))), "{lines}");
    assert!(!lines.contains("MULTI"), "{lines}");
    stage.play(
        r#"
        A: ROLE
        A~ ["master", :.*, [["127.0.0.1", "0", ".*"]]]
        A: INFO replication
        A~ .*connected_slaves:1\r\nslave0:ip=127.0.0.1,port=0,state=online,offset=.*
        F: GET k
        F= -ERR Replica can't interact with the keyspace
        F: SYNC
        F! nothing
        A: CLIENT LIST TYPE replica
        A~ "id=.* flags=S .*
        A: CLIENT KILL TYPE slave
        A= :1
        F.close
        A: SET k v
        A= +OK
        "#,
    );
    assert!(!stage.executor.trace.recording);
}
