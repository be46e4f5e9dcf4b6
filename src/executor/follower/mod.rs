//! SYNC: the data set as an RDB image, and behind it every effect, as a replica of Redis 7.0 would be sent them.
//!
//! For tools that read a replication stream (`redis-cli --rdb`, `redis-cli --replica`, change capture). A Redis server
//! cannot follow: there is no PSYNC, and nothing that a follower says is heard.
//!
//! As Redis writes it: SELECT where the database changes, MULTI and EXEC around the several effects of one command,
//! script or transaction, but not around deletions of keys that were found past their deadline. Deadlines are Unix
//! times.

mod image;

use super::Executor;
use super::commands::{Answer, Context, ControlCommand, Flow, Turn};
use super::local::Local;
use crate::command::{Command, CommandError, Flags, Group, Spec};
use crate::journal::{Effect, Entry};
use crate::number;
use crate::reply::Sink;
use crate::session::{Session, Signals};
use std::sync::Arc;

pub(super) const COMMANDS: &[ControlCommand] = &[SYNC];

const SYNC: ControlCommand = Command::new(
    Spec {
        summary: "Sends all data as an RDB image, and then every change as it happens.",
        complexity: "O(N) for the image, where N is the size of all data",
        ..Spec::new(
            "sync",
            1,
            Group::Server,
            Flags::ADMIN.union(Flags::NO_ASYNC_LOADING).union(Flags::NO_MULTI).union(Flags::NOSCRIPT),
        )
    },
    sync,
);

/// Those who get the stream.
#[derive(Default)]
pub(super) struct Followers {
    sessions: Vec<Arc<Session>>,
    /// The database their stream is in; `None` when the next effect must name it.
    db: Option<usize>,
}

impl Followers {
    pub(super) fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.sessions.len()
    }

    /// The IP address of each.
    pub(super) fn addresses(&self) -> Vec<String> {
        let address = |session: &Arc<Session>| {
            let shown = session.shown.lock();
            shown.addr.rsplit_once(':').map_or_else(String::new, |(ip, _)| ip.trim_matches(['[', ']']).to_owned())
        };
        self.sessions.iter().map(address).collect()
    }

    pub(super) fn drop_client(&mut self, session: &Session) {
        self.sessions.retain(|follower| follower.id != session.id);
    }
}

fn sync(turn: &mut Turn<'_>, _: &mut dyn Sink) -> Answer {
    if turn.context != Context::Direct {
        return Err(CommandError::Text("ERR Command not allowed inside a transaction"));
    }
    let session = &turn.client.session;
    // Redis answers a second SYNC with silence.
    if session.has(Signals::FOLLOWER) {
        return Ok(Flow::Next);
    }
    session.raise(Signals::FOLLOWER);
    let ex = &mut *turn.ex;
    ex.trace.touch_all();
    ex.trace.recording = true;
    let image = image::of_state(&ex.state);
    // The image has no line end behind it, which no reply of the protocol is like.
    ex.local.self_lines.extend_from_slice(format!("${}\r\n", image.len()).as_bytes());
    ex.local.self_lines.extend_from_slice(&image);
    ex.local.followers.sessions.push(Arc::clone(session));
    ex.local.followers.db = None;
    Ok(Flow::Next)
}

impl Executor {
    /// Sends what an entry says to all followers. `wrapped` entries of several effects are one transaction.
    pub(super) fn feed_followers(&mut self, entry: &Entry, wrapped: bool) {
        let wall_offset_ms = self.state.wall_offset_ms();
        let effects: Vec<Effect> =
            entry.effects.iter().filter_map(|effect| as_request(effect, wall_offset_ms)).collect();
        let Some(first) = effects.first() else { return };
        let Local { followers, mail, .. } = &mut self.local;
        let wrapped = wrapped && effects.len() > 1;
        let mut first = Some(first.db);
        let text = mail.write(false, |out| {
            for effect in &effects {
                if followers.db != Some(effect.db) {
                    followers.db = Some(effect.db);
                    say(out, &[b"SELECT", effect.db.to_string().as_bytes()]);
                }
                if first.take().is_some() && wrapped {
                    say(out, &[b"MULTI"]);
                }
                say(out, &effect.argv.iter().map(Vec::as_slice).collect::<Vec<_>>());
            }
            if wrapped {
                say(out, &[b"EXEC"]);
            }
        });
        for session in &followers.sessions {
            mail.address(session, text.clone());
        }
    }
}

fn say(out: &mut dyn Sink, argv: &[&[u8]]) {
    out.array(argv.len());
    argv.iter().for_each(|word| out.bulk(word));
}

/// The effect as a request that Redis understands; `None` for what concerns this server's clock alone.
fn as_request(mut effect: Effect, wall_offset_ms: i64) -> Option<Effect> {
    let argv = &mut effect.argv;
    let deadline = match argv[0].as_slice() {
        b"CLOCK" => return None,
        b"PEXPIREAT" => 2,
        b"SET" => argv.iter().skip(3).position(|word| word == b"PXAT").map_or(usize::MAX, |at| at + 4),
        _ => usize::MAX,
    };
    if let Some(at) = argv.get(deadline).and_then(|word| number::parse_int(word)) {
        argv[deadline] = at.saturating_add(wall_offset_ms).to_string().into_bytes();
        if argv.last().is_some_and(|word| word == b"WALL") {
            argv.pop();
        }
    }
    Some(effect)
}

#[cfg(test)]
mod tests;
