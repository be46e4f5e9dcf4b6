//! The five types of value: string, list, hash, set, sorted set. Pure data: no keys, no TTL, no replies, no clock, and
//! randomness only from the generator that a caller hands in.
//!
//! Callers never see how a value is stored; [`Value::encoding`] answers the name that Redis 7.0 would have for it. The
//! layout is made for locks: a `Value` is 10 bytes, and a held Redisson lock, a hash of one 38-byte owner, adds one
//! heap block of 40. To get there, pointers are stored unaligned (`blob.rs`) and small hashes in one block
//! (`packed.rs`).

use std::ops::Range;

mod blob;
mod hash;
mod index;
mod list;
mod packed;
mod ranked;
mod scalar;
mod set;
mod sorted_set;
mod string;

pub use hash::{Hash, HashIter, IncrementError};
pub use list::List;
pub use scalar::{IntBuffer, Scalar};
pub use set::Set;
pub use sorted_set::{Inserted, LexBound, NotANumber, SortedSet, SortedSetIter};
pub use string::StringValue;

/// A value of one of the five types.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Bytes or an integer.
    String(StringValue),
    /// A sequence.
    List(List),
    /// A map.
    Hash(Hash),
    /// A set.
    Set(Set),
    /// A set in the order of its scores.
    SortedSet(SortedSet),
}

const _: () = assert!(size_of::<Value>() == 10 && align_of::<Value>() == 1 && size_of::<Option<Value>>() == 10);

impl Value {
    /// What TYPE answers: `string`, `list`, `hash`, `set` or `zset`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::String(_) => "string",
            Value::List(_) => "list",
            Value::Hash(_) => "hash",
            Value::Set(_) => "set",
            Value::SortedSet(_) => "zset",
        }
    }

    /// What OBJECT ENCODING of Redis 7.0 answers.
    pub fn encoding(&self) -> &'static str {
        match self {
            Value::String(string) => string.encoding(),
            Value::List(list) => list.encoding(),
            Value::Hash(hash) => hash.encoding(),
            Value::Set(set) => set.encoding(),
            Value::SortedSet(set) => set.encoding(),
        }
    }

    /// Bytes of a string; elements, fields or members of the others.
    pub fn len(&self) -> usize {
        match self {
            Value::String(string) => string.len(),
            Value::List(list) => list.len(),
            Value::Hash(hash) => hash.len(),
            Value::Set(set) => set.len(),
            Value::SortedSet(set) => set.len(),
        }
    }

    /// Whether [`Value::len`] is 0. A key whose collection is empty must go; an empty string may stay.
    pub fn is_empty(&self) -> bool {
        match self {
            Value::String(string) => string.is_empty(),
            Value::List(list) => list.is_empty(),
            Value::Hash(hash) => hash.is_empty(),
            Value::Set(set) => set.is_empty(),
            Value::SortedSet(set) => set.is_empty(),
        }
    }

    /// Heap bytes, estimated from capacities; the 10 bytes of the `Value` are not among them. O(len).
    pub fn memory_usage(&self) -> usize {
        match self {
            Value::String(string) => string.memory_usage(),
            Value::List(list) => list.memory_usage(),
            Value::Hash(hash) => hash.memory_usage(),
            Value::Set(set) => set.memory_usage(),
            Value::SortedSet(set) => set.memory_usage(),
        }
    }
}

/// The indexes from `start` to `end`, both inclusive and counted from the end if negative, as LRANGE, LTRIM, ZRANGE and
/// ZREMRANGEBYRANK of Redis 7.0 read them for `len` elements: empty if in the wrong order or outside.
pub fn index_range(start: i64, end: i64, len: usize) -> Range<usize> {
    let len = len as i64;
    let from_front = |index: i64| if index < 0 { index + len } else { index };
    let (start, end) = (from_front(start).max(0), from_front(end).min(len - 1));
    if start > end { 0..0 } else { start as usize..end as usize + 1 }
}

/// Up to which size Redis 7.0 names the compact encodings, by the settings of the same names. Past a limit a value
/// changes its encoding for good; raising a limit changes no value that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodingLimits {
    /// Fields of a `listpack` hash.
    pub hash_max_listpack_entries: usize,
    /// Bytes of a field or value of a `listpack` hash.
    pub hash_max_listpack_value: usize,
    /// Members of an `intset`.
    pub set_max_intset_entries: usize,
    /// Members of a `listpack` sorted set.
    pub zset_max_listpack_entries: usize,
    /// Bytes of a member of a `listpack` sorted set.
    pub zset_max_listpack_value: usize,
    /// Size of one node of a list in Redis. Without effect here: a list is always a `quicklist`.
    pub list_max_listpack_size: i64,
}

impl Default for EncodingLimits {
    fn default() -> EncodingLimits {
        EncodingLimits {
            hash_max_listpack_entries: 128,
            hash_max_listpack_value: 64,
            set_max_intset_entries: 512,
            zset_max_listpack_entries: 128,
            zset_max_listpack_value: 64,
            list_max_listpack_size: -2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inclusive_ranges_count_from_either_end() {
        assert_eq!(index_range(0, -1, 3), 0..3);
        assert_eq!(index_range(-100, 100, 3), 0..3);
        assert_eq!(index_range(-2, -2, 3), 1..2);
        assert!(index_range(2, 1, 3).is_empty());
        assert!(index_range(-10, -5, 3).is_empty());
        assert!(index_range(3, 5, 3).is_empty());
        assert!(index_range(0, -1, 0).is_empty());
        assert_eq!(index_range(i64::MIN, i64::MAX, 3), 0..3);
    }

    #[test]
    fn a_copy_of_a_value_is_equal_and_apart() {
        let limits = EncodingLimits::default();
        let mut hash = Hash::new();
        hash.insert(b"field", b"1", &limits);
        let value = Value::Hash(hash);
        let mut copy = value.clone();
        assert_eq!(value, copy);
        let Value::Hash(hash) = &mut copy else { panic!("a copy has the type of its original") };
        hash.insert(b"field", b"2", &limits);
        assert_ne!(value, copy);
        assert_eq!((value.type_name(), value.encoding(), value.len()), ("hash", "listpack", 1));
    }
}
