//! Clients that wait in a blocking command, and how they are served.
//!
//! A blocking command tries its keys once; if none serves it, it becomes a [`Waiter`] with its request, and `attempt` is run
//! again for a key whenever that key was changed. Waiters of a key are served oldest first, after the command, script or
//! transaction that changed it has ended (Redis 7.0: the key changed first serves, not the first of the argument list).

use super::commands::{Context, Flow, Turn};
use super::{Answer, Executor};
use crate::command::{CommandError, Cx};
use crate::reply::{Reply, Sink};
use crate::request::{ClientId, Owned};
use crate::resp::Encoder;
use crate::session::{Session, Signals};
use crate::time::Millis;
use ahash::AHashMap;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// Tries to serve the request in `cx.args` from one key: true when it has replied. Must not change anything otherwise.
pub(super) type Attempt = fn(&mut Cx<'_>, key: &[u8], &mut dyn Sink) -> Result<bool, CommandError>;

/// One waiting client.
pub(super) struct Waiter {
    session: Arc<Session>,
    db: usize,
    resp3: bool,
    request: Owned,
    keys: Vec<Box<[u8]>>,
    /// `None` for those that wait for no key (WAIT).
    attempt: Option<Attempt>,
    /// The type a key must hold to serve it; others leave it waiting.
    wants: &'static str,
    deadline: Option<Millis>,
    on_timeout: Reply,
}

type Place = (usize, Box<[u8]>);

/// All waiting clients.
#[derive(Default)]
pub(super) struct Waiters {
    by_client: AHashMap<ClientId, Waiter>,
    by_key: AHashMap<Place, VecDeque<ClientId>>,
    timeouts: BTreeSet<(Millis, ClientId)>,
    signalled: VecDeque<Place>,
}

/// What a blocking command waits with.
pub(super) struct Wait {
    pub(super) keys: Vec<Box<[u8]>>,
    pub(super) attempt: Option<Attempt>,
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
        if self.by_key.is_empty() {
            return;
        }
        let place = (db, Box::from(key));
        if self.by_key.contains_key(&place) && !self.signalled.contains(&place) {
            self.signalled.push_back(place);
        }
    }

    fn add(&mut self, waiter: Waiter) {
        let id = waiter.session.id;
        for key in &waiter.keys {
            let queue = self.by_key.entry((waiter.db, key.clone())).or_default();
            if !queue.contains(&id) {
                queue.push_back(id);
            }
        }
        if let Some(deadline) = waiter.deadline {
            self.timeouts.insert((deadline, id));
        }
        let twin = self.by_client.insert(id, waiter);
        assert!(twin.is_none(), "a client waits once");
    }

    fn remove(&mut self, id: ClientId) -> Option<Waiter> {
        let waiter = self.by_client.remove(&id)?;
        for key in &waiter.keys {
            let place = (waiter.db, key.clone());
            if let Some(queue) = self.by_key.get_mut(&place) {
                queue.retain(|waiting| *waiting != id);
                if queue.is_empty() {
                    self.by_key.remove(&place);
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
    /// Tries each key in order; if none serves, waits (or, where waiting is not allowed, answers as if the time were up).
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
        let deadline = wait.ttl_ms.and_then(|ttl_ms| self.ex.now.checked_add(ttl_ms));
        self.ex.local.waiters.add(Waiter {
            session: Arc::clone(&self.client.session),
            db: self.client.db,
            resp3: self.client.resp3,
            request: Owned::new(self.args),
            keys: wait.keys,
            attempt: wait.attempt,
            wants: wait.wants,
            deadline,
            on_timeout: wait.on_timeout,
        });
        Ok(Flow::Blocked)
    }
}

impl Executor {
    fn attempt(
        &mut self,
        db: usize,
        args: crate::request::Argv<'_>,
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

    /// Serves those who wait for keys that were changed, until no key serves anyone any more.
    pub(super) fn serve_waiters(&mut self) {
        while let Some((db, key)) = self.local.waiters.signalled.pop_front() {
            let ids: Vec<ClientId> =
                self.local.waiters.by_key.get(&(db, key.clone())).into_iter().flatten().copied().collect();
            for id in ids {
                if !self.serve(id, db, &key) {
                    break;
                }
            }
        }
    }

    /// Serves one waiter from `key`; false when the key can serve nobody any more.
    fn serve(&mut self, id: ClientId, db: usize, key: &[u8]) -> bool {
        let Some(waiter) = self.local.waiters.by_client.get(&id) else {
            return true;
        };
        let Some(value) = self.state.doors(&mut self.trace, db, self.now).peek(key).map(|value| value.type_name())
        else {
            return false;
        };
        let Some(attempt) = waiter.attempt.filter(|_| waiter.wants == value) else {
            return true;
        };
        let (request, resp3) = (waiter.request.clone(), waiter.resp3);
        let mut reply = Vec::new();
        let mut out = Encoder::new(&mut reply, resp3);
        match self.attempt(db, &request.argv(), attempt, key, &mut out) {
            Ok(false) => return true,
            Ok(true) => {}
            Err(error) => out.error(error.to_string().as_bytes()),
        }
        self.spread_changes();
        self.append_entry();
        self.send_mail();
        self.release(id, &reply);
        true
    }

    /// Ends a wait with `reply`.
    fn release(&mut self, id: ClientId, reply: &[u8]) {
        let Some(waiter) = self.local.waiters.remove(id) else {
            return;
        };
        let ticket = self.held_ticket(self.trace.ticket());
        waiter.session.outbox.lock().push(reply, ticket);
        waiter.session.lower(Signals::BLOCKED);
        self.local.wake(&waiter.session);
    }

    fn release_with(&mut self, id: ClientId, say: impl FnOnce(&Waiter, &mut dyn Sink)) {
        let Some(waiter) = self.local.waiters.by_client.get(&id) else {
            return;
        };
        let mut reply = Vec::new();
        say(waiter, &mut Encoder::new(&mut reply, waiter.resp3));
        self.release(id, &reply);
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

    /// CLIENT UNBLOCK: ends the wait of another client as if its time were up, or with an error. False if it does not wait.
    pub(super) fn unblock(&mut self, id: ClientId, with_error: bool) -> bool {
        let waits = self.local.waiters.by_client.contains_key(&id);
        self.release_with(id, |waiter, out| {
            if with_error {
                out.error(b"UNBLOCKED client unblocked via CLIENT UNBLOCK");
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
