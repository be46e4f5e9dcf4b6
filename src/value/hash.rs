//! The hash type, and so the lock: a Redisson lock is a hash from owner to hold count. No TTL, no replies.

use std::fmt;

use indexmap::map;
use rand::Rng;

use super::EncodingLimits;
use super::blob::{Blob, Loose};
use super::index::{self, Table};
use super::packed::{Packed, PackedIter};
use super::scalar::Scalar;
use super::string::StringValue;

/// A map from strings to strings. Up to 256 bytes of pairs lie in one heap block of fitting size and keep their order;
/// larger ones are a hash table.
///
/// Equality is by content; order does not count.
#[derive(Clone)]
pub struct Hash(Repr);

#[derive(Clone)]
enum Repr {
    Packed(Packed),
    Full(Loose<Full>),
}

#[derive(Clone)]
struct Full {
    table: Table<StringValue>,
    /// Whether Redis would have left its listpack by now. There is no way back.
    hashtable: bool,
}

/// Why an increment was refused; nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncrementError {
    /// The value spells no integer by the rule of [`parse_int`](crate::number::parse_int).
    NotInteger,
    /// The sum leaves 64 bits signed.
    Overflow,
}

impl Hash {
    /// An empty hash. Allocates nothing.
    pub fn new() -> Hash {
        Hash(Repr::Packed(Packed::new()))
    }

