//! Counters of INFO: calls and errors, durations of each command, rates.

use hdrhistogram::Histogram;
use std::collections::{BTreeMap, VecDeque};

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

impl Calls {
    /// Whether INFO tells of it at all.
    pub(crate) fn any(&self) -> bool {
        self.calls + self.rejected + self.failed > 0
    }
}

/// Durations of one command in nanoseconds, kept as Redis 7.0 keeps them: up to one second, to two digits.
pub(crate) type Durations = Histogram<u64>;

const LONGEST_NS: u64 = 1_000_000_000;

/// Counters since the start or CONFIG RESETSTAT.
#[derive(Debug, Default)]
pub(crate) struct Stats {
    pub(crate) calls: Vec<Calls>,
    /// By row id; 24 KB for each command that was ever called while `tracks_latency` was on.
    pub(crate) durations: Vec<Option<Box<Durations>>>,
    /// `latency-tracking`.
    pub(crate) tracks_latency: bool,
    pub(crate) commands_processed: u64,
    pub(crate) error_replies: u64,
    pub(crate) output_buffer_kills: u64,
    /// Error replies by their first word.
    pub(crate) errors: BTreeMap<String, u64>,
    pub(crate) rates: Rates,
}

/// Error codes are counted apart up to this many; a script could make up more (Redis 7.0 has the same bound in later
/// patches).
const ERROR_CODES_MAX: usize = 128;

impl Stats {
    pub(crate) fn new(commands: usize) -> Self {
        Self {
            calls: vec![Calls::default(); commands],
            durations: std::iter::repeat_with(|| None).take(commands).collect(),
            ..Self::default()
        }
    }

    pub(crate) fn reset(&mut self) {
        *self = Self { tracks_latency: self.tracks_latency, ..Self::new(self.calls.len()) };
    }

    /// A command ran.
    pub(crate) fn called(&mut self, id: usize, elapsed_us: i64, failed: bool) {
        self.commands_processed += 1;
        let elapsed_us = elapsed_us.max(0) as u64;
        let calls = &mut self.calls[id];
        calls.calls += 1;
        calls.total_us += elapsed_us;
        calls.failed += u64::from(failed);
        if self.tracks_latency {
            let durations = self.durations[id].get_or_insert_with(empty_durations);
            durations.saturating_record((elapsed_us * 1000).clamp(1, LONGEST_NS));
        }
    }

    /// A command was refused before it ran.
    pub(crate) fn rejected(&mut self, id: usize) {
        self.calls[id].rejected += 1;
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

fn empty_durations() -> Box<Durations> {
    // Invariant: these bounds are ones that the histogram accepts; a test makes one.
    Box::new(Histogram::new_with_bounds(1, LONGEST_NS, 2).expect("valid bounds"))
}

/// What rates are told of: commands, bytes in, bytes out.
pub(crate) type Totals = [u64; 3];

/// Totals at recent moments, from which `instantaneous_ops_per_sec` and kin are computed.
#[derive(Debug, Default)]
pub(crate) struct Rates {
    samples: VecDeque<(i64, Totals)>,
}

const SAMPLES: usize = 16;
const APART_US: i64 = 100_000;
/// Rates are over this long, or since the last sample if that is older.
const WINDOW_US: i64 = 2_000_000;

impl Rates {
    /// Keeps `totals`, unless the last ones are less than 100 ms old. Called once a second, and by INFO.
    pub(crate) fn feed(&mut self, now_us: i64, totals: Totals) {
        if self.samples.back().is_some_and(|(at, _)| now_us - at < APART_US) {
            return;
        }
        if self.samples.len() == SAMPLES {
            self.samples.pop_front();
        }
        self.samples.push_back((now_us, totals));
    }

    /// Growth of each total per second; zero before the first sample.
    pub(crate) fn per_second(&self, now_us: i64, totals: Totals) -> [f64; 3] {
        let recent = self.samples.iter().find(|(at, _)| now_us - at <= WINDOW_US);
        match recent.or(self.samples.back()) {
            Some((at, then)) if now_us > *at => {
                let seconds = (now_us - at) as f64 / 1e6;
                std::array::from_fn(|n| totals[n].saturating_sub(then[n]) as f64 / seconds)
            }
            _ => [0.0; 3],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_kept_only_while_they_are_tracked() {
        let mut stats = Stats::new(2);
        stats.called(0, 5, false);
        assert!(stats.durations[0].is_none());
        stats.tracks_latency = true;
        stats.called(0, 5_000_000, true);
        stats.called(0, 0, false);
        assert_eq!(stats.durations[0].as_ref().map(|durations| durations.len()), Some(2));
        assert_eq!((stats.calls[0].calls, stats.calls[0].failed, stats.commands_processed), (3, 1, 3));
        stats.reset();
        assert!(stats.tracks_latency && stats.durations[0].is_none() && !stats.calls[0].any());
    }

    #[test]
    fn rates_look_at_the_last_two_seconds() {
        let mut rates = Rates::default();
        assert_eq!(rates.per_second(5, [9, 9, 9]), [0.0; 3]);
        rates.feed(0, [0, 0, 0]);
        rates.feed(50_000, [7, 7, 7]);
        rates.feed(1_000_000, [10, 0, 0]);
        assert_eq!(rates.per_second(2_000_000, [30, 0, 2]), [15.0, 0.0, 1.0]);
        assert_eq!(rates.per_second(3_000_000, [30, 0, 0])[0], 10.0);
        assert_eq!(rates.per_second(11_000_000, [30, 0, 0])[0], 2.0);
    }
}
