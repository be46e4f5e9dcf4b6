//! State: the databases, with value, deadline and wheel, behind two doors.
//!
//! All reads pass [`Doors::read`] (lazy expiry, hits and misses, access stamp, ticket); all writes end in
//! [`Doors::changed`] (dirty count, WATCH, keyspace events, position, waiters). What a command leaves behind besides
//! its reply is in [`Trace`]. This room has no commands, no clients, no clock: `now` comes with each call.

mod db;
mod doors;
mod key;
mod slab;
mod state;
mod table;
mod trace;
mod typed;

pub use db::Db;
pub use doors::{Doors, Keep};
pub use state::{Garbage, State};
pub use trace::{Change, Event, KeyspaceStats, Mode, Trace};
pub use typed::{Typed, WrongType};
