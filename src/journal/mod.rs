//! The journal: what was decided, in order, so that it can be decided again.
//!
//! The executor runs first and answers when it is safe: each write leaves an [`Entry`] here and gets a [`Position`];
//! what the server says afterwards waits until the journal calls that position committed. Commands know nothing of it.
//! This room knows entries as lists of effects and bytes; it has no keys, no clock and no client.
//!
//! Kinds: [`Memory`] (committed at once, keeps nothing). A write-ahead log and Raft come as further kinds; all pass one
//! conformance suite (`conformance`), and [`Flaky`] is the double that loses things on purpose.

mod entry;
mod flaky;
mod memory;

#[cfg(test)]
mod conformance;

pub use entry::{Effect, Effects, Entry};
pub use flaky::Flaky;
pub use memory::Memory;

/// A place in the journal. Ordered: a later term wins, then a later index. The zero position precedes every entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    /// Raises when a new leader takes over; always 0 on a single server.
    pub term: u32,
    /// Counts entries from 1.
    pub index: u64,
}

/// How far the journal has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// All is well.
    Good {
        /// Everything up to here may be answered.
        committed: Position,
        /// Everything up to here is on this machine's disk (equal to `committed` where there is no disk).
        durable: Position,
    },
    /// Nothing after this position happened. The server must drop what it held back, close every connection and
    /// rebuild its State from [`Journal::recover`]; State is thrown away, never undone.
    Lost {
        /// The last position that still stands.
        after: Position,
    },
}

/// No room is reserved for another entry; the write must be refused before it runs (MISCONF).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("MISCONF Errors writing to the log: {0}")]
pub struct Full(pub String);

/// Where entries go. Correctness that every kind owes, and that the conformance suite checks:
/// - positions returned by `append` strictly increase, and `last` is the newest of them;
/// - `committed` never decreases and never passes `last`, except across `recover`;
/// - `recover` hands back exactly the entries up to the committed position, in order, and clears a `Lost`.
pub trait Journal: Send {
    /// Whether entries are wanted at all. When false the executor skips building them.
    fn records(&self) -> bool;
    /// Whether room is reserved for one more entry of any size.
    ///
    /// # Errors
    /// [`Full`] when it is not; the caller refuses the write.
    fn room(&self) -> Result<(), Full>;
    /// Takes an entry. Never waits for a disk.
    fn append(&mut self, entry: Entry) -> Position;
    /// The newest position given out.
    fn last(&self) -> Position;
    /// What may be answered by now.
    fn progress(&self) -> Progress;
    /// The position that a reply which wrote nothing and touched nothing has to wait for; free for memory and log.
    fn read_ticket(&self) -> Position {
        Position::default()
    }
    /// The committed entries from the beginning, to rebuild a State after a start or a `Lost`.
    fn recover(&mut self) -> Vec<Entry>;
}
