//! MEMORY, and the figures that INFO memory shares with it.
//!
//! What is used is the resident set of the process; what the data set takes is what remains of it without what the
//! server took at its start, tables, items and clients.

use crate::command::{Access, Command, CommandError, Flags, Group, KeySpec, Spec, args};
use crate::executor::Executor;
use crate::executor::commands::{Answer, ControlCommand, Flow, Turn};
use crate::reply::Sink;

pub(in crate::executor) const COMMANDS: &[ControlCommand] = &[MEMORY];

const PER_SHARD: &[&str] = &["nondeterministic_output", "request_policy:all_shards", "response_policy:special"];

const MEMORY: ControlCommand = Command {
    spec: Spec {
        since: "4.0.0",
        summary: "Asks where memory goes.",
        complexity: "Depends on subcommand.",
        ..Spec::new("memory", -2, Group::Server, Flags::empty())
    },
    run: |turn, _| Err(turn.unknown_subcommand()),
    subcommands: &[
        Command::new(
            Spec {
                since: "4.0.0",
                summary: "Reports on memory in plain words.",
                tips: PER_SHARD,
                ..Spec::new("doctor", 2, Group::Server, Flags::empty())
            },
            doctor,
        ),
        Command::new(
            Spec {
                since: "4.0.0",
                summary: "Would tell the allocator's own statistics, which this allocator keeps to itself.",
                complexity: "Depends on how much memory is allocated, could be slow",
                tips: PER_SHARD,
                ..Spec::new("malloc-stats", 2, Group::Server, Flags::empty())
            },
            |_, out| {
                out.verbatim("txt", b"Stats not supported for the current allocator");
                Ok(Flow::Next)
            },
        ),
        Command::new(
            Spec {
                since: "4.0.0",
                summary: "Accepted for compatibility: freed memory goes back to the system by itself.",
                complexity: "Depends on how much memory is allocated, could be slow",
                tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
                ..Spec::new("purge", 2, Group::Server, Flags::empty())
            },
            |_, out| {
                out.status("OK");
                Ok(Flow::Next)
            },
        ),
        Command::new(
            Spec {
                since: "4.0.0",
                summary: "Tells how much memory is used by what.",
                tips: PER_SHARD,
                ..Spec::new("stats", 2, Group::Server, Flags::empty())
            },
            |turn, out| {
                turn.ex.say_memory_stats(out);
                Ok(Flow::Next)
            },
        ),
        Command::new(
            Spec {
                keys: &[KeySpec::one(2, Access::RO)],
                since: "4.0.0",
                summary: "Tells the bytes that a key and its value take.",
                complexity: "O(N) where N is the number of elements of the value.",
                syntax: "key [SAMPLES count]",
                ..Spec::new("usage", -3, Group::Server, Flags::READONLY)
            },
            usage,
        ),
        Command::new(
            Spec {
                since: "4.0.0",
                summary: "Lists the subcommands.",
                ..Spec::new("help", 2, Group::Server, Flags::LOADING.union(Flags::STALE))
            },
            |turn, out| turn.help(out),
        ),
    ],
};

/// The whole value is measured, whatever SAMPLES says.
fn usage(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let mut rest = &turn.args[3..];
    while let [word, more @ ..] = rest {
        let [count, more @ ..] = more else { return Err(CommandError::Syntax) };
        if !args::is(word, "SAMPLES") {
            return Err(CommandError::Syntax);
        }
        if args::int(count)? < 0 {
            return Err(CommandError::Syntax);
        }
        rest = more;
    }
    let mut keys = turn.ex.state.doors(&mut turn.ex.trace, turn.client.db, turn.ex.now);
    match keys.memory_usage(turn.args[2]) {
        Some(bytes) => out.int(bytes as i64),
        None => out.nil(),
    }
    Ok(Flow::Next)
}

fn doctor(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let limit = turn.ex.local.config.maxmemory_bytes;
    let figures = turn.ex.memory_figures();
    let mut findings = Vec::new();
    if limit > 0 && figures.used > limit / 10 * 9 {
        findings.push("more than nine tenths of maxmemory are used, and writes are refused beyond it");
    }
    if figures.peak > figures.used / 2 * 3 {
        findings.push("the peak was more than half above what is used now; the allocator may hold on to some of it");
    }
    if figures.clients > figures.used / 4 {
        findings.push("buffers of clients take more than a quarter of all memory");
    }
    let report = match findings[..] {
        [] => "Nothing about the memory of this server calls for attention.\n".to_owned(),
        _ => format!("Worth a look: {}.\n", findings.join("; ")),
    };
    out.verbatim("txt", report.as_bytes());
    Ok(Flow::Next)
}

/// Where the bytes of the process are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figures {
    pub(super) used: u64,
    pub(super) peak: u64,
    pub(super) startup: u64,
    pub(super) clients: u64,
    /// Everything but keys and values.
    pub(super) overhead: u64,
    pub(super) dataset: u64,
}

