//! The executor: runs everything, one command at a time.
//!
//! Requests come in with the client they belong to; replies, deliveries, wake-ups and journal entries go out. It has no
//! socket, disk or thread; its clock is handed in and may be moved by hand, so a test or a simulator can drive the
//! whole server. What it holds is two values: `state`, which the journal rebuilds, and `local`, which it does not.
//!
//! A request passes `gauntlet` (may it run?), then `call` (the one place where a command runs), then, at the top level
//! only, `commit` (journal, messages, waiters). Control commands are methods on [`Turn`], beside the power they use.

mod administration;
mod blocking;
mod blocking_sorted;
mod call;
mod client;
mod cluster;
mod commands;
mod commit;
mod configuration;
mod connection;
mod debug;
mod desk;
mod follower;
mod gauntlet;
mod introspection;
mod local;
mod memory;
mod observe;
mod pause;
mod scripting;
mod subscriptions;
#[cfg(test)]
mod tickets;
mod transaction;
mod waiters;

#[cfg(test)]
mod tests;

pub use commands::{Answer, Context, ControlCommand, Flow, Turn};
pub use desk::{Desk, Knobs};
pub use local::Hooks;

use connection::Greeting;

use crate::config::{Config, OutputLimits};
use crate::journal::{Journal, Position, Progress};
use crate::keyspace::{State, Trace};
use crate::reply::Sink;
use crate::request::Argv;
use crate::resp::{Encoder, ProtocolError};
use crate::session::{Client, Registry, ReplyMode, Session, Signals};
use crate::time::{Clock, Millis};
use local::Local;
use std::sync::Arc;

/// How much may wait to be read by a client that has not given the password: one that never reads must not fill memory.
const STRANGER_OUTPUT_BYTES: usize = 16 * 1024;

/// Keys that expire between two looks at the clock: it costs a tenth of what expiring one does.
const TURNS_PER_LOOK: u32 = 8;

/// Everything the server knows, behind one lock.
pub struct Executor {
    pub(crate) state: State,
    pub(crate) trace: Trace,
    pub(crate) local: Local,
    journal: Box<dyn Journal>,
    /// Frozen while a command, script or transaction runs.
    now: Millis,
    /// Server time in microseconds when the clock was last read for a request.
    read_us: i64,
    /// The first such reading of the running turn.
    turn_began_us: Option<i64>,
}

impl Executor {
    /// An executor with empty databases, or what `journal` recovers.
    ///
    /// # Errors
    /// The text of an entry that cannot be applied.
    pub fn new(
        config: Config,
        clock: Arc<Clock>,
        journal: Box<dyn Journal>,
        sessions: Arc<Registry>,
        hooks: Hooks,
    ) -> Result<Self, String> {
        let now = clock.now();
        let state = State::new(config.databases, now);
        let trace = Trace::new(journal.records());
        let local = Local::new(config, clock, sessions, hooks)?;
        let mut executor = Self { state, trace, local, journal, now, read_us: now.0 * 1000, turn_began_us: None };
        executor.rebuild()?;
        executor.settle_config();
        Ok(executor)
    }

    /// Throws State away and applies what the journal recovers.
    fn rebuild(&mut self) -> Result<(), String> {
        self.state = State::new(self.local.config.databases, self.now);
        let limits = self.local.limits.clone();
        for entry in self.journal.recover() {
            crate::command::apply(&mut self.state, &entry, &limits)?;
        }
        Ok(())
    }

    /// Replaces State by what its own snapshot makes, as a restart would: DEBUG RELOAD. Nobody is told, nothing logged.
    ///
    /// # Errors
    /// The text of an entry that cannot be applied; State stays as it was.
    pub(crate) fn reload(&mut self) -> Result<(), String> {
        let mut fresh = State::new(self.state.databases(), self.now);
        let mut outcome = Ok(());
        crate::command::snapshot(&self.state, self.now, |entry| {
            if outcome.is_ok() {
                outcome = crate::command::apply(&mut fresh, &entry, &self.local.limits);
            }
        });
        outcome?;
        self.state = fresh;
        // Deadlines lie in a new wheel.
        self.local.want_timer(self.now);
        Ok(())
    }

    /// Takes over what a changed configuration means for parts that keep their own copy.
    pub(crate) fn settle_config(&mut self) {
        let config = &self.local.config;
        self.trace.events = commit::published_events(config);
        self.local.limits = local::encoding_limits(config);
        self.local.desk.set_password(&config.requirepass);
        if let Some(vm) = &mut self.local.vm {
            vm.set_memory_limit(local::script_memory_limit(config));
        }
        self.local.knobs.set(config);
        self.local.slowlog.entries.truncate(config.slowlog_max_len);
        self.local.stats.tracks_latency = config.latency_tracking;
    }

