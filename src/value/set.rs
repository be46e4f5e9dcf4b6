//! The set type. No TTL, no replies, and no set algebra: that needs several keys.

use std::fmt;

use rand::Rng;

use super::EncodingLimits;
use super::blob::{Blob, Loose};
use super::index::{self, Table};
use super::scalar::Scalar;
use super::string::StringValue;
use crate::number::parse_int;

/// A set of strings: a sorted array of integers as long as all members are integers and few, a hash table then.
///
/// Equality is by content.
#[derive(Clone)]
pub struct Set(Repr);

#[derive(Clone)]
enum Repr {
    /// Ascending.
    Ints(Loose<Vec<i64>>),
    Full(Loose<Table<()>>),
}

impl Set {
    /// An empty set, encoding `intset`.
    pub fn new() -> Set {
        Set(Repr::Ints(Loose::new(Vec::new())))
    }

    /// How many members.
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Ints(ints) => ints.len(),
            Repr::Full(table) => table.len(),
        }
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether `member` is in. O(log n) among integers, O(1) else.
    pub fn contains(&self, member: &[u8]) -> bool {
        match &self.0 {
            Repr::Ints(ints) => parse_int(member).is_some_and(|int| ints.binary_search(&int).is_ok()),
            Repr::Full(table) => table.contains_key(member),
        }
    }

    /// Adds a member; true if it is new. A member that is no integer, or one integer too many, changes the encoding for
    /// good.
    pub fn insert(&mut self, member: &[u8], limits: &EncodingLimits) -> bool {
        if let Repr::Ints(ints) = &mut self.0
            && let Some(int) = parse_int(member)
        {
            let Err(index) = ints.binary_search(&int) else { return false };
            ints.insert(index, int);
            if ints.len() > limits.set_max_intset_entries {
                self.full();
            }
            return true;
        }
        let table = self.full();
        !table.contains_key(member) && table.insert(Blob::from(member), ()).is_none()
    }

    /// Removes a member; true if it was in.
    pub fn remove(&mut self, member: &[u8]) -> bool {
        match &mut self.0 {
            Repr::Ints(ints) => {
                let index = parse_int(member).and_then(|int| ints.binary_search(&int).ok());
                index.map(|index| ints.remove(index)).is_some()
            }
            Repr::Full(table) => {
                let removed = table.swap_remove(member).is_some();
                index::shrink(table);
                removed
            }
        }
    }

    /// All members: ascending while the encoding is `intset`, in no certain order then.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Scalar<'_>> {
        (0..self.len()).map(|index| self.nth(index).expect("index is below len"))
    }

    /// The member at `index` in the order of [`Set::iter`]. O(1).
    pub fn nth(&self, index: usize) -> Option<Scalar<'_>> {
        match &self.0 {
            Repr::Ints(ints) => ints.get(index).copied().map(Scalar::Int),
            Repr::Full(table) => table.get_index(index).map(|(member, ())| Scalar::Bytes(member.as_slice())),
        }
    }

    /// A member, each equally likely; none from an empty set. O(1).
    pub fn random(&self, rng: &mut impl Rng) -> Option<Scalar<'_>> {
        match self.len() {
            0 => None,
            len => self.nth(rng.random_range(0..len)),
        }
    }

    /// Takes out a member, each equally likely.
    pub fn pop_random(&mut self, rng: &mut impl Rng) -> Option<StringValue> {
        if self.is_empty() {
            return None;
        }
        let index = rng.random_range(0..self.len());
        match &mut self.0 {
            Repr::Ints(ints) => Some(StringValue::from(ints.remove(index))),
            Repr::Full(table) => {
                let popped = table.swap_remove_index(index).map(|(member, ())| StringValue::from_blob(member));
                index::shrink(table);
                popped
            }
        }
    }

    /// Visits about `count` members from `cursor` on and returns the cursor to go on from; 0 begins, 0 is the end. A
    /// member that is in from begin to end is visited at least once. Encoding `intset` is visited whole at once, as in
    /// Redis.
    pub fn scan(&self, cursor: u64, count: usize, mut visit: impl FnMut(Scalar<'_>)) -> u64 {
        match &self.0 {
            Repr::Ints(ints) => {
                ints.iter().for_each(|&int| visit(Scalar::Int(int)));
                0
            }
            Repr::Full(table) => index::scan_down(cursor, count, table.len(), |index| {
                let (member, ()) = table.get_index(index).expect("scan stays below len");
                visit(Scalar::Bytes(member.as_slice()));
            }),
        }
    }

    /// Goes back to `intset` if the content allows it: what SPOP of Redis 7.0 does when it leaves at most a fifth of
    /// its count.
    pub fn settle(&mut self, limits: &EncodingLimits) {
        if let Repr::Full(table) = &self.0
            && table.len() <= limits.set_max_intset_entries
            && let Some(mut ints) = table.keys().map(|member| parse_int(member.as_slice())).collect::<Option<Vec<_>>>()
        {
            ints.sort_unstable();
            self.0 = Repr::Ints(Loose::new(ints));
        }
    }

    /// The name that OBJECT ENCODING of Redis 7.0 gives: `intset` or `hashtable`.
    pub fn encoding(&self) -> &'static str {
        match &self.0 {
            Repr::Ints(_) => "intset",
            Repr::Full(_) => "hashtable",
        }
    }

    /// Heap bytes. O(len).
    pub fn memory_usage(&self) -> usize {
        match &self.0 {
            Repr::Ints(ints) => size_of::<Vec<i64>>() + ints.capacity() * size_of::<i64>(),
            Repr::Full(table) => {
                let owned: usize = table.keys().map(Blob::memory_usage).sum();
                size_of::<Table<()>>() + index::table_usage(table) + owned
            }
        }
    }

    /// The table form, made if need be.
    fn full(&mut self) -> &mut Table<()> {
        if let Repr::Ints(ints) = &self.0 {
            let mut buffer = itoa::Buffer::new();
            let table = ints.iter().map(|&int| (Blob::from(buffer.format(int).as_bytes()), ())).collect();
            self.0 = Repr::Full(Loose::new(table));
        }
        match &mut self.0 {
            Repr::Full(table) => table,
            Repr::Ints(_) => unreachable!("made full above"),
        }
    }
}

