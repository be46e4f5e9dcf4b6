//! One connection: bytes in, requests to the executor, bytes out.
//!
//! A hand-written future rather than an `async fn`: an idle connection then costs this struct and no saved stack, the
//! read buffer is the I/O thread's, and a request that arrives is read, run and answered without going to sleep in
//! between.

use super::shared::{Locked, Shared};
use super::stream::{Reader, Writer};
use crate::executor::Flow;
use crate::journal::Position;
use crate::reply::Sink;
use crate::resp::{Encoder, Limits, Parsed, Parser};
use crate::session::{Client, Session, Signals};
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// Reads are made into one buffer per I/O thread; only what does not make a whole request is kept per connection.
const READ_BYTES: usize = 64 * 1024;

thread_local! {
    static SCRATCH: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
}

/// A turn ends after this much time, or this many bytes of requests, so that no client keeps the others waiting.
const TURN_US: i64 = 1000;
const TURN_BYTES: usize = 1024 * 1024;

/// Buffers up to this size stay with an idle connection.
const KEPT_BYTES: usize = 512;

/// Past this many unsent bytes no further request of the client is run.
const HELD_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The half of a connection that others reach: they put into the session's outbox and call [`Link::flush`].
pub(super) struct Link {
    pub(super) session: Arc<Session>,
    writer: Writer,
    waker: Mutex<Option<Waker>>,
}

/// What is left in an outbox after a flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flushed {
    /// Nothing that may leave.
    Done,
    /// The socket takes no more for now.
    Full,
    /// The peer is gone.
    Broken,
}

impl Link {
    pub(super) fn new(session: Arc<Session>, writer: Writer) -> Self {
        Self { session, writer, waker: Mutex::new(None) }
    }

    /// Sends what may leave, without waiting.
    pub(super) fn flush(&self, committed: Position) -> Flushed {
        let mut outbox = self.session.outbox.lock();
        outbox.queued = false;
        if self.session.has(Signals::KILLED) {
            // What was held back may be lost; what came behind it must not be taken for it.
            outbox.drop_all();
            return Flushed::Broken;
        }
        loop {
            let ready = outbox.ready(committed);
            if ready.is_empty() {
                outbox.shrink(KEPT_BYTES);
                return Flushed::Done;
            }
            match self.writer.try_write(ready) {
                Ok(count) => outbox.advance(count),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Flushed::Full,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => {
                    outbox.drop_all();
                    return Flushed::Broken;
                }
            }
        }
    }

    /// Has the connection's own task look at its session again.
    pub(super) fn wake(&self) {
        if let Some(waker) = &*self.waker.lock() {
            waker.wake_by_ref();
        }
    }
}

/// A connection as its own task sees it.
pub(super) struct Connection {
    shared: Arc<Shared>,
    link: Arc<Link>,
    reader: Reader,
    client: Client,
    parser: Parser,
    /// Bytes read but not yet run.
    input: Vec<u8>,
    /// How many bytes of `input` have been run.
    used: usize,
    /// Whether a whole request may be in `input`: it was not looked through, or the turn ended before its end.
    unrun: bool,
    closing: bool,
}

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// No whole request is left.
    Idle,
    /// It used up its share; there is more to run.
    Share,
    /// The client waits, is paused, or must not be read further.
    Waiting,
}

impl Connection {
    pub(super) fn new(shared: Arc<Shared>, link: Arc<Link>, reader: Reader, client: Client) -> Self {
        let parser = Parser::new();
        Self { shared, link, reader, client, parser, input: Vec::new(), used: 0, unrun: false, closing: false }
    }

