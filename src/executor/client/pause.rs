//! CLIENT PAUSE and UNPAUSE. Who is held back is `executor/pause.rs`'s business.

use super::OTHERS;
use crate::command::{Command, CommandError, Group, Spec, args};
use crate::executor::commands::{Answer, ControlCommand, Flow, Turn};
use crate::executor::pause::Held;
use crate::number;
use crate::reply::Sink;

pub(super) const PAUSE: ControlCommand = Command::new(
    Spec {
        since: "2.9.50",
        summary: "Holds all requests of clients back for some milliseconds, or those that write.",
        syntax: "milliseconds [WRITE | ALL]",
        ..Spec::new("pause", -3, Group::Connection, OTHERS)
    },
    pause,
);

/// Redis 7.0.15: a pause of ALL holds CLIENT itself back, so only its end, or a transaction that was complete before,
/// gets through. No key expires meanwhile; one past its deadline reads as missing.
fn pause(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let held = match turn.args[3..] {
        [] => Held::All,
        [word] if args::is(word, "ALL") => Held::All,
        [word] if args::is(word, "WRITE") => Held::Writes,
        [_] => return Err(CommandError::Text("ERR CLIENT PAUSE mode must be WRITE or ALL")),
        _ => return Err(turn.subcommand_syntax()),
    };
    let ttl_ms =
        number::parse_int(turn.args[2]).ok_or(CommandError::Text("ERR timeout is not an integer or out of range"))?;
    if ttl_ms < 0 {
        return Err(CommandError::Text("ERR timeout is negative"));
    }
    let now = turn.ex.now;
    // A pause past the end of time is none (Redis 7.0.15).
    if let Some(until) = now.checked_add(ttl_ms) {
        turn.ex.local.pause.start(held, until, now);
        turn.ex.local.want_timer(until);
    }
    out.status("OK");
    Ok(Flow::Next)
}

pub(super) const UNPAUSE: ControlCommand = Command::new(
    Spec {
        since: "6.2.0",
        summary: "Ends a pause: what was held back runs.",
        complexity: "O(N) Where N is the number of paused clients",
        ..Spec::new("unpause", 2, Group::Connection, OTHERS)
    },
    |turn, out| {
        turn.ex.end_pause();
        // Keys whose deadlines passed meanwhile are due.
        let now = turn.ex.now;
        turn.ex.local.want_timer(now);
        out.status("OK");
        Ok(Flow::Next)
    },
);
