//! What is known of a connection: protocol, name, database, outbox. No sockets, no commands.
//!
//! A connection has two halves. [`Client`] is what only its own thread and the executor (called by that thread) touch:
//! database, protocol version, transaction queue. [`Session`] is shared: others put messages into its [`Outbox`],
//! CLIENT LIST reads what it shows, CLIENT KILL signals it. The [`Registry`] of sessions is read without the executor's
//! lock.
//!
//! Lock order: executor, then outbox.

mod client;
mod outbox;
mod shown;

pub use client::{Client, ReplyMode, Transaction};
pub use outbox::{Outbox, Verdict};
pub use shown::{Beat, Pulse, Shown};

use crate::config::{OutputLimit, OutputLimits};
use crate::request::ClientId;
use crate::time::Millis;
use dashmap::DashMap;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

bitflags::bitflags! {
    /// One-way messages to a connection's own thread, and marks that others set.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Signals: u32 {
        /// Close at once, output dropped.
        const KILLED = 1;
        /// Close when what is in the outbox has been sent.
        const CLOSE_AFTER_REPLY = 1 << 1;
        /// A watched key was changed: EXEC must fail.
        const WATCH_BROKEN = 1 << 2;
        /// Waits in a blocking command; no request is read meanwhile.
        const BLOCKED = 1 << 3;
        /// Held back by CLIENT PAUSE.
        const PAUSED = 1 << 4;
        /// MONITOR is on.
        const MONITOR = 1 << 5;
        /// SYNC: gets every change. Sees no keys.
        const FOLLOWER = 1 << 15;
        /// Subscribed to something.
        const SUBSCRIBED = 1 << 6;
        /// Inside MULTI.
        const TRANSACTION = 1 << 7;
        /// CLIENT NO-EVICT.
        const NO_EVICT = 1 << 8;
        /// CLIENT NO-TOUCH.
        const NO_TOUCH = 1 << 9;
        /// Over a Unix socket.
        const UNIX_SOCKET = 1 << 10;
        /// CLIENT TRACKING is on.
        const TRACKING = 1 << 11;
        /// Its own task must look at it: a wait or a pause has ended.
        const WOKEN = 1 << 14;
        /// HELLO 3.
        const RESP3 = 1 << 12;
        /// On the Unix socket, or from a loopback address.
        const LOCAL = 1 << 13;
    }
}

/// The shared half of a connection.
pub struct Session {
    /// Its id.
    pub id: ClientId,
    /// The I/O thread that serves it.
    pub thread: usize,
    /// When it was accepted.
    pub created: Millis,
    /// What waits to be sent.
    pub outbox: Mutex<Outbox>,
    /// What CLIENT LIST shows.
    pub shown: Mutex<Shown>,
    signals: AtomicU32,
    /// Bytes read but not run yet.
    held_input: AtomicUsize,
    /// What changes with each turn.
    pub pulse: Pulse,
}

impl Session {
    /// A session of a connection just accepted on `thread`.
    pub fn new(id: ClientId, thread: usize, created: Millis, shown: Shown) -> Arc<Self> {
        Arc::new(Self {
            id,
            thread,
            created,
            outbox: Mutex::new(Outbox::default()),
            shown: Mutex::new(shown),
            signals: AtomicU32::new(0),
            held_input: AtomicUsize::new(0),
            pulse: Pulse::new(created),
        })
    }

    /// When its last turn ended, or when it was accepted.
    pub fn last_active(&self) -> Millis {
        self.pulse.beat().last_active
    }

    /// Bytes read but not run yet.
    pub fn held_input(&self) -> usize {
        self.held_input.load(Ordering::Relaxed)
    }

    /// Told by the connection when that changes.
    pub fn set_held_input(&self, bytes: usize) {
        self.held_input.store(bytes, Ordering::Relaxed);
    }

    /// The output buffer limit of the class this connection is in (Redis 7.0: followers, subscribers, all others).
    pub fn output_limit(&self, limits: &OutputLimits) -> OutputLimit {
        if self.has(Signals::FOLLOWER) {
            limits.replica
        } else if self.has(Signals::SUBSCRIBED) {
            limits.pubsub
        } else {
            limits.normal
        }
    }

    /// Sets signals.
    pub fn raise(&self, signals: Signals) {
        self.signals.fetch_or(signals.bits(), Ordering::AcqRel);
    }

    /// Clears signals.
    pub fn lower(&self, signals: Signals) {
        self.signals.fetch_and(!signals.bits(), Ordering::AcqRel);
    }

    /// Sets or clears signals.
    pub fn mark(&self, signals: Signals, on: bool) {
        if on { self.raise(signals) } else { self.lower(signals) }
    }

    /// Whether any of these is set.
    pub fn has(&self, signals: Signals) -> bool {
        self.signals.load(Ordering::Acquire) & signals.bits() != 0
    }

    /// All that are set.
    pub fn signals(&self) -> Signals {
        Signals::from_bits_truncate(self.signals.load(Ordering::Acquire))
    }
}

/// All sessions by id.
pub type Registry = DashMap<ClientId, Arc<Session>>;
