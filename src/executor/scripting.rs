//! EVAL and kin, SCRIPT.
//!
//! A script runs as one command: what it calls goes through the same `call`, its effects make one journal entry, its
//! messages and wake-ups leave after it has ended. What it wrote before it failed stays and is logged.

use super::Executor;
use super::commands::{Answer, Context, ControlCommand, Flow, Row, Turn};
use super::desk::Running;
use crate::command::{Access, Command, CommandError, Flags, Group, KeySpec, Spec};
use crate::number;
use crate::reply::Sink;
use crate::request::Argv;
use crate::script::{self, Host, Interrupt, LogLevel, Script, Sha, Vm};
use crate::session::Client;

pub(super) const COMMANDS: &[ControlCommand] = &[EVAL, EVALSHA, EVAL_RO, EVALSHA_RO, SCRIPT];

const RUNNING: Flags = Flags::NOSCRIPT
    .union(Flags::STALE)
    .union(Flags::SKIP_MONITOR)
    .union(Flags::NO_MANDATORY_KEYS)
    .union(Flags::MOVABLEKEYS);

const KEYS: &[KeySpec] = &[KeySpec::counted(2, Access::RW.union(Access::ACCESS).union(Access::UPDATE))];
const KEYS_RO: &[KeySpec] = &[KeySpec::counted(2, Access::RO.union(Access::ACCESS))];
const COST: &str = "Depends on the script that is executed.";

const EVAL: ControlCommand = Command::new(
    Spec {
        keys: KEYS,
        since: "2.6.0",
        summary: "Runs a Lua script.",
        complexity: COST,
        syntax: "script numkeys [key [key ...]] [arg [arg ...]]",
        ..Spec::new("eval", -3, Group::Scripting, RUNNING.union(Flags::MAY_REPLICATE))
    },
    |turn, out| turn.eval(false, out),
);

const EVALSHA: ControlCommand = Command::new(
    Spec {
        keys: KEYS,
        since: "2.6.0",
        summary: "Runs a Lua script that the server knows by its SHA1.",
        complexity: COST,
        syntax: "sha1 numkeys [key [key ...]] [arg [arg ...]]",
        ..Spec::new("evalsha", -3, Group::Scripting, RUNNING.union(Flags::MAY_REPLICATE))
    },
    |turn, out| turn.evalsha(false, out),
);

const EVAL_RO: ControlCommand = Command::new(
    Spec {
        keys: KEYS_RO,
        since: "7.0.0",
        summary: "Runs a Lua script that must not write.",
        complexity: COST,
        syntax: "script numkeys key [key ...] arg [arg ...]",
        ..Spec::new("eval_ro", -3, Group::Scripting, RUNNING.union(Flags::READONLY))
    },
    |turn, out| turn.eval(true, out),
);

const EVALSHA_RO: ControlCommand = Command::new(
    Spec {
        keys: KEYS_RO,
        since: "7.0.0",
        summary: "Runs a Lua script that the server knows by its SHA1 and that must not write.",
        complexity: COST,
        syntax: "sha1 numkeys key [key ...] arg [arg ...]",
        ..Spec::new("evalsha_ro", -3, Group::Scripting, RUNNING.union(Flags::READONLY))
    },
    |turn, out| turn.evalsha(true, out),
);

const ON_ALL_NODES: &[&str] = &["request_policy:all_nodes", "response_policy:all_succeeded"];

