//! holdfast: a lock server that speaks the Redis protocol and behaves as redis-server 7.0.15 does.
//!
//! This is the map. It takes ten minutes, and then you know where everything is and where it must not be.
//!
//! # From a socket to a reply
//!
//! 1. A connection ([`server`], `connection.rs`) has bytes to read. It reads them into a buffer of its I/O thread and
//!    parses the first request ([`resp`]): a list of borrowed slices, looked up by nobody yet ([`request`]).
//! 2. It locks the [`executor`], once for all requests that have arrived. If a slow script holds the lock, the *desk*
//!    answers beside it: what must be answered then is, all else is `BUSY`.
//! 3. [`executor::Executor::execute`] freezes `now` and sends the request through the *gauntlet*: is there such a
//!    command, do the arguments fit, may this client, is there memory, is it to be queued, is it paused?
//! 4. `call` runs the command: the only place where one runs, whether sent, queued or called by a script (a blocked one
//!    tries again in `waiters`). It also measures, and feeds MONITOR and the slow log.
//! 5. A *data command* ([`command`]) sees one database through two doors ([`keyspace::Doors`]) and says its answer to a
//!    [`reply::Sink`]. A *control command* ([`executor`]) is a method of a turn, and may reach clients, VM and
//!    settings.
//! 6. What it changed lies in the [`keyspace::Trace`]. `spread_changes` tells watchers, waiters and listeners to
//!    keyspace events.
//! 7. `commit` ends the command, script or transaction: one entry to the [`journal`], messages into outboxes, then the
//!    clients that waited for its keys are served, oldest first.
//! 8. The replies of the whole turn go into the outbox ([`session`]), with the newest ticket that any of them waits
//!    for. The lock is released; what may leave is sent with one write, and other threads' mailboxes are rung once
//!    each.
//!
//! # Rooms, in reading order
//!
//! A room uses only rooms above it in this list; `tests/tidy/rooms.rs` holds the exact table and checks it.
//!
//! - [`number`]: numbers as text, as Redis reads and prints them; 80-bit sums for INCRBYFLOAT.
//! - [`event`]: classes of keyspace events. [`glob`]: pattern matching. **Invariant:** none of the three knows a type
//!   of ours.
//! - [`time`]: points in time, and the clock. **Invariant:** no other file reads a clock.
//! - [`reply`]: what a command answers, as meaning. **Invariant:** no bytes, no protocol version, no client.
//! - [`request`]: arguments, borrowed or kept. **Invariant:** nothing is looked up.
//! - [`resp`]: bytes to requests, replies to bytes. **Invariant:** no sockets; any byte may be the last that has
//!   arrived.
//! - [`config`]: settings: redis.conf names, files, command line, CONFIG SET. **Invariant:** prints nothing, applies
//!   nothing, ends nothing.
//! - [`wheel`]: the timer wheel. **Invariant:** no clock, and no items: now goes in, due handles come out.
//! - [`value`]: the five types. **Invariant:** no keys, no lifetimes, no replies; nobody outside sees an encoding.
//! - [`script`]: Lua 5.1 as EVAL offers it. **Invariant:** knows the server only as [`script::Host`]; the only room
//!   with `unsafe`.
//! - [`pubsub`]: who listens to what. **Invariant:** sends nothing; it answers who is to get a message.
//! - [`journal`]: what was decided, in order. **Invariant:** no keys, no clients, no clock; never makes the executor
//!   wait.
//! - [`keyspace`]: the databases behind two doors. **Invariant:** no commands, no clients; nothing is changed but
//!   through a door.
//! - [`command`]: data commands, and how commands are declared. **Invariant:** they reach no client, no VM, no journal
//!   (`apply`, which replays entries, is the one that knows what an entry is).
//! - [`session`]: what is known of a connection. **Invariant:** no sockets, no commands.
//! - [`executor`]: everything runs here, one command at a time. **Invariant:** no socket, no disk, no thread; a test
//!   drives the whole server with a clock moved by hand.
//! - [`server`]: sockets, threads, timer, signals, log. **Invariant:** decides nothing about data; the only room, but
//!   for `journal`, with a runtime.
//! - `main.rs`: command line to running server. **Invariant:** nothing else prints or exits.
//!
//! # How to add a command
//!
//! Two edits in one file. Write a `const` block with its facts beside its function, in the file of its Redis group
//! (`command/` if it only needs keys, `executor/` if it needs a client, the VM or the settings), and name it in the
//! `COMMANDS` slice at that file's (or its `mod.rs`) head. COMMAND, COMMAND DOCS, ACL categories, arity, key positions
//! and HELP follow from the block. Then write a transcript beside it: what a client sends and what redis-server
//! answers.
//!
//! What you may have forgotten, and who tells:
//!
//! - the slice: the compiler (dead code) and `tests/tidy`;
//! - summary, version, syntax, flags that contradict keys: `executor/introspection/tests.rs`;
//! - `changed` or `remove_if_empty` after a write, or to log a relative time or a random choice as what it came to: a
//!   row in `replay.rs` runs the command at random and compares the replayed state.
//!
//! # Time
//!
//! *Server time* is the wall clock at start plus monotonic time since. Deadlines, entries and the wheel use it, so a
//! stepped wall clock neither expires a lock nor makes it immortal. EXPIREAT, PXAT and kin speak wall time; one stored
//! offset converts, and deadlines given so carry a bit that moves them along when the wall clock is stepped by more
//! than 100 ms. `now` stands still within a command, a script and a transaction. A key is gone at its deadline: readers
//! check it, and the timer deletes it on time (a timerfd: tokio's sleep is a millisecond coarse). A deletion by
//! deadline is decided once, by the server that holds the key, and logged.
//!
//! # Journal and tickets
//!
//! Effects are logged, not requests: what Redis would propagate, once for each command, script or transaction, and only
//! if something changed. The executor runs first and answers when it is safe. An entry gets a position; a reply,
//! message or event gets a *ticket*: the position it wrote or, failing that, the newest position of a key it touched,
//! from a table of 65,536 classes of keys (deleted ones count). Bytes leave an outbox as a prefix, up to what the
//! journal calls committed. If the journal reports `Lost`, the executor drops what it held back, closes every
//! connection and builds [`keyspace::State`] anew from the committed entries: state is thrown away, never undone.
//! [`command::apply`] reads no clock, draws no randomness and expires nothing, so the same entries make the same state.
//! The kind that runs today is [`journal::Memory`]: committed at once, nothing kept.
//!
//! # What was chosen against the obvious, and why
//!
//! - [`reply::Sink`] is a trait object, not an enum: encoder and Lua stack live in rooms that `reply` cannot name.
//! - The executor holds a handle to the clock instead of getting a number with each request: TIME moves on inside a
//!   script, as in Redis 7.0. The clock may be a manual one.
//! - Keys are inline up to 17 bytes, not 24: the access stamp of OBJECT IDLETIME shares the space, and an item is 48
//!   bytes instead of 56.
//! - A script calls its host through the trait [`script::Host`], not a closure: it asks for more than commands (log
//!   lines, RESP version, interrupts).
//! - A client's own state ([`session::Client`]) is owned by its connection and lent to the executor with each request;
//!   only what others need is shared ([`session::Session`]). So no lookup and no lock on the common path.
//! - Mail is sent at commit, not when it is said: a message must not overtake the entry that it depends on.
//! - A connection is a hand-written future: an idle one costs its struct and no saved stack, and a request is read, run
//!   and answered without going to sleep in between.
//! - Deliveries to connections of other turns go through one mailbox task for each thread, not one task wake-up for
//!   each receiver: a message to ten thousand subscribers rings each thread once.
//! - The wheel has eleven levels, 63 bits of milliseconds: every deadline that Redis can express has its place, and
//!   there is no second structure for far ones.
//! - The hash index is extendible hashing that keeps the order of hashes: SCAN's cursor is a hash, so that its
//!   guarantee holds whatever grows or shrinks, and growth never moves more than one segment.
//! - [`number`] and [`event`] are rooms of their own: `config`, `resp` and `command` need them, and none of these lies
//!   below the others.

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

// Of tests only: transcripts on a bare executor, and random commands replayed.
#[cfg(test)]
mod replay;
#[cfg(test)]
mod transcript;
