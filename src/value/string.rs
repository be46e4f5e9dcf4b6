//! The string type, which is also the element of lists and the value of hash fields. No TTL, no replies.

use std::fmt;

use super::blob::{Blob, Loose};
use super::scalar::{IntBuffer, Scalar};
use crate::number::parse_int;

/// A binary-safe string in 9 bytes: an integer or up to 7 bytes inline, up to 255 bytes in a heap block of fitting
/// size.
///
/// Equality is by bytes.
#[derive(Clone)]
pub struct StringValue(Repr);

#[derive(Clone)]
enum Repr {
    /// Native byte order; an `i64` would bring its alignment.
    Int([u8; 8]),
    Blob(Blob),
    /// A string that has been written into, and may be again.
    Raw(Loose<Vec<u8>>),
}

const _: () = assert!(size_of::<StringValue>() == 9);

/// Longest string that Redis 7.0 stores in one block with its header and calls `embstr`.
const EMBSTR_MAX: usize = 44;

impl StringValue {
    /// `bytes` as SET stores them: as an integer if they spell one, by the rule of [`parse_int`].
    #[inline]
    pub fn new(bytes: &[u8]) -> StringValue {
        match parse_int(bytes) {
            Some(int) => StringValue::from(int),
            None => StringValue::plain(bytes),
        }
    }

    /// `bytes`, never as an integer: INCRBYFLOAT stores its result so, and OBJECT ENCODING tells.
    pub fn plain(bytes: &[u8]) -> StringValue {
        StringValue(Repr::Blob(Blob::from(bytes)))
    }

    /// An empty string in encoding `raw`, as SETRANGE, SETBIT and BITFIELD make one for a missing key.
    pub fn raw() -> StringValue {
        StringValue(Repr::Raw(Loose::new(Vec::new())))
    }

    pub(super) fn from_blob(blob: Blob) -> StringValue {
        StringValue(Repr::Blob(blob))
    }

    /// The string as it is stored.
    #[inline]
    pub fn scalar(&self) -> Scalar<'_> {
        match &self.0 {
            Repr::Int(int) => Scalar::Int(i64::from_ne_bytes(*int)),
            Repr::Blob(blob) => Scalar::Bytes(blob.as_slice()),
            Repr::Raw(bytes) => Scalar::Bytes(bytes),
        }
    }

    /// The bytes; those of an integer are written into `buffer`.
    #[inline]
    pub fn bytes<'a>(&'a self, buffer: &'a mut IntBuffer) -> &'a [u8] {
        self.scalar().bytes(buffer)
    }

    /// The bytes as a vector of their own.
    pub fn to_vec(&self) -> Vec<u8> {
        self.scalar().to_vec()
    }

    /// The integer that the bytes spell, by the rule of [`parse_int`].
    #[inline]
    pub fn as_int(&self) -> Option<i64> {
        self.scalar().as_int()
    }

    /// Replaces the content by the spelling of `value`, encoding `int`.
    #[inline]
    pub fn set_int(&mut self, value: i64) {
        *self = StringValue::from(value);
    }

    /// How many bytes.
    pub fn len(&self) -> usize {
        self.scalar().len()
    }

    /// Whether there is no byte.
    pub fn is_empty(&self) -> bool {
        self.scalar().is_empty()
    }

    /// The bytes from index `start` to index `end`, both inclusive, as GETRANGE of Redis 7.0 reads them: negative
    /// indexes count from the end, then what is still negative becomes 0, unless both were negative and in the wrong
    /// order.
    pub fn range<'a>(&'a self, start: i64, end: i64, buffer: &'a mut IntBuffer) -> &'a [u8] {
        let bytes = self.bytes(buffer);
        if bytes.is_empty() || (start < 0 && end < 0 && start > end) {
            return &[];
        }
        let len = bytes.len() as i64;
        let from_front = |index: i64| if index < 0 { (index + len).max(0) } else { index };
        let (start, end) = (from_front(start), from_front(end).min(len - 1));
        if start > end { &[] } else { &bytes[start as usize..=end as usize] }
    }

    /// The bytes for writing in place or at the end. Makes the encoding `raw`, even if nothing is written then.
    pub fn raw_mut(&mut self) -> &mut Vec<u8> {
        if !matches!(self.0, Repr::Raw(_)) {
            self.0 = Repr::Raw(Loose::new(self.to_vec()));
        }
        match &mut self.0 {
            Repr::Raw(bytes) => bytes,
            _ => unreachable!("made raw above"),
        }
    }

    /// Adds `tail` at the end. Makes the encoding `raw`, as APPEND does even for an empty tail. Amortised O(tail).
    pub fn append(&mut self, tail: &[u8]) {
        self.raw_mut().extend_from_slice(tail);
    }

    /// Overwrites from `offset` on, padding with zero bytes up to there. An empty patch changes nothing (SETRANGE).
    /// Makes the encoding `raw`. The caller has checked the resulting length against proto-max-bulk-len.
    pub fn set_range(&mut self, offset: usize, patch: &[u8]) {
        if patch.is_empty() {
            return;
        }
        let bytes = self.raw_mut();
        let end = offset + patch.len();
        if bytes.len() < end {
            bytes.resize(end, 0);
        }
        bytes[offset..end].copy_from_slice(patch);
    }

    /// The name that OBJECT ENCODING of Redis 7.0 gives: `int`, `embstr` (up to 44 bytes, never modified) or `raw`.
    pub fn encoding(&self) -> &'static str {
        match &self.0 {
            Repr::Int(_) => "int",
            Repr::Blob(blob) if blob.as_slice().len() <= EMBSTR_MAX => "embstr",
            Repr::Blob(_) | Repr::Raw(_) => "raw",
        }
    }

    /// Heap bytes.
    pub fn memory_usage(&self) -> usize {
        match &self.0 {
            Repr::Int(_) => 0,
            Repr::Blob(blob) => blob.memory_usage(),
            Repr::Raw(bytes) => size_of::<Vec<u8>>() + bytes.capacity(),
        }
    }
}

