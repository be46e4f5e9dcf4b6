//! DEBUG DIGEST: 40 hexadecimal digits that are equal for equal data, whatever the order of insertion or the encoding.
//!
//! The digests are holdfast's own; only that missing keys and an empty data set have the digest zero is as in Redis.

use crate::keyspace::{Doors, State};
use crate::value::{Scalar, Value};
use sha1_smol::Sha1;

type Sum = [u8; 20];

/// The digest of all databases. Keys past their deadline count until they are deleted; of a deadline only its presence
/// counts.
pub(super) fn of_state(state: &State) -> String {
    let mut all = Sum::default();
    for (db, key, value, deadline) in state.all() {
        let db = (db as u64).to_le_bytes();
        mix(&mut all, &hash(&[b"key", &db, key, &of_value(value, deadline.is_some())]));
    }
    hex(&all)
}

/// The digest of one value, the presence of a deadline included.
pub(super) fn of_key(mut keys: Doors<'_>, key: &[u8]) -> String {
    let volatile = matches!(keys.deadline(key), Some(Some(_)));
    hex(&keys.peek(key).map_or(Sum::default(), |value| of_value(value, volatile)))
}

fn of_value(value: &Value, volatile: bool) -> Sum {
    let mut sum = Sum::default();
    match value {
        Value::String(string) => sum = hash(&[&string.to_vec()]),
        Value::List(list) => {
            for element in list.iter() {
                sum = hash(&[&sum, &element.to_vec()]);
            }
        }
        Value::Set(set) => set.iter().for_each(|member| mix(&mut sum, &hash(&[&member.to_vec()]))),
        Value::Hash(fields) => {
            fields.iter().for_each(|(field, value)| mix(&mut sum, &hash(&[field, &Scalar::to_vec(value)])));
        }
        Value::SortedSet(set) => {
            for (member, score) in set.iter() {
                // Adding zero makes -0 and 0 one.
                mix(&mut sum, &hash(&[member, &(score + 0.0).to_bits().to_le_bytes()]));
            }
        }
    }
    hash(&[value.type_name().as_bytes(), &[u8::from(volatile)], &sum])
}

/// Lengths are hashed too, so that no two lists of parts look alike.
fn hash(parts: &[&[u8]]) -> Sum {
    let mut sha = Sha1::new();
    for part in parts {
        sha.update(&(part.len() as u64).to_le_bytes());
        sha.update(part);
    }
    sha.digest().bytes()
}

fn mix(into: &mut Sum, other: &Sum) {
    into.iter_mut().zip(other).for_each(|(byte, other)| *byte ^= other);
}

fn hex(sum: &Sum) -> String {
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}
