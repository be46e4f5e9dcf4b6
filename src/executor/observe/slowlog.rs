//! The slow log: commands that took longer than `slowlog-log-slower-than`.

use super::redaction::redacted;
use crate::command::{Command, CommandError, Flags, Group, Spec};
use crate::executor::Executor;
use crate::executor::commands::{Answer, Context, ControlCommand, Flow, Row, Turn};
use crate::number;
use crate::reply::Sink;
use crate::request::Argv;
use crate::session::Client;
use std::collections::VecDeque;

pub(in crate::executor) const COMMANDS: &[ControlCommand] = &[SLOWLOG];

const FLAGS: Flags = Flags::ADMIN.union(Flags::LOADING).union(Flags::STALE);

const SLOWLOG: ControlCommand = Command {
    spec: Spec {
        since: "2.2.12",
        summary: "A container for commands on the log of slow commands.",
        complexity: "Depends on subcommand.",
        ..Spec::new("slowlog", -2, Group::Server, Flags::empty())
    },
    run: |turn, _| Err(turn.unknown_subcommand()),
    subcommands: &[
        Command::new(
            Spec {
                since: "2.2.12",
                summary: "Lists the newest slow commands: ten, or as many as asked for; -1 lists all.",
                complexity: "O(N) where N is the number of entries returned",
                syntax: "[count]",
                tips: &["request_policy:all_nodes", "nondeterministic_output"],
                ..Spec::new("get", -2, Group::Server, FLAGS)
            },
            list,
        ),
        Command::new(
            Spec {
                since: "2.2.12",
                summary: "Answers how many commands the log holds.",
                tips: &["request_policy:all_nodes", "response_policy:agg_sum", "nondeterministic_output"],
                ..Spec::new("len", 2, Group::Server, FLAGS)
            },
            |turn, out| {
                out.int(turn.ex.local.slowlog.entries.len() as i64);
                Ok(Flow::Next)
            },
        ),
        Command::new(
            Spec {
                since: "2.2.12",
                summary: "Empties the log.",
                complexity: "O(N) where N is the number of entries in the slowlog",
                tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
                ..Spec::new("reset", 2, Group::Server, FLAGS)
            },
            |turn, out| {
                turn.ex.local.slowlog.entries.clear();
                out.status("OK");
                Ok(Flow::Next)
            },
        ),
        Command::new(
            Spec {
                since: "6.2.0",
                summary: "Lists the subcommands.",
                ..Spec::new("help", 2, Group::Server, Flags::LOADING.union(Flags::STALE))
            },
            |turn, out| turn.help(out),
        ),
    ],
};

fn list(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let count = match turn.args {
        [_, _] => 10,
        [_, _, arg] => number::parse_int(arg)
            .filter(|count| *count >= -1)
            .ok_or(CommandError::Text("ERR count should be greater than or equal to -1"))?,
        _ => return Err(turn.subcommand_syntax()),
    };
    let entries = &turn.ex.local.slowlog.entries;
    let count = usize::try_from(count).map_or(entries.len(), |count| count.min(entries.len()));
    out.array(count);
    for slow in entries.iter().take(count) {
        out.array(6);
        out.int(slow.id as i64);
        out.int(slow.at_s);
        out.int(slow.elapsed_us);
        out.array(slow.args.len());
        slow.args.iter().for_each(|arg| out.bulk(arg));
        out.bulk(slow.addr.as_bytes());
        out.bulk(&slow.name);
    }
    Ok(Flow::Next)
}

/// Redis 7.0 shows at most 32 arguments of at most 128 bytes.
const ARGS_MAX: usize = 32;
const ARG_BYTES_MAX: usize = 128;

/// One slow command.
#[derive(Debug)]
pub(crate) struct Slow {
    pub(crate) id: u64,
    /// Unix time in seconds.
    pub(crate) at_s: i64,
    pub(crate) elapsed_us: i64,
    pub(crate) args: Vec<Vec<u8>>,
    pub(crate) addr: String,
    pub(crate) name: Vec<u8>,
}

/// Newest first.
#[derive(Debug, Default)]
pub(crate) struct Slowlog {
    pub(crate) entries: VecDeque<Slow>,
    pub(crate) next_id: u64,
}

