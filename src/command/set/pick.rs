//! Random members, popped or shown, and SSCAN.

use super::{event, key, say_members};
use crate::command::scan::{self, ScanOptions};
use crate::command::{Access, Command, CommandError, Cx, DataCommand, Flags, Group, Outcome, Spec, args};
use crate::reply::Sink;
use crate::value::{IntBuffer, Set, Value};
use rand::seq::index;

pub(super) const SPOP: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RW.union(Access::ACCESS).union(Access::DELETE)),
        summary: "Takes random members out of a set and answers them.",
        complexity: "Without the count argument O(1), otherwise O(N) where N is the value of the passed count.",
        syntax: "key [count]",
        tips: &["nondeterministic_output"],
        ..Spec::new("spop", -2, Group::Set, Flags::WRITE.union(Flags::FAST))
    },
    spop,
);

fn spop(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    match cx.args[2..] {
        [] => pop_one(cx, out),
        [count] => pop_many(cx, args::count(count)?, out),
        _ => Err(CommandError::Syntax),
    }
}

fn pop_one(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let key = cx.args[1];
    let Some(member) = cx.keys.write_as::<Set>(key)?.and_then(|set| set.pop_random(cx.random)) else {
        out.nil();
        return Ok(());
    };
    let mut buffer = IntBuffer::new();
    let member = member.bytes(&mut buffer);
    cx.keys.changed(key, event("spop"));
    cx.keys.log(&[b"SREM", key, member]);
    cx.keys.remove_if_empty(key);
    out.bulk(member);
    Ok(())
}

fn pop_many(cx: &mut Cx<'_>, count: usize, out: &mut dyn Sink) -> Outcome {
    /// Redis 7.0 builds the set anew, and so chooses its encoding anew, once this many times the rest is below the
    /// count.
    const REBUILT_BELOW: usize = 5;
    let key = cx.args[1];
    let Some(set) = cx.keys.write_as::<Set>(key)?.filter(|_| count > 0) else {
        out.set(0);
        return Ok(());
    };
    let len = set.len();
    if count >= len {
        let all = std::mem::take(set);
        cx.keys.changed_by(key, Some(event("spop")), len as u64);
        cx.keys.log(&[b"DEL", key]);
        cx.keys.remove_if_empty(key);
        say_members(&all, out);
        cx.keys.discard(Value::Set(all));
        return Ok(());
    }
    let popped: Vec<Vec<u8>> =
        (0..count).filter_map(|_| set.pop_random(cx.random)).map(|member| member.to_vec()).collect();
    if (len - count).saturating_mul(REBUILT_BELOW) <= count {
        set.settle(cx.limits);
    }
    cx.keys.changed_by(key, Some(event("spop")), count as u64);
    let effect: Vec<&[u8]> = [&b"SREM"[..], key].into_iter().chain(popped.iter().map(Vec::as_slice)).collect();
    cx.keys.log(&effect);
    out.set(count);
    popped.iter().for_each(|member| out.bulk(member));
    Ok(())
}

pub(super) const SRANDMEMBER: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO.union(Access::ACCESS)),
        summary: "Answers random members: distinct ones, or with a negative count each drawn anew.",
        complexity: "Without the count argument O(1), otherwise O(N) where N is the absolute value of the passed \
                     count.",
        syntax: "key [count]",
        tips: &["nondeterministic_output"],
        ..Spec::new("srandmember", -2, Group::Set, Flags::READONLY)
    },
    srandmember,
);

fn srandmember(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let count = match cx.args[2..] {
        [] => None,
        [count] => Some(args::signed_count(count)?),
        _ => return Err(CommandError::Syntax),
    };
    let set = cx.keys.read_as::<Set>(cx.args[1])?;
    let Some(count) = count else {
        match set.and_then(|set| set.random(cx.random)) {
            Some(member) => out.bulk(member.bytes(&mut IntBuffer::new())),
            None => out.nil(),
        }
        return Ok(());
    };
    let Some(set) = set.filter(|_| count != 0) else {
        out.array(0);
        return Ok(());
    };
    let wanted = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    if count < 0 {
        out.array(wanted);
        for member in (0..wanted).filter_map(|_| set.random(cx.random)) {
            out.bulk(member.bytes(&mut IntBuffer::new()));
        }
    } else if wanted >= set.len() {
        out.array(set.len());
        set.iter().for_each(|member| out.bulk(member.bytes(&mut IntBuffer::new())));
    } else {
        out.array(wanted);
        for member in index::sample(cx.random, set.len(), wanted).iter().filter_map(|at| set.nth(at)) {
            out.bulk(member.bytes(&mut IntBuffer::new()));
        }
    }
    Ok(())
}

pub(super) const SSCAN: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO.union(Access::ACCESS)),
        since: "2.8.0",
        summary: "Walks through the members of a set in steps.",
        complexity: "O(1) for every call. O(N) for a complete iteration, including enough command calls for the cursor \
                     to return back to 0. N is the number of elements inside the collection..",
        syntax: "key cursor [MATCH pattern] [COUNT count]",
        tips: &["nondeterministic_output"],
        ..Spec::new("sscan", -3, Group::Set, Flags::READONLY)
    },
    sscan,
);

fn sscan(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let cursor = scan::cursor(cx.args[2])?;
    let Some(set) = cx.keys.read_as::<Set>(cx.args[1])? else {
        // Options go unread then (Redis 7.0).
        scan::say_step(0, &[], out);
        return Ok(());
    };
    let options = ScanOptions::parse(&cx.args[3..])?;
    let (mut found, mut buffer) = (Vec::new(), IntBuffer::new());
    let next = set.scan(cursor, options.count, |member| {
        let member = member.bytes(&mut buffer);
        if options.wants(member) {
            found.push(member.to_vec());
        }
    });
    scan::say_step(next, &found, out);
    Ok(())
}
