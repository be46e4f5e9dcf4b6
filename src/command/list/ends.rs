//! LPUSH, RPUSH, LPUSHX, RPUSHX, LPOP, RPOP, LMPOP.

use super::{End, key};
use crate::command::{Access, Command, CommandError, Cx, DataCommand, Flags, Group, KeySpec, Outcome, Spec, args};
use crate::keyspace::{Doors, WrongType};
use crate::number;
use crate::reply::Sink;
use crate::value::{IntBuffer, List, StringValue};

const ADDS: Flags = Flags::WRITE.union(Flags::DENYOOM).union(Flags::FAST);
const PUSH_COST: &str = "O(1) for each element added, so O(N) to add N elements when the command is called with \
                         multiple arguments.";

pub(super) const LPUSH: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::INSERT)),
        summary: "Adds elements at the head, one by one, and answers the length.",
        complexity: PUSH_COST,
        syntax: "key element [element ...]",
        ..Spec::new("lpush", -3, Group::List, ADDS)
    },
    |cx, out| push(cx, End::Left, out),
);

pub(super) const RPUSH: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::INSERT)),
        summary: "Adds elements at the tail, one by one, and answers the length.",
        complexity: PUSH_COST,
        syntax: "key element [element ...]",
        ..Spec::new("rpush", -3, Group::List, ADDS)
    },
    |cx, out| push(cx, End::Right, out),
);

pub(super) const LPUSHX: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::INSERT)),
        since: "2.2.0",
        summary: "Adds elements at the head of a list that is there already.",
        complexity: PUSH_COST,
        syntax: "key element [element ...]",
        ..Spec::new("lpushx", -3, Group::List, ADDS)
    },
    |cx, out| push_if_present(cx, End::Left, out),
);

pub(super) const RPUSHX: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::INSERT)),
        since: "2.2.0",
        summary: "Adds elements at the tail of a list that is there already.",
        complexity: PUSH_COST,
        syntax: "key element [element ...]",
        ..Spec::new("rpushx", -3, Group::List, ADDS)
    },
    |cx, out| push_if_present(cx, End::Right, out),
);

fn push_if_present(cx: &mut Cx<'_>, end: End, out: &mut dyn Sink) -> Outcome {
    if cx.keys.write_as::<List>(cx.args[1])?.is_some() {
        return push(cx, end, out);
    }
    out.int(0);
    Ok(())
}

fn push(cx: &mut Cx<'_>, end: End, out: &mut dyn Sink) -> Outcome {
    let (key, elements) = (cx.args[1], &cx.args[2..]);
    let list = cx.keys.write_or_create::<List>(key)?;
    elements.iter().for_each(|element| end.push(list, element));
    let len = list.len();
    cx.keys.changed_by(key, Some(end.pushed()), elements.len() as u64);
    out.int(len as i64);
    Ok(())
}

pub(super) const LPOP: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::ACCESS).union(Access::DELETE)),
        summary: "Takes elements from the head.",
        complexity: "O(N) where N is the number of elements returned",
        syntax: "key [count]",
        ..Spec::new("lpop", -2, Group::List, Flags::WRITE.union(Flags::FAST))
    },
    |cx, out| pop_command(cx, End::Left, &LPOP.spec, out),
);

pub(super) const RPOP: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::ACCESS).union(Access::DELETE)),
        summary: "Takes elements from the tail, the last one first.",
        complexity: "O(N) where N is the number of elements returned",
        syntax: "key [count]",
        ..Spec::new("rpop", -2, Group::List, Flags::WRITE.union(Flags::FAST))
    },
    |cx, out| pop_command(cx, End::Right, &RPOP.spec, out),
);

fn pop_command(cx: &mut Cx<'_>, end: End, spec: &Spec, out: &mut dyn Sink) -> Outcome {
    let key = cx.args[1];
    let count = match cx.args[2..] {
        [] => {
            match pop(&mut cx.keys, key, end)? {
                Some(element) => out.bulk(element.bytes(&mut IntBuffer::new())),
                None => out.nil(),
            }
            return Ok(());
        }
        [count] => args::count(count)?,
        _ => return Err(args::arity(spec)),
    };
    match cx.keys.write_as::<List>(key)? {
        None => out.nil_array(),
        Some(_) if count == 0 => out.array(0),
        Some(_) => {
            pop_and_say(&mut cx.keys, key, end, count, out)?;
        }
    }
    Ok(())
}

