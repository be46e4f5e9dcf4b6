//! LSET, LINSERT, LREM, LTRIM.

use super::{event, from_head, key};
use crate::command::{Access, Command, CommandError, Cx, DataCommand, Flags, Group, Outcome, Spec, args};
use crate::reply::Sink;
use crate::value::{List, index_range};

pub(super) const LSET: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::UPDATE)),
        summary: "Replaces the element at an index.",
        complexity: "O(N) where N is the length of the list. Setting either the first or the last element of the list \
                     is O(1).",
        syntax: "key index element",
        ..Spec::new("lset", 4, Group::List, Flags::WRITE.union(Flags::DENYOOM))
    },
    lset,
);

fn lset(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let key = cx.args[1];
    let list = cx.keys.write_as::<List>(key)?.ok_or(CommandError::NoSuchKey)?;
    let index = args::int(cx.args[2])?;
    if !from_head(index, list.len()).is_some_and(|index| list.set(index, cx.args[3])) {
        return Err(CommandError::IndexOutOfRange);
    }
    cx.keys.changed(key, event("lset"));
    out.status("OK");
    Ok(())
}

pub(super) const LINSERT: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::INSERT)),
        since: "2.2.0",
        summary: "Inserts an element beside the first one that equals the pivot; answers the length, -1 without the \
                  pivot.",
        complexity: "O(N) where N is the number of elements to traverse before seeing the value pivot. This means that \
                     inserting somewhere on the left end on the list (head) can be considered O(1) and inserting \
                     somewhere on the right end (tail) is O(N).",
        syntax: "key <BEFORE | AFTER> pivot element",
        ..Spec::new("linsert", 5, Group::List, Flags::WRITE.union(Flags::DENYOOM))
    },
    linsert,
);

fn linsert(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let [_, key, place, pivot, element] = cx.args[..] else { unreachable!("arity has been checked") };
    let before = args::is(place, "BEFORE");
    if !before && !args::is(place, "AFTER") {
        return Err(CommandError::Syntax);
    }
    let Some(list) = cx.keys.write_as::<List>(key)? else {
        out.int(0);
        return Ok(());
    };
    let inserted = if before { list.insert_before(pivot, element) } else { list.insert_after(pivot, element) };
    let len = list.len() as i64;
    if inserted {
        cx.keys.changed(key, event("linsert"));
    }
    out.int(if inserted { len } else { -1 });
    Ok(())
}

pub(super) const LREM: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::DELETE)),
        summary: "Removes elements that equal the one given: so many from the head, from the tail if negative, all if \
                  0.",
        complexity: "O(N+M) where N is the length of the list and M is the number of elements removed.",
        syntax: "key count element",
        ..Spec::new("lrem", 4, Group::List, Flags::WRITE)
    },
    lrem,
);

fn lrem(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let count = args::int(cx.args[2])?;
    let mut removed = 0;
    if let Some(list) = cx.keys.write_as::<List>(cx.args[1])? {
        let most = count.unsigned_abs() as usize;
        removed = match count {
            0 => list.remove_from_front(cx.args[3], usize::MAX),
            1.. => list.remove_from_front(cx.args[3], most),
            _ => list.remove_from_back(cx.args[3], most),
        };
        if removed > 0 {
            cx.keys.changed_by(cx.args[1], Some(event("lrem")), removed as u64);
            cx.keys.remove_if_empty(cx.args[1]);
        }
    }
    out.int(removed as i64);
    Ok(())
}

pub(super) const LTRIM: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::DELETE)),
        summary: "Keeps only the elements in a range of indexes.",
        complexity: "O(N) where N is the number of elements to be removed by the operation.",
        syntax: "key start stop",
        ..Spec::new("ltrim", 4, Group::List, Flags::WRITE)
    },
    ltrim,
);

fn ltrim(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let (start, stop) = (args::int(cx.args[2])?, args::int(cx.args[3])?);
    if let Some(list) = cx.keys.write_as::<List>(cx.args[1])? {
        let before = list.len();
        list.trim(index_range(start, stop, before));
        let removed = before - list.len();
        // Redis 7.0 publishes, and fails WATCH, even when nothing was cut off; it just does not count that as a change.
        cx.keys.changed_by(cx.args[1], Some(event("ltrim")), removed as u64);
        cx.keys.remove_if_empty(cx.args[1]);
    }
    out.status("OK");
    Ok(())
}
