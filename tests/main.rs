//! Integration tests over real sockets: each starts a server of its own on a free port.

mod adversary;
mod cases;
mod harness;
mod recipes;
#[path = "../src/transcript/text.rs"]
mod text;
mod wire;
