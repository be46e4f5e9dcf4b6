//! Settings that are accepted, checked and told again, and have no effect; among them those of which holdfast can keep
//! only one value. Ranges, defaults and flags as in Redis 7.0.15.

use super::effective::PERMISSIONS;
use super::table::{I32, I64, Row, U32, checked, int, memory, one_of, row, text, yes_no};
use super::value::Kind;

pub(super) static INERT: &[Row] = &[
    // Promises that cannot be kept: one value only
    text("aclfile", "").immutable().only("", NO_ACL_FILE),
    yes_no("activedefrag", "no").only("no", NO_DEFRAG),
    yes_no("appendonly", "no").only("no", NO_LOG),
    yes_no("cluster-enabled", "no").immutable().only("no", NO_CLUSTER),
    one_of(
        "maxmemory-policy",
        "noeviction",
        &[
            "volatile-lru",
            "volatile-lfu",
            "volatile-random",
            "volatile-ttl",
            "allkeys-lru",
            "allkeys-lfu",
            "allkeys-random",
            "noeviction",
        ],
    )
    .only("noeviction", NO_EVICTION),
    int("min-replicas-to-write", "0", 0, I32).alias("min-slaves-to-write").only("0", NO_REPLICAS),
    row("replicaof", "", Kind::ReplicaOf).alias("slaveof").immutable().only("", NO_REPLICA),
    int("tls-port", "0", 0, 65535).only("0", NO_TLS),
    // Persistence
    yes_no("aof-disable-auto-gc", "no"),
    yes_no("aof-load-truncated", "yes"),
    yes_no("aof-rewrite-incremental-fsync", "yes"),
    yes_no("aof-timestamp-enabled", "no"),
    yes_no("aof-use-rdb-preamble", "yes"),
    text("aof_rewrite_cpulist", "").immutable(),
    checked("appenddirname", "appendonlydir", appenddirname).immutable(),
    checked("appendfilename", "appendonly.aof", appendfilename).immutable(),
    one_of("appendfsync", "everysec", &["everysec", "always", "no"]),
    memory("auto-aof-rewrite-min-size", "67108864", 0, I64),
    int("auto-aof-rewrite-percentage", "100", 0, I32),
    checked("dbfilename", "dump.rdb", dbfilename).protected(),
    int("key-load-delay", "0", -I32 - 1, I32).hidden(),
    int("loading-process-events-interval-bytes", "2097152", 1024, I32).hidden(),
    yes_no("no-appendfsync-on-rewrite", "no"),
    yes_no("rdb-del-sync-files", "no"),
    int("rdb-key-save-delay", "0", -I32 - 1, I32).hidden(),
    yes_no("rdb-save-incremental-fsync", "yes"),
    yes_no("rdbchecksum", "yes").immutable(),
    yes_no("rdbcompression", "yes"),
    one_of("sanitize-dump-payload", "no", &["no", "yes", "clients"]),
    row("save", "3600 1 300 100 60 10000", Kind::Save),
    yes_no("stop-writes-on-bgsave-error", "yes"),
    // Replication
    text("masterauth", "").sensitive(),
    text("masteruser", "").sensitive(),
    int("min-replicas-max-lag", "10", 0, I32).alias("min-slaves-max-lag"),
    memory("repl-backlog-size", "1048576", 1, I64),
    int("repl-backlog-ttl", "3600", 0, i64::MAX),
    yes_no("repl-disable-tcp-nodelay", "no"),
    one_of("repl-diskless-load", "disabled", &["disabled", "on-empty-db", "swapdb"]),
    yes_no("repl-diskless-sync", "yes"),
    int("repl-diskless-sync-delay", "5", 0, I32),
    int("repl-diskless-sync-max-replicas", "0", 0, I32),
    int("repl-ping-replica-period", "10", 1, I32).alias("repl-ping-slave-period"),
    int("repl-timeout", "60", 1, I32),
    text("replica-announce-ip", "").alias("slave-announce-ip"),
    int("replica-announce-port", "0", 0, 65535).alias("slave-announce-port"),
    yes_no("replica-announced", "yes"),
    yes_no("replica-ignore-disk-write-errors", "no"),
    yes_no("replica-ignore-maxmemory", "yes").alias("slave-ignore-maxmemory"),
    yes_no("replica-lazy-flush", "no").alias("slave-lazy-flush"),
    int("replica-priority", "100", 0, I32).alias("slave-priority"),
    yes_no("replica-read-only", "yes").alias("slave-read-only"),
    yes_no("replica-serve-stale-data", "yes").alias("slave-serve-stale-data"),
    // Cluster
    yes_no("cluster-allow-pubsubshard-when-down", "yes"),
    yes_no("cluster-allow-reads-when-down", "no"),
    yes_no("cluster-allow-replica-migration", "yes"),
    int("cluster-announce-bus-port", "0", 0, 65535),
    checked("cluster-announce-hostname", "", hostname),
    text("cluster-announce-ip", ""),
    int("cluster-announce-port", "0", 0, 65535),
    int("cluster-announce-tls-port", "0", 0, 65535),
    text("cluster-config-file", "nodes.conf").immutable(),
    memory("cluster-link-sendbuf-limit", "0", 0, u64::MAX),
    int("cluster-migration-barrier", "1", 0, I32),
    int("cluster-node-timeout", "15000", 0, i64::MAX),
    int("cluster-port", "0", 0, 65535).immutable(),
    one_of("cluster-preferred-endpoint-type", "ip", &["ip", "hostname", "unknown-endpoint"]),
    yes_no("cluster-replica-no-failover", "no").alias("cluster-slave-no-failover"),
    int("cluster-replica-validity-factor", "10", 0, I32).alias("cluster-slave-validity-factor"),
    yes_no("cluster-require-full-coverage", "yes"),
    // TLS
    one_of("tls-auth-clients", "yes", &["no", "yes", "optional"]),
    text("tls-ca-cert-dir", ""),
    text("tls-ca-cert-file", ""),
    text("tls-cert-file", ""),
    text("tls-ciphers", ""),
    text("tls-ciphersuites", ""),
    text("tls-client-cert-file", ""),
    text("tls-client-key-file", ""),
    text("tls-client-key-file-pass", ""),
    yes_no("tls-cluster", "no"),
    text("tls-dh-params-file", ""),
    text("tls-key-file", ""),
    text("tls-key-file-pass", ""),
    yes_no("tls-prefer-server-ciphers", "no"),
    text("tls-protocols", ""),
    yes_no("tls-replication", "no"),
    int("tls-session-cache-size", "20480", 0, I32),
    int("tls-session-cache-timeout", "300", 0, I32),
    yes_no("tls-session-caching", "yes"),
    // Memory and values
    int("active-defrag-cycle-max", "25", 1, 99),
    int("active-defrag-cycle-min", "1", 1, 99),
    memory("active-defrag-ignore-bytes", "104857600", 1, I64),
    int("active-defrag-max-scan-fields", "1000", 1, i64::MAX),
    int("active-defrag-threshold-lower", "10", 0, 1000),
    int("active-defrag-threshold-upper", "100", 0, 1000),
    int("active-expire-effort", "1", 1, 10),
    yes_no("activerehashing", "yes"),
    memory("hll-sparse-max-bytes", "3000", 0, I64),
    yes_no("jemalloc-bg-thread", "yes"),
    yes_no("lazyfree-lazy-eviction", "no"),
    int("lfu-decay-time", "1", 0, I32),
    int("lfu-log-factor", "10", 0, I32),
    int("list-compress-depth", "0", 0, I32),
    row("maxmemory-clients", "0", Kind::MemoryOrPercent),
    int("maxmemory-eviction-tenacity", "10", 0, 100),
    int("maxmemory-samples", "5", 1, I32),
    memory("stream-node-max-bytes", "4096", 0, I64),
    int("stream-node-max-entries", "100", 0, i64::MAX),
    // Process and system
    yes_no("always-show-logo", "no").immutable(),
    text("bgsave_cpulist", "").immutable(),
    text("bind-source-addr", ""),
    text("bio_cpulist", "").immutable(),
    yes_no("crash-log-enabled", "yes"),
    yes_no("crash-memcheck-enabled", "yes"),
    yes_no("disable-thp", "yes").immutable(),
    yes_no("dynamic-hz", "yes"),
    one_of("enable-module-command", "no", PERMISSIONS).immutable(),
    row("hz", "10", Kind::Hz),
    text("ignore-warnings", ""),
    yes_no("io-threads-do-reads", "no").immutable(),
    yes_no("lua-enable-deprecated-api", "no").immutable().hidden(),
    one_of("oom-score-adj", "no", &["no", "yes", "relative", "absolute"]),
    row("oom-score-adj-values", "0 200 800", Kind::OomScores),
    checked("proc-title-template", "{title} {listen-addr} {server-mode}", title_template),
    one_of("propagation-error-behavior", "ignore", &["ignore", "panic", "panic-on-replicas"]),
    text("server_cpulist", "").immutable(),
    yes_no("set-proc-title", "yes").immutable(),
    row("shutdown-on-sigint", "default", Kind::ShutdownOptions),
    row("shutdown-on-sigterm", "default", Kind::ShutdownOptions),
    int("shutdown-timeout", "10", 0, I32),
    int("socket-mark-id", "0", 0, U32).immutable(),
    one_of("supervised", "no", &["upstart", "systemd", "auto", "no"]).immutable(),
    yes_no("syslog-enabled", "no").immutable(),
    one_of(
        "syslog-facility",
        "local0",
        &["user", "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7"],
    )
    .immutable(),
    text("syslog-ident", "redis").immutable(),
    yes_no("use-exit-on-panic", "no").hidden(),
    int("watchdog-period", "0", 0, I32).hidden(),
];

