//! Clients that mean harm, or have bad luck: what they do must stay theirs.

use crate::harness::{Connection, Server};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

/// Keeps the executor for `ms` milliseconds, then goes on with `then`.
fn slow_script(ms: u32, then: &str) -> String {
    format!(
        "EVAL \"local function now() local t = redis.call('time') return t[1] * 1000 + t[2] / 1000 end; \
         local till = now() + {ms}; while now() < till do end; {then}\" 0"
    )
}

fn wait_until_busy(connection: &mut Connection) {
    let deadline = Instant::now() + Duration::from_secs(5);
    while !connection.ask("PING").starts_with("-BUSY") {
        assert!(Instant::now() < deadline, "the script is not noticed");
    }
}

#[test]
fn a_bug_ends_the_process_and_leaves_no_half_of_a_server() {
    let mut server = Server::start(&["--enable-debug-command", "yes", "--io-threads", "2"]);
    let mut other = server.connect();
    assert_eq!(other.ask("PING"), "+PONG");
    server.connect().send("DEBUG PANIC");
    let status = server.end_within(Duration::from_secs(10)).expect("the server ends");
    assert_eq!(status.signal(), Some(nix::libc::SIGABRT));
    assert!(other.is_closed_within(Duration::from_secs(1)));
}

#[test]
fn a_burst_of_connections_does_not_pass_maxclients() {
    let server = Server::start(&["--maxclients", "10"]);
    std::thread::sleep(Duration::from_millis(100));
    let mut connections: Vec<_> = (0..100).map(|_| server.connect()).collect();
    let served = connections.iter_mut().filter_map(|connection| {
        connection.send_raw(b"PING\r\n");
        connection.reply_within(Duration::from_secs(5)).filter(|reply| reply == "+PONG")
    });
    assert_eq!(served.count(), 10);
    drop(connections);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(server.connect().ask("PING"), "+PONG", "places come back");
}

