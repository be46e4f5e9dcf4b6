//! A State as the entries that make it again: what a snapshot is. There is no second format.

use super::args::log_words;
use crate::journal::{Effects, Entry};
use crate::keyspace::State;
use crate::number::format_double;
use crate::time::{Deadline, Millis};
use crate::value::{Scalar, Value};

/// About how many bytes of effects one entry holds.
const ENTRY_BYTES: usize = 1 << 20;
/// How many elements of a value one effect adds.
const ELEMENTS: usize = 1024;

/// Hands `take` entries that make `state` out of an empty one when applied in order. Keys past their deadline are there
/// with it. O(size of the data set); it copies an entry's worth at a time.
pub fn snapshot(state: &State, at: Millis, mut take: impl FnMut(Entry)) {
    let mut effects = Effects::default();
    effects.push(0, &[b"CLOCK", state.wall_offset_ms().to_string().as_bytes()]);
    for (db, key, value, deadline) in state.all() {
        push_key(&mut effects, db, key, value, deadline);
        if effects.as_bytes().len() >= ENTRY_BYTES {
            take(Entry { at, effects: std::mem::take(&mut effects) });
        }
    }
    take(Entry { at, effects });
}

fn push_key(effects: &mut Effects, db: usize, key: &[u8], value: &Value, deadline: Option<Deadline>) {
    match value {
        Value::String(string) => effects.push(db, &[b"SET", key, &string.to_vec()]),
        Value::List(list) => push_all(effects, db, b"RPUSH", key, list.iter().map(|element| [element.to_vec()])),
        Value::Set(set) => push_all(effects, db, b"SADD", key, set.iter().map(|member| [member.to_vec()])),
        Value::Hash(fields) => {
            let pairs = fields.iter().map(|(field, value)| [field.to_vec(), Scalar::to_vec(value)]);
            push_all(effects, db, b"HSET", key, pairs);
        }
        Value::SortedSet(set) => {
            let pairs = set.iter().map(|(member, score)| [format_double(score).to_vec(), member.to_vec()]);
            push_all(effects, db, b"ZADD", key, pairs);
        }
    }
    if let Some(deadline) = deadline {
        log_words(&[b"PEXPIREAT", key], deadline, |words| effects.push(db, words));
    }
}

fn push_all<const N: usize>(
    effects: &mut Effects,
    db: usize,
    command: &[u8],
    key: &[u8],
    elements: impl Iterator<Item = [Vec<u8>; N]>,
) {
    let mut elements = elements.peekable();
    while elements.peek().is_some() {
        let some: Vec<[Vec<u8>; N]> = elements.by_ref().take(ELEMENTS).collect();
        let mut words = vec![command, key];
        words.extend(some.iter().flatten().map(Vec::as_slice));
        effects.push(db, &words);
    }
}
