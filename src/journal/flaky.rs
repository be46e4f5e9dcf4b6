//! The fault-injecting double: a journal that commits when told to, runs out of room when told to, and loses what it
//! had not committed when told to. Clones share one journal, so a test keeps one while a server owns the other.

use super::{Entry, Full, Journal, Position, Progress};
use parking_lot::Mutex;
use std::sync::Arc;

/// A journal whose disk is in the hands of a test.
#[derive(Debug, Clone, Default)]
pub struct Flaky {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    entries: Vec<Entry>,
    term: u32,
    last: u64,
    committed: u64,
    lost: bool,
    full: bool,
}

impl Flaky {
    /// A journal that commits nothing until told to. Clones share it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Commits all that was appended.
    pub fn commit_all(&self) {
        let mut inner = self.inner.lock();
        inner.committed = inner.last;
    }

    /// Commits the next `count` entries.
    pub fn commit(&self, count: u64) {
        let mut inner = self.inner.lock();
        inner.committed = inner.last.min(inner.committed + count);
    }

    /// Loses everything that is not committed.
    pub fn lose(&self) {
        self.inner.lock().lost = true;
    }

    /// Reports a full disk, or room again.
    pub fn set_full(&self, full: bool) {
        self.inner.lock().full = full;
    }

    /// How many entries were appended and still stand.
    pub fn len(&self) -> usize {
        self.inner.lock().entries.len()
    }

    /// Whether nothing was appended.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Inner {
    fn position(&self, index: u64) -> Position {
        Position { term: self.term, index }
    }
}

impl Journal for Flaky {
    fn records(&self) -> bool {
        true
    }

    fn room(&self) -> Result<(), Full> {
        if self.inner.lock().full { Err(Full("No space left on device".to_owned())) } else { Ok(()) }
    }

    fn append(&mut self, entry: Entry) -> Position {
        let mut inner = self.inner.lock();
        inner.entries.push(entry);
        inner.last += 1;
        inner.position(inner.last)
    }

    fn last(&self) -> Position {
        let inner = self.inner.lock();
        inner.position(inner.last)
    }

    fn progress(&self) -> Progress {
        let inner = self.inner.lock();
        let committed = inner.position(inner.committed);
        if inner.lost { Progress::Lost { after: committed } } else { Progress::Good { committed, durable: committed } }
    }

    fn recover(&mut self) -> Vec<Entry> {
        let mut inner = self.inner.lock();
        if inner.lost {
            inner.lost = false;
            inner.term += 1;
        }
        let standing = inner.committed as usize;
        inner.entries.truncate(standing);
        inner.last = inner.committed;
        inner.entries.clone()
    }
}
