//! CLIENT: connections seen and steered by others, and by themselves.
//!
//! CLIENT TRACKING, CACHING, GETREDIR and TRACKINGINFO are absent: there is no client-side caching, and an unknown
//! subcommand says so. Invariant: of the locks of a session (`shown`, `outbox`) at most one is held, and of one session
//! at a time.

mod kill;
mod list;
mod pause;

use super::commands::{Answer, ControlCommand, Flow, Turn};
use super::connection::check_name;
use crate::command::{Command, CommandError, Flags, Group, Spec, args};
use crate::reply::Sink;
use crate::session::{ReplyMode, Session, Signals};

pub(super) const COMMANDS: &[ControlCommand] = &[CLIENT];

const OWN: Flags = Flags::NOSCRIPT.union(Flags::LOADING).union(Flags::STALE);
const OTHERS: Flags = OWN.union(Flags::ADMIN);

const CLIENT: ControlCommand = Command {
    spec: Spec {
        since: "2.4.0",
        summary: "A container for commands on connections.",
        complexity: "Depends on subcommand.",
        ..Spec::new("client", -2, Group::Connection, Flags::empty())
    },
    run: |turn, _| Err(turn.unknown_subcommand()),
    subcommands: &[
        ID,
        list::INFO,
        list::LIST,
        kill::KILL,
        pause::PAUSE,
        pause::UNPAUSE,
        REPLY,
        SETNAME,
        GETNAME,
        SETINFO,
        NO_EVICT,
        NO_TOUCH,
        UNBLOCK,
        HELP,
    ],
};

const ID: ControlCommand = Command::new(
    Spec {
        since: "5.0.0",
        summary: "Answers the number of this connection.",
        ..Spec::new("id", 2, Group::Connection, OWN)
    },
    |turn, out| {
        out.int(turn.client.session.id as i64);
        Ok(Flow::Next)
    },
);

const REPLY: ControlCommand = Command::new(
    Spec {
        since: "3.2.0",
        summary: "Chooses whether this connection gets replies; SKIP drops the next one only.",
        syntax: "<ON | OFF | SKIP>",
        ..Spec::new("reply", 3, Group::Connection, OWN)
    },
    reply,
);

fn reply(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let mode = &mut turn.client.reply_mode;
    match turn.args[2] {
        word if args::is(word, "ON") => {
            *mode = ReplyMode::On;
            out.status("OK");
        }
        word if args::is(word, "OFF") => *mode = ReplyMode::Off,
        word if args::is(word, "SKIP") => {
            if *mode != ReplyMode::Off {
                *mode = ReplyMode::SkipNext;
            }
        }
        _ => return Err(CommandError::Syntax),
    }
    Ok(Flow::Next)
}

const SETNAME: ControlCommand = Command::new(
    Spec {
        since: "2.6.9",
        summary: "Names this connection; an empty name takes the name away.",
        syntax: "connection-name",
        ..Spec::new("setname", 3, Group::Connection, OWN)
    },
    |turn, out| {
        check_name(turn.args[2], "Client names")?;
        turn.client.session.shown.lock().name = turn.args[2].to_vec();
        out.status("OK");
        Ok(Flow::Next)
    },
);

const GETNAME: ControlCommand = Command::new(
    Spec {
        since: "2.6.9",
        summary: "Answers the name of this connection.",
        ..Spec::new("getname", 2, Group::Connection, OWN)
    },
    |turn, out| {
        let name = turn.client.session.shown.lock().name.clone();
        if name.is_empty() {
            out.nil()
        } else {
            out.bulk(&name)
        }
        Ok(Flow::Next)
    },
);

const SETINFO: ControlCommand = Command::new(
    Spec {
        since: "7.2.0",
        summary: "Tells which library uses this connection.",
        syntax: "<LIB-NAME libname | LIB-VER libver>",
        tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
        ..Spec::new("setinfo", 4, Group::Connection, OWN)
    },
    setinfo,
);

