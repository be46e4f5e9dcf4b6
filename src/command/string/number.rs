//! Strings as numbers: INCR and its kin.

use super::{WRITE_FAST, event};
use crate::command::{Access, Command, CommandError, Cx, DataCommand, Group, KeySpec, Outcome, Spec, args};
use crate::keyspace::{Event, Keep};
use crate::number::LongDouble;
use crate::reply::Sink;
use crate::value::{IntBuffer, StringValue, Value};

const KEYS: &[KeySpec] = &[KeySpec::one(1, Access::RW.union(Access::ACCESS).union(Access::UPDATE))];
/// All four integer commands publish this.
const INCREMENTED: Event = event("incrby");

pub(super) const INCR: DataCommand = Command::new(
    Spec {
        keys: KEYS,
        summary: "Adds 1 to the integer at the key; a missing key is 0.",
        syntax: "key",
        ..Spec::new("incr", 2, Group::String, WRITE_FAST)
    },
    |cx, out| increment(cx, out, 1),
);

pub(super) const DECR: DataCommand = Command::new(
    Spec {
        keys: KEYS,
        summary: "Subtracts 1 from the integer at the key; a missing key is 0.",
        syntax: "key",
        ..Spec::new("decr", 2, Group::String, WRITE_FAST)
    },
    |cx, out| increment(cx, out, -1),
);

pub(super) const INCRBY: DataCommand = Command::new(
    Spec {
        keys: KEYS,
        summary: "Adds to the integer at the key; a missing key is 0.",
        syntax: "key increment",
        ..Spec::new("incrby", 3, Group::String, WRITE_FAST)
    },
    |cx, out| increment(cx, out, args::int(cx.args[2])?),
);

pub(super) const DECRBY: DataCommand = Command::new(
    Spec {
        keys: KEYS,
        summary: "Subtracts from the integer at the key; a missing key is 0.",
        syntax: "key decrement",
        ..Spec::new("decrby", 3, Group::String, WRITE_FAST)
    },
    |cx, out| {
        let by = args::int(cx.args[2])?.checked_neg().ok_or(CommandError::Text("ERR decrement would overflow"))?;
        increment(cx, out, by)
    },
);

fn increment(cx: &mut Cx<'_>, out: &mut dyn Sink, by: i64) -> Outcome {
    let key = cx.args[1];
    let sum = match cx.keys.write_as::<StringValue>(key)? {
        Some(value) => {
            let old = value.as_int().ok_or(CommandError::NotInteger)?;
            let sum = old.checked_add(by).ok_or(CommandError::Overflow)?;
            value.set_int(sum);
            sum
        }
        None => {
            cx.keys.put(key, Value::String(StringValue::from(by)), Keep::Nothing);
            by
        }
    };
    cx.keys.changed(key, INCREMENTED);
    out.int(sum);
    Ok(())
}

pub(super) const INCRBYFLOAT: DataCommand = Command::new(
    Spec {
        keys: KEYS,
        since: "2.6.0",
        summary: "Adds to the number at the key; a missing key is 0. Answers the sum as it is stored.",
        syntax: "key increment",
        ..Spec::new("incrbyfloat", 3, Group::String, WRITE_FAST)
    },
    incrbyfloat,
);

fn incrbyfloat(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let key = cx.args[1];
    let old = match cx.keys.write_as::<StringValue>(key)? {
        Some(value) => LongDouble::parse(value.bytes(&mut IntBuffer::new())).ok_or(CommandError::NotFloat)?,
        None => LongDouble::ZERO,
    };
    let by = LongDouble::parse(cx.args[2]).ok_or(CommandError::NotFloat)?;
    let sum = old.checked_add(by).ok_or(CommandError::Text("ERR increment would produce NaN or Infinity"))?;
    let text = sum.to_text();
    cx.keys.put(key, Value::String(StringValue::plain(&text)), Keep::Deadline);
    cx.keys.changed(key, event("incrbyfloat"));
    cx.keys.log(&[b"SET", key, &text, b"KEEPTTL"]);
    out.bulk(&text);
    Ok(())
}
