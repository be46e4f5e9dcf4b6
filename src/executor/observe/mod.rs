//! What the server tells of itself: INFO, LATENCY, MEMORY, SLOWLOG, MONITOR, statistics.

pub(super) mod footprint;
pub(super) mod info;
pub(super) mod latency;
pub(super) mod monitor;
mod redaction;
mod sections;
pub(super) mod slowlog;
mod stats;
mod totals;

pub(super) use latency::LatencyMonitor;
pub(super) use sections::Scripting;
pub(super) use slowlog::Slowlog;
pub(crate) use stats::Stats;
