//! The whole table of commands held to its rules, and transcripts of COMMAND.

use super::facts;
use crate::command::spec::Flags;
use crate::command::{Access, syntax};
use crate::executor::commands::{Commands, Row};
use crate::transcript::check;

fn all_rows() -> impl Iterator<Item = &'static Row> {
    Commands::standard().present().flat_map(|row| std::iter::once(row).chain(&row.subcommands))
}

#[test]
fn every_command_is_documented() {
    for row in all_rows() {
        let (spec, name) = (row.spec, row.full_name);
        assert!(spec.summary.ends_with('.') && spec.summary.len() > 10, "{name}: {}", spec.summary);
        assert_eq!(spec.since.split('.').filter(|part| part.parse::<u32>().is_ok()).count(), 3, "{name}");
        // Redis states none for LOLWUT.
        assert!(!spec.complexity.is_empty() || name == "lolwut", "{name}");
        let arguments = syntax::parse(spec.syntax).unwrap_or_else(|error| panic!("{name}: {error}"));
        let own_words = if name.contains('|') { 2 } else { 1 };
        let takes_some = spec.arity != own_words && row.subcommands.is_empty();
        assert!(!takes_some || !arguments.is_empty() || spec.arity < 0, "{name} takes arguments without naming them");
        assert!(takes_some || arguments.is_empty() || !row.subcommands.is_empty(), "{name} names arguments in vain");
    }
}

#[test]
fn names_are_lower_case_and_unique() {
    for row in all_rows() {
        let name = row.spec.name;
        assert!(
            name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-' || byte == b'_' || byte == b'1'),
            "{name}"
        );
    }
    let mut names: Vec<&str> = all_rows().map(|row| row.full_name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn flags_and_key_specifications_agree() {
    for row in all_rows() {
        let (spec, name) = (row.spec, row.full_name);
        assert!(!spec.flags.contains(Flags::WRITE | Flags::READONLY), "{name}");
        assert!(!row.is(Flags::DENYOOM) || row.is(Flags::WRITE), "{name}: only writes need memory");
        assert!(spec.arity != 0, "{name}");
        assert!(row.is(Flags::MOVABLEKEYS) || !facts::movable(row), "{name}: movablekeys");
        let names_keys = spec.syntax.split([' ', '[', ']']).any(|word| word == "key");
        let has_keys = spec.keys.iter().any(|keys| !keys.access.contains(Access::NOT_KEY));
        // CLUSTER KEYSLOT only hashes its key.
        assert!(!names_keys || has_keys || name == "cluster|keyslot", "{name} names keys without a specification");
        for keys in spec.keys {
            let kinds = Access::RO | Access::RW | Access::OW | Access::RM | Access::NOT_KEY;
            let kind = keys.access & kinds;
            assert_eq!(kind.iter().count(), 1, "{name}: one of RO, RW, OW, RM");
            let reads_only = kind == Access::RO || kind == Access::NOT_KEY;
            assert!(reads_only || !row.is(Flags::READONLY), "{name} writes a key but is read-only");
        }
    }
}

#[test]
fn facts_have_the_shape_of_redis() {
    check(
        r#"
        A: COMMAND INFO nosuch slowlog|len spublish slowlog|nosuch
        A= [nil, ["slowlog|len", :2, [+admin, +loading, +stale], :0, :0, :0, [+@admin, +@slow, +@dangerous], ["request_policy:all_nodes", "response_policy:agg_sum", "nondeterministic_output"], [], []], ["spublish", :3, [+pubsub, +loading, +stale, +fast], :1, :1, :1, [+@pubsub, +@fast], [], [["flags", [+not_key], "begin_search", ["type", "index", "spec", ["index", :1]], "find_keys", ["type", "range", "spec", ["lastkey", :0, "keystep", :1, "limit", :0]]]], []], nil]
        A: COMMAND INFO SLOWLOG
        A~ [["slowlog", :-2, [], :0, :0, :0, [+@slow], [], [], [["slowlog|get", .*
        A: COMMAND COUNT x
        A= -ERR wrong number of arguments for 'command|count' command
        A: COMMAND nosuch
        A= -ERR unknown subcommand 'nosuch'. Try COMMAND HELP.
        A: HELLO 3
        A~ {.*
        A: COMMAND INFO watch
        A= [["watch", :-2, ~[+noscript, +loading, +stale, +fast, +allow_busy], :1, :-1, :1, ~[+@fast, +@transaction], ~[], ~[{"flags": ~[+RO], "begin_search": {"type": "index", "spec": {"index": :1}}, "find_keys": {"type": "range", "spec": {"lastkey": :-1, "keystep": :1, "limit": :0}}}], ~[]]]
        A: COMMAND DOCS nosuch client|unblock
        A= {"client|unblock": {"summary": "Ends the wait of another connection in a blocking command.", "since": "5.0.0", "group": "connection", "complexity": "O(log N) where N is the number of client connections", "arguments": [{"name": "client-id", "type": "integer"}, {"name": "timeout_error", "type": "oneof", "flags": ~[+optional], "arguments": [{"name": "timeout", "type": "pure-token", "token": "TIMEOUT"}, {"name": "error", "type": "pure-token", "token": "ERROR"}]}]}}
        A: COMMAND DOCS watch
        A~ {"watch": {.* "arguments": [{"name": "key", "type": "key", "key_spec_index": :0, "flags": ~[+multiple]}]}}
        A: COMMAND DOCS slowlog
        A~ {"slowlog": {"summary": .* "subcommands": {"slowlog|get": {"summary": .*
        "#,
    );
}

#[test]
fn names_can_be_filtered() {
    check(
        r#"
        A: COMMAND LIST FILTERBY PATTERN "SLOWLOG|l*"
        A= ["slowlog|len"]
        A: COMMAND LIST FILTERBY PATTERN xyz
        A= []
        A: COMMAND LIST FILTERBY MODULE x
        A= []
        A: COMMAND LIST FILTERBY ACLCAT nosuch
        A= []
        A: COMMAND LIST FILTERBY aclcat Transaction
        A= ["multi", "exec", "discard", "watch", "unwatch"]
        A: COMMAND LIST FILTERBY
        A= -ERR syntax error
        A: COMMAND LIST FILTERBY foo bar
        A= -ERR syntax error
        "#,
    );
}

#[test]
fn keys_of_a_request_are_found() {
    check(
        r#"
        A: COMMAND GETKEYS watch a b
        A= ["a", "b"]
        A: COMMAND GETKEYSANDFLAGS watch a b
        A= [["a", [+RO]], ["b", [+RO]]]
        A: COMMAND GETKEYS sort abc store invalid store def
        A= ["abc", "def"]
        A: COMMAND GETKEYSANDFLAGS sort abc store def
        A= [["abc", [+RO, +access]], ["def", [+OW, +update]]]
        A: COMMAND GETKEYS sort abc store
        A= ["abc"]
        A: COMMAND GETKEYS nosuch a
        A= -ERR Invalid command specified
        A: COMMAND GETKEYS slowlog nosuch
        A= -ERR Invalid command specified
        A: COMMAND GETKEYS spublish a b
        A= -ERR The command has no key arguments
        A: COMMAND GETKEYS ping
        A= -ERR wrong number of arguments for 'command|getkeys' command
        "#,
    );
}
