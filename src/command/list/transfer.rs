//! LMOVE and RPOPLPUSH.

use super::End;
use crate::command::{Access, Command, CommandError, Cx, DataCommand, Flags, Group, KeySpec, Outcome, Spec};
use crate::keyspace::{Doors, WrongType};
use crate::reply::Sink;
use crate::value::{IntBuffer, List, StringValue};

const FROM: Access = Access::RW.union(Access::ACCESS).union(Access::DELETE);
const TO: Access = Access::RW.union(Access::INSERT);
const FLAGS: Flags = Flags::WRITE.union(Flags::DENYOOM);

pub(super) const LMOVE: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, FROM), KeySpec::one(2, TO)],
        since: "6.2.0",
        summary: "Takes an element from one end of a list, puts it to one end of another, and answers it.",
        syntax: "source destination <LEFT | RIGHT> <LEFT | RIGHT>",
        ..Spec::new("lmove", 5, Group::List, FLAGS)
    },
    |cx, out| {
        let ends = two_ends(cx.args)?;
        run(cx, ends, out)
    },
);

pub(super) const RPOPLPUSH: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, FROM), KeySpec::one(2, TO)],
        since: "1.2.0",
        summary: "Takes an element from the tail of a list, puts it to the head of another, and answers it.",
        syntax: "source destination",
        ..Spec::new("rpoplpush", 3, Group::List, FLAGS)
    },
    |cx, out| run(cx, (End::Right, End::Left), out),
);

fn run(cx: &mut Cx<'_>, ends: (End, End), out: &mut dyn Sink) -> Outcome {
    match transfer(&mut cx.keys, cx.args[1], cx.args[2], ends)? {
        Some(element) => out.bulk(element.bytes(&mut IntBuffer::new())),
        None => out.nil(),
    }
    Ok(())
}

/// The two ends that LMOVE and BLMOVE name.
pub(crate) fn two_ends(args: &[&[u8]]) -> Result<(End, End), CommandError> {
    Ok((End::parse(args[3])?, End::parse(args[4])?))
}

/// Moves one element; `None` when there is no source. The two keys may be the same. Events come in the order of Redis
/// 7.0: the push, the pop, and `del` if the source is empty then.
///
/// # Errors
/// [`WrongType`] when either key holds no list; that of the destination is not looked at without a source.
pub(crate) fn transfer(
    keys: &mut Doors<'_>,
    source: &[u8],
    destination: &[u8],
    (from, to): (End, End),
) -> Result<Option<StringValue>, WrongType> {
    if keys.write_as::<List>(source)?.is_none() {
        return Ok(None);
    }
    keys.write_as::<List>(destination)?;
    let element = keys.write_as::<List>(source)?.and_then(|list| from.pop(list));
    if let Some(element) = &element {
        to.push(keys.write_or_create::<List>(destination)?, element.bytes(&mut IntBuffer::new()));
        keys.changed_by(destination, Some(to.pushed()), 0);
        keys.changed(source, from.popped());
        keys.remove_if_empty(source);
    }
    Ok(element)
}
