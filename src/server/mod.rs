//! The server around the executor: listeners, connections, timer, signals, log. tokio lives here (and in `journal/`,
//! where a disk is waited for).
//!
//! Each I/O thread is a tokio runtime with one worker. All of them share the executor through one lock, taken once per
//! batch of requests. A slow script steps aside with `block_in_place`: its worker's other work moves to a fresh thread.

mod connection;
mod departures;
mod housekeeping;
mod listener;
mod logging;
mod process;
mod reaper;
mod shared;
mod stream;
mod timer;

pub use logging::{Log, LogError};
pub use process::{StartError, crash_on_panic, prepare, write_pid_file};

use crate::config::Config;
use crate::executor::{Executor, Hooks};
use crate::journal::Memory;
use crate::session::Registry;
use crate::time::{Clock, Millis};
use departures::Departures;
use listener::Listeners;
use shared::Shared;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Where the hook of SHUTDOWN, a plain function, finds the running server. Set once: one process is one server.
static EXIT: OnceLock<UnboundedSender<i32>> = OnceLock::new();

/// Serves until SHUTDOWN, SIGTERM or SIGINT; gives the exit status.
///
/// # Errors
/// What kept the server from starting, in one plain line.
pub fn run(config: Config, log: &Log) -> Result<i32, StartError> {
    let listeners = Listeners::bind(&config)?;
    let threads = config.io_threads.max(1);
    let cleanup = Cleanup { pid_file: process::pid_file(&config), socket: config.unixsocket.clone() };
    let (sender, exit) = unbounded_channel();
    // A second server in one process (tests of this function) would share the exit; the binary starts one.
    let _ = EXIT.set(sender);
    logging::remember(log);
    let hooks = Hooks {
        discard: reaper::discard,
        step_aside,
        shutdown: |status| {
            // Whoever asked may connect again as soon as this connection closes, and must find nobody.
            listener::close();
            if let Some(exit) = EXIT.get() {
                // The receiver is gone only when the server is ending already.
                let _ = exit.send(status);
            }
        },
        set_log_level: logging::set_level,
        listen: listener::listen,
    };
    let clock = Arc::new(Clock::system(Millis(0)));
    let executor = Executor::new(config, clock, Box::new(Memory::new()), Arc::new(Registry::new()), hooks)
        .map_err(StartError::Other)?;
    let runtimes: Vec<Runtime> = (0..threads).map(io_thread).collect::<io::Result<_>>()?;
    let shared = Arc::new(Shared::new(executor, threads, timer::Timer::new()?));
    for (thread, runtime) in runtimes.iter().enumerate() {
        runtime.spawn(Arc::clone(&shared).deliver(thread));
        runtime.spawn(Departures::serve(Arc::clone(&shared), thread));
    }
    let handles: Vec<_> = runtimes.iter().map(|runtime| runtime.handle().clone()).collect();
    let first = &runtimes[0];
    {
        let _inside = first.enter();
        housekeeping::start(&shared)?;
        listeners.serve(&shared, &handles)?;
    }
    tracing::info!("Ready to accept connections");
    let status = first.block_on(wait_for_end(exit));
    shared.stopping.store(true, std::sync::atomic::Ordering::Relaxed);
    cleanup.run();
    tracing::warn!("holdfast is now ready to exit, bye bye...");
    runtimes.into_iter().for_each(Runtime::shutdown_background);
    Ok(status)
}

/// Leaves the rest of this I/O thread's work to a fresh thread, and goes on once that one has taken it: tokio gives the
/// work back to a blocking section that ends before anyone else has come for it.
fn step_aside() {
    const PATIENCE: Duration = Duration::from_millis(100);
    let waiting = departures::hand_over();
    tokio::task::block_in_place(|| {
        let (taken, wait) = std::sync::mpsc::channel();
        tokio::spawn(async move {
            waiting.take_over();
            // Nobody listens any more if the thread came too late; the script then goes on as it is.
            let _ = taken.send(());
        });
        if wait.recv_timeout(PATIENCE).is_err() {
            tracing::warn!("No thread took over the connections while a slow script runs");
        }
    });
}

fn io_thread(number: usize) -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name(format!("io-{number}"))
        .on_thread_start(departures::tighten_timers)
        // Lua may nest 200 C calls, each with a few kilobytes of pattern state.
        .thread_stack_size(16 << 20)
        // A script that steps aside leaves its worker to a fresh thread; one at a time can hold the executor.
        .max_blocking_threads(8)
        .enable_all()
        .build()
}

async fn wait_for_end(mut exit: UnboundedReceiver<i32>) -> i32 {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut term), Ok(mut int)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) else {
        return exit.recv().await.unwrap_or(1);
    };
    tokio::select! {
        status = exit.recv() => {
            tracing::warn!("User requested shutdown...");
            status.unwrap_or(1)
        }
        _ = term.recv() => {
            tracing::warn!("Received SIGTERM scheduling shutdown...");
            0
        }
        _ = int.recv() => {
            tracing::warn!("Received SIGINT scheduling shutdown...");
            0
        }
    }
}

/// Files that must not outlive the server.
struct Cleanup {
    pid_file: Option<PathBuf>,
    socket: Option<PathBuf>,
}

impl Cleanup {
    fn run(&self) {
        if let Some(path) = &self.pid_file {
            tracing::info!("Removing the pid file.");
            remove(path);
        }
        if let Some(path) = &self.socket {
            tracing::info!("Removing the unix socket file.");
            remove(path);
        }
    }
}

fn remove(path: &std::path::Path) {
    if let Err(error) = std::fs::remove_file(path) {
        tracing::warn!("Cannot remove {}: {error}", path.display());
    }
}
