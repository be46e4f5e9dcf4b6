//! Blocking commands on lists, and WAIT: BLPOP, BRPOP, BLMOVE, BRPOPLPUSH, BLMPOP, WAIT, WAITAOF.
//!
//! Each is its plain command tried once, and tried again whenever a key it names is changed (see `waiters`). What it
//! does is logged as the plain command.

use super::commands::{Answer, Context, ControlCommand, Flow, Turn};
use super::waiters::{Attempt, Wait};
use crate::command::list::{self, End, MultiPop};
use crate::command::{Access, Command, CommandError, Cx, Flags, Group, KeySpec, Spec, args};
use crate::number::{self, TimeoutError};
use crate::reply::{Reply, Sink};
use crate::value::IntBuffer;

pub(super) const COMMANDS: &[ControlCommand] = &[BLPOP, BRPOP, BLMOVE, BRPOPLPUSH, BLMPOP, WAIT, WAITAOF];

const FLAGS: Flags = Flags::WRITE.union(Flags::NOSCRIPT).union(Flags::BLOCKING);
const TAKES: Access = Access::RW.union(Access::ACCESS).union(Access::DELETE);
const GIVES: Access = Access::RW.union(Access::INSERT);

/// The timeout of a blocking command, in seconds, as milliseconds; `None` is for ever.
///
/// # Errors
/// `ERR timeout is not a float or out of range` and `ERR timeout is negative` (Redis 7.0.15).
pub(super) fn timeout(arg: &[u8]) -> Result<Option<i64>, CommandError> {
    match number::parse_timeout_ms(arg) {
        Ok(0) => Ok(None),
        Ok(ms) => Ok(Some(i64::try_from(ms).unwrap_or(i64::MAX))),
        Err(TimeoutError::NotFloat) => Err(CommandError::Text("ERR timeout is not a float or out of range")),
        Err(TimeoutError::Negative) => Err(NEGATIVE),
    }
}

const NEGATIVE: CommandError = CommandError::Text("ERR timeout is negative");

/// Copies of the keys to wait for.
pub(super) fn owned_keys(keys: &[&[u8]]) -> Vec<Box<[u8]>> {
    keys.iter().map(|key| Box::from(*key)).collect()
}

const BLPOP: ControlCommand = Command::new(
    Spec {
        keys: &[KeySpec::range(1, -2, 1, TAKES)],
        since: "2.0.0",
        summary: "Takes the head of the first list that is there, or waits for one.",
        complexity: "O(N) where N is the number of provided keys.",
        syntax: "key [key ...] timeout",
        ..Spec::new("blpop", -3, Group::List, FLAGS)
    },
    |turn, out| pop(turn, |cx, key, out| pop_one(cx, key, End::Left, out), out),
);

const BRPOP: ControlCommand = Command::new(
    Spec {
        keys: &[KeySpec::range(1, -2, 1, TAKES)],
        since: "2.0.0",
        summary: "Takes the tail of the first list that is there, or waits for one.",
        complexity: "O(N) where N is the number of provided keys.",
        syntax: "key [key ...] timeout",
        ..Spec::new("brpop", -3, Group::List, FLAGS)
    },
    |turn, out| pop(turn, |cx, key, out| pop_one(cx, key, End::Right, out), out),
);

fn pop(turn: &mut Turn<'_>, attempt: Attempt, out: &mut dyn Sink) -> Answer {
    let [_, keys @ .., time] = turn.args else { return Err(turn.arity()) };
    let wait = Wait {
        keys: owned_keys(keys),
        attempt: Some(attempt),
        wants: "list",
        ttl_ms: timeout(time)?,
        on_timeout: Reply::NilArray,
    };
    turn.serve_or_wait(wait, out)
}

fn pop_one(cx: &mut Cx<'_>, key: &[u8], end: End, out: &mut dyn Sink) -> Result<bool, CommandError> {
    let Some(element) = list::pop(&mut cx.keys, key, end)? else {
        return Ok(false);
    };
    cx.keys.log(&[end.pop_name().as_bytes(), key]);
    out.array(2);
    out.bulk(key);
    out.bulk(element.bytes(&mut IntBuffer::new()));
    Ok(true)
}

const BLMOVE: ControlCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, TAKES), KeySpec::one(2, GIVES)],
        since: "6.2.0",
        summary: "Moves an element from one list to another and answers it, or waits for one.",
        syntax: "source destination <LEFT | RIGHT> <LEFT | RIGHT> timeout",
        ..Spec::new("blmove", 6, Group::List, FLAGS.union(Flags::DENYOOM))
    },
    |turn, out| {
        list::two_ends(turn.args)?;
        transfer(turn, |cx, _, out| transfer_one(cx, list::two_ends(cx.args)?, out), out)
    },
);

const BRPOPLPUSH: ControlCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, TAKES), KeySpec::one(2, GIVES)],
        since: "2.2.0",
        summary: "Moves the tail of one list to the head of another and answers it, or waits for one.",
        syntax: "source destination timeout",
        ..Spec::new("brpoplpush", 4, Group::List, FLAGS.union(Flags::DENYOOM))
    },
    |turn, out| transfer(turn, |cx, _, out| transfer_one(cx, (End::Right, End::Left), out), out),
);

