//! Commands that look for keys: KEYS, SCAN, RANDOMKEY.

use crate::command::args::{self, is};
use crate::command::{Categories, Command, CommandError, Cx, DataCommand, Flags, Group, Outcome, Spec};
use crate::glob;
use crate::number;
use crate::reply::Sink;
use crate::value::IntBuffer;

pub(super) const KEYS: DataCommand = Command::new(
    Spec {
        categories: Categories::DANGEROUS,
        summary: "Answers all keys that match a pattern.",
        complexity: "O(N) where N is the number of keys in the database.",
        syntax: "pattern",
        tips: &["request_policy:all_shards", "nondeterministic_output_order"],
        ..Spec::new("keys", 2, Group::Generic, Flags::READONLY)
    },
    keys,
);

fn keys(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let mut found = Vec::new();
    let pattern = cx.args[1];
    cx.keys.for_each(|key, _| {
        if fits(pattern, key) {
            found.push(key.to_vec());
        }
    });
    say_keys(&found, out);
    Ok(())
}

/// A lone star fits the empty key, too, which it would not match.
fn fits(pattern: &[u8], key: &[u8]) -> bool {
    pattern == b"*" || glob::matches(pattern, key)
}

fn say_keys(keys: &[Vec<u8>], out: &mut dyn Sink) {
    out.array(keys.len());
    keys.iter().for_each(|key| out.bulk(key));
}

pub(super) const SCAN: DataCommand = Command::new(
    Spec {
        since: "2.8.0",
        summary: "Answers some keys and a cursor to go on with, which is 0 at the end.",
        complexity: "O(1) for each call, O(N) for all calls of a round.",
        syntax: "cursor [MATCH pattern] [COUNT count] [TYPE type]",
        tips: &["nondeterministic_output", "request_policy:special"],
        ..Spec::new("scan", -2, Group::Generic, Flags::READONLY)
    },
    scan,
);

fn scan(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let cursor = number::parse_cursor(cx.args[1]).ok_or(CommandError::Text("ERR invalid cursor"))?;
    let (mut pattern, mut count, mut kind): (&[u8], _, Option<&[u8]>) = (b"*", 10, None);
    let (pairs, rest) = cx.args[2..].as_chunks();
    for [word, value] in pairs {
        if is(word, "count") {
            count = usize::try_from(args::int(value)?).ok().filter(|count| *count > 0).ok_or(CommandError::Syntax)?;
        } else if is(word, "match") {
            pattern = value;
        } else if is(word, "type") {
            kind = Some(value);
        } else {
            return Err(CommandError::Syntax);
        }
    }
    if !rest.is_empty() {
        return Err(CommandError::Syntax);
    }
    let mut found = Vec::new();
    let next = cx.keys.scan(cursor, count, |key, value| {
        if fits(pattern, key) && kind.is_none_or(|kind| is(kind, value.type_name())) {
            found.push(key.to_vec());
        }
    });
    out.array(2);
    match i64::try_from(next) {
        Ok(next) => out.bulk(IntBuffer::new().format(next)),
        Err(_) => out.bulk(next.to_string().as_bytes()),
    }
    say_keys(&found, out);
    Ok(())
}

pub(super) const RANDOMKEY: DataCommand = Command::new(
    Spec {
        summary: "Answers a key, each as likely as any other.",
        tips: &["request_policy:all_shards", "nondeterministic_output"],
        ..Spec::new("randomkey", 1, Group::Generic, Flags::READONLY)
    },
    |cx, out| {
        match cx.keys.random_key(cx.random) {
            Some(key) => out.bulk(&key),
            None => out.nil(),
        }
        Ok(())
    },
);
