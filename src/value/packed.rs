//! A small hash in one heap block: pairs one after the other, searched from the front. Knows no limits and no names;
//! when it cannot hold a pair it says so, and [`Hash`](super::Hash) moves house.
//!
//! A pair is: one byte with the field's length, the field, the value. The first byte of a value is 0..=127 for
//! that very integer, 128..=253 for a string of 0..=125 bytes that follow, 254 and 255 for an integer in 4 and 8 bytes,
//! little-endian. So `{38-byte owner -> "1"}` takes 40 bytes, which is a block size. Pairs end where the block ends or
//! where the length of a field would be 255.

use super::blob::Block;
use super::scalar::Scalar;

const END: u8 = 255;
const STRING: u8 = 128;
const INT32: u8 = 254;
const INT64: u8 = 255;
const LONGEST_FIELD: usize = 254;
const LONGEST_STRING: usize = 125;

/// Pairs of field and value in insertion order.
#[derive(Clone, Debug)]
pub(super) struct Packed(Block);

/// Where a value lies within the block; void after the next write.
#[derive(Clone, Copy)]
pub(super) struct Place {
    field_at: usize,
    value_at: usize,
}

impl Packed {
    pub(super) const fn new() -> Packed {
        Packed(Block::Empty)
    }

    #[inline]
    pub(super) fn find(&self, field: &[u8]) -> Option<Place> {
        let bytes = self.0.as_slice();
        let mut at = 0;
        while let Some(&len) = bytes.get(at).filter(|&&len| len != END) {
            let value_at = at + 1 + usize::from(len);
            if bytes[at + 1..value_at] == *field {
                return Some(Place { field_at: at, value_at });
            }
            at = value_at + value_size(bytes[value_at]);
        }
        None
    }

    #[inline]
    pub(super) fn value(&self, place: Place) -> Scalar<'_> {
        read_value(&self.0.as_slice()[place.value_at..])
    }

    pub(super) fn iter(&self) -> PackedIter<'_> {
        PackedIter(self.0.as_slice())
    }

    pub(super) fn memory_usage(&self) -> usize {
        self.0.as_slice().len()
    }

    /// Writes `value` over the one at `place`; false, and nothing changed, if the block cannot hold it.
    #[inline]
    pub(super) fn replace(&mut self, place: Place, value: Scalar<'_>) -> bool {
        let old = value_size(self.0.as_slice()[place.value_at]);
        if let Scalar::Int(small @ 0..=127) = value
            && old == 1
        {
            self.0.as_mut_slice()[place.value_at] = small as u8;
            return true;
        }
        match EncodedValue::of(value) {
            Some(value) => self.splice(place.value_at, old, &[value.head(), value.body]),
            None => false,
        }
    }

    /// Adds a pair, whose field must be absent; false, and nothing changed, if the block cannot hold it.
    pub(super) fn push(&mut self, field: &[u8], value: Scalar<'_>) -> bool {
        match EncodedValue::of(value) {
            Some(value) if field.len() <= LONGEST_FIELD => {
                self.splice(self.used(), 0, &[&[field.len() as u8], field, value.head(), value.body])
            }
            _ => false,
        }
    }

    pub(super) fn remove(&mut self, place: Place) {
        let end = place.value_at + value_size(self.0.as_slice()[place.value_at]);
        let removed = self.splice(place.field_at, end - place.field_at, &[]);
        debug_assert!(removed, "what remains of a block fits into one");
    }

    fn used(&self) -> usize {
        let all = self.0.as_slice();
        let mut pairs = self.iter();
        while pairs.next().is_some() {}
        all.len() - pairs.0.len()
    }

    /// Puts `parts` in the place of the `old` bytes at `at`; takes a larger or smaller block as needed.
    fn splice(&mut self, at: usize, old: usize, parts: &[&[u8]]) -> bool {
        let used = self.used();
        let new: usize = parts.iter().map(|part| part.len()).sum();
        let total = used - old + new;
        if total > Block::LARGEST {
            return false;
        }
        let size = self.0.as_slice().len();
        if total > size || Block::size_for(total) * 2 <= size {
            let from = self.0.as_slice();
            let mut block = Block::filled(total, END);
            let bytes = block.as_mut_slice();
            bytes[..at].copy_from_slice(&from[..at]);
            bytes[at + new..total].copy_from_slice(&from[at + old..used]);
            self.0 = block;
        } else {
            let bytes = self.0.as_mut_slice();
            bytes.copy_within(at + old..used, at + new);
            bytes[total..].fill(END);
        }
        let mut gap = &mut self.0.as_mut_slice()[at..at + new];
        for part in parts {
            let (place, rest) = gap.split_at_mut(part.len());
            place.copy_from_slice(part);
            gap = rest;
        }
        true
    }
}

/// The pairs of a [`Packed`] in insertion order.
#[derive(Clone, Debug)]
pub(super) struct PackedIter<'a>(&'a [u8]);

impl<'a> Iterator for PackedIter<'a> {
    type Item = (&'a [u8], Scalar<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (&len, rest) = self.0.split_first().filter(|(len, _)| **len != END)?;
        let (field, rest) = rest.split_at(usize::from(len));
        let (value, rest) = rest.split_at(value_size(rest[0]));
        self.0 = rest;
        Some((field, read_value(value)))
    }
}

