//! The desk: what is answered while a slow script holds the executor.
//!
//! Past `busy-reply-threshold` the script's interrupt publishes here what it is and whether it has written. Connections
//! that find the executor taken look here; all that Redis 7.0 flags `allow_busy` and that needs no data is answered,
//! everything else is BUSY. WATCH alone is BUSY too, where Redis would take it: it needs the keyspace.

use super::commands::{Commands, Flow};
use super::connection::Greeting;
use super::gauntlet::{exec_abort, runs_at_once};
use super::local::Hooks;
use super::transaction::{NESTED, NO_MULTI};
use crate::command::{CommandError, Flags};
use crate::config::Config;
use crate::reply::Sink;
use crate::request::Argv;
use crate::resp::Encoder;
use crate::session::{Client, ReplyMode, Session, Signals, Transaction};
use parking_lot::{Mutex, RwLock};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What holds the executor.
#[derive(Debug, Clone)]
pub(super) struct Running {
    /// A function (FCALL) rather than a script (EVAL).
    pub(super) function: bool,
}

/// Settings that are read without the executor's lock, and counters kept there.
#[derive(Debug, Default)]
#[allow(missing_docs, reason = "named as redis.conf and INFO name them")]
pub struct Knobs {
    pub proto_max_bulk_len: AtomicU64,
    pub query_buffer_limit: AtomicU64,
    pub query_buffer_kills: AtomicU64,
    pub maxclients: AtomicU64,
    pub timeout_s: AtomicU64,
    pub tcp_keepalive_s: AtomicU64,
    pub rejected_connections: AtomicU64,
    pub connections_received: AtomicU64,
    pub input_bytes: AtomicU64,
    pub output_bytes: AtomicU64,
    pub protected_mode: AtomicBool,
    /// Whether the default user has a password.
    pub has_password: AtomicBool,
}

impl Knobs {
    /// Takes over what is configured.
    pub(super) fn set(&self, config: &Config) {
        let numbers = [
            (&self.proto_max_bulk_len, config.proto_max_bulk_len_bytes),
            (&self.query_buffer_limit, config.client_query_buffer_limit_bytes),
            (&self.maxclients, u64::from(config.maxclients)),
            (&self.timeout_s, u64::from(config.timeout_s)),
            (&self.tcp_keepalive_s, u64::from(config.tcp_keepalive_s)),
        ];
        for (knob, value) in numbers {
            knob.store(value, Ordering::Relaxed);
        }
        self.protected_mode.store(config.protected_mode, Ordering::Relaxed);
        self.has_password.store(!config.requirepass.is_empty(), Ordering::Relaxed);
    }
}

/// See the module.
pub struct Desk {
    commands: &'static Commands,
    hooks: Hooks,
    busy: AtomicBool,
    running: Mutex<Option<Running>>,
    /// The running script has changed data: it may not be killed.
    wrote: AtomicBool,
    kill: AtomicBool,
    password: RwLock<Vec<u8>>,
    buried: Mutex<Vec<Buried>>,
}

/// A connection that ended while the executor was held, with the keys it watched.
pub(super) type Buried = (Arc<Session>, Vec<(usize, Box<[u8]>)>);

const NOT_BUSY: CommandError = CommandError::Text("NOTBUSY No scripts in execution right now.");
const UNKILLABLE: CommandError = CommandError::Text(
    "UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the script \
     termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.",
);

impl Desk {
    pub(super) fn new(commands: &'static Commands, hooks: Hooks) -> Self {
        Self {
            commands,
            hooks,
            busy: AtomicBool::new(false),
            running: Mutex::new(None),
            wrote: AtomicBool::new(false),
            kill: AtomicBool::new(false),
            password: RwLock::new(Vec::new()),
            buried: Mutex::new(Vec::new()),
        }
    }

