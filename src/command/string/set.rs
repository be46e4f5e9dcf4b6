//! SET and its older spellings, and the commands that read on the way. The hottest path of a lock server: SET allocates
//! nothing but the value, and a failed SET NX is one lookup.

use super::{WRITE, WRITE_FAST, event, say};
use crate::command::args::{self, TimeUnit, is};
use crate::command::{Access, Command, CommandError, Cx, DataCommand, Flags, Group, KeySpec, Outcome, Spec};
use crate::event::EventClasses;
use crate::keyspace::{Doors, Event, Keep, Mode};
use crate::reply::Sink;
use crate::time::Deadline;
use crate::value::{StringValue, Value};

const SET_EVENT: Event = event("set");
const EXPIRE_EVENT: Event = Event::new(EventClasses::GENERIC, "expire");
const PERSIST_EVENT: Event = Event::new(EventClasses::GENERIC, "persist");

pub(super) const SET: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, Access::RW.union(Access::ACCESS).union(Access::UPDATE).union(Access::VARIABLE_FLAGS))],
        summary: "Stores a string, on conditions and with a lifetime if asked to.",
        syntax: "key value [NX | XX | IFEQ value | IFNE value] [GET] [EX seconds | PX milliseconds | EXAT \
                 unix-time-seconds | PXAT unix-time-milliseconds | KEEPTTL]",
        ..Spec::new("set", -3, Group::String, WRITE)
    },
    set,
);

/// When SET stores. `Equal` and `Different` are IFEQ and IFNE of Redis 8.4 (IFEQ also of Valkey 8.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Condition<'a> {
    Always,
    Missing,
    Present,
    Equal(&'a [u8]),
    Different(&'a [u8]),
}

impl Condition<'_> {
    /// # Errors
    /// WRONGTYPE when a value is to be compared that is no string.
    fn holds(self, keys: &mut Doors<'_>, key: &[u8]) -> Result<bool, CommandError> {
        Ok(match self {
            Self::Always => true,
            Self::Missing => !keys.exists(key),
            Self::Present => keys.exists(key),
            Self::Equal(value) => equals(keys, key, value)? == Some(true),
            Self::Different(value) => equals(keys, key, value)? != Some(true),
        })
    }
}

/// Whether the string at `key` is `value`; `None` without the key.
fn equals(keys: &mut Doors<'_>, key: &[u8], value: &[u8]) -> Result<Option<bool>, CommandError> {
    Ok(keys.write_as::<StringValue>(key)?.map(|there| there.scalar() == *value))
}

struct Options<'a> {
    condition: Condition<'a>,
    answers_old: bool,
    keeps_deadline: bool,
    lifetime: Option<(TimeUnit, &'a [u8])>,
    wall: bool,
}

