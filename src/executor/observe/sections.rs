//! INFO's sections of facts: server, clients, memory, persistence, replication, cpu, keyspace.

use super::info::{Page, human};
use crate::REDIS_VERSION;
use crate::executor::Executor;
use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeVal;
use std::fs::read_to_string;
use std::sync::OnceLock;

/// What the server calls itself where Redis has no name for it.
const HOLDFAST_VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) fn server(ex: &mut Executor, page: &mut Page) {
    let (local, now) = (&ex.local, ex.local.clock.now());
    let uptime_s = now.since(local.started) / 1000;
    page.line("redis_version", REDIS_VERSION);
    page.constants(&[
        ("redis_git_sha1", "00000000"),
        ("redis_git_dirty", "0"),
        ("redis_build_id", "0"),
        ("redis_mode", "standalone"),
        ("server_name", "holdfast"),
        ("holdfast_version", HOLDFAST_VERSION),
    ]);
    page.line("os", operating_system());
    page.line("arch_bits", usize::BITS);
    page.constants(&[
        ("monotonic_clock", "POSIX clock_gettime"),
        ("multiplexing_api", "epoll"),
        ("atomicvar_api", "rust-core"),
        ("gcc_version", "0.0.0"),
    ]);
    page.line("process_id", std::process::id());
    page.line("process_supervised", "no");
    page.line("run_id", &local.identity.run_id);
    page.line("tcp_port", local.config.port);
    page.line("server_time_usec", local.clock.wall_us());
    page.line("uptime_in_seconds", uptime_s);
    page.line("uptime_in_days", uptime_s / 86_400);
    let hz = setting(ex, b"hz");
    page.line("hz", &hz);
    page.line("configured_hz", &hz);
    page.line("lru_clock", now.seconds() & 0x00ff_ffff);
    page.line("executable", shown(std::env::current_exe().ok()));
    page.line("config_file", shown(ex.local.config.file().map(ToOwned::to_owned)));
    page.line("io_threads_active", u8::from(ex.local.config.io_threads > 1));
}

/// The one value of a setting that has no typed field.
fn setting(ex: &Executor, name: &[u8]) -> String {
    let found = ex.local.config.query(&[name]);
    found.first().map_or(String::new(), |(_, value)| String::from_utf8_lossy(value).into_owned())
}

/// A path, without characters that would break a line in two.
fn shown(path: Option<std::path::PathBuf>) -> String {
    path.map_or(String::new(), |path| path.to_string_lossy().replace([':', '\r', '\n'], "_"))
}

fn operating_system() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let kernel = |file: &str| read_to_string(format!("/proc/sys/kernel/{file}")).unwrap_or_default();
        format!("{} {} {}", kernel("ostype").trim(), kernel("osrelease").trim(), std::env::consts::ARCH)
    })
}

pub(super) fn clients(ex: &mut Executor, page: &mut Page) {
    let buffers = ex.client_buffers();
    page.line("connected_clients", ex.local.sessions.len());
    page.line("cluster_connections", 0);
    page.line("maxclients", ex.local.config.maxclients);
    page.line("client_recent_max_input_buffer", buffers.largest_input);
    page.line("client_recent_max_output_buffer", buffers.largest_output);
    // Those whom a pause holds count too (Redis 7.0).
    page.line("blocked_clients", ex.local.waiters.len() + ex.local.pause.held());
    page.line("tracking_clients", buffers.tracking);
    page.line("clients_in_timeout_table", ex.local.waiters.timed());
}

pub(super) fn memory(ex: &mut Executor, page: &mut Page) {
    let figures = ex.memory_figures();
    let total = total_system_memory();
    page.bytes("used_memory", figures.used);
    page.bytes("used_memory_rss", figures.used);
    page.bytes("used_memory_peak", figures.peak);
    page.line("used_memory_peak_perc", percent(figures.used, figures.peak));
    page.line("used_memory_overhead", figures.overhead);
    page.line("used_memory_startup", figures.startup);
    page.line("used_memory_dataset", figures.dataset);
    page.line("used_memory_dataset_perc", percent(figures.dataset, figures.used.saturating_sub(figures.startup)));
    page.line("allocator_allocated", figures.used);
    page.line("allocator_active", figures.used);
    page.line("allocator_resident", figures.used);
    page.bytes("total_system_memory", total);
    scripting(ex.local.scripting(), page);
    page.bytes("maxmemory", ex.local.config.maxmemory_bytes);
    page.constants(&[
        ("maxmemory_policy", "noeviction"),
        ("allocator_frag_ratio", "1.00"),
        ("allocator_frag_bytes", "0"),
        ("allocator_rss_ratio", "1.00"),
        ("allocator_rss_bytes", "0"),
        ("rss_overhead_ratio", "1.00"),
        ("rss_overhead_bytes", "0"),
        ("mem_fragmentation_ratio", "1.00"),
        ("mem_fragmentation_bytes", "0"),
        ("mem_not_counted_for_evict", "0"),
        ("mem_replication_backlog", "0"),
        ("mem_total_replication_buffers", "0"),
        ("mem_clients_slaves", "0"),
    ]);
    page.line("mem_clients_normal", figures.clients);
    page.constants(&[
        ("mem_cluster_links", "0"),
        ("mem_aof_buffer", "0"),
        ("mem_allocator", "mimalloc"),
        ("active_defrag_running", "0"),
        ("lazyfree_pending_objects", "0"),
        ("lazyfreed_objects", "0"),
    ]);
}

