//! The table beside a naive twin, a hash map, under random operations; its density; the promises of scan and random.

use std::collections::HashMap;

use proptest::prelude::*;
use rand::SeedableRng;

use super::*;

impl Table {
    /// Panics if a segment, a place of the directory or a count is wrong.
    fn audit(&self) {
        let (mut place, mut len, mut cells, mut deepest) = (0, 0, 0, 0);
        while place < self.directory.len() {
            let segment = &self.directory[place];
            let span = self.span(segment.depth());
            segment.audit((place / span) as u32);
            for alias in &self.directory[place + 1..place + span] {
                assert_eq!((alias.depth(), alias.cells().len()), (segment.depth(), 0));
            }
            assert!(segment.cells().len() <= self.widest);
            len += segment.len();
            cells += segment.cells().len();
            deepest += usize::from(segment.depth() == self.depth);
            place += span;
        }
        assert_eq!((place, len), (self.directory.len(), self.len));
        assert_eq!((cells, deepest), (self.cells, self.deepest));
        assert!(self.directory.is_empty() || self.directory.len() == 1 << self.depth);
    }
}

/// A bijection of u32 that spreads its values: as good as a keyed hash, and without chance collisions.
fn spread(key: u32) -> u32 {
    let mut hash = key.wrapping_add(0x9e37_79b9);
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

/// A table of the keys `0..len`, each its own handle, under evenly spread hashes.
fn filled(len: u32) -> Table {
    let mut table = Table::new();
    (0..len).for_each(|key| table.insert(spread(key), key));
    table
}

fn random_hashes(seed: u64, len: usize) -> Vec<u32> {
    let mut rng = SmallRng::seed_from_u64(seed);
    (0..len).map(|_| rand::Rng::random(&mut rng)).collect()
}

#[test]
fn empty_table_allocates_nothing_and_a_tiny_one_little() {
    assert_eq!(Table::new().memory_usage(), 0);
    assert_eq!(Table::new().find(7, |_| true), None);
    assert!(filled(1).memory_usage() <= 96);
    assert!(filled(50).memory_usage() <= 50 * 14, "{}", filled(50).memory_usage());
}

#[test]
fn table_takes_at_most_10_and_a_half_bytes_a_key_at_any_size_from_100_up() {
    let mut table = Table::new();
    let mut next_look = 100;
    for (handle, hash) in random_hashes(1, 1_000_000).into_iter().enumerate() {
        table.insert(hash, handle as u32);
        if table.len() == next_look || table.len() == 1_000_000 {
            let bytes = table.memory_usage() as f64 / table.len() as f64;
            assert!((9.0..=10.5).contains(&bytes), "{bytes:.2} bytes a key at {}", table.len());
            next_look += next_look.div_ceil(97);
        }
    }
    table.audit();
}

#[test]
fn table_that_shrinks_stays_dense_until_it_is_empty() {
    let mut table = filled(200_000);
    for key in 0..200_000 {
        assert!(table.remove(spread(key), key));
        let left = table.len();
        if left.is_multiple_of(1000) {
            assert!(table.memory_usage() <= left * 23 / 2 + 200, "{} bytes for {left}", table.memory_usage());
        }
    }
    table.audit();
    assert_eq!((table.len(), table.depth), (0, 0));
    assert!(table.memory_usage() <= 200);
}

#[test]
fn entries_are_found_within_a_few_cells_of_home() {
    let table = filled(300_000);
    let mut away = 0;
    for key in 0..300_000 {
        let hash = spread(key);
        let segment = &table.directory[table.place(hash)];
        away += segment.position(hash, |handle| handle == key).unwrap() - segment.home(hash);
        assert_eq!(table.find(hash, |handle| handle == key), Some(key));
    }
    let mean = away as f64 / 300_000.0;
    assert!(mean < 4.0, "{mean} cells from home");
}

#[test]
fn equal_hashes_beyond_any_segment_are_kept_and_scanned_together() {
    for hash in [0, 0x5a5a_5a5a, u32::MAX] {
        let mut table = Table::new();
        for handle in 0..6000 {
            table.insert(hash, handle);
        }
        (0..2000).for_each(|key| table.insert(spread(key), 10_000 + key));
        table.audit();
        assert!(table.memory_usage() < 8000 * 32, "{}", table.memory_usage());
        assert_eq!(table.find(hash, |handle| handle == 5999), Some(5999));
        let (mut cursor, mut seen) = (0, Vec::new());
        loop {
            let mut page = Vec::new();
            cursor = table.scan(cursor, 10, |handle| page.push(handle));
            let equal = page.iter().filter(|&&handle| handle < 10_000).count();
            assert!(equal == 0 || equal == 6000);
            seen.extend(page);
            if cursor == 0 {
                break;
            }
        }
        seen.sort_unstable();
        assert!(seen.into_iter().eq((0..6000).chain(10_000..12_000)));
        (0..6000).for_each(|handle| assert!(table.remove(hash, handle)));
        table.audit();
        assert_eq!(table.len(), 2000);
    }
}

#[test]
fn scan_of_exactly_count_entries_is_done_at_once() {
    let table = filled(10);
    let mut seen = 0;
    assert_eq!(table.scan(0, 10, |_| seen += 1), 0);
    assert_eq!(seen, 10);
    assert_ne!(table.scan(0, 9, |_| ()), 0);
    assert_eq!(table.scan(u64::MAX, 10, |_| panic!("nothing is there")), 0);
    assert_eq!(Table::new().scan(0, 10, |_| panic!("nothing is there")), 0);
}

/// Chi-square of `draws` draws over the handles `0..len`, in standard deviations from its mean.
fn skew(table: &Table, len: usize, draws: usize) -> f64 {
    let mut rng = SmallRng::seed_from_u64(42);
    let mut counts = vec![0_u32; len];
    (0..draws).for_each(|_| counts[table.random(&mut rng).unwrap() as usize] += 1);
    let expected = draws as f64 / len as f64;
    let chi_square: f64 = counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
    let freedom = (len - 1) as f64;
    (chi_square - freedom) / (2.0 * freedom).sqrt()
}

#[test]
fn random_is_uniform_over_segments_of_different_depths() {
    let mut table = Table::new();
    // The lower half of all hashes has four times as many entries as the upper one.
    for key in 0..10_000_u32 {
        let half = if key.is_multiple_of(5) { 1 << 31 } else { 0 };
        table.insert(spread(key) >> 1 | half, key);
    }
    let depths: Vec<u8> = table.directory.iter().map(Segment::depth).collect();
    assert_ne!(depths.iter().min(), depths.iter().max());
    let skew = skew(&table, 10_000, 200_000);
    assert!(skew.abs() < 5.0, "{skew}");
}

#[test]
fn random_is_uniform_in_small_tables_and_none_in_empty_ones() {
    assert_eq!(Table::new().random(&mut SmallRng::seed_from_u64(1)), None);
    for len in [1, 2, 7, 50] {
        let skew = skew(&filled(len), len as usize, 20_000);
        assert!(len == 1 || skew.abs() < 5.0, "{len}: {skew}");
    }
}

#[derive(Debug, Clone)]
enum Step {
    Insert(u32, u32),
    Remove(u32, u32),
    Scan(usize),
}

const KEYS: u32 = 20_000;

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..KEYS, 0..4000_u32).prop_map(|(from, count)| Step::Insert(from, count)),
        2 => (0..KEYS, 0..8000_u32).prop_map(|(from, count)| Step::Remove(from, count)),
        2 => (1..3000_usize).prop_map(Step::Scan),
    ]
}

