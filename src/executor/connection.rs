//! The connection's own commands: PING, ECHO, HELLO, AUTH, SELECT, QUIT, RESET.

use super::Executor;
use super::commands::{Answer, ControlCommand, Flow, Turn};
use crate::REDIS_VERSION;
use crate::command::{Command, CommandError, Flags, Group, Spec, args};
use crate::number;
use crate::reply::Sink;
use crate::request::Argv;
use crate::session::{Client, ReplyMode, Signals};

pub(super) const COMMANDS: &[ControlCommand] = &[PING, ECHO, HELLO, AUTH, SELECT, QUIT, RESET];

const ALWAYS: Flags = Flags::NOSCRIPT
    .union(Flags::LOADING)
    .union(Flags::STALE)
    .union(Flags::FAST)
    .union(Flags::NO_AUTH)
    .union(Flags::ALLOW_BUSY);

const PING: ControlCommand = Command::new(
    Spec {
        summary: "Answers PONG, or the message given.",
        syntax: "[message]",
        tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
        ..Spec::new("ping", -1, Group::Connection, Flags::FAST)
    },
    ping,
);

fn ping(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    if turn.args.len() > 2 {
        return Err(turn.arity());
    }
    let message = turn.args.get(1).copied();
    if turn.client.in_subscribe_mode() {
        out.array(2);
        out.bulk(b"pong");
        out.bulk(message.unwrap_or_default());
    } else {
        match message {
            Some(message) => out.bulk(message),
            None => out.status("PONG"),
        }
    }
    Ok(Flow::Next)
}

const ECHO: ControlCommand = Command::new(
    Spec {
        summary: "Answers the message given.",
        syntax: "message",
        ..Spec::new("echo", 2, Group::Connection, Flags::LOADING.union(Flags::STALE).union(Flags::FAST))
    },
    |turn, out| {
        out.bulk(turn.args[1]);
        Ok(Flow::Next)
    },
);

const HELLO: ControlCommand = Command::new(
    Spec {
        since: "6.0.0",
        summary: "Chooses the protocol version, and may authenticate and name the connection on the way.",
        syntax: "[protover [AUTH username password] [SETNAME clientname]]",
        ..Spec::new("hello", -1, Group::Connection, ALWAYS)
    },
    hello,
);

fn hello(turn: &mut Turn<'_>, _: &mut dyn Sink) -> Answer {
    Greeting::parse(turn.args)?.take(turn.client, &turn.ex.local.config.requirepass)?;
    Ok(Flow::Greet)
}

/// What HELLO (or AUTH) asks for, read before anything is changed.
pub(super) struct Greeting<'a> {
    resp3: Option<bool>,
    auth: Option<(&'a [u8], &'a [u8])>,
    name: Option<&'a [u8]>,
    hello: bool,
}

impl<'a> Greeting<'a> {
    /// Reads the arguments of HELLO.
    pub(super) fn parse(argv: Argv<'a>) -> Result<Self, CommandError> {
        let mut greeting = Self { resp3: None, auth: None, name: None, hello: true };
        if let Some(arg) = argv.get(1) {
            let version = number::parse_int(arg)
                .ok_or(CommandError::Text("ERR Protocol version is not an integer or out of range"))?;
            if !(2..=3).contains(&version) {
                return Err(CommandError::Text("NOPROTO unsupported protocol version"));
            }
            greeting.resp3 = Some(version == 3);
        }
        let mut rest = argv.get(2..).unwrap_or_default();
        while let Some((word, more)) = rest.split_first() {
            rest = match more {
                [user, password, more @ ..] if word.eq_ignore_ascii_case(b"AUTH") => {
                    greeting.auth = Some((user, password));
                    more
                }
                [name, more @ ..] if word.eq_ignore_ascii_case(b"SETNAME") => {
                    check_name(name, "Client names")?;
                    greeting.name = Some(name);
                    more
                }
                _ => {
                    let word = String::from_utf8_lossy(word);
                    return Err(CommandError::Owned(format!("ERR Syntax error in HELLO option '{word}'")));
                }
            };
        }
        Ok(greeting)
    }

    /// Reads the arguments of AUTH.
    pub(super) fn of_auth(argv: Argv<'a>, has_password: bool) -> Result<Self, CommandError> {
        let auth = match argv[1..] {
            [_] if !has_password => {
                return Err(CommandError::Text(
                    "ERR AUTH <password> called without any password configured for the default user. Are you sure your \
                     configuration is correct?",
                ));
            }
            [password] => (&b"default"[..], password),
            [user, password] => (user, password),
            _ => return Err(CommandError::Syntax),
        };
        Ok(Self { resp3: None, auth: Some(auth), name: None, hello: false })
    }

