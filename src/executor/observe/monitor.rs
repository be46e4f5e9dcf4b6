//! MONITOR: every command, once it has run, to whoever asked.
//!
//! Redis 7.0.15: a command is shown after it ran, with the database that is selected then; a script before what it
//! calls; EXEC behind what was queued. Administration commands and refused requests are not shown.

use super::redaction::redacted;
use crate::command::{Command, CommandError, Flags, Group, Spec};
use crate::executor::commands::{Answer, Context, ControlCommand, Flow, Turn};
use crate::executor::{Executor, commands::Row};
use crate::reply::Sink;
use crate::request::Argv;
use crate::resp::quote;
use crate::session::{Client, Signals};
use std::sync::Arc;

pub(in crate::executor) const COMMANDS: &[ControlCommand] = &[MONITOR];

const MONITOR: ControlCommand = Command::new(
    Spec {
        summary: "Shows every command the server runs, until RESET or the end of the connection.",
        complexity: "O(1) for each command shown.",
        ..Spec::new(
            "monitor",
            1,
            Group::Server,
            Flags::ADMIN.union(Flags::NOSCRIPT).union(Flags::LOADING).union(Flags::STALE),
        )
    },
    monitor,
);

fn monitor(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    if turn.context != Context::Direct {
        return Err(CommandError::Text("ERR MONITOR isn't allowed for DENY BLOCKING client"));
    }
    let session = &turn.client.session;
    // Redis answers a second MONITOR with silence.
    if !session.has(Signals::MONITOR) {
        session.raise(Signals::MONITOR);
        turn.ex.local.monitors.push(Arc::clone(session));
        out.status("OK");
    }
    Ok(Flow::Next)
}

impl Executor {
    /// Shows the command to all monitors.
    pub(in crate::executor) fn feed_monitors(&mut self, client: &Client, row: &Row, argv: Argv<'_>, context: Context) {
        if self.local.monitors.is_empty() || row.is(Flags::ADMIN) || row.spec.name == "quit" {
            return;
        }
        let line = self.monitor_line(client, row, argv, context);
        let text = self.local.mail.write(false, |out| out.status(&line));
        for monitor in &self.local.monitors {
            if monitor.id == self.local.running {
                // To oneself it comes behind the reply.
                let lines = &mut self.local.self_lines;
                lines.extend_from_slice(format!("+{line}\r\n").as_bytes());
            } else {
                self.local.mail.address(monitor, text.clone());
            }
        }
    }

    fn monitor_line(&self, client: &Client, row: &Row, argv: Argv<'_>, context: Context) -> String {
        let wall_us = self.local.clock.wall_us();
        let source = match context {
            Context::Script => "lua".to_owned(),
            Context::Direct | Context::Exec => {
                let shown = client.session.shown.lock();
                if client.session.has(Signals::UNIX_SOCKET) {
                    format!("unix:{}", shown.laddr.trim_end_matches(":0"))
                } else {
                    shown.addr.clone()
                }
            }
        };
        let mut line = format!("{}.{:06} [{} {source}]", wall_us / 1_000_000, wall_us % 1_000_000, client.db);
        for arg in redacted(row, argv) {
            line.push(' ');
            quote(arg, &mut line);
        }
        line
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn commands_are_shown_once_they_ran() {
        crate::transcript::check(
            r#"
            M: MONITOR
            M= +OK
            A: SELECT 1
            A= +OK
            M~ +1700000000.000000 [1 127.0.0.1:.*] "SELECT" "1"
            A: ECHO "a\x00\xff\"\\\n\t x"
            A~ "a.*
            M~ +.*"ECHO" "a\x00\xff\"\\\n\t x"
            A: MULTI
            A= +OK
            M~ +.* "MULTI"
            A: PING
            A= +QUEUED
            A: MONITOR
            A= +QUEUED
            M! nothing
            A: EXEC
            A= [+PONG, -ERR MONITOR isn't allowed for DENY BLOCKING client]
            M~ +.* "PING"
            M~ +.* "EXEC"
            A: nosuch
            A~ -ERR unknown command.*
            A: ECHO
            A~ -ERR wrong number.*
            A: CLIENT LIST
            A~ "id=.*
            A: QUIT
            A= +OK
            M! nothing
            B: AUTH x
            B~ -ERR AUTH .*
            M~ +.* "AUTH" "(redacted)"
            B: HELLO 2 AUTH default x SETNAME n
            B~ [.*
            M~ +.* "HELLO" "2" "AUTH" "(redacted)" "(redacted)" "SETNAME" "n"
            "#,
        );
    }

    #[test]
    fn a_monitor_sees_itself_behind_the_reply_and_no_keys() {
        crate::transcript::check(
            r#"
            M: MONITOR
            M= +OK
            M: PING
            M= +PONG
            M~ +.* "PING"
            M: MONITOR
            M! nothing
            M: WATCH k
            M= +OK
            M~ +.* "WATCH" "k"
            M: PUBLISH c m
            M= -ERR Replica can't interact with the keyspace
            M! nothing
            A: CLIENT PAUSE 100 ALL
            A= +OK
            M: PING
            M= +PONG
            M~ +.* "PING"
            advance 100
            M: RESET
            M= +RESET
            A: PING
            A= +PONG
            M! nothing
            "#,
        );
    }
}