    /// Does all there is to do. Ready when the connection is over.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.remember(cx);
        let mut runs = 0;
        loop {
            if self.session().has(Signals::KILLED) {
                return Poll::Ready(());
            }
            if self.may_run() {
                let input = std::mem::take(&mut self.input);
                let (ended, used) = self.run(&input[self.used..]);
                self.input = input;
                self.unrun = ended != Ended::Idle;
                self.consume(used);
            }
            // What was read first this time leaves together with others' replies; a second time means a busy client.
            let departs = runs == 1 && !self.closing && !self.may_run() && self.departs();
            runs += 1;
            match if departs { Flushed::Done } else { self.link.flush(self.shared.committed()) } {
                Flushed::Broken => return Poll::Ready(()),
                Flushed::Full if self.reader.poll_write_ready(cx).is_ready() => continue,
                Flushed::Full | Flushed::Done => {}
            }
            if self.closing && self.session().outbox.lock().is_empty() {
                return Poll::Ready(());
            }
            if self.may_run() {
                // Its share is used up, or its replies have left only now. Behind all others, and behind a look at the
                // sockets: waking oneself would come before both.
                let _ = std::pin::pin!(tokio::task::yield_now()).poll(cx);
                return Poll::Pending;
            }
            if self.stuck() {
                // Whoever sends what is left has this task look again, unless it was sent already.
                self.session().raise(Signals::WOKEN);
                if self.stuck() {
                    return Poll::Pending;
                }
                continue;
            }
            match self.read(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(false) => return Poll::Ready(()),
                Poll::Ready(true) => {}
            }
        }
    }

    /// Whether others see to it that what is to be sent is sent.
    fn departs(&self) -> bool {
        let session = self.session();
        !session.has(Signals::CLOSE_AFTER_REPLY)
            && !session.outbox.lock().is_empty()
            && self.shared.departures(session.thread).join(&self.link)
    }

    /// The connection is over: everyone forgets it.
    pub(super) fn end(&mut self) {
        if self.session().has(Signals::CLOSE_AFTER_REPLY) || self.closing {
            self.link.flush(self.shared.committed());
        }
        self.shared.disconnect(&mut self.client);
    }

    fn session(&self) -> &Session {
        &self.link.session
    }

    fn remember(&self, cx: &Context<'_>) {
        let mut waker = self.link.waker.lock();
        if !waker.as_ref().is_some_and(|known| known.will_wake(cx.waker())) {
            *waker = Some(cx.waker().clone());
        }
    }

    /// Whether no request may be run for now.
    fn waits(&self) -> bool {
        self.closing || self.session().has(Signals::BLOCKED | Signals::PAUSED | Signals::CLOSE_AFTER_REPLY)
    }

    /// Whether there are requests to run, and they may be run.
    fn may_run(&self) -> bool {
        self.unrun && !self.waits() && !self.backlogged()
    }

    /// Whether nothing may be read until replies have left.
    fn stuck(&self) -> bool {
        if self.closing { !self.session().outbox.lock().is_empty() } else { self.backlogged() }
    }

    /// Whether the client does not take its replies, or the journal holds too many back.
    fn backlogged(&self) -> bool {
        self.session().outbox.lock().len() > HELD_BYTES_MAX
    }

    /// Reads once and runs what came. Ready(false) at the end of the stream.
    fn read(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        SCRATCH.with_borrow_mut(|scratch| {
            let count = match self.reader.poll_read(cx, scratch) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(count)) if count > 0 => count,
                Poll::Ready(_) => return Poll::Ready(false),
            };
            self.shared.count_input(count);
            let bytes = &scratch[..count];
            let mut used = 0;
            self.unrun = true;
            if self.input.is_empty() && !self.waits() {
                let (ended, taken) = self.run(bytes);
                used = taken;
                self.unrun = ended != Ended::Idle;
            }
            self.input.extend_from_slice(&bytes[used..]);
            self.note_held();
            if self.input.len() - self.used > self.shared.query_buffer_limit() {
                self.shared.query_buffer_overrun(self.session());
                return Poll::Ready(false);
            }
            Poll::Ready(true)
        })
    }

    fn consume(&mut self, count: usize) {
        self.used += count;
        if self.used == self.input.len() {
            self.input.clear();
            self.input.shrink_to(KEPT_BYTES);
            self.used = 0;
        } else if self.used > self.input.len() / 2 {
            self.input.drain(..self.used);
            self.used = 0;
        }
        self.note_held();
    }

    fn note_held(&self) {
        self.session().set_held_input(self.input.len() - self.used);
    }

    /// Runs the requests at the head of `bytes`; tells how many bytes they took.
    fn run(&mut self, bytes: &[u8]) -> (Ended, usize) {
        // The lock is not worth taking for a piece of a request, or for nothing.
        let mut skipped = 0;
        let parsed = loop {
            match self.parser.parse(&bytes[skipped..], &self.limits()) {
                Ok(Parsed::Incomplete) => return (Ended::Idle, skipped),
                Ok(Parsed::Empty { consumed }) => skipped += consumed,
                parsed => break parsed,
            }
        };
        let shared = Arc::clone(&self.shared);
        let (ended, used) = match shared.lock() {
            // Killed while it waited for its turn: whoever killed it may rely on it that nothing more of it runs.
            Locked::Free(_) if self.session().has(Signals::KILLED) => return (Ended::Waiting, skipped),
            Locked::Free(mut executor) => {
                let done = self.run_batch(&mut executor, &bytes[skipped..], parsed);
                executor.finish_turn(&mut self.client);
                shared.unlock(executor, &self.link, done.0 == Ended::Share);
                done
            }
            Locked::Busy => self.run_beside_script(&bytes[skipped..], parsed),
        };
        (ended, skipped + used)
    }

    fn limits(&self) -> Limits {
        Limits {
            proto_max_bulk_len: self.shared.proto_max_bulk_len(),
            authenticated: self.client.authenticated,
            ..Limits::default()
        }
    }

    /// Runs requests while the executor is held; `parsed` is the first one.
    fn run_batch(
        &mut self,
        executor: &mut crate::executor::Executor,
        bytes: &[u8],
        mut parsed: Result<Parsed, crate::resp::ProtocolError>,
    ) -> (Ended, usize) {
        let mut used = 0;
        loop {
            let consumed = match parsed {
                Ok(Parsed::Incomplete) => return (Ended::Idle, used),
                Ok(Parsed::Empty { consumed }) => consumed,
                Ok(Parsed::Request { consumed }) => {
                    let source = self.parser.source(&bytes[used..]);
                    let argv: SmallVec<[&[u8]; 16]> = self.parser.args().iter().map(|at| &source[at.clone()]).collect();
                    let flow = executor.execute(&mut self.client, &argv);
                    drop(argv);
                    match flow {
                        Flow::Next | Flow::Greet => consumed,
                        Flow::Blocked => return (Ended::Waiting, used + consumed),
                        Flow::Paused => {
                            // The same request is parsed again when the pause is over.
                            self.parser = Parser::new();
                            return (Ended::Waiting, used);
                        }
                        Flow::Close => {
                            self.closing = true;
                            return (Ended::Waiting, used + consumed);
                        }
                    }
                }
                Err(error) => {
                    executor.protocol_error(&mut self.client, &error);
                    self.closing = true;
                    return (Ended::Waiting, bytes.len());
                }
            };
            used += consumed;
            if self.session().has(Signals::KILLED | Signals::CLOSE_AFTER_REPLY) {
                self.closing = true;
                return (Ended::Waiting, used);
            }
            let backlogged = self.client.reply.len() > HELD_BYTES_MAX;
            if backlogged || used > TURN_BYTES || executor.turn_us() > TURN_US {
                return (Ended::Share, used);
            }
            parsed = self.parser.parse(&bytes[used..], &self.limits());
        }
    }

    /// Answers requests while a slow script holds the executor: what must be answered then is, all else is BUSY.
    fn run_beside_script(
        &mut self,
        bytes: &[u8],
        mut parsed: Result<Parsed, crate::resp::ProtocolError>,
    ) -> (Ended, usize) {
        let mut used = 0;
        let mut reply = Vec::new();
        let ended = loop {
            match parsed {
                Ok(Parsed::Incomplete) => break Ended::Idle,
                Ok(Parsed::Empty { consumed }) => used += consumed,
                Ok(Parsed::Request { consumed }) => {
                    let source = self.parser.source(&bytes[used..]);
                    let argv: SmallVec<[&[u8]; 16]> = self.parser.args().iter().map(|at| &source[at.clone()]).collect();
                    let flow = self.shared.desk.answer(&mut self.client, &argv, &mut reply);
                    used += consumed;
                    if flow == Flow::Close {
                        self.closing = true;
                        break Ended::Waiting;
                    }
                }
                Err(error) => {
                    Encoder::new(&mut reply, self.client.resp3).error(&error.wire_text());
                    self.closing = true;
                    break Ended::Waiting;
                }
            }
            parsed = self.parser.parse(&bytes[used..], &self.limits());
        };
        self.session().outbox.lock().push(&reply, None);
        (ended, used)
    }
}
