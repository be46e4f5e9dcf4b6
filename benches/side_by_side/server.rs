//! Starts the servers that are compared, each pinned to the servers' core, and reads what they cost.

use crate::wire::Talk;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The core of the servers; the load has [`LOAD_CORE`].
const SERVER_CORE: &str = "0";

/// The core of the load.
pub(crate) const LOAD_CORE: usize = 1;

/// A server under measurement. It ends, and its directory goes, when this is dropped.
pub(crate) struct Server {
    /// Its name in tables.
    pub(crate) name: &'static str,
    /// What it says of its version.
    pub(crate) version: String,
    child: Child,
    dir: PathBuf,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts `binary` as `redis-server` is started, with `args` behind what all servers get.
    pub(crate) fn start(name: &'static str, binary: &Path, args: &[&str]) -> io::Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let dir = std::env::temp_dir().join(format!("holdfast-bench-{}-{port}", std::process::id()));
        std::fs::create_dir_all(&dir)?;
        let pinned = std::thread::available_parallelism().is_ok_and(|cores| cores.get() > LOAD_CORE);
        let mut command = if pinned {
            let mut command = Command::new("taskset");
            command.args(["-c", SERVER_CORE]).arg(binary);
            command
        } else {
            Command::new(binary)
        };
        command
            .args(["--port", &port.to_string(), "--save", "", "--maxclients", "20000", "--dir"])
            .arg(&dir)
            .args(args);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn()?;
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let mut server = Self { name, version: String::new(), child, dir, address };
        server.version = server.wait_until_ready()?;
        Ok(server)
    }

    fn wait_until_ready(&mut self) -> io::Result<String> {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Err(io::Error::other(format!("{} ended at its start: {status}", self.name)));
            }
            if let Ok(mut talk) = Talk::to(self.address) {
                let info = String::from_utf8_lossy(&talk.ask(&[b"INFO", b"server"])?).into_owned();
                let field = |name: &str| {
                    info.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned())
                };
                let own = ["holdfast_version:", "valkey_version:", "redis_version:"];
                return Ok(own.iter().find_map(|name| field(name)).unwrap_or_default());
            }
            if Instant::now() > deadline {
                return Err(io::Error::other(format!("{} does not answer", self.name)));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// CPU time of all its threads since its start, in seconds.
    pub(crate) fn cpu_seconds(&self) -> f64 {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).into_iter().flatten().flatten();
        let nanos = tasks.filter_map(|task| {
            let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<u64>().ok()
        });
        Duration::from_nanos(nanos.sum()).as_secs_f64()
    }

    /// Resident memory in bytes.
    pub(crate) fn resident_bytes(&self) -> u64 {
        let statm = std::fs::read_to_string(format!("/proc/{}/statm", self.child.id())).unwrap_or_default();
        statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or_default() * 4096
    }

    /// A connection to ask on, one request at a time.
    pub(crate) fn talk(&self) -> io::Result<Talk> {
        Talk::to(self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; there is nobody to tell otherwise.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

/// Binds this thread to the core of the load, if there is more than one.
pub(crate) fn pin_load() -> nix::Result<()> {
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() > LOAD_CORE) {
        let mut cores = nix::sched::CpuSet::new();
        cores.set(LOAD_CORE)?;
        nix::sched::sched_setaffinity(nix::unistd::Pid::from_raw(0), &cores)?;
    }
    Ok(())
}
