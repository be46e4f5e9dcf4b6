//! The doors: how a command reads and changes keys of one database at one moment.

use super::db::Db;
use super::state::{Garbage, State};
use super::trace::{Event, Mode, Trace};
use super::typed::{Typed, WrongType};
use crate::event::EventClasses;
use crate::time::{Deadline, Millis};
use crate::value::Value;
use rand::rngs::SmallRng;

/// What becomes of a key's deadline when its value is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The deadline stays (KEEPTTL, INCR, SORT .. STORE onto itself).
    Deadline,
    /// The key becomes persistent.
    Nothing,
    /// This one instead (SET .. PX). It may have passed already.
    Until(Deadline),
}

const EXPIRED: Event = Event::new(EventClasses::EXPIRED, "expired");
const DELETED: Event = Event::new(EventClasses::GENERIC, "del");
const MISSED: Event = Event::new(EventClasses::KEY_MISS, "keymiss");
const CREATED: Event = Event::new(EventClasses::NEW_KEY, "new");

/// Access to one database at one moment. `now` does not move while a command, script or transaction runs.
pub struct Doors<'a> {
    /// The data set.
    pub state: &'a mut State,
    /// Where traces are left.
    pub trace: &'a mut Trace,
    /// Index of the database. A command that works on another one (COPY, MOVE) sets it for the while.
    pub db: usize,
    /// Server time.
    pub now: Millis,
}

