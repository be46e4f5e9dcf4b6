//! Counters of INFO.

use std::collections::BTreeMap;

/// Calls of one command, by its row's id.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Calls {
    pub(crate) calls: u64,
    pub(crate) total_us: u64,
    /// Refused before it ran.
    pub(crate) rejected: u64,
    /// Ran and answered an error.
    pub(crate) failed: u64,
}

/// Counters since the start or CONFIG RESETSTAT.
#[derive(Debug, Default)]
pub(crate) struct Stats {
    pub(crate) calls: Vec<Calls>,
    pub(crate) commands_processed: u64,
    pub(crate) error_replies: u64,
    pub(crate) output_buffer_kills: u64,
    /// Error replies by their first word.
    pub(crate) errors: BTreeMap<String, u64>,
}

/// Error codes are counted apart up to this many; a script could make up more (Redis 7.0 has the same bound in later patches).
const ERROR_CODES_MAX: usize = 128;

impl Stats {
    pub(crate) fn new(commands: usize) -> Self {
        Self { calls: vec![Calls::default(); commands], ..Self::default() }
    }

    pub(crate) fn reset(&mut self) {
        *self = Self::new(self.calls.len());
    }

    /// A command ran.
    pub(crate) fn called(&mut self, id: usize, elapsed_us: i64, failed: bool) {
        self.commands_processed += 1;
        let calls = &mut self.calls[id];
        calls.calls += 1;
        calls.total_us += elapsed_us.max(0) as u64;
        calls.failed += u64::from(failed);
    }

    /// An error reply was sent; `text` begins with its code.
    pub(crate) fn error(&mut self, text: &str) {
        self.error_replies += 1;
        let code = text.split(' ').next().unwrap_or_default();
        if let Some(count) = self.errors.get_mut(code) {
            *count += 1;
        } else if self.errors.len() < ERROR_CODES_MAX {
            self.errors.insert(code.to_owned(), 1);
        }
    }
}
