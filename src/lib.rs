//! holdfast: a lock server that speaks the Redis protocol.
pub mod reply;
