//! The load generator: one thread, many connections, each sending its next batch when the one before is answered.

use crate::wire::reply_length;
use hdrhistogram::Histogram;
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// What is written at once.
pub(crate) struct Batch {
    pub(crate) bytes: Vec<u8>,
    pub(crate) replies: usize,
}

/// What one connection sends, over and over.
pub(crate) struct Script {
    pub(crate) batches: Vec<Batch>,
    /// So many batches, one behind the other, are one measured wait.
    pub(crate) batches_per_wait: usize,
    /// So many operations are done in that time.
    pub(crate) operations_per_wait: usize,
}

/// What came of it.
pub(crate) struct Run {
    pub(crate) operations: u64,
    pub(crate) took: Duration,
    /// In nanoseconds.
    pub(crate) waits: Histogram<u64>,
}

struct Connection {
    stream: TcpStream,
    script: Script,
    next: usize,
    /// Of the batch under way, not yet written.
    unwritten: usize,
    owed: usize,
    since: Instant,
    received: Vec<u8>,
    parsed: usize,
}

/// Opened connections, to be used for several runs.
pub(crate) struct Crowd {
    poll: Poll,
    connections: Vec<Connection>,
}

const PATIENCE: Duration = Duration::from_secs(60);

impl Crowd {
    /// Connects `count` times; `script` says what each of them sends.
    pub(crate) fn connect(address: SocketAddr, count: usize, script: impl Fn(usize) -> Script) -> io::Result<Self> {
        let poll = Poll::new()?;
        let mut connections = Vec::with_capacity(count);
        for index in 0..count {
            let stream = std::net::TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            stream.set_nonblocking(true)?;
            let mut stream = TcpStream::from_std(stream);
            poll.registry().register(&mut stream, Token(index), Interest::READABLE)?;
            connections.push(Connection::new(stream, script(index)));
        }
        Ok(Self { poll, connections })
    }

    /// Does about `operations` of them in all.
    pub(crate) fn run(&mut self, operations: u64) -> io::Result<Run> {
        let per_wait = self.connections[0].script.operations_per_wait as u64;
        let mut unsent = operations.div_ceil(per_wait);
        let mut under_way = 0_usize;
        let mut run = Run { operations: unsent * per_wait, took: Duration::ZERO, waits: histogram() };
        let mut events = Events::with_capacity(1024);
        let mut chunk = vec![0; 64 * 1024];
        let start = Instant::now();
        for connection in &mut self.connections {
            if unsent == 0 {
                break;
            }
            unsent -= 1;
            under_way += 1;
            connection.begin(start)?;
        }
        while under_way > 0 {
            self.poll.poll(&mut events, Some(PATIENCE))?;
            if events.is_empty() {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "the server has stopped answering"));
            }
            for event in &events {
                let connection = &mut self.connections[event.token().0];
                if !connection.advance(&mut chunk)? {
                    continue;
                }
                let now = Instant::now();
                let waited = now.duration_since(connection.since);
                run.waits.saturating_record(u64::try_from(waited.as_nanos()).unwrap_or(u64::MAX));
                if unsent == 0 {
                    under_way -= 1;
                } else {
                    unsent -= 1;
                    connection.begin(now)?;
                }
            }
        }
        run.took = start.elapsed();
        Ok(run)
    }
}

impl Connection {
    fn new(stream: TcpStream, script: Script) -> Self {
        let received = Vec::with_capacity(16 * 1024);
        Self { stream, script, next: 0, unwritten: 0, owed: 0, since: Instant::now(), received, parsed: 0 }
    }

    fn begin(&mut self, now: Instant) -> io::Result<()> {
        self.since = now;
        self.send_batch()
    }

    fn send_batch(&mut self) -> io::Result<()> {
        let batch = &self.script.batches[self.next];
        self.unwritten = batch.bytes.len();
        self.owed = batch.replies;
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        let bytes = &self.script.batches[self.next].bytes;
        while self.unwritten > 0 {
            match self.stream.write(&bytes[bytes.len() - self.unwritten..]) {
                Ok(count) => self.unwritten -= count,
                // The rest follows when replies have been read: a server that does not read has some to send.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads what there is. True when the wait is over.
    fn advance(&mut self, chunk: &mut [u8]) -> io::Result<bool> {
        let mut more = true;
        while more {
            match self.stream.read(chunk) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    // What comes later is another event.
                    more = count == chunk.len();
                    self.received.extend_from_slice(&chunk[..count]);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return self.write().map(|()| false),
                Err(error) => return Err(error),
            }
            while let Some(length) = reply_length(&self.received[self.parsed..])? {
                self.parsed += length;
                self.owed -= 1;
            }
            if self.parsed == self.received.len() {
                self.received.clear();
                self.parsed = 0;
            }
            if self.owed == 0 {
                self.next = (self.next + 1) % self.script.batches.len();
                if self.next.is_multiple_of(self.script.batches_per_wait) {
                    return Ok(true);
                }
                self.send_batch()?;
            }
        }
        self.write().map(|()| false)
    }
}

/// For times in nanoseconds, up to a minute.
pub(crate) fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(100, 60_000_000_000, 3).expect("good bounds")
}