impl Executor {
    /// O(databases + clients).
    pub(super) fn memory_figures(&mut self) -> Figures {
        let used = self.used_memory();
        let clients = self.client_buffers().total as u64;
        let tables: usize = (0..self.state.databases()).map(|index| self.state.db(index).overhead()).sum();
        let startup = self.local.memory.startup_bytes.min(used);
        let overhead = (startup + clients + tables as u64).min(used);
        let peak = self.local.memory.peak_bytes;
        Figures { used, peak, startup, clients, overhead, dataset: used - overhead }
    }

    fn say_memory_stats(&mut self, out: &mut dyn Sink) {
        let figures = self.memory_figures();
        let databases: Vec<(String, usize)> = (0..self.state.databases())
            .filter(|index| !self.state.db(*index).is_empty())
            .map(|index| (format!("db.{index}"), self.state.db(index).overhead()))
            .collect();
        let keys: usize = (0..self.state.databases()).map(|index| self.state.db(index).len()).sum();
        let net = figures.used - figures.startup;
        let per_key = if keys == 0 { 0 } else { net / keys as u64 };
        let scripts = self.local.scripting();
        let before: [(&str, u64); 10] = [
            ("peak.allocated", figures.peak),
            ("total.allocated", figures.used),
            ("startup.allocated", figures.startup),
            ("replication.backlog", 0),
            ("clients.slaves", 0),
            ("clients.normal", figures.clients),
            ("cluster.links", 0),
            ("aof.buffer", 0),
            ("lua.caches", scripts.cached_bytes),
            ("functions.caches", 0),
        ];
        let after: [(&str, Figure); 15] = [
            ("overhead.total", Figure::Bytes(figures.overhead)),
            ("keys.count", Figure::Bytes(keys as u64)),
            ("keys.bytes-per-key", Figure::Bytes(per_key)),
            ("dataset.bytes", Figure::Bytes(figures.dataset)),
            ("dataset.percentage", Figure::percent(figures.dataset, net)),
            ("peak.percentage", Figure::percent(figures.used, figures.peak)),
            ("allocator.allocated", Figure::Bytes(figures.used)),
            ("allocator.active", Figure::Bytes(figures.used)),
            ("allocator.resident", Figure::Bytes(figures.used)),
            ("allocator-fragmentation.ratio", Figure::Ratio(1.0)),
            ("allocator-fragmentation.bytes", Figure::Bytes(0)),
            ("allocator-rss.ratio", Figure::Ratio(1.0)),
            ("allocator-rss.bytes", Figure::Bytes(0)),
            ("fragmentation", Figure::Ratio(1.0)),
            ("fragmentation.bytes", Figure::Bytes(0)),
        ];
        out.map(before.len() + databases.len() + after.len());
        for (name, bytes) in before {
            out.bulk(name.as_bytes());
            out.int(bytes as i64);
        }
        for (name, bytes) in databases {
            out.bulk(name.as_bytes());
            out.map(3);
            for (part, bytes) in [("main", bytes), ("expires", 0), ("slot-to-keys", 0)] {
                out.bulk(format!("overhead.hashtable.{part}").as_bytes());
                out.int(bytes as i64);
            }
        }
        for (name, figure) in after {
            out.bulk(name.as_bytes());
            match figure {
                Figure::Bytes(bytes) => out.int(bytes as i64),
                Figure::Ratio(ratio) => out.double(ratio),
            }
        }
    }
}

enum Figure {
    Bytes(u64),
    Ratio(f64),
}

impl Figure {
    fn percent(part: u64, whole: u64) -> Self {
        Self::Ratio(if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 })
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn usage_knows_keys_and_refuses_odd_samples() {
        crate::transcript::check_with(
            &["--enable-debug-command", "local"],
            r#"
            A: DEBUG POPULATE 1
            A= +OK
            A: MEMORY USAGE key:0
            A~ :.*
            A: MEMORY USAGE nokey
            A= nil
            A: MEMORY USAGE key:0 SAMPLES 0
            A~ :.*
            A: MEMORY USAGE key:0 SAMPLES -1
            A= -ERR syntax error
            A: MEMORY USAGE key:0 SAMPLES x
            A= -ERR value is not an integer or out of range
            A: MEMORY USAGE key:0 SAMPLES
            A= -ERR syntax error
            A: MEMORY USAGE key:0 FOO 1
            A= -ERR syntax error
            A: MEMORY PURGE
            A= +OK
            A: MEMORY STATS
            A~ ["peak.allocated", :.*"keys.count", :1, .*
            A: MEMORY FOO
            A= -ERR unknown subcommand 'FOO'. Try MEMORY HELP.
            A: MEMORY
            A= -ERR wrong number of arguments for 'memory' command
            "#,
        );
    }
}
