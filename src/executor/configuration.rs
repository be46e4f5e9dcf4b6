//! CONFIG: reading, changing and writing down the settings while the server runs.

use super::Executor;
use super::commands::{Answer, ControlCommand, Flow, Turn};
use crate::command::{Command, CommandError, Flags, Group, Spec};
use crate::config::{Config, ConfigError};
use crate::keyspace::KeyspaceStats;
use crate::reply::Sink;
use crate::session::Signals;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use std::sync::atomic::Ordering;

pub(super) const COMMANDS: &[ControlCommand] = &[CONFIG];

const FLAGS: Flags = Flags::ADMIN.union(Flags::NOSCRIPT).union(Flags::LOADING).union(Flags::STALE);

const CONFIG: ControlCommand = Command {
    spec: Spec {
        since: "2.0.0",
        summary: "Reads and changes the settings.",
        complexity: "Depends on subcommand.",
        ..Spec::new("config", -2, Group::Server, Flags::empty())
    },
    run: |turn, _| Err(turn.unknown_subcommand()),
    subcommands: &[
        Command::new(
            Spec {
                since: "2.0.0",
                summary: "Lists the settings whose names match some patterns, with their values.",
                complexity: "O(N) when N is the number of configuration parameters provided",
                syntax: "parameter [parameter ...]",
                ..Spec::new("get", -3, Group::Server, FLAGS)
            },
            |turn, out| {
                let found = turn.ex.local.config.query(&turn.args[2..]);
                out.map(found.len());
                for (name, value) in found {
                    out.bulk(&name);
                    out.bulk(&value);
                }
                Ok(Flow::Next)
            },
        ),
        Command::new(
            Spec {
                since: "2.0.0",
                summary: "Changes settings, all or none of them.",
                complexity: "O(N) when N is the number of configuration parameters provided",
                syntax: "parameter value [parameter value ...]",
                tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
                ..Spec::new("set", -4, Group::Server, FLAGS)
            },
            set,
        ),
        Command::new(
            Spec {
                since: "2.0.0",
                summary: "Sets the counters of INFO and the histograms of LATENCY back to zero.",
                ..Spec::new("resetstat", 2, Group::Server, FLAGS)
            },
            |turn, out| {
                turn.ex.reset_counters();
                out.status("OK");
                Ok(Flow::Next)
            },
        ),
        Command::new(
            Spec {
                since: "2.8.0",
                summary: "Writes the settings into the file that the server was started with.",
                ..Spec::new("rewrite", 2, Group::Server, FLAGS)
            },
            rewrite,
        ),
        Command::new(
            Spec {
                since: "5.0.0",
                summary: "Lists the subcommands.",
                ..Spec::new("help", 2, Group::Server, Flags::LOADING.union(Flags::STALE))
            },
            |turn, out| turn.help(out),
        ),
    ],
};

fn set(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let words = &turn.args[2..];
    if !words.len().is_multiple_of(2) {
        return Err(CommandError::Syntax);
    }
    let pairs: Vec<(&[u8], &[u8])> = words.chunks(2).map(|pair| (pair[0], pair[1])).collect();
    let before = turn.ex.local.config.clone();
    let is_local = turn.client.session.has(Signals::LOCAL);
    let refused = |error: ConfigError| CommandError::Owned(error.to_string());
    let changed = turn.ex.local.config.set(&pairs, is_local).map_err(refused)?;
    if let Err(error) = turn.ex.put_into_effect(&changed, &before) {
        turn.ex.local.config = before;
        return Err(refused(error));
    }
    turn.ex.settle_config();
    out.status("OK");
    Ok(Flow::Next)
}

fn rewrite(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    rewrite_file(turn, false)?;
    out.status("OK");
    Ok(Flow::Next)
}

/// CONFIG REWRITE, and DEBUG CONFIG-REWRITE-FORCE-ALL with `all`.
pub(super) fn rewrite_file(turn: &mut Turn<'_>, all: bool) -> Result<(), CommandError> {
    let config = &turn.ex.local.config;
    if config.file().is_none() {
        return Err(CommandError::Text("ERR The server is running without a config file"));
    }
    config.rewrite_file(all).map_err(|why| {
        tracing::warn!("CONFIG REWRITE failed: {why}");
        CommandError::Owned(format!("ERR Rewriting config file: {why}"))
    })?;
    tracing::info!("CONFIG REWRITE executed with success.");
    Ok(())
}

