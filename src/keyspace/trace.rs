//! What one command leaves behind besides its reply: changes to tell others of, effects to log, positions to wait for.
//!
//! The doors write here, the executor drains it after each command. Nothing of this is State.

use super::state::Garbage;
use crate::event::EventClasses;
use crate::journal::{Effects, Position};
use crate::time::Millis;
use smallvec::SmallVec;

/// A keyspace event: its class decides whether `notify-keyspace-events` lets it out, its name is what is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// Class, one bit.
    pub class: EventClasses,
    /// Name, such as `expire`.
    pub name: &'static str,
}

impl Event {
    /// An event of `class` named `name`.
    pub const fn new(class: EventClasses, name: &'static str) -> Self {
        Self { class, name }
    }
}

/// A key was changed, or an event without a change (a miss) happened to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its database.
    pub db: usize,
    /// The key.
    pub key: Box<[u8]>,
    /// What to publish; `None` when the change has no event of its own.
    pub event: Option<Event>,
    /// Whether the value changed: such a change fails WATCH, wakes waiters, invalidates caches.
    pub modified: bool,
}

/// How doors treat time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// A command runs: a key past its deadline is deleted when met, and that is logged.
    Deciding,
    /// An entry is applied: nothing expires, nothing is logged.
    Applying,
}

/// Counters of INFO that the doors keep.
#[derive(Debug, Clone, Copy, Default)]
#[allow(missing_docs, reason = "named as INFO names them")]
pub struct KeyspaceStats {
    pub hits: u64,
    pub misses: u64,
    pub expired: u64,
}

const POSITIONS: usize = 65_536;

/// For each of 65,536 classes of keys the journal position that last changed one of them. Deleted keys count.
pub(super) struct Positions {
    table: Box<[Position]>,
    /// The last change of a whole database: no key waits for less.
    floor: Position,
    /// The last change of anything.
    last: Position,
    /// A whole database was changed since the last entry.
    all_written: bool,
}

/// The scratch area of the command that runs.
pub struct Trace {
    /// Whether anyone wants to hear of changes: watchers, blocked clients, trackers, or enabled events. When false
    /// [`Trace::changes`] stays empty and no key is copied.
    pub listening: bool,
    /// Event classes that `notify-keyspace-events` lets out; an event outside them is not recorded unless `listening`.
    pub events: EventClasses,
    /// Whether the journal wants effects.
    pub recording: bool,
    /// Whether reads leave the access stamp alone (CLIENT NO-TOUCH).
    pub no_touch: bool,
    /// Whether a key past its deadline is missing but not deleted when met (CLIENT PAUSE). Must be off for writes.
    pub keeps_expired: bool,
    /// Changes in order.
    pub changes: Vec<Change>,
    /// Effects in order, for the entry being built.
    pub effects: Effects,
    /// How many of them are deletions of keys found past their deadline.
    pub expiries: usize,
    /// Changes made, as Redis's `server.dirty` counts them.
    pub dirty: u64,
    /// Set by [`Trace::log`]: the command said itself what it is logged as.
    pub(super) explicit: bool,
    /// How time is treated.
    pub mode: Mode,
    /// The earliest time at which a wheel wants to be turned for a deadline set since the timer was last looked at.
    pub soonest: Option<Millis>,
    /// Dropped values too large to free at once.
    pub garbage: Vec<Garbage>,
    /// INFO counters.
    pub stats: KeyspaceStats,
    /// The newest position of a key touched since the last [`Trace::take_ticket`].
    pub(super) seen: Position,
    pub(super) written: SmallVec<[u16; 8]>,
    pub(super) positions: Option<Positions>,
}

