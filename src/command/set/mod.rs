//! Sets: members in, out, asked for, moved. Algebra of several sets and random picks have files of their own.

mod algebra;
mod pick;
#[cfg(test)]
mod tests;

use super::{Access, Command, Cx, DataCommand, Flags, Group, KeySpec, Outcome, Spec};
use crate::event::EventClasses;
use crate::keyspace::{Doors, Event, Keep};
use crate::reply::Sink;
use crate::value::{IntBuffer, Set, Value};

pub(super) const COMMANDS: &[DataCommand] = &[
    SADD,
    SREM,
    SCARD,
    SISMEMBER,
    SMISMEMBER,
    SMEMBERS,
    SMOVE,
    pick::SPOP,
    pick::SRANDMEMBER,
    pick::SSCAN,
    algebra::SINTER,
    algebra::SINTERSTORE,
    algebra::SINTERCARD,
    algebra::SUNION,
    algebra::SUNIONSTORE,
    algebra::SDIFF,
    algebra::SDIFFSTORE,
];

/// What random clients send to this family.
#[cfg(test)]
pub(crate) const TEMPLATES: &[&str] = &[
    "SADD {key} {value}",
    "SADD {key} {value} {int} {float}",
    "SREM {key} {value} {int}",
    "SMOVE {key} {key} {value}",
    "SPOP {key}",
    "SPOP {key} {count}",
    "SPOP {key} 100",
    "SRANDMEMBER {key} {int}",
    "SCARD {key}",
    "SISMEMBER {key} {value}",
    "SMISMEMBER {key} {value} {int}",
    "SMEMBERS {key}",
    "SINTER {key} {key}",
    "SUNION {key} {key}",
    "SDIFF {key} {key}",
    "SINTERCARD 2 {key} {key} LIMIT {count}",
    "SINTERSTORE {key} {key} {key}",
    "SUNIONSTORE {key} {key} {key}",
    "SDIFFSTORE {key} {key} {key} {key}",
    "SSCAN {key} 0 COUNT {count}",
];

const FAST_READ: Flags = Flags::READONLY.union(Flags::FAST);
const FAST_WRITE: Flags = Flags::WRITE.union(Flags::FAST);

const fn key(access: Access) -> [KeySpec; 1] {
    [KeySpec::one(1, access)]
}

const fn event(name: &'static str) -> Event {
    Event::new(EventClasses::SET, name)
}

/// Ends a command that stores its result: an empty one deletes the destination, whatever its type. Replies the size.
pub(super) fn store(keys: &mut Doors<'_>, destination: &[u8], result: Value, event: Event, out: &mut dyn Sink) {
    let len = result.len();
    if len == 0 {
        keys.delete(destination);
    } else {
        keys.put(destination, result, Keep::Nothing);
        keys.changed(destination, event);
    }
    out.int(len as i64);
}

const SADD: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::INSERT)),
        summary: "Puts members into a set; answers how many were new.",
        complexity: "O(1) for each element added, so O(N) to add N elements when the command is called with multiple \
                     arguments.",
        syntax: "key member [member ...]",
        ..Spec::new("sadd", -3, Group::Set, FAST_WRITE.union(Flags::DENYOOM))
    },
    sadd,
);

fn sadd(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let (key, members) = (cx.args[1], &cx.args[2..]);
    let set = cx.keys.write_or_create::<Set>(key)?;
    let added = members.iter().filter(|member| set.insert(member, cx.limits)).count();
    if added > 0 {
        cx.keys.changed_by(key, Some(event("sadd")), added as u64);
    }
    out.int(added as i64);
    Ok(())
}

const SREM: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::DELETE)),
        summary: "Takes members out of a set; answers how many were in.",
        complexity: "O(N) where N is the number of members to be removed.",
        syntax: "key member [member ...]",
        ..Spec::new("srem", -3, Group::Set, FAST_WRITE)
    },
    srem,
);