#[test]
fn a_client_that_does_not_read_is_not_answered_without_bounds() {
    const REPLIES: usize = 500;
    const SIZE: usize = 1_000_000;
    let server = Server::start(&[]);
    let mut setter = server.connect();
    assert_eq!(setter.ask(&format!("SET k {}", "x".repeat(SIZE))), "+OK");
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("accepted");
    stream.write_all(&b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n".repeat(REPLIES)).expect("taken");
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(setter.ask("PING"), "+PONG");
    let resident = server.resident_bytes();
    assert!(resident < 300_000_000, "{resident} bytes held");
    // Once it reads it gets everything.
    let mut left = REPLIES * (SIZE + "$1000000\r\n\r\n".len());
    let mut buf = vec![0; 1 << 20];
    stream.set_read_timeout(Some(Duration::from_secs(10))).expect("an option");
    while left > 0 {
        let count = stream.read(&mut buf).expect("more replies in time");
        assert!(count > 0, "closed with {left} bytes to come");
        left -= count;
    }
    stream.write_all(b"PING\r\n").expect("taken");
    stream.read_exact(&mut buf[..7]).expect("answered");
    assert_eq!(&buf[..7], b"+PONG\r\n");
}

#[test]
fn who_leaves_during_a_slow_script_takes_nothing_with_it() {
    for threads in ["1", "3"] {
        let server = Server::start(&["--busy-reply-threshold", "50", "--io-threads", threads]);
        let (mut runner, mut other, mut waiter) = (server.connect(), server.connect(), server.connect());
        waiter.send("BLPOP l 0");
        std::thread::sleep(Duration::from_millis(50));
        let mut watcher = server.connect();
        assert_eq!(watcher.ask("WATCH l"), "+OK");
        runner.send(&slow_script(600, "return redis.call('rpush', 'l', 'x')"));
        wait_until_busy(&mut other);
        drop((waiter, watcher));
        assert_eq!(runner.reply(), ":1");
        assert_eq!(other.ask("LRANGE l 0 -1"), r#"["x"]"#);
        assert!(other.ask("CLIENT LIST").matches("id=").count() == 2, "{threads} threads");
    }
}

#[test]
fn slow_scripts_follow_each_other_and_leave_no_threads() {
    let server = Server::start(&["--busy-reply-threshold", "20", "--io-threads", "2"]);
    let threads = || std::fs::read_dir(format!("/proc/{}/task", server.pid())).expect("it runs").count();
    let mut other = server.connect();
    for _ in 0..30 {
        let mut runner = server.connect();
        runner.send(r#"EVAL "while true do end" 0"#);
        wait_until_busy(&mut other);
        assert_eq!(server.connect().ask("GET k").split(' ').next(), Some("-BUSY"));
        assert_eq!(other.ask("SCRIPT KILL"), "+OK");
        assert!(runner.reply().starts_with("-ERR Script killed by user"));
        assert_eq!(runner.ask("PING"), "+PONG");
    }
    assert!(threads() < 20, "{} threads", threads());
}

#[test]
fn a_transaction_with_two_slow_scripts_answers_others_during_both() {
    let server = Server::start(&["--busy-reply-threshold", "50"]);
    let (mut runner, mut other) = (server.connect(), server.connect());
    assert_eq!(runner.ask("MULTI"), "+OK");
    for _ in 0..2 {
        assert_eq!(runner.ask(r#"EVAL "while true do end" 0"#), "+QUEUED");
    }
    runner.send("EXEC");
    wait_until_busy(&mut other);
    // Between the two nothing is slow, and a dying script may be killed twice: only the end tells.
    let deadline = Instant::now() + Duration::from_secs(5);
    let replies = loop {
        assert!(Instant::now() < deadline, "the second script is not noticed");
        other.ask("SCRIPT KILL");
        if let Some(replies) = runner.reply_within(Duration::from_millis(20)) {
            break replies;
        }
    };
    assert_eq!(replies.matches("Script killed by user").count(), 2, "{replies}");
}

#[test]
fn nothing_runs_behind_quit_or_a_protocol_error() {
    let server = Server::start(&[]);
    let mut other = server.connect();
    for ending in ["QUIT\r\n", "*1\r\n$x\r\n"] {
        let mut connection = server.connect();
        connection.send_raw(format!("SET k 1\r\n{ending}SET k 2\r\n").as_bytes());
        assert_eq!(connection.reply(), "+OK");
        connection.reply();
        assert!(connection.is_closed_within(Duration::from_secs(2)));
        assert_eq!(other.ask("GET k"), "\"1\"");
    }
}

#[test]
fn a_half_closed_connection_still_gets_its_replies() {
    let server = Server::start(&[]);
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("accepted");
    stream.write_all(&b"PING\r\n".repeat(1000)).expect("taken");
    stream.shutdown(Shutdown::Write).expect("half closed");
    let mut replies = Vec::new();
    stream.read_to_end(&mut replies).expect("answered");
    assert_eq!(replies, b"+PONG\r\n".repeat(1000));
}

#[test]
fn floods_of_empty_requests_and_deep_nesting_use_no_stack() {
    let server = Server::start(&["--lua-memory-limit", "32mb"]);
    let mut connection = server.connect();
    connection.send_raw(&b"*0\r\n*-1\r\n\r\n".repeat(200_000));
    assert_eq!(connection.ask("PING"), "+PONG");
    let deep = "[".repeat(100_000);
    assert!(connection.ask(&format!("EVAL \"return cjson.decode(ARGV[1])\" 0 {deep}")).starts_with("-ERR"));
    assert!(connection.ask(r#"EVAL "local function f() return f() + 1 end return f()" 0"#).starts_with("-ERR"));
    assert!(connection.ask(r#"EVAL "return string.rep(string.rep('x', 1e6), 1e6)" 0"#).starts_with("-ERR"));
    assert!(
        connection.ask(r#"EVAL "local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1e5) .. i end" 0"#).starts_with('-')
    );
    // Thousands of levels: too deep for the reader here, so unread.
    connection.send(r#"EVAL "local t = {} for i = 1, 1e5 do t = {t} end return t" 0"#);
    assert_eq!(server.connect().ask("PING"), "+PONG");
}
