//! BZPOPMIN, BZPOPMAX, BZMPOP. What they pop is logged as ZPOPMIN or ZPOPMAX.

use super::blocking;
use super::commands::{Answer, ControlCommand, Turn};
use super::waiters::{Attempt, Wait};
use crate::command::sorted_set::pop::{End, ManyKeys, POP_ACCESS, pop, say_popped_of};
use crate::command::{Command, CommandError, Cx, Flags, Group, KeySpec, Spec};
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
        complexity: "O(K) + O(M*log(N)) where K is the number of provided keys, N being the number of elements in the \
                     sorted set, and M being the number of elements popped.",
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
    let ttl_ms = blocking::timeout(timeout)?;
    Ok(Wait {
        keys: blocking::owned_keys(keys),
        attempt: Some(attempt),
        wants: "zset",
        ttl_ms,
        on_timeout: Reply::NilArray,
    })
}

#[cfg(test)]
mod tests {
    use crate::command::{set, sorted_set};
    use crate::config::Config;
    use crate::journal::Memory;
    use crate::transcript::{Stage, check};
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    #[test]
    fn members_are_popped_at_once_or_when_they_come() {
        check(
            r#"
            A: ZADD z 1 a 2 b 3 c
            A= :3
            A: BZPOPMIN nokey z 0
            A= ["z", "a", "1"]
            A: BZPOPMAX nokey z 0
            A= ["z", "c", "3"]
            A: BZMPOP 0 2 nokey z MIN COUNT 5
            A= ["z", [["b", "2"]]]
            A: ZCARD z
            A= :0
            A: MULTI
            A= +OK
            A: BZPOPMIN z 0
            A= +QUEUED
            A: BZMPOP 0 1 z MAX
            A= +QUEUED
            A: EXEC
            A= [*nil, *nil]
            A: BZPOPMIN z 0.01
            A! nothing
            advance 10
            A= *nil
            A: BZMPOP 0.01 1 z MAX
            A! nothing
            advance 10
            A= *nil
            B: BZPOPMIN z y 0
            C: BZMPOP 0 2 y z MAX COUNT 2
            B! nothing
            A: SADD y m
            A= :1
            A: ZADD z 1 a 2 b 3 c
            A= :3
            B= ["z", "a", "1"]
            C= ["z", [["c", "3"], ["b", "2"]]]
            A: ZRANGE z 0 -1
            A= []
            B: BZPOPMAX z 0
            C: BZPOPMIN z 0
            B! nothing
            C! nothing
            A: MULTI
            A= +OK
            A: ZADD z 1 a 2 b 3 c
            A= +QUEUED
            A: ZREM z b
            A= +QUEUED
            A: EXEC
            A= [:3, :1]
            B= ["z", "c", "3"]
            C= ["z", "a", "1"]
            A: ZCARD z
            A= :0
            B: BZPOPMAX z 0
            B! nothing
            A: MULTI
            A= +OK
            A: ZADD z 1 a
            A= +QUEUED
            A: ZREM z a
            A= +QUEUED
            A: EXEC
            A= [:1, :1]
            B! nothing
            A: ZADD src 5 m
            A= :1
            A: ZUNIONSTORE z 1 src
            A= :1
            B= ["z", "m", "5"]
            B: BZPOPMAX z 0
            B! nothing
            A: ZINCRBY z 2.5 m
            A= "2.5"
            B= ["z", "m", "2.5"]
            B: BZPOPMAX z 0
            B! nothing
            A: ZRANGESTORE z src 0 -1
            A= :1
            B= ["z", "m", "5"]
            A: ZADD z 1 a
            A= :1
            "#,
        );
    }

    #[test]
    fn resp3_sees_scores_as_doubles() {
        check(
            r#"
            A: HELLO 3
            A~ {.*
            B: HELLO 3
            C: HELLO 3
            B~ {.*
            C~ {.*
            A: ZADD z 1 a 2 b 3 c
            A= :3
            A: BZPOPMIN nokey z 0
            A= ["z", "a", ,1]
            A: BZPOPMAX nokey z 0
            A= ["z", "c", ,3]
            A: BZMPOP 0 2 nokey z MIN COUNT 5
            A= ["z", [["b", ,2]]]
            A: ZCARD z
            A= :0
            A: MULTI
            A= +OK
            A: BZPOPMIN z 0
            A= +QUEUED
            A: BZMPOP 0 1 z MAX
            A= +QUEUED
            A: EXEC
            A= [nil, nil]
            A: BZPOPMIN z 0.01
            A! nothing
            advance 10
            A= nil
            A: BZMPOP 0.01 1 z MAX
            A! nothing
            advance 10
            A= nil
            B: BZPOPMIN z y 0
            C: BZMPOP 0 2 y z MAX COUNT 2
            B! nothing
            A: SADD y m
            A= :1
            A: ZADD z 1 a 2 b 3 c
            A= :3
            B= ["z", "a", ,1]
            C= ["z", [["c", ,3], ["b", ,2]]]
            "#,
        );
    }

    /// A template with its places filled in at random from few words, so that requests meet.
    fn fill(template: &str, random: &mut SmallRng) -> Vec<Vec<u8>> {
        let mut pick = |words: &[&str]| words[random.random_range(0..words.len())].as_bytes().to_vec();
        let fill_one = |word: &str| match word {
            "{key}" => pick(&["a", "b", "c", "d"]),
            "{value}" => pick(&["x", "y", "z", "1", "7", "a longer value that is not kept inline"]),
            "{int}" => pick(&["-3", "-1", "0", "1", "2", "5"]),
            "{float}" => pick(&["-0.1", "1e3", "2.25", "inf", "-inf", "0.2", "-0", "3"]),
            "{count}" => pick(&["1", "2", "5"]),
            word => word.as_bytes().to_vec(),
        };
        template.split(' ').map(fill_one).collect()
    }

    #[test]
    fn what_random_requests_log_rebuilds_what_they_did() {
        let mut random = SmallRng::seed_from_u64(11);
        for _ in 0..30 {
            let mut stage = Stage::with_journal(Config::default(), Box::new(Memory::keeping()));
            for _ in 0..400 {
                let family = [set::TEMPLATES, sorted_set::TEMPLATES][random.random_range(0..2)];
                let request = fill(family[random.random_range(0..family.len())], &mut random);
                stage.send(["A", "B", "C"][random.random_range(0..3)], request);
                if random.random_range(0..10) == 0 {
                    stage.advance(2);
                }
            }
            stage.assert_replays();
        }
    }
}