impl Trace {
    /// A trace that keeps positions and effects when `recording`.
    pub fn new(recording: bool) -> Self {
        let table = || Positions {
            table: vec![Position::default(); POSITIONS].into_boxed_slice(),
            floor: Position::default(),
            last: Position::default(),
            all_written: false,
        };
        Self {
            listening: false,
            events: EventClasses::empty(),
            recording,
            no_touch: false,
            keeps_expired: false,
            changes: Vec::new(),
            effects: Effects::default(),
            expiries: 0,
            dirty: 0,
            explicit: false,
            mode: Mode::Deciding,
            soonest: None,
            garbage: Vec::new(),
            stats: KeyspaceStats::default(),
            seen: Position::default(),
            written: SmallVec::new(),
            positions: recording.then(table),
        }
    }

    /// Logs the running command as `argv` instead of as it was sent. Several calls make several effects.
    pub fn log(&mut self, db: usize, argv: &[&[u8]]) {
        self.explicit = true;
        if self.recording && self.mode == Mode::Deciding {
            self.effects.push(db, argv);
        }
    }

    /// Called before each command, script calls included.
    pub fn begin_command(&mut self) -> u64 {
        self.explicit = false;
        self.dirty
    }

    /// Called after each command with what [`Trace::begin_command`] gave: logs it as sent if it changed something and
    /// did not say otherwise.
    pub fn end_command(&mut self, dirty_before: u64, db: usize, argv: &[&[u8]]) {
        if self.recording && self.dirty != dirty_before && !self.explicit && self.mode == Mode::Deciding {
            self.effects.push(db, argv);
        }
        self.explicit = false;
    }

    /// Marks the keys changed since the last call with the position their entry got.
    pub fn mark_written(&mut self, at: Position) {
        if let Some(positions) = &mut self.positions {
            for &class in &self.written {
                positions.table[usize::from(class)] = at;
            }
            if std::mem::take(&mut positions.all_written) {
                positions.floor = at;
            }
            positions.last = at;
            self.seen = self.seen.max(at);
        }
        self.written.clear();
    }

    /// The position that a reply to what was touched since the last call must wait for.
    pub fn take_ticket(&mut self) -> Position {
        std::mem::take(&mut self.seen)
    }

    /// The same without taking it.
    pub fn ticket(&self) -> Position {
        self.seen
    }

    /// Makes the next ticket wait for the last change of anything (whole-database commands).
    pub(crate) fn touch_all(&mut self) {
        if let Some(positions) = &self.positions {
            self.seen = self.seen.max(positions.last);
        }
    }

    /// A whole database was changed: every key waits for the position of the entry that says so.
    pub(super) fn write_all(&mut self) {
        if let Some(positions) = &mut self.positions {
            positions.all_written = true;
        }
    }

    pub(super) fn touch(&mut self, hash: u64) {
        if let Some(positions) = &self.positions {
            self.seen = self.seen.max(positions.table[usize::from(hash as u16)]).max(positions.floor);
        }
    }

    pub(super) fn write(&mut self, hash: u64) {
        if self.positions.is_some() {
            self.written.push(hash as u16);
        }
    }

    pub(super) fn tell(&mut self, db: usize, key: &[u8], event: Option<Event>, modified: bool) {
        let published = event.filter(|event| self.events.contains(event.class));
        if published.is_some() || (modified && self.listening) {
            self.changes.push(Change { db, key: key.into(), event: published, modified });
        }
    }

    pub(super) fn expire_effect(&mut self, db: usize, key: &[u8]) {
        if self.recording && self.mode == Mode::Deciding {
            self.effects.push(db, &[b"DEL", key]);
            self.expiries += 1;
        }
    }

    /// Whether what changed since [`Trace::begin_command`] was logged explicitly, or nothing changed.
    pub fn explains(&self, dirty_before: u64) -> bool {
        self.explicit || self.dirty == dirty_before
    }

    /// An entry's worth of effects with the time they were decided.
    pub fn take_entry(&mut self, at: Millis) -> Option<crate::journal::Entry> {
        (!self.effects.is_empty()).then(|| crate::journal::Entry { at, effects: std::mem::take(&mut self.effects) })
    }
}
