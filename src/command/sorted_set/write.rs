//! Members in and out: ZADD, ZINCRBY, ZREM, ZREMRANGEBY*.

use super::span::{By, Span};
use super::{event, key};
use crate::command::{Access, Command, CommandError, Cx, DataCommand, Flags, Group, Outcome, Spec, args};
use crate::reply::Sink;
use crate::value::{EncodingLimits, Inserted, SortedSet};
use smallvec::SmallVec;

const REMOVE_RANGE_COST: &str = "O(log(N)+M) with N being the number of elements in the sorted set and M the number of \
                                 elements removed by the operation.";

pub(super) const ZADD: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::UPDATE)),
        since: "1.2.0",
        summary: "Puts members with their scores into a sorted set, or gives them other scores.",
        complexity: "O(log(N)) for each item added, where N is the number of elements in the sorted set.",
        syntax: "key [NX | XX] [GT | LT] [CH] [INCR] score member [score member ...]",
        ..Spec::new("zadd", -4, Group::SortedSet, Flags::WRITE.union(Flags::DENYOOM).union(Flags::FAST))
    },
    |cx, out| add(cx, false, out),
);

pub(super) const ZINCRBY: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::ACCESS).union(Access::UPDATE)),
        since: "1.2.0",
        summary: "Adds to the score of a member, a missing one counting as 0; answers the sum.",
        complexity: "O(log(N)) where N is the number of elements in the sorted set.",
        syntax: "key increment member",
        ..Spec::new("zincrby", 4, Group::SortedSet, Flags::WRITE.union(Flags::DENYOOM).union(Flags::FAST))
    },
    // Its increment may be an option of ZADD: then a pair is short, as in Redis.
    |cx, out| add(cx, true, out),
);

/// The options of ZADD.
#[derive(Debug, Clone, Copy, Default)]
struct Rules {
    only_new: bool,
    only_present: bool,
    only_greater: bool,
    only_less: bool,
    count_updates: bool,
    increment: bool,
}

impl Rules {
    /// Reads options up to the first word that is none; returns the pairs behind them.
    fn parse<'a, 'b>(increment: bool, mut words: &'a [&'b [u8]]) -> (Self, &'a [&'b [u8]]) {
        let mut rules = Self { increment, ..Self::default() };
        while let [word, rest @ ..] = words {
            match word {
                word if args::is(word, "NX") => rules.only_new = true,
                word if args::is(word, "XX") => rules.only_present = true,
                word if args::is(word, "GT") => rules.only_greater = true,
                word if args::is(word, "LT") => rules.only_less = true,
                word if args::is(word, "CH") => rules.count_updates = true,
                word if args::is(word, "INCR") => rules.increment = true,
                _ => break,
            }
            words = rest;
        }
        (rules, words)
    }

    fn check(&self, pairs: &[&[u8]]) -> Result<(), CommandError> {
        if pairs.is_empty() || !pairs.len().is_multiple_of(2) {
            return Err(CommandError::Syntax);
        }
        if self.only_new && self.only_present {
            return Err(CommandError::Text("ERR XX and NX options at the same time are not compatible"));
        }
        if u8::from(self.only_new) + u8::from(self.only_greater) + u8::from(self.only_less) > 1 {
            return Err(CommandError::Text("ERR GT, LT, and/or NX options at the same time are not compatible"));
        }
        if self.increment && pairs.len() > 2 {
            return Err(CommandError::Text("ERR INCR option supports a single increment-element pair"));
        }
        Ok(())
    }

    /// Gives `member` its score where the rules allow it: what became of it, and the score, before the set has stored
    /// it. `None` when the rules forbid.
    fn apply(
        &self,
        set: &mut SortedSet,
        member: &[u8],
        score: f64,
        limits: &EncodingLimits,
    ) -> Result<Option<(Inserted, f64)>, CommandError> {
        let Some(old) = set.score(member) else {
            return Ok((!self.only_present).then(|| (set.insert(member, score, limits), score)));
        };
        if self.only_new {
            return Ok(None);
        }
        let score = if self.increment { old + score } else { score };
        if score.is_nan() {
            return Err(CommandError::Text("ERR resulting score is not a number (NaN)"));
        }
        if (self.only_less && score >= old) || (self.only_greater && score <= old) {
            return Ok(None);
        }
        let inserted = if score == old { Inserted::Unchanged } else { set.insert(member, score, limits) };
        Ok(Some((inserted, score)))
    }
}

