//! The table of all commands, data and control, and what a control command works with.

use super::observe::{footprint, info, latency, monitor, slowlog};
use super::{
    Executor, administration, blocking, blocking_sorted, client, cluster, configuration, connection, debug, follower,
    introspection, scripting, subscriptions, transaction,
};
use crate::command::{self, Command, CommandError, Run, Spec};
use crate::config::Rename;
use crate::reply::Sink;
use crate::request::Argv;
use crate::session::Client;
use ahash::AHashMap;
use std::sync::OnceLock;

/// What the connection does after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Takes the next request.
    Next,
    /// Waits until it is woken; the reply comes through the outbox.
    Blocked,
    /// CLIENT PAUSE: holds this same request until the pause ends, then tries again.
    Paused,
    /// Sends what is there and closes.
    Close,
    /// HELLO was accepted: the greeting is written in the protocol it chose.
    Greet,
}

/// Where a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// Sent by the client itself.
    Direct,
    /// Inside EXEC.
    Exec,
    /// Called by a script.
    Script,
}

/// What a control command works with.
pub struct Turn<'a> {
    /// The whole server.
    pub ex: &'a mut Executor,
    /// Who asks.
    pub client: &'a mut Client,
    /// The request, name first.
    pub args: Argv<'a>,
    /// Where it runs. Anything but [`Context::Direct`] must not block.
    pub context: Context,
}

/// What a control command comes to.
pub type Answer = Result<Flow, CommandError>;

/// The function of a control command.
pub(super) type Control = fn(&mut Turn<'_>, &mut dyn Sink) -> Answer;

/// A declared control command.
pub type ControlCommand = Command<Control>;

/// The families of control commands, beside `command::FAMILIES`.
const FAMILIES: &[&[ControlCommand]] = &[
    connection::COMMANDS,
    client::COMMANDS,
    transaction::COMMANDS,
    subscriptions::COMMANDS,
    blocking::COMMANDS,
    blocking_sorted::COMMANDS,
    administration::COMMANDS,
    scripting::COMMANDS,
    cluster::COMMANDS,
    configuration::COMMANDS,
    introspection::COMMANDS,
    debug::COMMANDS,
    info::COMMANDS,
    latency::COMMANDS,
    footprint::COMMANDS,
    slowlog::COMMANDS,
    monitor::COMMANDS,
    follower::COMMANDS,
];

/// A function of either kind.
#[derive(Clone, Copy)]
pub(crate) enum Function {
    Data(Run),
    Control(Control),
}

/// One row of the table.
pub(crate) struct Row {
    pub(crate) spec: &'static Spec,
    pub(crate) function: Function,
    /// Index into per-command statistics.
    pub(crate) id: usize,
    /// With the container's name: `config|get`.
    pub(crate) full_name: &'static str,
    pub(crate) subcommands: Vec<Row>,
}

/// All rows, found by name.
pub(crate) struct Commands {
    rows: Vec<Row>,
    index: AHashMap<Box<[u8]>, usize>,
    /// Full names by the rows' ids.
    names: Vec<&'static str>,
}

/// Names are shorter; a longer word is no command.
const LONGEST: usize = 32;

impl Commands {
    /// The table without renames, built once per process: rows live as long as it does.
    pub(crate) fn standard() -> &'static Self {
        static STANDARD: OnceLock<Commands> = OnceLock::new();
        STANDARD.get_or_init(Self::new)
    }

    /// The table with `rename-command` applied.
    pub(crate) fn renamed(renames: &[Rename]) -> Result<&'static Self, String> {
        if renames.is_empty() {
            return Ok(Self::standard());
        }
        let mut commands = Self::new();
        for rename in renames {
            commands.rename(&rename.from, &rename.to).map_err(|why| rename.refused(why).to_string())?;
        }
        Ok(Box::leak(Box::new(commands)))
    }

    fn new() -> Self {
        let mut commands = Self { rows: Vec::new(), index: AHashMap::new(), names: Vec::new() };
        for command in command::FAMILIES.iter().copied().flatten() {
            commands.add(command, Function::Data);
        }
        for command in FAMILIES.iter().copied().flatten() {
            commands.add(command, Function::Control);
        }
        commands
    }

    fn add<F: Copy>(&mut self, command: &'static Command<F>, kind: fn(F) -> Function) {
        let row = self.row(command, None, kind);
        let twin = self.index.insert(command.spec.name.as_bytes().into(), self.rows.len());
        assert!(twin.is_none(), "command {} is declared twice", command.spec.name);
        self.rows.push(row);
    }

    fn row<F: Copy>(&mut self, command: &'static Command<F>, parent: Option<&str>, kind: fn(F) -> Function) -> Row {
        let name = command.spec.name;
        let full_name = parent.map_or(name, |parent| Box::leak(format!("{parent}|{name}").into_boxed_str()));
        let id = self.names.len();
        self.names.push(full_name);
        let subcommands = command.subcommands.iter().map(|sub| self.row(sub, Some(name), kind)).collect();
        Row { spec: &command.spec, function: kind(command.run), id, full_name, subcommands }
    }

    /// The row named by a request's first word, any case.
    pub(crate) fn find(&self, name: &[u8]) -> Option<&Row> {
        let mut lower = [0; LONGEST];
        let lower = lower.get_mut(..name.len())?;
        lower.copy_from_slice(name);
        lower.make_ascii_lowercase();
        self.index.get(&*lower).map(|&at| &self.rows[at])
    }

    /// All top-level rows, renamed or not, in the order of declaration.
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The top-level rows that `rename-command` left, in the order of declaration.
    pub(crate) fn present(&self) -> impl Iterator<Item = &Row> {
        let mut left: Vec<usize> = self.index.values().copied().collect();
        left.sort_unstable();
        left.into_iter().map(|at| &self.rows[at])
    }

    /// The row with this name, of a subcommand written `config|get`.
    pub(crate) fn by_full_name(&self, name: &[u8]) -> Option<&Row> {
        match name.iter().position(|byte| *byte == b'|') {
            None => self.find(name),
            Some(at) => self.find(&name[..at])?.subcommand(&name[at + 1..]),
        }
    }

    /// How many rows there are, subcommands counted.
    pub(crate) fn count(&self) -> usize {
        self.names.len()
    }

    /// The full name of the row with this id.
    pub(crate) fn name(&self, id: usize) -> &'static str {
        self.names[id]
    }

    /// `rename-command`: an empty new name takes the command away.
    fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), &'static str> {
        let from = from.to_ascii_lowercase();
        let to = to.to_ascii_lowercase();
        if !to.is_empty() && self.index.contains_key(&*to) {
            return Err(Rename::NAME_TAKEN);
        }
        let at = self.index.remove(&*from).ok_or(Rename::NO_SUCH_COMMAND)?;
        if !to.is_empty() {
            self.index.insert(to.into(), at);
        }
        Ok(())
    }
}

