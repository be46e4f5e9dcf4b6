//! Plays transcripts on a bare executor with a clock moved by hand. Tests of commands are written as what a client
//! sends and what it must get, in the notation of the shared cases:
//!
//! ```text
//! # a comment
//! A: SET k v PX 100        connection A sends a command (quotes and "\r\x00" escapes as in a shell)
//! A= +OK                   its next reply is exactly this
//! A~ -ERR .*               its next reply starts like this (`.*` matches anything)
//! A! nothing               no reply waits on A
//! A.close                  connection A goes away
//! advance 100              the clock moves on by 100 ms, and timers run
//! ```
//!
//! Replies: `+status -error :int "bulk" nil *nil [a, b] >[push] {k: v} ~[set] ,1.5 #t #f`.

mod text;

pub(crate) use text::split;

use crate::config::{Config, Invocation};
use crate::executor::{Executor, Flow, Hooks};
use crate::journal::{Journal, Memory};
use crate::keyspace::State;
use crate::request::ClientId;
use crate::session::{Client, Registry, Session, Shown, Signals};
use crate::time::{Clock, Millis};
use crate::value::EncodingLimits;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Server time at which every transcript begins.
pub(crate) const BEGINNING: Millis = Millis(1_700_000_000_000);

/// Plays `text` on a fresh server; panics with the line that differs.
pub(crate) fn check(text: &str) {
    Stage::new().play(text);
}

/// Plays `text` on a fresh server that was started with these options.
pub(crate) fn check_with(options: &[&str], text: &str) {
    Stage::with_options(options).play(text);
}

/// Plays `text` on a server whose journal keeps its entries, then applies them to an empty State: both must be equal.
pub(crate) fn replay(text: &str) {
    let mut stage = Stage::with_journal(Config::default(), Box::new(Memory::keeping()));
    stage.play(text);
    stage.assert_replays();
}

struct Line {
    client: Client,
    /// Requests sent while the client waited.
    pending: VecDeque<Vec<Vec<u8>>>,
    bytes: Vec<u8>,
}