fn add(cx: &mut Cx<'_>, increment: bool, out: &mut dyn Sink) -> Outcome {
    let key = cx.args[1];
    let (rules, pairs) = Rules::parse(increment, &cx.args[2..]);
    rules.check(pairs)?;
    let scores: SmallVec<[f64; 4]> =
        pairs.iter().step_by(2).map(|score| args::float(score)).collect::<Result<_, _>>()?;
    let set = if rules.only_present {
        cx.keys.write_as::<SortedSet>(key)?
    } else {
        Some(cx.keys.write_or_create::<SortedSet>(key)?)
    };
    let (mut added, mut updated, mut last) = (0, 0, None);
    if let Some(set) = set {
        for (pair, score) in pairs.chunks_exact(2).zip(scores) {
            last = rules.apply(set, pair[1], score, cx.limits)?;
            match last {
                Some((Inserted::Added, _)) => added += 1,
                Some((Inserted::Updated, _)) => updated += 1,
                Some((Inserted::Unchanged, _)) | None => {}
            }
        }
    }
    if added + updated > 0 {
        cx.keys.changed_by(key, Some(event(if rules.increment { "zincr" } else { "zadd" })), added + updated);
    }
    match last {
        Some((_, score)) if rules.increment => out.double(score),
        None if rules.increment => out.nil(),
        _ => out.int((if rules.count_updates { added + updated } else { added }) as i64),
    }
    Ok(())
}

pub(super) const ZREM: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::DELETE)),
        since: "1.2.0",
        summary: "Takes members out of a sorted set; answers how many were in.",
        complexity: "O(M*log(N)) with N being the number of elements in the sorted set and M the number of elements \
                     to be removed.",
        syntax: "key member [member ...]",
        ..Spec::new("zrem", -3, Group::SortedSet, Flags::WRITE.union(Flags::FAST))
    },
    |cx, out| {
        let members = &cx.args[2..];
        remove(cx, "zrem", out, |set| members.iter().filter(|member| set.remove(member)).count())
    },
);

pub(super) const ZREMRANGEBYRANK: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::DELETE)),
        since: "2.0.0",
        summary: "Takes the members between two ranks out; answers how many.",
        complexity: REMOVE_RANGE_COST,
        syntax: "key start stop",
        ..Spec::new("zremrangebyrank", 4, Group::SortedSet, Flags::WRITE)
    },
    |cx, out| remove_range(cx, By::Rank, "zremrangebyrank", out),
);

pub(super) const ZREMRANGEBYSCORE: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::DELETE)),
        since: "1.2.0",
        summary: "Takes the members between two scores out; answers how many.",
        complexity: REMOVE_RANGE_COST,
        syntax: "key min max",
        ..Spec::new("zremrangebyscore", 4, Group::SortedSet, Flags::WRITE)
    },
    |cx, out| remove_range(cx, By::Score, "zremrangebyscore", out),
);

pub(super) const ZREMRANGEBYLEX: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::DELETE)),
        since: "2.8.9",
        summary: "Takes the members between two strings out, given that all have one score; answers how many.",
        complexity: REMOVE_RANGE_COST,
        syntax: "key min max",
        ..Spec::new("zremrangebylex", 4, Group::SortedSet, Flags::WRITE)
    },
    |cx, out| remove_range(cx, By::Lex, "zremrangebylex", out),
);

fn remove_range(cx: &mut Cx<'_>, by: By, told: &'static str, out: &mut dyn Sink) -> Outcome {
    let span = Span::parse(by, cx.args[2], cx.args[3])?;
    remove(cx, told, out, |set| set.remove_range(span.within(set, false)))
}

fn remove(
    cx: &mut Cx<'_>,
    told: &'static str,
    out: &mut dyn Sink,
    remove: impl FnOnce(&mut SortedSet) -> usize,
) -> Outcome {
    let key = cx.args[1];
    let removed = cx.keys.write_as::<SortedSet>(key)?.map_or(0, remove);
    if removed > 0 {
        cx.keys.changed_by(key, Some(event(told)), removed as u64);
        cx.keys.remove_if_empty(key);
    }
    out.int(removed as i64);
    Ok(())
}