/// A table, its twin, and a scan that goes on while both change. Each key is its own handle; the
/// twin knows whether the scan owes it a visit: it has been there since the scan began.
struct Pair {
    table: Table,
    twin: HashMap<u32, Visit>,
    hash: fn(u32) -> u32,
    cursor: u64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Visit {
    Owed,
    NotOwed,
    Done,
}

impl Pair {
    fn take(&mut self, step: Step) {
        match step {
            Step::Insert(from, count) => {
                for key in (from..from + count).map(|key| key % KEYS) {
                    let found = self.table.find((self.hash)(key), |handle| handle == key);
                    assert_eq!(found, self.twin.contains_key(&key).then_some(key));
                    if found.is_none() {
                        self.table.insert((self.hash)(key), key);
                        self.twin.insert(key, Visit::NotOwed);
                    }
                }
            }
            Step::Remove(from, count) => {
                for key in (from..from + count).map(|key| key % KEYS) {
                    assert_eq!(self.table.remove((self.hash)(key), key), self.twin.remove(&key).is_some());
                }
            }
            Step::Scan(count) => self.scan(count),
        }
    }

    fn scan(&mut self, count: usize) {
        if self.cursor == 0 {
            self.twin.values_mut().for_each(|visit| *visit = Visit::Owed);
        }
        let mut visited = 0;
        let cursor = self.table.scan(self.cursor, count, |handle| {
            let visit = self.twin.get_mut(&handle).expect("visited what is not there");
            assert_ne!(*visit, Visit::Done, "visited twice");
            *visit = Visit::Done;
            visited += 1;
        });
        assert!(cursor == 0 || cursor > self.cursor && visited >= count);
        self.cursor = cursor;
        assert!(cursor != 0 || self.twin.values().all(|visit| *visit != Visit::Owed), "never visited");
    }

    fn agree(&self) {
        self.table.audit();
        assert_eq!(self.table.len(), self.twin.len());
        let (mut ours, mut theirs): (Vec<_>, Vec<_>) =
            (self.table.iter().collect(), self.twin.keys().copied().collect());
        ours.sort_unstable();
        theirs.sort_unstable();
        assert_eq!(ours, theirs);
    }
}

fn run(steps: Vec<Step>, hash: fn(u32) -> u32) {
    let mut pair = Pair { table: Table::new(), twin: HashMap::new(), hash, cursor: 0 };
    for step in steps {
        pair.take(step);
        pair.agree();
    }
    pair.take(Step::Remove(0, KEYS));
    pair.agree();
    assert!(pair.table.memory_usage() <= 256);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn table_agrees_with_a_map(steps in prop::collection::vec(step(), 1..25)) {
        run(steps, spread);
    }

    #[test]
    fn table_with_few_distinct_hashes_agrees_with_a_map(steps in prop::collection::vec(step(), 1..12)) {
        run(steps, |key| spread(key % 300));
    }

}

// Every operation on crowded hashes walks through most of them.
proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn table_with_crowded_hashes_agrees_with_a_map(steps in prop::collection::vec(step(), 1..6)) {
        run(steps, |key| u32::MAX - key / 3);
    }
}
