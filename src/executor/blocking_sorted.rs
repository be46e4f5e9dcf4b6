//! BZPOPMIN, BZPOPMAX, BZMPOP. What they pop is logged as ZPOPMIN or ZPOPMAX.

use super::commands::{Answer, ControlCommand, Turn};
use super::waiters::{Attempt, Wait};
use crate::command::sorted_set::pop::{End, ManyKeys, POP_ACCESS, pop, say_popped_of};
use crate::command::{Command, CommandError, Cx, Flags, Group, KeySpec, Spec};
use crate::number::{self, TimeoutError};
use crate::reply::{Reply, Sink};
use crate::value::IntBuffer;

pub(super) const COMMANDS: &[ControlCommand] = &[BZPOPMIN, BZPOPMAX, BZMPOP];

const COST: &str = "O(log(N)) with N being the number of elements in the sorted set.";
const KEYS: &[KeySpec] = &[KeySpec::range(1, -2, 1, POP_ACCESS)];
const FLAGS: Flags = Flags::WRITE.union(Flags::NOSCRIPT).union(Flags::BLOCKING).union(Flags::FAST);

const BZPOPMIN: ControlCommand = Command::new(
    Spec {
        keys: KEYS,
        since: "5.0.0",
        summary: "Takes the member with the lowest score out of the first sorted set that is there, or waits for one.",
        complexity: COST,
        syntax: "key [key ...] timeout",
        ..Spec::new("bzpopmin", -3, Group::SortedSet, FLAGS)
    },
    |turn, out| pop_one(turn, |cx, key, out| attempt_one(cx, key, End::Min, out), out),
);

const BZPOPMAX: ControlCommand = Command::new(
    Spec {
        keys: KEYS,
        since: "5.0.0",
        summary: "Takes the member with the highest score out of the first sorted set that is there, or waits for one.",
        complexity: COST,
        syntax: "key [key ...] timeout",
        ..Spec::new("bzpopmax", -3, Group::SortedSet, FLAGS)
    },
    |turn, out| pop_one(turn, |cx, key, out| attempt_one(cx, key, End::Max, out), out),
);

fn pop_one(turn: &mut Turn<'_>, attempt: Attempt, out: &mut dyn Sink) -> Answer {
    let [keys @ .., timeout] = &turn.args[1..] else {
        return Err(CommandError::Syntax);
    };
    let wait = wait_for(keys, timeout, attempt)?;
    turn.serve_or_wait(wait, out)
}

fn attempt_one(cx: &mut Cx<'_>, key: &[u8], end: End, out: &mut dyn Sink) -> Result<bool, CommandError> {
    let popped = pop(cx, key, end, None)?.unwrap_or_default();
    let Some((member, score)) = popped.first() else {
        return Ok(false);
    };
    out.array(3);
    out.bulk(key);
    out.bulk(member.bytes(&mut IntBuffer::new()));
    out.double(*score);
    Ok(true)
}

const BZMPOP: ControlCommand = Command::new(
    Spec {
        keys: &[KeySpec::counted(2, POP_ACCESS)],
        since: "7.0.0",
        summary: "Takes members out of the first of several sorted sets that is there, or waits for one.",
        complexity: "O(K) + O(M*log(N)) where K is the number of provided keys, N being the number of elements in the sorted \
                     set, and M being the number of elements popped.",
        syntax: "timeout numkeys key [key ...] MIN | MAX [COUNT count]",
        ..Spec::new("bzmpop", -5, Group::SortedSet, Flags::WRITE.union(Flags::BLOCKING).union(Flags::MOVABLEKEYS))
    },
    bzmpop,
);

fn bzmpop(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let many = ManyKeys::parse(&turn.args[2..])?;
    let wait = wait_for(many.keys, turn.args[1], attempt_many)?;
    turn.serve_or_wait(wait, out)
}

fn attempt_many(cx: &mut Cx<'_>, key: &[u8], out: &mut dyn Sink) -> Result<bool, CommandError> {
    let ManyKeys { end, count, .. } = ManyKeys::parse(&cx.args[2..])?;
    let popped = pop(cx, key, end, Some(count))?;
    if let Some(popped) = &popped {
        say_popped_of(key, popped, out);
    }
    Ok(popped.is_some())
}

fn wait_for(keys: &[&[u8]], timeout: &[u8], attempt: Attempt) -> Result<Wait, CommandError> {
    let ttl_ms = number::parse_timeout_ms(timeout).map_err(|error| {
        CommandError::Text(match error {
            TimeoutError::NotFloat => "ERR timeout is not a float or out of range",
            TimeoutError::Negative => "ERR timeout is negative",
        })
    })?;
    Ok(Wait {
        keys: keys.iter().map(|key| Box::from(*key)).collect(),
        attempt: Some(attempt),
        wants: "zset",
        ttl_ms: (ttl_ms > 0).then(|| i64::try_from(ttl_ms).unwrap_or(i64::MAX)),
        on_timeout: Reply::NilArray,
    })
}