/// Pops one element; `None` without the key. Events and deletion included.
///
/// # Errors
/// [`WrongType`] when the key holds no list.
pub(crate) fn pop(keys: &mut Doors<'_>, key: &[u8], end: End) -> Result<Option<StringValue>, WrongType> {
    let popped = keys.write_as::<List>(key)?.and_then(|list| end.pop(list));
    if popped.is_some() {
        keys.changed(key, end.popped());
        keys.remove_if_empty(key);
    }
    Ok(popped)
}

/// Pops up to `count` (at least one) elements of a list that is there and answers them as an array; says how many.
///
/// # Errors
/// [`WrongType`] when the key holds no list; nothing is said then.
fn pop_and_say(
    keys: &mut Doors<'_>,
    key: &[u8],
    end: End,
    count: usize,
    out: &mut dyn Sink,
) -> Result<usize, WrongType> {
    let Some(list) = keys.write_as::<List>(key)? else {
        return Ok(0);
    };
    let popped = count.min(list.len());
    out.array(popped);
    for element in (0..popped).map_while(|_| end.pop(list)) {
        out.bulk(element.bytes(&mut IntBuffer::new()));
    }
    keys.changed_by(key, Some(end.popped()), popped as u64);
    keys.remove_if_empty(key);
    Ok(popped)
}

pub(super) const LMPOP: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::counted(1, Access::RW.union(Access::ACCESS).union(Access::DELETE))],
        since: "7.0.0",
        summary: "Takes elements from one end of the first list that is there.",
        complexity: "O(N+M) where N is the number of provided keys and M is the number of elements returned.",
        syntax: "numkeys key [key ...] <LEFT | RIGHT> [COUNT count]",
        ..Spec::new("lmpop", -4, Group::List, Flags::WRITE.union(Flags::MOVABLEKEYS))
    },
    |cx, out| {
        let request = MultiPop::parse(&cx.args[1..])?;
        for key in request.keys {
            if request.serve(cx, key, out)? {
                return Ok(());
            }
        }
        out.nil_array();
        Ok(())
    },
);

/// What LMPOP and BLMPOP ask for.
pub(crate) struct MultiPop<'a> {
    pub(crate) keys: &'a [&'a [u8]],
    end: End,
    count: usize,
}

impl<'a> MultiPop<'a> {
    /// Reads the arguments from `numkeys` on.
    pub(crate) fn parse(words: &'a [&'a [u8]]) -> Result<Self, CommandError> {
        let positive = |arg: &[u8], refusal: &'static str| {
            let number = number::parse_int(arg).and_then(|number| usize::try_from(number).ok());
            number.filter(|number| *number > 0).ok_or(CommandError::Text(refusal))
        };
        let (count, rest) = words.split_first().ok_or(CommandError::Syntax)?;
        let keys = positive(count, "ERR numkeys should be greater than 0")?;
        let (keys, options) = rest.split_at_checked(keys).ok_or(CommandError::Syntax)?;
        let (end, options) = options.split_first().ok_or(CommandError::Syntax)?;
        let end = End::parse(end)?;
        let count = match options {
            [] => 1,
            [word, count, rest @ ..] if args::is(word, "COUNT") => {
                let count = positive(count, "ERR count should be greater than 0")?;
                if !rest.is_empty() {
                    return Err(CommandError::Syntax);
                }
                count
            }
            _ => return Err(CommandError::Syntax),
        };
        Ok(Self { keys, end, count })
    }

    /// Answers from `key` if there is a list, and logs what was popped; false otherwise.
    pub(crate) fn serve(&self, cx: &mut Cx<'_>, key: &[u8], out: &mut dyn Sink) -> Result<bool, CommandError> {
        if cx.keys.write_as::<List>(key)?.is_none() {
            return Ok(false);
        }
        out.array(2);
        out.bulk(key);
        let popped = pop_and_say(&mut cx.keys, key, self.end, self.count, out)?;
        cx.keys.log(&[self.end.pop_name().as_bytes(), key, popped.to_string().as_bytes()]);
        Ok(true)
    }
}
