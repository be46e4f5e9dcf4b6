//! Data commands: one file per group of the Redis manual, a `const` block and a function for each command.
//!
//! They get a [`Cx`] and a sink, and reach no client, no VM, no journal. Two edits in one file add a command: its block
//! with its function, and its line in the `COMMANDS` slice at the head of the file. Commands that need more power
//! (MULTI, EVAL, SUBSCRIBE, BLPOP, CLIENT) live in `executor/`.

pub mod args;
mod compare;
pub mod error;
mod expire;
mod generic;
pub(crate) mod hash;
pub(crate) mod list;
mod scan;
pub(crate) mod set;
mod snapshot;
pub(crate) mod sorted_set;
pub mod spec;
mod string;
pub mod syntax;

pub use error::CommandError;
pub use snapshot::snapshot;
pub use spec::{Access, Categories, Command, Flags, Group, KeySpec, Spec};

use crate::journal::Entry;
use crate::keyspace::{Doors, Mode, State, Trace};
use crate::reply::{Sink, Tree};
use crate::request::Argv;
use crate::value::EncodingLimits;
use rand::SeedableRng;
use rand::rngs::SmallRng;

/// What a data command works with.
pub struct Cx<'a> {
    /// The selected database, at one moment.
    pub keys: Doors<'a>,
    /// The request, name first. Arity has been checked.
    pub args: Argv<'a>,
    /// Randomness; what it decides must be logged as decided.
    pub random: &'a mut SmallRng,
    /// When values change their encoding.
    pub limits: &'a EncodingLimits,
}

/// What a command comes to. On `Err` it has said nothing to the sink and changed nothing.
pub type Outcome = Result<(), CommandError>;

/// The function of a data command.
pub type Run = fn(&mut Cx<'_>, &mut dyn Sink) -> Outcome;

/// A declared data command.
pub type DataCommand = Command<Run>;

/// All families. The only list beside each family's own.
pub const FAMILIES: &[&[DataCommand]] = &[
    string::COMMANDS,
    generic::COMMANDS,
    expire::COMMANDS,
    compare::COMMANDS,
    hash::COMMANDS,
    list::COMMANDS,
    set::COMMANDS,
    sorted_set::COMMANDS,
];

/// Says the HELP of a container from the declarations of its subcommands, in the layout of Redis 7.0.
pub fn help<'a>(container: &str, subcommands: impl Iterator<Item = &'a Spec>, out: &mut dyn Sink) {
    let container = container.to_ascii_uppercase();
    let mut lines = vec![format!("{container} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:")];
    for sub in subcommands {
        let name = sub.name.to_ascii_uppercase();
        lines.push(format!("{name} {}", sub.syntax).trim_end().to_owned());
        lines.push(format!("    {}", sub.summary));
    }
    out.array(lines.len());
    lines.iter().for_each(|line| out.status(line));
}

/// Applies one journal entry: the same for a restart and for a follower. Reads no clock, draws no randomness, expires
/// nothing.
///
/// # Errors
/// The effect that cannot be applied, as text: an unknown command, or one that refuses. State is then of no use.
pub fn apply(state: &mut State, entry: &Entry, limits: &EncodingLimits) -> Result<(), String> {
    let mut trace = Trace::new(false);
    trace.mode = Mode::Applying;
    let mut random = SmallRng::seed_from_u64(0);
    for effect in entry.effects.iter() {
        let argv: Vec<&[u8]> = effect.argv.iter().map(Vec::as_slice).collect();
        if let [b"CLOCK", offset] = argv[..] {
            let offset_ms = crate::number::parse_int(offset).ok_or("CLOCK without a number")?;
            state.set_wall_offset(offset_ms);
            continue;
        }
        let name = argv.first().ok_or("an effect without a name")?;
        let command = find(name).ok_or_else(|| format!("unknown effect '{}'", String::from_utf8_lossy(name)))?;
        let keys = state.doors(&mut trace, effect.db, entry.at);
        let mut cx = Cx { keys, args: &argv, random: &mut random, limits };
        (command.run)(&mut cx, &mut Tree::new(false))
            .map_err(|error| format!("effect '{}' refused: {error}", String::from_utf8_lossy(name)))?;
        trace.garbage.clear();
    }
    Ok(())
}

fn find(name: &[u8]) -> Option<&'static DataCommand> {
    FAMILIES.iter().copied().flatten().find(|command| name.eq_ignore_ascii_case(command.spec.name.as_bytes()))
}
