//! The journal of a server without a disk: everything is committed at once and nothing is kept.

use super::{Entry, Full, Journal, Position, Progress};

/// Counts entries and forgets them, or keeps them when asked to (replay tests).
#[derive(Debug, Default)]
pub struct Memory {
    last: Position,
    kept: Option<Vec<Entry>>,
}

impl Memory {
    /// A journal that keeps nothing; entries need not even be built.
    pub fn new() -> Self {
        Self::default()
    }

    /// A journal that keeps its entries, so that they can be replayed.
    pub fn keeping() -> Self {
        Self { kept: Some(Vec::new()), ..Self::default() }
    }
}

impl Journal for Memory {
    fn records(&self) -> bool {
        self.kept.is_some()
    }

    fn room(&self) -> Result<(), Full> {
        Ok(())
    }

    fn append(&mut self, entry: Entry) -> Position {
        self.last.index += 1;
        if let Some(kept) = &mut self.kept {
            kept.push(entry);
        }
        self.last
    }

    fn last(&self) -> Position {
        self.last
    }

    fn progress(&self) -> Progress {
        Progress::Good { committed: self.last, durable: self.last }
    }

    fn recover(&mut self) -> Vec<Entry> {
        self.kept.clone().unwrap_or_default()
    }
}
