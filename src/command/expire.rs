//! Lifetimes of keys: EXPIRE and kin, TTL and kin, PERSIST. Sees the keyspace and its arguments only.

use super::args::{self, TimeUnit, is};
use super::{Access, Command, CommandError, Cx, DataCommand, Flags, Group, KeySpec, Outcome, Spec};
use crate::event::EventClasses;
use crate::keyspace::{Event, Mode};
use crate::reply::Sink;
use crate::time::Deadline;

pub(super) const COMMANDS: &[DataCommand] =
    &[EXPIRE, PEXPIRE, EXPIREAT, PEXPIREAT, TTL, PTTL, EXPIRETIME, PEXPIRETIME, PERSIST];

const WRITTEN: &[KeySpec] = &[KeySpec::one(1, Access::RW.union(Access::UPDATE))];
const READ: &[KeySpec] = &[KeySpec::one(1, Access::RO.union(Access::ACCESS))];

const fn setter(name: &'static str) -> Spec {
    Spec { keys: WRITTEN, ..Spec::new(name, -3, Group::Generic, Flags::WRITE.union(Flags::FAST)) }
}

const EXPIRE: DataCommand = Command::new(
    Spec {
        summary: "Gives a key a lifetime in seconds.",
        syntax: "key seconds [NX | XX | GT | LT]",
        ..setter("expire")
    },
    |cx, out| expire(cx, out, TimeUnit::Seconds, "expire"),
);

const PEXPIRE: DataCommand = Command::new(
    Spec {
        since: "2.6.0",
        summary: "Gives a key a lifetime in milliseconds.",
        syntax: "key milliseconds [NX | XX | GT | LT]",
        ..setter("pexpire")
    },
    |cx, out| expire(cx, out, TimeUnit::Millis, "pexpire"),
);

const EXPIREAT: DataCommand = Command::new(
    Spec {
        since: "1.2.0",
        summary: "Lets a key live until a Unix time in seconds.",
        syntax: "key unix-time-seconds [NX | XX | GT | LT]",
        ..setter("expireat")
    },
    |cx, out| expire(cx, out, TimeUnit::UnixSeconds, "expireat"),
);

const PEXPIREAT: DataCommand = Command::new(
    Spec {
        since: "2.6.0",
        summary: "Lets a key live until a Unix time in milliseconds.",
        syntax: "key unix-time-milliseconds [NX | XX | GT | LT]",
        ..setter("pexpireat")
    },
    |cx, out| expire(cx, out, TimeUnit::UnixMillis, "pexpireat"),
);

/// When a lifetime is set.
#[derive(Debug, Clone, Copy, Default)]
struct Conditions {
    persistent: bool,
    volatile: bool,
    later: bool,
    sooner: bool,
    /// The deadline that an entry logs was given as Unix time.
    wall: bool,
}

impl Conditions {
    fn parse(words: &[&[u8]], applying: bool) -> Result<Self, CommandError> {
        let mut all = Self::default();
        for word in words {
            match word {
                word if is(word, "nx") => all.persistent = true,
                word if is(word, "xx") => all.volatile = true,
                word if is(word, "gt") => all.later = true,
                word if is(word, "lt") => all.sooner = true,
                [b'W', b'A', b'L', b'L'] if applying => all.wall = true,
                _ => {
                    let word = String::from_utf8_lossy(word);
                    return Err(CommandError::Owned(format!("ERR Unsupported option {word}")));
                }
            }
        }
        if all.persistent && (all.volatile || all.later || all.sooner) {
            const CLASH: &str = "ERR NX and XX, GT or LT options at the same time are not compatible";
            return Err(CommandError::Text(CLASH));
        }
        if all.later && all.sooner {
            return Err(CommandError::Text("ERR GT and LT options at the same time are not compatible"));
        }
        Ok(all)
    }

    /// Redis 7.0: for GT and LT a persistent key lives for ever.
    fn hold(self, old: Option<Deadline>, new: Deadline) -> bool {
        let refused = match old {
            None => self.volatile || self.later,
            Some(old) => self.persistent || self.later && new.at <= old.at || self.sooner && new.at >= old.at,
        };
        !refused
    }
}