const SCRIPT: ControlCommand = Command {
    spec: Spec {
        since: "2.6.0",
        summary: "A container for commands about scripts.",
        complexity: "Depends on subcommand.",
        ..Spec::new("script", -2, Group::Scripting, Flags::empty())
    },
    run: |turn, _| Err(turn.unknown_subcommand()),
    subcommands: &[
        Command::new(
            Spec {
                since: "2.6.0",
                summary: "Keeps a script and answers its SHA1.",
                complexity: "O(N) with N being the length in bytes of the script body.",
                syntax: "script",
                tips: ON_ALL_NODES,
                ..Spec::new("load", 3, Group::Scripting, Flags::NOSCRIPT.union(Flags::STALE))
            },
            load,
        ),
        Command::new(
            Spec {
                since: "2.6.0",
                summary: "Answers for each SHA1 whether the server knows that script.",
                complexity: "O(N) with N being the number of scripts to check (so checking a single script is an O(1) \
                             operation).",
                syntax: "sha1 [sha1 ...]",
                tips: &["request_policy:all_shards", "response_policy:agg_logical_and"],
                ..Spec::new("exists", -3, Group::Scripting, Flags::NOSCRIPT)
            },
            exists,
        ),
        Command::new(
            Spec {
                since: "2.6.0",
                summary: "Forgets all scripts.",
                complexity: "O(N) with N being the number of scripts in cache",
                syntax: "[ASYNC | SYNC]",
                tips: ON_ALL_NODES,
                ..Spec::new("flush", -2, Group::Scripting, Flags::NOSCRIPT)
            },
            flush,
        ),
        Command::new(
            Spec {
                since: "2.6.0",
                summary: "Ends the script that runs, unless it has written.",
                tips: &["request_policy:all_shards", "response_policy:one_succeeded"],
                ..Spec::new("kill", 2, Group::Scripting, Flags::NOSCRIPT.union(Flags::ALLOW_BUSY))
            },
            |turn, _| {
                // Reached only while no script runs: otherwise the desk answers.
                turn.ex.local.desk.kill(false)?;
                Ok(Flow::Next)
            },
        ),
        Command::new(
            Spec {
                since: "3.2.0",
                summary: "Turns the script debugger off; holdfast has none to turn on.",
                syntax: "<YES | SYNC | NO>",
                ..Spec::new("debug", 3, Group::Scripting, Flags::NOSCRIPT)
            },
            debug,
        ),
        Command::new(
            Spec {
                since: "5.0.0",
                summary: "Lists the subcommands.",
                ..Spec::new("help", 2, Group::Scripting, Flags::LOADING.union(Flags::STALE))
            },
            |turn, out| turn.help(out),
        ),
    ],
};

fn load(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let script = turn.ex.vm().load(turn.args[2], true).map_err(text)?;
    out.bulk(&script.sha.0);
    Ok(Flow::Next)
}

fn exists(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let shas = &turn.args[2..];
    out.array(shas.len());
    for sha in shas {
        let known = Sha::parse(sha).is_some_and(|sha| turn.ex.vm().contains(&sha));
        out.int(i64::from(known));
    }
    Ok(Flow::Next)
}

fn flush(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    match turn.args[2..] {
        [] => {}
        [mode] if mode.eq_ignore_ascii_case(b"ASYNC") || mode.eq_ignore_ascii_case(b"SYNC") => {}
        _ => return Err(CommandError::Text("ERR SCRIPT FLUSH only support SYNC|ASYNC option")),
    }
    turn.ex.vm().flush();
    out.status("OK");
    Ok(Flow::Next)
}

fn debug(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let mode = turn.args[2];
    if mode.eq_ignore_ascii_case(b"NO") {
        out.status("OK");
        return Ok(Flow::Next);
    }
    if mode.eq_ignore_ascii_case(b"YES") || mode.eq_ignore_ascii_case(b"SYNC") {
        return Err(CommandError::Text("ERR holdfast has no Lua debugger"));
    }
    Err(CommandError::Text("ERR Use SCRIPT DEBUG YES/SYNC/NO"))
}

const NO_SCRIPT: CommandError = CommandError::Text("NOSCRIPT No matching script. Please use EVAL.");

