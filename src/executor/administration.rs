//! The server itself: TIME, ROLE, REPLICAOF, LOLWUT, SHUTDOWN.
//!
//! Commands of persistence (SAVE, BGSAVE, LASTSAVE, BGREWRITEAOF) are not here: nothing is saved yet, and a client must
//! not be told otherwise.

use super::commands::{Answer, ControlCommand, Flow, Turn};
use crate::REDIS_VERSION;
use crate::command::{Categories, Command, CommandError, Flags, Group, Spec, args};
use crate::number;
use crate::reply::Sink;

pub(super) const COMMANDS: &[ControlCommand] = &[TIME, ROLE, REPLICAOF, SLAVEOF, LOLWUT, SHUTDOWN];

const TIME: ControlCommand = Command::new(
    Spec {
        since: "2.6.0",
        summary: "Tells the wall clock: Unix time in seconds, and the microseconds of the second.",
        tips: &["nondeterministic_output"],
        ..Spec::new("time", 1, Group::Server, Flags::LOADING.union(Flags::STALE).union(Flags::FAST))
    },
    time,
);

/// Moves on even inside a script (Redis 7.0).
fn time(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let wall_us = turn.ex.local.clock.wall_us();
    out.array(2);
    out.bulk(wall_us.div_euclid(1_000_000).to_string().as_bytes());
    out.bulk(wall_us.rem_euclid(1_000_000).to_string().as_bytes());
    Ok(Flow::Next)
}

const ROLE: ControlCommand = Command::new(
    Spec {
        since: "2.8.12",
        summary: "Tells that this server is a master, its replication offset, and who is sent its changes.",
        categories: Categories::ADMIN.union(Categories::DANGEROUS),
        ..Spec::new(
            "role",
            1,
            Group::Server,
            Flags::NOSCRIPT.union(Flags::LOADING).union(Flags::STALE).union(Flags::FAST),
        )
    },
    role,
);

fn role(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    out.array(3);
    out.bulk(b"master");
    out.int(turn.ex.journal_offset() as i64);
    let followers = turn.ex.local.followers.addresses();
    out.array(followers.len());
    for ip in followers {
        out.array(3);
        out.bulk(ip.as_bytes());
        out.bulk(b"0");
        out.bulk(turn.ex.journal_offset().to_string().as_bytes());
    }
    Ok(Flow::Next)
}

const REPLICAOF: ControlCommand = follow("replicaof", "5.0.0");
const SLAVEOF: ControlCommand = follow("slaveof", "1.0.0");

const fn follow(name: &'static str, since: &'static str) -> ControlCommand {
    Command::new(
        Spec {
            since,
            summary: "Accepts NO ONE; a server of this kind follows no other.",
            syntax: "<host port | NO ONE>",
            ..Spec::new(
                name,
                3,
                Group::Server,
                Flags::ADMIN.union(Flags::NOSCRIPT).union(Flags::STALE).union(Flags::NO_ASYNC_LOADING),
            )
        },
        replicaof,
    )
}

fn replicaof(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let (host, port) = (turn.args[1], turn.args[2]);
    if args::is(host, "NO") && args::is(port, "ONE") {
        out.status("OK");
        return Ok(Flow::Next);
    }
    if !number::parse_int(port).is_some_and(|port| (0..=65_535).contains(&port)) {
        return Err(CommandError::Text("ERR Invalid master port"));
    }
    Err(CommandError::Text("ERR Replication of another server is not supported"))
}

const LOLWUT: ControlCommand = Command::new(
    Spec {
        since: "5.0.0",
        summary: "Tells the version.",
        complexity: "",
        syntax: "[VERSION version]",
        ..Spec::new("lolwut", -1, Group::Server, Flags::READONLY.union(Flags::FAST))
    },
    lolwut,
);

