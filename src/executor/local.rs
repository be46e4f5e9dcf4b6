//! `Local`: what the server holds that the journal does not rebuild.

use super::commands::Commands;
use super::commit::{Mail, Texts};
use super::desk::{Desk, Knobs};
use super::follower::Followers;
use super::memory::Memory;
use super::observe::{LatencyMonitor, Scripting, Slowlog, Stats};
use super::pause::Pause;
use super::waiters::Waiters;
use crate::command::{Flags, Spec};
use crate::config::{Config, LogLevel, OutputLimit, Permission};
use crate::keyspace::Garbage;
use crate::pubsub::{Delivery, Kind, PubSub};
use crate::request::ClientId;
use crate::script::{self, Vm};
use crate::session::{Registry, Session, Signals};
use crate::time::{Clock, Millis};
use crate::value::EncodingLimits;
use ahash::AHashMap;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::sync::Arc;

/// What the executor asks of the world around it.
#[derive(Clone)]
pub struct Hooks {
    /// Frees something large, elsewhere.
    pub discard: fn(Garbage),
    /// A script has run past `busy-reply-threshold`: lets the rest of this I/O thread's work go on without it.
    pub step_aside: fn(),
    /// SHUTDOWN, or a fatal condition: ends the server with this exit status once sockets are closed.
    pub shutdown: fn(i32),
    /// CONFIG SET loglevel.
    pub set_log_level: fn(LogLevel),
    /// CONFIG SET port or bind: listens for TCP connections where the settings say, and no longer elsewhere; those that
    /// are open stay. False when it cannot; then it goes on as before.
    pub listen: fn(&Config) -> bool,
}

impl Hooks {
    /// Hooks for a bare executor: frees in place and never shuts down.
    pub fn none() -> Self {
        Self { discard: drop, step_aside: || (), shutdown: |_| (), set_log_level: |_| (), listen: |_| false }
    }
}

/// Names that tell one run of the server from another, 40 hexadecimal digits each as in Redis.
pub(super) struct Identity {
    pub(super) run_id: String,
    /// What a follower would check that it follows the same history.
    pub(super) replid: String,
}

impl Identity {
    fn random(random: &mut SmallRng) -> Self {
        Self { run_id: hex_name(random), replid: hex_name(random) }
    }
}

/// 40 random hexadecimal digits.
pub(super) fn hex_name(random: &mut SmallRng) -> String {
    (0..20).map(|_| format!("{:02x}", random.random::<u8>())).collect()
}

/// Sessions that watch a key, by database and key.
pub(super) type Watchers = AHashMap<(usize, Box<[u8]>), Vec<Arc<Session>>>;

pub(crate) struct Local {
    pub(crate) config: Config,
    pub(crate) limits: EncodingLimits,
    pub(crate) clock: Arc<Clock>,
    pub(crate) started: Millis,
    pub(crate) hooks: Hooks,
    pub(crate) commands: &'static Commands,
    pub(crate) sessions: Arc<Registry>,
    pub(crate) random: SmallRng,
    pub(crate) pubsub: PubSub,
    pub(super) watchers: Watchers,
    pub(super) waiters: Waiters,
    pub(super) monitors: Vec<Arc<Session>>,
    pub(super) followers: Followers,
    pub(super) pause: Pause,
    pub(crate) stats: Stats,
    pub(super) slowlog: Slowlog,
    pub(super) latency: LatencyMonitor,
    pub(super) identity: Identity,
    pub(crate) memory: Memory,
    /// Taken out while a script runs.
    pub(super) vm: Option<Box<Vm>>,
    pub(super) mail: Mail,
    /// Messages of the running command to its own client.
    pub(super) self_mail: Vec<u8>,
    /// MONITOR lines of the running command to its own client.
    pub(super) self_lines: Vec<u8>,
    /// Whose request runs; 0 for none.
    pub(super) running: ClientId,
    /// Sessions whose I/O thread must be told.
    pub(super) ready: Vec<Arc<Session>>,
    /// When the timer is wanted, beside what deadlines of keys ask for.
    pub(super) soonest: Option<Millis>,
    /// DEBUG SET-ACTIVE-EXPIRE.
    pub(super) active_expire: bool,
    /// DEBUG SET-DISABLE-DENY-SCRIPTS: scripts may call what they otherwise must not.
    pub(super) scripts_call_all: bool,
    pub(super) desk: Arc<Desk>,
    pub(super) knobs: Arc<Knobs>,
}

impl Local {
    pub(super) fn new(
        config: Config,
        clock: Arc<Clock>,
        sessions: Arc<Registry>,
        hooks: Hooks,
    ) -> Result<Self, String> {
        let commands = Commands::renamed(config.renames())?;
        let mut random = SmallRng::from_os_rng();
        Ok(Self {
            limits: encoding_limits(&config),
            started: clock.now(),
            clock,
            hooks: hooks.clone(),
            commands,
            sessions,
            identity: Identity::random(&mut random),
            random,
            pubsub: PubSub::default(),
            watchers: Watchers::default(),
            waiters: Waiters::default(),
            monitors: Vec::new(),
            followers: Followers::default(),
            pause: Pause::default(),
            stats: Stats::new(commands.count()),
            slowlog: Slowlog::default(),
            vm: Some(Box::new(Vm::new(script_limits(&config)))),
            latency: LatencyMonitor::default(),
            memory: Memory::at_start(),
            mail: Mail::default(),
            self_mail: Vec::new(),
            self_lines: Vec::new(),
            running: 0,
            ready: Vec::new(),
            soonest: None,
            active_expire: true,
            scripts_call_all: false,
            desk: Arc::new(Desk::new(commands, hooks.clone())),
            knobs: Arc::default(),
            config,
        })
    }