    /// Whether a slow script holds the executor.
    pub fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Acquire)
    }

    /// A script starts.
    pub(super) fn script_begins(&self) {
        self.wrote.store(false, Ordering::Relaxed);
        self.kill.store(false, Ordering::Relaxed);
    }

    /// It has become slow. True the first time.
    pub(super) fn publish(&self, running: Running) -> bool {
        let mut known = self.running.lock();
        if known.is_some() {
            return false;
        }
        *known = Some(running);
        self.busy.store(true, Ordering::Release);
        true
    }

    /// It has changed data.
    pub(super) fn script_wrote(&self) {
        self.wrote.store(true, Ordering::Release);
    }

    /// It has ended. True if it had become slow.
    pub(super) fn script_ends(&self) -> bool {
        let was_slow = self.busy.swap(false, Ordering::AcqRel);
        if was_slow {
            *self.running.lock() = None;
        }
        was_slow
    }

    pub(super) fn killed(&self) -> bool {
        self.kill.load(Ordering::Relaxed)
    }

    pub(super) fn set_password(&self, password: &[u8]) {
        *self.password.write() = password.to_vec();
    }

    /// A connection ended meanwhile; the executor forgets it when it is free again.
    pub fn bury(&self, session: Arc<Session>, watched: Vec<(usize, Box<[u8]>)>) {
        self.buried.lock().push((session, watched));
    }

    pub(super) fn exhume(&self) -> Vec<Buried> {
        std::mem::take(&mut self.buried.lock())
    }

    /// SCRIPT KILL and FUNCTION KILL.
    pub(super) fn kill(&self, function: bool) -> Result<(), CommandError> {
        let running = self.running.lock();
        match &*running {
            Some(running) if running.function == function => {}
            _ => return Err(NOT_BUSY),
        }
        if self.wrote.load(Ordering::Acquire) {
            return Err(UNKILLABLE);
        }
        self.kill.store(true, Ordering::Release);
        Ok(())
    }

    fn busy_text(&self) -> CommandError {
        let function = self.running.lock().as_ref().is_some_and(|running| running.function);
        CommandError::Text(if function {
            "BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE."
        } else {
            "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."
        })
    }

    /// Answers one request beside the script; the reply is appended to `reply`.
    pub fn answer(&self, client: &mut Client, argv: Argv<'_>, reply: &mut Vec<u8>) -> Flow {
        let start = reply.len();
        let mut flow = Flow::Next;
        match self.try_answer(client, argv, &mut Encoder::new(reply, client.resp3)) {
            Ok(Flow::Greet) => Greeting::say(client, &mut Encoder::new(reply, client.resp3)),
            Ok(other) => flow = other,
            Err(error) if argv[0].eq_ignore_ascii_case(b"EXEC") => {
                drop_transaction(client);
                Encoder::new(reply, client.resp3).error(exec_abort(&error).as_bytes());
            }
            Err(error) => {
                if let Some(transaction) = &mut client.transaction {
                    transaction.aborted = true;
                }
                Encoder::new(reply, client.resp3).error(error.to_string().as_bytes());
            }
        }
        match client.reply_mode {
            ReplyMode::On => {}
            ReplyMode::Off => reply.truncate(start),
            ReplyMode::SkipNext | ReplyMode::Skip => {
                reply.truncate(start);
                client.reply_mode = ReplyMode::On;
            }
        }
        flow
    }

    fn try_answer(&self, client: &mut Client, argv: Argv<'_>, out: &mut dyn Sink) -> Result<Flow, CommandError> {
        let row = self.commands.checked(argv)?;
        let password = self.password.read().clone();
        if !client.authenticated && !password.is_empty() && !row.is(Flags::NO_AUTH) {
            return Err(CommandError::Text("NOAUTH Authentication required."));
        }
        if let Some(transaction) = &mut client.transaction
            && row.is(Flags::ALLOW_BUSY)
            && !runs_at_once(row)
        {
            if row.is(Flags::NO_MULTI) {
                return Err(CommandError::Text("ERR Command not allowed inside a transaction"));
            }
            transaction.push(argv);
            out.status("QUEUED");
            return Ok(Flow::Next);
        }
        match row.full_name {
            "auth" => {
                Greeting::of_auth(argv, !password.is_empty())?.take(client, &password)?;
                out.status("OK");
            }
            "hello" => {
                Greeting::parse(argv)?.take(client, &password)?;
                return Ok(Flow::Greet);
            }
            "quit" => {
                out.status("OK");
                return Ok(Flow::Close);
            }
            "multi" if client.transaction.is_some() => return Err(NESTED),
            "multi" => {
                client.transaction = Some(Box::new(Transaction::default()));
                client.session.raise(Signals::TRANSACTION);
                out.status("OK");
            }
            "discard" if client.transaction.is_none() => return Err(NO_MULTI),
            "discard" => {
                drop_transaction(client);
                out.status("OK");
            }
            "unwatch" => {
                client.unwatch_due = true;
                out.status("OK");
            }
            "script|kill" => {
                self.kill(false)?;
                out.status("OK");
            }
            "function|kill" => {
                self.kill(true)?;
                out.status("OK");
            }
            "shutdown" if argv[1..].iter().any(|word| word.eq_ignore_ascii_case(b"NOSAVE")) => {
                (self.hooks.shutdown)(0);
                return Ok(Flow::Close);
            }
            _ => return Err(self.busy_text()),
        }
        Ok(Flow::Next)
    }
}

/// The executor forgets the watches when it is free.
fn drop_transaction(client: &mut Client) {
    client.transaction = None;
    client.session.lower(Signals::TRANSACTION);
    client.unwatch_due = true;
}
