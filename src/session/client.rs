//! The half of a connection that its own thread hands to the executor with each request.

use super::{Beat, Session, Signals};
use crate::journal::Position;
use crate::request::{Argv, Owned};
use crate::time::Millis;
use std::sync::Arc;

/// CLIENT REPLY.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyMode {
    /// Replies are sent.
    On,
    /// No reply is sent.
    Off,
    /// The reply to the next command is dropped.
    SkipNext,
    /// The reply to the running command is dropped, then replies are on again.
    Skip,
}

/// What MULTI has queued.
#[derive(Debug, Default)]
pub struct Transaction {
    /// Requests in order.
    pub queue: Vec<Owned>,
    /// Bytes that they hold.
    pub bytes: usize,
    /// A request was refused at queueing: EXEC answers EXECABORT.
    pub aborted: bool,
}

impl Transaction {
    /// Queues a request.
    pub fn push(&mut self, argv: Argv<'_>) {
        let request = Owned::new(argv);
        self.bytes += request.memory_usage();
        self.queue.push(request);
    }
}

/// State of a connection that no other thread looks at.
pub struct Client {
    /// The shared half.
    pub session: Arc<Session>,
    /// Selected database.
    pub db: usize,
    /// HELLO 3.
    pub resp3: bool,
    /// Passed AUTH, or none is needed.
    pub authenticated: bool,
    /// The last command, by its row's id; `None` when it was unknown.
    pub command: Option<u32>,
    /// CLIENT REPLY.
    pub reply_mode: ReplyMode,
    /// Between MULTI and EXEC.
    pub transaction: Option<Box<Transaction>>,
    /// Keys that WATCH named, with their databases.
    pub watched: Vec<(usize, Box<[u8]>)>,
    /// Watches were dropped while the executor was held: it forgets them at the next request.
    pub unwatch_due: bool,
    /// CLIENT NO-TOUCH.
    pub no_touch: bool,
    /// Replies of the running turn, not yet in the outbox.
    pub reply: Vec<u8>,
    /// The position that they wait for.
    pub ticket: Position,
}

impl Client {
    /// State of a connection just accepted.
    pub fn new(session: Arc<Session>, authenticated: bool) -> Self {
        Self {
            session,
            db: 0,
            resp3: false,
            authenticated,
            command: None,
            reply_mode: ReplyMode::On,
            transaction: None,
            watched: Vec::new(),
            unwatch_due: false,
            no_touch: false,
            reply: Vec::new(),
            ticket: Position::default(),
        }
    }

    /// Chooses the protocol version; others who send to this connection see it too.
    pub fn speak_resp3(&mut self, resp3: bool) {
        self.resp3 = resp3;
        self.session.mark(Signals::RESP3, resp3);
    }

    /// What others may see of it now.
    pub fn beat(&self, now: Millis) -> Beat {
        Beat {
            last_active: now,
            command: self.command,
            db: self.db,
            queued: self.transaction.as_ref().map(|transaction| transaction.queue.len()),
            queued_bytes: self.transaction.as_ref().map_or(0, |transaction| transaction.bytes),
        }
    }

    /// Whether a RESP2 connection is restricted to (un)subscribing.
    pub fn in_subscribe_mode(&self) -> bool {
        !self.resp3 && self.session.has(Signals::SUBSCRIBED)
    }
}
