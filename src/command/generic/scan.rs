//! Commands that look for keys: KEYS, SCAN, RANDOMKEY.

use crate::command::scan::{self, ScanOptions};
use crate::command::{Categories, Command, Cx, DataCommand, Flags, Group, Outcome, Spec};
use crate::reply::Sink;

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
        if scan::fits(pattern, key) {
            found.push(key.to_vec());
        }
    });
    out.array(found.len());
    found.iter().for_each(|key| out.bulk(key));
    Ok(())
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
    let cursor = scan::cursor(cx.args[1])?;
    let options = ScanOptions::parse_of_keys(&cx.args[2..])?;
    let mut found = Vec::new();
    let next = cx.keys.scan(cursor, options.count, |key, value| {
        if options.wants(key) && options.wants_type(value.type_name()) {
            found.push(key.to_vec());
        }
    });
    scan::say_step(next, &found, out);
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
