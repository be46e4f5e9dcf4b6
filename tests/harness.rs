//! Starts the binary under test and talks to it.

use crate::text;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running server; killed when dropped.
pub(crate) struct Server {
    child: Child,
    /// Where it listens on 127.0.0.1.
    pub port: u16,
}

impl Server {
    /// Starts a server with further command line arguments and waits until it answers.
    pub(crate) fn start(args: &[&str]) -> Self {
        let port = free_port();
        let child = command().args(["--port", &port.to_string()]).args(args).spawn().expect("the binary starts");
        let server = Self { child, port };
        let deadline = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "the server does not listen");
            std::thread::sleep(Duration::from_millis(10));
        }
        server
    }

    /// A raw connection.
    pub(crate) fn connect(&self) -> Connection {
        Connection::to(self.port)
    }

    /// A client of the redis crate.
    pub(crate) fn client(&self) -> redis::Connection {
        let client = redis::Client::open(format!("redis://127.0.0.1:{}/", self.port)).expect("a good address");
        client.get_connection().expect("the server accepts")
    }

    /// How the server ended, if it does within `wait`.
    pub(crate) fn end_within(&mut self, wait: Duration) -> Option<std::process::ExitStatus> {
        let deadline = Instant::now() + wait;
        loop {
            let ended = self.child.try_wait().expect("a child of ours");
            if ended.is_some() || Instant::now() > deadline {
                return ended;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Resident memory of the server in bytes.
    pub(crate) fn resident_bytes(&self) -> u64 {
        let statm = std::fs::read_to_string(format!("/proc/{}/statm", self.pid())).expect("it runs");
        let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).expect("a number");
        pages * 4096
    }

    /// The server's process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; there is nobody to tell otherwise.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The binary, silent.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_holdfast"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// A port that was free a moment ago.
pub(crate) fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// A raw connection that speaks text.
pub(crate) struct Connection {
    stream: TcpStream,
    bytes: Vec<u8>,
}

impl Connection {
    /// Connects to a port of this machine.
    pub(crate) fn to(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("the server accepts");
        stream.set_nodelay(true).expect("an option");
        Self { stream, bytes: Vec::new() }
    }

    /// Sends bytes as they are.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the server reads");
    }

    /// Sends bytes as they are, to a server that may close; false if it did.
    pub(crate) fn try_send_raw(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// Sends one request, written as in a shell.
    pub(crate) fn send(&mut self, request: &str) {
        let argv = text::split(request);
        let mut bytes = format!("*{}\r\n", argv.len()).into_bytes();
        for arg in argv {
            bytes.extend(format!("${}\r\n", arg.len()).into_bytes());
            bytes.extend(arg);
            bytes.extend(b"\r\n");
        }
        self.send_raw(&bytes);
    }

    /// The next reply or message as text; `None` when none comes in time or the server has closed.
    pub(crate) fn reply_within(&mut self, wait: Duration) -> Option<String> {
        let deadline = Instant::now() + wait;
        loop {
            if let Some((text, used)) = text::read(&self.bytes) {
                self.bytes.drain(..used);
                return Some(text);
            }
            let left = deadline.checked_duration_since(Instant::now())?.max(Duration::from_millis(1));
            self.stream.set_read_timeout(Some(left)).expect("an option");
            let mut buf = [0; 65536];
            match self.stream.read(&mut buf) {
                Ok(0) => return None,
                Ok(count) => self.bytes.extend_from_slice(&buf[..count]),
                Err(_) => {}
            }
        }
    }

    /// The next reply or message as text.
    pub(crate) fn reply(&mut self) -> String {
        self.reply_within(Duration::from_secs(10)).expect("a reply in time")
    }

    /// Sends a request and gives its reply.
    pub(crate) fn ask(&mut self, request: &str) -> String {
        self.send(request);
        self.reply()
    }

    /// Whether the server has closed this connection, waiting a while for it.
    pub(crate) fn is_closed_within(&mut self, wait: Duration) -> bool {
        self.stream.set_read_timeout(Some(wait)).expect("an option");
        loop {
            match self.stream.read(&mut [0; 65536]) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) => return error.kind() == std::io::ErrorKind::ConnectionReset,
            }
        }
    }
}