impl Doors<'_> {
    fn here(&mut self) -> &mut Db {
        &mut self.state.dbs[self.db]
    }

    /// The live item under `key`; one past its deadline is deleted, which is told and logged.
    fn find(&mut self, key: &[u8]) -> (u64, Option<u32>) {
        let hash = self.state.hash(key);
        self.trace.touch(hash);
        let db = &self.state.dbs[self.db];
        let found = db.find(hash, key);
        if let Some(handle) = found
            && self.trace.mode == Mode::Deciding
            && db.items[handle].deadline().is_some_and(|deadline| deadline.passed(self.now))
        {
            if !self.trace.keeps_expired {
                self.expire(handle);
            }
            return (hash, None);
        }
        (hash, found)
    }

    pub(super) fn expire(&mut self, handle: u32) {
        self.expire_as(handle, true);
    }

    /// Deletes a key past its deadline; `modified` says whether that changes what whoever watches it saw.
    fn expire_as(&mut self, handle: u32, modified: bool) {
        let key = self.here().items[handle].key.as_bytes().to_vec();
        let hash = self.state.hash(&key);
        let item = self.here().remove(hash, handle);
        self.discard(item.value);
        self.trace.stats.expired += 1;
        self.trace.expire_effect(self.db, &key);
        self.trace.write(hash);
        self.trace.tell(self.db, &key, Some(EXPIRED), modified);
    }

    /// The live item under `key`, counted as a hit or a miss.
    fn meet(&mut self, key: &[u8]) -> Option<u32> {
        let (_, found) = self.find(key);
        if found.is_some() {
            self.trace.stats.hits += 1;
        } else {
            self.trace.stats.misses += 1;
            self.trace.tell(self.db, key, Some(MISSED), false);
        }
        found
    }

    /// The value under `key`. Counts a hit or a miss, stamps the access; a key past its deadline is a miss.
    pub fn read(&mut self, key: &[u8]) -> Option<&Value> {
        let handle = self.meet(key)?;
        let seconds = self.now.seconds();
        let stamp = !self.trace.no_touch;
        let item = &mut self.here().items[handle];
        if stamp {
            item.key.set_accessed(seconds);
        }
        Some(&item.value)
    }

    /// [`Doors::read`] with the deadline and without the access stamp: for commands that ask about a key rather than
    /// for its value (TTL, TYPE, EXISTS).
    pub fn look(&mut self, key: &[u8]) -> Option<(&Value, Option<Deadline>)> {
        let handle = self.meet(key)?;
        let item = &self.here().items[handle];
        Some((&item.value, item.deadline()))
    }

    /// [`Doors::read`] for a command that works on one type.
    ///
    /// # Errors
    /// [`WrongType`] when the key holds another.
    pub fn read_as<T: Typed>(&mut self, key: &[u8]) -> Result<Option<&T>, WrongType> {
        self.read(key).map(|value| T::of(value).ok_or(WrongType)).transpose()
    }

    /// The value under `key` as a write command looks it up: no hit or miss is counted.
    pub fn write(&mut self, key: &[u8]) -> Option<&mut Value> {
        let (_, found) = self.find(key);
        let handle = found?;
        let seconds = self.now.seconds();
        let item = &mut self.here().items[handle];
        item.key.set_accessed(seconds);
        Some(&mut item.value)
    }

    /// [`Doors::write`] for a command that works on one type.
    ///
    /// # Errors
    /// [`WrongType`] when the key holds another.
    pub fn write_as<T: Typed>(&mut self, key: &[u8]) -> Result<Option<&mut T>, WrongType> {
        self.write(key).map(|value| T::of_mut(value).ok_or(WrongType)).transpose()
    }

    /// The value under `key`, or a new empty one. The caller must put something in, or call [`Doors::remove_if_empty`].
    ///
    /// # Errors
    /// [`WrongType`] when the key holds another type.
    pub fn write_or_create<T: Typed>(&mut self, key: &[u8]) -> Result<&mut T, WrongType> {
        let (hash, found) = self.find(key);
        let handle = found.unwrap_or_else(|| self.create(hash, key, T::empty()));
        T::of_mut(&mut self.here().items[handle].value).ok_or(WrongType)
    }

    fn create(&mut self, hash: u64, key: &[u8], value: Value) -> u32 {
        let now = self.now;
        let handle = self.here().insert(hash, key, value, now);
        self.trace.tell(self.db, key, Some(CREATED), false);
        handle
    }

    /// Stores `value` under `key`, over whatever is there.
    pub fn put(&mut self, key: &[u8], value: Value, keep: Keep) {
        let (hash, found) = self.find(key);
        let handle = match found {
            None => self.create(hash, key, value),
            Some(handle) => {
                if keep == Keep::Nothing {
                    self.here().clear_deadline(handle);
                }
                let seconds = self.now.seconds();
                let item = &mut self.here().items[handle];
                item.key.set_accessed(seconds);
                let old = std::mem::replace(&mut item.value, value);
                self.discard(old);
                handle
            }
        };
        if let Keep::Until(deadline) = keep {
            self.schedule(handle, deadline);
        }
    }

    fn schedule(&mut self, handle: u32, deadline: Deadline) {
        let wake = self.here().set_deadline(handle, deadline);
        self.trace.soonest = Some(self.trace.soonest.map_or(wake, |soonest| soonest.min(wake)));
    }

    /// Takes the value out, without an event. The caller calls [`Doors::changed`].
    pub fn take(&mut self, key: &[u8]) -> Option<(Value, Option<Deadline>)> {
        let (hash, found) = self.find(key);
        let handle = found?;
        let deadline = self.here().items[handle].deadline();
        let item = self.here().remove(hash, handle);
        Some((item.value, deadline))
    }

    /// Deletes the key with event `del`; false when it is not there.
    pub fn delete(&mut self, key: &[u8]) -> bool {
        let Some((value, _)) = self.take(key) else {
            return false;
        };
        self.discard(value);
        self.changed(key, DELETED);
        true
    }

    /// Deletes the key with event `del` if its value has become empty, without counting another change.
    pub fn remove_if_empty(&mut self, key: &[u8]) -> bool {
        let (hash, found) = self.find(key);
        let Some(handle) = found.filter(|&handle| self.state.dbs[self.db].items[handle].value.is_empty()) else {
            return false;
        };
        self.here().remove(hash, handle);
        self.trace.write(hash);
        self.trace.tell(self.db, key, Some(DELETED), true);
        true
    }

    /// Whether the key is there, without counting a hit or stamping an access.
    pub fn exists(&mut self, key: &[u8]) -> bool {
        self.find(key).1.is_some()
    }

    /// The value without any side effect; one past its deadline is missing. For commands that hold several at once:
    /// they call [`Doors::read`] on each first.
    pub fn peek(&self, key: &[u8]) -> Option<&Value> {
        let db = &self.state.dbs[self.db];
        let item = &db.items[db.find(self.state.hash(key), key)?];
        let gone =
            self.trace.mode == Mode::Deciding && item.deadline().is_some_and(|deadline| deadline.passed(self.now));
        (!gone).then_some(&item.value)
    }

    /// Two values of one type at once, as [`Doors::peek`] finds them.
    ///
    /// # Errors
    /// [`WrongType`] when the key holds another.
    pub fn peek_as<T: Typed>(&self, key: &[u8]) -> Result<Option<&T>, WrongType> {
        self.peek(key).map(|value| T::of(value).ok_or(WrongType)).transpose()
    }

    /// The deadline: `None` without the key, `Some(None)` for a persistent one.
    pub fn deadline(&mut self, key: &[u8]) -> Option<Option<Deadline>> {
        let (_, found) = self.find(key);
        found.map(|handle| self.here().items[handle].deadline())
    }

    /// Sets the deadline of a key that is there; false when it is not. One that has passed already is the caller's to
    /// treat as a deletion. No event, no change counted.
    pub fn set_deadline(&mut self, key: &[u8], deadline: Deadline) -> bool {
        let (_, found) = self.find(key);
        if let Some(handle) = found {
            self.schedule(handle, deadline);
        }
        found.is_some()
    }

    /// Makes the key persistent; false when it is missing or already is. No event, no change counted.
    pub fn clear_deadline(&mut self, key: &[u8]) -> bool {
        let (_, found) = self.find(key);
        found.is_some_and(|handle| self.here().clear_deadline(handle))
    }

    /// Seconds since the last access; `None` without the key.
    pub fn idle_seconds(&mut self, key: &[u8]) -> Option<u32> {
        let (_, found) = self.find(key);
        let now = self.now.seconds();
        found.map(|handle| now.saturating_sub(self.here().items[handle].key.accessed()))
    }

    /// Bytes that the key takes with its value, place in the table and timer; `None` without the key. O(size of the
    /// value).
    pub fn memory_usage(&mut self, key: &[u8]) -> Option<usize> {
        let (_, found) = self.find(key);
        found.map(|handle| self.here().item_bytes(handle))
    }

    /// The write door: `key` was changed, and `event` says how.
    pub fn changed(&mut self, key: &[u8], event: Event) {
        self.changed_by(key, Some(event), 1);
    }

    /// The same for a command that counts several changes, or none of its own, or has no event.
    pub fn changed_by(&mut self, key: &[u8], event: Option<Event>, dirty: u64) {
        self.trace.dirty += dirty;
        if self.trace.positions.is_some() {
            let hash = self.state.hash(key);
            self.trace.write(hash);
        }
        self.trace.tell(self.db, key, event, true);
    }

    /// Publishes an event without a change (`expire` after `set`).
    pub fn notify(&mut self, key: &[u8], event: Event) {
        self.trace.tell(self.db, key, Some(event), false);
    }

    /// Logs the running command as `argv` instead of as it was sent.
    pub fn log(&mut self, argv: &[&[u8]]) {
        self.trace.log(self.db, argv);
    }

    /// Drops a value, off-thread when it is large.
    pub fn discard(&mut self, value: Value) {
        /// Below this, freeing takes less than handing over.
        const LARGE: usize = 64;
        if value.len() > LARGE {
            self.trace.garbage.push(Garbage::Value(value));
        }
    }

    /// Number of keys here.
    pub fn len(&self) -> usize {
        self.state.db(self.db).len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes the reply wait for whatever was written last, as it tells something of the database as a whole.
    pub fn touch_all(&mut self) {
        self.trace.touch_all();
    }

    /// Live keys in no order (KEYS). Visits the whole database.
    pub fn for_each(&mut self, mut visit: impl FnMut(&[u8], &Value)) {
        self.trace.touch_all();
        let db = &self.state.dbs[self.db];
        for handle in db.handles() {
            let item = &db.items[handle];
            if !item.deadline().is_some_and(|deadline| deadline.passed(self.now)) {
                visit(item.key.as_bytes(), &item.value);
            }
        }
    }

    /// One step of SCAN: keys from `cursor` on, at least `count` if there are that many; returns the next cursor, 0 at
    /// the end. A key that is there from the first call to the last is visited at least once.
    pub fn scan(&mut self, cursor: u64, count: usize, mut visit: impl FnMut(&[u8], &Value)) -> u64 {
        self.trace.touch_all();
        let db = &self.state.dbs[self.db];
        db.scan(cursor, count, |handle| {
            let item = &db.items[handle];
            if !item.deadline().is_some_and(|deadline| deadline.passed(self.now)) {
                visit(item.key.as_bytes(), &item.value);
            }
        })
    }

    /// A live key, each equally likely. Those found expired on the way are deleted.
    pub fn random_key(&mut self, random: &mut SmallRng) -> Option<Vec<u8>> {
        self.trace.touch_all();
        loop {
            let handle = self.state.dbs[self.db].random(random)?;
            let item = &self.state.dbs[self.db].items[handle];
            let gone = item.deadline().is_some_and(|deadline| deadline.passed(self.now));
            if !gone {
                return Some(item.key.as_bytes().to_vec());
            }
            self.expire(handle);
        }
    }

    /// Empties database `db`; returns how many keys it had, which count as so many changes. Watches of its keys break,
    /// those of missing keys do not (Redis 7.0). No event.
    pub fn flush(&mut self, db: usize) -> usize {
        let now = self.now;
        self.trace.touch_all();
        self.tell_all(db, &[db]);
        let dropped = self.state.take_db(db, now);
        let count = dropped.len();
        if count > 0 {
            self.trace.dirty += count as u64;
            self.trace.write_all();
            self.trace.garbage.push(Garbage::Db(Box::new(dropped)));
        }
        count
    }

    /// Exchanges two databases, which counts as one change unless both are empty or the same. In both, watches of keys
    /// that either holds break, and their waiters are told. No event.
    ///
    /// A key past its deadline counts as missing: it breaks the watch under its old name alone, and is deleted where it
    /// arrives (Redis 7.0).
    pub fn swap(&mut self, a: usize, b: usize) {
        self.trace.touch_all();
        if a == b || (self.state.db(a).is_empty() && self.state.db(b).is_empty()) {
            return;
        }
        let mut gone = Vec::new();
        if self.trace.listening && !self.trace.keeps_expired && self.trace.mode == Mode::Deciding {
            self.trace.log(self.db, &[b"SWAPDB", a.to_string().as_bytes(), b.to_string().as_bytes()]);
            for (from, to) in [(a, b), (b, a)] {
                while let Some(handle) = self.state.dbs[from].pop_due(self.now) {
                    self.trace.tell(from, self.state.dbs[from].items[handle].key.as_bytes(), None, true);
                    gone.push((to, handle));
                }
            }
        }
        self.state.swap(a, b);
        self.trace.dirty += 1;
        self.trace.write_all();
        for (db, handle) in gone {
            let home = std::mem::replace(&mut self.db, db);
            self.expire_as(handle, false);
            self.db = home;
        }
        // Whoever watches or waits for a name in either database sees another value there from now on.
        self.tell_all(a, &[a, b]);
        self.tell_all(b, &[a, b]);
    }

    /// Tells whoever listens that each key of database `from` was changed in all of `seen_in`.
    fn tell_all(&mut self, from: usize, seen_in: &[usize]) {
        if !self.trace.listening {
            return;
        }
        let db = &self.state.dbs[from];
        for handle in db.handles() {
            for &seen in seen_in {
                self.trace.tell(seen, db.items[handle].key.as_bytes(), None, true);
            }
        }
    }
}