impl Executor {
    /// Does what changed settings ask for outside of the executor. What can fail comes first, what cannot be undone
    /// last.
    fn put_into_effect(&mut self, changed: &[&'static str], before: &Config) -> Result<(), ConfigError> {
        let config = &self.local.config;
        for name in changed {
            match *name {
                "maxclients" if config.maxclients > before.maxclients => {
                    allow_connections(config.maxclients).map_err(|why| ConfigError::not_applied(name, &why))?;
                }
                _ => {}
            }
        }
        if changed.contains(&"dir") {
            std::env::set_current_dir(&config.dir)
                .map_err(|error| ConfigError::not_applied("dir", &ConfigError::reason(&error)))?;
        }
        if let Some(name) = changed.iter().find(|name| matches!(**name, "port" | "bind"))
            && !(self.local.hooks.listen)(config)
        {
            let why = match *name {
                "port" => "Unable to listen on this port. Check server logs.",
                _ => "Failed to bind to specified addresses.",
            };
            return Err(ConfigError::not_applied(name, why));
        }
        if changed.contains(&"loglevel") {
            (self.local.hooks.set_log_level)(config.loglevel);
        }
        Ok(())
    }

    fn reset_counters(&mut self) {
        self.local.stats.reset();
        self.trace.stats = KeyspaceStats::default();
        let knobs = &self.local.knobs;
        let counters = [
            &knobs.connections_received,
            &knobs.rejected_connections,
            &knobs.query_buffer_kills,
            &knobs.input_bytes,
            &knobs.output_bytes,
        ];
        counters.into_iter().for_each(|counter| counter.store(0, Ordering::Relaxed));
    }
}

/// Raises the limit on open files if it must be.
fn allow_connections(maxclients: u32) -> Result<(), String> {
    /// Files beside the connections, as Redis reckons.
    const RESERVED: u64 = 32;
    let needed = u64::from(maxclients) + RESERVED;
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).map_err(|error| error.desc().to_owned())?;
    if soft >= needed || (hard >= needed && setrlimit(Resource::RLIMIT_NOFILE, needed, hard).is_ok()) {
        return Ok(());
    }
    Err(format!(
        "The operating system is not able to handle the specified number of clients, try with {}",
        soft.saturating_sub(RESERVED)
    ))
}

#[cfg(test)]
mod tests {
    use crate::transcript::check;

    #[test]
    fn settings_are_read_and_changed() {
        check(
            r#"
            A: CONFIG GET maxmemory timeou[t]
            A= ["maxmemory", "0", "timeout", "0"]
            A: CONFIG GET nosuch
            A= []
            A: CONFIG SET maxmemory 100mb timeout 7
            A= +OK
            A: CONFIG GET maxmemory timeout
            A= ["maxmemory", "104857600", "timeout", "7"]
            A: CONFIG SET maxmemory 1gb timeout x
            A= -ERR CONFIG SET failed (possibly related to argument 'timeout') - argument couldn't be parsed into an integer
            A: CONFIG GET maxmemory
            A= ["maxmemory", "104857600"]
            A: CONFIG SET a
            A= -ERR wrong number of arguments for 'config|set' command
            A: CONFIG SET a b c
            A= -ERR syntax error
            A: CONFIG FOO
            A= -ERR unknown subcommand 'FOO'. Try CONFIG HELP.
            A: CONFIG REWRITE
            A= -ERR The server is running without a config file
            A: CONFIG RESETSTAT
            A= +OK
            A: HELLO 3
            A~ {.*
            A: CONFIG GET timeout
            A= {"timeout": "7"}
            "#,
        );
    }

    #[test]
    fn what_cannot_be_applied_changes_nothing() {
        check(
            r#"
            A: CONFIG SET timeout 5 port 1
            A~ -ERR CONFIG SET failed (possibly related to argument 'port') - .*
            A: CONFIG SET maxclients 4000000000
            A~ -ERR CONFIG SET failed (possibly related to argument 'maxclients') - The operating system is not able .*
            A: CONFIG GET timeout port maxclients
            A= ["timeout", "0", "port", "6379", "maxclients", "10000"]
            A: CONFIG SET port 6379 timeout 5
            A= +OK
            "#,
        );
    }

    #[test]
    fn changed_settings_take_effect_at_once() {
        check(
            r#"
            A: CONFIG SET requirepass secret
            A= +OK
            A: PING
            A= +PONG
            A: AUTH wrong
            A= -WRONGPASS invalid username-password pair or user is disabled.
            A: CONFIG SET notify-keyspace-events KEA latency-tracking no
            A= +OK
            A: CONFIG GET notify-keyspace-events
            A= ["notify-keyspace-events", "AKE"]
            "#,
        );
    }
}