/// A server without sockets, and its connections.
pub(crate) struct Stage {
    pub(crate) executor: Executor,
    pub(crate) clock: Arc<Clock>,
    registry: Arc<Registry>,
    lines: BTreeMap<String, Line>,
    next_id: ClientId,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::with_journal(Config::default(), Box::new(Memory::new()))
    }

    pub(crate) fn with_options(options: &[&str]) -> Self {
        let options: Vec<std::ffi::OsString> = options.iter().map(Into::into).collect();
        match Invocation::parse(&options, &mut std::io::empty()) {
            Ok(Invocation::Serve(config)) => Self::with_journal(*config, Box::new(Memory::new())),
            other => panic!("{options:?}: {other:?}"),
        }
    }

    pub(crate) fn with_journal(config: Config, journal: Box<dyn Journal>) -> Self {
        let clock = Arc::new(Clock::manual(BEGINNING));
        let registry = Arc::new(Registry::new());
        let executor = Executor::new(config, Arc::clone(&clock), journal, Arc::clone(&registry), Hooks::none())
            .expect("an empty journal recovers");
        Self { executor, clock, registry, lines: BTreeMap::new(), next_id: 0 }
    }

    pub(crate) fn play(&mut self, text: &str) {
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                self.play_line(number + 1, line);
            }
        }
    }

    /// Applies what the journal kept to an empty State and compares.
    pub(crate) fn assert_replays(&mut self) {
        let entries = self.executor.recovered();
        let mut state = State::new(self.executor.state.databases(), BEGINNING);
        let limits = EncodingLimits::default();
        for entry in &entries {
            crate::command::apply(&mut state, entry, &limits).unwrap_or_else(|error| panic!("{error} in {entry:?}"));
        }
        assert_eq!(state, self.executor.state, "replaying {entries:?}");
    }

    /// Asserts that the snapshot of the server's State makes an equal one.
    pub(crate) fn assert_reloads(&mut self) {
        let mut state = State::new(self.executor.state.databases(), BEGINNING);
        let limits = EncodingLimits::default();
        crate::command::snapshot(&self.executor.state, BEGINNING, |entry| {
            crate::command::apply(&mut state, &entry, &limits).unwrap_or_else(|error| panic!("{error} in {entry:?}"));
        });
        assert_eq!(state, self.executor.state);
    }

    fn play_line(&mut self, number: usize, line: &str) {
        if let Some(ms) = line.strip_prefix("advance ") {
            return self.advance(ms.trim().parse().expect("milliseconds"));
        }
        if let Some(who) = line.strip_suffix(".close") {
            return self.close(who);
        }
        let at = line.find([':', '=', '~', '!']).unwrap_or_else(|| panic!("line {number} is not understood: {line}"));
        let (who, rest) = (line[..at].to_owned(), line[at + 1..].trim());
        match &line[at..=at] {
            ":" => self.send(&who, split(rest)),
            "!" => assert!(self.next_reply(&who).is_none(), "line {number}: a reply waits on {who}"),
            kind => {
                let got =
                    self.next_reply(&who).unwrap_or_else(|| panic!("line {number}: no reply waits on {who}: {line}"));
                let fits = if kind == "=" { got == rest } else { loosely(rest, &got) };
                assert!(fits, "line {number}: {line}\n  expected {rest}\n  got      {got}");
            }
        }
    }

    /// Sends one request; it waits if the client does.
    pub(crate) fn send(&mut self, who: &str, argv: Vec<Vec<u8>>) {
        self.open(who);
        self.lines.get_mut(who).expect("opened").pending.push_back(argv);
        self.run_pending();
    }

    fn open(&mut self, who: &str) {
        if self.lines.contains_key(who) {
            return;
        }
        self.next_id += 1;
        let addr = format!("127.0.0.1:{}", 10_000 + self.next_id);
        let shown = Shown { addr, laddr: "127.0.0.1:6379".to_owned(), user: "default".to_owned(), ..Shown::default() };
        let session = Session::new(self.next_id, 0, self.clock.now(), shown);
        session.raise(Signals::LOCAL);
        self.registry.insert(session.id, Arc::clone(&session));
        let client = Client::new(session, true);
        self.lines.insert(who.to_owned(), Line { client, pending: VecDeque::new(), bytes: Vec::new() });
    }

    fn close(&mut self, who: &str) {
        if let Some(mut line) = self.lines.remove(who) {
            self.registry.remove(&line.client.session.id);
            self.executor.disconnect(&mut line.client);
        }
    }

    fn run_pending(&mut self) {
        let mut progress = true;
        while progress {
            progress = false;
            for line in self.lines.values_mut() {
                while !line.client.session.has(Signals::BLOCKED | Signals::PAUSED)
                    && let Some(argv) = line.pending.pop_front()
                {
                    let slices: Vec<&[u8]> = argv.iter().map(Vec::as_slice).collect();
                    let flow = self.executor.execute(&mut line.client, &slices);
                    self.executor.finish_turn(&mut line.client);
                    if flow == Flow::Paused {
                        line.pending.push_front(argv);
                        break;
                    }
                    progress = true;
                }
            }
        }
    }

    /// Moves the clock in steps of a millisecond, as timers would fire.
    pub(crate) fn advance(&mut self, ms: i64) {
        let end_us = self.clock.now_us() + ms * 1000;
        loop {
            while self.executor.run_timers(i64::MAX).is_some_and(|at| at <= self.clock.now()) {}
            self.run_pending();
            let now_us = self.clock.now_us();
            if now_us >= end_us {
                break;
            }
            let next_us = self.executor.next_timer().map_or(end_us, |at| (at.0 * 1000).clamp(now_us + 1, end_us));
            self.clock.advance_us(next_us - now_us);
        }
    }

    /// The bytes that a connection has got since they were last looked at.
    pub(crate) fn take_bytes(&mut self, who: &str) -> Vec<u8> {
        self.receive(who);
        self.lines.get_mut(who).map(|line| std::mem::take(&mut line.bytes)).unwrap_or_default()
    }

    fn receive(&mut self, who: &str) {
        let committed = self.executor.committed();
        let Some(line) = self.lines.get_mut(who) else { return };
        let mut outbox = line.client.session.outbox.lock();
        let ready = outbox.ready(committed).to_vec();
        outbox.advance(ready.len());
        line.bytes.extend_from_slice(&ready);
    }

    /// The next reply or message on a connection, as text.
    pub(crate) fn next_reply(&mut self, who: &str) -> Option<String> {
        self.receive(who);
        let line = self.lines.get_mut(who)?;
        if line.bytes.is_empty() {
            return None;
        }
        let (text, used) = text::read(&line.bytes).expect("whole replies");
        line.bytes.drain(..used);
        Some(text)
    }
}

fn loosely(pattern: &str, got: &str) -> bool {
    let mut rest = got;
    pattern.split(".*").enumerate().all(|(n, part)| match rest.find(part) {
        Some(at) if n > 0 || at == 0 => {
            rest = &rest[at + part.len()..];
            true
        }
        _ => false,
    })
}

mod tests {
    use super::*;

    #[test]
    fn a_connection_answers_and_expires_nothing() {
        check(
            r#"
            A: PING
            A= +PONG
            A: ECHO "a\r\n\x00"
            A= "a\r\n\x00"
            A! nothing
            A: HELLO 3
            A~ {"server": "redis", "version": .*, "proto": :3.*}
            A: NOSUCH a b
            A~ -ERR unknown command 'NOSUCH', with args beginning with: 'a' 'b'.*
            A: MULTI
            A= +OK
            A: PING
            A= +QUEUED
            A: EXEC
            A= [+PONG]
            B: SUBSCRIBE c
            B= ["subscribe", "c", :1]
            A: PUBLISH c m
            A= :1
            B= ["message", "c", "m"]
            "#,
        );
    }
}
