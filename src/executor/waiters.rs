//! Clients that wait in a blocking command, and how they are served.
//!
//! A blocking command tries its keys once; if none serves it, it becomes a [`Waiter`] with its request, and `attempt`
//! is run again for a key whenever that key was changed. Waiters of a key are served oldest first, after the command,
//! script or transaction that changed it has ended (Redis 7.0: the key changed first serves, not the first of the
//! argument list). Serving costs O(log n) for each client served, however many wait.

use super::commands::{Context, Flow, Turn};
use super::{Answer, Executor};
use crate::command::{CommandError, Cx};
use crate::journal::Position;
use crate::reply::{Reply, Sink};
use crate::request::{Argv, ClientId, Owned};
use crate::resp::Encoder;
use crate::session::{ReplyMode, Session, Signals};
use crate::time::Millis;
use crate::value::Value;
use ahash::AHashMap;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Tries to serve the request in `cx.args` from one key: true when it has replied, and logged what it did. Must not
/// change or say anything otherwise.
pub(super) type Attempt = fn(&mut Cx<'_>, key: &[u8], &mut dyn Sink) -> Result<bool, CommandError>;

/// One waiting client.
pub(super) struct Waiter {
    session: Arc<Session>,
    /// Its place in every queue: who began to wait earlier has the lower one.
    turn: u64,
    db: usize,
    resp3: bool,
    /// CLIENT REPLY OFF or SKIP: the reply, when there is one, is dropped.
    silent: bool,
    request: Owned,
    keys: Vec<Box<[u8]>>,
    /// `None` for those that wait for no key (WAIT).
    attempt: Option<Attempt>,
    /// The type a key must hold to serve it; others leave it waiting.
    wants: &'static str,
    deadline: Option<Millis>,
    on_timeout: Reply,
    /// What the keys' state at the beginning of the wait depends on: "nothing came" must not be said before that
    /// stands.
    seen: Position,
}

/// Those who wait for one key.
#[derive(Default)]
struct Queue {
    /// By the type wanted, then by age: a change to a list need not look at those who wait for a sorted set.
    waiting: BTreeMap<(&'static str, u64), ClientId>,
    signalled: bool,
}

/// All waiting clients.
#[derive(Default)]
pub(super) struct Waiters {
    by_client: AHashMap<ClientId, Waiter>,
    /// Queues by key, for each database that anyone ever waited in.
    by_key: Vec<AHashMap<Box<[u8]>, Queue>>,
    timeouts: BTreeSet<(Millis, ClientId)>,
    /// Keys changed while someone waited for them, in the order of the first change.
    signalled: VecDeque<(usize, Box<[u8]>)>,
    turns: u64,
}

/// What a blocking command waits with.
pub(super) struct Wait {
    pub(super) keys: Vec<Box<[u8]>>,
    pub(super) attempt: Option<Attempt>,
    /// As [`Value::type_name`] names it.
    pub(super) wants: &'static str,
    /// `None` waits for ever.
    pub(super) ttl_ms: Option<i64>,
    pub(super) on_timeout: Reply,
}

impl Waiters {
    pub(super) fn is_empty(&self) -> bool {
        self.by_client.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.by_client.len()
    }

    /// How many wait with a time-out.
    pub(super) fn timed(&self) -> usize {
        self.timeouts.len()
    }

    pub(super) fn any_signalled(&self) -> bool {
        !self.signalled.is_empty()
    }

    pub(super) fn next_timeout(&self) -> Option<Millis> {
        self.timeouts.first().map(|(at, _)| *at)
    }

    /// A key was changed: those who wait for it are tried at the end of the command.
    pub(super) fn signal(&mut self, db: usize, key: &[u8]) {
        let Some(queue) = self.by_key.get_mut(db).and_then(|queues| queues.get_mut(key)) else {
            return;
        };
        if !std::mem::replace(&mut queue.signalled, true) {
            self.signalled.push_back((db, Box::from(key)));
        }
    }

    fn next_signalled(&mut self) -> Option<(usize, Box<[u8]>)> {
        let (db, key) = self.signalled.pop_front()?;
        if let Some(queue) = self.by_key[db].get_mut(&key) {
            queue.signalled = false;
        }
        Some((db, key))
    }

    /// The oldest client behind `after` that waits for `key` to hold a `kind`.
    fn next_waiting(&self, db: usize, key: &[u8], kind: &'static str, after: u64) -> Option<(u64, ClientId)> {
        let queue = self.by_key.get(db)?.get(key)?;
        let mut behind = queue.waiting.range((kind, after + 1)..=(kind, u64::MAX));
        behind.next().map(|((_, turn), id)| (*turn, *id))
    }

    fn add(&mut self, waiter: Waiter) {
        let id = waiter.session.id;
        if self.by_key.len() <= waiter.db {
            self.by_key.resize_with(waiter.db + 1, AHashMap::new);
        }
        for key in &waiter.keys {
            let queue = self.by_key[waiter.db].entry(key.clone()).or_default();
            queue.waiting.insert((waiter.wants, waiter.turn), id);
        }
        if let Some(deadline) = waiter.deadline {
            self.timeouts.insert((deadline, id));
        }
        let twin = self.by_client.insert(id, waiter);
        assert!(twin.is_none(), "a client waits once");
    }

    fn remove(&mut self, id: ClientId) -> Option<Waiter> {
        let waiter = self.by_client.remove(&id)?;
        let queues = &mut self.by_key[waiter.db];
        for key in &waiter.keys {
            if let Some(queue) = queues.get_mut(key) {
                queue.waiting.remove(&(waiter.wants, waiter.turn));
                if queue.waiting.is_empty() {
                    queues.remove(key);
                }
            }
        }
        if let Some(deadline) = waiter.deadline {
            self.timeouts.remove(&(deadline, id));
        }
        Some(waiter)
    }

    pub(super) fn drop_client(&mut self, id: ClientId) {
        self.remove(id);
    }
}

impl Turn<'_> {
    /// Tries each key in order; if none serves, waits (or, where waiting is not allowed, answers as if the time were
    /// up).
    pub(super) fn serve_or_wait(&mut self, wait: Wait, out: &mut dyn Sink) -> Answer {
        if let Some(attempt) = wait.attempt {
            for key in &wait.keys {
                if self.ex.attempt(self.client.db, self.args, attempt, key, out)? {
                    return Ok(Flow::Next);
                }
            }
        }
        if self.context != Context::Direct {
            wait.on_timeout.replay(out);
            return Ok(Flow::Next);
        }
        self.client.session.raise(Signals::BLOCKED);
        let local = &mut self.ex.local;
        let deadline = wait.ttl_ms.and_then(|ttl_ms| self.ex.now.checked_add(ttl_ms));
        if let Some(deadline) = deadline {
            local.want_timer(deadline);
        }
        local.waiters.turns += 1;
        local.waiters.add(Waiter {
            session: Arc::clone(&self.client.session),
            turn: local.waiters.turns,
            db: self.client.db,
            resp3: self.client.resp3,
            silent: self.client.reply_mode != ReplyMode::On,
            request: Owned::new(self.args),
            keys: wait.keys,
            attempt: wait.attempt,
            wants: wait.wants,
            deadline,
            on_timeout: wait.on_timeout,
            seen: self.ex.trace.ticket(),
        });
        Ok(Flow::Blocked)
    }
}

impl Executor {
    fn attempt(
        &mut self,
        db: usize,
        args: Argv<'_>,
        attempt: Attempt,
        key: &[u8],
        out: &mut dyn Sink,
    ) -> Result<bool, CommandError> {
        let dirty = self.trace.begin_command();
        let keys = self.state.doors(&mut self.trace, db, self.now);
        let mut cx = Cx { keys, args, random: &mut self.local.random, limits: &self.local.limits };
        let served = attempt(&mut cx, key, out);
        debug_assert!(
            self.trace.explains(dirty) || !self.trace.recording,
            "a blocking command says itself what it is logged as"
        );
        served
    }

    /// Serves those who wait for keys that were changed, until no key serves anyone any more. While the journal has no
    /// room for what a service would write, waiters and their signals stay.
    ///
    /// The clock is read anew: what expired while the command ran serves nobody (Redis 7.0).
    pub(super) fn serve_waiters(&mut self) {
        self.now = self.local.clock.now();
        while self.journal.room().is_ok()
            && let Some((db, key)) = self.local.waiters.next_signalled()
        {
            self.serve_queue(db, &key);
        }
        // A key that turned out to be past its deadline was deleted.
        self.spread_changes();
        self.append_entry();
        self.send_mail();
    }

    /// Serves those who wait for `key`, oldest first, for as long as it holds what they wait for.
    fn serve_queue(&mut self, db: usize, key: &[u8]) {
        let mut after = 0;
        // Deletes a key past its deadline.
        self.state.doors(&mut self.trace, db, self.now).exists(key);
        loop {
            let doors = self.state.doors(&mut self.trace, db, self.now);
            let Some(kind) = doors.peek(key).map(Value::type_name) else { return };
            let Some((turn, id)) = self.local.waiters.next_waiting(db, key, kind, after) else { return };
            if self.journal.room().is_err() {
                self.local.waiters.signal(db, key);
                return;
            }
            self.serve(id, db, key);
            after = turn;
        }
    }

    /// Serves one waiter from `key`, if the key can; a refusal serves it too (BLMOVE to a key of another type).
    fn serve(&mut self, id: ClientId, db: usize, key: &[u8]) {
        let Some(waiter) = self.local.waiters.by_client.get_mut(&id) else { return };
        // One that is being closed must not take what another could use.
        let Some(attempt) = waiter.attempt.filter(|_| !waiter.session.has(Signals::KILLED)) else { return };
        let mut reply = Vec::new();
        let mut out = Encoder::new(&mut reply, waiter.resp3);
        // Lent while the attempt has the executor.
        let request = std::mem::take(&mut waiter.request);
        let outcome = self.attempt(db, &request.argv(), attempt, key, &mut out);
        match outcome {
            Ok(false) => {
                if let Some(waiter) = self.local.waiters.by_client.get_mut(&id) {
                    waiter.request = request;
                }
                return;
            }
            Ok(true) => {}
            Err(error) => {
                let text = error.to_string();
                self.local.stats.error(&text);
                if let Ok(row) = self.lookup(&request.argv()) {
                    self.local.stats.calls[row.id].failed += 1;
                }
                out.error(text.as_bytes());
            }
        }
        self.spread_changes();
        self.append_entry();
        self.send_mail();
        let ticket = self.trace.ticket();
        self.release(id, &reply, ticket);
    }

    /// Ends a wait with `reply`, which waits for `ticket`.
    fn release(&mut self, id: ClientId, reply: &[u8], ticket: Position) {
        let Some(waiter) = self.local.waiters.remove(id) else {
            return;
        };
        if !waiter.silent {
            let ticket = self.held_ticket(ticket);
            waiter.session.outbox.lock().push(reply, ticket);
        }
        waiter.session.lower(Signals::BLOCKED);
        self.local.wake(&waiter.session);
    }

    fn release_with(&mut self, id: ClientId, say: impl FnOnce(&Waiter, &mut dyn Sink)) {
        let Some(waiter) = self.local.waiters.by_client.get(&id) else {
            return;
        };
        let mut reply = Vec::new();
        say(waiter, &mut Encoder::new(&mut reply, waiter.resp3));
        let seen = waiter.seen;
        self.release(id, &reply, seen);
    }

    /// Answers all whose time is up, and ends a pause that is over.
    pub(super) fn end_waits(&mut self) {
        while let Some(&(at, id)) = self.local.waiters.timeouts.first() {
            if at > self.now {
                break;
            }
            self.release_with(id, |waiter, out| waiter.on_timeout.replay(out));
        }
        if self.local.pause.until().is_some_and(|until| until <= self.now) {
            self.end_pause();
        }
    }

    /// Lets all that a pause caught try again.
    pub(super) fn end_pause(&mut self) {
        for session in self.local.pause.end() {
            self.local.wake(&session);
        }
    }

    /// CLIENT UNBLOCK: ends the wait of another client as if its time were up, or with an error. False if it does not
    /// wait.
    pub(super) fn unblock(&mut self, id: ClientId, with_error: bool) -> bool {
        const UNBLOCKED: &str = "UNBLOCKED client unblocked via CLIENT UNBLOCK";
        let waiter = self.local.waiters.by_client.get(&id);
        let waits = waiter.is_some();
        if let Some(waiter) = waiter.filter(|_| with_error) {
            let row = self.lookup(&waiter.request.argv()).ok();
            self.local.stats.error(UNBLOCKED);
            if let Some(row) = row {
                self.local.stats.calls[row.id].failed += 1;
            }
        }
        self.release_with(id, |waiter, out| {
            if with_error {
                out.error(UNBLOCKED.as_bytes());
            } else {
                waiter.on_timeout.replay(out);
            }
        });
        waits
    }

    /// When the next wait or pause ends by itself.
    pub(super) fn next_wait_timeout(&self) -> Option<Millis> {
        [self.local.waiters.next_timeout(), self.local.pause.until()].into_iter().flatten().min()
    }
}
