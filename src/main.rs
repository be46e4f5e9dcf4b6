//! The `holdfast` binary: reads the command line and the config file, starts the server; the only place that prints and
//! exits.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is where the program speaks")]

use holdfast::REDIS_VERSION;
use holdfast::config::{Config, Invocation};
use holdfast::server::{self, Log};
use std::ffi::OsString;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const HELP: &str = "\
holdfast: a lock server that speaks the Redis protocol

Usage: holdfast [CONFIG_FILE] [--NAME VALUE ...] [-]

  CONFIG_FILE       settings in the format of redis.conf
  --NAME VALUE      any setting of redis.conf, such as --port 6380, --bind 127.0.0.1, --unixsocket /tmp/holdfast.sock,
                    --requirepass secret, --notify-keyspace-events Egx
  -                 read settings from standard input

  -h, --help        print this and exit
  -v, --version     print the version and exit

Examples:
  holdfast
  holdfast /etc/holdfast.conf --port 7777
  echo 'maxclients 100' | holdfast -
";

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    match Invocation::parse(&args, &mut std::io::stdin()) {
        Ok(Invocation::Help) => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        Ok(Invocation::Version) => {
            println!(
                "holdfast server v={REDIS_VERSION} holdfast_version={} bits={}",
                env!("CARGO_PKG_VERSION"),
                usize::BITS
            );
            ExitCode::SUCCESS
        }
        Ok(Invocation::Serve(config)) => serve(*config),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(mut config: Config) -> ExitCode {
    let started = server::prepare(&mut config).map_err(|error| error.to_string()).and_then(|()| {
        let log = Log::install(&config).map_err(|error| error.to_string())?;
        server::crash_on_panic();
        greet(&config);
        server::write_pid_file(&config);
        server::run(config, &log).map_err(|error| {
            tracing::error!("{error}");
            error.to_string()
        })
    });
    match started {
        Ok(status) => ExitCode::from(u8::try_from(status).unwrap_or(1)),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The lines that programs which start a redis-server wait for.
fn greet(config: &Config) {
    let pid = std::process::id();
    tracing::info!("oO0OoO0OoO0Oo holdfast is starting oO0OoO0OoO0Oo");
    tracing::info!(
        "holdfast {} (Redis version={REDIS_VERSION}), bits={}, pid={pid}, just started",
        env!("CARGO_PKG_VERSION"),
        usize::BITS
    );
    match config.file() {
        Some(_) => tracing::info!("Configuration loaded"),
        None => tracing::warn!("No config file specified, using the default config."),
    }
    tracing::info!("Running mode=standalone, port={}. PID: {pid}", config.port);
    let ineffective = config.ineffective();
    if !ineffective.is_empty() {
        tracing::warn!("These settings are accepted but have no effect here: {}", ineffective.join(", "));
    }
}
