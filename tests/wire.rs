//! The protocol over real sockets: pipelines, splits, limits, Unix sockets, hostile bytes.

use crate::harness::{Connection, Server, command, free_port};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

#[test]
fn a_request_split_at_any_byte_is_answered_once() {
    let server = Server::start(&[]);
    let mut connection = server.connect();
    let request = b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$4\r\na\r\nb\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n";
    for split in 1..request.len() {
        connection.send_raw(&request[..split]);
        std::thread::sleep(Duration::from_millis(1));
        connection.send_raw(&request[split..]);
        assert_eq!(connection.reply(), "+OK");
        assert_eq!(connection.reply(), r#""a\r\nb""#);
    }
}

#[test]
fn the_redis_crate_takes_and_releases_a_lock() {
    let server = Server::start(&[]);
    let (mut owner, mut other) = (server.client(), server.client());
    let mut set_nx = redis::cmd("SET");
    let set_nx = set_nx.arg("lock").arg("owner").arg("NX").arg("PX").arg(60_000);
    assert_eq!(set_nx.query::<Option<String>>(&mut owner), Ok(Some("OK".to_owned())));
    assert_eq!(set_nx.query::<Option<String>>(&mut other), Ok(None));
    let release = redis::Script::new(
        "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0",
    );
    assert_eq!(release.key("lock").arg("owner").invoke::<i64>(&mut owner), Ok(1));
    assert_eq!(set_nx.query::<Option<String>>(&mut other), Ok(Some("OK".to_owned())));
}

#[test]
fn a_long_pipeline_is_answered_in_order_and_others_are_served_meanwhile() {
    let server = Server::start(&[]);
    let mut pipeline = Vec::new();
    for n in 0..100_000 {
        pipeline.extend(format!("*2\r\n$4\r\nECHO\r\n$6\r\n{n:06}\r\n").into_bytes());
    }
    let mut busy = server.connect();
    let writer = std::thread::spawn(move || {
        busy.send_raw(&pipeline);
        (0..100_000).for_each(|n| assert_eq!(busy.reply(), format!("\"{n:06}\"")));
    });
    let mut other = server.connect();
    for _ in 0..20 {
        let start = Instant::now();
        assert_eq!(other.ask("PING"), "+PONG");
        assert!(start.elapsed() < Duration::from_millis(500), "kept waiting by a pipeline");
    }
    writer.join().expect("replies in order");
}

#[test]
fn who_has_not_given_the_password_cannot_fill_memory_with_replies() {
    let server = Server::start(&["--requirepass", "secret"]);
    let mut stranger = server.connect();
    assert_eq!(stranger.ask("PING"), "-NOAUTH Authentication required.");
    let requests = b"PING\r\n".repeat(100_000);
    let sent = stranger.try_send_raw(&requests);
    assert!(!sent || stranger.is_closed_within(Duration::from_secs(5)));
}

#[test]
fn protocol_errors_are_told_and_close_the_connection() {
    let server = Server::start(&[]);
    let cases: [(&[u8], &str); 5] = [
        (b"*1048577000000\r\n", "-ERR Protocol error: invalid multibulk length"),
        (b"*x\r\n", "-ERR Protocol error: invalid multibulk length"),
        (b"*1\r\n$-1\r\n", "-ERR Protocol error: invalid bulk length"),
        (b"*1\r\nX4\r\nPING\r\n", "-ERR Protocol error: expected '$', got 'X'"),
        (b"SET \"k\r\n", "-ERR Protocol error: unbalanced quotes in request"),
    ];
    for (bytes, error) in cases {
        let mut connection = server.connect();
        connection.send_raw(bytes);
        assert_eq!(connection.reply(), error);
        assert!(connection.is_closed_within(Duration::from_secs(2)), "{error}");
    }
}

#[test]
fn random_bytes_neither_kill_nor_hang_the_server() {
    let server = Server::start(&[]);
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..200 {
        let mut bytes = Vec::new();
        for _ in 0..512 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            // Mostly bytes that mean something to the protocol.
            let byte = b"*$\r\n0123456789-+PINGSETkv\"' \\x"[(seed % 30) as usize];
            bytes.push(if seed >> 60 == 0 { (seed >> 32) as u8 } else { byte });
        }
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", server.port)).expect("still accepting");
        // The server may close before all is written.
        let _ = stream.write_all(&bytes);
    }
    assert_eq!(server.connect().ask("PING"), "+PONG");
}