    /// How many fields.
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Packed(packed) => packed.iter().count(),
            Repr::Full(full) => full.table.len(),
        }
    }

    /// Whether there is no field.
    pub fn is_empty(&self) -> bool {
        match &self.0 {
            Repr::Packed(packed) => packed.memory_usage() == 0,
            Repr::Full(full) => full.table.is_empty(),
        }
    }

    /// The value of `field`.
    #[inline]
    pub fn get(&self, field: &[u8]) -> Option<Scalar<'_>> {
        match &self.0 {
            Repr::Packed(packed) => packed.find(field).map(|place| packed.value(place)),
            Repr::Full(full) => full.table.get(field).map(StringValue::scalar),
        }
    }

    /// Whether there is such a field.
    #[inline]
    pub fn contains(&self, field: &[u8]) -> bool {
        match &self.0 {
            Repr::Packed(packed) => packed.find(field).is_some(),
            Repr::Full(full) => full.table.contains_key(field),
        }
    }

    /// Sets a field; true if it is new. A replaced value keeps its place in the order.
    pub fn insert(&mut self, field: &[u8], value: &[u8], limits: &EncodingLimits) -> bool {
        if field.len().max(value.len()) > limits.hash_max_listpack_value {
            self.full().hashtable = true;
        }
        self.store(field, Scalar::of(value), limits)
    }

    /// Removes a field; true if it was there.
    pub fn remove(&mut self, field: &[u8]) -> bool {
        match &mut self.0 {
            Repr::Packed(packed) => packed.find(field).inspect(|&place| packed.remove(place)).is_some(),
            Repr::Full(full) => full.remove(field),
        }
    }

    /// Adds `by` to the integer in `field`, a missing one counting as 0, and says the sum. On a small hash this
    /// allocates nothing while the sum is within 0..=127.
    #[inline]
    pub fn increment(&mut self, field: &[u8], by: i64, limits: &EncodingLimits) -> Result<i64, IncrementError> {
        if let Repr::Packed(packed) = &mut self.0
            && let Some(place) = packed.find(field)
        {
            let sum = add(packed.value(place), by)?;
            if packed.replace(place, Scalar::Int(sum)) {
                return Ok(sum);
            }
        }
        let sum = add(self.get(field).unwrap_or(Scalar::Int(0)), by)?;
        if field.len() > limits.hash_max_listpack_value {
            self.full().hashtable = true;
        }
        self.store(field, Scalar::Int(sum), limits);
        Ok(sum)
    }

    /// All pairs: in insertion order while the encoding is `listpack`, in no certain order then.
    pub fn iter(&self) -> HashIter<'_> {
        HashIter(match &self.0 {
            Repr::Packed(packed) => Iter::Packed(packed.iter()),
            Repr::Full(full) => Iter::Full(full.table.iter()),
        })
    }

    /// The pair at `index` in the order of [`Hash::iter`]. O(1) for a large hash.
    pub fn nth(&self, index: usize) -> Option<(&[u8], Scalar<'_>)> {
        match &self.0 {
            Repr::Packed(packed) => packed.iter().nth(index),
            Repr::Full(full) => full.table.get_index(index).map(pair),
        }
    }

    /// A pair, each equally likely; none from an empty hash. O(1) for a large hash.
    pub fn random(&self, rng: &mut impl Rng) -> Option<(&[u8], Scalar<'_>)> {
        match self.len() {
            0 => None,
            len => self.nth(rng.random_range(0..len)),
        }
    }

    /// Visits about `count` pairs from `cursor` on and returns the cursor to go on from; 0 begins, 0 is the end. A pair
    /// that is there from begin to end is visited at least once. Encoding `listpack` is visited whole at once, as in
    /// Redis.
    pub fn scan(&self, cursor: u64, count: usize, mut visit: impl FnMut(&[u8], Scalar<'_>)) -> u64 {
        match &self.0 {
            Repr::Full(full) if full.hashtable => index::scan_down(cursor, count, full.table.len(), |index| {
                let (field, value) = pair(full.table.get_index(index).expect("scan stays below len"));
                visit(field, value);
            }),
            _ => {
                self.iter().for_each(|(field, value)| visit(field, value));
                0
            }
        }
    }

    /// The name that OBJECT ENCODING of Redis 7.0 gives: `listpack`, or `hashtable` once a limit was passed.
    pub fn encoding(&self) -> &'static str {
        match &self.0 {
            Repr::Full(full) if full.hashtable => "hashtable",
            _ => "listpack",
        }
    }

    /// Heap bytes. O(len).
    pub fn memory_usage(&self) -> usize {
        match &self.0 {
            Repr::Packed(packed) => packed.memory_usage(),
            Repr::Full(full) => {
                let owned = full.table.iter().map(|(field, value)| field.memory_usage() + value.memory_usage());
                size_of::<Full>() + index::table_usage(&full.table) + owned.sum::<usize>()
            }
        }
    }

    fn store(&mut self, field: &[u8], value: Scalar<'_>, limits: &EncodingLimits) -> bool {
        if let Repr::Packed(packed) = &mut self.0 {
            match packed.find(field) {
                Some(place) if packed.replace(place, value) => return false,
                None if packed.iter().count() < limits.hash_max_listpack_entries && packed.push(field, value) => {
                    return true;
                }
                _ => {}
            }
        }
        self.full().store(field, value, limits)
    }

    /// The table form, made if need be.
    fn full(&mut self) -> &mut Full {
        if let Repr::Packed(packed) = &self.0 {
            let table = packed.iter().map(|(field, value)| (Blob::from(field), StringValue::from(value))).collect();
            self.0 = Repr::Full(Loose::new(Full { table, hashtable: false }));
        }
        match &mut self.0 {
            Repr::Full(full) => full,
            Repr::Packed(_) => unreachable!("made full above"),
        }
    }
}

impl Full {
    fn store(&mut self, field: &[u8], value: Scalar<'_>, limits: &EncodingLimits) -> bool {
        if let Some(stored) = self.table.get_mut(field) {
            *stored = StringValue::from(value);
            return false;
        }
        self.table.insert(Blob::from(field), StringValue::from(value));
        self.hashtable |= self.table.len() > limits.hash_max_listpack_entries;
        true
    }

    fn remove(&mut self, field: &[u8]) -> bool {
        // What Redis would hold as a listpack keeps its order; it is short, or its owner asked for long ones.
        let removed = if self.hashtable { self.table.swap_remove(field) } else { self.table.shift_remove(field) };
        index::shrink(&mut self.table);
        removed.is_some()
    }
}

fn pair<'a>((field, value): (&'a Blob, &'a StringValue)) -> (&'a [u8], Scalar<'a>) {
    (field.as_slice(), value.scalar())
}

#[inline]
fn add(value: Scalar<'_>, by: i64) -> Result<i64, IncrementError> {
    value.as_int().ok_or(IncrementError::NotInteger)?.checked_add(by).ok_or(IncrementError::Overflow)
}

/// The pairs of a [`Hash`](struct@Hash).
pub struct HashIter<'a>(Iter<'a>);

