//! COMMAND and COMMAND INFO: name, arity, flags, key positions, categories, tips, key specifications, subcommands.

use crate::command::spec::{Begin, Find};
use crate::command::{Access, Categories, Flags, KeySpec};
use crate::executor::commands::{Answer, Flow, Row, Turn};
use crate::reply::Sink;

/// In the order in which Redis 7.0.15 prints them. It prints no others.
const FLAG_NAMES: [(Flags, &str); 18] = [
    (Flags::WRITE, "write"),
    (Flags::READONLY, "readonly"),
    (Flags::DENYOOM, "denyoom"),
    (Flags::ADMIN, "admin"),
    (Flags::PUBSUB, "pubsub"),
    (Flags::NOSCRIPT, "noscript"),
    (Flags::BLOCKING, "blocking"),
    (Flags::LOADING, "loading"),
    (Flags::STALE, "stale"),
    (Flags::SKIP_MONITOR, "skip_monitor"),
    (Flags::SKIP_SLOWLOG, "skip_slowlog"),
    (Flags::FAST, "fast"),
    (Flags::NO_AUTH, "no_auth"),
    (Flags::NO_MANDATORY_KEYS, "no_mandatory_keys"),
    (Flags::NO_ASYNC_LOADING, "no_async_loading"),
    (Flags::NO_MULTI, "no_multi"),
    (Flags::MOVABLEKEYS, "movablekeys"),
    (Flags::ALLOW_BUSY, "allow_busy"),
];

const CATEGORY_NAMES: [(Categories, &str); 17] = [
    (Categories::KEYSPACE, "keyspace"),
    (Categories::READ, "read"),
    (Categories::WRITE, "write"),
    (Categories::SET, "set"),
    (Categories::SORTED_SET, "sortedset"),
    (Categories::LIST, "list"),
    (Categories::HASH, "hash"),
    (Categories::STRING, "string"),
    (Categories::PUBSUB, "pubsub"),
    (Categories::ADMIN, "admin"),
    (Categories::FAST, "fast"),
    (Categories::SLOW, "slow"),
    (Categories::BLOCKING, "blocking"),
    (Categories::DANGEROUS, "dangerous"),
    (Categories::CONNECTION, "connection"),
    (Categories::TRANSACTION, "transaction"),
    (Categories::SCRIPTING, "scripting"),
];

const ACCESS_NAMES: [(Access, &str); 11] = [
    (Access::RO, "RO"),
    (Access::RW, "RW"),
    (Access::OW, "OW"),
    (Access::RM, "RM"),
    (Access::ACCESS, "access"),
    (Access::UPDATE, "update"),
    (Access::INSERT, "insert"),
    (Access::DELETE, "delete"),
    (Access::NOT_KEY, "not_key"),
    (Access::INCOMPLETE, "incomplete"),
    (Access::VARIABLE_FLAGS, "variable_flags"),
];

/// The category of this name, any case.
pub(super) fn category_named(name: &[u8]) -> Option<Categories> {
    CATEGORY_NAMES.iter().find(|(_, known)| name.eq_ignore_ascii_case(known.as_bytes())).map(|(one, _)| *one)
}

/// All categories of a command. A container that only holds subcommands has none of its group (Redis 7.0).
pub(super) fn categories(row: &Row) -> Categories {
    if row.spec.flags.is_empty() && !row.subcommands.is_empty() {
        return row.spec.categories | Categories::SLOW;
    }
    row.spec.all_categories()
}

/// Says the flags of one key specification as a set.
pub(super) fn say_access(access: Access, out: &mut dyn Sink) {
    say_set(ACCESS_NAMES.iter().filter(|(flag, _)| access.contains(*flag)).map(|(_, name)| (*name).to_owned()), out);
}

fn say_set(names: impl Iterator<Item = String>, out: &mut dyn Sink) {
    let names: Vec<String> = names.collect();
    out.set(names.len());
    names.iter().for_each(|name| out.status(name));
}

