//! What CLIENT LIST shows of a connection, kept where it can be read without the executor's lock.

use crate::time::Millis;

/// Facts of one connection. Updated by its own thread at the end of each turn.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "named as CLIENT LIST names them")]
pub struct Shown {
    pub addr: String,
    pub laddr: String,
    pub fd: i32,
    pub name: Vec<u8>,
    pub lib_name: Vec<u8>,
    pub lib_ver: Vec<u8>,
    pub user: String,
    pub db: usize,
    pub resp3: bool,
    pub last_active: Millis,
    pub command: &'static str,
    pub subscriptions: usize,
    pub patterns: usize,
    pub shard_subscriptions: usize,
    /// Number of queued commands, or -1 outside of MULTI.
    pub multi: i64,
    pub multi_bytes: usize,
    pub watched: usize,
    /// Bytes read but not executed yet.
    pub query_buffer: usize,
    /// What CLIENT TRACKING redirects to, or -1.
    pub redirect: i64,
    pub argv_bytes: usize,
}
