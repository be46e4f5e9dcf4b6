//! The hash index of a database: from 32-bit hashes to the handles of items that live elsewhere. Knows neither keys nor
//! items; whoever asks says which handle is the right one.
//!
//! It is extendible hashing that keeps the order of the hashes. A directory of 2^D places, indexed by the top D bits
//! of a hash, leads to *segments* of up to 2048 cells, each the owner of all hashes with one prefix of `depth` bits. A
//! segment grows in steps of an eighth, and then splits in two by the next bit; what is deleted makes it shrink,
//! and merge with its other half. So arrays stay 70 to 87 % full at any size, and the table never stops to move more
//! than one segment. (The directory itself doubles, too: 32 bytes for 500 to 1800 keys, so 64 KiB at a million keys.)
//!
//! Entries lie in the order of their hashes, within a segment and from one to the next, whatever grows, splits or
//! merges. Hence [`Table::scan`] needs no more state than the hash at which to go on.
//!
//! A segment of less than the full depth owns several neighbouring places. It lies in the first of them; the others
//! hold a vacant one of the same depth, which is all it takes to find the first.
//!
//! Hashes must come from a keyed hash function, or segments fill unevenly. Even then nothing breaks: entries with one
//! hash cannot be split, so their segment grows instead, and the directory is bounded by the number of entries.

mod segment;

use rand::Rng;
use rand::rngs::SmallRng;

use segment::{Cell, EMPTY, MOST_CELLS, Segment, capacity_for, next_capacity};

/// Segments merge when both halves together have no more entries than this: half of what made them split, so that
/// a few insertions and removals do not split and merge them again and again.
const MOST_MERGED: usize = 1024;

/// Bits of a hash that the directory may use.
const MOST_DEPTH: u8 = 24;

/// A map from 32-bit hashes, not necessarily distinct, to u32 handles. An empty one that was never used allocates
/// nothing.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// 2^depth places, or none at all.
    directory: Vec<Segment>,
    depth: u8,
    /// Segments whose depth is the directory's: when there are none it can be halved.
    deepest: usize,
    len: usize,
    /// Cells in all segments.
    cells: usize,
    /// No segment has more cells than this.
    widest: usize,
}

impl Table {
    /// A table without entries.
    pub(super) const fn new() -> Table {
        Table { directory: Vec::new(), depth: 0, deepest: 0, len: 0, cells: 0, widest: 0 }
    }