impl From<i64> for StringValue {
    fn from(value: i64) -> StringValue {
        StringValue(Repr::Int(value.to_ne_bytes()))
    }
}

impl From<Scalar<'_>> for StringValue {
    fn from(scalar: Scalar<'_>) -> StringValue {
        match scalar {
            Scalar::Int(int) => StringValue::from(int),
            Scalar::Bytes(bytes) => StringValue::new(bytes),
        }
    }
}

impl PartialEq for StringValue {
    fn eq(&self, other: &StringValue) -> bool {
        self.scalar() == other.scalar()
    }
}

impl Eq for StringValue {}

impl fmt::Debug for StringValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.scalar().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_token_of_36_bytes_costs_40_on_the_heap() {
        assert_eq!(StringValue::new(b"8743c9c0-0795-4907-87fd-6c719a6b4586").memory_usage(), 40);
        assert_eq!(StringValue::new(b"7 bytes").memory_usage(), 0);
        assert_eq!(StringValue::new(b"-9223372036854775808").memory_usage(), 0);
    }

    #[test]
    fn encodings_are_named_as_in_redis() {
        assert_eq!(StringValue::new(b"12").encoding(), "int");
        assert_eq!(StringValue::new(b"012").encoding(), "embstr");
        assert_eq!(StringValue::plain(b"6").encoding(), "embstr");
        assert_eq!(StringValue::new(&[b'x'; 44]).encoding(), "embstr");
        assert_eq!(StringValue::new(&[b'x'; 45]).encoding(), "raw");
        let mut appended = StringValue::new(b"12");
        appended.append(b"");
        assert_eq!(appended.encoding(), "raw");
        appended.set_int(13);
        assert_eq!(appended.encoding(), "int");
    }

    #[test]
    fn an_empty_patch_leaves_the_string_alone() {
        let mut string = StringValue::new(b"abc");
        string.set_range(100, b"");
        assert_eq!((string.len(), string.encoding()), (3, "embstr"));
    }

    #[test]
    fn ranges_follow_getrange() {
        let string = StringValue::new(b"abc");
        let range = |start, end| string.range(start, end, &mut IntBuffer::new()).to_vec();
        assert_eq!(range(-10, -5), b"a");
        assert_eq!(range(-1, -2), b"");
        assert_eq!(range(0, -1), b"abc");
        assert_eq!(range(1, i64::MAX), b"bc");
        assert_eq!(range(i64::MIN, i64::MIN), b"a");
        assert_eq!(range(3, 5), b"");
    }

    #[derive(Debug, Clone)]
    enum Op {
        New(Vec<u8>),
        Int(i64),
        Append(Vec<u8>),
        SetRange(usize, Vec<u8>),
    }

    fn op() -> impl Strategy<Value = Op> {
        let bytes =
            || prop_oneof![prop::collection::vec(any::<u8>(), 0..300), "-?[0-9]{1,4}".prop_map(String::into_bytes)];
        prop_oneof![
            bytes().prop_map(Op::New),
            any::<i64>().prop_map(Op::Int),
            bytes().prop_map(Op::Append),
            (0usize..300, bytes()).prop_map(|(offset, patch)| Op::SetRange(offset, patch)),
        ]
    }

    proptest! {
        #[test]
        fn strings_behave_like_byte_vectors(ops in prop::collection::vec(op(), 1..20)) {
            let (mut string, mut twin) = (StringValue::raw(), Vec::new());
            for op in ops {
                match op {
                    Op::New(bytes) => (string, twin) = (StringValue::new(&bytes), bytes),
                    Op::Int(int) => {
                        string.set_int(int);
                        twin = int.to_string().into_bytes();
                    }
                    Op::Append(tail) => {
                        string.append(&tail);
                        twin.extend(tail);
                    }
                    Op::SetRange(offset, patch) => {
                        string.set_range(offset, &patch);
                        if !patch.is_empty() {
                            twin.resize(twin.len().max(offset + patch.len()), 0);
                            twin[offset..offset + patch.len()].copy_from_slice(&patch);
                        }
                    }
                }
                prop_assert_eq!(string.to_vec(), twin.clone());
                prop_assert_eq!(string.len(), twin.len());
                prop_assert_eq!(string.as_int(), parse_int(&twin));
                prop_assert_eq!(&string, &StringValue::new(&twin));
                prop_assert_eq!(&string.clone(), &string);
            }
        }
    }
}
