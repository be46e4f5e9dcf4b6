//! A segment of the table: one array of cells in the order of their hashes. Knows nothing of the directory.

/// The handle of an empty cell.
pub(super) const EMPTY: u32 = u32::MAX;

/// Cells beyond which a segment is split rather than grown.
pub(super) const MOST_CELLS: usize = 2048;

/// A hash and the handle filed under it: 8 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) hash: u32,
    pub(super) handle: u32,
}

/// An empty cell. Its hash is the greatest, so that a search for a smaller one stops at it without a second look.
const EMPTY_CELL: Cell = Cell { hash: u32::MAX, handle: EMPTY };

impl Cell {
    pub(super) fn is_empty(self) -> bool {
        self.handle == EMPTY
    }
}

/// All entries whose hashes share their top `depth` bits.
///
/// A hash has a *home*: its remaining bits as a fraction, times `homes`, rounded down. Its entry lies there or to the
/// right of there, with no empty cell in between. The array is longer than `homes`, so that what is displaced from the
/// last homes has room, and nothing wraps around.
///
/// Invariant: the entries lie in the order of their hashes.
#[derive(Debug)]
pub(super) struct Segment {
    cells: Box<[Cell]>,
    len: u32,
    homes: u32,
    depth: u8,
}

impl Segment {
    /// A segment without cells.
    pub(super) fn vacant(depth: u8) -> Segment {
        Segment { cells: Box::default(), len: 0, homes: 0, depth }
    }

    /// A segment of `entries`, which must be in the order of their hashes and share `depth` bits, with `capacity`
    /// cells, or more if the entries crowd at its end.
    pub(super) fn build(entries: impl Iterator<Item = Cell>, capacity: usize, depth: u8) -> Segment {
        let homes = capacity - overhang(capacity);
        let mut cells = Vec::with_capacity(capacity);
        let mut len = 0;
        for entry in entries {
            let home = home(entry.hash, depth, homes as u32);
            while cells.len() < home {
                cells.push(EMPTY_CELL);
            }
            cells.push(entry);
            len += 1;
        }
        if cells.len() >= capacity && capacity > 0 {
            // A tiny array, or many equal hashes: an eighth more room, or each insertion among them would rebuild.
            cells.resize(cells.len() + cells.len() / 8 + 1, EMPTY_CELL);
        } else {
            cells.resize(capacity, EMPTY_CELL);
        }
        Segment { cells: cells.into_boxed_slice(), len, homes: homes as u32, depth }
    }

    pub(super) fn len(&self) -> usize {
        self.len as usize
    }

    pub(super) fn depth(&self) -> u8 {
        self.depth
    }

    /// The cells, empty ones among them.
    pub(super) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The entries in the order of their hashes.
    pub(super) fn entries(&self) -> impl Iterator<Item = Cell> {
        self.cells.iter().copied().filter(|cell| !cell.is_empty())
    }

    /// The entries whose hash is at least `hash`, which has this segment's prefix.
    pub(super) fn entries_from(&self, hash: u32) -> impl Iterator<Item = Cell> {
        let home = self.home(hash);
        self.cells[home..].iter().copied().filter(move |cell| !cell.is_empty() && cell.hash >= hash)
    }

    /// The index of the entry with this hash whose handle satisfies `eq`.
    pub(super) fn position(&self, hash: u32, eq: impl Fn(u32) -> bool) -> Option<usize> {
        let home = self.home(hash);
        for (offset, cell) in self.cells[home..].iter().enumerate() {
            if cell.hash < hash {
                continue;
            }
            if cell.hash > hash || cell.is_empty() {
                return None;
            }
            if eq(cell.handle) {
                return Some(home + offset);
            }
        }
        None
    }