fn srem(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let (key, members) = (cx.args[1], &cx.args[2..]);
    let set = cx.keys.write_as::<Set>(key)?;
    let removed = set.map_or(0, |set| members.iter().filter(|member| set.remove(member)).count());
    if removed > 0 {
        cx.keys.changed_by(key, Some(event("srem")), removed as u64);
        cx.keys.remove_if_empty(key);
    }
    out.int(removed as i64);
    Ok(())
}

const SCARD: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO),
        summary: "Answers how many members a set has.",
        syntax: "key",
        ..Spec::new("scard", 2, Group::Set, FAST_READ)
    },
    |cx, out| {
        out.int(cx.keys.read_as::<Set>(cx.args[1])?.map_or(0, |set| set.len() as i64));
        Ok(())
    },
);

const SISMEMBER: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO),
        summary: "Answers whether a member is in a set.",
        syntax: "key member",
        ..Spec::new("sismember", 3, Group::Set, FAST_READ)
    },
    |cx, out| {
        let member = cx.args[2];
        out.int(cx.keys.read_as::<Set>(cx.args[1])?.is_some_and(|set| set.contains(member)).into());
        Ok(())
    },
);

const SMISMEMBER: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO.union(Access::ACCESS)),
        since: "6.2.0",
        summary: "Answers of several members whether each is in a set.",
        complexity: "O(N) where N is the number of elements being checked for membership",
        syntax: "key member [member ...]",
        ..Spec::new("smismember", -3, Group::Set, FAST_READ)
    },
    |cx, out| {
        let members = &cx.args[2..];
        let set = cx.keys.read_as::<Set>(cx.args[1])?;
        out.array(members.len());
        members.iter().for_each(|member| out.int(set.is_some_and(|set| set.contains(member)).into()));
        Ok(())
    },
);

const SMEMBERS: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO.union(Access::ACCESS)),
        summary: "Answers all members of a set.",
        complexity: "O(N) where N is the set cardinality.",
        syntax: "key",
        tips: &["nondeterministic_output_order"],
        ..Spec::new("smembers", 2, Group::Set, Flags::READONLY)
    },
    |cx, out| {
        match cx.keys.read_as::<Set>(cx.args[1])? {
            Some(set) => say_members(set, out),
            None => out.set(0),
        }
        Ok(())
    },
);

fn say_members(set: &Set, out: &mut dyn Sink) {
    out.set(set.len());
    set.iter().for_each(|member| out.bulk(member.bytes(&mut IntBuffer::new())));
}

const SMOVE: DataCommand = Command::new(
    Spec {
        keys: &[
            KeySpec::one(1, Access::RW.union(Access::ACCESS).union(Access::DELETE)),
            KeySpec::one(2, Access::RW.union(Access::INSERT)),
        ],
        summary: "Takes a member out of one set and puts it into another; answers whether it was in the first.",
        syntax: "source destination member",
        ..Spec::new("smove", 4, Group::Set, FAST_WRITE)
    },
    smove,
);

fn smove(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let (source, destination, member) = (cx.args[1], cx.args[2], cx.args[3]);
    let found = cx.keys.write_as::<Set>(source).map(|set| set.map(|set| set.contains(member)));
    let fits = cx.keys.write_as::<Set>(destination).map(|_| ());
    // A destination of another type is an error only if the source is there.
    let found = found?;
    if found.is_some() {
        fits?;
    }
    if found == Some(true) && source != destination {
        if let Some(set) = cx.keys.write_as::<Set>(source)? {
            set.remove(member);
        }
        cx.keys.changed(source, event("srem"));
        cx.keys.remove_if_empty(source);
        if cx.keys.write_or_create::<Set>(destination)?.insert(member, cx.limits) {
            cx.keys.changed(destination, event("sadd"));
        }
    }
    out.int((found == Some(true)).into());
    Ok(())
}