    /// The number of entries.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The handle under `hash` for which `eq` holds. `eq` is asked only about handles filed under this very hash.
    pub(super) fn find(&self, hash: u32, eq: impl Fn(u32) -> bool) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        let segment = &self.directory[self.place(hash)];
        segment.position(hash, eq).map(|index| segment.cells()[index].handle)
    }

    /// Files `handle` under `hash`. The caller knows that it is not there yet. At worst rebuilds one segment.
    ///
    /// # Panics
    /// If the handle is `u32::MAX`.
    pub(super) fn insert(&mut self, hash: u32, handle: u32) {
        assert!(handle != EMPTY, "handle out of range");
        if self.directory.is_empty() {
            self.directory = vec![Segment::vacant(0)];
            self.deepest = 1;
        }
        loop {
            let place = self.place(hash);
            if self.directory[place].insert(Cell { hash, handle }) {
                self.len += 1;
                return;
            }
            self.make_room(place);
        }
    }

    /// Takes `handle` out from under `hash`; false if it is not there. At worst rebuilds one segment.
    pub(super) fn remove(&mut self, hash: u32, handle: u32) -> bool {
        let Some((place, index)) = self.locate(hash, handle) else { return false };
        self.directory[place].remove(index);
        self.len -= 1;
        if self.directory[place].is_sparse() {
            self.shrink(place);
        }
        true
    }

    /// All handles, in the order of their hashes.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        self.directory.iter().flat_map(Segment::entries).map(|entry| entry.handle)
    }

    /// Visits at least `count` entries (and at least one), if there are so many, from the position `cursor` on; returns
    /// the cursor to go on with, or 0 at the end. Begin with cursor 0.
    ///
    /// Whatever is in the table from the first call of a round to the last is visited exactly once, no matter
    /// what is inserted and removed between the calls: the cursor is the hash of the next entry, and all
    /// entries with one hash are visited by the same call. A cursor that was never handed out is as good as any.
    pub(super) fn scan(&self, cursor: u64, count: usize, mut visit: impl FnMut(u32)) -> u64 {
        let Ok(from) = u32::try_from(cursor) else { return 0 };
        if self.len == 0 {
            return 0;
        }
        let first = self.place(from);
        let rest = self.directory[first + 1..].iter().flat_map(Segment::entries);
        let mut last = None;
        for (visited, entry) in self.directory[first].entries_from(from).chain(rest).enumerate() {
            if visited >= count.max(1) && last != Some(entry.hash) {
                return u64::from(entry.hash);
            }
            visit(entry.handle);
            last = Some(entry.hash);
        }
        0
    }

    /// One handle, each as likely as any other; None if there are none. Expected O(1).
    ///
    /// Draws one of the 2^D places of the directory and one of `widest` cell numbers, until that names an entry. A
    /// place that is not the first of its segment holds no cells, so each entry is named by exactly one of the 2^D *
    /// `widest` pairs, and all pairs are equally likely, whatever the depths and sizes of the segments.
    pub(super) fn random(&self, rng: &mut SmallRng) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        loop {
            let segment = &self.directory[rng.random_range(0..self.directory.len())];
            match segment.cells().get(rng.random_range(0..self.widest)) {
                Some(cell) if !cell.is_empty() => return Some(cell.handle),
                _ => {}
            }
        }
    }

    /// Bytes allocated. O(1).
    pub(super) fn memory_usage(&self) -> usize {
        self.directory.capacity() * size_of::<Segment>() + self.cells * size_of::<Cell>()
    }

    /// The first of the places that belong to the segment of `hash`: where the segment is.
    fn place(&self, hash: u32) -> usize {
        let place = (u64::from(hash) >> (32 - u32::from(self.depth))) as usize;
        place & !(self.span(self.directory[place].depth()) - 1)
    }

    /// The number of places that belong to a segment of this depth.
    fn span(&self, depth: u8) -> usize {
        1 << (self.depth - depth)
    }

    fn locate(&self, hash: u32, handle: u32) -> Option<(usize, usize)> {
        if self.len == 0 {
            return None;
        }
        let place = self.place(hash);
        self.directory[place].position(hash, |it| it == handle).map(|index| (place, index))
    }

    /// Grows the segment in `place` by a step, or splits it if it is as large as segments get.
    fn make_room(&mut self, place: usize) {
        let segment = &self.directory[place];
        let depth = segment.depth();
        let capacity = next_capacity(segment.cells().len());
        if capacity <= MOST_CELLS || !self.may_split(depth) {
            self.put(place, Segment::build(segment.entries(), capacity, depth));
        } else if depth < self.depth {
            self.split(place);
        } else {
            self.double_directory();
            self.split(place * 2);
        }
    }

    /// Whether a segment of this depth may be split: always without doubling the directory, else only while that stays
    /// small beside the entries. Evenly spread hashes never meet the bound.
    fn may_split(&self, depth: u8) -> bool {
        depth < self.depth || self.depth < MOST_DEPTH && 2 << self.depth <= (self.len / 128).max(8)
    }

    fn split(&mut self, place: usize) {
        let segment = &self.directory[place];
        let depth = segment.depth() + 1;
        let is_low = |entry: &Cell| entry.hash << (depth - 1) >> 31 == 0;
        let low_len = segment.entries().take_while(is_low).count();
        let low = Segment::build(segment.entries().take(low_len), capacity_for(low_len), depth);
        let high_len = segment.len() - low_len;
        let high = Segment::build(segment.entries().skip(low_len), capacity_for(high_len), depth);
        self.put(place, low);
        self.put(place + self.span(depth), high);
        if depth == self.depth {
            self.deepest += 2;
        }
    }

    /// Rebuilds a sparse segment, together with its other half if both have become small.
    fn shrink(&mut self, mut place: usize) {
        let mut merged = false;
        while let Some(other) = self.mergeable(place) {
            place = self.merge(place.min(other), place.max(other));
            merged = true;
        }
        if merged {
            self.halve_directory();
        } else {
            let segment = &self.directory[place];
            let smaller = Segment::build(segment.entries(), capacity_for(segment.len()), segment.depth());
            self.put(place, smaller);
        }
    }

    /// The place of the segment's other half, if that is not split further and both together are small.
    fn mergeable(&self, place: usize) -> Option<usize> {
        let segment = &self.directory[place];
        let other = (segment.depth() > 0).then(|| place ^ self.span(segment.depth()))?;
        let half = &self.directory[other];
        (half.depth() == segment.depth() && half.len() + segment.len() <= MOST_MERGED).then_some(other)
    }

    fn merge(&mut self, low_place: usize, high_place: usize) -> usize {
        let (low, high) = (&self.directory[low_place], &self.directory[high_place]);
        let depth = low.depth() - 1;
        let entries = low.entries().chain(high.entries());
        let both = Segment::build(entries, capacity_for(low.len() + high.len()), depth);
        if depth + 1 == self.depth {
            self.deepest -= 2;
        }
        // What lies in the upper place is dropped when that becomes one of the lower segment's.
        self.cells -= high.cells().len();
        self.put(low_place, both);
        low_place
    }

    /// Puts a segment in its place, and its depth in the places that also belong to it.
    fn put(&mut self, place: usize, segment: Segment) {
        let (depth, cells) = (segment.depth(), segment.cells().len());
        let old = std::mem::replace(&mut self.directory[place], segment);
        self.cells = self.cells + cells - old.cells().len();
        let span = self.span(depth);
        debug_assert!(place.is_multiple_of(span));
        if old.depth() != depth {
            self.directory[place + 1..place + span].fill_with(|| Segment::vacant(depth));
        }
        if self.directory.len() == 1 {
            self.widest = cells;
        } else if cells >= self.widest {
            self.widest = cells.max(MOST_CELLS);
        } else if old.cells().len() == self.widest && self.widest > MOST_CELLS {
            let widest = self.directory.iter().map(|segment| segment.cells().len()).max();
            self.widest = widest.unwrap_or(0).max(MOST_CELLS);
        }
    }

    fn double_directory(&mut self) {
        let mut doubled = Vec::with_capacity(self.directory.len() * 2);
        for segment in self.directory.drain(..) {
            let depth = segment.depth();
            doubled.extend([segment, Segment::vacant(depth)]);
        }
        self.directory = doubled;
        self.depth += 1;
        self.deepest = 0;
        self.widest = self.widest.max(MOST_CELLS);
    }

    /// Halves the directory as often as no segment needs its last bit.
    fn halve_directory(&mut self) {
        while self.deepest == 0 && self.depth > 0 {
            self.directory = std::mem::take(&mut self.directory).into_iter().step_by(2).collect();
            self.directory.shrink_to_fit();
            self.depth -= 1;
            // The segments of this depth: each place of another belongs to two places or more.
            self.deepest = self.directory.iter().filter(|segment| segment.depth() == self.depth).count();
        }
        if self.directory.len() == 1 {
            self.widest = self.directory[0].cells().len();
        }
    }
}

#[cfg(test)]
mod tests;