const NO_REPLICA: &str = "holdfast cannot be a replica: replication is not supported";
const NO_REPLICAS: &str = "holdfast has no replicas, so every write would be refused";
const NO_CLUSTER: &str = "cluster mode is not supported";
const NO_EVICTION: &str =
    "holdfast never evicts, since an evicted lock would be held by nobody: only noeviction is supported";
const NO_LOG: &str = "an append-only file is not supported yet";
const NO_TLS: &str = "TLS is not supported yet";
const NO_ACL_FILE: &str = "ACL files are not supported yet";
const NO_DEFRAG: &str = "Active defragmentation cannot be enabled: the allocator of holdfast has none";

fn dbfilename(name: &[u8]) -> Result<(), &'static str> {
    if name.contains(&b'/') { Err("dbfilename can't be a path, just a filename") } else { Ok(()) }
}

fn appendfilename(name: &[u8]) -> Result<(), &'static str> {
    if name.is_empty() {
        Err("appendfilename can't be empty")
    } else if name.contains(&b'/') {
        Err("appendfilename can't be a path, just a filename")
    } else {
        Ok(())
    }
}

fn appenddirname(name: &[u8]) -> Result<(), &'static str> {
    if name.is_empty() {
        Err("appenddirname can't be empty")
    } else if name.contains(&b'/') {
        Err("appenddirname can't be a path, just a dirname")
    } else {
        Ok(())
    }
}