    /// Files an entry behind those with the same hash; false if there is no room, and nothing is changed.
    pub(super) fn insert(&mut self, entry: Cell) -> bool {
        if self.len() >= most_entries(self.cells.len()) {
            return false;
        }
        let home = self.home(entry.hash);
        let Some(run) = self.cells[home..].iter().position(|cell| cell.is_empty()) else { return false };
        let cells = &mut self.cells[home..=home + run];
        let index = cells[..run].iter().position(|cell| cell.hash > entry.hash).unwrap_or(run);
        cells.copy_within(index..run, index + 1);
        cells[index] = entry;
        self.len += 1;
        true
    }

    /// Empties the cell at `index`, and draws the entries behind it back towards their homes.
    pub(super) fn remove(&mut self, index: usize) {
        let mut hole = index;
        while let Some(&next) = self.cells.get(hole + 1) {
            if next.is_empty() || self.home(next.hash) > hole {
                break;
            }
            self.cells[hole] = next;
            hole += 1;
        }
        self.cells[hole] = EMPTY_CELL;
        self.len -= 1;
    }

    /// Whether fewer than seven tenths of the cells are in use, and a smaller array would do.
    pub(super) fn is_sparse(&self) -> bool {
        let cells = self.cells.len();
        self.len() * 10 < cells * 7 && capacity_for(self.len()) < cells
    }

    /// The index of the cell where the search for a hash begins.
    pub(super) fn home(&self, hash: u32) -> usize {
        home(hash, self.depth, self.homes)
    }

    /// Panics if an entry is out of order, too far left, or behind an empty cell.
    #[cfg(test)]
    pub(super) fn audit(&self, prefix: u32) {
        let mut last = 0;
        let mut gap_end = 0;
        for (index, cell) in self.cells.iter().enumerate() {
            if cell.is_empty() {
                assert_eq!(cell.hash, u32::MAX);
                gap_end = index + 1;
                continue;
            }
            let home = self.home(cell.hash);
            assert!(gap_end <= home && home <= index && last <= cell.hash);
            assert_eq!(u64::from(cell.hash) >> (32 - self.depth), u64::from(prefix));
            last = cell.hash;
        }
        assert_eq!(self.len(), self.entries().count());
    }
}

fn home(hash: u32, depth: u8, homes: u32) -> usize {
    ((u64::from(hash << depth) * u64::from(homes)) >> 32) as usize
}

/// Cells of an array that are no one's home.
fn overhang(capacity: usize) -> usize {
    (capacity / 16).clamp(1, 16).min(capacity)
}

/// Entries that an array of so many cells takes: seven eighths. Beyond, runs grow long.
pub(super) fn most_entries(capacity: usize) -> usize {
    capacity - capacity.div_ceil(8)
}

/// The next capacity after `capacity` in steps of an eighth of a power of two: ..., 1024, 1152, ..., 1920, 2048, 2304.
///
/// With arrays at most seven eighths full, steps of at most an eighth leave them more than 77 % full.
pub(super) fn next_capacity(capacity: usize) -> usize {
    let step = (1_usize << capacity.max(64).ilog2()) / 8;
    (capacity / step + 1) * step
}

/// The least capacity for `len` entries.
pub(super) fn capacity_for(len: usize) -> usize {
    if len == 0 {
        return 0;
    }
    // most_entries(c) >= len from here on; then up to the next step.
    let least = (len * 8).div_ceil(7);
    next_capacity(least - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capacity_for_is_the_least_step_that_suffices() {
        let mut capacity = 0;
        for len in 0..100_000 {
            while most_entries(capacity) < len {
                capacity = next_capacity(capacity);
            }
            assert_eq!(capacity_for(len), capacity, "for {len}");
        }
    }

    #[test]
    fn steps_are_an_eighth_or_less() {
        assert_eq!(
            (next_capacity(0), next_capacity(64), next_capacity(1024), next_capacity(1920)),
            (8, 72, 1152, 2048)
        );
        let mut capacity = 64;
        while capacity < 1 << 20 {
            let next = next_capacity(capacity);
            assert!(next - capacity <= capacity / 8);
            capacity = next;
        }
    }

    #[test]
    fn cell_is_8_bytes_and_a_segment_32() {
        assert_eq!((size_of::<Cell>(), size_of::<Segment>()), (8, 32));
    }
}
