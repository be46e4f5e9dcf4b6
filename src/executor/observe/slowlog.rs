//! The slow log: commands that took longer than `slowlog-log-slower-than`.

use crate::command::Flags;
use crate::executor::ControlCommand;
use crate::executor::Executor;
use crate::executor::commands::Row;
use crate::request::Argv;
use crate::session::Client;
use std::collections::VecDeque;

pub(in crate::executor) const COMMANDS: &[ControlCommand] = &[];

/// Redis 7.0 shows at most 32 arguments of at most 128 bytes.
const ARGS_MAX: usize = 32;
const ARG_BYTES_MAX: usize = 128;

/// One slow command.
#[derive(Debug)]
pub(crate) struct Slow {
    pub(crate) id: u64,
    /// Unix time in seconds.
    pub(crate) at_s: i64,
    pub(crate) elapsed_us: i64,
    pub(crate) args: Vec<Vec<u8>>,
    pub(crate) addr: String,
    pub(crate) name: Vec<u8>,
}

/// Newest first.
#[derive(Debug, Default)]
pub(crate) struct Slowlog {
    pub(crate) entries: VecDeque<Slow>,
    pub(crate) next_id: u64,
}

impl Executor {
    /// Keeps the command if it was slow.
    pub(in crate::executor) fn note_slow(&mut self, client: &Client, row: &Row, argv: Argv<'_>, elapsed_us: i64) {
        let threshold_us = self.local.config.slowlog_log_slower_than_us;
        if threshold_us < 0 || elapsed_us < threshold_us || row.spec.flags.contains(Flags::SKIP_SLOWLOG) {
            return;
        }
        let shown = client.session.shown.lock();
        let log = &mut self.local.slowlog;
        log.entries.push_front(Slow {
            id: log.next_id,
            at_s: self.local.clock.wall_us() / 1_000_000,
            elapsed_us,
            args: shorten(argv),
            addr: shown.addr.clone(),
            name: shown.name.clone(),
        });
        log.next_id += 1;
        log.entries.truncate(self.local.config.slowlog_max_len);
    }
}

fn shorten(argv: Argv<'_>) -> Vec<Vec<u8>> {
    let shown = if argv.len() > ARGS_MAX { ARGS_MAX - 1 } else { argv.len() };
    let mut args: Vec<Vec<u8>> = argv[..shown].iter().map(|arg| shorten_one(arg)).collect();
    if shown < argv.len() {
        args.push(format!("... ({} more arguments)", argv.len() - shown).into_bytes());
    }
    args
}

fn shorten_one(arg: &[u8]) -> Vec<u8> {
    if arg.len() <= ARG_BYTES_MAX {
        return arg.to_vec();
    }
    let mut short = arg[..ARG_BYTES_MAX].to_vec();
    short.extend_from_slice(format!("... ({} more bytes)", arg.len() - ARG_BYTES_MAX).as_bytes());
    short
}
