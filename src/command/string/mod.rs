//! Strings: reading, writing ranges, and the list of the family; the rest is in `set`, `number` and `lcs`. Sees the
//! keyspace and its arguments only.

mod lcs;
mod number;
mod set;

use crate::command::{Access, Command, CommandError, Cx, DataCommand, Flags, Group, KeySpec, Outcome, Spec, args};
use crate::event::EventClasses;
use crate::keyspace::{Event, Keep};
use crate::reply::Sink;
use crate::value::{IntBuffer, StringValue, Value};

pub(super) const COMMANDS: &[DataCommand] = &[
    GET,
    MGET,
    STRLEN,
    GETRANGE,
    SUBSTR,
    SETRANGE,
    APPEND,
    set::SET,
    set::SETNX,
    set::SETEX,
    set::PSETEX,
    set::GETSET,
    set::GETEX,
    set::GETDEL,
    set::MSET,
    set::MSETNX,
    number::INCR,
    number::DECR,
    number::INCRBY,
    number::DECRBY,
    number::INCRBYFLOAT,
    lcs::LCS,
];

const READ: Flags = Flags::READONLY;
const READ_FAST: Flags = READ.union(Flags::FAST);
const WRITE: Flags = Flags::WRITE.union(Flags::DENYOOM);
const WRITE_FAST: Flags = WRITE.union(Flags::FAST);

/// The longest string that a command may build: proto-max-bulk-len as Redis ships it.
const LONGEST: usize = 512 * 1024 * 1024;

const fn event(name: &'static str) -> Event {
    Event::new(EventClasses::STRING, name)
}

/// Says the string, or nil without one.
fn say(value: Option<&StringValue>, out: &mut dyn Sink) {
    match value {
        Some(value) => out.bulk(value.bytes(&mut IntBuffer::new())),
        None => out.nil(),
    }
}

const GET: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, Access::RO.union(Access::ACCESS))],
        summary: "Answers the string at the key.",
        syntax: "key",
        ..Spec::new("get", 2, Group::String, READ_FAST)
    },
    get,
);

fn get(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    say(cx.keys.read_as(cx.args[1])?, out);
    Ok(())
}

const MGET: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::range(1, -1, 1, Access::RO.union(Access::ACCESS))],
        summary: "Answers the strings at several keys, nil for what is missing or no string.",
        complexity: "O(N) where N is the number of keys.",
        syntax: "key [key ...]",
        tips: &["request_policy:multi_shard"],
        ..Spec::new("mget", -2, Group::String, READ_FAST)
    },
    mget,
);

fn mget(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    out.array(cx.args.len() - 1);
    for key in &cx.args[1..] {
        say(cx.keys.read_as(key).unwrap_or_default(), out);
    }
    Ok(())
}

const STRLEN: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, Access::RO)],
        since: "2.2.0",
        summary: "Answers how many bytes the string has; 0 without the key.",
        syntax: "key",
        ..Spec::new("strlen", 2, Group::String, READ_FAST)
    },
    strlen,
);

fn strlen(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let len = cx.keys.read_as(cx.args[1])?.map_or(0, StringValue::len);
    out.int(len as i64);
    Ok(())
}

const RANGE: Spec = Spec {
    keys: &[KeySpec::one(1, Access::RO.union(Access::ACCESS))],
    since: "2.4.0",
    summary: "Answers the bytes between two indexes, both inclusive; negative ones count from the end.",
    complexity: "O(N) where N is the number of bytes answered.",
    syntax: "key start end",
    ..Spec::new("getrange", 4, Group::String, READ)
};

const GETRANGE: DataCommand = Command::new(RANGE, getrange);
const SUBSTR: DataCommand = Command::new(Spec { name: "substr", since: "1.0.0", ..RANGE }, getrange);

fn getrange(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let (start, end) = (args::int(cx.args[2])?, args::int(cx.args[3])?);
    match cx.keys.read_as::<StringValue>(cx.args[1])? {
        Some(value) => out.bulk(value.range(start, end, &mut IntBuffer::new())),
        None => out.bulk(b""),
    }
    Ok(())
}

const SETRANGE: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, Access::RW.union(Access::UPDATE))],
        since: "2.2.0",
        summary: "Overwrites bytes from an offset on, with zero bytes up to there; answers the new length.",
        complexity: "O(N) where N is the number of bytes written.",
        syntax: "key offset value",
        ..Spec::new("setrange", 4, Group::String, WRITE)
    },
    setrange,
);

fn setrange(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let (key, patch) = (cx.args[1], cx.args[3]);
    let offset = args::int(cx.args[2])?;
    let offset = usize::try_from(offset).map_err(|_| CommandError::Text("ERR offset is out of range"))?;
    let old = cx.keys.write_as::<StringValue>(key)?;
    if patch.is_empty() {
        out.int(old.map_or(0, |old| old.len()) as i64);
        return Ok(());
    }
    check_len(offset, patch.len())?;
    let len = match old {
        Some(value) => {
            value.set_range(offset, patch);
            value.len()
        }
        None => {
            let mut value = StringValue::raw();
            value.set_range(offset, patch);
            let len = value.len();
            cx.keys.put(key, Value::String(value), Keep::Nothing);
            len
        }
    };
    cx.keys.changed(key, event("setrange"));
    out.int(len as i64);
    Ok(())
}

const APPEND: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, Access::RW.union(Access::INSERT))],
        since: "2.0.0",
        summary: "Adds bytes at the end of the string, which is made if missing; answers the new length.",
        complexity: "O(N) where N is the number of bytes added, amortised.",
        syntax: "key value",
        ..Spec::new("append", 3, Group::String, WRITE_FAST)
    },
    append,
);

fn append(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let (key, tail) = (cx.args[1], cx.args[2]);
    let len = match cx.keys.write_as::<StringValue>(key)? {
        Some(value) => {
            check_len(value.len(), tail.len())?;
            value.append(tail);
            value.len()
        }
        None => {
            cx.keys.put(key, Value::String(StringValue::new(tail)), Keep::Nothing);
            tail.len()
        }
    };
    cx.keys.changed(key, event("append"));
    out.int(len as i64);
    Ok(())
}

fn check_len(there: usize, more: usize) -> Outcome {
    match there.checked_add(more) {
        Some(len) if len <= LONGEST => Ok(()),
        _ => Err(CommandError::Text("ERR string exceeds maximum allowed size (proto-max-bulk-len)")),
    }
}

#[cfg(test)]
mod tests;