/// First key, last key (negative: from the end) and step, the form before key specifications; zeros when there is none.
/// And whether it misses keys that the specifications find. As Redis 7.0.15 derives them.
fn legacy_range(keys: &[KeySpec]) -> ((i32, i32, i32), bool) {
    let range = |keys: &KeySpec| match (keys.begin, keys.find) {
        (Begin::Index(first), Find::Range { last, step, .. }) => {
            Some((first, if last >= 0 { first + last } else { last }, step))
        }
        _ => None,
    };
    if let [only] = keys
        && let Some(range) = range(only)
    {
        return (range, only.access.contains(Access::INCOMPLETE));
    }
    let mut misses = false;
    let mut whole: Option<(i32, i32)> = None;
    for keys in keys {
        misses |= keys.access.contains(Access::INCOMPLETE);
        match (range(keys), whole) {
            (Some((first, last, 1)), None) => whole = Some((first, last)),
            (Some((first, last, 1)), Some((begin, end))) if end == first - 1 => {
                // Compared as unsigned numbers: a negative last key is behind all others.
                whole = Some((begin.min(first), (end as u32).max(last as u32) as i32));
            }
            _ => misses = true,
        }
    }
    (whole.map_or((0, 0, 0), |(first, last)| (first, last, 1)), misses)
}

fn say_key_spec(keys: &KeySpec, out: &mut dyn Sink) {
    out.map(3);
    out.bulk(b"flags");
    say_access(keys.access, out);
    out.bulk(b"begin_search");
    match keys.begin {
        Begin::Index(index) => say_search("index", &[("index", index)], out),
        Begin::Keyword(word, from) => {
            say_type("keyword", out);
            out.map(2);
            out.bulk(b"keyword");
            out.bulk(word.as_bytes());
            out.bulk(b"startfrom");
            out.int(i64::from(from));
        }
        Begin::Unknown => say_search("unknown", &[], out),
    }
    out.bulk(b"find_keys");
    match keys.find {
        Find::Range { last, step, limit } => {
            say_search("range", &[("lastkey", last), ("keystep", step), ("limit", limit)], out);
        }
        Find::Count { at, first, step } => {
            say_search("keynum", &[("keynumidx", at), ("firstkey", first), ("keystep", step)], out);
        }
        Find::Unknown => say_search("unknown", &[], out),
    }
}

fn say_type(name: &str, out: &mut dyn Sink) {
    out.map(2);
    out.bulk(b"type");
    out.bulk(name.as_bytes());
    out.bulk(b"spec");
}

fn say_search(name: &str, numbers: &[(&str, i32)], out: &mut dyn Sink) {
    say_type(name, out);
    out.map(numbers.len());
    for (name, number) in numbers {
        out.bulk(name.as_bytes());
        out.int(i64::from(*number));
    }
}

fn say_row(row: &Row, out: &mut dyn Sink) {
    let spec = row.spec;
    let ((first, last, step), misses) = legacy_range(spec.keys);
    let flags = if misses { spec.flags | Flags::MOVABLEKEYS } else { spec.flags };
    out.array(10);
    out.bulk(row.full_name.as_bytes());
    out.int(i64::from(spec.arity));
    say_set(FLAG_NAMES.iter().filter(|(flag, _)| flags.contains(*flag)).map(|(_, name)| (*name).to_owned()), out);
    for number in [first, last, step] {
        out.int(i64::from(number));
    }
    let categories = categories(row);
    say_set(
        CATEGORY_NAMES.iter().filter(|(one, _)| categories.contains(*one)).map(|(_, name)| format!("@{name}")),
        out,
    );
    out.set(spec.tips.len());
    spec.tips.iter().for_each(|tip| out.bulk(tip.as_bytes()));
    out.set(spec.keys.len());
    spec.keys.iter().for_each(|keys| say_key_spec(keys, out));
    out.set(row.subcommands.len());
    row.subcommands.iter().for_each(|sub| say_row(sub, out));
}

impl Turn<'_> {
    pub(super) fn all_facts(&mut self, out: &mut dyn Sink) -> Answer {
        let rows: Vec<&Row> = self.ex.local.commands.present().collect();
        out.array(rows.len());
        rows.iter().for_each(|row| say_row(row, out));
        Ok(Flow::Next)
    }

    pub(super) fn some_facts(&mut self, out: &mut dyn Sink) -> Answer {
        let names = &self.args[2..];
        if names.is_empty() {
            return self.all_facts(out);
        }
        out.array(names.len());
        for name in names {
            match self.ex.local.commands.by_full_name(name) {
                Some(row) => say_row(row, out),
                None => out.nil(),
            }
        }
        Ok(Flow::Next)
    }
}

#[cfg(test)]
pub(super) fn movable(row: &Row) -> bool {
    legacy_range(row.spec.keys).1
}
