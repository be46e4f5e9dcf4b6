//! The timer: one timerfd for the next deadline, expiry or time-out. tokio's own sleep rounds up to whole milliseconds.

use crate::time::{Clock, Millis};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use parking_lot::Mutex;
use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::sync::Arc;
use tokio::io::unix::AsyncFd;

/// Set by any thread, waited for by one task.
pub(super) struct Timer {
    fd: Arc<TimerFd>,
    /// What it is set to; `None` when it is not.
    armed: Mutex<Option<Millis>>,
}

/// Keeps the descriptor open for as long as the reactor knows it.
pub(super) struct Watched(Arc<TimerFd>);

impl AsRawFd for Watched {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_fd().as_raw_fd()
    }
}

impl Timer {
    pub(super) fn new() -> io::Result<Self> {
        let fd = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC)?;
        Ok(Self { fd: Arc::new(fd), armed: Mutex::new(None) })
    }

    /// Has the timer go off at `at` unless it does so earlier already.
    pub(super) fn arm(&self, at: Millis, clock: &Clock) {
        let mut armed = self.armed.lock();
        if armed.is_some_and(|armed| armed <= at) {
            return;
        }
        *armed = Some(at);
        // One microsecond at least: a timerfd set to zero is off.
        let wait_us = (at.0.saturating_mul(1000) - clock.now_us()).clamp(1, i64::from(i32::MAX) * 1_000_000);
        let wait = TimeSpec::new(wait_us / 1_000_000, (wait_us % 1_000_000) * 1000);
        if let Err(error) = self.fd.set(Expiration::OneShot(wait), TimerSetTimeFlags::empty()) {
            tracing::error!("Cannot set the expiry timer: {error}");
        }
    }

    /// The reactor's handle; taken once, on the runtime that waits.
    #[expect(
        deprecated,
        reason = "its replacement is unsafe; Watched owns its descriptor, which is all that one asks for"
    )]
    pub(super) fn watch(&self) -> io::Result<AsyncFd<Watched>> {
        AsyncFd::new(Watched(Arc::clone(&self.fd)))
    }

    /// The timer has gone off: it is not set any more.
    pub(super) fn rest(&self) {
        // Both under the lock: a timer set between the two would be read away and yet count as set, for ever.
        let mut armed = self.armed.lock();
        // Clears the descriptor's readiness; nothing to read means that it was set anew meanwhile.
        let _ = self.fd.wait();
        *armed = None;
    }
}
