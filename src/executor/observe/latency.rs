//! LATENCY: how long commands took (histograms, while `latency-tracking` is on), and events that took longer than
//! `latency-monitor-threshold` allows.
//!
//! Events as in Redis 7.0: `command`, `fast-command` and `expire-cycle`. Forks, AOF and eviction never happen here.

use super::stats::Durations;
use super::totals::each_row;
use crate::command::{Command, CommandError, Flags, Group, Spec};
use crate::executor::Executor;
use crate::executor::commands::{Answer, ControlCommand, Flow, Row, Turn};
use crate::reply::Sink;
use std::collections::{BTreeMap, VecDeque};

pub(in crate::executor) const COMMANDS: &[ControlCommand] = &[LATENCY];

const FLAGS: Flags = Flags::ADMIN.union(Flags::NOSCRIPT).union(Flags::LOADING).union(Flags::STALE);
const PER_NODE: &[&str] = &["nondeterministic_output", "request_policy:all_nodes", "response_policy:special"];

const LATENCY: ControlCommand = Command {
    spec: Spec {
        since: "2.8.13",
        summary: "Asks what was slow, and how slow.",
        complexity: "Depends on subcommand.",
        ..Spec::new("latency", -2, Group::Server, Flags::empty())
    },
    run: |turn, _| Err(turn.unknown_subcommand()),
    subcommands: &[
        Command::new(sub("doctor", 2, "Reports on slow events in plain words.", ""), doctor),
        Command::new(sub("graph", 3, "Draws the samples of an event.", "event"), graph),
        Command::new(
            Spec {
                since: "7.0.0",
                complexity: "O(N) where N is the number of commands with latency information being retrieved.",
                ..sub(
                    "histogram",
                    -2,
                    "Tells how many calls of each command stayed below which time.",
                    "[command [command ...]]",
                )
            },
            histogram,
        ),
        Command::new(
            sub("history", 3, "Lists the samples of an event: when, and how many milliseconds.", "event"),
            history,
        ),
        Command::new(sub("latest", 2, "Lists all events with their last and their worst sample.", ""), latest),
        Command::new(
            Spec {
                tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
                ..sub("reset", -2, "Forgets the samples of some events, or of all.", "[event [event ...]]")
            },
            reset,
        ),
        Command::new(
            Spec {
                flags: Flags::LOADING.union(Flags::STALE),
                tips: &[],
                ..sub("help", 2, "Lists the subcommands.", "")
            },
            |turn, out| turn.help(out),
        ),
    ],
};

const fn sub(name: &'static str, arity: i32, summary: &'static str, syntax: &'static str) -> Spec {
    Spec { since: "2.8.13", summary, syntax, tips: PER_NODE, ..Spec::new(name, arity, Group::Server, FLAGS) }
}

/// When (Unix time in seconds), and how many milliseconds.
type Sample = (i64, u64);

/// The last samples of one event.
#[derive(Debug, Default)]
struct Series {
    samples: VecDeque<Sample>,
    worst_ms: u64,
}

/// As in Redis 7.0.
const SAMPLES_MAX: usize = 160;

impl Series {
    /// Samples of one second make one, the worst of them (Redis 7.0).
    fn add(&mut self, at_s: i64, elapsed_ms: u64) {
        self.worst_ms = self.worst_ms.max(elapsed_ms);
        if let Some((last_s, last_ms)) = self.samples.back_mut()
            && *last_s == at_s
        {
            *last_ms = (*last_ms).max(elapsed_ms);
            return;
        }
        if self.samples.len() == SAMPLES_MAX {
            self.samples.pop_front();
        }
        self.samples.push_back((at_s, elapsed_ms));
    }
}

/// All events that ever took too long.
#[derive(Debug, Default)]
pub(in crate::executor) struct LatencyMonitor {
    events: BTreeMap<&'static str, Series>,
}

impl LatencyMonitor {
    fn series(&self, event: &[u8]) -> Option<&Series> {
        self.events.iter().find(|(name, _)| name.as_bytes() == event).map(|(_, series)| series)
    }
}

impl Executor {
    /// Keeps an event if it took too long.
    pub(in crate::executor) fn note_latency(&mut self, event: &'static str, elapsed_us: i64) {
        let threshold_ms = self.local.config.latency_monitor_threshold_ms;
        let elapsed_ms = elapsed_us.max(0) as u64 / 1000;
        if threshold_ms == 0 || elapsed_ms < threshold_ms {
            return;
        }
        let at_s = self.local.clock.wall_us().div_euclid(1_000_000);
        self.local.latency.events.entry(event).or_default().add(at_s, elapsed_ms);
    }
}

fn latest(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let events = &turn.ex.local.latency.events;
    out.array(events.len());
    for (name, series) in events {
        let (at_s, elapsed_ms) = series.samples.back().copied().unwrap_or_default();
        out.array(4);
        out.bulk(name.as_bytes());
        out.int(at_s);
        out.int(elapsed_ms as i64);
        out.int(series.worst_ms as i64);
    }
    Ok(Flow::Next)
}