fn lolwut(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    if let [_, word, version, ..] = turn.args
        && args::is(word, "VERSION")
    {
        args::int(version)?;
    }
    let text = format!("Redis ver. {REDIS_VERSION} (holdfast {})\n", env!("CARGO_PKG_VERSION"));
    out.verbatim("txt", text.as_bytes());
    Ok(Flow::Next)
}

const SHUTDOWN: ControlCommand = Command::new(
    Spec {
        summary: "Ends the server.",
        complexity: "O(N) when saving, where N is the total number of keys in all databases when saving data, \
                     otherwise O(1)",
        syntax: "[NOSAVE | SAVE] [NOW] [FORCE] [ABORT]",
        ..Spec::new(
            "shutdown",
            -1,
            Group::Server,
            Flags::ADMIN
                .union(Flags::NOSCRIPT)
                .union(Flags::LOADING)
                .union(Flags::STALE)
                .union(Flags::NO_MULTI)
                .union(Flags::ALLOW_BUSY),
        )
    },
    shutdown,
);

bitflags::bitflags! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    struct Ending: u8 {
        const NOSAVE = 1;
        const SAVE = 1 << 1;
        const NOW = 1 << 2;
        const FORCE = 1 << 3;
        const ABORT = 1 << 4;
    }
}

/// There is no reply: the connection closes.
fn shutdown(turn: &mut Turn<'_>, _: &mut dyn Sink) -> Answer {
    let mut ending = Ending::empty();
    for word in &turn.args[1..] {
        let word = String::from_utf8_lossy(word).to_ascii_uppercase();
        ending |= Ending::from_name(&word).ok_or(CommandError::Syntax)?;
    }
    let alone = !ending.contains(Ending::ABORT) || ending == Ending::ABORT;
    if !alone || ending.contains(Ending::SAVE | Ending::NOSAVE) {
        return Err(CommandError::Syntax);
    }
    if ending == Ending::ABORT {
        return Err(CommandError::Text("ERR No shutdown in progress."));
    }
    if ending.contains(Ending::SAVE) && !ending.contains(Ending::FORCE) && !turn.ex.journal.records() {
        // Whoever asks for SAVE counts on finding the data again.
        tracing::warn!("SHUTDOWN SAVE was refused: this server keeps no data on disk");
        return Err(CommandError::Text("ERR Errors trying to SHUTDOWN. Check logs."));
    }
    tracing::warn!("User requested shutdown...");
    turn.ex.shut_down(0);
    Ok(Flow::Close)
}

#[cfg(test)]
mod tests {
    use crate::transcript::check;

    #[test]
    fn the_server_tells_its_clock_and_its_role() {
        check(
            r#"
            advance 5
            A: TIME
            A= ["1700000000", "5000"]
            A: ROLE
            A= ["master", :0, []]
            A: REPLICAOF no ONE
            A= +OK
            A: SLAVEOF a 99999
            A= -ERR Invalid master port
            A: REPLICAOF a b
            A= -ERR Invalid master port
            A: REPLICAOF a 6379
            A= -ERR Replication of another server is not supported
            A: LOLWUT
            A~ "Redis ver. .*
            A: LOLWUT VERSION x
            A= -ERR value is not an integer or out of range
            "#,
        );
    }

    #[test]
    fn shutdown_checks_its_words_first() {
        check(
            r#"
            A: SHUTDOWN ABORT
            A= -ERR No shutdown in progress.
            A: SHUTDOWN FOO
            A= -ERR syntax error
            A: SHUTDOWN SAVE NOSAVE
            A= -ERR syntax error
            A: SHUTDOWN ABORT NOW
            A= -ERR syntax error
            A: SHUTDOWN SAVE
            A= -ERR Errors trying to SHUTDOWN. Check logs.
            A: MULTI
            A= +OK
            A: SHUTDOWN NOSAVE
            A= -ERR Command not allowed inside a transaction
            A: DISCARD
            A= +OK
            A: SHUTDOWN nosave Now
            A! nothing
            "#,
        );
    }
}
