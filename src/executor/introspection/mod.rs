//! COMMAND: what the server tells of its own commands, all of it derived from their declarations.

mod docs;
mod facts;
mod keys;

use super::commands::{Answer, ControlCommand, Flow, Row, Turn};
use crate::command::{Categories, Command, CommandError, Flags, Group, Spec, args};
use crate::glob;
use crate::reply::Sink;

pub(super) const COMMANDS: &[ControlCommand] = &[COMMAND];

const FLAGS: Flags = Flags::LOADING.union(Flags::STALE);
const UNORDERED: &[&str] = &["nondeterministic_output_order"];

const COMMAND: ControlCommand = Command {
    spec: Spec {
        since: "2.8.13",
        summary: "Tells the facts of all commands.",
        complexity: "O(N) where N is the total number of Redis commands",
        tips: UNORDERED,
        categories: Categories::CONNECTION,
        ..Spec::new("command", -1, Group::Server, FLAGS)
    },
    run: |turn, out| turn.all_facts(out),
    subcommands: &[
        Command::new(
            Spec {
                since: "2.8.13",
                summary: "Answers how many commands there are.",
                categories: Categories::CONNECTION,
                ..Spec::new("count", 2, Group::Server, FLAGS)
            },
            |turn, out| {
                out.int(turn.ex.local.commands.present().count() as i64);
                Ok(Flow::Next)
            },
        ),
        Command::new(
            Spec {
                since: "2.8.13",
                summary: "Tells the facts of some commands, or of all.",
                complexity: "O(N) where N is the number of commands to look up",
                syntax: "[command-name [command-name ...]]",
                tips: UNORDERED,
                categories: Categories::CONNECTION,
                ..Spec::new("info", -2, Group::Server, FLAGS)
            },
            |turn, out| turn.some_facts(out),
        ),
        Command::new(
            Spec {
                since: "7.0.0",
                summary: "Explains some commands, or all.",
                complexity: "O(N) where N is the number of commands to look up",
                syntax: "[command-name [command-name ...]]",
                tips: UNORDERED,
                categories: Categories::CONNECTION,
                ..Spec::new("docs", -2, Group::Server, FLAGS)
            },
            |turn, out| turn.docs(out),
        ),
        Command::new(
            Spec {
                since: "7.0.0",
                summary: "Lists the names of commands, or of those in a category or with names like a pattern.",
                complexity: "O(N) where N is the total number of Redis commands",
                syntax: "[FILTERBY <MODULE module-name | ACLCAT category | PATTERN pattern>]",
                tips: UNORDERED,
                categories: Categories::CONNECTION,
                ..Spec::new("list", -2, Group::Server, FLAGS)
            },
            |turn, out| turn.list_commands(out),
        ),
        Command::new(
            Spec {
                since: "2.8.13",
                summary: "Finds the keys of a request.",
                complexity: "O(N) where N is the number of arguments to the command",
                syntax: "command [arg [arg ...]]",
                categories: Categories::CONNECTION,
                ..Spec::new("getkeys", -4, Group::Server, FLAGS)
            },
            |turn, out| turn.keys_of_request(false, out),
        ),
        Command::new(
            Spec {
                since: "7.0.0",
                summary: "Finds the keys of a request, and what it does with each.",
                complexity: "O(N) where N is the number of arguments to the command",
                syntax: "command [arg [arg ...]]",
                categories: Categories::CONNECTION,
                ..Spec::new("getkeysandflags", -4, Group::Server, FLAGS)
            },
            |turn, out| turn.keys_of_request(true, out),
        ),
        Command::new(
            Spec {
                since: "5.0.0",
                summary: "Lists the subcommands.",
                categories: Categories::CONNECTION,
                ..Spec::new("help", 2, Group::Server, FLAGS)
            },
            |turn, out| turn.help(out),
        ),
    ],
};

/// Which commands COMMAND LIST lists.
enum Choice<'a> {
    All,
    /// No command comes from a module.
    None,
    Category(&'a [u8]),
    Pattern(&'a [u8]),
}

impl Choice<'_> {
    fn takes(&self, row: &Row) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            Self::Category(name) => facts::category_named(name).is_some_and(|one| facts::categories(row).contains(one)),
            Self::Pattern(pattern) => glob::matches_nocase(pattern, row.full_name.as_bytes()),
        }
    }
}

impl Turn<'_> {
    fn list_commands(&mut self, out: &mut dyn Sink) -> Answer {
        let choice = match self.args[2..] {
            [] => Choice::All,
            [by, what, value] if args::is(by, "FILTERBY") => match what {
                what if args::is(what, "MODULE") => Choice::None,
                what if args::is(what, "ACLCAT") => Choice::Category(value),
                what if args::is(what, "PATTERN") => Choice::Pattern(value),
                _ => return Err(CommandError::Syntax),
            },
            _ => return Err(CommandError::Syntax),
        };
        let mut names = Vec::new();
        for row in self.ex.local.commands.present() {
            names.push(row);
            names.extend(&row.subcommands);
        }
        names.retain(|row| choice.takes(row));
        out.array(names.len());
        names.iter().for_each(|row| out.bulk(row.full_name.as_bytes()));
        Ok(Flow::Next)
    }
}

#[cfg(test)]
mod tests;
