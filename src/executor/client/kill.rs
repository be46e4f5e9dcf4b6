//! CLIENT KILL.

use super::{Class, OTHERS};
use crate::command::{Command, CommandError, Group, Spec, args};
use crate::executor::Executor;
use crate::executor::commands::{Answer, ControlCommand, Flow, Turn};
use crate::number;
use crate::reply::Sink;
use crate::request::{Argv, ClientId};
use crate::session::{Session, Signals};
use std::sync::Arc;

pub(super) const KILL: ControlCommand = Command::new(
    Spec {
        since: "2.4.0",
        summary: "Closes the connection with an address, or all that fit the filters; answers how many those are.",
        complexity: "O(N) where N is the number of client connections",
        syntax: "[ip:port] [ID client-id] [TYPE <NORMAL | MASTER | SLAVE | REPLICA | PUBSUB>] [USER username] \
                 [ADDR ip:port] [LADDR ip:port] [SKIPME yes/no]",
        ..Spec::new("kill", -3, Group::Connection, OTHERS)
    },
    kill,
);

/// Which connections are meant. What is `None` does not matter.
#[derive(Debug, Default)]
struct Filter<'a> {
    id: Option<ClientId>,
    class: Option<Class>,
    addr: Option<&'a [u8]>,
    laddr: Option<&'a [u8]>,
    user: Option<&'a [u8]>,
    /// Takes the own connection too.
    own: bool,
}

impl<'a> Filter<'a> {
    fn parse(words: Argv<'a>) -> Result<Self, CommandError> {
        let mut filter = Self::default();
        for pair in words.chunks(2) {
            let [option, value] = pair else {
                return Err(CommandError::Syntax);
            };
            match &*option.to_ascii_lowercase() {
                b"id" => filter.id = Some(parse_id(value)?),
                b"type" => filter.class = Some(Class::parse(value)?),
                b"addr" => filter.addr = Some(value),
                b"laddr" => filter.laddr = Some(value),
                b"user" if *value == b"default" => filter.user = Some(value),
                b"user" => {
                    let user = String::from_utf8_lossy(value);
                    return Err(CommandError::Owned(format!("ERR No such user '{user}'")));
                }
                b"skipme" if args::is(value, "yes") => filter.own = false,
                b"skipme" if args::is(value, "no") => filter.own = true,
                _ => return Err(CommandError::Syntax),
            }
        }
        Ok(filter)
    }

    fn fits(&self, session: &Session, own: ClientId) -> bool {
        let shown = session.shown.lock();
        let same = |wanted: Option<&[u8]>, text: &str| wanted.is_none_or(|wanted| wanted == text.as_bytes());
        self.id.is_none_or(|id| id == session.id)
            && self.class.is_none_or(|class| class == Class::of(session))
            && same(self.addr, &shown.addr)
            && same(self.laddr, &shown.laddr)
            && same(self.user, &shown.user)
            && (self.own || session.id != own)
    }
}

fn parse_id(value: &[u8]) -> Result<ClientId, CommandError> {
    let id = number::parse_int(value).filter(|id| *id > 0);
    id.map(|id| id as ClientId).ok_or(CommandError::Text("ERR client-id should be greater than 0"))
}

fn kill(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let by_address = turn.args.len() == 3;
    let filter = match turn.args[2..] {
        [addr] => Filter { addr: Some(addr), own: true, ..Filter::default() },
        ref words => Filter::parse(words)?,
    };
    let own = turn.client.session.id;
    let mut sessions = turn.ex.living_sessions();
    sessions.retain(|session| filter.fits(session, own));
    if by_address && sessions.is_empty() {
        return Err(CommandError::Text("ERR No such client"));
    }
    let mut flow = Flow::Next;
    for session in &sessions {
        if session.id == own {
            flow = Flow::Close;
        } else {
            turn.ex.kill(session);
        }
    }
    if by_address {
        out.status("OK")
    } else {
        out.int(sessions.len() as i64)
    }
    Ok(flow)
}

impl Executor {
    /// Closes another connection. It gets no message and takes no key from here on, even before its task has noticed.
    fn kill(&mut self, session: &Arc<Session>) {
        session.raise(Signals::KILLED);
        self.local.forget(session);
        self.local.wake(session);
    }
}
