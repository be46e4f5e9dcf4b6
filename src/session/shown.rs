//! What CLIENT LIST shows of a connection, kept where it can be read without the executor's lock.

use crate::time::Millis;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicUsize, Ordering};

/// Facts of one connection that change seldom.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "named as CLIENT LIST names them")]
pub struct Shown {
    pub addr: String,
    pub laddr: String,
    pub fd: i32,
    pub name: Vec<u8>,
    pub lib_name: Vec<u8>,
    pub lib_ver: Vec<u8>,
    pub user: String,
    pub subscriptions: usize,
    pub patterns: usize,
    pub shard_subscriptions: usize,
}

/// Facts that change with each turn. Written by the executor at its end, each on its own, so that no lock is taken.
#[derive(Debug)]
pub struct Pulse {
    last_active: AtomicI64,
    command: AtomicU32,
    db: AtomicU32,
    queued: AtomicI32,
    queued_bytes: AtomicUsize,
}

/// What a [`Pulse`] says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beat {
    /// When the last turn ended, or when the connection was accepted.
    pub last_active: Millis,
    /// The last command as the executor numbers them; `None` before the first, and after an unknown one.
    pub command: Option<u32>,
    /// Selected database.
    pub db: usize,
    /// Number of queued requests; `None` outside of MULTI.
    pub queued: Option<usize>,
    /// Bytes that they hold.
    pub queued_bytes: usize,
}

impl Pulse {
    /// Of a connection just accepted.
    pub(super) fn new(created: Millis) -> Self {
        Self {
            last_active: AtomicI64::new(created.0),
            command: AtomicU32::new(0),
            db: AtomicU32::new(0),
            queued: AtomicI32::new(-1),
            queued_bytes: AtomicUsize::new(0),
        }
    }

    /// A turn has ended.
    pub fn set(&self, beat: Beat) {
        self.last_active.store(beat.last_active.0, Ordering::Relaxed);
        self.command.store(beat.command.map_or(0, |id| id + 1), Ordering::Relaxed);
        self.db.store(beat.db as u32, Ordering::Relaxed);
        self.queued.store(beat.queued.map_or(-1, |count| count as i32), Ordering::Relaxed);
        self.queued_bytes.store(beat.queued_bytes, Ordering::Relaxed);
    }

    /// What it was at the end of the last turn.
    pub fn beat(&self) -> Beat {
        Beat {
            last_active: Millis(self.last_active.load(Ordering::Relaxed)),
            command: self.command.load(Ordering::Relaxed).checked_sub(1),
            db: self.db.load(Ordering::Relaxed) as usize,
            queued: usize::try_from(self.queued.load(Ordering::Relaxed)).ok(),
            queued_bytes: self.queued_bytes.load(Ordering::Relaxed),
        }
    }
}
