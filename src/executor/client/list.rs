//! CLIENT LIST and CLIENT INFO: one line for each connection.

use super::{Class, OTHERS, OWN};
use crate::command::{Command, CommandError, Group, Spec, args};
use crate::executor::Executor;
use crate::executor::commands::{Answer, ControlCommand, Flow, Turn};
use crate::number;
use crate::reply::Sink;
use crate::request::Argv;
use crate::session::{Beat, Client, Session, Signals, Transaction};
use std::sync::Arc;

/// Redis answers from a buffer of this size and queues what does not fit; `obl` and `omem` tell the two apart.
const REPLY_BUFFER_BYTES: usize = 16 * 1024;

pub(super) const INFO: ControlCommand = Command::new(
    Spec {
        since: "6.2.0",
        summary: "Describes this connection as CLIENT LIST does.",
        tips: &["nondeterministic_output"],
        ..Spec::new("info", 2, Group::Connection, OWN)
    },
    |turn, out| {
        let session = Arc::clone(&turn.client.session);
        let mut text = Vec::new();
        turn.describe(&session, &mut text);
        out.verbatim("txt", &text);
        Ok(Flow::Next)
    },
);

pub(super) const LIST: ControlCommand = Command::new(
    Spec {
        since: "2.4.0",
        summary: "Describes all connections, those of one type, or those with the given numbers; one line each.",
        complexity: "O(N) where N is the number of client connections",
        syntax: "[TYPE <NORMAL | MASTER | REPLICA | PUBSUB>] [ID client-id [client-id ...]]",
        tips: &["nondeterministic_output"],
        ..Spec::new("list", -2, Group::Connection, OTHERS)
    },
    list,
);

fn list(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let sessions = match turn.args[2..] {
        [] => turn.ex.living_sessions(),
        [word, class] if args::is(word, "TYPE") => {
            let class = Class::parse(class)?;
            let mut sessions = turn.ex.living_sessions();
            sessions.retain(|session| Class::of(session) == class);
            sessions
        }
        [word, ref ids @ ..] if args::is(word, "ID") && !ids.is_empty() => turn.ex.sessions_by_id(ids)?,
        _ => return Err(CommandError::Syntax),
    };
    let mut text = Vec::new();
    for session in &sessions {
        turn.describe(session, &mut text);
    }
    out.verbatim("txt", &text);
    Ok(Flow::Next)
}

impl Executor {
    /// All connections that are not about to be closed, oldest first.
    pub(super) fn living_sessions(&self) -> Vec<Arc<Session>> {
        let mut sessions: Vec<_> = self.local.sessions.iter().map(|session| Arc::clone(&session)).collect();
        sessions.retain(|session| !session.has(Signals::KILLED));
        sessions.sort_unstable_by_key(|session| session.id);
        sessions
    }

    /// Connections in the order of their numbers as given; numbers of none are passed over.
    fn sessions_by_id(&self, ids: Argv<'_>) -> Result<Vec<Arc<Session>>, CommandError> {
        let mut sessions = Vec::new();
        for id in ids {
            let id = number::parse_int(id).ok_or(CommandError::Text("ERR Invalid client ID"))?;
            let known = self.local.sessions.get(&(id as u64)).map(|session| Arc::clone(&session));
            sessions.extend(known.filter(|session| !session.has(Signals::KILLED)));
        }
        Ok(sessions)
    }
}

impl Turn<'_> {
    /// Appends the line of one connection.
    fn describe(&self, session: &Session, into: &mut Vec<u8>) {
        let own = session.id == self.client.session.id;
        let now = self.ex.now;
        let beat = if own { self.client.beat(now) } else { session.pulse.beat() };
        let shown = session.shown.lock().clone();
        let (waiting_bytes, buffer_bytes) = {
            let outbox = session.outbox.lock();
            (outbox.len(), outbox.memory_usage())
        };
        let argv_bytes = if own { self.args.iter().map(|arg| arg.len()).sum() } else { 0 };
        let query_bytes = if own { wire_bytes(self.args) } else { session.held_input() };
        let beyond_bytes = waiting_bytes.saturating_sub(REPLY_BUFFER_BYTES);
        let multi_bytes = beat.queued.map_or(0, |_| beat.queued_bytes + size_of::<Transaction>());
        let total_bytes = size_of::<Session>() + size_of::<Client>() + buffer_bytes + query_bytes + multi_bytes;
        let command = beat.command.map_or("NULL", |id| self.ex.local.commands.name(id as usize));
        let mut put = |name: &str, value: &dyn std::fmt::Display| {
            into.extend_from_slice(format!("{name}={value} ").as_bytes());
        };
        put("id", &session.id);
        put("addr", &shown.addr);
        put("laddr", &shown.laddr);
        put("fd", &shown.fd);
        put("name", &String::from_utf8_lossy(&shown.name));
        put("age", &(now.since(session.created) / 1000));
        put("idle", &(now.since(beat.last_active) / 1000));
        put("flags", &letters(session.signals(), &beat));
        put("db", &beat.db);
        put("sub", &shown.subscriptions);
        put("psub", &shown.patterns);
        put("ssub", &shown.shard_subscriptions);
        put("multi", &beat.queued.map_or(-1, |count| count as i64));
        put("qbuf", &query_bytes);
        put("qbuf-free", &0);
        put("argv-mem", &argv_bytes);
        put("multi-mem", &multi_bytes);
        put("rbs", &buffer_bytes);
        put("rbp", &buffer_bytes);
        put("obl", &(waiting_bytes - beyond_bytes));
        put("oll", &usize::from(beyond_bytes > 0));
        put("omem", &beyond_bytes);
        put("tot-mem", &total_bytes);
        put("events", &if waiting_bytes > 0 { "rw" } else { "r" });
        put("cmd", &command);
        put("user", &shown.user);
        put("redir", &-1);
        put("resp", &if session.has(Signals::RESP3) { 3 } else { 2 });
        put("lib-name", &String::from_utf8_lossy(&shown.lib_name));
        put("lib-ver", &String::from_utf8_lossy(&shown.lib_ver));
        into.pop();
        into.push(b'\n');
    }
}

/// Flags in the order of Redis: a client held back by a pause counts as blocked.
fn letters(signals: Signals, beat: &Beat) -> String {
    let marks = [
        (Signals::FOLLOWER, 'S'),
        (Signals::MONITOR, 'O'),
        (Signals::SUBSCRIBED, 'P'),
        (Signals::TRANSACTION, 'x'),
        (Signals::BLOCKED.union(Signals::PAUSED), 'b'),
        (Signals::WATCH_BROKEN, 'd'),
        (Signals::CLOSE_AFTER_REPLY, 'c'),
        (Signals::KILLED, 'A'),
        (Signals::UNIX_SOCKET, 'U'),
        (Signals::NO_EVICT, 'e'),
        (Signals::NO_TOUCH, 'T'),
    ];
    let is_set =
        |signal: Signals| signals.intersects(signal) || (signal == Signals::TRANSACTION && beat.queued.is_some());
    let letters: String = marks.iter().filter(|(signal, _)| is_set(*signal)).map(|(_, letter)| *letter).collect();
    if letters.is_empty() { "N".to_owned() } else { letters }
}

/// Bytes that the request took on the wire, as an array of bulk strings.
fn wire_bytes(argv: Argv<'_>) -> usize {
    let head = |count: usize| 3 + count.to_string().len();
    head(argv.len()) + argv.iter().map(|arg| head(arg.len()) + arg.len() + 2).sum::<usize>()
}
