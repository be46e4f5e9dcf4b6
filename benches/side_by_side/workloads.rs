//! What is measured under load: requests of lock clients, as rows of the table.

use crate::load::{Batch, Script};
use crate::server::Server;
use crate::wire::request;
use std::io;

const ACQUIRE: &str = include_str!("../acquire.lua");
const RELEASE: &str = include_str!("../release.lua");
const RENEW: &str = include_str!("../renew.lua");
const COMPARE_AND_DELETE: &str = include_str!("../../lua/compare_and_delete.lua");

const LEASE: &[u8] = b"30000";
const LATCH: &[u8] = b"16000";
const CHANNEL: &[u8] = b"redisson_lock__channel:{order}";

/// A row of the table.
#[derive(Clone, Copy)]
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) connections: usize,
    pub(crate) pipeline: usize,
    /// Operations in a round.
    pub(crate) operations: u64,
    /// Locks that others hold meanwhile.
    pub(crate) held: usize,
}

/// What one operation is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Cycle,
    Refused,
    SetAndCompareDelete,
    SetNx,
    Ping,
    Set,
    Get,
    Incr,
    Hset,
    Publish,
    Renew,
}

const fn row(name: &'static str, kind: Kind, pipeline: usize, operations: u64) -> Workload {
    Workload { name, kind, connections: 50, pipeline, operations, held: 0 }
}

/// All of them, in the table's order.
pub(crate) const WORKLOADS: &[Workload] = &[
    row("cycle, no pipeline", Kind::Cycle, 1, 30_000),
    row("cycle, 16 pipelined", Kind::Cycle, 16, 160_000),
    row("failed attempt, 16 pipelined", Kind::Refused, 16, 500_000),
    row("SET NX PX + compare-and-delete, 16 pipelined", Kind::SetAndCompareDelete, 16, 400_000),
    row("SET NX PX, no pipeline", Kind::SetNx, 1, 100_000),
    row("PING, no pipeline", Kind::Ping, 1, 100_000),
    row("SET, 32 pipelined", Kind::Set, 32, 1_000_000),
    row("GET, 32 pipelined", Kind::Get, 32, 1_000_000),
    row("INCR, 32 pipelined", Kind::Incr, 32, 1_000_000),
    row("HSET, 32 pipelined", Kind::Hset, 32, 1_000_000),
    row("PUBLISH to nobody, no pipeline", Kind::Publish, 1, 100_000),
    row("PUBLISH to nobody, 32 pipelined", Kind::Publish, 32, 1_000_000),
    row("renewal of 100 locks in one script", Kind::Renew, 1, 5_000),
    Workload { connections: 1_000, ..row("cycle, 1,000 connections", Kind::Cycle, 1, 30_000) },
    Workload { connections: 10_000, ..row("cycle, 10,000 connections", Kind::Cycle, 1, 30_000) },
    Workload { held: 1_000, ..row("cycle, 16 pipelined, 1,000 locks held", Kind::Cycle, 16, 160_000) },
    Workload { held: 100_000, ..row("cycle, 16 pipelined, 100,000 locks held", Kind::Cycle, 16, 160_000) },
    Workload { held: 1_000_000, ..row("cycle, 16 pipelined, 1,000,000 locks held", Kind::Cycle, 16, 160_000) },
];

/// Hashes of the scripts that a server has loaded.
pub(crate) struct Loaded {
    acquire: Vec<u8>,
    release: Vec<u8>,
    renew: Vec<u8>,
    compare_and_delete: Vec<u8>,
}

impl Loaded {
    pub(crate) fn into_server(server: &Server) -> io::Result<Self> {
        let mut talk = server.talk()?;
        let mut load = |source: &str| -> io::Result<Vec<u8>> {
            let reply = talk.ask(&[b"SCRIPT", b"LOAD", source.as_bytes()])?;
            // $40, the hash, and the end of the line.
            Ok(reply[5..45].to_vec())
        };
        Ok(Self {
            acquire: load(ACQUIRE)?,
            release: load(RELEASE)?,
            renew: load(RENEW)?,
            compare_and_delete: load(COMPARE_AND_DELETE)?,
        })
    }

    /// EVALSHA of the acquire script.
    pub(crate) fn acquire(&self, out: &mut Vec<u8>, lock: &[u8], owner: &[u8]) {
        request(out, &[b"EVALSHA", &self.acquire, b"1", lock, LEASE, owner]);
    }

    /// EVALSHA of the release script, which publishes to `channel`.
    pub(crate) fn release(&self, out: &mut Vec<u8>, lock: &[u8], channel: &[u8], latch: &[u8], owner: &[u8]) {
        let keys_and_args: [&[u8]; 11] =
            [b"EVALSHA", &self.release, b"3", lock, channel, latch, b"0", LEASE, owner, b"PUBLISH", LATCH];
        request(out, &keys_and_args);
    }
}

/// The name of a held lock: 17 bytes.
pub(crate) fn held_lock(index: usize) -> Vec<u8> {
    format!("order:held:{index:06}").into_bytes()
}

