//! What all I/O threads share: the executor behind its lock, the desk that answers beside a slow script, the links by
//! which messages reach their sockets, and the timer.

use super::connection::{Flushed, Link};
use super::departures::Departures;
use super::timer::Timer;
use crate::executor::{Desk, Executor, Knobs};
use crate::journal::Position;
use crate::request::ClientId;
use crate::session::{Client, Registry, Session, Signals};
use crate::time::Clock;
use dashmap::DashMap;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

/// Up to this many receivers are sent their messages by the thread that ran the command; more are left to their own
/// threads, in slices.
const SENT_AT_ONCE: usize = 8;

/// Sessions whose outbox got something from another thread's turn, and who is asked to send it.
#[derive(Default)]
pub(super) struct Mailbox {
    sessions: Mutex<Vec<Arc<Session>>>,
    wake: Notify,
}

/// The executor, or the news that a slow script holds it.
pub(super) enum Locked<'a> {
    Free(MutexGuard<'a, Executor>),
    Busy,
}

/// One of the `maxclients` places, from the moment a connection is accepted; given back when dropped.
pub(super) struct Place(Arc<Shared>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.places.fetch_sub(1, Ordering::Relaxed);
    }
}

pub(super) struct Shared {
    executor: Mutex<Executor>,
    /// Answers while a slow script holds the executor.
    pub(super) desk: Arc<Desk>,
    pub(super) clock: Arc<Clock>,
    pub(super) registry: Arc<Registry>,
    links: DashMap<ClientId, Arc<Link>>,
    /// One per I/O thread.
    mailboxes: Vec<Mailbox>,
    departures: Vec<Departures>,
    pub(super) timer: Timer,
    /// Settings that are read without the executor's lock.
    pub(super) knobs: Arc<Knobs>,
    holds_back: bool,
    committed: Mutex<Position>,
    next_id: AtomicU64,
    places: AtomicUsize,
    pub(super) stopping: AtomicBool,
}

impl Shared {
    pub(super) fn new(executor: Executor, threads: usize, timer: Timer) -> Self {
        Self {
            desk: executor.desk(),
            clock: executor.clock(),
            registry: executor.sessions(),
            links: DashMap::new(),
            mailboxes: (0..threads).map(|_| Mailbox::default()).collect(),
            departures: (0..threads).map(|_| Departures::default()).collect(),
            timer,
            knobs: executor.knobs(),
            holds_back: executor.holds_back(),
            committed: Mutex::new(executor.committed()),
            executor: Mutex::new(executor),
            next_id: AtomicU64::new(1),
            places: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
        }
    }

