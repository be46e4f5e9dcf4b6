//! Commands that put a value under another key or into another database: RENAME, RENAMENX, COPY, MOVE.

use super::WRITE_FAST;
use crate::command::args::{self, is};
use crate::command::{Access, Command, CommandError, Cx, DataCommand, Flags, Group, KeySpec, Outcome, Spec};
use crate::event::EventClasses;
use crate::keyspace::{Event, Keep};
use crate::reply::Sink;
use crate::time::Deadline;
use crate::value::Value;

const fn event(name: &'static str) -> Event {
    Event::new(EventClasses::GENERIC, name)
}

const SOURCE: KeySpec = KeySpec::one(1, Access::RW.union(Access::ACCESS).union(Access::DELETE));

pub(super) const RENAME: DataCommand = Command::new(
    Spec {
        keys: &[SOURCE, KeySpec::one(2, Access::OW.union(Access::UPDATE))],
        summary: "Gives a key another name, over whatever has that name.",
        syntax: "key newkey",
        ..Spec::new("rename", 3, Group::Generic, Flags::WRITE)
    },
    |cx, out| {
        rename(cx, true)?;
        out.status("OK");
        Ok(())
    },
);

pub(super) const RENAMENX: DataCommand = Command::new(
    Spec {
        keys: &[SOURCE, KeySpec::one(2, Access::OW.union(Access::INSERT))],
        summary: "Gives a key another name if that is free; answers whether it did.",
        syntax: "key newkey",
        ..Spec::new("renamenx", 3, Group::Generic, WRITE_FAST)
    },
    |cx, out| {
        let renamed = rename(cx, false)?;
        out.int(i64::from(renamed));
        Ok(())
    },
);

/// False when the new name is taken and must not be. Renaming a key to its own name changes nothing.
fn rename(cx: &mut Cx<'_>, over: bool) -> Result<bool, CommandError> {
    let (from, to) = (cx.args[1], cx.args[2]);
    if !cx.keys.exists(from) {
        return Err(CommandError::NoSuchKey);
    }
    if from == to || (!over && cx.keys.exists(to)) {
        return Ok(false);
    }
    let (value, deadline) = cx.keys.take(from).expect("it exists");
    place(cx, to, value, deadline);
    cx.keys.changed_by(from, Some(event("rename_from")), 0);
    cx.keys.changed(to, event("rename_to"));
    Ok(true)
}

/// Puts a value in the place of another, which counts as a new key (event `new`), as in Redis 7.0.
fn place(cx: &mut Cx<'_>, key: &[u8], value: Value, deadline: Option<Deadline>) {
    if let Some((old, _)) = cx.keys.take(key) {
        cx.keys.discard(old);
    }
    cx.keys.put(key, value, deadline.map_or(Keep::Nothing, Keep::Until));
}

pub(super) const COPY: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, Access::RO.union(Access::ACCESS)), KeySpec::one(2, Access::OW.union(Access::UPDATE))],
        since: "6.2.0",
        summary: "Copies value and lifetime of a key to another; answers whether it did.",
        complexity: "O(N) where N is the size of the value.",
        syntax: "source destination [DB destination-db] [REPLACE]",
        ..Spec::new("copy", -3, Group::Generic, Flags::WRITE.union(Flags::DENYOOM))
    },
    copy,
);

fn copy(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let (from, to, here) = (cx.args[1], cx.args[2], cx.keys.db);
    let (mut there, mut over) = (here, false);
    let mut rest = cx.args[3..].iter();
    while let Some(word) = rest.next() {
        if is(word, "replace") {
            over = true;
        } else if is(word, "db") {
            there = database(cx, rest.next().ok_or(CommandError::Syntax)?)?;
        } else {
            return Err(CommandError::Syntax);
        }
    }
    if here == there && from == to {
        return Err(CommandError::SameObject);
    }
    let source = cx.keys.read(from).is_some();
    let deadline = cx.keys.deadline(from).flatten();
    cx.keys.db = there;
    let free = source && (!cx.keys.exists(to) || over);
    cx.keys.db = here;
    if free {
        let value = cx.keys.peek(from).expect("it was just read").clone();
        cx.keys.db = there;
        place(cx, to, value, deadline);
        cx.keys.changed(to, event("copy_to"));
        cx.keys.db = here;
    }
    out.int(i64::from(free));
    Ok(())
}

/// The index of a database. Redis 7.0 reads it as a 32-bit integer.
fn database(cx: &Cx<'_>, arg: &[u8]) -> Result<usize, CommandError> {
    let index = args::int32(arg)?;
    let known = usize::try_from(index).ok().filter(|index| *index < cx.keys.state.databases());
    known.ok_or(CommandError::Text("ERR DB index is out of range"))
}

pub(super) const MOVE: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, Access::RW.union(Access::ACCESS).union(Access::UPDATE))],
        summary: "Moves a key to another database if the name is free there; answers whether it did.",
        syntax: "key db",
        ..Spec::new("move", 3, Group::Generic, WRITE_FAST)
    },
    move_key,
);

fn move_key(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let (key, here) = (cx.args[1], cx.keys.db);
    let there = database(cx, cx.args[2])?;
    if here == there {
        return Err(CommandError::SameObject);
    }
    let source = cx.keys.exists(key);
    cx.keys.db = there;
    let free = source && !cx.keys.exists(key);
    cx.keys.db = here;
    if free {
        let (value, deadline) = cx.keys.take(key).expect("it exists");
        cx.keys.db = there;
        place(cx, key, value, deadline);
        cx.keys.db = here;
        cx.keys.changed_by(key, Some(event("move_from")), 0);
        cx.keys.db = there;
        cx.keys.changed(key, event("move_to"));
        cx.keys.db = here;
    }
    out.int(i64::from(free));
    Ok(())
}
