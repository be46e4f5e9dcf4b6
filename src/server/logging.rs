//! The log: lines as redis-server writes them, `PID:M 01 Dec 2026 10:20:30.123 * text`, to standard output or a file.

use crate::config::{Config, LogLevel};
use parking_lot::Mutex;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// The log file cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("Can't open the log file: {0}")]
pub struct LogError(#[from] io::Error);

/// The installed log.
#[derive(Clone)]
pub struct Log {
    level: &'static AtomicU8,
}

static INSTALLED: OnceLock<Log> = OnceLock::new();

impl Log {
    /// Opens the log that `config` names and makes it the process's.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn install(config: &Config) -> Result<Self, LogError> {
        static LEVEL: AtomicU8 = AtomicU8::new(0);
        LEVEL.store(rank(config.loglevel), Ordering::Relaxed);
        let sink = match &config.logfile {
            None => Sink::Stdout,
            Some(path) => Sink::File(OpenOptions::new().create(true).append(true).open(config.dir.join(path))?),
        };
        let layer = Lines { level: &LEVEL, sink: Mutex::new(sink) };
        // A second server in the same process keeps the first one's log.
        let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(layer));
        Ok(Self { level: &LEVEL })
    }
}

/// Makes `log` the one that [`set_level`] changes.
pub(super) fn remember(log: &Log) {
    let _ = INSTALLED.set(log.clone());
}

/// CONFIG SET loglevel.
pub(super) fn set_level(level: LogLevel) {
    if let Some(log) = INSTALLED.get() {
        log.level.store(rank(level), Ordering::Relaxed);
    }
}

fn rank(level: LogLevel) -> u8 {
    match level {
        LogLevel::Debug => 0,
        LogLevel::Verbose => 1,
        LogLevel::Notice => 2,
        LogLevel::Warning => 3,
    }
}

/// tracing's levels as Redis's: error and warn are its warnings, info its notices.
fn of(level: &Level) -> (u8, char) {
    match *level {
        Level::ERROR | Level::WARN => (3, '#'),
        Level::INFO => (2, '*'),
        Level::DEBUG => (1, '-'),
        Level::TRACE => (0, '.'),
    }
}

enum Sink {
    Stdout,
    File(File),
}

struct Lines {
    level: &'static AtomicU8,
    sink: Mutex<Sink>,
}

impl<S: Subscriber> Layer<S> for Lines {
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        metadata.target().starts_with("holdfast") && of(metadata.level()).0 >= self.level.load(Ordering::Relaxed)
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut message = Message::default();
        event.record(&mut message);
        let mark = of(event.metadata().level()).1;
        let line = format!("{}:M {} {mark} {}\n", std::process::id(), crate::time::log_stamp(), message.0);
        // Where the log cannot be written there is nobody to tell.
        let _ = match &mut *self.sink.lock() {
            Sink::Stdout => io::stdout().write_all(line.as_bytes()),
            Sink::File(file) => file.write_all(line.as_bytes()),
        };
    }
}

#[derive(Default)]
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}
