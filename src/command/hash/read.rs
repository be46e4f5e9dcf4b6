//! HGET, HMGET, HGETALL, HKEYS, HVALS, HLEN, HSTRLEN, HEXISTS.

use super::key;
use crate::command::{Access, Command, Cx, DataCommand, Flags, Group, Outcome, Spec};
use crate::reply::Sink;
use crate::value::{Hash, IntBuffer};

const QUICK: Flags = Flags::READONLY.union(Flags::FAST);
const ORDER: &[&str] = &["nondeterministic_output_order"];

pub(super) const HGET: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO.union(Access::ACCESS)),
        since: "2.0.0",
        summary: "Answers the value of a field.",
        syntax: "key field",
        ..Spec::new("hget", 3, Group::Hash, QUICK)
    },
    |cx, out| {
        let hash = cx.keys.read_as::<Hash>(cx.args[1])?;
        say_field(hash, cx.args[2], out);
        Ok(())
    },
);

pub(super) const HMGET: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO.union(Access::ACCESS)),
        since: "2.0.0",
        summary: "Answers the values of several fields, in the order asked.",
        complexity: "O(N) where N is the number of fields being requested.",
        syntax: "key field [field ...]",
        ..Spec::new("hmget", -3, Group::Hash, QUICK)
    },
    |cx, out| {
        let hash = cx.keys.read_as::<Hash>(cx.args[1])?;
        let fields = &cx.args[2..];
        out.array(fields.len());
        fields.iter().for_each(|field| say_field(hash, field, out));
        Ok(())
    },
);

fn say_field(hash: Option<&Hash>, field: &[u8], out: &mut dyn Sink) {
    match hash.and_then(|hash| hash.get(field)) {
        Some(value) => out.bulk(value.bytes(&mut IntBuffer::new())),
        None => out.nil(),
    }
}

pub(super) const HGETALL: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO.union(Access::ACCESS)),
        since: "2.0.0",
        summary: "Answers all fields, each with its value.",
        complexity: "O(N) where N is the size of the hash.",
        syntax: "key",
        tips: ORDER,
        ..Spec::new("hgetall", 2, Group::Hash, Flags::READONLY)
    },
    |cx, out| say_all(cx, Shown::Both, out),
);

pub(super) const HKEYS: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO.union(Access::ACCESS)),
        since: "2.0.0",
        summary: "Answers the names of all fields.",
        complexity: "O(N) where N is the size of the hash.",
        syntax: "key",
        tips: ORDER,
        ..Spec::new("hkeys", 2, Group::Hash, Flags::READONLY)
    },
    |cx, out| say_all(cx, Shown::Fields, out),
);

pub(super) const HVALS: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO.union(Access::ACCESS)),
        since: "2.0.0",
        summary: "Answers the values of all fields.",
        complexity: "O(N) where N is the size of the hash.",
        syntax: "key",
        tips: ORDER,
        ..Spec::new("hvals", 2, Group::Hash, Flags::READONLY)
    },
    |cx, out| say_all(cx, Shown::Values, out),
);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Fields,
    Values,
    Both,
}

fn say_all(cx: &mut Cx<'_>, shown: Shown, out: &mut dyn Sink) -> Outcome {
    let hash = cx.keys.read_as::<Hash>(cx.args[1])?;
    let len = hash.map_or(0, Hash::len);
    match shown {
        Shown::Both => out.map(len),
        Shown::Fields | Shown::Values => out.array(len),
    }
    for (field, value) in hash.into_iter().flat_map(Hash::iter) {
        if shown != Shown::Values {
            out.bulk(field);
        }
        if shown != Shown::Fields {
            out.bulk(value.bytes(&mut IntBuffer::new()));
        }
    }
    Ok(())
}

pub(super) const HLEN: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO),
        since: "2.0.0",
        summary: "Answers the number of fields.",
        syntax: "key",
        ..Spec::new("hlen", 2, Group::Hash, QUICK)
    },
    |cx, out| {
        let len = cx.keys.read_as::<Hash>(cx.args[1])?.map_or(0, Hash::len);
        out.int(len as i64);
        Ok(())
    },
);

pub(super) const HSTRLEN: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO),
        since: "3.2.0",
        summary: "Answers the length of a field's value in bytes, 0 without the field.",
        syntax: "key field",
        ..Spec::new("hstrlen", 3, Group::Hash, QUICK)
    },
    |cx, out| {
        let value = cx.keys.read_as::<Hash>(cx.args[1])?.and_then(|hash| hash.get(cx.args[2]));
        out.int(value.map_or(0, |value| value.len() as i64));
        Ok(())
    },
);

pub(super) const HEXISTS: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO),
        since: "2.0.0",
        summary: "Answers whether the hash has a field.",
        syntax: "key field",
        ..Spec::new("hexists", 3, Group::Hash, QUICK)
    },
    |cx, out| {
        let there = cx.keys.read_as::<Hash>(cx.args[1])?.is_some_and(|hash| hash.contains(cx.args[2]));
        out.int(i64::from(there));
        Ok(())
    },
);
