//! How much memory the server uses, and whether `maxmemory` is reached.
//!
//! Measured as the resident set, which is what an operator's limit is about. It is read from the kernel at most ten
//! times a second, so a burst may overshoot by what it writes within 100 ms.

use super::Executor;
use crate::time::Millis;

const FRESH_MS: i64 = 100;
const PAGE_BYTES: u64 = 4096;

/// The last measurement.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Memory {
    resident_bytes: u64,
    measured: Option<Millis>,
    pub(crate) peak_bytes: u64,
    /// What the process took before it held any data.
    pub(crate) startup_bytes: u64,
}

impl Memory {
    /// Measures an empty server.
    pub(super) fn at_start() -> Self {
        let bytes = resident_bytes().unwrap_or_default();
        Self { resident_bytes: bytes, measured: None, peak_bytes: bytes, startup_bytes: bytes }
    }
}

impl Executor {
    /// Whether a write that may grow the data set must be refused.
    pub(super) fn out_of_memory(&mut self) -> bool {
        let limit = self.local.config.maxmemory_bytes;
        limit > 0 && self.used_memory() > limit
    }

    /// Resident bytes.
    pub(super) fn used_memory(&mut self) -> u64 {
        let memory = &mut self.local.memory;
        if memory.measured.is_none_or(|measured| self.now.since(measured) > FRESH_MS) {
            memory.resident_bytes = resident_bytes().unwrap_or(memory.resident_bytes);
            memory.peak_bytes = memory.peak_bytes.max(memory.resident_bytes);
            memory.measured = Some(self.now);
        }
        memory.resident_bytes
    }
}

fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split(' ').nth(1)?.parse().ok()?;
    Some(pages * PAGE_BYTES)
}
