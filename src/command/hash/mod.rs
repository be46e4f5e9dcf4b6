//! Hashes: `write` changes fields, `read` looks at them, `pick` walks through them and draws from them.

mod pick;
mod read;
#[cfg(test)]
mod tests;
mod write;

use super::{Access, DataCommand, KeySpec};
use crate::event::EventClasses;
use crate::keyspace::Event;

pub(super) const COMMANDS: &[DataCommand] = &[
    write::HSET,
    write::HMSET,
    write::HSETNX,
    write::HDEL,
    write::HINCRBY,
    write::HINCRBYFLOAT,
    read::HGET,
    read::HMGET,
    read::HGETALL,
    read::HKEYS,
    read::HVALS,
    read::HLEN,
    read::HSTRLEN,
    read::HEXISTS,
    pick::HSCAN,
    pick::HRANDFIELD,
];

/// The hash is the first argument of every command here.
const fn key(access: Access) -> [KeySpec; 1] {
    [KeySpec::one(1, access)]
}

const fn event(name: &'static str) -> Event {
    Event::new(EventClasses::HASH, name)
}

/// What random clients send to this family.
#[cfg(test)]
pub(crate) const TEMPLATES: &[&str] = &[
    "HSET {key} {field} {value}",
    "HSET {key} {field} {value} {field} {value}",
    "HMSET {key} {field} {int}",
    "HSETNX {key} {field} {value}",
    "HDEL {key} {field}",
    "HDEL {key} {field} {field}",
    "HINCRBY {key} {field} {int}",
    "HINCRBYFLOAT {key} {field} {float}",
    "HGET {key} {field}",
    "HMGET {key} {field} {field}",
    "HGETALL {key}",
    "HKEYS {key}",
    "HVALS {key}",
    "HLEN {key}",
    "HSTRLEN {key} {field}",
    "HEXISTS {key} {field}",
    "HSCAN {key} 0 COUNT {count}",
    "HRANDFIELD {key}",
    "HRANDFIELD {key} {count} WITHVALUES",
];
