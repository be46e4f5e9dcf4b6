//! Micro-benches of the parts that a lock request passes through, one file for each room. One binary, so that the whole
//! crate is linked once. `cargo bench` runs all, `cargo bench -- wheel` those whose name holds the word.
//!
//! The numbers compare two versions of this code on one machine. What a client sees is measured by `benches/run`.

mod encoder;
mod executor;
mod hash;
mod keyspace;
mod parser;
mod script;
mod wheel;

use criterion::Criterion;
use std::time::Duration;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Takes a re-entrant hash lock with the calls that Redisson makes for it.
const ACQUIRE: &str = include_str!("../acquire.lua");

/// Who takes it: a client's UUID and a thread's number.
const OWNER: &[u8] = b"8743c9c0-0795-4907-87fd-6c719a6b4586:1";

/// A request as a client sends it.
fn wire(argv: &[&[u8]]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", argv.len()).into_bytes();
    for arg in argv {
        bytes.extend_from_slice(format!("${}\r\n", arg.len()).as_bytes());
        bytes.extend_from_slice(arg);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes
}

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(30)
        .without_plots()
        .configure_from_args();
    parser::benches(&mut criterion);
    encoder::benches(&mut criterion);
    wheel::benches(&mut criterion);
    keyspace::benches(&mut criterion);
    hash::benches(&mut criterion);
    script::benches(&mut criterion);
    executor::benches(&mut criterion);
    criterion.final_summary();
}
