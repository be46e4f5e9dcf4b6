//! What the server tells of itself: INFO, SLOWLOG, MONITOR, statistics.

mod monitor;
mod slowlog;
mod stats;

pub(super) use slowlog::Slowlog;
pub(crate) use stats::Stats;