fn text(bytes: Vec<u8>) -> CommandError {
    CommandError::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// The keys and the other arguments behind `numkeys`.
fn split_keys(args: Argv<'_>) -> Result<(Argv<'_>, Argv<'_>), CommandError> {
    let count = number::parse_int(args[2]).ok_or(CommandError::NotInteger)?;
    let rest = &args[3..];
    if count > rest.len() as i64 {
        return Err(CommandError::Text("ERR Number of keys can't be greater than number of args"));
    }
    if count < 0 {
        return Err(CommandError::Text("ERR Number of keys can't be negative"));
    }
    Ok(rest.split_at(count as usize))
}

impl Turn<'_> {
    fn eval(&mut self, read_only: bool, out: &mut dyn Sink) -> Answer {
        let (keys, argv) = split_keys(self.args)?;
        let script = self.ex.vm().load(self.args[1], false).map_err(text)?;
        self.run_script(&script, keys, argv, read_only, out)
    }

    fn evalsha(&mut self, read_only: bool, out: &mut dyn Sink) -> Answer {
        let sha = Sha::parse(self.args[1]).ok_or(NO_SCRIPT)?;
        let (keys, argv) = split_keys(self.args)?;
        let script = self.ex.vm().find(&sha).ok_or(NO_SCRIPT)?;
        self.run_script(&script, keys, argv, read_only, out)
    }

    fn run_script(
        &mut self,
        script: &Script,
        keys: Argv<'_>,
        argv: Argv<'_>,
        read_only: bool,
        out: &mut dyn Sink,
    ) -> Answer {
        let compat = script.flags.contains(script::Flags::COMPAT);
        let no_writes = script.flags.contains(script::Flags::NO_WRITES);
        if read_only && !compat && !no_writes {
            return Err(CommandError::Text("ERR Can not execute a script with write flag using *_ro command."));
        }
        let short_of_memory = self.ex.out_of_memory();
        if short_of_memory && !compat && !no_writes && !script.flags.contains(script::Flags::ALLOW_OOM) {
            return Err(CommandError::Text(
                "OOM allow-oom flag is not set on the script, can not run it when used memory > 'maxmemory'",
            ));
        }
        let (db, no_touch) = (self.client.db, self.client.no_touch);
        let mut vm = self.ex.local.vm.take().expect("a script calls no script");
        self.ex.local.desk.script_begins();
        let mut host = ScriptHost {
            started_us: self.ex.local.clock.now_us(),
            read_only: read_only || no_writes,
            short_of_memory: short_of_memory && !script.flags.contains(script::Flags::ALLOW_OOM),
            wrote: false,
            ex: self.ex,
            client: self.client,
        };
        let ran = vm.run(script, keys, argv, &mut host, out);
        if self.ex.local.desk.script_ends() {
            self.ex.forget_buried();
        }
        self.ex.local.vm = Some(vm);
        // SELECT inside a script is the script's own business.
        (self.client.db, self.client.no_touch) = (db, no_touch);
        if ran.uncounted_error {
            self.ex.local.stats.error("ERR");
        }
        Ok(Flow::Next)
    }
}

impl Executor {
    /// The flags of the command; of EVAL and EVALSHA those that the script declares, if it does (Redis 7.0).
    pub(super) fn flags_of_request(&mut self, row: &Row, argv: Argv<'_>) -> Flags {
        let script = match (row.spec.name, argv) {
            ("eval", [_, source, ..]) => self.vm().load(source, false).ok(),
            ("evalsha", [_, sha, ..]) => Sha::parse(sha).and_then(|sha| self.vm().find(&sha)),
            _ => None,
        };
        match script.filter(|script| !script.flags.contains(script::Flags::COMPAT)) {
            None => row.spec.flags,
            Some(script) if script.flags.contains(script::Flags::NO_WRITES) => row.spec.flags - Flags::MAY_REPLICATE,
            Some(_) => row.spec.flags | Flags::WRITE,
        }
    }

    fn vm(&mut self) -> &mut Vm {
        self.local.vm.as_deref_mut().expect("no script runs")
    }
}

struct ScriptHost<'a> {
    ex: &'a mut Executor,
    client: &'a mut Client,
    started_us: i64,
    read_only: bool,
    short_of_memory: bool,
    wrote: bool,
}

impl ScriptHost<'_> {
    /// The refusals that only scripts meet; texts of Redis 7.0.15.
    fn admit(&mut self, argv: Argv<'_>) -> Result<&'static Row, CommandError> {
        let row = self.ex.lookup(argv).map_err(|error| match error {
            CommandError::Arity(_) => CommandError::Text("ERR Wrong number of args calling Redis command from script"),
            _ => CommandError::Text("ERR Unknown Redis command called from script"),
        })?;
        // A script calls no script, whatever DEBUG says.
        let lifted = self.ex.local.scripts_call_all && row.spec.group != Group::Scripting;
        if row.is(Flags::NOSCRIPT) && !lifted {
            return Err(CommandError::Text("ERR This Redis command is not allowed from script"));
        }
        if self.read_only && row.is(Flags::WRITE | Flags::MAY_REPLICATE) {
            return Err(CommandError::Text("ERR Write commands are not allowed from read-only scripts."));
        }
        if row.is(Flags::WRITE) {
            if self.short_of_memory && !self.wrote && row.is(Flags::DENYOOM) {
                return Err(CommandError::Text("OOM command not allowed when used memory > 'maxmemory'."));
            }
            self.ex.check_journal()?;
            if !self.wrote {
                self.wrote = true;
                self.ex.local.desk.script_wrote();
            }
        }
        Ok(row)
    }
}

