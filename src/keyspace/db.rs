//! One database: the hash index, the items it points to, and the wheel that hangs in them.

use super::key::Key;
use super::slab::Slab;
use super::table::Table;
use crate::time::{Deadline, Millis};
use crate::value::Value;
use crate::wheel::{Timer, Timers, Wheel};
use rand::rngs::SmallRng;

/// Value, timer and key of one entry. A held lock costs these 48 bytes, its slot in the table and its value's heap
/// block.
pub(super) struct Item {
    pub(super) value: Value,
    pub(super) timer: Timer,
    pub(super) key: Key,
}

const _: () = assert!(size_of::<Item>() == 48 && size_of::<Option<Item>>() == 48);

impl Item {
    pub(super) fn deadline(&self) -> Option<Deadline> {
        let at = self.timer.deadline()?;
        Some(Deadline { at: Millis(at as i64), wall: self.timer.wall() })
    }
}

impl Timers for Slab<Item> {
    fn timer(&self, handle: u32) -> &Timer {
        &self[handle].timer
    }
    fn timer_mut(&mut self, handle: u32) -> &mut Timer {
        &mut self[handle].timer
    }
}

/// A database. Handles are stable while their item lives; hashes are those of the State the database belongs to.
pub struct Db {
    table: Table,
    pub(super) items: Slab<Item>,
    wheel: Wheel,
    volatile: usize,
}

impl Db {
    pub(super) fn new(now: Millis) -> Self {
        Self { table: Table::new(), items: Slab::new(), wheel: Wheel::new(now.0.max(0) as u64), volatile: 0 }
    }

    /// Number of keys, those past their deadline but not yet deleted included (as DBSIZE of Redis).
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of keys with a deadline.
    pub fn volatile(&self) -> usize {
        self.volatile
    }

    /// Bytes that table and items take beyond the values' own.
    pub fn overhead(&self) -> usize {
        self.table.memory_usage() + self.items.memory_usage()
    }

    /// Bytes of one entry, its share of the table included. O(size of the value).
    pub(super) fn item_bytes(&self, handle: u32) -> usize {
        let item = &self.items[handle];
        let share = self.table.memory_usage() / self.len().max(1);
        size_of::<Item>() + share + item.key.heap_bytes() + item.value.memory_usage()
    }

    /// Mean time to live of the first thousand entries, as an estimate for all; 0 without any that has a deadline.
    pub fn mean_ttl_ms(&self, now: Millis) -> i64 {
        const LOOKED_AT: usize = 1000;
        let deadlines = self.handles().take(LOOKED_AT).filter_map(|handle| self.items[handle].deadline());
        let ttls = deadlines.map(|deadline| deadline.at.since(now).max(0));
        let (count, sum) = ttls.fold((0i64, 0i64), |(count, sum), ttl_ms| (count + 1, sum.saturating_add(ttl_ms)));
        if count == 0 { 0 } else { sum / count }
    }

    pub(super) fn find(&self, hash: u64, key: &[u8]) -> Option<u32> {
        self.table.find(top(hash), |handle| self.items[handle].key.as_bytes() == key)
    }

    pub(super) fn insert(&mut self, hash: u64, key: &[u8], value: Value, now: Millis) -> u32 {
        let item = Item { value, timer: Timer::default(), key: Key::new(key, now.seconds()) };
        let handle = self.items.insert(item);
        self.table.insert(top(hash), handle);
        handle
    }

    pub(super) fn remove(&mut self, hash: u64, handle: u32) -> Item {
        self.clear_deadline(handle);
        let found = self.table.remove(top(hash), handle);
        assert!(found, "an item is indexed under its key's hash");
        self.items.remove(handle)
    }

    /// Tells when the wheel wants to be turned for it.
    pub(super) fn set_deadline(&mut self, handle: u32, deadline: Deadline) -> Millis {
        let at = deadline.at.0.max(0) as u64;
        let had = self.items.timer(handle).deadline().is_some();
        if had {
            self.wheel.reschedule(&mut self.items, handle, at);
        } else {
            self.wheel.insert(&mut self.items, handle, at);
            self.volatile += 1;
        }
        self.items.timer_mut(handle).set_wall(deadline.wall);
        Millis(self.wheel.wake_for(at) as i64)
    }

    pub(super) fn clear_deadline(&mut self, handle: u32) -> bool {
        if self.items.timer(handle).deadline().is_none() {
            return false;
        }
        self.wheel.remove(&mut self.items, handle);
        self.items.timer_mut(handle).set_wall(false);
        self.volatile -= 1;
        true
    }

    pub(super) fn pop_due(&mut self, now: Millis) -> Option<u32> {
        self.wheel.pop_due(&mut self.items, now.0.max(0) as u64)
    }

    pub(super) fn next_deadline(&self) -> Option<Millis> {
        self.wheel.next_deadline().map(|at| Millis(at as i64))
    }

    pub(super) fn handles(&self) -> impl Iterator<Item = u32> + '_ {
        self.table.iter()
    }

    pub(super) fn scan(&self, cursor: u64, count: usize, visit: impl FnMut(u32)) -> u64 {
        self.table.scan(cursor, count, visit)
    }

    pub(super) fn random(&self, random: &mut SmallRng) -> Option<u32> {
        self.table.random(random)
    }
}

/// The table is ordered by the top bits; the low ones choose the journal position class.
fn top(hash: u64) -> u32 {
    (hash >> 32) as u32
}
