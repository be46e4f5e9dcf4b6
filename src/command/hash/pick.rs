//! HSCAN and HRANDFIELD.

use super::key;
use crate::command::scan::{self, ScanOptions};
use crate::command::{Access, Command, Cx, DataCommand, Flags, Group, Outcome, Spec, args};
use crate::reply::Sink;
use crate::value::{Hash, IntBuffer, Scalar};
use ahash::AHashSet;
use rand::Rng;

pub(super) const HSCAN: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO.union(Access::ACCESS)),
        since: "2.8.0",
        summary: "Walks through the fields and values in steps.",
        complexity: "O(1) for every call. O(N) for a complete iteration, including enough command calls for the cursor \
                     to return back to 0. N is the number of elements inside the collection..",
        syntax: "key cursor [MATCH pattern] [COUNT count]",
        tips: &["nondeterministic_output"],
        ..Spec::new("hscan", -3, Group::Hash, Flags::READONLY)
    },
    hscan,
);

fn hscan(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let cursor = scan::cursor(cx.args[2])?;
    let Some(hash) = cx.keys.read_as::<Hash>(cx.args[1])? else {
        // Options go unread then (Redis 7.0).
        scan::say_step(0, &[], out);
        return Ok(());
    };
    let options = ScanOptions::parse(&cx.args[3..])?;
    let mut found = Vec::new();
    let next = hash.scan(cursor, options.count, |field, value| {
        if options.wants(field) {
            found.extend([field.to_vec(), value.to_vec()]);
        }
    });
    scan::say_step(next, &found, out);
    Ok(())
}

pub(super) const HRANDFIELD: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO.union(Access::ACCESS)),
        since: "6.2.0",
        summary: "Answers random fields: distinct ones, or with a negative count each drawn anew.",
        complexity: "O(N) where N is the number of fields returned",
        syntax: "key [count [WITHVALUES]]",
        tips: &["nondeterministic_output"],
        ..Spec::new("hrandfield", -2, Group::Hash, Flags::READONLY)
    },
    hrandfield,
);

fn hrandfield(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let Some(count) = cx.args.get(2) else {
        match cx.keys.read_as::<Hash>(cx.args[1])?.and_then(|hash| hash.random(cx.random)) {
            Some((field, _)) => out.bulk(field),
            None => out.nil(),
        }
        return Ok(());
    };
    let (count, with_values) = args::drawn_count(count, &cx.args[3..], "WITHVALUES")?;
    let pairs = match cx.keys.read_as::<Hash>(cx.args[1])? {
        Some(hash) if count != 0 => Pairs { hash, with_values },
        _ => {
            out.array(0);
            return Ok(());
        }
    };
    let len = pairs.hash.len();
    let wanted = count.unsigned_abs() as usize;
    if count < 0 {
        pairs.announce(wanted, out);
        (0..wanted).for_each(|_| pairs.say_at(cx.random.random_range(0..len), out));
    } else if wanted >= len {
        pairs.announce(len, out);
        pairs.hash.iter().for_each(|pair| pairs.say(pair, out));
    } else {
        pairs.announce(wanted, out);
        // Floyd's way to draw distinct numbers: every choice is equally likely, and only as many are drawn as wanted.
        let mut drawn = AHashSet::with_capacity(wanted);
        for last in len - wanted..len {
            let at = cx.random.random_range(0..=last);
            let at = if drawn.insert(at) { at } else { last };
            drawn.insert(at);
            pairs.say_at(at, out);
        }
    }
    Ok(())
}

/// Fields of a hash as HRANDFIELD shows them: with values a flat list in RESP2, a list of pairs in RESP3.
struct Pairs<'a> {
    hash: &'a Hash,
    with_values: bool,
}

impl Pairs<'_> {
    fn announce(&self, count: usize, out: &mut dyn Sink) {
        let flat = self.with_values && !out.resp3();
        out.array(if flat { count * 2 } else { count });
    }

    fn say_at(&self, index: usize, out: &mut dyn Sink) {
        self.say(self.hash.nth(index).expect("an index below the length"), out);
    }

    fn say(&self, (field, value): (&[u8], Scalar<'_>), out: &mut dyn Sink) {
        if self.with_values && out.resp3() {
            out.array(2);
        }
        out.bulk(field);
        if self.with_values {
            out.bulk(value.bytes(&mut IntBuffer::new()));
        }
    }
}