/// What the script VM and its caches hold.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::executor) struct Scripting {
    pub(in crate::executor) vm_bytes: u64,
    pub(in crate::executor) cached_scripts: usize,
    pub(in crate::executor) cached_bytes: u64,
    pub(in crate::executor) functions: usize,
    pub(in crate::executor) libraries: usize,
}

/// holdfast runs scripts and functions in one VM.
fn scripting(scripts: Scripting, page: &mut Page) {
    page.line("used_memory_lua", scripts.vm_bytes);
    page.line("used_memory_vm_eval", scripts.vm_bytes);
    page.line("used_memory_lua_human", human(scripts.vm_bytes));
    page.line("used_memory_scripts_eval", scripts.cached_bytes);
    page.line("number_of_cached_scripts", scripts.cached_scripts);
    page.line("number_of_functions", scripts.functions);
    page.line("number_of_libraries", scripts.libraries);
    page.line("used_memory_vm_functions", 0);
    page.bytes("used_memory_vm_total", scripts.vm_bytes);
    page.line("used_memory_functions", 0);
    page.bytes("used_memory_scripts", scripts.cached_bytes);
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.2}%", if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 })
}

fn total_system_memory() -> u64 {
    static TOTAL: OnceLock<u64> = OnceLock::new();
    *TOTAL.get_or_init(|| {
        let meminfo = read_to_string("/proc/meminfo").unwrap_or_default();
        let kib = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB"));
        kib.and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024
    })
}

/// Nothing is saved to or loaded from a file, which is what these lines say.
pub(super) fn persistence(ex: &mut Executor, page: &mut Page) {
    page.constants(&[
        ("loading", "0"),
        ("async_loading", "0"),
        ("current_cow_peak", "0"),
        ("current_cow_size", "0"),
        ("current_cow_size_age", "0"),
        ("current_fork_perc", "0.00"),
        ("current_save_keys_processed", "0"),
        ("current_save_keys_total", "0"),
    ]);
    page.line("rdb_changes_since_last_save", ex.trace.dirty);
    page.line("rdb_bgsave_in_progress", 0);
    // As in Redis, a server that never saved tells when it started.
    page.line("rdb_last_save_time", ex.local.started.0 / 1000);
    page.constants(&[
        ("rdb_last_bgsave_status", "ok"),
        ("rdb_last_bgsave_time_sec", "-1"),
        ("rdb_current_bgsave_time_sec", "-1"),
        ("rdb_saves", "0"),
        ("rdb_last_cow_size", "0"),
        ("rdb_last_load_keys_expired", "0"),
        ("rdb_last_load_keys_loaded", "0"),
        ("aof_enabled", "0"),
        ("aof_rewrite_in_progress", "0"),
        ("aof_rewrite_scheduled", "0"),
        ("aof_last_rewrite_time_sec", "-1"),
        ("aof_current_rewrite_time_sec", "-1"),
        ("aof_last_bgrewrite_status", "ok"),
        ("aof_rewrites", "0"),
        ("aof_rewrites_consecutive_failures", "0"),
        ("aof_last_write_status", "ok"),
        ("aof_last_cow_size", "0"),
        ("module_fork_in_progress", "0"),
        ("module_fork_last_cow_size", "0"),
    ]);
}

pub(super) fn replication(ex: &mut Executor, page: &mut Page) {
    page.constants(&[("role", "master")]);
    page.line("connected_slaves", ex.local.followers.len());
    let offset = ex.journal_offset();
    for (n, ip) in ex.local.followers.addresses().iter().enumerate() {
        page.line(&format!("slave{n}"), format!("ip={ip},port=0,state=online,offset={offset},lag=0"));
    }
    page.constants(&[("master_failover_state", "no-failover")]);
    page.line("master_replid", &ex.local.identity.replid);
    page.line("master_replid2", "0".repeat(40));
    page.line("master_repl_offset", ex.journal_offset());
    page.line("second_repl_offset", -1);
    page.line("repl_backlog_active", 0);
    page.line("repl_backlog_size", setting(ex, b"repl-backlog-size"));
    page.line("repl_backlog_first_byte_offset", 0);
    page.line("repl_backlog_histlen", 0);
}

pub(super) fn cpu(_: &mut Executor, page: &mut Page) {
    let scopes = [
        ("", UsageWho::RUSAGE_SELF),
        ("_children", UsageWho::RUSAGE_CHILDREN),
        // The executor has no thread of its own: this is the I/O thread that asks.
        ("_main_thread", UsageWho::RUSAGE_THREAD),
    ];
    for (suffix, who) in scopes {
        let usage = getrusage(who).ok();
        page.line(&format!("used_cpu_sys{suffix}"), seconds(usage.as_ref().map(Usage::system_time)));
        page.line(&format!("used_cpu_user{suffix}"), seconds(usage.as_ref().map(Usage::user_time)));
    }
}

fn seconds(time: Option<TimeVal>) -> String {
    let (whole, micros) = time.map_or((0, 0), |time| (time.tv_sec(), time.tv_usec()));
    format!("{whole}.{micros:06}")
}

pub(super) fn keyspace(ex: &mut Executor, page: &mut Page) {
    let now = ex.local.clock.now();
    for index in 0..ex.state.databases() {
        let db = ex.state.db(index);
        if !db.is_empty() {
            page.line(
                &format!("db{index}"),
                format_args!("keys={},expires={},avg_ttl={}", db.len(), db.volatile(), db.mean_ttl_ms(now)),
            );
        }
    }
}
