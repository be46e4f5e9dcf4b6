//! OBJECT: how a value is stored and used.

use crate::command::{Access, Command, CommandError, Cx, DataCommand, Flags, Group, KeySpec, Outcome, Spec, help};
use crate::reply::Sink;
use crate::value::Value;

pub(super) const OBJECT: DataCommand = Command {
    spec: Spec {
        since: "2.2.3",
        summary: "Looks at how values are stored and used.",
        complexity: "Depends on subcommand.",
        ..Spec::new("object", -2, Group::Generic, Flags::empty())
    },
    run: |cx, _| {
        let word = String::from_utf8_lossy(cx.args[1]).into_owned();
        Err(CommandError::UnknownSubcommand(word, "OBJECT".to_owned()))
    },
    subcommands: SUBCOMMANDS,
};

const SUBCOMMANDS: &[DataCommand] = &[ENCODING, FREQ, IDLETIME, REFCOUNT, HELP];

const READ: &[KeySpec] = &[KeySpec::one(2, Access::RO)];

const fn spec(name: &'static str) -> Spec {
    Spec {
        keys: READ,
        since: "2.2.3",
        syntax: "key",
        tips: &["nondeterministic_output"],
        ..Spec::new(name, 3, Group::Generic, Flags::READONLY)
    }
}

const ENCODING: DataCommand = Command::new(
    Spec { summary: "Answers the name that Redis 7.0 would have for the encoding of a value.", ..spec("encoding") },
    |cx, out| {
        match value(cx) {
            Some(value) => out.bulk(value.encoding().as_bytes()),
            None => out.nil(),
        }
        Ok(())
    },
);

const FREQ: DataCommand = Command::new(
    Spec { since: "4.0.0", summary: "Refuses, as no policy here counts accesses.", ..spec("freq") },
    |cx, out| {
        const UNTRACKED: &str = "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please \
                                 note \
                                 that when switching between policies at runtime LRU and LFU data will take some time to \
                                 adjust.";
        if value(cx).is_some() {
            return Err(CommandError::Text(UNTRACKED));
        }
        out.nil();
        Ok(())
    },
);

const IDLETIME: DataCommand = Command::new(
    Spec { summary: "Answers how many seconds ago the key was last used.", ..spec("idletime") },
    |cx, out| {
        match cx.keys.idle_seconds(cx.args[2]) {
            Some(seconds) => out.int(i64::from(seconds)),
            None => out.nil(),
        }
        Ok(())
    },
);

const REFCOUNT: DataCommand = Command::new(
    Spec { summary: "Answers 1, or what Redis 7.0 answers for the integers that it shares.", ..spec("refcount") },
    |cx, out| {
        match value(cx) {
            Some(value) => out.int(if is_shared(value) { i64::from(i32::MAX) } else { 1 }),
            None => out.nil(),
        }
        Ok(())
    },
);

fn value<'a>(cx: &'a mut Cx<'_>) -> Option<&'a Value> {
    cx.keys.exists(cx.args[2]).then(|| cx.keys.peek(cx.args[2])).flatten()
}

fn is_shared(value: &Value) -> bool {
    match value {
        Value::String(string) => {
            string.encoding() == "int" && string.as_int().is_some_and(|n| (0..10_000).contains(&n))
        }
        _ => false,
    }
}

const HELP: DataCommand = Command::new(
    Spec {
        since: "6.2.0",
        summary: "Prints this help.",
        ..Spec::new("help", 2, Group::Generic, Flags::LOADING.union(Flags::STALE))
    },
    object_help,
);

fn object_help(_: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    help("object", SUBCOMMANDS.iter().map(|command| &command.spec), out);
    Ok(())
}
