//! What the log rebuilds: all databases, and the offset between wall time and server time.

use super::db::Db;
use super::doors::Doors;
use super::trace::Trace;
use crate::time::{Deadline, Millis};
use crate::value::Value;
use ahash::RandomState;

/// Something dropped from the State that is too large to free while clients wait.
pub enum Garbage {
    /// A value (UNLINK, and overwriting a large one).
    Value(Value),
    /// A whole database (FLUSHDB ASYNC).
    Db(Box<Db>),
}

/// The data set. Equal when all databases hold equal values under equal keys with equal deadlines.
pub struct State {
    pub(super) dbs: Vec<Db>,
    hasher: RandomState,
    wall_offset_ms: i64,
}

impl State {
    /// `databases` empty databases. The key hash is seeded anew each time, so that no client can aim at one bucket.
    pub fn new(databases: usize, now: Millis) -> Self {
        Self { dbs: (0..databases).map(|_| Db::new(now)).collect(), hasher: RandomState::new(), wall_offset_ms: 0 }
    }

    pub(super) fn hash(&self, key: &[u8]) -> u64 {
        self.hasher.hash_one(key)
    }

    /// Number of databases.
    pub fn databases(&self) -> usize {
        self.dbs.len()
    }

    /// One database, for its size.
    ///
    /// # Panics
    /// When `index` is not below [`State::databases`].
    pub fn db(&self, index: usize) -> &Db {
        &self.dbs[index]
    }

    /// Doors to database `db` at `now`.
    pub fn doors<'a>(&'a mut self, trace: &'a mut Trace, db: usize, now: Millis) -> Doors<'a> {
        Doors { state: self, trace, db, now }
    }

    /// The next server time at which [`State::expire_one`] may have work, over all databases.
    pub fn next_deadline(&self) -> Option<Millis> {
        self.dbs.iter().filter_map(Db::next_deadline).min()
    }

    /// Deletes one key whose deadline has passed at `now`, earliest first within its database. False when there is
    /// none.
    pub fn expire_one(&mut self, trace: &mut Trace, now: Millis) -> bool {
        for db in 0..self.dbs.len() {
            if let Some(handle) = self.dbs[db].pop_due(now) {
                self.doors(trace, db, now).expire(handle);
                return true;
            }
        }
        false
    }

    /// What wall time is ahead of server time.
    pub fn wall_offset_ms(&self) -> i64 {
        self.wall_offset_ms
    }

    /// A deadline given as wall time.
    pub fn wall_deadline(&self, wall_ms: i64) -> Deadline {
        Deadline { at: Millis(wall_ms.saturating_sub(self.wall_offset_ms)), wall: true }
    }

    /// The wall time of a deadline. Inverse of [`State::wall_deadline`].
    pub fn wall_ms(&self, deadline: Deadline) -> i64 {
        deadline.at.0.saturating_add(self.wall_offset_ms)
    }

    /// The wall clock was stepped: deadlines given as wall time move along, all others stay. Visits every volatile key.
    pub fn set_wall_offset(&mut self, offset_ms: i64) {
        let step = offset_ms.saturating_sub(self.wall_offset_ms);
        self.wall_offset_ms = offset_ms;
        for db in &mut self.dbs {
            let moved: Vec<_> = db
                .handles()
                .filter_map(|handle| Some((handle, db.items[handle].deadline()?)))
                .filter(|(_, deadline)| deadline.wall)
                .collect();
            for (handle, deadline) in moved {
                db.set_deadline(handle, Deadline { at: Millis(deadline.at.0.saturating_sub(step)), wall: true });
            }
        }
    }

    pub(super) fn swap(&mut self, a: usize, b: usize) {
        self.dbs.swap(a, b);
    }

    pub(super) fn take_db(&mut self, index: usize, now: Millis) -> Db {
        std::mem::replace(&mut self.dbs[index], Db::new(now))
    }

    /// Every key of every database with value and deadline, in no order, those past their deadline included.
    pub fn all(&self) -> impl Iterator<Item = (usize, &[u8], &Value, Option<Deadline>)> {
        self.dbs.iter().enumerate().flat_map(|(index, db)| {
            db.handles().map(move |handle| {
                let item = &db.items[handle];
                (index, item.key.as_bytes(), &item.value, item.deadline())
            })
        })
    }
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.dbs.len() == other.dbs.len()
            && self.wall_offset_ms == other.wall_offset_ms
            && self.dbs.iter().zip(&other.dbs).all(|(a, b)| a.len() == b.len())
            && self.all().all(|(db, key, value, deadline)| {
                let twin = &other.dbs[db];
                twin.find(other.hash(key), key).is_some_and(|handle| {
                    let item = &twin.items[handle];
                    item.value == *value && item.deadline() == deadline
                })
            })
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut all: Vec<_> = self.all().collect();
        all.sort_by_key(|(db, key, ..)| (*db, key.to_vec()));
        let shown = all.iter().map(|(db, key, value, deadline)| {
            (format!("{db} {}", String::from_utf8_lossy(key)), format!("{value:?} {deadline:?}"))
        });
        f.debug_map().entries(shown).finish()
    }
}
