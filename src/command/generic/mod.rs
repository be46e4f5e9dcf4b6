//! Commands of no type, and those of whole databases. This file has what deals with keys one by one; the rest is beside
//! it. Sees the keyspace and its arguments only.

mod database;
mod object;
mod relocate;
mod scan;
mod sort;

use crate::command::{Access, Command, Cx, DataCommand, Flags, Group, KeySpec, Outcome, Spec};
use crate::reply::Sink;

pub(super) const COMMANDS: &[DataCommand] = &[
    DEL,
    UNLINK,
    EXISTS,
    TOUCH,
    TYPE,
    relocate::RENAME,
    relocate::RENAMENX,
    relocate::COPY,
    relocate::MOVE,
    scan::KEYS,
    scan::SCAN,
    scan::RANDOMKEY,
    object::OBJECT,
    sort::SORT,
    sort::SORT_RO,
    database::DBSIZE,
    database::FLUSHDB,
    database::FLUSHALL,
    database::SWAPDB,
];

const READ_FAST: Flags = Flags::READONLY.union(Flags::FAST);
const WRITE_FAST: Flags = Flags::WRITE.union(Flags::FAST);
const SUMMED: &[&str] = &["request_policy:multi_shard", "response_policy:agg_sum"];

const DEL: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::range(1, -1, 1, Access::RM.union(Access::DELETE))],
        summary: "Deletes keys; answers how many were there.",
        complexity: "O(N) where N is the number of keys; large values are freed by another thread.",
        syntax: "key [key ...]",
        tips: SUMMED,
        ..Spec::new("del", -2, Group::Generic, Flags::WRITE)
    },
    del,
);

const UNLINK: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::range(1, -1, 1, Access::RM.union(Access::DELETE))],
        since: "4.0.0",
        summary: "Deletes keys, as DEL does here.",
        complexity: "O(N) where N is the number of keys; large values are freed by another thread.",
        syntax: "key [key ...]",
        tips: SUMMED,
        ..Spec::new("unlink", -2, Group::Generic, WRITE_FAST)
    },
    del,
);

fn del(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let deleted = cx.args[1..].iter().filter(|key| cx.keys.delete(key)).count();
    out.int(deleted as i64);
    Ok(())
}

const EXISTS: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::range(1, -1, 1, Access::RO)],
        summary: "Answers how many of the keys are there; one named twice counts twice.",
        complexity: "O(N) where N is the number of keys.",
        syntax: "key [key ...]",
        tips: SUMMED,
        ..Spec::new("exists", -2, Group::Generic, READ_FAST)
    },
    |cx, out| {
        let found = cx.args[1..].iter().filter(|key| cx.keys.look(key).is_some()).count();
        out.int(found as i64);
        Ok(())
    },
);

const TOUCH: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::range(1, -1, 1, Access::RO)],
        since: "3.2.1",
        summary: "Counts as an access to the keys; answers how many are there.",
        complexity: "O(N) where N is the number of keys.",
        syntax: "key [key ...]",
        tips: SUMMED,
        ..Spec::new("touch", -2, Group::Generic, READ_FAST)
    },
    |cx, out| {
        let found = cx.args[1..].iter().filter(|key| cx.keys.read(key).is_some()).count();
        out.int(found as i64);
        Ok(())
    },
);

const TYPE: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, Access::RO)],
        summary: "Answers the type of the value at the key, or `none`.",
        syntax: "key",
        ..Spec::new("type", 2, Group::Generic, READ_FAST)
    },
    |cx, out| {
        out.status(cx.keys.look(cx.args[1]).map_or("none", |(value, _)| value.type_name()));
        Ok(())
    },
);

#[cfg(test)]
mod tests;