    /// Does it, given the password of the default user (empty: none is needed).
    pub(super) fn take(self, client: &mut Client, password: &[u8]) -> Result<(), CommandError> {
        if let Some((user, given)) = self.auth {
            if user != b"default" || !(password.is_empty() || same(password, given)) {
                return Err(CommandError::Text("WRONGPASS invalid username-password pair or user is disabled."));
            }
            client.authenticated = true;
        }
        if self.hello && !client.authenticated && !password.is_empty() {
            return Err(CommandError::Text(
                "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH \
                 <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the \
                 same time",
            ));
        }
        if let Some(name) = self.name {
            client.session.shown.lock().name = name.to_vec();
        }
        if let Some(resp3) = self.resp3 {
            client.speak_resp3(resp3);
        }
        Ok(())
    }

    /// The reply of HELLO, in the protocol it chose.
    pub(super) fn say(client: &Client, out: &mut dyn Sink) {
        out.map(7);
        out.bulk(b"server");
        out.bulk(b"redis");
        out.bulk(b"version");
        out.bulk(REDIS_VERSION.as_bytes());
        out.bulk(b"proto");
        out.int(if client.resp3 { 3 } else { 2 });
        out.bulk(b"id");
        out.int(client.session.id as i64);
        out.bulk(b"mode");
        out.bulk(b"standalone");
        out.bulk(b"role");
        out.bulk(b"master");
        out.bulk(b"modules");
        out.array(0);
    }
}

/// Compares in a time that does not tell how much of a guess was right.
fn same(password: &[u8], given: &[u8]) -> bool {
    let mut differs = password.len() ^ given.len();
    for (at, byte) in password.iter().enumerate() {
        differs |= usize::from(byte ^ given.get(at).unwrap_or(&0));
    }
    differs == 0
}

const AUTH: ControlCommand = Command::new(
    Spec {
        summary: "Authenticates the connection.",
        complexity: "O(N) where N is the number of passwords defined for the user",
        syntax: "[username] password",
        ..Spec::new("auth", -2, Group::Connection, ALWAYS)
    },
    auth,
);

fn auth(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let password = &turn.ex.local.config.requirepass;
    Greeting::of_auth(turn.args, !password.is_empty())?.take(turn.client, password)?;
    out.status("OK");
    Ok(Flow::Next)
}

const SELECT: ControlCommand = Command::new(
    Spec {
        summary: "Chooses the database of this connection.",
        syntax: "index",
        ..Spec::new("select", 2, Group::Connection, Flags::LOADING.union(Flags::STALE).union(Flags::FAST))
    },
    select,
);

fn select(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    turn.client.db = turn.ex.db_index(turn.args[1])?;
    out.status("OK");
    Ok(Flow::Next)
}

const QUIT: ControlCommand = Command::new(
    Spec { summary: "Answers OK and closes the connection.", ..Spec::new("quit", -1, Group::Connection, ALWAYS) },
    |_, out| {
        out.status("OK");
        Ok(Flow::Close)
    },
);

const RESET: ControlCommand = Command::new(
    Spec {
        since: "6.2.0",
        summary: "Puts the connection back to what it was when it was made.",
        ..Spec::new("reset", 1, Group::Connection, ALWAYS)
    },
    reset,
);

fn reset(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let client = &mut *turn.client;
    turn.ex.discard_transaction(client);
    turn.ex.local.drop_subscriptions(client);
    turn.ex.local.monitors.retain(|monitor| monitor.id != client.session.id);
    client.session.lower(Signals::MONITOR | Signals::NO_EVICT | Signals::NO_TOUCH);
    client.db = 0;
    client.no_touch = false;
    client.speak_resp3(false);
    client.reply_mode = ReplyMode::On;
    client.authenticated = turn.ex.local.config.requirepass.is_empty();
    client.session.shown.lock().name.clear();
    out.status("RESET");
    Ok(Flow::Next)
}

/// Whether `name` may be shown in CLIENT LIST; `what` names it in the refusal.
///
/// # Errors
/// Redis 7.0's text for a name with spaces, newlines or special characters.
pub(super) fn check_name(name: &[u8], what: &str) -> Result<(), CommandError> {
    if name.iter().all(|byte| (b'!'..=b'~').contains(byte)) {
        return Ok(());
    }
    Err(CommandError::Owned(format!("ERR {what} cannot contain spaces, newlines or special characters.")))
}

impl Executor {
    /// The database that `arg` names.
    pub(super) fn db_index(&self, arg: &[u8]) -> Result<usize, CommandError> {
        let index = args::int32(arg)?;
        usize::try_from(index)
            .ok()
            .filter(|index| *index < self.state.databases())
            .ok_or(CommandError::Text("ERR DB index is out of range"))
    }
}