impl<'a> Options<'a> {
    /// Redis 7.0: a later time of the same unit replaces an earlier one, of another unit is an error.
    fn parse(argv: &[&'a [u8]], keys: &Doors<'_>) -> Result<Self, CommandError> {
        let mut options = Self {
            condition: Condition::Always,
            answers_old: false,
            keeps_deadline: false,
            lifetime: None,
            wall: false,
        };
        let mut rest = argv.iter().copied();
        while let Some(word) = rest.next() {
            if let Some(unit) = time_unit(word) {
                let time = rest.next().ok_or(CommandError::Syntax)?;
                if options.keeps_deadline || options.lifetime.is_some_and(|(other, _)| other != unit) {
                    return Err(CommandError::Syntax);
                }
                options.lifetime = Some((unit, time));
            } else if is(word, "get") {
                options.answers_old = true;
            } else if is(word, "keepttl") && options.lifetime.is_none() {
                options.keeps_deadline = true;
            } else if args::is_wall(word, keys) {
                options.wall = true;
            } else {
                options.add_condition(word, &mut rest)?;
            }
        }
        Ok(options)
    }

    fn add_condition(&mut self, word: &[u8], rest: &mut impl Iterator<Item = &'a [u8]>) -> Outcome {
        let condition = if is(word, "nx") {
            Condition::Missing
        } else if is(word, "xx") {
            Condition::Present
        } else if is(word, "ifeq") {
            Condition::Equal(rest.next().ok_or(CommandError::Syntax)?)
        } else if is(word, "ifne") {
            Condition::Different(rest.next().ok_or(CommandError::Syntax)?)
        } else {
            return Err(CommandError::Syntax);
        };
        let again = matches!(condition, Condition::Missing | Condition::Present) && self.condition == condition;
        if self.condition != Condition::Always && !again {
            return Err(CommandError::Syntax);
        }
        self.condition = condition;
        Ok(())
    }
}

fn time_unit(word: &[u8]) -> Option<TimeUnit> {
    match word.len() {
        2 if is(word, "px") => Some(TimeUnit::Millis),
        2 if is(word, "ex") => Some(TimeUnit::Seconds),
        4 if is(word, "pxat") => Some(TimeUnit::UnixMillis),
        4 if is(word, "exat") => Some(TimeUnit::UnixSeconds),
        _ => None,
    }
}

/// The deadline that an option of SET or GETEX, or an argument of SETEX, means.
fn deadline(keys: &Doors<'_>, unit: TimeUnit, time: &[u8], command: &'static str) -> Result<Deadline, CommandError> {
    let value = args::int(time)?;
    if value <= 0 && keys.trace.mode == Mode::Deciding {
        return Err(CommandError::InvalidExpire(command));
    }
    unit.deadline(value, keys, command)
}

fn set(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let (key, value) = (cx.args[1], cx.args[2]);
    let options = Options::parse(&cx.args[3..], &cx.keys)?;
    let keep = match options.lifetime {
        Some((unit, time)) => {
            let mut until = deadline(&cx.keys, unit, time, "set")?;
            until.wall |= options.wall;
            Keep::Until(until)
        }
        None if options.keeps_deadline => Keep::Deadline,
        None => Keep::Nothing,
    };
    if options.answers_old {
        say(cx.keys.read_as(key)?, out);
    }
    if !options.condition.holds(&mut cx.keys, key)? {
        if !options.answers_old {
            out.nil();
        }
        return Ok(());
    }
    store(&mut cx.keys, key, value, keep);
    if !options.answers_old {
        out.status("OK");
    }
    Ok(())
}

/// Stores with events `set` and `expire`; logged with the deadline, or else as it was sent.
fn store(keys: &mut Doors<'_>, key: &[u8], value: &[u8], keep: Keep) {
    keys.put(key, Value::String(StringValue::new(value)), keep);
    keys.changed(key, SET_EVENT);
    if let Keep::Until(until) = keep {
        keys.notify(key, EXPIRE_EVENT);
        args::log_until(keys, &[b"SET", key, value, b"PXAT"], until);
    }
}

pub(super) const SETNX: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, Access::OW.union(Access::INSERT))],
        summary: "Stores a string if the key is missing; answers whether it did.",
        syntax: "key value",
        ..Spec::new("setnx", 3, Group::String, WRITE_FAST)
    },
    setnx,
);

fn setnx(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let free = !cx.keys.exists(cx.args[1]);
    if free {
        store(&mut cx.keys, cx.args[1], cx.args[2], Keep::Nothing);
    }
    out.int(i64::from(free));
    Ok(())
}

pub(super) const SETEX: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, Access::OW.union(Access::UPDATE))],
        since: "2.0.0",
        summary: "Stores a string that lives for some seconds.",
        syntax: "key seconds value",
        ..Spec::new("setex", 4, Group::String, WRITE)
    },
    |cx, out| set_for(cx, out, TimeUnit::Seconds, "setex"),
);

pub(super) const PSETEX: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, Access::OW.union(Access::UPDATE))],
        since: "2.6.0",
        summary: "Stores a string that lives for some milliseconds.",
        syntax: "key milliseconds value",
        ..Spec::new("psetex", 4, Group::String, WRITE)
    },
    |cx, out| set_for(cx, out, TimeUnit::Millis, "psetex"),
);

fn set_for(cx: &mut Cx<'_>, out: &mut dyn Sink, unit: TimeUnit, command: &'static str) -> Outcome {
    let until = deadline(&cx.keys, unit, cx.args[2], command)?;
    store(&mut cx.keys, cx.args[1], cx.args[3], Keep::Until(until));
    out.status("OK");
    Ok(())
}

pub(super) const GETSET: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, Access::RW.union(Access::ACCESS).union(Access::UPDATE))],
        summary: "Stores a string and answers the one that was there.",
        syntax: "key value",
        ..Spec::new("getset", 3, Group::String, WRITE_FAST)
    },
    getset,
);

