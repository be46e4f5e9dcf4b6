//! HSCAN and HRANDFIELD.

use super::key;
use crate::command::{Access, Command, CommandError, Cx, DataCommand, Flags, Group, Outcome, Spec, args};
use crate::glob;
use crate::number;
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
    let cursor = number::parse_cursor(cx.args[2]).ok_or(CommandError::Text("ERR invalid cursor"))?;
    let Some(hash) = cx.keys.read_as::<Hash>(cx.args[1])? else {
        // Options go unread then (Redis 7.0).
        say_step(0, &[], out);
        return Ok(());
    };
    let (pattern, count) = scan_options(&cx.args[3..])?;
    let mut found = Vec::new();
    let next = hash.scan(cursor, count, |field, value| {
        if pattern.is_none_or(|pattern| glob::matches(pattern, field)) {
            found.push((field.to_vec(), value.to_vec()));
        }
    });
    say_step(next, &found, out);
    Ok(())
}

fn scan_options<'a>(options: &[&'a [u8]]) -> Result<(Option<&'a [u8]>, usize), CommandError> {
    let (mut pattern, mut count) = (None, 10);
    for option in options.chunks(2) {
        match *option {
            [word, number] if args::is(word, "COUNT") => {
                count =
                    usize::try_from(args::int(number)?).ok().filter(|count| *count > 0).ok_or(CommandError::Syntax)?;
            }
            // A lone star lets the empty field pass, which the star of a glob does not match (Redis 7.0.15).
            [word, glob] if args::is(word, "MATCH") => pattern = Some(glob).filter(|glob| *glob != b"*"),
            _ => return Err(CommandError::Syntax),
        }
    }
    Ok((pattern, count))
}

fn say_step(next: u64, found: &[(Vec<u8>, Vec<u8>)], out: &mut dyn Sink) {
    out.array(2);
    out.bulk(next.to_string().as_bytes());
    out.array(found.len() * 2);
    for (field, value) in found {
        out.bulk(field);
        out.bulk(value);
    }
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
    let (count, with_values) = rand_options(count, &cx.args[3..])?;
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

/// Count and WITHVALUES, refused in the order of Redis 7.0.15.
fn rand_options(count: &[u8], rest: &[&[u8]]) -> Result<(i64, bool), CommandError> {
    let count = args::int(count)?;
    if count == i64::MIN {
        return Err(CommandError::Text(
            "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807",
        ));
    }
    let with_values = match rest {
        [] => false,
        [word] if args::is(word, "WITHVALUES") => true,
        _ => return Err(CommandError::Syntax),
    };
    if with_values && count.unsigned_abs() > i64::MAX as u64 / 2 {
        return Err(CommandError::OutOfRange);
    }
    Ok((count, with_values))
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
