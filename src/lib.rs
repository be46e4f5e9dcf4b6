//! holdfast: a lock server that speaks the Redis protocol.

pub mod command;
pub mod config;
pub mod event;
pub mod executor;
pub mod glob;
pub mod journal;
pub mod keyspace;
pub mod number;
pub mod pubsub;
pub mod reply;
pub mod request;
pub mod resp;
pub mod script;
pub mod server;
pub mod session;
pub mod time;
pub mod value;
pub mod wheel;

/// The Redis version that holdfast announces everywhere, error texts included. Behaviour is that of 7.0.15.
pub const REDIS_VERSION: &str = "7.2.4";

#[cfg(test)]
mod replay;
#[cfg(test)]
mod transcript;
