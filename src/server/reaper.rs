//! A thread that frees what is too large to free while clients wait.

use crate::keyspace::Garbage;
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

/// Frees `garbage`, elsewhere if a thread for it can be had.
pub(super) fn discard(garbage: Garbage) {
    static REAPER: OnceLock<Sender<Garbage>> = OnceLock::new();
    let reaper = REAPER.get_or_init(|| {
        let (sender, receiver) = channel::<Garbage>();
        // Without a thread the receiver is dropped, and each send fails and frees in place.
        let spawned =
            std::thread::Builder::new().name("reaper".to_owned()).spawn(move || receiver.into_iter().for_each(drop));
        if let Err(error) = spawned {
            tracing::warn!("No thread to free memory in the background: {error}");
        }
        sender
    });
    // The thread lives as long as the process; should it be gone, the garbage comes back and is freed here.
    drop(reaper.send(garbage));
}
