//! ZRANDMEMBER and ZSCAN.

use super::{READ, announce, key, say_entries, say_entry};
use crate::command::scan::{self, ScanOptions};
use crate::command::{Command, Cx, DataCommand, Flags, Group, Outcome, Spec, args};
use crate::number;
use crate::reply::Sink;
use crate::value::SortedSet;
use rand::seq::index;

pub(super) const ZRANDMEMBER: DataCommand = Command::new(
    Spec {
        keys: &key(READ),
        since: "6.2.0",
        summary: "Answers random members: distinct ones, or with a negative count each drawn anew.",
        complexity: "O(N) where N is the number of elements returned",
        syntax: "key [count [WITHSCORES]]",
        tips: &["nondeterministic_output"],
        ..Spec::new("zrandmember", -2, Group::SortedSet, Flags::READONLY)
    },
    zrandmember,
);

fn zrandmember(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let Some(count) = cx.args.get(2) else {
        match cx.keys.read_as::<SortedSet>(cx.args[1])?.and_then(|set| set.random(cx.random)) {
            Some((member, _)) => out.bulk(member),
            None => out.nil(),
        }
        return Ok(());
    };
    let (count, with_scores) = args::drawn_count(count, &cx.args[3..], "WITHSCORES")?;
    let Some(set) = cx.keys.read_as::<SortedSet>(cx.args[1])?.filter(|_| count != 0) else {
        out.array(0);
        return Ok(());
    };
    let wanted = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    if count < 0 {
        announce(wanted, with_scores, out);
        for (member, score) in (0..wanted).filter_map(|_| set.random(cx.random)) {
            say_entry(member, score, with_scores, out);
        }
    } else if wanted >= set.len() {
        say_entries(set.iter(), with_scores, out);
    } else {
        announce(wanted, with_scores, out);
        for (member, score) in index::sample(cx.random, set.len(), wanted).iter().filter_map(|at| set.nth_unordered(at))
        {
            say_entry(member, score, with_scores, out);
        }
    }
    Ok(())
}

pub(super) const ZSCAN: DataCommand = Command::new(
    Spec {
        keys: &key(READ),
        since: "2.8.0",
        summary: "Walks through the members and scores of a sorted set in steps.",
        complexity: "O(1) for every call. O(N) for a complete iteration, including enough command calls for the cursor \
                     to return back to 0. N is the number of elements inside the collection..",
        syntax: "key cursor [MATCH pattern] [COUNT count]",
        tips: &["nondeterministic_output"],
        ..Spec::new("zscan", -3, Group::SortedSet, Flags::READONLY)
    },
    zscan,
);

fn zscan(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let cursor = scan::cursor(cx.args[2])?;
    let Some(set) = cx.keys.read_as::<SortedSet>(cx.args[1])? else {
        // Options go unread then (Redis 7.0).
        scan::say_step(0, &[], out);
        return Ok(());
    };
    let options = ScanOptions::parse(&cx.args[3..])?;
    let compact = set.encoding() == "listpack";
    let mut found = Vec::new();
    let next = set.scan(cursor, options.count, |member, score| {
        if options.wants(member) {
            found.extend([member.to_vec(), score_text(score, compact)]);
        }
    });
    scan::say_step(next, &found, out);
    Ok(())
}

/// A score as ZSCAN shows it: a string in RESP3 too, and of a `listpack` whole numbers in full, where other commands
/// say `1e+17` (Redis 7.0 shows what it has stored).
fn score_text(score: f64, compact: bool) -> Vec<u8> {
    /// Scores up to here are stored as integers if they are whole.
    const WHOLE_UP_TO: f64 = (1i64 << 62) as f64;
    if compact && score.abs() <= WHOLE_UP_TO && score.trunc() == score {
        (score as i64).to_string().into_bytes()
    } else {
        number::format_double(score).to_vec()
    }
}
