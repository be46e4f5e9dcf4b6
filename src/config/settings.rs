//! The settings that have an effect, as types. Filled from the table; nothing here parses or checks.

use std::path::PathBuf;

use crate::event::EventClasses;

/// Every setting that holdfast acts upon. Read it through [`Config`](super::Config), which keeps it in step with the
/// texts of CONFIG GET. Names follow redis.conf; units are in the name where redis.conf leaves them out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// TCP port; 0 means none.
    pub port: u16,
    /// Addresses to listen on. `*` and `-::*` are all of IPv4 and of IPv6; a leading `-` means that failure to bind is
    /// no error. Empty: no TCP at all.
    pub bind: Vec<String>,
    /// Path of the unix socket.
    pub unixsocket: Option<PathBuf>,
    /// Mode of the unix socket; 0 leaves it to the umask.
    pub unixsocketperm: u32,
    /// Whether strangers are refused while no password and no explicit bind is set.
    pub protected_mode: bool,
    /// Length of the queue of connections not yet accepted.
    pub tcp_backlog: i32,
    /// Idle seconds after which a client is closed; 0 means never.
    pub timeout_s: u32,
    /// Seconds between TCP keep-alive probes; 0 means none.
    pub tcp_keepalive_s: u32,
    /// Greatest number of clients.
    pub maxclients: u32,
    /// Number of I/O threads.
    pub io_threads: usize,
    /// Greatest size of a client's unparsed requests.
    pub client_query_buffer_limit_bytes: u64,
    /// Limits on output not yet sent.
    pub client_output_buffer_limit: OutputLimits,
    /// Greatest size of one argument.
    pub proto_max_bulk_len_bytes: u64,
    /// Whether to go into the background.
    pub daemonize: bool,
    /// Path of the pid file. Redis writes `/var/run/redis.pid` if this is unset and `daemonize` is on.
    pub pidfile: Option<PathBuf>,
    /// Least severe message that is logged.
    pub loglevel: LogLevel,
    /// Path of the log, relative to `dir`; unset means standard output.
    pub logfile: Option<PathBuf>,
    /// Working directory, absolute. It existed when it was set; whoever starts or changes settings moves there.
    pub dir: PathBuf,
    /// Number of databases.
    pub databases: usize,
    /// Password of the default user; empty means none.
    pub requirepass: Vec<u8>,
    /// Limit on the bytes of all data; 0 means none.
    pub maxmemory_bytes: u64,
    /// Time after which a running script makes the server answer BUSY; 0 means never.
    pub busy_reply_threshold_ms: u64,
    /// Limit on the bytes of the script VM; 0 means none. holdfast's own.
    pub lua_memory_limit_bytes: u64,
    /// Which keyspace events are published.
    pub notify_keyspace_events: EventClasses,
    /// Greatest number of fields of a compact hash.
    pub hash_max_listpack_entries: u64,
    /// Greatest field or value of a compact hash, in bytes.
    pub hash_max_listpack_value: u64,
    /// Greatest number of members of a set of integers.
    pub set_max_intset_entries: u64,
    /// Greatest number of members of a compact sorted set.
    pub zset_max_listpack_entries: u64,
    /// Greatest member of a compact sorted set, in bytes.
    pub zset_max_listpack_value: u64,
    /// Size of a list node: entries if positive, -1 to -5 for 4 to 64 KiB.
    pub list_max_listpack_size: i32,
    /// Least duration of a command in the slow log; -1 turns it off, 0 logs all.
    pub slowlog_log_slower_than_us: i64,
    /// Greatest length of the slow log.
    pub slowlog_max_len: usize,
    /// Least latency that the latency monitor records; 0 turns it off.
    pub latency_monitor_threshold_ms: u64,
    /// Whether durations are counted per command.
    pub latency_tracking: bool,
    /// Percentiles that INFO latencystats tells.
    pub latency_tracking_info_percentiles: Vec<f64>,
    /// Greatest number of keys tracked for client-side caching; 0 means no limit.
    pub tracking_table_max_keys: usize,
    /// Whether expired values are freed in the background.
    pub lazyfree_lazy_expire: bool,
    /// Whether overwritten values are freed in the background.
    pub lazyfree_lazy_server_del: bool,
    /// Whether DEL acts as UNLINK.
    pub lazyfree_lazy_user_del: bool,
    /// Whether FLUSHDB, FLUSHALL and SCRIPT FLUSH are asynchronous unless told.
    pub lazyfree_lazy_user_flush: bool,
    /// Greatest length of the ACL log.
    pub acllog_max_len: usize,
    /// Whether new ACL users may use every channel.
    pub acl_pubsub_default_all_channels: bool,
    /// Who may use DEBUG.
    pub enable_debug_command: Permission,
    /// Who may change protected settings.
    pub enable_protected_configs: Permission,
}

/// Severity of a log message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[allow(missing_docs, reason = "the variants are the words of redis.conf")]
pub enum LogLevel {
    Debug,
    Verbose,
    #[default]
    Notice,
    Warning,
}

/// Who may use something dangerous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Permission {
    /// Nobody.
    #[default]
    No,
    /// Everybody.
    Yes,
    /// Clients on the unix socket or on loopback.
    Local,
}

impl Permission {
    /// Whether a client may, given whether it is local.
    pub fn allows(self, client_is_local: bool) -> bool {
        self == Self::Yes || (self == Self::Local && client_is_local)
    }
}

/// Limits on output not yet sent, per class of client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OutputLimits {
    /// Clients of no other class.
    pub normal: OutputLimit,
    /// Replicas.
    pub replica: OutputLimit,
    /// Clients with a subscription.
    pub pubsub: OutputLimit,
}

/// When a client with too much unsent output is closed. Zero means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OutputLimit {
    /// Closed at once above this.
    pub hard_bytes: u64,
    /// Closed after `soft_s` seconds above this.
    pub soft_bytes: u64,
    /// See `soft_bytes`.
    pub soft_s: u64,
}

/// A line `rename-command`. This room does not know the commands: whoever does applies the lines in order, and answers
/// a bad one with [`Rename::refused`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    /// The command's name so far.
    pub from: Vec<u8>,
    /// Its new name; empty removes the command.
    pub to: Vec<u8>,
    pub(super) number: usize,
    pub(super) line: String,
}

impl Rename {
    /// Redis's text for a command that does not exist (any more).
    pub const NO_SUCH_COMMAND: &'static str = "No such command in rename-command";
    /// Redis's text for a new name that is taken.
    pub const NAME_TAKEN: &'static str = "Target command name already exists";

    /// The start-up error that blames this line.
    pub fn refused(&self, why: &str) -> super::ConfigError {
        super::ConfigError::Line { number: self.number, line: self.line.clone(), why: why.to_owned() }
    }
}
