//! INFO's sections of counters: stats, commandstats, errorstats, latencystats.

use super::info::Page;
use super::latency;
use super::stats::Totals;
use crate::executor::Executor;
use crate::executor::commands::Row;
use crate::pubsub::Kind;
use crate::session::Signals;
use std::sync::atomic::Ordering;

impl Executor {
    /// Commands, bytes in and bytes out since the start.
    fn totals(&self) -> Totals {
        let knobs = &self.local.knobs;
        [
            self.local.stats.commands_processed,
            knobs.input_bytes.load(Ordering::Relaxed),
            knobs.output_bytes.load(Ordering::Relaxed),
        ]
    }

    /// Takes a sample for INFO's rates.
    pub(in crate::executor) fn sample_rates(&mut self) {
        let totals = self.totals();
        self.local.stats.rates.feed(self.local.clock.now_us(), totals);
    }
}

pub(super) fn stats(ex: &mut Executor, page: &mut Page) {
    let totals = ex.totals();
    let [ops, input, output] = ex.local.stats.rates.per_second(ex.local.clock.now_us(), totals);
    ex.sample_rates();
    let (stats, knobs, keys) = (&ex.local.stats, &ex.local.knobs, &ex.trace.stats);
    page.line("total_connections_received", knobs.connections_received.load(Ordering::Relaxed));
    page.line("total_commands_processed", totals[0]);
    page.line("instantaneous_ops_per_sec", ops.round() as u64);
    page.line("total_net_input_bytes", totals[1]);
    page.line("total_net_output_bytes", totals[2]);
    page.constants(&[("total_net_repl_input_bytes", "0"), ("total_net_repl_output_bytes", "0")]);
    page.line("instantaneous_input_kbps", format_args!("{:.2}", input / 1024.0));
    page.line("instantaneous_output_kbps", format_args!("{:.2}", output / 1024.0));
    page.constants(&[("instantaneous_input_repl_kbps", "0.00"), ("instantaneous_output_repl_kbps", "0.00")]);
    page.line("rejected_connections", knobs.rejected_connections.load(Ordering::Relaxed));
    page.constants(&[("sync_full", "0"), ("sync_partial_ok", "0"), ("sync_partial_err", "0")]);
    page.line("expired_keys", keys.expired);
    page.constants(EXPIRY_AND_EVICTION);
    page.line("keyspace_hits", keys.hits);
    page.line("keyspace_misses", keys.misses);
    page.line("pubsub_channels", ex.local.pubsub.active_count(Kind::Channel));
    page.line("pubsub_patterns", ex.local.pubsub.active_count(Kind::Pattern));
    page.line("pubsubshard_channels", ex.local.pubsub.active_count(Kind::Shard));
    page.constants(FORKS_AND_DEFRAGMENTATION);
    page.constants(&[
        ("tracking_total_keys", "0"),
        ("tracking_total_items", "0"),
        ("tracking_total_prefixes", "0"),
        ("unexpected_error_replies", "0"),
    ]);
    page.line("total_error_replies", stats.error_replies);
    page.constants(&[
        ("dump_payload_sanitizations", "0"),
        ("io_threaded_reads_processed", "0"),
        ("io_threaded_writes_processed", "0"),
        ("reply_buffer_shrinks", "0"),
        ("reply_buffer_expands", "0"),
    ]);
    page.line("client_query_buffer_limit_disconnections", knobs.query_buffer_kills.load(Ordering::Relaxed));
    page.line("client_output_buffer_limit_disconnections", stats.output_buffer_kills);
}

/// holdfast expires by exact timers and never evicts.
const EXPIRY_AND_EVICTION: &[(&str, &str)] = &[
    ("expired_stale_perc", "0.00"),
    ("expired_time_cap_reached_count", "0"),
    ("expire_cycle_cpu_milliseconds", "0"),
    ("evicted_keys", "0"),
    ("evicted_clients", "0"),
    ("total_eviction_exceeded_time", "0"),
    ("current_eviction_exceeded_time", "0"),
];

const FORKS_AND_DEFRAGMENTATION: &[(&str, &str)] = &[
    ("latest_fork_usec", "0"),
    ("total_forks", "0"),
    ("migrate_cached_sockets", "0"),
    ("slave_expires_tracked_keys", "0"),
    ("active_defrag_hits", "0"),
    ("active_defrag_misses", "0"),
    ("active_defrag_key_hits", "0"),
    ("active_defrag_key_misses", "0"),
    ("total_active_defrag_time", "0"),
    ("current_active_defrag_time", "0"),
];

/// Visits all rows, subcommands behind their container.
pub(super) fn each_row<'a>(rows: &'a [Row], visit: &mut impl FnMut(&'a Row)) {
    for row in rows {
        visit(row);
        each_row(&row.subcommands, visit);
    }
}

pub(super) fn commandstats(ex: &mut Executor, page: &mut Page) {
    let stats = &ex.local.stats;
    each_row(ex.local.commands.rows(), &mut |row| {
        let calls = stats.calls[row.id];
        if calls.any() {
            let mean_us = if calls.calls == 0 { 0.0 } else { calls.total_us as f64 / calls.calls as f64 };
            page.line(
                &format!("cmdstat_{}", row.full_name),
                format_args!(
                    "calls={},usec={},usec_per_call={mean_us:.2},rejected_calls={},failed_calls={}",
                    calls.calls, calls.total_us, calls.rejected, calls.failed
                ),
            );
        }
    });
}

pub(super) fn errorstats(ex: &mut Executor, page: &mut Page) {
    for (code, count) in &ex.local.stats.errors {
        // A script can make up codes that would break the format; Redis 7.0 replaces the same characters.
        let code = code.replace(['#', ':', '\n', '\r'], "_");
        page.line(&format!("errorstat_{code}"), format_args!("count={count}"));
    }
}

pub(super) fn latencystats(ex: &mut Executor, page: &mut Page) {
    if !ex.local.config.latency_tracking {
        return;
    }
    let percentiles = &ex.local.config.latency_tracking_info_percentiles;
    let stats = &ex.local.stats;
    each_row(ex.local.commands.rows(), &mut |row| {
        if let Some(durations) = &stats.durations[row.id] {
            let text = latency::percentiles(durations, percentiles);
            page.line(&format!("latency_percentiles_usec_{}", row.full_name), text);
        }
    });
}

/// Greatest input and output buffers, their sum over all clients, and how many are tracked.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub(super) largest_input: usize,
    pub(super) largest_output: usize,
    pub(super) total: usize,
    pub(super) tracking: usize,
}

impl Executor {
    /// Looks at every session. O(clients).
    pub(super) fn client_buffers(&self) -> Buffers {
        let mut buffers = Buffers::default();
        for session in self.local.sessions.iter() {
            let input = session.held_input();
            let (waiting, held) = {
                let outbox = session.outbox.lock();
                (outbox.len(), outbox.memory_usage())
            };
            buffers.largest_input = buffers.largest_input.max(input);
            buffers.largest_output = buffers.largest_output.max(waiting);
            buffers.total += input + held + size_of::<crate::session::Session>();
            buffers.tracking += usize::from(session.has(Signals::TRACKING));
        }
        buffers
    }
}