fn transfer(turn: &mut Turn<'_>, attempt: Attempt, out: &mut dyn Sink) -> Answer {
    let time = turn.args.last().copied().unwrap_or_default();
    // Where it must not wait it answers as LMOVE; a wait that ends in vain answers as BLPOP (Redis 7.0.15).
    let on_timeout = if turn.context == Context::Direct { Reply::NilArray } else { Reply::Nil };
    let wait = Wait {
        keys: owned_keys(&turn.args[1..2]),
        attempt: Some(attempt),
        wants: "list",
        ttl_ms: timeout(time)?,
        on_timeout,
    };
    turn.serve_or_wait(wait, out)
}

fn transfer_one(cx: &mut Cx<'_>, ends: (End, End), out: &mut dyn Sink) -> Result<bool, CommandError> {
    let (source, destination) = (cx.args[1], cx.args[2]);
    let Some(element) = list::transfer(&mut cx.keys, source, destination, ends)? else {
        return Ok(false);
    };
    cx.keys.log(&[b"LMOVE", source, destination, ends.0.word().as_bytes(), ends.1.word().as_bytes()]);
    out.bulk(element.bytes(&mut IntBuffer::new()));
    Ok(true)
}

const BLMPOP: ControlCommand = Command::new(
    Spec {
        keys: &[KeySpec::counted(2, TAKES)],
        since: "7.0.0",
        summary: "Takes elements from one end of the first list that is there, or waits for one.",
        complexity: "O(N+M) where N is the number of provided keys and M is the number of elements returned.",
        syntax: "timeout numkeys key [key ...] <LEFT | RIGHT> [COUNT count]",
        // Redis 7.0 lets scripts call this one; it does not wait there.
        ..Spec::new("blmpop", -5, Group::List, Flags::WRITE.union(Flags::BLOCKING).union(Flags::MOVABLEKEYS))
    },
    |turn, out| {
        let request = MultiPop::parse(&turn.args[2..])?;
        let wait = Wait {
            keys: owned_keys(request.keys),
            attempt: Some(|cx, key, out| MultiPop::parse(&cx.args[2..])?.serve(cx, key, out)),
            wants: "list",
            ttl_ms: timeout(turn.args[1])?,
            on_timeout: Reply::NilArray,
        };
        turn.serve_or_wait(wait, out)
    },
);

// Documented as generic by Redis 7.0, but of the ACL category @connection and not of @keyspace.
const WAIT: ControlCommand = Command::new(
    Spec {
        since: "3.0.0",
        summary: "Waits until so many replicas have what was written; there are none, so the time runs out.",
        syntax: "numreplicas timeout",
        tips: &["request_policy:all_shards", "response_policy:agg_min"],
        ..Spec::new("wait", 3, Group::Connection, Flags::NOSCRIPT)
    },
    |turn, out| {
        let replicas = args::int(turn.args[1])?;
        let ttl_ms = timeout_ms(turn.args[2])?;
        wait_for_replicas(turn, replicas > 0, ttl_ms, Reply::Int(0), out)
    },
);

const WAITAOF: ControlCommand = Command::new(
    Spec {
        since: "7.2.0",
        summary: "Waits until what was written is in the append-only files of so many replicas; there are none.",
        syntax: "numlocal numreplicas timeout",
        tips: &["request_policy:all_shards", "response_policy:agg_min"],
        ..Spec::new("waitaof", 4, Group::Connection, Flags::NOSCRIPT)
    },
    waitaof,
);

fn waitaof(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let local = args::int(turn.args[1])?;
    if !(0..=1).contains(&local) {
        return Err(CommandError::Text("ERR value is out of range, value must between 0 and 1"));
    }
    let replicas = args::count(turn.args[2])?;
    let ttl_ms = timeout_ms(turn.args[3])?;
    if local > 0 {
        return Err(CommandError::Text("ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled."));
    }
    wait_for_replicas(turn, replicas > 0, ttl_ms, Reply::Array(vec![Reply::Int(0), Reply::Int(0)]), out)
}

/// A timeout in whole milliseconds; `None` is for ever.
fn timeout_ms(arg: &[u8]) -> Result<Option<i64>, CommandError> {
    match number::parse_int(arg) {
        None => Err(CommandError::Text("ERR timeout is not an integer or out of range")),
        Some(..0) => Err(NEGATIVE),
        Some(ms) => Ok((ms > 0).then_some(ms)),
    }
}

fn wait_for_replicas(turn: &mut Turn<'_>, any: bool, ttl_ms: Option<i64>, none: Reply, out: &mut dyn Sink) -> Answer {
    if !any {
        none.replay(out);
        return Ok(Flow::Next);
    }
    let wait = Wait { keys: Vec::new(), attempt: None, wants: "", ttl_ms, on_timeout: none };
    turn.serve_or_wait(wait, out)
}

#[cfg(test)]
mod tests;
