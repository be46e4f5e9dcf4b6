//! Settings that holdfast acts upon. Ranges, defaults and flags as in Redis 7.0.15; `lua-memory-limit` is holdfast's
//! own.

use super::settings::{LogLevel, Permission, Settings};
use super::table::{I32, I64, Row, U32, int, memory, one_of, row, text, yes_no};
use super::value::{Kind, Value};

pub(super) static EFFECTIVE: &[Row] = &[
    // Network
    int("port", "6379", 0, 65535).effect(|s, v| s.port = v.int() as u16),
    row("bind", "* -::*", Kind::Bind).effect(set_bind),
    text("unixsocket", "").immutable().effect(|s, v| s.unixsocket = v.path_if_any()),
    row("unixsocketperm", "0", Kind::Octal { max: 0o777 }).immutable().effect(|s, v| s.unixsocketperm = v.int() as u32),
    yes_no("protected-mode", "yes").effect(|s, v| s.protected_mode = v.bool()),
    int("tcp-backlog", "511", 0, I32).immutable().effect(|s, v| s.tcp_backlog = v.int() as i32),
    int("timeout", "0", 0, I32).effect(|s, v| s.timeout_s = v.int() as u32),
    int("tcp-keepalive", "300", 0, I32).effect(|s, v| s.tcp_keepalive_s = v.int() as u32),
    int("maxclients", "10000", 1, U32).effect(|s, v| s.maxclients = v.int() as u32),
    int("io-threads", "1", 1, 128).immutable().effect(|s, v| s.io_threads = v.int() as usize),
    memory("client-query-buffer-limit", "1073741824", 1 << 20, I64)
        .effect(|s, v| s.client_query_buffer_limit_bytes = v.size()),
    row("client-output-buffer-limit", OUTPUT_LIMITS, Kind::OutputLimits).effect(set_output_limits),
    memory("proto-max-bulk-len", "536870912", 1 << 20, I64).effect(|s, v| s.proto_max_bulk_len_bytes = v.size()),
    // Process
    yes_no("daemonize", "no").immutable().effect(|s, v| s.daemonize = v.bool()),
    text("pidfile", "").immutable().effect(|s, v| s.pidfile = v.path_if_any()),
    one_of("loglevel", "notice", &["debug", "verbose", "notice", "warning"]).effect(set_loglevel),
    text("logfile", "").immutable().effect(|s, v| s.logfile = v.path_if_any()),
    row("dir", "", Kind::Dir).protected().effect(|s, v| s.dir = v.path()),
    int("databases", "16", 1, I32).immutable().effect(|s, v| s.databases = v.int() as usize),
    // Who may do what
    text("requirepass", "").sensitive().effect(|s, v| s.requirepass = v.text().to_vec()),
    int("acllog-max-len", "128", 0, i64::MAX).effect(|s, v| s.acllog_max_len = v.int() as usize),
    one_of("acl-pubsub-default", "resetchannels", &["allchannels", "resetchannels"])
        .effect(|s, v| s.acl_pubsub_default_all_channels = v.choice() == "allchannels"),
    one_of("enable-debug-command", "no", PERMISSIONS).immutable().effect(|s, v| s.enable_debug_command = permission(v)),
    one_of("enable-protected-configs", "no", PERMISSIONS)
        .immutable()
        .effect(|s, v| s.enable_protected_configs = permission(v)),
    // Data
    memory("maxmemory", "0", 0, u64::MAX).effect(|s, v| s.maxmemory_bytes = v.size()),
    int("hash-max-listpack-entries", "512", 0, i64::MAX)
        .alias("hash-max-ziplist-entries")
        .effect(|s, v| s.hash_max_listpack_entries = v.int() as u64),
    memory("hash-max-listpack-value", "64", 0, I64)
        .alias("hash-max-ziplist-value")
        .effect(|s, v| s.hash_max_listpack_value = v.size()),
    int("set-max-intset-entries", "512", 0, i64::MAX).effect(|s, v| s.set_max_intset_entries = v.int() as u64),
    int("zset-max-listpack-entries", "128", 0, i64::MAX)
        .alias("zset-max-ziplist-entries")
        .effect(|s, v| s.zset_max_listpack_entries = v.int() as u64),
    memory("zset-max-listpack-value", "64", 0, I64)
        .alias("zset-max-ziplist-value")
        .effect(|s, v| s.zset_max_listpack_value = v.size()),
    int("list-max-listpack-size", "-2", i32::MIN as i64, I32)
        .alias("list-max-ziplist-size")
        .effect(|s, v| s.list_max_listpack_size = v.int() as i32),
    yes_no("lazyfree-lazy-expire", "no").effect(|s, v| s.lazyfree_lazy_expire = v.bool()),
    yes_no("lazyfree-lazy-server-del", "no").effect(|s, v| s.lazyfree_lazy_server_del = v.bool()),
    yes_no("lazyfree-lazy-user-del", "no").effect(|s, v| s.lazyfree_lazy_user_del = v.bool()),
    yes_no("lazyfree-lazy-user-flush", "no").effect(|s, v| s.lazyfree_lazy_user_flush = v.bool()),
    // Scripts, events, tracking
    int("busy-reply-threshold", "5000", 0, i64::MAX)
        .alias("lua-time-limit")
        .effect(|s, v| s.busy_reply_threshold_ms = v.int() as u64),
    memory("lua-memory-limit", "536870912", 0, I64).effect(|s, v| s.lua_memory_limit_bytes = v.size()),
    row("notify-keyspace-events", "", Kind::Events).effect(set_events),
    int("tracking-table-max-keys", "1000000", 0, i64::MAX).effect(|s, v| s.tracking_table_max_keys = v.int() as usize),
    // Observation
    int("slowlog-log-slower-than", "10000", -1, i64::MAX).effect(|s, v| s.slowlog_log_slower_than_us = v.int()),
    int("slowlog-max-len", "128", 0, i64::MAX).effect(|s, v| s.slowlog_max_len = v.int() as usize),
    int("latency-monitor-threshold", "0", 0, i64::MAX).effect(|s, v| s.latency_monitor_threshold_ms = v.int() as u64),
    yes_no("latency-tracking", "yes").effect(|s, v| s.latency_tracking = v.bool()),
    row("latency-tracking-info-percentiles", "50 99 99.9", Kind::Percentiles).effect(set_percentiles),
];

const OUTPUT_LIMITS: &str = "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60";
pub(super) const PERMISSIONS: &[&str] = &["no", "yes", "local"];

fn set_bind(settings: &mut Settings, value: &Value) {
    if let Value::Words(words) = value {
        settings.bind = words.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect();
    }
}

fn set_output_limits(settings: &mut Settings, value: &Value) {
    if let Value::Limits(limits) = value {
        settings.client_output_buffer_limit = *limits;
    }
}

fn set_events(settings: &mut Settings, value: &Value) {
    if let Value::Events(classes) = value {
        settings.notify_keyspace_events = *classes;
    }
}

fn set_percentiles(settings: &mut Settings, value: &Value) {
    if let Value::Percentiles(list) = value {
        settings.latency_tracking_info_percentiles = list.clone();
    }
}

fn set_loglevel(settings: &mut Settings, value: &Value) {
    settings.loglevel = match value.choice() {
        "debug" => LogLevel::Debug,
        "verbose" => LogLevel::Verbose,
        "warning" => LogLevel::Warning,
        _ => LogLevel::Notice,
    };
}

fn permission(value: &Value) -> Permission {
    match value.choice() {
        "yes" => Permission::Yes,
        "local" => Permission::Local,
        _ => Permission::No,
    }
}
