//! The process around the server: working directory, file limit, pid file, background.

use crate::config::{Config, Settings};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use std::io;
use std::path::PathBuf;

/// Why the server did not start; `Display` is one plain line.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An address that cannot be listened on.
    #[error("Could not create server TCP listening socket {address}: bind: {reason}")]
    Bind {
        /// Host and port.
        address: String,
        /// What the system says.
        reason: String,
    },
    /// Anything else, said in full.
    #[error("{0}")]
    Other(String),
    /// A call to the system that failed.
    #[error("Cannot start: {0}")]
    Io(#[from] io::Error),
}

impl StartError {
    pub(super) fn bind(host: &str, port: u16, error: &io::Error) -> Self {
        let text = error.to_string();
        // Rust adds the number of the error; redis-server says the words alone.
        let reason = text.split(" (os error").next().unwrap_or_default().to_owned();
        Self::Bind { address: format!("{host}:{port}"), reason }
    }
}

/// Descriptors beyond clients: log, listeners, timer, reactor (Redis 7.0 reserves as many).
const RESERVED_FILES: u64 = 32;

/// Goes where `config` says and raises the file limit for `maxclients`. Must run before threads start, because
/// `daemonize` forks.
///
/// # Errors
/// A missing directory, or too few descriptors for even one client.
pub fn prepare(config: &mut Config) -> Result<(), StartError> {
    std::env::set_current_dir(&config.dir)
        .map_err(|error| StartError::Other(format!("Can't chdir to '{}': {error}", config.dir.display())))?;
    if config.daemonize {
        let directory = config.dir.clone();
        daemonize::Daemonize::new()
            .working_directory(directory)
            .start()
            .map_err(|error| StartError::Other(format!("Cannot go into the background: {error}")))?;
    }
    fit_file_limit(config)
}

fn fit_file_limit(config: &mut Config) -> Result<(), StartError> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).map_err(io::Error::from)?;
    let wanted = u64::from(config.maxclients) + RESERVED_FILES;
    if soft >= wanted {
        return Ok(());
    }
    // As root the hard limit may be raised too; otherwise what it allows must do.
    let got = if setrlimit(Resource::RLIMIT_NOFILE, wanted, hard.max(wanted)).is_ok() {
        wanted
    } else {
        let most = hard.min(wanted);
        setrlimit(Resource::RLIMIT_NOFILE, most, hard).map_err(io::Error::from)?;
        most
    };
    if got <= RESERVED_FILES {
        return Err(StartError::Other(format!(
            "Your current 'ulimit -n' of {soft} is not enough for the server to start. Please increase your open file \
             limit to at least {wanted}. Exiting."
        )));
    }
    let clients = (got - RESERVED_FILES).min(u64::from(config.maxclients)) as u32;
    if clients < config.maxclients {
        tracing::warn!(
            "You requested maxclients of {} requiring at least {wanted} max file descriptors. Current maximum open files \
             is {got}. maxclients has been reduced to {clients} to compensate for low ulimit.",
            config.maxclients
        );
        let text = clients.to_string();
        config.set(&[(b"maxclients", text.as_bytes())], true).map_err(|error| StartError::Other(error.to_string()))?;
    }
    Ok(())
}

/// From here on a panic anywhere ends the process, after a line in the log. A thread that ends alone would leave a
/// command half applied, its lock free and its connections open; what the journal holds is sound.
pub fn crash_on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        let trace = std::backtrace::Backtrace::force_capture();
        tracing::error!("holdfast crashed by a bug: {panic}\n{trace}");
        std::process::abort();
    }));
}

/// Where the pid file goes, if one is wanted: Redis writes one when it goes into the background, or when told where.
pub(super) fn pid_file(settings: &Settings) -> Option<PathBuf> {
    match &settings.pidfile {
        Some(path) => Some(path.clone()),
        None if settings.daemonize => Some(PathBuf::from("/var/run/redis.pid")),
        None => None,
    }
}

/// Writes the pid file. Failing is not fatal, as in Redis.
pub fn write_pid_file(settings: &Settings) {
    if let Some(path) = pid_file(settings)
        && let Err(error) = std::fs::write(&path, format!("{}\n", std::process::id()))
    {
        tracing::warn!("Failed to write PID file {}: {error}", path.display());
    }
}
