//! INFO: which sections are asked for, and their text. What the sections say is in `sections` and `totals`.
//!
//! Names, order and layout are those of Redis 7.0.15. No value holds a `:`, on which some clients split lines.

use super::sections;
use crate::command::{Command, Flags, Group, Spec};
use crate::executor::Executor;
use crate::executor::commands::{Answer, ControlCommand, Flow, Turn};
use crate::reply::Sink;
use crate::request::Argv;
use std::fmt::{Display, Write};

pub(in crate::executor) const COMMANDS: &[ControlCommand] = &[INFO];

const INFO: ControlCommand = Command::new(
    Spec {
        summary: "Tells facts and counters of the server, by section.",
        syntax: "[section [section ...]]",
        categories: crate::command::Categories::DANGEROUS,
        tips: &["nondeterministic_output", "request_policy:all_shards", "response_policy:special"],
        ..Spec::new("info", -1, Group::Server, Flags::LOADING.union(Flags::STALE))
    },
    info,
);

fn info(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let wanted = Wanted::parse(&turn.args[1..]);
    let mut page = Page::default();
    for section in SECTIONS.iter().filter(|section| wanted.includes(section)) {
        page.begin(section.title);
        (section.write)(turn.ex, &mut page);
    }
    out.verbatim("txt", page.0.as_bytes());
    Ok(Flow::Next)
}

/// When a section shows without being named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rank {
    /// With no argument, and with `default`.
    Default,
    /// With `all` and `everything`.
    All,
}

struct Section {
    title: &'static str,
    rank: Rank,
    write: fn(&mut Executor, &mut Page),
}

const fn section(title: &'static str, rank: Rank, write: fn(&mut Executor, &mut Page)) -> Section {
    Section { title, rank, write }
}

/// In the order of Redis.
const SECTIONS: &[Section] = &[
    section("Server", Rank::Default, sections::server),
    section("Clients", Rank::Default, sections::clients),
    section("Memory", Rank::Default, sections::memory),
    section("Persistence", Rank::Default, sections::persistence),
    section("Stats", Rank::Default, super::totals::stats),
    section("Replication", Rank::Default, sections::replication),
    section("CPU", Rank::Default, sections::cpu),
    section("Modules", Rank::Default, |_, _| ()),
    section("Commandstats", Rank::All, super::totals::commandstats),
    section("Errorstats", Rank::Default, super::totals::errorstats),
    section("Latencystats", Rank::All, super::totals::latencystats),
    section("Cluster", Rank::Default, |_, page| page.line("cluster_enabled", 0)),
    section("Keyspace", Rank::Default, sections::keyspace),
];

/// The sections a request names.
struct Wanted {
    default: bool,
    all: bool,
    names: Vec<String>,
}

impl Wanted {
    fn parse(words: Argv<'_>) -> Self {
        let names: Vec<String> = words.iter().map(|word| String::from_utf8_lossy(word).to_ascii_lowercase()).collect();
        let named = |name: &str| names.iter().any(|known| known == name);
        Self { default: names.is_empty() || named("default"), all: named("all") || named("everything"), names }
    }

    fn includes(&self, section: &Section) -> bool {
        let named = |title: &str| self.names.iter().any(|name| name.eq_ignore_ascii_case(title));
        self.all
            || (self.default && section.rank == Rank::Default)
            || named(section.title)
            // Redis 7.0 knows this one section by two names.
            || (section.title == "Modules" && named("module_list"))
    }
}

/// The text of a reply, as it grows.
#[derive(Default)]
pub(super) struct Page(String);

impl Page {
    fn begin(&mut self, title: &str) {
        if !self.0.is_empty() {
            self.0.push_str("\r\n");
        }
        self.put(format_args!("# {title}\r\n"));
    }

    /// Adds `name:value`.
    pub(super) fn line(&mut self, name: &str, value: impl Display) {
        self.put(format_args!("{name}:{value}\r\n"));
    }

    /// Adds a number of bytes, and the same under `name_human`.
    pub(super) fn bytes(&mut self, name: &str, bytes: u64) {
        self.line(name, bytes);
        self.put(format_args!("{name}_human:{}\r\n", human(bytes)));
    }

    /// Adds lines whose value is always the same here.
    pub(super) fn constants(&mut self, lines: &[(&str, &str)]) {
        for (name, value) in lines {
            self.line(name, value);
        }
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing into a String cannot fail.
        let _ = self.0.write_fmt(text);
    }
}

/// Bytes with a unit, as Redis writes them: `512B`, `1.50M`.
pub(super) fn human(bytes: u64) -> String {
    const UNITS: [char; 5] = ['K', 'M', 'G', 'T', 'P'];
    if bytes < 1024 {
        return format!("{bytes}B");
    }
    let power = ((bytes.ilog2() / 10) as usize).min(UNITS.len());
    format!("{:.2}{}", bytes as f64 / 1024f64.powi(power as i32), UNITS[power - 1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{Stage, split};

    fn titles(request: &str) -> String {
        let mut stage = Stage::new();
        stage.send("A", split(request));
        let reply = stage.next_reply("A").expect("a reply");
        let text = reply.trim_matches('"').replace("\\r\\n", "\n");
        text.lines().filter_map(|line| line.strip_prefix("# ")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn sections_are_chosen_as_in_redis() {
        let default = "Server Clients Memory Persistence Stats Replication CPU Modules Errorstats Cluster Keyspace";
        assert_eq!(titles("INFO"), default);
        assert_eq!(titles("INFO default"), default);
        assert_eq!(titles("INFO nosuch"), "");
        assert_eq!(titles("INFO KEYSPACE nosuch server"), "Server Keyspace");
        assert_eq!(titles("INFO modules"), "Modules");
        assert_eq!(titles("INFO module_list"), "Modules");
        let all = "Server Clients Memory Persistence Stats Replication CPU Modules Commandstats Errorstats \
                   Latencystats Cluster Keyspace";
        assert_eq!(titles("INFO all"), all);
        assert_eq!(titles("INFO foo everything"), all);
    }

    #[test]
    fn each_line_is_a_name_and_a_value_without_a_second_colon() {
        let mut stage = Stage::new();
        stage.send("A", split("NOSUCH"));
        stage.next_reply("A");
        stage.send("A", split("INFO everything"));
        let reply = stage.next_reply("A").expect("a reply");
        let text = reply.trim_matches('"').replace("\\r\\n", "\n");
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
            assert_eq!(line.matches(':').count(), 1, "{line}");
        }
        for expected in
            ["role:master", "loading:0", "redis_version:7.2.4", "maxmemory_policy:noeviction", "errorstat_ERR:count=1"]
        {
            assert!(text.lines().any(|line| line == expected), "{expected} in {text}");
        }
    }

    #[test]
    fn bytes_are_shown_with_a_unit() {
        assert_eq!([0, 200, 1024, 941_160, 25_276_059_648].map(human), ["0B", "200B", "1.00K", "919.10K", "23.54G"]);
    }
}
