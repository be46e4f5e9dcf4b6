//! COMMAND DOCS: what redis-cli builds its hints from. The tree of arguments is read from the declared notation.

use crate::command::syntax::{self, Argument, Kind};
use crate::executor::commands::{Answer, Flow, Row, Turn};
use crate::reply::Sink;

impl Turn<'_> {
    pub(super) fn docs(&mut self, out: &mut dyn Sink) -> Answer {
        let names = &self.args[2..];
        let commands = self.ex.local.commands;
        let rows: Vec<&Row> = if names.is_empty() {
            commands.present().collect()
        } else {
            names.iter().filter_map(|name| commands.by_full_name(name)).collect()
        };
        out.map(rows.len());
        for row in rows {
            out.bulk(row.full_name.as_bytes());
            say_row(row, out);
        }
        Ok(Flow::Next)
    }
}

fn say_row(row: &Row, out: &mut dyn Sink) {
    let spec = row.spec;
    // A notation that cannot be read is caught by a test of the whole table.
    let arguments = syntax::parse(spec.syntax).unwrap_or_default();
    let mut texts = vec![
        ("summary", spec.summary),
        ("since", spec.since),
        ("group", spec.group.name()),
        ("complexity", spec.complexity),
    ];
    texts.retain(|(_, text)| !text.is_empty());
    out.map(texts.len() + usize::from(!arguments.is_empty()) + usize::from(!row.subcommands.is_empty()));
    for (name, text) in texts {
        out.bulk(name.as_bytes());
        out.bulk(text.as_bytes());
    }
    if !arguments.is_empty() {
        out.bulk(b"arguments");
        let mut keys = KeyCount { next: 0, specs: spec.keys.len() };
        say_arguments(&arguments, &mut keys, out);
    }
    if !row.subcommands.is_empty() {
        out.bulk(b"subcommands");
        out.map(row.subcommands.len());
        for sub in &row.subcommands {
            out.bulk(sub.full_name.as_bytes());
            say_row(sub, out);
        }
    }
}

/// Gives each key argument the key specification it belongs to, in order; the last one takes the rest.
struct KeyCount {
    next: usize,
    specs: usize,
}

impl KeyCount {
    fn index(&mut self) -> Option<usize> {
        let last = self.specs.checked_sub(1)?;
        self.next += 1;
        Some(last.min(self.next - 1))
    }
}

fn say_arguments(arguments: &[Argument], keys: &mut KeyCount, out: &mut dyn Sink) {
    out.array(arguments.len());
    for argument in arguments {
        say_argument(argument, keys, out);
    }
}

fn say_argument(argument: &Argument, keys: &mut KeyCount, out: &mut dyn Sink) {
    let key_spec = if argument.kind == Kind::Key { keys.index() } else { None };
    let marks =
        [(argument.optional, "optional"), (argument.multiple, "multiple"), (argument.multiple_token, "multiple_token")];
    let flags: Vec<&str> = marks.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect();
    let extras = [key_spec.is_some(), argument.token.is_some(), !flags.is_empty(), !argument.parts.is_empty()];
    out.map(2 + extras.iter().filter(|there| **there).count());
    out.bulk(b"name");
    out.bulk(argument.name.as_bytes());
    out.bulk(b"type");
    out.bulk(argument.kind.name().as_bytes());
    if let Some(index) = key_spec {
        out.bulk(b"key_spec_index");
        out.int(index as i64);
    }
    if let Some(token) = &argument.token {
        out.bulk(b"token");
        out.bulk(token.as_bytes());
    }
    if !flags.is_empty() {
        out.bulk(b"flags");
        out.set(flags.len());
        flags.iter().for_each(|flag| out.status(flag));
    }
    if !argument.parts.is_empty() {
        out.bulk(b"arguments");
        say_arguments(&argument.parts, keys, out);
    }
}
