//! What happens once a command, script or transaction of the top level has ended: its effects go to the journal, its
//! messages to the outboxes, and those who waited for its keys are served, oldest first.

use super::Executor;
use crate::config::Config;
use crate::event::EventClasses;
use crate::keyspace::Event;
use crate::reply::Sink;
use crate::request::ClientId;
use crate::resp::Encoder;
use crate::session::{Registry, Session, Signals, Verdict};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// The buffers of messages stay for the next ones up to these capacities.
const KEPT_BYTES: usize = 16 * 1024;
const KEPT_RECEIVERS: usize = 1024;

/// Messages said by the running command, not yet in any outbox. One text serves many receivers.
#[derive(Default)]
pub(crate) struct Mail {
    bytes: Vec<u8>,
    to: Vec<(Arc<Session>, Range<usize>)>,
}

/// One message in both protocols, each written when first needed.
#[derive(Default)]
pub(super) struct Texts([Option<Range<usize>>; 2]);

impl Mail {
    /// Addresses a message to a subscriber; false if it is gone or about to be.
    pub(super) fn send(&mut self, sessions: &Registry, client: ClientId, texts: &mut Texts, words: &[&[u8]]) -> bool {
        let Some(session) = sessions.get(&client).filter(|session| !session.has(Signals::KILLED)) else {
            return false;
        };
        let resp3 = session.has(Signals::RESP3);
        let text = texts.0[usize::from(resp3)].get_or_insert_with(|| {
            self.write(resp3, |out| {
                out.push(words.len());
                words.iter().for_each(|word| out.bulk(word));
            })
        });
        self.to.push((Arc::clone(&session), text.clone()));
        true
    }

    /// Adds a message text; receivers are named with [`Mail::address`].
    pub(crate) fn write(&mut self, resp3: bool, say: impl FnOnce(&mut dyn Sink)) -> Range<usize> {
        let start = self.bytes.len();
        say(&mut Encoder::new(&mut self.bytes, resp3));
        start..self.bytes.len()
    }

    pub(crate) fn address(&mut self, session: &Arc<Session>, text: Range<usize>) {
        self.to.push((Arc::clone(session), text));
    }
}

impl Executor {
    /// Ends a command of the top level.
    pub(super) fn commit(&mut self) {
        if self.trace.recording {
            self.append_entry();
        }
        if !self.local.mail.to.is_empty() {
            self.send_mail();
        }
        if self.local.waiters.any_signalled() {
            self.serve_waiters();
        }
        for garbage in self.trace.garbage.drain(..) {
            (self.local.hooks.discard)(garbage);
        }
    }

    /// Appends what was decided since the last call as one entry.
    pub(super) fn append_entry(&mut self) {
        let expiries = std::mem::take(&mut self.trace.expiries);
        if let Some(entry) = self.trace.take_entry(self.now) {
            if !self.local.followers.is_empty() {
                self.feed_followers(&entry, entry.effects.len() > expiries);
            }
            let at = self.journal.append(entry);
            self.trace.mark_written(at);
        }
    }

    /// Puts the messages said so far into the outboxes, in order.
    pub(super) fn send_mail(&mut self) {
        let ticket = self.held_ticket(self.trace.ticket());
        let Mail { mut bytes, mut to } = std::mem::take(&mut self.local.mail);
        for (session, text) in to.drain(..) {
            let text = &bytes[text];
            if session.id == self.local.running {
                self.local.self_mail.extend_from_slice(text);
                continue;
            }
            let limit = self.local.buffer_limit(&session);
            let mut outbox = session.outbox.lock();
            if session.has(Signals::KILLED) {
                continue;
            }
            outbox.push(text, ticket);
            if outbox.verdict(limit, self.now) == Verdict::Overrun {
                self.local.stats.output_buffer_kills += 1;
                outbox.drop_all();
                session.raise(Signals::KILLED);
            }
            let queued = std::mem::replace(&mut outbox.queued, true);
            drop(outbox);
            if !queued {
                self.local.ready.push(session);
            }
        }
        if bytes.capacity() <= KEPT_BYTES && to.capacity() <= KEPT_RECEIVERS {
            bytes.clear();
            self.local.mail = Mail { bytes, to };
        }
    }

    /// Publishes one keyspace event to both of its channels, as `notify-keyspace-events` allows.
    pub(super) fn publish_event(&mut self, db: usize, key: &[u8], event: Event) {
        let classes = self.local.config.notify_keyspace_events;
        if classes.contains(EventClasses::KEYSPACE) {
            let channel = [format!("__keyspace@{db}__:").as_bytes(), key].concat();
            self.local.publish(&channel, event.name.as_bytes());
        }
        if classes.contains(EventClasses::KEYEVENT) {
            let mut channel = SmallVec::<[u8; 48]>::from_slice(b"__keyevent@");
            channel.extend_from_slice(itoa::Buffer::new().format(db).as_bytes());
            channel.extend_from_slice(b"__:");
            channel.extend_from_slice(event.name.as_bytes());
            self.local.publish(&channel, key);
        }
    }
}

/// Event classes that reach anyone: none unless keyspace or keyevent channels are on.
pub(super) fn published_events(config: &Config) -> EventClasses {
    let classes = config.notify_keyspace_events;
    let channels = EventClasses::KEYSPACE | EventClasses::KEYEVENT;
    if classes.intersects(channels) { classes - channels } else { EventClasses::empty() }
}