enum Iter<'a> {
    Packed(PackedIter<'a>),
    Full(map::Iter<'a, Blob, StringValue>),
}

impl<'a> Iterator for HashIter<'a> {
    type Item = (&'a [u8], Scalar<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Iter::Packed(pairs) => pairs.next(),
            Iter::Full(pairs) => pairs.next().map(pair),
        }
    }
}

impl Default for Hash {
    fn default() -> Hash {
        Hash::new()
    }
}

impl PartialEq for Hash {
    fn eq(&self, other: &Hash) -> bool {
        self.len() == other.len() && self.iter().all(|(field, value)| other.get(field) == Some(value))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.iter().map(|(field, value)| (Scalar::Bytes(field), value));
        f.debug_map().entries(pairs).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::SmallRng;

    use super::*;

    const OWNER: &[u8] = b"8743c9c0-0795-4907-87fd-6c719a6b4586:1";

    #[test]
    fn a_held_lock_is_one_block_of_40_bytes() {
        let limits = EncodingLimits::default();
        let mut lock = Hash::new();
        assert_eq!(lock.memory_usage(), 0);
        assert_eq!(lock.increment(OWNER, 1, &limits), Ok(1));
        assert_eq!(lock.memory_usage(), 40);
        for hold in 2..=127 {
            assert_eq!(lock.increment(OWNER, 1, &limits), Ok(hold));
        }
        assert_eq!(lock.memory_usage(), 40);
        assert_eq!(lock.increment(OWNER, 1, &limits), Ok(128));
        assert_eq!(lock.get(OWNER), Some(Scalar::Int(128)));
        assert!(lock.remove(OWNER) && lock.is_empty());
        assert_eq!(lock.memory_usage(), 0);
    }

    #[test]
    fn a_refused_increment_changes_nothing() {
        let limits = EncodingLimits::default();
        let mut hash = Hash::new();
        hash.insert(b"text", b" 1", &limits);
        hash.insert(b"high", b"9223372036854775807", &limits);
        let before = hash.clone();
        assert_eq!(hash.increment(b"text", 1, &limits), Err(IncrementError::NotInteger));
        assert_eq!(hash.increment(b"high", 1, &limits), Err(IncrementError::Overflow));
        assert_eq!(hash, before);
    }

    #[test]
    fn a_passed_limit_is_never_forgotten() {
        let limits = EncodingLimits { hash_max_listpack_entries: 4, ..EncodingLimits::default() };
        let mut hash = Hash::new();
        for field in [b"a", b"b", b"c", b"d"] {
            hash.insert(field, b"1", &limits);
        }
        assert_eq!(hash.encoding(), "listpack");
        hash.insert(b"e", b"1", &limits);
        assert_eq!(hash.encoding(), "hashtable");
        hash.remove(b"e");
        hash.remove(b"d");
        assert_eq!(hash.encoding(), "hashtable");
        let mut long = Hash::new();
        long.insert(&[b'f'; 64], &[b'v'; 64], &limits);
        assert_eq!(long.encoding(), "listpack");
        assert_eq!(long.increment(&[b'f'; 65], 1, &limits), Ok(1));
        assert_eq!(long.encoding(), "hashtable");
    }

    #[test]
    fn a_listpack_keeps_insertion_order() {
        let limits = EncodingLimits::default();
        let mut hash = Hash::new();
        for field in 0..100u8 {
            hash.insert(&[field; 10], b"x", &limits);
        }
        hash.remove(&[3; 10]);
        hash.insert(&[4; 10], b"replaced", &limits);
        let order: Vec<u8> = hash.iter().map(|(field, _)| field[0]).collect();
        assert_eq!(order, (0..100).filter(|&field| field != 3).collect::<Vec<u8>>());
        assert_eq!(hash.encoding(), "listpack");
    }

    #[derive(Debug, Clone)]
    enum Op {
        Insert(Vec<u8>, Vec<u8>),
        Remove(Vec<u8>),
        Increment(Vec<u8>, i64),
    }

    fn op() -> impl Strategy<Value = Op> {
        let field = || prop_oneof![9 => "[a-d]{0,2}", 1 => "[a-b]{60,70}"].prop_map(String::into_bytes);
        let value = prop_oneof![6 => "-?[0-9]{1,12}", 3 => "[a-z]{0,20}", 1 => "[a-z]{60,140}"];
        prop_oneof![
            4 => (field(), value).prop_map(|(field, value)| Op::Insert(field, value.into_bytes())),
            2 => field().prop_map(Op::Remove),
            4 => (field(), prop_oneof![-5i64..200, any::<i64>()]).prop_map(|(field, by)| Op::Increment(field, by)),
        ]
    }

    type Twin = BTreeMap<Vec<u8>, Vec<u8>>;

    fn expected_sum(twin: &Twin, field: &[u8], by: i64) -> Result<i64, IncrementError> {
        let old = twin.get(field).map_or("0".into(), |value| String::from_utf8_lossy(value));
        let int = old.parse::<i128>().ok().filter(|int| int.to_string() == old && i64::try_from(*int).is_ok());
        let sum = int.ok_or(IncrementError::NotInteger)? + i128::from(by);
        i64::try_from(sum).map_err(|_| IncrementError::Overflow)
    }

    /// Runs `op` on both and compares what they answer; true if it passed the limit for lengths.
    fn step(hash: &mut Hash, twin: &mut Twin, op: Op, limits: &EncodingLimits) -> bool {
        match op {
            Op::Insert(field, value) => {
                let long = field.len().max(value.len()) > limits.hash_max_listpack_value;
                assert_eq!(hash.insert(&field, &value, limits), twin.insert(field, value).is_none());
                long
            }
            Op::Remove(field) => {
                assert_eq!(hash.remove(&field), twin.remove(&field).is_some());
                false
            }
            Op::Increment(field, by) => {
                let sum = expected_sum(twin, &field, by);
                assert_eq!(hash.increment(&field, by, limits), sum);
                let long = sum.is_ok() && field.len() > limits.hash_max_listpack_value;
                if let Ok(sum) = sum {
                    twin.insert(field, sum.to_string().into_bytes());
                }
                long
            }
        }
    }

    proptest! {
        #[test]
        fn hashes_behave_like_maps(ops in prop::collection::vec(op(), 1..120), entries in 0usize..30, seed: u64) {
            let limits = EncodingLimits { hash_max_listpack_entries: entries, ..EncodingLimits::default() };
            let (mut hash, mut twin, mut passed) = (Hash::new(), Twin::new(), false);
            for op in ops {
                passed |= step(&mut hash, &mut twin, op, &limits);
                passed |= twin.len() > entries;
                prop_assert_eq!((hash.len(), hash.is_empty()), (twin.len(), twin.is_empty()));
                prop_assert_eq!(hash.encoding(), if passed { "hashtable" } else { "listpack" });
            }
            let content: Twin = hash.iter().map(|(field, value)| (field.to_vec(), value.to_vec())).collect();
            prop_assert_eq!(&content, &twin);
            for (field, value) in &twin {
                prop_assert_eq!((hash.contains(field), hash.get(field)), (true, Some(Scalar::of(value))));
            }
            let mut rng = SmallRng::seed_from_u64(seed);
            prop_assert_eq!(hash.random(&mut rng).is_some(), !twin.is_empty());
            prop_assert!(hash == hash.clone());
        }

        #[test]
        fn a_scan_meets_whatever_stays(
            steps in prop::collection::vec((1usize..8, prop::collection::vec((0u8..200, any::<bool>()), 0..12)), 1..40),
            initial in 0u8..200,
        ) {
            let limits = EncodingLimits { hash_max_listpack_entries: 20, ..EncodingLimits::default() };
            let mut hash = Hash::new();
            for field in 0..initial {
                hash.insert(&[field], b"", &limits);
            }
            let mut stayed: BTreeSet<u8> = (0..initial).collect();
            let (mut met, mut cursor) = (BTreeSet::new(), 0);
            for (count, changes) in steps {
                cursor = hash.scan(cursor, count, |field, _| { met.insert(field[0]); });
                if cursor == 0 {
                    break;
                }
                for (field, insert) in changes {
                    if insert {
                        hash.insert(&[field], b"", &limits);
                    } else {
                        hash.remove(&[field]);
                        stayed.remove(&field);
                    }
                }
            }
            while cursor != 0 {
                cursor = hash.scan(cursor, 5, |field, _| { met.insert(field[0]); });
            }
            prop_assert!(stayed.is_subset(&met));
        }
    }
}