fn hostname(name: &[u8]) -> Result<(), &'static str> {
    if name.len() >= 256 {
        Err("Hostnames must be less than 256 characters")
    } else if !name.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.')) {
        Err("Hostnames may only contain alphanumeric characters, hyphens or dots")
    } else {
        Ok(())
    }
}

/// Variables of a title that always stand for something, and those that may be empty.
const SOLID_VARIABLES: [&str; 4] = ["listen-addr", "port", "tls-port", "config-file"];
const HOLLOW_VARIABLES: [&str; 3] = ["title", "server-mode", "unixsocket"];

/// Braces must hold a known variable, two opening ones stand for one. A title that could come out blank is refused:
/// Redis 7.0 tries it without a title and asks its own state for the other variables, of which this room has none.
fn title_template(template: &[u8]) -> Result<(), &'static str> {
    const INVALID: &str = "template format is invalid or contains unknown variables";
    let mut rest = std::str::from_utf8(template).map_err(|_| INVALID)?;
    let mut blank = true;
    while let Some((literal, after)) = rest.split_once('{') {
        blank &= literal.trim().is_empty();
        if let Some(tail) = after.strip_prefix('{') {
            blank = false;
            rest = tail;
            continue;
        }
        let (variable, tail) = after.split_once('}').ok_or(INVALID)?;
        if SOLID_VARIABLES.contains(&variable) {
            blank = false;
        } else if !HOLLOW_VARIABLES.contains(&variable) {
            return Err(INVALID);
        }
        rest = tail;
    }
    if blank && rest.trim().is_empty() { Err(INVALID) } else { Ok(()) }
}
