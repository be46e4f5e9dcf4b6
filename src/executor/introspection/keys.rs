//! COMMAND GETKEYS and GETKEYSANDFLAGS.

use super::facts;
use crate::command::spec;
use crate::command::{Access, CommandError, Flags, Spec};
use crate::executor::commands::{Answer, Flow, Turn};
use crate::reply::Sink;
use crate::request::Argv;

impl Turn<'_> {
    pub(super) fn keys_of_request(&mut self, with_flags: bool, out: &mut dyn Sink) -> Answer {
        let argv = &self.args[2..];
        let invalid = CommandError::Text("ERR Invalid command specified");
        let row = self.ex.local.commands.nearest(argv).ok_or(invalid)?;
        if !row.spec.keys.iter().any(|keys| !keys.access.contains(Access::NOT_KEY)) {
            return Err(CommandError::Text("ERR The command has no key arguments"));
        }
        if !row.spec.accepts(argv.len()) {
            return Err(CommandError::Text("ERR Invalid number of arguments specified for command"));
        }
        let keys = keys_with_access(row.spec, argv);
        if keys.is_empty() && !row.is(Flags::NO_MANDATORY_KEYS) {
            return Err(CommandError::Text("ERR Invalid arguments specified for command"));
        }
        out.array(keys.len());
        for (at, access) in keys {
            if with_flags {
                out.array(2);
                out.bulk(argv[at]);
                facts::say_access(access - Access::VARIABLE_FLAGS - Access::INCOMPLETE, out);
            } else {
                out.bulk(argv[at]);
            }
        }
        Ok(Flow::Next)
    }
}

/// Where the keys are, in the order of the specifications, and what is done with each; nothing when one does not fit.
fn keys_with_access(spec: &Spec, argv: Argv<'_>) -> Vec<(usize, Access)> {
    let mut keys = Vec::new();
    for one in spec.keys {
        let alone = Spec { keys: std::slice::from_ref(one), ..*spec };
        let mut found = Vec::new();
        if !spec::key_positions(&alone, argv, &mut found) {
            return Vec::new();
        }
        keys.extend(found.into_iter().map(|at| (at, access(spec, one.access, argv))));
    }
    keys
}

/// SET reads only with GET (Redis 7.0: `variable_flags`).
fn access(spec: &Spec, declared: Access, argv: Argv<'_>) -> Access {
    let reads = argv.iter().skip(3).any(|arg| arg.eq_ignore_ascii_case(b"GET"));
    match spec.name {
        "set" if reads => Access::RW | Access::ACCESS | Access::UPDATE,
        "set" => Access::OW | Access::UPDATE,
        _ => declared,
    }
}
