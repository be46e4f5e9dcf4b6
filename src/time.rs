//! Points in time, and the only file that reads a clock.
//!
//! *Server time* is the wall clock at start plus the monotonic time elapsed since, so a stepped wall clock neither
//! expires a lock nor makes it immortal. Deadlines, journal entries and the timer wheel use server time. *Wall time* is
//! what EXPIREAT, PXAT, EXPIRETIME and TIME speak; the two differ by one stored offset (see `keyspace::State`).

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A point in server time, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Millis(pub i64);

impl Millis {
    /// This point moved by `ttl_ms`, or `None` past the range of 64 bits.
    pub fn checked_add(self, ttl_ms: i64) -> Option<Self> {
        self.0.checked_add(ttl_ms).map(Self)
    }

    /// Milliseconds from `earlier` to this point; negative when `earlier` is later.
    pub fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Whole seconds since the epoch, the resolution of OBJECT IDLETIME. Wraps after the year 2106.
    pub fn seconds(self) -> u32 {
        (self.0 / 1000) as u32
    }
}

/// When a key ceases to exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    /// Server time of the end; the key is gone at this millisecond and after.
    pub at: Millis,
    /// Given as wall time (EXPIREAT and kin): moves along when the wall clock is stepped.
    pub wall: bool,
}

impl Deadline {
    /// A deadline `ttl_ms` from `now`; `None` when the sum does not fit 64 bits.
    pub fn after(now: Millis, ttl_ms: i64) -> Option<Self> {
        now.checked_add(ttl_ms).map(|at| Self { at, wall: false })
    }

    /// Whether the key is gone at `now`. Redis 7.0: expired when now > deadline; here the deadline's own millisecond
    /// counts as past, so that the timer and the reader agree.
    pub fn passed(self, now: Millis) -> bool {
        now >= self.at
    }
}

/// Where time comes from.
#[derive(Debug)]
pub enum Clock {
    /// The machine's clocks.
    System {
        /// Wall time when the server started, in microseconds.
        start_us: i64,
        /// Monotonic time at the same moment.
        started: Instant,
    },
    /// Moved by hand, for tests and simulators.
    Manual {
        /// Server time in microseconds.
        now_us: AtomicI64,
        /// What wall time is ahead of server time, in microseconds.
        wall_ahead_us: AtomicI64,
    },
}

impl Clock {
    /// The machine's clock. Server time starts at the wall clock, but not below `not_before` (the last logged time).
    pub fn system(not_before: Millis) -> Self {
        Self::System { start_us: wall_clock_us().max(not_before.0 * 1000), started: Instant::now() }
    }

    /// A clock that stands at `now` until it is advanced.
    pub fn manual(now: Millis) -> Self {
        Self::Manual { now_us: AtomicI64::new(now.0 * 1000), wall_ahead_us: AtomicI64::new(0) }
    }

    /// Server time in microseconds. Never goes back.
    pub fn now_us(&self) -> i64 {
        match self {
            Self::System { start_us, started } => start_us + started.elapsed().as_micros() as i64,
            Self::Manual { now_us, .. } => now_us.load(Ordering::Relaxed),
        }
    }

    /// Server time.
    pub fn now(&self) -> Millis {
        Millis(self.now_us().div_euclid(1000))
    }

    /// Wall time in microseconds: what the TIME command answers.
    pub fn wall_us(&self) -> i64 {
        match self {
            Self::System { .. } => wall_clock_us(),
            Self::Manual { wall_ahead_us, .. } => self.now_us() + wall_ahead_us.load(Ordering::Relaxed),
        }
    }

    /// Moves a manual clock forward. Does nothing to the machine's.
    pub fn advance_us(&self, by_us: i64) {
        if let Self::Manual { now_us, .. } = self {
            now_us.fetch_add(by_us, Ordering::Relaxed);
        }
    }

    /// Blocks the thread for this long; a manual clock moves forward instead.
    pub fn sleep_us(&self, for_us: i64) {
        match self {
            Self::System { .. } => std::thread::sleep(std::time::Duration::from_micros(for_us.max(0) as u64)),
            Self::Manual { .. } => self.advance_us(for_us.max(0)),
        }
    }

    /// Steps the wall time of a manual clock, as NTP or an operator would. Does nothing to the machine's.
    pub fn step_wall_us(&self, by_us: i64) {
        if let Self::Manual { wall_ahead_us, .. } = self {
            wall_ahead_us.fetch_add(by_us, Ordering::Relaxed);
        }
    }
}

/// The local time as redis-server writes it into its log: `01 Dec 2026 10:20:30.123`.
pub fn log_stamp() -> String {
    jiff::ZonedDateTime::now().strftime("%d %b %Y %H:%M:%S%.3f").to_string()
}

fn wall_clock_us() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_micros() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manual_clock_moves_only_by_hand_and_wall_steps_leave_server_time_alone() {
        let clock = Clock::manual(Millis(1_000));
        assert_eq!(clock.now(), Millis(1_000));
        clock.advance_us(1_500);
        assert_eq!((clock.now(), clock.now_us()), (Millis(1_001), 1_001_500));
        clock.step_wall_us(3_600_000_000);
        assert_eq!(clock.now(), Millis(1_001));
        assert_eq!(clock.wall_us(), 3_601_001_500);
    }

    #[test]
    fn a_deadline_has_passed_at_its_own_millisecond() {
        let deadline = Deadline::after(Millis(10), 5).expect("no overflow");
        assert!(!deadline.passed(Millis(14)));
        assert!(deadline.passed(Millis(15)));
        assert_eq!(Deadline::after(Millis(1), i64::MAX), None);
    }

    #[test]
    fn system_clock_does_not_start_before_the_last_logged_time() {
        let far = Millis(i64::from(u32::MAX) * 10_000);
        assert!(Clock::system(far).now() >= far);
    }
}
