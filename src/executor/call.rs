//! The one place where a command runs.

use super::commands::{Context, Flow, Function, Row};
use super::{Executor, Turn};
use crate::command::{CommandError, Cx, Flags};
use crate::keyspace::Change;
use crate::reply::Sink;
use crate::request::Argv;
use crate::session::{Client, Signals};

impl Executor {
    /// Runs a command that passed its checks. Its refusal, if any, is said to `out`; changes are spread before the next
    /// command of a script or transaction runs; journal and messages wait for [`Executor::commit`].
    pub(super) fn call(
        &mut self,
        client: &mut Client,
        row: &'static Row,
        argv: Argv<'_>,
        context: Context,
        out: &mut dyn Sink,
    ) -> Flow {
        // A request has just read the clock; what a script did between its calls is not theirs.
        let start_us = if context == Context::Direct { self.read_us } else { self.local.clock.now_us() };
        self.trace.listening = self.local.listens();
        self.trace.no_touch = client.no_touch;
        let calls_out = row.is(Flags::SKIP_MONITOR);
        if calls_out {
            // What a script calls is shown behind it.
            self.feed_monitors(client, row, argv, context);
        }
        self.trace.keeps_expired = self.local.pause.runs(self.now) && !row.is(Flags::WRITE | Flags::MAY_REPLICATE);
        let result = match row.function {
            Function::Data(run) => self.run_data(client.db, run, argv, out).map(|()| Flow::Next),
            Function::Control(run) => run(&mut Turn { ex: self, client, args: argv, context }, out),
        };
        if !self.trace.changes.is_empty() {
            self.spread_changes();
        }
        self.read_us = self.local.clock.now_us();
        let elapsed_us = self.read_us - start_us;
        self.local.stats.called(row.id, elapsed_us, result.is_err());
        if result != Ok(Flow::Blocked) {
            self.note_slow(client, row, argv, elapsed_us, context);
        }
        if self.local.config.latency_monitor_threshold_ms > 0 {
            self.note_latency(if row.is(Flags::FAST) { "fast-command" } else { "command" }, elapsed_us);
        }
        if !calls_out {
            self.feed_monitors(client, row, argv, context);
        }
        match result {
            Ok(flow) => flow,
            Err(error) => {
                let text = error.to_string();
                self.local.stats.error(&text);
                out.error(text.as_bytes());
                Flow::Next
            }
        }
    }

    fn run_data(
        &mut self,
        db: usize,
        run: crate::command::Run,
        argv: Argv<'_>,
        out: &mut dyn Sink,
    ) -> Result<(), CommandError> {
        let dirty = self.trace.begin_command();
        let keys = self.state.doors(&mut self.trace, db, self.now);
        let mut cx = Cx { keys, args: argv, random: &mut self.local.random, limits: &self.local.limits };
        let result = run(&mut cx, out);
        self.trace.end_command(dirty, db, argv);
        result
    }

    /// Tells everyone concerned of the changes the last command made, in order: watchers, waiters, listeners to
    /// keyspace events. Messages and wake-ups leave at [`Executor::commit`].
    pub(super) fn spread_changes(&mut self) {
        let mut changes = std::mem::take(&mut self.trace.changes);
        for change in changes.drain(..) {
            if change.modified {
                self.break_watches(&change);
                self.local.waiters.signal(change.db, &change.key);
            }
            if let Some(event) = change.event {
                self.publish_event(change.db, &change.key, event);
            }
        }
        // The buffer goes back, so that the next command allocates none.
        self.trace.changes = changes;
    }

    fn break_watches(&mut self, change: &Change) {
        if self.local.watchers.is_empty() {
            return;
        }
        if let Some(sessions) = self.local.watchers.get(&(change.db, change.key.clone())) {
            for session in sessions {
                session.raise(Signals::WATCH_BROKEN);
            }
        }
    }
}