/// Bytes of a value, by its first.
#[inline]
fn value_size(first: u8) -> usize {
    match first {
        0..STRING => 1,
        STRING..INT32 => 1 + usize::from(first - STRING),
        INT32 => 5,
        INT64 => 9,
    }
}

#[inline]
fn read_value(bytes: &[u8]) -> Scalar<'_> {
    let first = bytes[0];
    match first {
        0..STRING => Scalar::Int(i64::from(first)),
        STRING..INT32 => Scalar::Bytes(&bytes[1..value_size(first)]),
        INT32 => {
            let [_, a, b, c, d, ..] = *bytes else { unreachable!("a value is written whole") };
            Scalar::Int(i64::from(i32::from_le_bytes([a, b, c, d])))
        }
        INT64 => {
            let [_, a, b, c, d, e, f, g, h, ..] = *bytes else { unreachable!("a value is written whole") };
            Scalar::Int(i64::from_le_bytes([a, b, c, d, e, f, g, h]))
        }
    }
}

struct EncodedValue<'a> {
    head: [u8; 9],
    head_len: usize,
    body: &'a [u8],
}

impl<'a> EncodedValue<'a> {
    fn of(value: Scalar<'a>) -> Option<EncodedValue<'a>> {
        let mut encoded = EncodedValue { head: [0; 9], head_len: 1, body: &[] };
        match value {
            Scalar::Int(small @ 0..=127) => encoded.head[0] = small as u8,
            Scalar::Int(int) => match i32::try_from(int) {
                Ok(int) => {
                    encoded.head[0] = INT32;
                    encoded.head[1..5].copy_from_slice(&int.to_le_bytes());
                    encoded.head_len = 5;
                }
                Err(_) => {
                    encoded.head[0] = INT64;
                    encoded.head[1..].copy_from_slice(&int.to_le_bytes());
                    encoded.head_len = 9;
                }
            },
            Scalar::Bytes(bytes) if bytes.len() <= LONGEST_STRING => {
                encoded.head[0] = STRING + bytes.len() as u8;
                encoded.body = bytes;
            }
            Scalar::Bytes(_) => return None,
        }
        Some(encoded)
    }

    fn head(&self) -> &[u8] {
        &self.head[..self.head_len]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_full_block_needs_no_end_mark() {
        let mut packed = Packed::new();
        assert!(packed.push(&[b'o'; 38], Scalar::Int(1)));
        assert_eq!(packed.memory_usage(), 40);
        assert_eq!(packed.iter().collect::<Vec<_>>(), [(&[b'o'; 38][..], Scalar::Int(1))]);
        packed.remove(packed.find(&[b'o'; 38]).expect("pushed above"));
        assert_eq!(packed.memory_usage(), 0);
    }

    #[test]
    fn a_pair_that_does_not_fit_changes_nothing() {
        let mut packed = Packed::new();
        assert!(packed.push(&[0; 254], Scalar::Int(1)));
        assert!(!packed.push(b"", Scalar::Int(1)));
        let place = packed.find(&[0; 254]).expect("pushed above");
        assert!(!packed.replace(place, Scalar::Int(-1)));
        assert_eq!(packed.iter().collect::<Vec<_>>(), [(&[0; 254][..], Scalar::Int(1))]);
        assert!(!Packed::new().push(&[0; 255], Scalar::Int(1)));
        assert!(!Packed::new().push(b"", Scalar::Bytes(&[b'x'; 126])));
    }

    /// Integers of any width, and short strings.
    fn value() -> impl Strategy<Value = Vec<u8>> {
        (any::<i64>(), 0u32..64, any::<bool>())
            .prop_map(|(int, shift, text)| if text { format!("x{}", int >> 20) } else { (int >> shift).to_string() })
            .prop_map(String::into_bytes)
    }

    proptest! {
        #[test]
        fn packed_pairs_behave_like_a_vector_of_pairs(
            ops in prop::collection::vec(("[ab\u{ff}]{0,2}", prop::option::weighted(0.7, value())), 1..60),
        ) {
            let mut packed = Packed::new();
            let mut twin: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
            for (field, value) in ops {
                let field = field.into_bytes();
                let found = packed.find(&field);
                let index = twin.iter().position(|pair| pair.0 == field);
                prop_assert_eq!(found.is_some(), index.is_some());
                match (value, found.zip(index)) {
                    (Some(value), found) => match found {
                        Some((place, index)) if packed.replace(place, Scalar::of(&value)) => twin[index].1 = value,
                        None if packed.push(&field, Scalar::of(&value)) => twin.push((field, value)),
                        _ => prop_assert!(packed.used() > 256 - 24),
                    },
                    (None, Some((place, index))) => {
                        packed.remove(place);
                        twin.remove(index);
                    }
                    (None, None) => {}
                }
                let content: Vec<_> = packed.iter().map(|(field, value)| (field.to_vec(), value.to_vec())).collect();
                prop_assert_eq!(&content, &twin);
            }
        }
    }
}
