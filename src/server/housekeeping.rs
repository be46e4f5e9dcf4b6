//! What happens by itself: expiry and time-outs at their time, a look at the connections once a second, and following a
//! journal that commits later than it appends.

use super::shared::Shared;
use crate::session::{Signals, Verdict};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Expiry works for this long at most before it lets requests through.
const EXPIRE_SLICE_US: i64 = 1000;
/// How long a timer waits that finds the executor held by a slow script.
const BUSY_RETRY: Duration = Duration::from_millis(5);

/// Starts the tasks; must be called inside the runtime that is to run them.
pub(super) fn start(shared: &Arc<Shared>) -> io::Result<()> {
    let watch = shared.timer.watch()?;
    let timed = Arc::clone(shared);
    tokio::spawn(async move {
        loop {
            match watch.readable().await {
                Ok(mut guard) => {
                    guard.clear_ready();
                    timed.timer.rest();
                }
                Err(error) => return tracing::error!("The expiry timer failed: {error}"),
            }
            run_timers(&timed).await;
        }
    });
    tokio::spawn(look_after_connections(Arc::clone(shared)));
    if shared.holds_back() {
        tokio::spawn(follow_journal(Arc::clone(shared)));
    }
    Ok(())
}

async fn run_timers(shared: &Shared) {
    loop {
        let mut next = None;
        let ran = shared.with_executor(|executor| {
            next = executor.run_timers(EXPIRE_SLICE_US);
        });
        if !ran {
            tokio::time::sleep(BUSY_RETRY).await;
            continue;
        }
        match next {
            Some(at) if at <= shared.clock.now() => tokio::task::yield_now().await,
            Some(at) => return shared.timer.arm(at, &shared.clock),
            None => return,
        }
    }
}

/// Closes idle clients (`timeout`) and those past a soft output limit, and keeps the wall clock followed.
async fn look_after_connections(shared: Arc<Shared>) {
    let mut tick = tokio::time::interval(Duration::from_secs(1));
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        let now = shared.clock.now();
        let idle_ms = shared.knobs.timeout_s.load(Ordering::Relaxed) as i64 * 1000;
        let mut limits = None;
        shared.with_executor(|executor| {
            executor.tick();
            limits = Some(executor.output_limits());
        });
        let Some(limits) = limits else { continue };
        shared.for_each_link(|link| {
            let session = &link.session;
            // Redis 7.0 spares blocked clients and subscribers.
            let spared = session.has(Signals::BLOCKED | Signals::SUBSCRIBED | Signals::MONITOR | Signals::FOLLOWER);
            let idle = idle_ms > 0 && !spared && now.since(session.last_active()) > idle_ms;
            let limit = session.output_limit(&limits);
            let overrun = session.outbox.lock().verdict(limit, now) == Verdict::Overrun;
            if idle || overrun {
                if overrun {
                    tracing::warn!("Client scheduled to be closed ASAP for overcoming of output buffer limits.");
                } else {
                    tracing::debug!("Closing idle client");
                }
                session.raise(Signals::KILLED);
                link.wake();
            }
        });
    }
}

async fn follow_journal(shared: Arc<Shared>) {
    let mut tick = tokio::time::interval(Duration::from_millis(1));
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        shared.follow_journal();
    }
}
