//! MULTI, EXEC, DISCARD, WATCH, UNWATCH.
//!
//! A watched key that anyone changes breaks the watch, whether by a command, a script or its own expiry; a failed
//! SET NX is no change. A key already past its deadline when it is watched counts as missing (Redis 7.0).

use super::Executor;
use super::commands::{Answer, Context, ControlCommand, Flow, Turn};
use crate::command::{Access, Categories, Command, CommandError, Flags, Group, KeySpec, Spec};
use crate::reply::Sink;
use crate::session::{Client, Signals, Transaction};
use std::sync::Arc;

pub(super) const COMMANDS: &[ControlCommand] = &[MULTI, EXEC, DISCARD, WATCH, UNWATCH];

const FLAGS: Flags = Flags::NOSCRIPT.union(Flags::LOADING).union(Flags::STALE).union(Flags::ALLOW_BUSY);

pub(super) const NESTED: CommandError = CommandError::Text("ERR MULTI calls can not be nested");
pub(super) const NO_MULTI: CommandError = CommandError::Text("ERR DISCARD without MULTI");

const MULTI: ControlCommand = Command::new(
    Spec {
        since: "1.2.0",
        summary: "Starts a transaction: what follows is queued until EXEC.",
        ..Spec::new("multi", 1, Group::Transactions, FLAGS.union(Flags::FAST))
    },
    multi,
);

fn multi(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    if turn.client.transaction.is_some() {
        return Err(NESTED);
    }
    turn.client.transaction = Some(Box::new(Transaction::default()));
    turn.client.session.raise(Signals::TRANSACTION);
    out.status("OK");
    Ok(Flow::Next)
}

const EXEC: ControlCommand = Command::new(
    Spec {
        since: "1.2.0",
        summary: "Runs all that was queued since MULTI, unless a watched key has changed.",
        complexity: "Depends on commands in the transaction",
        ..Spec::new(
            "exec",
            1,
            Group::Transactions,
            Flags::NOSCRIPT.union(Flags::LOADING).union(Flags::STALE).union(Flags::SKIP_SLOWLOG),
        )
    },
    exec,
);

fn exec(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let Some(transaction) = turn.client.transaction.take() else {
        return Err(CommandError::Text("ERR EXEC without MULTI"));
    };
    turn.client.session.lower(Signals::TRANSACTION);
    turn.ex.expire_watched(turn.client);
    let broken = turn.client.session.has(Signals::WATCH_BROKEN);
    turn.ex.unwatch(turn.client);
    if transaction.aborted {
        return Err(CommandError::Text("EXECABORT Transaction discarded because of previous errors."));
    }
    if broken {
        out.nil_array();
        return Ok(Flow::Next);
    }
    out.array(transaction.queue.len());
    let mut flow = Flow::Next;
    for request in &transaction.queue {
        let argv = request.argv();
        match turn.ex.lookup(&argv) {
            Err(error) => out.error(error.to_string().as_bytes()),
            Ok(row) => {
                if turn.ex.call(turn.client, row, &argv, Context::Exec, out) == Flow::Close {
                    flow = Flow::Close;
                }
            }
        }
    }
    Ok(flow)
}

const DISCARD: ControlCommand = Command::new(
    Spec {
        since: "2.0.0",
        summary: "Drops all that was queued since MULTI, and all watches.",
        complexity: "O(N), when N is the number of queued commands",
        ..Spec::new("discard", 1, Group::Transactions, FLAGS.union(Flags::FAST))
    },
    discard,
);

fn discard(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    if turn.client.transaction.is_none() {
        return Err(NO_MULTI);
    }
    turn.ex.discard_transaction(turn.client);
    out.status("OK");
    Ok(Flow::Next)
}

const WATCH: ControlCommand = Command::new(
    Spec {
        keys: &[KeySpec::range(1, -1, 1, Access::RO)],
        since: "2.2.0",
        summary: "Makes the next EXEC fail if one of these keys changes before it.",
        complexity: "O(1) for every key.",
        syntax: "key [key ...]",
        categories: Categories::empty(),
        ..Spec::new("watch", -2, Group::Transactions, FLAGS.union(Flags::FAST))
    },
    watch,
);

fn watch(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    if turn.client.transaction.is_some() {
        return Err(CommandError::Text("ERR WATCH inside MULTI is not allowed"));
    }
    for key in &turn.args[1..] {
        turn.ex.watch(turn.client, key);
    }
    out.status("OK");
    Ok(Flow::Next)
}

const UNWATCH: ControlCommand = Command::new(
    Spec {
        since: "2.2.0",
        summary: "Drops all watches of this connection.",
        ..Spec::new("unwatch", 1, Group::Transactions, FLAGS.union(Flags::FAST))
    },
    unwatch,
);

fn unwatch(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    turn.ex.unwatch(turn.client);
    out.status("OK");
    Ok(Flow::Next)
}

impl Executor {
    fn watch(&mut self, client: &mut Client, key: &[u8]) {
        let place = (client.db, Box::from(key));
        if client.watched.contains(&place) {
            return;
        }
        // A key past its deadline goes now, even during a pause, so that its deletion does not break this watch later.
        self.trace.keeps_expired = false;
        self.state.doors(&mut self.trace, client.db, self.now).exists(key);
        self.spread_changes();
        self.local.watchers.entry(place.clone()).or_default().push(Arc::clone(&client.session));
        client.watched.push(place);
    }

    /// Deletes those watched keys whose deadline has passed, which breaks their watches.
    fn expire_watched(&mut self, client: &Client) {
        self.trace.listening = self.local.listens();
        self.trace.keeps_expired = false;
        for (db, key) in &client.watched {
            self.state.doors(&mut self.trace, *db, self.now).exists(key);
        }
        self.spread_changes();
    }

    /// Drops all watches of a client.
    pub(super) fn unwatch(&mut self, client: &mut Client) {
        for place in client.watched.drain(..) {
            if let Some(sessions) = self.local.watchers.get_mut(&place) {
                sessions.retain(|session| session.id != client.session.id);
                if sessions.is_empty() {
                    self.local.watchers.remove(&place);
                }
            }
        }
        client.session.lower(Signals::WATCH_BROKEN);
    }

    /// Drops a transaction and its watches.
    pub(super) fn discard_transaction(&mut self, client: &mut Client) {
        client.transaction = None;
        client.session.lower(Signals::TRANSACTION);
        self.unwatch(client);
    }
}