/// An owner as Redisson names it: a client's UUID and a thread, 38 bytes.
pub(crate) fn owner(index: usize) -> Vec<u8> {
    format!("8743c9c0-0795-4907-87fd-6c719a6b{:04x}:1", index % 0x10000).into_bytes()
}

impl Workload {
    /// Empties the server and lays what the workload starts from.
    pub(crate) fn prepare(&self, server: &Server, loaded: &Loaded) -> io::Result<()> {
        let mut talk = server.talk()?;
        talk.ask(&[b"FLUSHALL"])?;
        talk.ask_all(self.held, |index, out| {
            request(out, &[b"HSET", &held_lock(index), &owner(index), b"1"]);
        })?;
        talk.ask_all(self.held, |index, out| request(out, &[b"PEXPIRE", &held_lock(index), b"3600000"]))?;
        match self.kind {
            Kind::Refused => {
                talk.ask_all(self.connections, |index, out| loaded.acquire(out, &lock(index), b"someone else"))
            }
            Kind::Renew => talk.ask_all(self.connections * RENEWED, |index, out| {
                loaded.acquire(out, &held_lock(index), &owner(index / RENEWED));
            }),
            _ => Ok(()),
        }
    }

    /// What the connection `index` sends.
    pub(crate) fn script(&self, loaded: &Loaded, index: usize) -> Script {
        let (lock, owner) = (lock(index), owner(index));
        if self.kind == Kind::Cycle && self.pipeline == 1 {
            let parts = self.cycle(loaded, index, &lock, &owner);
            let batches: Vec<_> = parts.into_iter().map(|bytes| Batch { bytes, replies: 1 }).collect();
            return Script { batches_per_wait: batches.len(), operations_per_wait: 1, batches };
        }
        // Several, so that keys differ from one batch to the next.
        let batches = (0..8).map(|turn| {
            let mut batch = Batch { bytes: Vec::new(), replies: 0 };
            for place in 0..self.pipeline {
                let key = format!("key:{:08}", index * 1_000 + turn * self.pipeline + place).into_bytes();
                batch.replies += self.operation(loaded, index, &lock, &owner, &key, &mut batch.bytes);
            }
            batch
        });
        Script { batches: batches.collect(), batches_per_wait: 1, operations_per_wait: self.pipeline }
    }

    /// Acquire, release, and the latch deleted, as Redisson sends them.
    fn cycle(&self, loaded: &Loaded, index: usize, lock: &[u8], owner: &[u8]) -> [Vec<u8>; 3] {
        let latch = format!("redisson_unlock_latch:{{order}}:{index:032x}").into_bytes();
        let mut parts = [Vec::new(), Vec::new(), Vec::new()];
        loaded.acquire(&mut parts[0], lock, owner);
        loaded.release(&mut parts[1], lock, CHANNEL, &latch, owner);
        request(&mut parts[2], &[b"DEL", &latch]);
        parts
    }

    /// Adds one operation; gives the number of its replies.
    fn operation(
        &self,
        loaded: &Loaded,
        index: usize,
        lock: &[u8],
        owner: &[u8],
        key: &[u8],
        out: &mut Vec<u8>,
    ) -> usize {
        match self.kind {
            Kind::Cycle => {
                self.cycle(loaded, index, lock, owner).iter().for_each(|part| out.extend_from_slice(part));
                return 3;
            }
            Kind::SetAndCompareDelete => {
                request(out, &[b"SET", lock, owner, b"NX", b"PX", LEASE]);
                request(out, &[b"EVALSHA", &loaded.compare_and_delete, b"1", lock, owner]);
                return 2;
            }
            Kind::Renew => {
                let locks: Vec<_> = (index * RENEWED..(index + 1) * RENEWED).map(held_lock).collect();
                let count = RENEWED.to_string();
                let mut argv: Vec<&[u8]> = vec![b"EVALSHA", &loaded.renew, count.as_bytes()];
                argv.extend(locks.iter().map(Vec::as_slice));
                argv.push(LEASE);
                argv.extend(std::iter::repeat_n(owner, RENEWED));
                request(out, &argv);
            }
            Kind::Refused => loaded.acquire(out, lock, owner),
            Kind::SetNx => request(out, &[b"SET", key, owner, b"NX", b"PX", LEASE]),
            Kind::Ping => request(out, &[b"PING"]),
            Kind::Set => request(out, &[b"SET", key, owner]),
            Kind::Get => request(out, &[b"GET", key]),
            Kind::Incr => request(out, &[b"INCR", key]),
            Kind::Hset => request(out, &[b"HSET", key, owner, b"1"]),
            Kind::Publish => request(out, &[b"PUBLISH", CHANNEL, b"0"]),
        }
        1
    }
}

/// So many locks renews a watchdog at once.
const RENEWED: usize = 100;

fn lock(index: usize) -> Vec<u8> {
    format!("order:lock:{index:06}").into_bytes()
}
