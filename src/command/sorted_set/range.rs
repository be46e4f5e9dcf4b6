//! Ranges, answered or stored: ZRANGE with all its options, and the older commands that each fix some of them.

use super::span::{By, Span};
use super::{READ, event, key, say_entries};
use crate::command::set::store;
use crate::command::{Access, Command, CommandError, Cx, DataCommand, Flags, Group, KeySpec, Outcome, Spec, args};
use crate::reply::Sink;
use crate::request::Argv;
use crate::value::{EncodingLimits, SortedSet, Value};
use std::ops::Range;

const RANK_COST: &str = "O(log(N)+M) with N being the number of elements in the sorted set and M the number of \
                         elements returned.";
const LIMITED_COST: &str = "O(log(N)+M) with N being the number of elements in the sorted set and M the number of \
                            elements \
                            being returned. If M is constant (e.g. always asking for the first 10 elements with LIMIT), \
                            you can consider it O(log(N)).";

/// What a command fixes; what it leaves open its options choose.
#[derive(Clone, Copy)]
struct Fixed {
    by: Option<By>,
    reverse: Option<bool>,
    stores: bool,
}

/// A range with its options.
struct Query<'a> {
    span: Span<'a>,
    reverse: bool,
    /// Negative: nothing is in range.
    offset: i64,
    /// Negative: no limit.
    limit: i64,
    with_scores: bool,
}

impl<'a> Query<'a> {
    /// Reads the two ends and the options behind them.
    fn parse(words: Argv<'a>, fixed: Fixed) -> Result<Self, CommandError> {
        let [first, second, options @ ..] = words else {
            return Err(CommandError::Syntax);
        };
        let mut options = options;
        let (mut by, mut reverse) = (fixed.by, fixed.reverse);
        let (mut offset, mut limit, mut with_scores) = (0, -1, false);
        while let [word, rest @ ..] = options {
            options = rest;
            match (*word, rest) {
                (word, _) if !fixed.stores && args::is(word, "WITHSCORES") => with_scores = true,
                (word, [skip, most, rest @ ..]) if args::is(word, "LIMIT") => {
                    (offset, limit) = (args::int(skip)?, args::int(most)?);
                    options = rest;
                }
                (word, _) if reverse.is_none() && args::is(word, "REV") => reverse = Some(true),
                (word, _) if by.is_none() && args::is(word, "BYLEX") => by = Some(By::Lex),
                (word, _) if by.is_none() && args::is(word, "BYSCORE") => by = Some(By::Score),
                _ => return Err(CommandError::Syntax),
            }
        }
        let (by, reverse) = (by.unwrap_or(By::Rank), reverse.unwrap_or(false));
        if limit != -1 && by == By::Rank {
            return Err(CommandError::Text(
                "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX",
            ));
        }
        if with_scores && by == By::Lex {
            return Err(CommandError::Text("ERR syntax error, WITHSCORES not supported in combination with BYLEX"));
        }
        let (min, max) = if reverse && by != By::Rank { (second, first) } else { (first, second) };
        let (offset, limit) = if by == By::Rank { (0, -1) } else { (offset, limit) };
        Ok(Self { span: Span::parse(by, min, max)?, reverse, offset, limit, with_scores })
    }

    /// The ranks that are in range and within the limit.
    fn select(&self, set: &SortedSet) -> Range<usize> {
        let Range { start, end } = self.span.within(set, self.reverse);
        let len = end - start;
        let skipped = usize::try_from(self.offset).map_or(len, |offset| offset.min(len));
        let taken = usize::try_from(self.limit).map_or(len - skipped, |limit| limit.min(len - skipped));
        if self.reverse { end - skipped - taken..end - skipped } else { start + skipped..start + skipped + taken }
    }
}

fn range(cx: &mut Cx<'_>, fixed: Fixed, out: &mut dyn Sink) -> Outcome {
    let query = Query::parse(&cx.args[2..], fixed)?;
    let Some(set) = cx.keys.read_as::<SortedSet>(cx.args[1])? else {
        out.array(0);
        return Ok(());
    };
    let entries = set.range(query.select(set));
    if query.reverse {
        say_entries(entries.rev(), query.with_scores, out);
    } else {
        say_entries(entries, query.with_scores, out);
    }
    Ok(())
}

