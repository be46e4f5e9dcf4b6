//! HSET, HMSET, HSETNX, HDEL, HINCRBY, HINCRBYFLOAT.

use super::{event, key};
use crate::command::{Access, Command, CommandError, Cx, DataCommand, Flags, Group, Outcome, Spec, args};
use crate::number::LongDouble;
use crate::reply::Sink;
use crate::value::{Hash, IncrementError, IntBuffer};

const ADDS: Flags = Flags::WRITE.union(Flags::DENYOOM).union(Flags::FAST);

pub(super) const HSET: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::UPDATE)),
        since: "2.0.0",
        summary: "Sets fields and answers how many of them are new.",
        complexity: "O(1) for each field/value pair added, so O(N) to add N field/value pairs when the command is \
                     called with multiple field/value pairs.",
        syntax: "key field value [field value ...]",
        ..Spec::new("hset", -4, Group::Hash, ADDS)
    },
    |cx, out| {
        let created = set_fields(cx, &HSET.spec)?;
        out.int(created);
        Ok(())
    },
);

pub(super) const HMSET: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::UPDATE)),
        since: "2.0.0",
        summary: "Sets fields and answers OK.",
        complexity: "O(N) where N is the number of fields being set.",
        syntax: "key field value [field value ...]",
        ..Spec::new("hmset", -4, Group::Hash, ADDS)
    },
    |cx, out| {
        set_fields(cx, &HMSET.spec)?;
        out.status("OK");
        Ok(())
    },
);

/// Sets all pairs; says how many fields are new. Setting a field to what it is already counts as a change (Redis 7.0).
fn set_fields(cx: &mut Cx<'_>, spec: &Spec) -> Result<i64, CommandError> {
    let (pairs, []) = cx.args[2..].as_chunks::<2>() else {
        return Err(args::arity(spec));
    };
    let hash = cx.keys.write_or_create::<Hash>(cx.args[1])?;
    let created = pairs.iter().map(|[field, value]| i64::from(hash.insert(field, value, cx.limits))).sum();
    cx.keys.changed_by(cx.args[1], Some(event("hset")), pairs.len() as u64);
    Ok(created)
}

pub(super) const HSETNX: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::INSERT)),
        since: "2.0.0",
        summary: "Sets a field unless the hash has it.",
        syntax: "key field value",
        ..Spec::new("hsetnx", 4, Group::Hash, ADDS)
    },
    |cx, out| {
        let hash = cx.keys.write_or_create::<Hash>(cx.args[1])?;
        let absent = !hash.contains(cx.args[2]);
        if absent {
            hash.insert(cx.args[2], cx.args[3], cx.limits);
            cx.keys.changed(cx.args[1], event("hset"));
        }
        out.int(i64::from(absent));
        Ok(())
    },
);

pub(super) const HDEL: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::DELETE)),
        since: "2.0.0",
        summary: "Removes fields and answers how many there were; a hash without fields is gone.",
        complexity: "O(N) where N is the number of fields to be removed.",
        syntax: "key field [field ...]",
        ..Spec::new("hdel", -3, Group::Hash, Flags::WRITE.union(Flags::FAST))
    },
    hdel,
);

fn hdel(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let mut removed = 0;
    if let Some(hash) = cx.keys.write_as::<Hash>(cx.args[1])? {
        removed = cx.args[2..].iter().filter(|field| hash.remove(field)).count();
        if removed > 0 {
            cx.keys.changed_by(cx.args[1], Some(event("hdel")), removed as u64);
            cx.keys.remove_if_empty(cx.args[1]);
        }
    }
    out.int(removed as i64);
    Ok(())
}

pub(super) const HINCRBY: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::ACCESS).union(Access::UPDATE)),
        since: "2.0.0",
        summary: "Adds to the integer in a field, a missing one counting as 0, and answers the sum.",
        syntax: "key field increment",
        ..Spec::new("hincrby", 4, Group::Hash, ADDS)
    },
    hincrby,
);

fn hincrby(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let by = args::int(cx.args[3])?;
    // A hash made here gets its field: nothing plus `by` cannot be refused.
    let hash = cx.keys.write_or_create::<Hash>(cx.args[1])?;
    let sum = hash.increment(cx.args[2], by, cx.limits).map_err(|error| match error {
        IncrementError::NotInteger => CommandError::Text("ERR hash value is not an integer"),
        IncrementError::Overflow => CommandError::Overflow,
    })?;
    cx.keys.changed(cx.args[1], event("hincrby"));
    out.int(sum);
    Ok(())
}

pub(super) const HINCRBYFLOAT: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::ACCESS).union(Access::UPDATE)),
        since: "2.6.0",
        summary: "Adds to the number in a field, a missing one counting as 0, and answers the sum.",
        syntax: "key field increment",
        ..Spec::new("hincrbyfloat", 4, Group::Hash, ADDS)
    },
    hincrbyfloat,
);

fn hincrbyfloat(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let [_, key, field, by] = cx.args[..] else { unreachable!("arity has been checked") };
    let by = LongDouble::parse(by).ok_or(CommandError::NotFloat)?;
    if by.is_infinite() {
        return Err(CommandError::Text("ERR value is NaN or Infinity"));
    }
    let stored = cx.keys.write_as::<Hash>(key)?.and_then(|hash| hash.get(field));
    let sum = match stored {
        None => Some(by),
        Some(value) => LongDouble::parse(value.bytes(&mut IntBuffer::new()))
            .ok_or(CommandError::Text("ERR hash value is not a float"))?
            .checked_add(by),
    };
    let sum = sum.ok_or(CommandError::Text("ERR increment would produce NaN or Infinity"))?.to_text();
    cx.keys.write_or_create::<Hash>(key)?.insert(field, &sum, cx.limits);
    cx.keys.changed(key, event("hincrbyfloat"));
    cx.keys.log(&[b"HSET", key, field, &sum]);
    out.bulk(&sum);
    Ok(())
}