#[test]
fn a_unix_socket_serves_like_tcp_and_goes_away_at_the_end() {
    let path = std::env::temp_dir().join(format!("holdfast-{}.sock", free_port()));
    let path_text = path.to_str().expect("a plain path").to_owned();
    let server = Server::start(&["--unixsocket", &path_text, "--unixsocketperm", "700"]);
    let deadline = Instant::now() + Duration::from_secs(5);
    // TCP, which the harness waits for, comes first.
    let mut stream = loop {
        match UnixStream::connect(&path) {
            Ok(stream) => break stream,
            Err(error) => assert!(Instant::now() < deadline, "no Unix socket: {error}"),
        }
    };
    stream.write_all(b"PING\r\n").expect("written");
    let mut reply = [0; 7];
    stream.read_exact(&mut reply).expect("answered");
    assert_eq!(&reply, b"+PONG\r\n");
    let pid = nix::unistd::Pid::from_raw(server.pid() as i32);
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).expect("signalled");
    let deadline = Instant::now() + Duration::from_secs(5);
    while path.exists() {
        assert!(Instant::now() < deadline, "the socket file stays");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn maxclients_and_passwords_guard_the_door() {
    let server = Server::start(&["--maxclients", "2", "--requirepass", "secret"]);
    // The harness's own probe has to be gone before the count means anything.
    std::thread::sleep(Duration::from_millis(100));
    let mut first = server.connect();
    assert_eq!(first.ask("GET k"), "-NOAUTH Authentication required.");
    assert_eq!(first.ask("AUTH wrong"), "-WRONGPASS invalid username-password pair or user is disabled.");
    assert_eq!(
        first.ask("HELLO 3"),
        concat!(
            "-NOAUTH HELLO must be called with the client already authenticated, ",
            "otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select \
             the ",
            "RESP protocol version at the same time"
        )
    );
    assert_eq!(first.ask("AUTH secret"), "+OK");
    assert_eq!(first.ask("GET k"), "nil");
    let mut second = server.connect();
    assert!(second.ask("HELLO 3 AUTH default secret SETNAME me").contains(r#""proto": :3"#));
    let mut third = server.connect();
    assert_eq!(third.reply(), "-ERR max number of clients reached");
}

#[test]
fn a_taken_port_is_one_plain_line_and_exit_1() {
    let server = Server::start(&[]);
    let output = command()
        .args(["--port", &server.port.to_string(), "--bind", "127.0.0.1"])
        .stderr(std::process::Stdio::piped())
        .output()
        .expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains(&format!("127.0.0.1:{}: bind: Address already in use", server.port)), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}

#[test]
fn a_slow_subscriber_is_cut_off_and_the_publisher_goes_on() {
    let server = Server::start(&["--client-output-buffer-limit", "pubsub", "1mb", "0", "0"]);
    let mut slow = server.connect();
    assert_eq!(slow.ask("SUBSCRIBE c"), r#"["subscribe", "c", :1]"#);
    let mut publisher = server.connect();
    let message = "x".repeat(100_000);
    let cut = (0..1_000).any(|_| publisher.ask(&format!("PUBLISH c {message}")) == ":0");
    assert!(cut, "the slow subscriber still counts after 100 MB");
    assert_eq!(publisher.ask("PING"), "+PONG");
}

#[test]
fn listening_moves_with_config_set_and_stays_when_it_cannot() {
    let server = Server::start(&[]);
    let mut connection = server.connect();
    let port = free_port();
    assert_eq!(connection.ask(&format!("CONFIG SET port {port}")), "+OK");
    let mut moved = Connection::to(port);
    assert_eq!(moved.ask("PING"), "+PONG");
    assert_eq!(connection.ask("PING"), "+PONG");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken_port = taken.local_addr().expect("an address").port();
    assert_eq!(
        moved.ask(&format!("CONFIG SET port {taken_port}")),
        "-ERR CONFIG SET failed (possibly related to argument 'port') - Unable to listen on this port. Check server logs."
    );
    assert_eq!(
        moved.ask("CONFIG SET bind 999.999.999.999"),
        "-ERR CONFIG SET failed (possibly related to argument 'bind') - Failed to bind to specified addresses."
    );
    assert_eq!(Connection::to(port).ask("PING"), "+PONG");
    assert_eq!(moved.ask("CONFIG SET bind 127.0.0.1"), "+OK");
    assert_eq!(Connection::to(port).ask("CONFIG GET port"), format!("[\"port\", \"{port}\"]"));
}