/// A deadline that has passed already deletes the key, with event `del`.
fn expire(cx: &mut Cx<'_>, out: &mut dyn Sink, unit: TimeUnit, command: &'static str) -> Outcome {
    const SET: Event = Event::new(EventClasses::GENERIC, "expire");
    let key = cx.args[1];
    let deciding = cx.keys.trace.mode == Mode::Deciding;
    let conditions = Conditions::parse(&cx.args[3..], !deciding)?;
    let mut deadline = unit.deadline(args::int(cx.args[2])?, &cx.keys, command)?;
    deadline.wall |= conditions.wall;
    let Some(old) = cx.keys.deadline(key).filter(|old| conditions.hold(*old, deadline)) else {
        out.int(0);
        return Ok(());
    };
    debug_assert!(old.is_none_or(|old| !deciding || !old.passed(cx.keys.now)));
    if deciding && deadline.passed(cx.keys.now) {
        cx.keys.delete(key);
        cx.keys.log(&[b"DEL", key]);
    } else {
        cx.keys.set_deadline(key, deadline);
        cx.keys.changed(key, SET);
        args::log_until(&mut cx.keys, &[b"PEXPIREAT", key], deadline);
    }
    out.int(1);
    Ok(())
}

const fn getter(name: &'static str, since: &'static str, summary: &'static str) -> Spec {
    Spec {
        keys: READ,
        since,
        summary,
        syntax: "key",
        ..Spec::new(name, 2, Group::Generic, Flags::READONLY.union(Flags::FAST))
    }
}

const TTL: DataCommand = Command::new(
    Spec {
        tips: &["nondeterministic_output"],
        ..getter("ttl", "1.0.0", "Answers how many seconds a key has left; -1 if it is persistent, -2 if missing.")
    },
    |cx, out| tell(cx, out, |cx, deadline| seconds(remaining_ms(cx, deadline))),
);

const PTTL: DataCommand = Command::new(
    Spec {
        tips: &["nondeterministic_output"],
        ..getter(
            "pttl",
            "2.6.0",
            "Answers how many milliseconds a key has left; -1 if it is persistent, -2 if missing.",
        )
    },
    |cx, out| tell(cx, out, remaining_ms),
);

const EXPIRETIME: DataCommand = Command::new(
    getter("expiretime", "7.0.0", "Answers the Unix time in seconds at which a key ends; -1 if never, -2 if missing."),
    |cx, out| tell(cx, out, |cx, deadline| seconds(cx.keys.state.wall_ms(deadline))),
);

const PEXPIRETIME: DataCommand = Command::new(
    getter(
        "pexpiretime",
        "7.0.0",
        "Answers the Unix time in milliseconds at which a key ends; -1 if never, -2 if missing.",
    ),
    |cx, out| tell(cx, out, |cx, deadline| cx.keys.state.wall_ms(deadline)),
);

fn tell(cx: &mut Cx<'_>, out: &mut dyn Sink, number: fn(&Cx<'_>, Deadline) -> i64) -> Outcome {
    let deadline = cx.keys.look(cx.args[1]).map(|(_, deadline)| deadline);
    out.int(match deadline {
        None => -2,
        Some(None) => -1,
        Some(Some(deadline)) => number(cx, deadline),
    });
    Ok(())
}

fn remaining_ms(cx: &Cx<'_>, deadline: Deadline) -> i64 {
    deadline.at.since(cx.keys.now).max(0)
}

/// Redis 7.0 rounds to the nearest second.
fn seconds(ms: i64) -> i64 {
    ((i128::from(ms) + 500) / 1000) as i64
}

const PERSIST: DataCommand = Command::new(
    Spec {
        keys: WRITTEN,
        since: "2.2.0",
        summary: "Takes a key's lifetime away, so that it stays.",
        syntax: "key",
        ..Spec::new("persist", 2, Group::Generic, Flags::WRITE.union(Flags::FAST))
    },
    persist,
);

fn persist(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let cleared = cx.keys.clear_deadline(cx.args[1]);
    if cleared {
        cx.keys.changed(cx.args[1], Event::new(EventClasses::GENERIC, "persist"));
    }
    out.int(i64::from(cleared));
    Ok(())
}

#[cfg(test)]
mod tests;
