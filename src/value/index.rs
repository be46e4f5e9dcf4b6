//! What the full encodings of hash, set and sorted set share: the hasher of their tables, and the order in which they
//! are scanned.

use std::hash::BuildHasher;
use std::sync::LazyLock;

use indexmap::IndexMap;

use super::blob::Blob;

/// A table from strings to `V` whose entries have an index each: removal moves the last entry into the gap.
pub(super) type Table<V> = IndexMap<Blob, V, Seeded>;

/// The hasher of every table, with one secret seed for the process, so that a table carries none. The order of entries
/// does not depend on the seed.
#[derive(Clone, Copy, Default)]
pub(super) struct Seeded;

static SEED: LazyLock<ahash::RandomState> = LazyLock::new(ahash::RandomState::new);

impl BuildHasher for Seeded {
    type Hasher = ahash::AHasher;

    #[inline]
    fn build_hasher(&self) -> ahash::AHasher {
        SEED.build_hasher()
    }
}

/// Scans indexes downwards: the cursor says how many entries, from the first, are still to be visited; 0 begins and
/// ends.
///
/// An entry that is there throughout is visited: it moves only when it is the last and another is removed, then to a
/// lower index, hence from the visited part anywhere or within the unvisited part, never from the unvisited part into
/// the visited.
pub(super) fn scan_down(cursor: u64, count: usize, len: usize, visit: impl FnMut(usize)) -> u64 {
    let unvisited = match usize::try_from(cursor) {
        Ok(0) | Err(_) => len,
        Ok(unvisited) => unvisited.min(len),
    };
    let rest = unvisited.saturating_sub(count.max(1));
    (rest..unvisited).rev().for_each(visit);
    rest as u64
}

/// Heap bytes of a table without what its keys and values own.
pub(super) fn table_usage<V>(table: &Table<V>) -> usize {
    // One stored hash per entry, one index and one control byte per bucket.
    table.capacity() * (size_of::<(usize, Blob, V)>() + size_of::<usize>() + 1)
}

/// Gives memory back once a table is mostly empty. Keeps the indexes.
pub(super) fn shrink<V>(table: &mut Table<V>) {
    if table.capacity() > 64 && table.len() < table.capacity() / 8 {
        table.shrink_to(table.len() * 2);
    }
}