pub(super) const ZRANGE: DataCommand = Command::new(
    Spec {
        keys: &key(READ),
        since: "1.2.0",
        summary: "Answers the members in a range of ranks, scores or strings, from either end.",
        complexity: RANK_COST,
        syntax: "key start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES]",
        ..Spec::new("zrange", -4, Group::SortedSet, Flags::READONLY)
    },
    |cx, out| range(cx, Fixed { by: None, reverse: None, stores: false }, out),
);

pub(super) const ZREVRANGE: DataCommand = Command::new(
    Spec {
        keys: &key(READ),
        since: "1.2.0",
        summary: "Answers the members between two ranks, both counted from the highest score.",
        complexity: RANK_COST,
        syntax: "key start stop [WITHSCORES]",
        ..Spec::new("zrevrange", -4, Group::SortedSet, Flags::READONLY)
    },
    |cx, out| range(cx, Fixed { by: Some(By::Rank), reverse: Some(true), stores: false }, out),
);

pub(super) const ZRANGEBYSCORE: DataCommand = Command::new(
    Spec {
        keys: &key(READ),
        since: "1.0.5",
        summary: "Answers the members between two scores.",
        complexity: LIMITED_COST,
        syntax: "key min max [WITHSCORES] [LIMIT offset count]",
        ..Spec::new("zrangebyscore", -4, Group::SortedSet, Flags::READONLY)
    },
    |cx, out| range(cx, Fixed { by: Some(By::Score), reverse: Some(false), stores: false }, out),
);

pub(super) const ZREVRANGEBYSCORE: DataCommand = Command::new(
    Spec {
        keys: &key(READ),
        since: "2.2.0",
        summary: "Answers the members between two scores, the highest first.",
        complexity: LIMITED_COST,
        syntax: "key max min [WITHSCORES] [LIMIT offset count]",
        ..Spec::new("zrevrangebyscore", -4, Group::SortedSet, Flags::READONLY)
    },
    |cx, out| range(cx, Fixed { by: Some(By::Score), reverse: Some(true), stores: false }, out),
);

pub(super) const ZRANGEBYLEX: DataCommand = Command::new(
    Spec {
        keys: &key(READ),
        since: "2.8.9",
        summary: "Answers the members between two strings, given that all have one score.",
        complexity: LIMITED_COST,
        syntax: "key min max [LIMIT offset count]",
        ..Spec::new("zrangebylex", -4, Group::SortedSet, Flags::READONLY)
    },
    |cx, out| range(cx, Fixed { by: Some(By::Lex), reverse: Some(false), stores: false }, out),
);

pub(super) const ZREVRANGEBYLEX: DataCommand = Command::new(
    Spec {
        keys: &key(READ),
        since: "2.8.9",
        summary: "Answers the members between two strings, the highest first, given that all have one score.",
        complexity: LIMITED_COST,
        syntax: "key max min [LIMIT offset count]",
        ..Spec::new("zrevrangebylex", -4, Group::SortedSet, Flags::READONLY)
    },
    |cx, out| range(cx, Fixed { by: Some(By::Lex), reverse: Some(true), stores: false }, out),
);

pub(super) const ZRANGESTORE: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, Access::OW.union(Access::UPDATE)), KeySpec::one(2, READ)],
        since: "6.2.0",
        summary: "Stores the members in a range with their scores; answers how many.",
        complexity: "O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements \
                     stored into the destination key.",
        syntax: "dst src min max [BYSCORE | BYLEX] [REV] [LIMIT offset count]",
        ..Spec::new("zrangestore", -5, Group::SortedSet, Flags::WRITE.union(Flags::DENYOOM))
    },
    zrangestore,
);

fn zrangestore(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let query = Query::parse(&cx.args[3..], Fixed { by: None, reverse: None, stores: true })?;
    let mut result = SortedSet::new();
    if let Some(set) = cx.keys.read_as::<SortedSet>(cx.args[2])? {
        let ranks = query.select(set);
        // Redis knows beforehand how long a range of ranks is, and starts a long one at full size, where zeros keep
        // their sign; a range of scores or strings grows into it.
        let starts_full = matches!(query.span, Span::Ranks(..)) && ranks.len() > cx.limits.zset_max_listpack_entries;
        let full = starts_full.then(|| EncodingLimits { zset_max_listpack_entries: 0, ..cx.limits.clone() });
        let limits = full.as_ref().unwrap_or(cx.limits);
        for (member, score) in set.range(ranks) {
            result.insert(member, score, limits);
        }
    }
    store(&mut cx.keys, cx.args[1], Value::SortedSet(result), event("zrangestore"), out);
    Ok(())
}