    /// Runs one request. Its reply goes to `client.reply`; [`Executor::finish_turn`] moves it into the outbox.
    pub fn execute(&mut self, client: &mut Client, argv: Argv<'_>) -> Flow {
        self.read_clock();
        self.local.running = client.session.id;
        // What expiry and time-outs touched since the last request is no concern of this one.
        self.trace.take_ticket();
        if std::mem::take(&mut client.unwatch_due) {
            self.unwatch(client);
        }
        if client.reply_mode == ReplyMode::SkipNext {
            client.reply_mode = ReplyMode::Skip;
        }
        let mut reply = std::mem::take(&mut client.reply);
        let start = reply.len();
        let mut flow = self.admit(client, argv, &mut Encoder::new(&mut reply, client.resp3));
        if flow == Flow::Greet {
            Greeting::say(client, &mut Encoder::new(&mut reply, client.resp3));
            flow = Flow::Next;
        }
        if flow == Flow::Paused && client.reply_mode == ReplyMode::Skip {
            client.reply_mode = ReplyMode::SkipNext;
        } else if client.reply_mode != ReplyMode::On {
            if !acknowledges(argv, &reply[start..]) {
                reply.truncate(start);
            }
            if client.reply_mode == ReplyMode::Skip {
                client.reply_mode = ReplyMode::On;
            }
        }
        if !self.local.self_mail.is_empty() {
            // Redis 7.0.15 puts a message to oneself before the reply of the command that sent it; never inside it.
            reply.splice(start..start, self.local.self_mail.drain(..));
        }
        reply.append(&mut self.local.self_lines);
        client.reply = reply;
        client.ticket = client.ticket.max(self.trace.take_ticket());
        flow
    }

    /// Moves the replies of a turn into the client's outbox. Called before the executor is unlocked, so that a message
    /// of a later turn cannot overtake them.
    pub fn finish_turn(&mut self, client: &mut Client) {
        self.turn_began_us = None;
        self.local.running = 0;
        client.session.pulse.set(client.beat(self.now));
        if !client.reply.is_empty() {
            let ticket = self.held_ticket(std::mem::take(&mut client.ticket));
            let mut outbox = client.session.outbox.lock();
            if client.session.has(Signals::KILLED) {
                return client.reply.clear();
            }
            outbox.push_all(&mut client.reply, ticket);
            let limit = self.local.buffer_limit(&client.session);
            let stranger = !client.authenticated && !self.local.config.requirepass.is_empty();
            if (stranger && outbox.len() > STRANGER_OUTPUT_BYTES)
                || outbox.verdict(limit, self.now) == crate::session::Verdict::Overrun
            {
                self.local.stats.output_buffer_kills += 1;
                client.session.raise(Signals::KILLED);
            }
        }
    }

    /// `ticket` if it is not committed yet.
    pub(crate) fn held_ticket(&self, ticket: Position) -> Option<Position> {
        if !self.trace.recording {
            return None;
        }
        (ticket > self.committed()).then_some(ticket)
    }

    /// The position up to which outboxes may leave.
    pub fn committed(&self) -> Position {
        match self.journal.progress() {
            Progress::Good { committed, .. } => committed,
            Progress::Lost { after } => after,
        }
    }

    /// Whether positions may lag behind, so that outboxes hold bytes back.
    pub fn holds_back(&self) -> bool {
        self.journal.records()
    }

    /// Sessions that got something to send, or were woken, since the last call. The caller tells their I/O threads once
    /// the executor is unlocked.
    pub fn take_ready(&mut self) -> Vec<Arc<Session>> {
        std::mem::take(&mut self.local.ready)
    }

    /// The journal lost what was not committed: drops held output, closes every connection and rebuilds State from what
    /// stands. True when that happened. The outcome of requests in flight is unknown to their clients; none gets an
    /// error reply.
    ///
    /// # Errors
    /// The text of an entry that cannot be applied.
    pub fn recover_if_lost(&mut self) -> Result<bool, String> {
        let Progress::Lost { after } = self.journal.progress() else {
            return Ok(false);
        };
        tracing::warn!("The journal lost everything after {after:?}: closing all connections and rebuilding");
        for session in self.local.sessions.iter() {
            let mut outbox = session.outbox.lock();
            session.raise(Signals::KILLED);
            outbox.drop_all();
            self.local.ready.push(Arc::clone(&session));
        }
        self.trace = Trace::new(self.journal.records());
        self.settle_config();
        self.rebuild()?;
        Ok(true)
    }

    /// A connection is gone: its subscriptions, watched keys and waits go with it.
    pub fn disconnect(&mut self, client: &mut Client) {
        self.unwatch(client);
        self.local.forget(&client.session);
        self.trace.recording = self.journal.records() || !self.local.followers.is_empty();
    }

