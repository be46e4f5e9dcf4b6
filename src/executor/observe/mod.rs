//! What the server tells of itself: INFO, SLOWLOG, MONITOR, statistics.

pub(super) mod info;
pub(super) mod monitor;
mod redaction;
pub(super) mod slowlog;
mod stats;

pub(super) use slowlog::Slowlog;
pub(crate) use stats::Stats;