fn setinfo(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let (option, value) = (turn.args[2], turn.args[3]);
    let is_name = args::is(option, "lib-name");
    if !is_name && !args::is(option, "lib-ver") {
        return Err(CommandError::Owned(format!("ERR Unrecognized option '{}'", String::from_utf8_lossy(option))));
    }
    check_name(value, &String::from_utf8_lossy(option))?;
    let mut shown = turn.client.session.shown.lock();
    *(if is_name { &mut shown.lib_name } else { &mut shown.lib_ver }) = value.to_vec();
    out.status("OK");
    Ok(Flow::Next)
}

const NO_EVICT: ControlCommand = Command::new(
    Spec {
        since: "7.0.0",
        summary: "Protects this connection from being closed to free memory.",
        syntax: "<ON | OFF>",
        ..Spec::new("no-evict", 3, Group::Connection, OTHERS)
    },
    |turn, out| turn.switch(Signals::NO_EVICT, out).map(|_| Flow::Next),
);

const NO_TOUCH: ControlCommand = Command::new(
    Spec {
        since: "7.2.0",
        summary: "Lets the commands of this connection leave the idle time of keys alone.",
        syntax: "<ON | OFF>",
        ..Spec::new("no-touch", 3, Group::Connection, OWN)
    },
    |turn, out| {
        turn.client.no_touch = turn.switch(Signals::NO_TOUCH, out)?;
        Ok(Flow::Next)
    },
);

const UNBLOCK: ControlCommand = Command::new(
    Spec {
        since: "5.0.0",
        summary: "Ends the wait of another connection in a blocking command.",
        complexity: "O(log N) where N is the number of client connections",
        syntax: "client-id [TIMEOUT | ERROR]",
        ..Spec::new("unblock", -3, Group::Connection, OTHERS)
    },
    unblock,
);

fn unblock(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let with_error = match turn.args[3..] {
        [] => false,
        [word] if args::is(word, "TIMEOUT") => false,
        [word] if args::is(word, "ERROR") => true,
        [_] => return Err(CommandError::Text("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR")),
        _ => return Err(turn.subcommand_syntax()),
    };
    let id = args::int(turn.args[2])?;
    // A connection held back by a pause does not count as blocked; Redis 7.0.15 crashes on it.
    let ended = u64::try_from(id).is_ok_and(|id| turn.ex.unblock(id, with_error));
    out.int(i64::from(ended));
    Ok(Flow::Next)
}

const HELP: ControlCommand = Command::new(
    Spec {
        since: "5.0.0",
        summary: "Lists the subcommands.",
        ..Spec::new("help", 2, Group::Connection, Flags::LOADING.union(Flags::STALE))
    },
    |turn, out| turn.help(out),
);

impl Turn<'_> {
    /// Sets or clears a signal of the own session as the third word says; tells which.
    fn switch(&mut self, signal: Signals, out: &mut dyn Sink) -> Result<bool, CommandError> {
        let on = match self.args[2] {
            word if args::is(word, "ON") => true,
            word if args::is(word, "OFF") => false,
            _ => return Err(CommandError::Syntax),
        };
        self.client.session.mark(signal, on);
        out.status("OK");
        Ok(on)
    }
}

/// What TYPE of CLIENT LIST and KILL tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Normal,
    PubSub,
    /// There are none.
    Master,
    /// Those who get the stream of changes.
    Replica,
}

impl Class {
    fn parse(name: &[u8]) -> Result<Self, CommandError> {
        match &*name.to_ascii_lowercase() {
            b"normal" => Ok(Self::Normal),
            b"pubsub" => Ok(Self::PubSub),
            b"master" => Ok(Self::Master),
            b"slave" | b"replica" => Ok(Self::Replica),
            _ => Err(CommandError::Owned(format!("ERR Unknown client type '{}'", String::from_utf8_lossy(name)))),
        }
    }

    fn of(session: &Session) -> Self {
        if session.has(Signals::FOLLOWER) {
            Self::Replica
        } else if session.has(Signals::SUBSCRIBED) {
            Self::PubSub
        } else {
            Self::Normal
        }
    }
}

#[cfg(test)]
mod tests;