fn history(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let Some(series) = turn.ex.local.latency.series(turn.args[2]) else {
        out.array(0);
        return Ok(Flow::Next);
    };
    out.array(series.samples.len());
    for (at_s, elapsed_ms) in &series.samples {
        out.array(2);
        out.int(*at_s);
        out.int(*elapsed_ms as i64);
    }
    Ok(Flow::Next)
}

fn reset(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let names = &turn.args[2..];
    let events = &mut turn.ex.local.latency.events;
    let before = events.len();
    events.retain(|event, _| !names.is_empty() && !names.contains(&event.as_bytes()));
    out.int((before - events.len()) as i64);
    Ok(Flow::Next)
}

fn graph(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let event = turn.args[2];
    let name = String::from_utf8_lossy(event);
    let Some(series) = turn.ex.local.latency.series(event) else {
        return Err(CommandError::Owned(format!("ERR No samples available for event '{name}'")));
    };
    let now_s = turn.ex.local.clock.wall_us().div_euclid(1_000_000);
    out.verbatim("txt", draw(&name, series, now_s).as_bytes());
    Ok(Flow::Next)
}

/// Columns of four rows, the newest at the right; below each its age, written downwards.
fn draw(name: &str, series: &Series, now_s: i64) -> String {
    const COLUMNS: usize = 80;
    const ROWS: u64 = 4;
    const TIPS: [char; 3] = ['_', 'o', '#'];
    let values = || series.samples.iter().map(|(_, elapsed_ms)| *elapsed_ms);
    let (low, high) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
    let worst = series.worst_ms;
    let mut text =
        format!("{name} - high {high} ms, low {low} ms (all time high {worst} ms)\n{}\n", "-".repeat(COLUMNS));
    let steps = ROWS * TIPS.len() as u64;
    let height = |elapsed_ms: u64| (elapsed_ms - low) * (steps - 1) / (high - low).max(1);
    let samples: Vec<Sample> = series.samples.iter().copied().collect();
    for chunk in samples.chunks(COLUMNS) {
        for row in (0..ROWS).rev() {
            text.extend(chunk.iter().map(|(_, elapsed_ms)| {
                let steps_here = height(*elapsed_ms).checked_sub(row * TIPS.len() as u64);
                steps_here.map_or(' ', |steps| TIPS.get(steps as usize).copied().unwrap_or('|'))
            }));
            text.push('\n');
        }
        let ages: Vec<Vec<char>> = chunk.iter().map(|(at_s, _)| age(now_s - at_s).chars().collect()).collect();
        for line in 0..ages.iter().map(Vec::len).max().unwrap_or(0) {
            text.extend(ages.iter().map(|age| age.get(line).copied().unwrap_or(' ')));
            text.push('\n');
        }
    }
    text
}

