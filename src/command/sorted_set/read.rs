//! Questions about members and counts: ZCARD, ZSCORE, ZMSCORE, ZRANK, ZREVRANK, ZCOUNT, ZLEXCOUNT.

use super::span::{By, Span};
use super::{FAST_READ, READ, key};
use crate::command::{Access, Command, CommandError, Cx, DataCommand, Group, Outcome, Spec, args};
use crate::reply::Sink;
use crate::value::SortedSet;

const COUNT_COST: &str = "O(log(N)) with N being the number of elements in the sorted set.";

pub(super) const ZCARD: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO),
        since: "1.2.0",
        summary: "Answers how many members a sorted set has.",
        syntax: "key",
        ..Spec::new("zcard", 2, Group::SortedSet, FAST_READ)
    },
    |cx, out| {
        out.int(cx.keys.read_as::<SortedSet>(cx.args[1])?.map_or(0, |set| set.len() as i64));
        Ok(())
    },
);

pub(super) const ZSCORE: DataCommand = Command::new(
    Spec {
        keys: &key(READ),
        since: "1.2.0",
        summary: "Answers the score of a member.",
        syntax: "key member",
        ..Spec::new("zscore", 3, Group::SortedSet, FAST_READ)
    },
    |cx, out| {
        let member = cx.args[2];
        say_score(cx.keys.read_as::<SortedSet>(cx.args[1])?.and_then(|set| set.score(member)), out);
        Ok(())
    },
);

pub(super) const ZMSCORE: DataCommand = Command::new(
    Spec {
        keys: &key(READ),
        since: "6.2.0",
        summary: "Answers the score of each of several members.",
        complexity: "O(N) where N is the number of members being requested.",
        syntax: "key member [member ...]",
        ..Spec::new("zmscore", -3, Group::SortedSet, FAST_READ)
    },
    |cx, out| {
        let members = &cx.args[2..];
        let set = cx.keys.read_as::<SortedSet>(cx.args[1])?;
        out.array(members.len());
        members.iter().for_each(|member| say_score(set.and_then(|set| set.score(member)), out));
        Ok(())
    },
);

fn say_score(score: Option<f64>, out: &mut dyn Sink) {
    match score {
        Some(score) => out.double(score),
        None => out.nil(),
    }
}

pub(super) const ZRANK: DataCommand = Command::new(
    Spec {
        keys: &key(READ),
        since: "2.0.0",
        summary: "Answers how many members are before a member.",
        complexity: "O(log(N))",
        syntax: "key member [WITHSCORE]",
        ..Spec::new("zrank", -3, Group::SortedSet, FAST_READ)
    },
    |cx, out| rank(cx, &ZRANK.spec, SortedSet::rank, out),
);

pub(super) const ZREVRANK: DataCommand = Command::new(
    Spec {
        keys: &key(READ),
        since: "2.0.0",
        summary: "Answers how many members are behind a member.",
        complexity: "O(log(N))",
        syntax: "key member [WITHSCORE]",
        ..Spec::new("zrevrank", -3, Group::SortedSet, FAST_READ)
    },
    |cx, out| rank(cx, &ZREVRANK.spec, SortedSet::reverse_rank, out),
);

/// WITHSCORE is of Redis 7.2; 7.0 takes exactly two arguments.
fn rank(cx: &mut Cx<'_>, spec: &Spec, rank: fn(&SortedSet, &[u8]) -> Option<usize>, out: &mut dyn Sink) -> Outcome {
    let member = cx.args[2];
    let with_score = match cx.args[3..] {
        [] => false,
        [word] if args::is(word, "WITHSCORE") => true,
        [_] => return Err(CommandError::Syntax),
        _ => return Err(args::arity(spec)),
    };
    let set = cx.keys.read_as::<SortedSet>(cx.args[1])?;
    let found = set.and_then(|set| Some((rank(set, member)?, set.score(member)?)));
    match found {
        Some((rank, _)) if !with_score => out.int(rank as i64),
        Some((rank, score)) => {
            out.array(2);
            out.int(rank as i64);
            out.double(score);
        }
        None if with_score => out.nil_array(),
        None => out.nil(),
    }
    Ok(())
}

pub(super) const ZCOUNT: DataCommand = Command::new(
    Spec {
        keys: &key(READ),
        since: "2.0.0",
        summary: "Answers how many members are between two scores.",
        complexity: COUNT_COST,
        syntax: "key min max",
        ..Spec::new("zcount", 4, Group::SortedSet, FAST_READ)
    },
    |cx, out| count(cx, By::Score, out),
);

pub(super) const ZLEXCOUNT: DataCommand = Command::new(
    Spec {
        keys: &key(READ),
        since: "2.8.9",
        summary: "Answers how many members are between two strings, given that all have one score.",
        complexity: COUNT_COST,
        syntax: "key min max",
        ..Spec::new("zlexcount", 4, Group::SortedSet, FAST_READ)
    },
    |cx, out| count(cx, By::Lex, out),
);

fn count(cx: &mut Cx<'_>, by: By, out: &mut dyn Sink) -> Outcome {
    let span = Span::parse(by, cx.args[2], cx.args[3])?;
    let set = cx.keys.read_as::<SortedSet>(cx.args[1])?;
    out.int(set.map_or(0, |set| span.within(set, false).len() as i64));
    Ok(())
}
