//! Lists: `ends` pushes and pops, `transfer` moves an element from one list to another, `middle` changes what lies
//! between, `read` only looks. Their blocking forms live in `executor/blocking.rs` and use what is `pub(crate)` here.

mod ends;
mod middle;
mod read;
#[cfg(test)]
mod tests;
mod transfer;

pub(crate) use ends::{MultiPop, pop};
pub(crate) use transfer::{transfer, two_ends};

use super::{Access, CommandError, DataCommand, KeySpec, args};
use crate::event::EventClasses;
use crate::keyspace::Event;
use crate::value::{List, StringValue};

pub(super) const COMMANDS: &[DataCommand] = &[
    ends::LPUSH,
    ends::RPUSH,
    ends::LPUSHX,
    ends::RPUSHX,
    ends::LPOP,
    ends::RPOP,
    ends::LMPOP,
    transfer::LMOVE,
    transfer::RPOPLPUSH,
    middle::LSET,
    middle::LINSERT,
    middle::LREM,
    middle::LTRIM,
    read::LLEN,
    read::LRANGE,
    read::LINDEX,
    read::LPOS,
];

/// One end of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Left,
    Right,
}

impl End {
    /// Reads LEFT or RIGHT.
    pub(crate) fn parse(arg: &[u8]) -> Result<Self, CommandError> {
        if args::is(arg, "LEFT") {
            Ok(Self::Left)
        } else if args::is(arg, "RIGHT") {
            Ok(Self::Right)
        } else {
            Err(CommandError::Syntax)
        }
    }

    /// As LMOVE spells it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Left => "LEFT",
            Self::Right => "RIGHT",
        }
    }

    /// The command that pops here.
    pub(crate) const fn pop_name(self) -> &'static str {
        match self {
            Self::Left => "LPOP",
            Self::Right => "RPOP",
        }
    }

    fn pop(self, list: &mut List) -> Option<StringValue> {
        match self {
            Self::Left => list.pop_front(),
            Self::Right => list.pop_back(),
        }
    }

    fn push(self, list: &mut List, element: &[u8]) {
        match self {
            Self::Left => list.push_front(element),
            Self::Right => list.push_back(element),
        }
    }

    const fn popped(self) -> Event {
        event(match self {
            Self::Left => "lpop",
            Self::Right => "rpop",
        })
    }

    const fn pushed(self) -> Event {
        event(match self {
            Self::Left => "lpush",
            Self::Right => "rpush",
        })
    }
}

/// The list is the first argument of most commands here.
const fn key(access: Access) -> [KeySpec; 1] {
    [KeySpec::one(1, access)]
}

const fn event(name: &'static str) -> Event {
    Event::new(EventClasses::LIST, name)
}

/// The index from the head that `index` names, counted from the tail when negative; `None` when that is before the
/// head.
fn from_head(index: i64, len: usize) -> Option<usize> {
    let index = if index < 0 { index.checked_add(len as i64)? } else { index };
    usize::try_from(index).ok()
}

/// What random clients send to this family.
#[cfg(test)]
pub(crate) const TEMPLATES: &[&str] = &[
    "LPUSH {key} {value}",
    "LPUSH {key} {value} {value}",
    "RPUSH {key} {value} {value}",
    "LPUSHX {key} {value}",
    "RPUSHX {key} {value}",
    "LPOP {key}",
    "LPOP {key} {count}",
    "RPOP {key}",
    "RPOP {key} {count}",
    "LMPOP 2 {key} {key} LEFT COUNT 2",
    "LMPOP 1 {key} RIGHT",
    "LMOVE {key} {key} LEFT RIGHT",
    "LMOVE {key} {key} RIGHT RIGHT",
    "RPOPLPUSH {key} {key}",
    "LSET {key} {int} {value}",
    "LINSERT {key} BEFORE {value} {value}",
    "LINSERT {key} AFTER {value} {value}",
    "LREM {key} {int} {value}",
    "LTRIM {key} {int} {int}",
    "LLEN {key}",
    "LRANGE {key} {int} {int}",
    "LINDEX {key} {int}",
    "LPOS {key} {value} COUNT 0",
    "BLPOP {key} {key} 0.001",
    "BRPOP {key} 0.001",
    "BLMOVE {key} {key} LEFT RIGHT 0.001",
    "BRPOPLPUSH {key} {key} 0.001",
    "BLMPOP 0.001 2 {key} {key} LEFT COUNT 2",
];