    /// What the script VM holds, for INFO and MEMORY.
    pub(super) fn scripting(&self) -> Scripting {
        // While a script runs the VM is its own; INFO cannot be asked then.
        let Some(vm) = &self.vm else { return Scripting::default() };
        let memory = vm.memory();
        Scripting {
            vm_bytes: memory.vm_bytes as u64,
            cached_scripts: memory.cached_scripts,
            cached_bytes: memory.scripts_bytes as u64,
            functions: 0,
            libraries: 0,
        }
    }

    /// Whether anyone but event subscribers must hear of changes.
    pub(super) fn listens(&self) -> bool {
        !self.watchers.is_empty() || !self.waiters.is_empty()
    }

    /// The output buffer limit of the class `session` belongs to.
    pub(super) fn buffer_limit(&self, session: &Session) -> OutputLimit {
        session.output_limit(&self.config.client_output_buffer_limit)
    }

    /// Whether a protected command (DEBUG, MODULE) may be used on this connection.
    pub(super) fn allows_protected(&self, spec: &Spec, session: &Session) -> bool {
        debug_assert!(spec.flags.contains(Flags::PROTECTED));
        let setting = if spec.name == "debug" { self.config.enable_debug_command } else { Permission::No };
        setting.allows(session.has(Signals::LOCAL))
    }

    /// Publishes to the subscribers of a channel and of patterns; returns how many will get it.
    pub(super) fn publish(&mut self, channel: &[u8], message: &[u8]) -> usize {
        let mut texts = Texts::default();
        let mut pattern_texts = Texts::default();
        let mut last_pattern: Option<&[u8]> = None;
        let mut count = 0;
        for Delivery { client, pattern } in self.pubsub.deliveries(channel) {
            let texts = match pattern {
                None => &mut texts,
                Some(_) => {
                    if pattern != last_pattern {
                        pattern_texts = Texts::default();
                        last_pattern = pattern;
                    }
                    &mut pattern_texts
                }
            };
            let words: &[&[u8]] = match &pattern {
                None => &[b"message", channel, message],
                Some(pattern) => &[b"pmessage", pattern, channel, message],
            };
            count += usize::from(self.mail.send(&self.sessions, client, texts, words));
        }
        count
    }

    /// Publishes to the subscribers of a shard channel; returns how many will get it.
    pub(super) fn publish_to_shard(&mut self, channel: &[u8], message: &[u8]) -> usize {
        let mut texts = Texts::default();
        let receivers = self.pubsub.receivers(Kind::Shard, channel);
        let words: &[&[u8]] = &[b"smessage", channel, message];
        receivers.filter(|client| self.mail.send(&self.sessions, *client, &mut texts, words)).count()
    }

    /// Forgets everything about a connection that is gone.
    pub(super) fn forget(&mut self, session: &Arc<Session>) {
        self.pubsub.drop_client(session.id);
        self.waiters.drop_client(session.id);
        self.monitors.retain(|monitor| monitor.id != session.id);
        self.followers.drop_client(session);
        self.pause.drop_client(session.id);
    }

    /// Has `session`'s own task look at it.
    pub(super) fn wake(&mut self, session: &Arc<Session>) {
        session.raise(Signals::WOKEN);
        self.ready.push(Arc::clone(session));
    }

    /// Wants [`Executor::run_timers`](super::Executor::run_timers) at `at` or earlier.
    pub(super) fn want_timer(&mut self, at: Millis) {
        self.soonest = Some(self.soonest.map_or(at, |soonest| soonest.min(at)));
    }
}

/// Limits of the script VM as configured.
fn script_limits(config: &Config) -> script::Limits {
    script::Limits { memory_bytes: script_memory_limit(config), ..script::Limits::default() }
}

/// Bytes that scripts may hold; no limit is one that is never reached.
pub(super) fn script_memory_limit(config: &Config) -> usize {
    match config.lua_memory_limit_bytes {
        0 => usize::MAX,
        bytes => bytes as usize,
    }
}

/// Encoding limits as configured.
pub(super) fn encoding_limits(config: &Config) -> EncodingLimits {
    EncodingLimits {
        hash_max_listpack_entries: config.hash_max_listpack_entries as usize,
        hash_max_listpack_value: config.hash_max_listpack_value as usize,
        set_max_intset_entries: config.set_max_intset_entries as usize,
        zset_max_listpack_entries: config.zset_max_listpack_entries as usize,
        zset_max_listpack_value: config.zset_max_listpack_value as usize,
        list_max_listpack_size: config.list_max_listpack_size as _,
    }
}