    /// Deletes keys whose deadline has passed, ends waits that timed out, and looks at pauses; stops after `budget_us`.
    /// Returns when it wants to be called again, in server time; `now` or earlier means at once.
    pub fn run_timers(&mut self, budget_us: i64) -> Option<Millis> {
        let start_us = self.local.clock.now_us();
        self.now = self.local.clock.now();
        self.follow_wall_clock();
        self.end_waits();
        self.trace.listening = self.local.listens();
        let expired = self.trace.stats.expired;
        let mut turns: u32 = 0;
        while self.expires_keys() && self.state.expire_one(&mut self.trace, self.now) {
            self.spread_changes();
            // One entry for each: clients of other keys need not wait for the whole batch.
            self.commit();
            turns += 1;
            if turns.is_multiple_of(TURNS_PER_LOOK) && self.local.clock.now_us() - start_us > budget_us {
                self.note_latency("expire-cycle", self.local.clock.now_us() - start_us);
                return Some(self.now);
            }
        }
        if self.trace.stats.expired != expired {
            self.note_latency("expire-cycle", self.local.clock.now_us() - start_us);
        }
        self.next_timer()
    }

    /// Whether keys are deleted as their deadlines pass.
    fn expires_keys(&self) -> bool {
        self.local.active_expire && !self.local.pause.runs(self.now)
    }

    /// The next server time at which [`Executor::run_timers`] has work.
    pub fn next_timer(&self) -> Option<Millis> {
        let expiry = if self.expires_keys() { self.state.next_deadline() } else { None };
        [expiry, self.next_wait_timeout()].into_iter().flatten().min()
    }

    /// Keeps deadlines given as Unix time in step with a wall clock that was stepped by more than 100 ms.
    fn follow_wall_clock(&mut self) {
        const STEP_MS: i64 = 100;
        let offset_ms = (self.local.clock.wall_us() - self.local.clock.now_us()).div_euclid(1000);
        if (offset_ms - self.state.wall_offset_ms()).abs() > STEP_MS {
            self.state.set_wall_offset(offset_ms);
            if let Some(next) = self.state.next_deadline() {
                self.local.want_timer(next);
            }
            self.trace.log(0, &[b"CLOCK", offset_ms.to_string().as_bytes()]);
            self.commit();
        }
    }

    /// The earliest time wanted since the last call at which [`Executor::run_timers`] has work.
    pub fn take_soonest(&mut self) -> Option<Millis> {
        let soonest = [self.local.soonest.take(), self.trace.soonest.take()];
        soonest.into_iter().flatten().min()
    }

    /// Once a second: what must be looked at even when nobody asks.
    pub fn tick(&mut self) {
        self.now = self.local.clock.now();
        self.follow_wall_clock();
        self.sample_rates();
        self.forget_buried();
    }

    /// Forgets the connections that ended while a script held the executor.
    pub(crate) fn forget_buried(&mut self) {
        for (session, watched) in self.local.desk.exhume() {
            let mut client = Client::new(session, false);
            client.watched = watched;
            self.disconnect(&mut client);
        }
    }

    /// Index of the newest journal entry: what INFO and ROLE call the replication offset.
    fn journal_offset(&self) -> u64 {
        self.journal.last().index
    }

    /// The output buffer limits of all classes.
    pub fn output_limits(&self) -> OutputLimits {
        self.local.config.client_output_buffer_limit
    }

    /// For how long the running turn has held the executor, in microseconds, as of the last reading of the clock: it is
    /// read at the start of a request and at its end, no more often.
    pub fn turn_us(&self) -> i64 {
        self.turn_began_us.map_or(0, |began_us| self.read_us - began_us)
    }

    /// Reads the clock; `now` stands still until the next request.
    fn read_clock(&mut self) {
        self.read_us = self.local.clock.now_us();
        self.turn_began_us.get_or_insert(self.read_us);
        self.now = Millis(self.read_us.div_euclid(1000));
    }

    /// Answers a request that cannot be understood; the connection closes after it.
    pub fn protocol_error(&mut self, client: &mut Client, error: &ProtocolError) {
        self.local.stats.error("ERR");
        Encoder::new(&mut client.reply, client.resp3).error(&error.wire_text());
    }

    /// Ends the server.
    pub fn shut_down(&mut self, status: i32) {
        (self.local.hooks.shutdown)(status);
    }

    /// Who answers while a slow script holds the executor.
    pub fn desk(&self) -> Arc<Desk> {
        Arc::clone(&self.local.desk)
    }

    /// Settings that are read without the executor's lock.
    pub fn knobs(&self) -> Arc<Knobs> {
        Arc::clone(&self.local.knobs)
    }

    /// The registry of sessions.
    pub fn sessions(&self) -> Arc<Registry> {
        Arc::clone(&self.local.sessions)
    }

    /// The committed entries, as a restart would see them.
    #[cfg(test)]
    pub(crate) fn recovered(&mut self) -> Vec<crate::journal::Entry> {
        self.journal.recover()
    }

    /// The handle by which the clock is read elsewhere.
    pub fn clock(&self) -> Arc<Clock> {
        Arc::clone(&self.local.clock)
    }
}

/// Whether `reply` acknowledges a subscription: pushes reach even a client that asked for no replies (Redis 7.0).
fn acknowledges(argv: Argv<'_>, reply: &[u8]) -> bool {
    const WORD: &[u8] = b"subscribe";
    let name = argv[0];
    reply.first().is_some_and(|first| *first != b'-')
        && name.len() >= WORD.len()
        && name[name.len() - WORD.len()..].eq_ignore_ascii_case(WORD)
}
