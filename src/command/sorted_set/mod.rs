//! Sorted sets. Here: the list of commands, and how members with scores are said. Commands are in `write.rs`,
//! `read.rs`, `range.rs`, `pop.rs`, `algebra.rs`, `pick.rs`; `span.rs` reads the ends of ranges.

mod algebra;
mod pick;
pub(crate) mod pop;
mod range;
mod read;
mod span;
#[cfg(test)]
mod tests;
mod write;

use super::{Access, DataCommand, Flags, KeySpec};
use crate::event::EventClasses;
use crate::keyspace::Event;
use crate::reply::Sink;

pub(super) const COMMANDS: &[DataCommand] = &[
    write::ZADD,
    write::ZINCRBY,
    write::ZREM,
    write::ZREMRANGEBYRANK,
    write::ZREMRANGEBYSCORE,
    write::ZREMRANGEBYLEX,
    read::ZCARD,
    read::ZSCORE,
    read::ZMSCORE,
    read::ZRANK,
    read::ZREVRANK,
    read::ZCOUNT,
    read::ZLEXCOUNT,
    range::ZRANGE,
    range::ZREVRANGE,
    range::ZRANGEBYSCORE,
    range::ZREVRANGEBYSCORE,
    range::ZRANGEBYLEX,
    range::ZREVRANGEBYLEX,
    range::ZRANGESTORE,
    pop::ZPOPMIN,
    pop::ZPOPMAX,
    pop::ZMPOP,
    algebra::ZUNION,
    algebra::ZINTER,
    algebra::ZDIFF,
    algebra::ZUNIONSTORE,
    algebra::ZINTERSTORE,
    algebra::ZDIFFSTORE,
    algebra::ZINTERCARD,
    pick::ZRANDMEMBER,
    pick::ZSCAN,
];

/// What random clients send to this family, its blocking commands included.
#[cfg(test)]
pub(crate) const TEMPLATES: &[&str] = &[
    "ZADD {key} {float} {value}",
    "ZADD {key} {float} {value} {int} {value} 0 {value}",
    "ZADD {key} XX GT CH {float} {value}",
    "ZADD {key} LT INCR {float} {value}",
    "ZADD {key} NX {float} {value}",
    "ZINCRBY {key} {float} {value}",
    "ZREM {key} {value} {value}",
    "ZREMRANGEBYRANK {key} {int} {int}",
    "ZREMRANGEBYRANK {key} 0 -1",
    "ZREMRANGEBYSCORE {key} {float} {float}",
    "ZREMRANGEBYLEX {key} [1 (x",
    "ZSCORE {key} {value}",
    "ZMSCORE {key} {value} {value}",
    "ZRANK {key} {value} WITHSCORE",
    "ZREVRANK {key} {value}",
    "ZCARD {key}",
    "ZCOUNT {key} {float} +inf",
    "ZLEXCOUNT {key} - [x",
    "ZRANGE {key} {int} {int} REV WITHSCORES",
    "ZRANGEBYSCORE {key} -inf {float} LIMIT {int} {count}",
    "ZREVRANGEBYLEX {key} + (1 LIMIT 0 {count}",
    "ZRANGESTORE {key} {key} {int} {int}",
    "ZRANGESTORE {key} {key} {float} -inf BYSCORE REV LIMIT 0 {count}",
    "ZPOPMIN {key}",
    "ZPOPMAX {key} {count}",
    "ZMPOP 2 {key} {key} MAX COUNT {count}",
    "ZUNION 2 {key} {key} WITHSCORES",
    "ZINTER 2 {key} {key} WEIGHTS {float} {float} AGGREGATE MAX",
    "ZDIFF 2 {key} {key}",
    "ZINTERCARD 2 {key} {key} LIMIT {count}",
    "ZUNIONSTORE {key} 2 {key} {key} WEIGHTS {float} {float}",
    "ZINTERSTORE {key} 3 {key} {key} {key} AGGREGATE MIN",
    "ZDIFFSTORE {key} 2 {key} {key}",
    "ZRANDMEMBER {key} {int} WITHSCORES",
    "ZSCAN {key} 0 COUNT {count}",
    "BZPOPMIN {key} {key} 0.001",
    "BZPOPMAX {key} {key} 0",
    "BZMPOP 0.002 2 {key} {key} MIN COUNT {count}",
];

const FAST_READ: Flags = Flags::READONLY.union(Flags::FAST);
const READ: Access = Access::RO.union(Access::ACCESS);

const fn key(access: Access) -> [KeySpec; 1] {
    [KeySpec::one(1, access)]
}

const fn event(name: &'static str) -> Event {
    Event::new(EventClasses::SORTED_SET, name)
}

/// Announces `count` members: with scores they are a flat list in RESP2 and a list of pairs in RESP3.
fn announce(count: usize, with_scores: bool, out: &mut dyn Sink) {
    let flat = with_scores && !out.resp3();
    out.array(if flat { count * 2 } else { count });
}

/// One of the members announced.
fn say_entry(member: &[u8], score: f64, with_scores: bool, out: &mut dyn Sink) {
    if with_scores && out.resp3() {
        out.array(2);
    }
    out.bulk(member);
    if with_scores {
        out.double(score);
    }
}

/// Members in order, as ranges and ZUNION answer them.
fn say_entries<'a>(entries: impl ExactSizeIterator<Item = (&'a [u8], f64)>, with_scores: bool, out: &mut dyn Sink) {
    announce(entries.len(), with_scores, out);
    entries.for_each(|(member, score)| say_entry(member, score, with_scores, out));
}