impl Default for Set {
    fn default() -> Set {
        Set::new()
    }
}

impl PartialEq for Set {
    fn eq(&self, other: &Set) -> bool {
        let mut buffer = itoa::Buffer::new();
        self.len() == other.len()
            && self.iter().all(|member| match member {
                Scalar::Int(int) => other.contains(buffer.format(int).as_bytes()),
                Scalar::Bytes(bytes) => other.contains(bytes),
            })
    }
}

impl fmt::Debug for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::SmallRng;

    use super::*;

    fn content(set: &Set) -> BTreeSet<Vec<u8>> {
        set.iter().map(Scalar::to_vec).collect()
    }

    #[test]
    fn an_integer_too_many_makes_a_table_for_good() {
        let limits = EncodingLimits { set_max_intset_entries: 3, ..EncodingLimits::default() };
        let mut set = Set::new();
        for member in [b"3", b"1", b"2"] {
            assert!(set.insert(member, &limits));
        }
        assert_eq!(set.encoding(), "intset");
        assert!(set.insert(b"4", &limits));
        assert_eq!(set.encoding(), "hashtable");
        assert!(set.remove(b"4"));
        assert_eq!(set.encoding(), "hashtable");
        set.settle(&limits);
        assert_eq!(set.encoding(), "intset");
        assert!(set.contains(b"1") && set.contains(b"3") && !set.contains(b"4"));
    }

    #[test]
    fn sets_of_either_encoding_are_equal_by_content() {
        let none = EncodingLimits { set_max_intset_entries: 0, ..EncodingLimits::default() };
        let (mut ints, mut table) = (Set::new(), Set::new());
        ints.insert(b"1", &EncodingLimits::default());
        table.insert(b"1", &none);
        assert_eq!((ints.encoding(), table.encoding()), ("intset", "hashtable"));
        assert_eq!(ints, table);
        assert_eq!(table, ints);
    }

    #[test]
    fn random_picks_reach_every_member() {
        let limits = EncodingLimits::default();
        let mut rng = SmallRng::seed_from_u64(1);
        for members in [["1", "2", "3"], ["a", "b", "3"]] {
            let mut set = Set::new();
            for member in members {
                set.insert(member.as_bytes(), &limits);
            }
            let met: BTreeSet<_> = (0..100).filter_map(|_| set.random(&mut rng).map(Scalar::to_vec)).collect();
            assert_eq!(met, content(&set));
        }
    }

    proptest! {
        #[test]
        fn sets_behave_like_sets(
            ops in prop::collection::vec((0u8..10, prop_oneof![60 => "-?[0-9]{1,2}", 1 => "[a-c]{0,20}"]), 1..120),
            entries in 0usize..40,
            seed: u64,
        ) {
            let limits = EncodingLimits { set_max_intset_entries: entries, ..EncodingLimits::default() };
            let mut rng = SmallRng::seed_from_u64(seed);
            let (mut set, mut twin, mut passed) = (Set::new(), BTreeSet::new(), false);
            for (action, member) in ops {
                let member = member.into_bytes();
                match action {
                    0 => {
                        let popped = set.pop_random(&mut rng).map(|popped| popped.to_vec());
                        prop_assert_eq!(popped.is_some(), !twin.is_empty());
                        prop_assert!(popped.is_none_or(|popped| twin.remove(&popped)));
                    }
                    1..4 => prop_assert_eq!(set.remove(&member), twin.remove(&member)),
                    _ => {
                        passed |= parse_int(&member).is_none();
                        prop_assert_eq!(set.insert(&member, &limits), twin.insert(member));
                    }
                }
                passed |= twin.len() > entries;
                prop_assert_eq!(set.encoding(), if passed { "hashtable" } else { "intset" });
                prop_assert_eq!(set.len(), twin.len());
            }
            prop_assert_eq!(content(&set), twin.clone());
            prop_assert!(twin.iter().all(|member| set.contains(member)));
            prop_assert!(set == set.clone());
        }

        #[test]
        fn a_scan_meets_whatever_stays(
            steps in prop::collection::vec((1usize..8, prop::collection::vec((0u8..200, any::<bool>()), 0..12)), 1..40),
            initial in 0u8..200,
            entries in 0usize..200,
        ) {
            let limits = EncodingLimits { set_max_intset_entries: entries, ..EncodingLimits::default() };
            let name = |member: u8| member.to_string().into_bytes();
            let mut set = Set::new();
            for member in 0..initial {
                set.insert(&name(member), &limits);
            }
            let mut stayed: BTreeSet<Vec<u8>> = (0..initial).map(name).collect();
            let (mut met, mut cursor) = (BTreeSet::new(), 0);
            for (count, changes) in steps {
                cursor = set.scan(cursor, count, |member| { met.insert(member.to_vec()); });
                if cursor == 0 {
                    break;
                }
                for (member, insert) in changes {
                    if insert {
                        set.insert(&name(member), &limits);
                    } else {
                        set.remove(&name(member));
                        stayed.remove(&name(member));
                    }
                }
            }
            while cursor != 0 {
                cursor = set.scan(cursor, 5, |member| { met.insert(member.to_vec()); });
            }
            prop_assert!(stayed.is_subset(&met));
        }
    }
}
