//! Intersections, unions and differences of sets, answered or stored.

use super::{event, say_members, store};
use crate::command::{Access, Command, CommandError, Cx, DataCommand, Flags, Group, KeySpec, Outcome, Spec, args};
use crate::keyspace::Doors;
use crate::number;
use crate::reply::Sink;
use crate::value::{EncodingLimits, IntBuffer, Scalar, Set, Value};

const INTERSECTION_COST: &str =
    "O(N*M) worst case where N is the cardinality of the smallest set and M is the number of sets.";
const TOTAL_COST: &str = "O(N) where N is the total number of elements in all given sets.";
const ALL_KEYS: &[KeySpec] = &[KeySpec::range(1, -1, 1, Access::RO.union(Access::ACCESS))];
const STORE_FLAGS: Flags = Flags::WRITE.union(Flags::DENYOOM);
const UNORDERED: &[&str] = &["nondeterministic_output_order"];

const fn store_keys(destination: Access) -> [KeySpec; 2] {
    [KeySpec::one(1, destination.union(Access::UPDATE)), KeySpec::range(2, -1, 1, Access::RO.union(Access::ACCESS))]
}

/// The sets under `keys`, all of them read first: a miss is counted and a wrong type refused behind it too.
fn sets<'a>(doors: &'a mut Doors<'_>, keys: &[&[u8]]) -> Result<Vec<Option<&'a Set>>, CommandError> {
    for key in keys {
        doors.read_as::<Set>(key)?;
    }
    let doors: &Doors<'_> = doors;
    Ok(keys.iter().map(|key| doors.peek_as::<Set>(key)).collect::<Result<_, _>>()?)
}

pub(super) const SINTER: DataCommand = Command::new(
    Spec {
        keys: ALL_KEYS,
        summary: "Answers the members that all of these sets have.",
        complexity: INTERSECTION_COST,
        syntax: "key [key ...]",
        tips: UNORDERED,
        ..Spec::new("sinter", -2, Group::Set, Flags::READONLY)
    },
    sinter,
);

fn sinter(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let common = intersection(sets(&mut cx.keys, &cx.args[1..])?, usize::MAX);
    out.set(common.len());
    common.iter().for_each(|member| out.bulk(member.bytes(&mut IntBuffer::new())));
    Ok(())
}

pub(super) const SINTERSTORE: DataCommand = Command::new(
    Spec {
        keys: &store_keys(Access::RW),
        summary: "Stores the members that all of these sets have; answers how many.",
        complexity: INTERSECTION_COST,
        syntax: "destination key [key ...]",
        ..Spec::new("sinterstore", -3, Group::Set, STORE_FLAGS)
    },
    sinterstore,
);

fn sinterstore(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let common = intersection(sets(&mut cx.keys, &cx.args[2..])?, usize::MAX);
    let mut result = Set::new();
    for member in common {
        result.insert(member.bytes(&mut IntBuffer::new()), cx.limits);
    }
    store(&mut cx.keys, cx.args[1], Value::Set(result), event("sinterstore"), out);
    Ok(())
}

pub(super) const SINTERCARD: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::counted(1, Access::RO.union(Access::ACCESS))],
        since: "7.0.0",
        summary: "Answers how many members all of these sets have, counting up to a limit.",
        complexity: INTERSECTION_COST,
        syntax: "numkeys key [key ...] [LIMIT limit]",
        ..Spec::new("sintercard", -3, Group::Set, Flags::READONLY.union(Flags::MOVABLEKEYS))
    },
    sintercard,
);

fn sintercard(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let count = number::parse_int(cx.args[1]).filter(|count| *count > 0);
    let count = count.ok_or(CommandError::Text("ERR numkeys should be greater than 0"))? as usize;
    let rest = &cx.args[2..];
    if count > rest.len() {
        return Err(CommandError::Text("ERR Number of keys can't be greater than number of args"));
    }
    let (keys, options) = rest.split_at(count);
    let mut limit = 0;
    for pair in options.chunks(2) {
        match *pair {
            [word, given] if args::is(word, "LIMIT") => {
                limit = args::count(given).map_err(|_| CommandError::Text("ERR LIMIT can't be negative"))?;
            }
            _ => return Err(CommandError::Syntax),
        }
    }
    let limit = if limit == 0 { usize::MAX } else { limit };
    out.int(intersection(sets(&mut cx.keys, keys)?, limit).len() as i64);
    Ok(())
}