fn age(seconds: i64) -> String {
    match seconds {
        ..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

fn doctor(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let local = &turn.ex.local;
    let mut report = String::new();
    if local.config.latency_monitor_threshold_ms == 0 {
        report.push_str(
            "Slow events are not watched. CONFIG SET latency-monitor-threshold <milliseconds> turns the watch on.\n",
        );
    } else if local.latency.events.is_empty() {
        report.push_str("Nothing took longer than latency-monitor-threshold so far.\n");
    }
    for (name, series) in &local.latency.events {
        let count = series.samples.len() as u64;
        let sum: u64 = series.samples.iter().map(|(_, elapsed_ms)| elapsed_ms).sum();
        report.push_str(&format!(
            "{name}: {count} seconds with slow events, {} ms on average, {} ms at worst.\n",
            sum / count.max(1),
            series.worst_ms
        ));
    }
    if !local.latency.events.is_empty() {
        report.push_str(
            "SLOWLOG GET tells which commands they were; scripts and commands on large values are the usual ones.\n",
        );
    }
    out.verbatim("txt", report.as_bytes());
    Ok(Flow::Next)
}

/// A container stands for all of its subcommands; names without a call, or of no command, are left out.
fn histogram(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let local = &turn.ex.local;
    let mut rows = Vec::new();
    let mut add = |row: &'static Row| rows.push(row);
    if turn.args.len() == 2 {
        each_row(local.commands.rows(), &mut add);
    }
    for name in &turn.args[2..] {
        let mut words = name.splitn(2, |byte| *byte == b'|');
        let row = words.next().and_then(|word| local.commands.find(word));
        match (row, words.next()) {
            (Some(row), None) => each_row(std::slice::from_ref(row), &mut add),
            (Some(row), Some(word)) => row.subcommand(word).into_iter().for_each(&mut add),
            (None, _) => {}
        }
    }
    let told: Vec<(&Row, &Durations)> =
        rows.into_iter().filter_map(|row| Some((row, local.stats.durations[row.id].as_deref()?))).collect();
    out.map(told.len());
    for (row, durations) in told {
        out.bulk(row.full_name.as_bytes());
        out.map(2);
        out.bulk(b"calls");
        out.int(durations.len() as i64);
        out.bulk(b"histogram_usec");
        let steps = cumulative(durations);
        out.map(steps.len());
        for (below_us, count) in steps {
            out.int(below_us as i64);
            out.int(count as i64);
        }
    }
    Ok(Flow::Next)
}

/// Counts of calls up to 1.024 us, 2.048 us and so on, as the microseconds Redis 7.0 shows for them; steps that add no
/// call are left out.
fn cumulative(durations: &Durations) -> Vec<(u64, u64)> {
    const FIRST_NS: u64 = 1024;
    let last_ns = (1 << 30) - 1;
    let mut steps: Vec<(u64, u64)> = Vec::new();
    let mut bound_ns = FIRST_NS;
    let mut count = 0;
    for value in durations.iter_recorded() {
        let reached_ns = |bound_ns| durations.highest_equivalent(bound_ns).min(last_ns);
        while value.value_iterated_to() > reached_ns(bound_ns) {
            bound_ns *= 2;
        }
        let shown_us = reached_ns(bound_ns) / 1000;
        count += value.count_since_last_iteration();
        match steps.last_mut() {
            Some((last_us, so_far)) if *last_us == shown_us => *so_far = count,
            _ => steps.push((shown_us, count)),
        }
    }
    steps
}

/// The value of a `latency_percentiles_usec_` line: `p50=1.003,p99.9=2.015`.
pub(super) fn percentiles(durations: &Durations, percentiles: &[f64]) -> String {
    let told = percentiles.iter().map(|percentile| {
        let name = format!("{percentile:.6}");
        let name = name.trim_end_matches('0').trim_end_matches('.');
        format!("p{name}={:.3}", durations.value_at_quantile(percentile / 100.0) as f64 / 1000.0)
    });
    told.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{check, check_with};

    fn of(values_ns: &[u64]) -> Durations {
        let mut durations = Durations::new_with_bounds(1, 1_000_000_000, 2).expect("bounds");
        values_ns.iter().for_each(|value| durations.saturating_record(*value));
        durations
    }

    #[test]
    fn steps_and_percentiles_are_shown_as_redis_shows_them() {
        let durations = of(&[1, 2000, 2000, 1_050_000, 20_000_000, 999_000_000]);
        assert_eq!(cumulative(&durations), [(1, 1), (2, 3), (1056, 4), (33_816, 5), (1_073_741, 6)]);
        assert_eq!(percentiles(&of(&[10_000]), &[50.0, 99.9]), "p50=10.047,p99.9=10.047");
        assert_eq!(percentiles(&of(&[42_000]), &[100.0, 0.0]), "p100=42.239,p0=41.984");
        assert_eq!(percentiles(&of(&[1]), &[]), "");
    }

    #[test]
    fn a_graph_grows_with_its_samples() {
        let mut series = Series::default();
        for (at_s, elapsed_ms) in [(10, 20), (10, 7), (11, 1100)] {
            series.add(at_s, elapsed_ms);
        }
        let drawn = draw("command", &series, 11);
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[0], "command - high 1100 ms, low 20 ms (all time high 1100 ms)");
        assert_eq!(lines[2..], [" #", " |", " |", "_|", "10", "ss"]);
    }

    #[test]
    fn slow_events_are_kept_until_they_are_reset() {
        check_with(
            &["--enable-debug-command", "yes"],
            r#"
            A: LATENCY LATEST
            A= []
            A: LATENCY HISTORY foo
            A= []
            A: LATENCY GRAPH foo
            A= -ERR No samples available for event 'foo'
            A: DEBUG SLEEP 0.02
            A= +OK
            A: LATENCY LATEST
            A= []
            A: CONFIG SET latency-monitor-threshold 10
            A= +OK
            A: DEBUG SLEEP 0.02
            A= +OK
            A: LATENCY LATEST
            A= [["command", :1700000000, :20, :20]]
            A: LATENCY HISTORY command
            A= [[:1700000000, :20]]
            A: LATENCY RESET foo
            A= :0
            A: LATENCY RESET foo command
            A= :1
            A: LATENCY LATEST
            A= []
            A: LATENCY HISTORY
            A= -ERR wrong number of arguments for 'latency|history' command
            "#,
        );
    }

    #[test]
    fn histograms_follow_latency_tracking() {
        check(
            r##"
            A: CONFIG RESETSTAT
            A= +OK
            A: LATENCY HISTOGRAM config
            A= ["config|resetstat", ["calls", :1, "histogram_usec", [:1, :1]]]
            A: LATENCY HISTOGRAM nosuch echo
            A= []
            A: CONFIG SET latency-tracking no
            A= +OK
            A: ECHO x
            A= "x"
            A: LATENCY HISTOGRAM echo CONFIG|resetstat
            A= ["config|resetstat", ["calls", :1, "histogram_usec", [:1, :1]]]
            A: INFO latencystats
            A= "# Latencystats\r\n"
            "##,
        );
    }
}