impl Row {
    /// The subcommand named by the second word, any case.
    pub(crate) fn subcommand(&self, word: &[u8]) -> Option<&Row> {
        self.subcommands.iter().find(|sub| word.eq_ignore_ascii_case(sub.spec.name.as_bytes()))
    }

    pub(crate) fn is(&self, flags: command::Flags) -> bool {
        self.spec.flags.intersects(flags)
    }
}

impl Turn<'_> {
    /// The refusal of an unknown second word.
    pub(super) fn unknown_subcommand(&self) -> CommandError {
        let word = self.args.get(1).map_or(String::new(), |word| String::from_utf8_lossy(word).into_owned());
        CommandError::UnknownSubcommand(word, String::from_utf8_lossy(self.args[0]).to_ascii_uppercase())
    }

    /// The refusal of a subcommand with too many arguments.
    pub(super) fn subcommand_syntax(&self) -> CommandError {
        CommandError::Owned(format!(
            "ERR unknown subcommand or wrong number of arguments for '{}'. Try {} HELP.",
            String::from_utf8_lossy(self.args[1]),
            String::from_utf8_lossy(self.args[0]).to_ascii_uppercase()
        ))
    }

    /// Answers HELP of a container from the declarations of its subcommands, in the layout of Redis 7.0.
    pub(super) fn help(&self, out: &mut dyn Sink) -> Answer {
        let row = self.ex.local.commands.find(self.args[0]).expect("this command was found by that name");
        command::help(row.spec.name, row.subcommands.iter().map(|sub| sub.spec), out);
        Ok(Flow::Next)
    }
}