/// The first `limit` members that are in all sets, found by walking the smallest.
fn intersection(sets: Vec<Option<&Set>>, limit: usize) -> Vec<Scalar<'_>> {
    let Some(mut sets) = sets.into_iter().collect::<Option<Vec<&Set>>>() else {
        return Vec::new();
    };
    sets.sort_by_key(|set| set.len());
    let Some((smallest, others)) = sets.split_first() else {
        return Vec::new();
    };
    let everywhere = |member: &Scalar<'_>| {
        let mut buffer = IntBuffer::new();
        let member = member.bytes(&mut buffer);
        others.iter().all(|set| set.contains(member))
    };
    smallest.iter().filter(everywhere).take(limit).collect()
}

pub(super) const SUNION: DataCommand = Command::new(
    Spec {
        keys: ALL_KEYS,
        summary: "Answers the members that any of these sets has.",
        complexity: TOTAL_COST,
        syntax: "key [key ...]",
        tips: UNORDERED,
        ..Spec::new("sunion", -2, Group::Set, Flags::READONLY)
    },
    |cx, out| {
        say_members(&union(&sets(&mut cx.keys, &cx.args[1..])?, cx.limits), out);
        Ok(())
    },
);

pub(super) const SUNIONSTORE: DataCommand = Command::new(
    Spec {
        keys: &store_keys(Access::OW),
        summary: "Stores the members that any of these sets has; answers how many.",
        complexity: TOTAL_COST,
        syntax: "destination key [key ...]",
        ..Spec::new("sunionstore", -3, Group::Set, STORE_FLAGS)
    },
    |cx, out| {
        let result = union(&sets(&mut cx.keys, &cx.args[2..])?, cx.limits);
        store(&mut cx.keys, cx.args[1], Value::Set(result), event("sunionstore"), out);
        Ok(())
    },
);

fn union(sets: &[Option<&Set>], limits: &EncodingLimits) -> Set {
    let mut result = Set::new();
    for set in sets.iter().flatten() {
        add_all(&mut result, set, limits);
    }
    result
}

fn add_all(result: &mut Set, set: &Set, limits: &EncodingLimits) {
    let mut buffer = IntBuffer::new();
    for member in set.iter() {
        result.insert(member.bytes(&mut buffer), limits);
    }
}

pub(super) const SDIFF: DataCommand = Command::new(
    Spec {
        keys: ALL_KEYS,
        summary: "Answers the members of the first set that none of the others has.",
        complexity: TOTAL_COST,
        syntax: "key [key ...]",
        tips: UNORDERED,
        ..Spec::new("sdiff", -2, Group::Set, Flags::READONLY)
    },
    |cx, out| {
        say_members(&difference(&sets(&mut cx.keys, &cx.args[1..])?, cx.limits), out);
        Ok(())
    },
);

pub(super) const SDIFFSTORE: DataCommand = Command::new(
    Spec {
        keys: &store_keys(Access::OW),
        summary: "Stores the members of the first set that none of the others has; answers how many.",
        complexity: TOTAL_COST,
        syntax: "destination key [key ...]",
        ..Spec::new("sdiffstore", -3, Group::Set, STORE_FLAGS)
    },
    |cx, out| {
        let result = difference(&sets(&mut cx.keys, &cx.args[2..])?, cx.limits);
        store(&mut cx.keys, cx.args[1], Value::Set(result), event("sdiffstore"), out);
        Ok(())
    },
);

/// Either asks the other sets for each member of the first, or removes their members from a copy of it. The choice is
/// that of Redis 7.0, because the encoding of what is stored shows it.
fn difference(sets: &[Option<&Set>], limits: &EncodingLimits) -> Set {
    let mut result = Set::new();
    let Some((Some(first), others)) = sets.split_first() else {
        return result;
    };
    let others: Vec<&Set> = others.iter().flatten().copied().collect();
    let asking = (others.len() + 1) * first.len() / 2;
    let removing = first.len() + others.iter().map(|set| set.len()).sum::<usize>();
    let mut buffer = IntBuffer::new();
    if asking <= removing {
        for member in first.iter() {
            let member = member.bytes(&mut buffer);
            if !others.iter().any(|set| set.contains(member)) {
                result.insert(member, limits);
            }
        }
        return result;
    }
    add_all(&mut result, first, limits);
    for set in others {
        for member in set.iter() {
            result.remove(member.bytes(&mut buffer));
        }
    }
    result
}