    /// The executor, waited for as long as whoever has it is quick.
    pub(super) fn lock(&self) -> Locked<'_> {
        if let Some(guard) = self.executor.try_lock() {
            return Locked::Free(guard);
        }
        loop {
            if self.desk.is_busy() {
                return Locked::Busy;
            }
            if let Some(guard) = self.executor.try_lock_for(Duration::from_millis(2)) {
                return Locked::Free(guard);
            }
        }
    }

    /// Ends a turn: unlocks, and has everything said in it sent. `own` is left to its own task.
    pub(super) fn unlock(&self, mut executor: MutexGuard<'_, Executor>, own: &Link, fairly: bool) {
        let ready = self.leave(&mut executor);
        if fairly {
            MutexGuard::unlock_fair(executor);
        } else {
            drop(executor);
        }
        self.post(ready, Some(own.session.id));
    }

    /// What must be told when the executor is unlocked; sets the timer.
    fn leave(&self, executor: &mut Executor) -> Vec<Arc<Session>> {
        if self.holds_back {
            *self.committed.lock() = executor.committed();
        }
        if let Some(soonest) = executor.take_soonest() {
            self.timer.arm(soonest, &self.clock);
        }
        executor.take_ready()
    }

    /// Does something with the executor outside of any connection; false when a slow script holds it.
    pub(super) fn with_executor(&self, run: impl FnOnce(&mut Executor)) -> bool {
        let Locked::Free(mut executor) = self.lock() else {
            return false;
        };
        run(&mut executor);
        let ready = self.leave(&mut executor);
        drop(executor);
        self.post(ready, None);
        true
    }

    /// Puts sessions into the mailboxes of their threads, with one wake-up for each thread.
    fn post(&self, mut ready: Vec<Arc<Session>>, own: Option<ClientId>) {
        if ready.is_empty() {
            return;
        }
        ready.retain(|session| Some(session.id) != own);
        if ready.len() <= SENT_AT_ONCE {
            // As in Redis, a message is on its way before the reply of the command that sent it.
            return ready.iter().filter_map(|session| self.link_of(session)).for_each(|link| self.send(&link));
        }
        // The sockets are looked up by whoever sends, in its slices: here everyone else waits.
        for (thread, mailbox) in self.mailboxes.iter().enumerate() {
            let mut sessions = mailbox.sessions.lock();
            let before = sessions.len();
            sessions.extend(ready.extract_if(.., |session| session.thread == thread));
            let told = sessions.len() > before;
            drop(sessions);
            if told {
                mailbox.wake.notify_one();
            }
        }
    }

    /// Sends what other turns left for the connections of `thread`, for ever. In slices: ten thousand subscribers must
    /// not keep the thread's other connections waiting.
    pub(super) async fn deliver(self: Arc<Self>, thread: usize) {
        const SLICE_US: i64 = 500;
        let mailbox = &self.mailboxes[thread];
        loop {
            mailbox.wake.notified().await;
            let mut sessions = std::mem::take(&mut *mailbox.sessions.lock()).into_iter();
            while sessions.len() > 0 {
                let start_us = self.clock.now_us();
                for session in sessions.by_ref() {
                    if let Some(link) = self.link_of(&session) {
                        self.send(&link);
                    }
                    if self.clock.now_us() - start_us > SLICE_US {
                        break;
                    }
                }
                if sessions.len() > 0 {
                    tokio::task::yield_now().await;
                }
            }
        }
    }

    fn link_of(&self, session: &Session) -> Option<Arc<Link>> {
        self.links.get(&session.id).map(|link| Arc::clone(&link))
    }

    /// Sends at once what the socket takes; the connection's own task does the rest, and whatever else was signalled.
    pub(super) fn send(&self, link: &Link) {
        let flushed = link.flush(self.committed());
        let own_business = Signals::KILLED | Signals::CLOSE_AFTER_REPLY | Signals::WOKEN;
        if flushed != Flushed::Done || link.session.has(own_business) {
            link.session.lower(Signals::WOKEN);
            link.wake();
        }
    }

    /// When the replies of an I/O thread's connections leave.
    pub(super) fn departures(&self, thread: usize) -> &Departures {
        &self.departures[thread]
    }

    /// Up to where outboxes may leave.
    pub(super) fn committed(&self) -> Position {
        if self.holds_back { *self.committed.lock() } else { Position::default() }
    }

    /// Learns how far the journal has come, and sends what that sets free. True while something is still held back.
    pub(super) fn follow_journal(&self) -> bool {
        if !self.holds_back {
            return false;
        }
        let committed = self.executor.try_lock().map(|mut executor| {
            if let Err(error) = executor.recover_if_lost() {
                tracing::error!("Cannot rebuild the data set from the journal: {error}");
                executor.shut_down(1);
            }
            executor.committed()
        });
        if let Some(committed) = committed {
            *self.committed.lock() = committed;
        }
        let mut held = false;
        for link in &self.links {
            let holds = {
                let outbox = link.session.outbox.lock();
                outbox.holds()
            };
            if holds || link.session.has(Signals::KILLED) {
                self.send(&link);
            }
            held |= holds;
        }
        held
    }

    pub(super) fn holds_back(&self) -> bool {
        self.holds_back
    }

    pub(super) fn next_id(&self) -> ClientId {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn add(&self, link: &Arc<Link>) {
        self.registry.insert(link.session.id, Arc::clone(&link.session));
        self.links.insert(link.session.id, Arc::clone(link));
    }

    /// A place for one more client, if `maxclients` leaves one.
    pub(super) fn take_place(self: &Arc<Self>) -> Option<Place> {
        let most = self.knobs.maxclients.load(Ordering::Relaxed);
        let one_more = |taken: usize| ((taken as u64) < most).then_some(taken + 1);
        self.places.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok()?;
        Some(Place(Arc::clone(self)))
    }

    /// A connection is over.
    pub(super) fn disconnect(&self, client: &mut Client) {
        // Until it is forgotten nobody may serve it: what it would be given would be lost.
        client.session.raise(Signals::KILLED);
        self.registry.remove(&client.session.id);
        self.links.remove(&client.session.id);
        if !self.with_executor(|executor| executor.disconnect(client)) {
            // A slow script has the executor; whoever gets it next cleans up.
            self.desk.bury(Arc::clone(&client.session), std::mem::take(&mut client.watched));
        }
    }

    /// All links, for the periodic look at idle and overrun clients.
    pub(super) fn for_each_link(&self, mut visit: impl FnMut(&Arc<Link>)) {
        for link in &self.links {
            visit(&link);
        }
    }

    pub(super) fn count_input(&self, bytes: usize) {
        self.knobs.input_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(super) fn proto_max_bulk_len(&self) -> usize {
        self.knobs.proto_max_bulk_len.load(Ordering::Relaxed) as usize
    }

    pub(super) fn query_buffer_limit(&self) -> usize {
        self.knobs.query_buffer_limit.load(Ordering::Relaxed) as usize
    }

    pub(super) fn query_buffer_overrun(&self, session: &Session) {
        let addr = session.shown.lock().addr.clone();
        tracing::warn!("Closing client {addr} that reached max query buffer length");
        self.knobs.query_buffer_kills.fetch_add(1, Ordering::Relaxed);
    }
}