fn getset(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    say(cx.keys.read_as(cx.args[1])?, out);
    store(&mut cx.keys, cx.args[1], cx.args[2], Keep::Nothing);
    Ok(())
}

pub(super) const GETEX: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, Access::RW.union(Access::ACCESS).union(Access::UPDATE))],
        since: "6.2.0",
        summary: "Answers the string at the key and gives the key another lifetime.",
        syntax: "key [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | PERSIST]",
        ..Spec::new("getex", -2, Group::String, Flags::WRITE.union(Flags::FAST))
    },
    getex,
);

fn getex(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let (mut lifetime, mut persist) = (None, false);
    let mut rest = cx.args[2..].iter();
    while let Some(word) = rest.next() {
        match time_unit(word) {
            Some(unit) if !persist && lifetime.is_none_or(|(other, _)| other == unit) => {
                lifetime = Some((unit, *rest.next().ok_or(CommandError::Syntax)?));
            }
            None if is(word, "persist") && lifetime.is_none() => persist = true,
            _ => return Err(CommandError::Syntax),
        }
    }
    let key = cx.args[1];
    if cx.keys.read_as::<StringValue>(key)?.is_none() {
        out.nil();
        return Ok(());
    }
    let until = lifetime.map(|(unit, time)| deadline(&cx.keys, unit, time, "getex")).transpose()?;
    say(cx.keys.peek_as(key)?, out);
    match until {
        // Redis 7.0 checks only Unix times; a relative one cannot have passed.
        Some(until) if until.passed(cx.keys.now) => {
            cx.keys.delete(key);
            cx.keys.log(&[b"DEL", key]);
        }
        Some(until) => {
            cx.keys.set_deadline(key, until);
            cx.keys.changed(key, EXPIRE_EVENT);
            args::log_until(&mut cx.keys, &[b"PEXPIREAT", key], until);
        }
        None if persist && cx.keys.clear_deadline(key) => {
            cx.keys.changed(key, PERSIST_EVENT);
            cx.keys.log(&[b"PERSIST", key]);
        }
        None => {}
    }
    Ok(())
}

pub(super) const GETDEL: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, Access::RW.union(Access::ACCESS).union(Access::DELETE))],
        since: "6.2.0",
        summary: "Answers the string at the key and deletes it.",
        syntax: "key",
        ..Spec::new("getdel", 2, Group::String, Flags::WRITE.union(Flags::FAST))
    },
    getdel,
);

fn getdel(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let key = cx.args[1];
    say(cx.keys.read_as(key)?, out);
    if cx.keys.delete(key) {
        cx.keys.log(&[b"DEL", key]);
    }
    Ok(())
}

pub(super) const MSET: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::range(1, -1, 2, Access::OW.union(Access::UPDATE))],
        since: "1.0.1",
        summary: "Stores several strings.",
        complexity: "O(N) where N is the number of keys.",
        syntax: "key value [key value ...]",
        tips: &["request_policy:multi_shard", "response_policy:all_succeeded"],
        ..Spec::new("mset", -3, Group::String, WRITE)
    },
    mset,
);

fn mset(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    store_pairs(cx, &MSET.spec)?;
    out.status("OK");
    Ok(())
}

pub(super) const MSETNX: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::range(1, -1, 2, Access::OW.union(Access::INSERT))],
        since: "1.0.1",
        summary: "Stores several strings if none of the keys is there; answers whether it did.",
        complexity: "O(N) where N is the number of keys.",
        syntax: "key value [key value ...]",
        tips: &["request_policy:multi_shard", "response_policy:agg_min"],
        ..Spec::new("msetnx", -3, Group::String, WRITE)
    },
    msetnx,
);

fn msetnx(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let whole = cx.args.len() % 2 == 1;
    if whole && cx.args[1..].iter().step_by(2).any(|key| cx.keys.exists(key)) {
        out.int(0);
        return Ok(());
    }
    store_pairs(cx, &MSETNX.spec)?;
    out.int(1);
    Ok(())
}

fn store_pairs(cx: &mut Cx<'_>, spec: &Spec) -> Outcome {
    let (pairs, []) = cx.args[1..].as_chunks() else {
        return Err(args::arity(spec));
    };
    for [key, value] in pairs {
        store(&mut cx.keys, key, value, Keep::Nothing);
    }
    Ok(())
}
