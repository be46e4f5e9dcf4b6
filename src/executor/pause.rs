//! CLIENT PAUSE: who is held back until when.

use crate::command::Flags;
use crate::request::ClientId;
use crate::session::{Client, Session, Signals};
use crate::time::Millis;
use std::sync::Arc;

/// What is held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    All,
    /// Commands that write or may have to be replicated.
    Writes,
}

/// A pause, and those it has caught.
#[derive(Default)]
pub(super) struct Pause {
    running: Option<(Held, Millis)>,
    caught: Vec<Arc<Session>>,
}

impl Pause {
    /// Starts a pause or prolongs the one that runs; never shortens it, and never weakens it (Redis 7.0).
    pub(super) fn start(&mut self, held: Held, until: Millis, now: Millis) {
        self.running = Some(match self.running.filter(|(_, end)| *end > now) {
            Some((Held::All, end)) => (Held::All, end.max(until)),
            Some((Held::Writes, end)) => (held, end.max(until)),
            None => (held, until),
        });
    }

    /// Ends the pause; gives back whom it caught.
    pub(super) fn end(&mut self) -> Vec<Arc<Session>> {
        self.running = None;
        for session in &self.caught {
            session.lower(Signals::PAUSED);
        }
        std::mem::take(&mut self.caught)
    }

    /// How many clients it holds.
    pub(super) fn held(&self) -> usize {
        self.caught.len()
    }

    /// When the pause ends by itself.
    pub(super) fn until(&self) -> Option<Millis> {
        self.running.map(|(_, until)| until)
    }

    /// Whether a pause runs. Nothing expires meanwhile (Redis 7.0).
    pub(super) fn runs(&self, now: Millis) -> bool {
        self.running.is_some_and(|(_, until)| until > now)
    }

    /// Whether a command with these flags (for EXEC those of its queue too) must wait; if so the client is caught.
    pub(super) fn holds(&mut self, flags: Flags, now: Millis, client: &Client) -> bool {
        let Some((held, _)) = self.running.filter(|(_, until)| *until > now) else {
            return false;
        };
        let caught = match held {
            // Redis 7.0 lets nobody pass but replicas; CLIENT itself would be locked out as well, UNPAUSE included.
            Held::All => true,
            Held::Writes => flags.intersects(Flags::WRITE | Flags::MAY_REPLICATE),
        };
        if caught && !client.session.has(Signals::PAUSED) {
            client.session.raise(Signals::PAUSED);
            self.caught.push(Arc::clone(&client.session));
        }
        caught
    }

    pub(super) fn drop_client(&mut self, id: ClientId) {
        self.caught.retain(|session| session.id != id);
    }
}
