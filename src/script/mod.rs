//! The script room: a Lua 5.1 virtual machine as Redis 7.0 offers it to EVAL.
//!
//! [`Vm`] compiles and keeps scripts and runs them. A script reaches the server through [`Host`] alone: this room knows
//! [`crate::reply`] and nothing else, it is the only one with Lua in it, and the only one where `unsafe` is allowed.
//!
//! Reading order: `vm.rs` (one run from start to end), `call.rs` and `sink.rs` (`redis.call` and what it answers),
//! `answer.rs` (the value a script returns), `sandbox.rs` (what scripts can see), `lib/` (cjson, cmsgpack, struct,
//! bit).
//!
//! Invariant: a Lua error leaves a C function by `longjmp`. So no frame between the raise and the `lua_pcall` that
//! catches it may own anything. Where Rust code with destructors runs (the host, the sinks), the allocator is
//! *lenient*: it cannot fail, so nothing raises. A panic of the host is caught before it meets a C frame, and resumed
//! after the run.
#![allow(unsafe_code, reason = "Lua's stack is reached through its C API")]

mod answer;
mod bytecode;
mod cache;
mod call;
mod lib;
mod memory;
mod number;
mod random;
mod redis;
mod sandbox;
mod shebang;
mod sink;
mod stack;
mod state;
mod trouble;
mod vm;

#[cfg(test)]
mod tests;

use crate::reply::Sink;

pub use shebang::Flags;
pub use vm::{Memory, Ran, Script, Sha, Vm};

/// What a running script may ask of the server.
pub trait Host {
    /// Runs one command and says exactly one reply to `sink`. A failure is said as an error with its code in front.
    fn call(&mut self, argv: &[&[u8]], sink: &mut dyn Sink);
    /// `redis.setresp`: from now on commands of this script answer in RESP `version` (2 or 3), as [`Sink::resp3`] tells
    /// too.
    fn set_resp(&mut self, version: u8);
    /// `redis.log`: one line for the server's log.
    fn log(&mut self, level: LogLevel, message: &[u8]);
    /// `redis.acl_check_cmd`: whether the caller may run this; `None` when there is no such command.
    fn acl_check(&mut self, argv: &[&[u8]]) -> Option<bool>;
    /// `redis.set_repl`: bit 0 stands for the log, bit 1 for replicas.
    fn set_repl(&mut self, targets: u8);
    /// Asked every [`Limits::hook_period`] VM instructions. After `Kill` the script ends whatever it catches.
    fn interrupt(&mut self) -> Interrupt;
}

/// What the host decides about a script that is still running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interrupt {
    /// It goes on.
    Continue,
    /// It ends with `Script killed by user with SCRIPT KILL...`.
    Kill,
}

/// Severity of a line that a script logs; the numbers are those of `redis.LOG_DEBUG` to `redis.LOG_WARNING`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the configuration")]
pub enum LogLevel {
    Debug = 0,
    Verbose = 1,
    Notice = 2,
    Warning = 3,
}

/// Bounds of one [`Vm`].
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes that Lua may hold. An allocation past that fails the script, not the server.
    pub memory_bytes: usize,
    /// How many scripts that came by EVAL are kept; those of SCRIPT LOAD are not counted.
    pub cached_scripts: usize,
    /// VM instructions between two calls of [`Host::interrupt`].
    pub hook_period: u32,
    /// `redis.REDIS_VERSION`, three numbers.
    pub version: (u8, u8, u8),
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory_bytes: 512 << 20, cached_scripts: 500, hook_period: 10_000, version: (7, 2, 4) }
    }
}
