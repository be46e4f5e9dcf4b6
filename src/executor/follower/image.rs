//! The data set in the RDB format, version 10, which Redis 7.0 reads: values in their plain encodings, no checksum.

use crate::keyspace::State;
use crate::value::{Scalar, Value};

const EXPIRE_TIME_MS: u8 = 0xfc;
const SELECT_DB: u8 = 0xfe;
const END: u8 = 0xff;

/// Keys past their deadline are there with it; whoever loads them drops them.
pub(super) fn of_state(state: &State) -> Vec<u8> {
    let mut out = b"REDIS0010".to_vec();
    let mut selected = None;
    for (db, key, value, deadline) in state.all() {
        if selected != Some(db) {
            selected = Some(db);
            out.push(SELECT_DB);
            number(db, &mut out);
        }
        if let Some(deadline) = deadline {
            out.push(EXPIRE_TIME_MS);
            out.extend_from_slice(&state.wall_ms(deadline).to_le_bytes());
        }
        out.push(kind(value));
        string(key, &mut out);
        push_value(value, &mut out);
    }
    out.push(END);
    // Zeros stand for no checksum.
    out.extend_from_slice(&[0; 8]);
    out
}

fn kind(value: &Value) -> u8 {
    match value {
        Value::String(_) => 0,
        Value::List(_) => 1,
        Value::Set(_) => 2,
        Value::Hash(_) => 4,
        Value::SortedSet(_) => 5,
    }
}

fn push_value(value: &Value, out: &mut Vec<u8>) {
    if !matches!(value, Value::String(_)) {
        number(value.len(), out);
    }
    match value {
        Value::String(text) => string(&text.to_vec(), out),
        Value::List(list) => list.iter().for_each(|element| string(&element.to_vec(), out)),
        Value::Set(set) => set.iter().for_each(|member| string(&member.to_vec(), out)),
        Value::Hash(fields) => {
            for (field, value) in fields.iter() {
                string(field, out);
                string(&Scalar::to_vec(value), out);
            }
        }
        Value::SortedSet(set) => {
            for (member, score) in set.iter() {
                string(member, out);
                out.extend_from_slice(&score.to_le_bytes());
            }
        }
    }
}

fn string(bytes: &[u8], out: &mut Vec<u8>) {
    number(bytes.len(), out);
    out.extend_from_slice(bytes);
}

/// A length: 6, 14, 32 or 64 bits, big-endian.
fn number(n: usize, out: &mut Vec<u8>) {
    match n {
        0..0x40 => out.push(n as u8),
        0x40..0x4000 => out.extend_from_slice(&(0x4000 | n as u16).to_be_bytes()),
        _ => match u32::try_from(n) {
            Ok(n) => {
                out.push(0x80);
                out.extend_from_slice(&n.to_be_bytes());
            }
            Err(_) => {
                out.push(0x81);
                out.extend_from_slice(&(n as u64).to_be_bytes());
            }
        },
    }
}