impl Host for ScriptHost<'_> {
    fn call(&mut self, argv: &[&[u8]], sink: &mut dyn Sink) {
        match self.admit(argv) {
            Ok(row) => {
                self.ex.call(self.client, row, argv, Context::Script, sink);
            }
            Err(error) => {
                let text = error.to_string();
                self.ex.local.stats.error(&text);
                sink.error(text.as_bytes());
            }
        }
    }

    fn set_resp(&mut self, _: u8) {
        // The VM's own sink answers in the version that the script chose.
    }

    fn log(&mut self, level: LogLevel, message: &[u8]) {
        let message = String::from_utf8_lossy(message);
        match level {
            LogLevel::Debug => tracing::trace!("{message}"),
            LogLevel::Verbose => tracing::debug!("{message}"),
            LogLevel::Notice => tracing::info!("{message}"),
            LogLevel::Warning => tracing::warn!("{message}"),
        }
    }

    fn acl_check(&mut self, argv: &[&[u8]]) -> Option<bool> {
        self.ex.lookup(argv).ok().map(|_| true)
    }

    fn set_repl(&mut self, _: u8) {
        // Effects are always logged: what a lock server acknowledges must be safe.
    }

    fn interrupt(&mut self) -> Interrupt {
        let desk = &self.ex.local.desk;
        if desk.killed() {
            tracing::warn!("Lua script killed by user with SCRIPT KILL.");
            return Interrupt::Kill;
        }
        let threshold_ms = self.ex.local.config.busy_reply_threshold_ms as i64;
        let elapsed_us = self.ex.local.clock.now_us() - self.started_us;
        if threshold_ms > 0 && elapsed_us > threshold_ms * 1000 && desk.publish(Running { function: false }) {
            tracing::warn!(
                "Slow script detected: still in execution after {} milliseconds. You can try killing the script using the \
                 SCRIPT KILL command.",
                elapsed_us / 1000
            );
            (self.ex.local.hooks.step_aside)();
        }
        Interrupt::Continue
    }
}

#[cfg(test)]
mod tests {
    use crate::transcript::{Stage, check, replay};

    #[test]
    fn what_a_script_wrote_is_one_entry_and_stays_when_it_fails() {
        let text = r#"
            A: EVAL "redis.call('hincrby', KEYS[1], 'me', 1) redis.call('pexpire', KEYS[1], 500) return 7" 1 lock
            A= :7
            A: EVAL "redis.call('set', KEYS[1], 'kept') redis.call('select', 3) redis.call('set', 'there', 1) error('no')" 1 k
            A~ -ERR user_script:1: no script: .*
            A: GET k
            A= "kept"
            A: SELECT 3
            A= +OK
            A: GET there
            A= "1"
            "#;
        replay(text);
        let mut stage = Stage::with_journal(Default::default(), Box::new(crate::journal::Memory::keeping()));
        stage.play(text);
        assert_eq!(stage.executor.recovered().iter().map(|entry| entry.effects.len()).collect::<Vec<_>>(), [2, 2]);
    }

    #[test]
    fn time_stands_still_within_a_script_and_waiters_wake_after_it() {
        check(
            r#"
            B: BLPOP sig 5
            A: EVAL "redis.call('lpush', KEYS[1], 1) redis.call('set', 'lock', 1) redis.call('del', 'lock') return 0" 1 sig
            A= :0
            B= ["sig", "1"]
            B: EXISTS lock
            B= :0
            A: SET short 1 PX 20
            A= +OK
            advance 20
            A: EVAL "return redis.call('exists', KEYS[1])" 1 short
            A= :0
            "#,
        );
    }

    #[test]
    fn the_memory_limit_follows_its_setting() {
        check(
            r#"
            A: CONFIG SET lua-memory-limit 4mb
            A= +OK
            A: EVAL "local t = {} for i = 1, 1000000 do t[i] = {i} end return #t" 0
            A~ -ERR .*not enough memory.*
            A: CONFIG SET lua-memory-limit 512mb
            A= +OK
            A: EVAL "local t = {} for i = 1, 100000 do t[i] = {i} end return #t" 0
            A= :100000
            "#,
        );
    }
}