impl Executor {
    /// Keeps the command if it was slow. Redis 7.0.15: what EXEC and scripts call is kept, each on its own, a script
    /// also as a whole, EXEC never; nor is a command that blocked, or a refused one.
    pub(in crate::executor) fn note_slow(
        &mut self,
        client: &Client,
        row: &Row,
        argv: Argv<'_>,
        elapsed_us: i64,
        context: Context,
    ) {
        let threshold_us = self.local.config.slowlog_log_slower_than_us;
        if threshold_us < 0 || elapsed_us < threshold_us || row.is(Flags::SKIP_SLOWLOG) {
            return;
        }
        if row.spec.name == "quit" {
            return;
        }
        let (addr, name) = match context {
            // A script's own client has neither.
            Context::Script => ("?:0".to_owned(), Vec::new()),
            Context::Direct | Context::Exec => {
                let shown = client.session.shown.lock();
                (shown.addr.clone(), shown.name.clone())
            }
        };
        let log = &mut self.local.slowlog;
        log.entries.push_front(Slow {
            id: log.next_id,
            at_s: self.local.clock.wall_us() / 1_000_000,
            elapsed_us,
            args: shorten(&redacted(row, argv)),
            addr,
            name,
        });
        log.next_id += 1;
        log.entries.truncate(self.local.config.slowlog_max_len);
    }
}

fn shorten(argv: Argv<'_>) -> Vec<Vec<u8>> {
    let shown = if argv.len() > ARGS_MAX { ARGS_MAX - 1 } else { argv.len() };
    let mut args: Vec<Vec<u8>> = argv[..shown].iter().map(|arg| shorten_one(arg)).collect();
    if shown < argv.len() {
        args.push(format!("... ({} more arguments)", argv.len() - shown).into_bytes());
    }
    args
}

fn shorten_one(arg: &[u8]) -> Vec<u8> {
    if arg.len() <= ARG_BYTES_MAX {
        return arg.to_vec();
    }
    let mut short = arg[..ARG_BYTES_MAX].to_vec();
    short.extend_from_slice(format!("... ({} more bytes)", arg.len() - ARG_BYTES_MAX).as_bytes());
    short
}

#[cfg(test)]
mod tests {
    use crate::transcript::Stage;

    fn stage() -> Stage {
        let mut stage = Stage::new();
        let config = &mut stage.executor.local.config;
        config.set(&[(b"slowlog-log-slower-than", b"0")], true).expect("a known setting");
        stage
    }

    #[test]
    fn slow_commands_are_kept_newest_first() {
        stage().play(
            r#"
            A: HELLO 2 SETNAME n
            A~ [.*
            A: ECHO x
            A= "x"
            A: SLOWLOG GET 2
            A~ [[:1, :1700000000, :0, ["ECHO", "x"], "127.0.0.1:.*", "n"], [:0, .*, ["HELLO", "2", "SETNAME", "n"], .*]]
            A: SLOWLOG LEN
            A= :3
            A: SLOWLOG GET 0
            A= []
            A: SLOWLOG GET -2
            A= -ERR count should be greater than or equal to -1
            A: SLOWLOG GET x
            A= -ERR count should be greater than or equal to -1
            A: SLOWLOG GET 1 2
            A= -ERR unknown subcommand or wrong number of arguments for 'GET'. Try SLOWLOG HELP.
            A: SLOWLOG NOSUCH
            A= -ERR unknown subcommand 'NOSUCH'. Try SLOWLOG HELP.
            A: SLOWLOG RESET
            A= +OK
            A: SLOWLOG GET -1
            A~ [[:8, .*, ["SLOWLOG", "RESET"], .*]]
            "#,
        );
    }

    #[test]
    fn a_transaction_is_kept_by_its_commands() {
        stage().play(
            r#"
            A: MULTI
            A= +OK
            A: PING
            A= +QUEUED
            A: EXEC
            A= [+PONG]
            A: SLOWLOG GET
            A~ [[:1, .*, ["PING"], .*], [:0, .*, ["MULTI"], .*]]
            "#,
        );
    }

    #[test]
    fn secrets_are_hidden_and_long_requests_cut() {
        let mut stage = stage();
        stage.play("A: AUTH default secret\nA= +OK\nA: SLOWLOG GET");
        assert!(stage.next_reply("A").expect("a reply").contains(r#"["AUTH", "(redacted)", "(redacted)"]"#));
        let mut long = vec![b"ECHO".to_vec(), vec![b'x'; 200]];
        stage.send("A", long.clone());
        stage.next_reply("A");
        long[0] = b"WATCH".to_vec();
        long.extend((0..49).map(|n| n.to_string().into_bytes()));
        stage.send("A", long);
        stage.play("A= +OK\nA: SLOWLOG GET 2");
        let reply = stage.next_reply("A").expect("a reply");
        assert!(reply.contains(&format!("\"{}... (72 more bytes)\"", "x".repeat(128))), "{reply}");
        assert!(reply.contains("\"28\", \"... (20 more arguments)\""), "{reply}");
    }
}
