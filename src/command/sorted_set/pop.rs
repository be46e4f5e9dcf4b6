//! The lowest or highest members, taken out: ZPOPMIN, ZPOPMAX, ZMPOP; and what the blocking forms share with them.

use super::{announce, event, key, say_entry};
use crate::command::{Access, Command, CommandError, Cx, DataCommand, Flags, Group, KeySpec, Outcome, Spec, args};
use crate::number;
use crate::reply::Sink;
use crate::request::Argv;
use crate::value::{IntBuffer, SortedSet, StringValue};
use smallvec::SmallVec;

const COST: &str = "O(log(N)*M) with N being the number of elements in the sorted set, and M being the number of \
                    elements popped.";

/// What a pop does to its key.
pub(crate) const POP_ACCESS: Access = Access::RW.union(Access::ACCESS).union(Access::DELETE);

/// From which end members are popped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The lowest score first.
    Min,
    /// The highest score first.
    Max,
}

/// Members with their scores, in the order in which they were popped.
pub(crate) type Popped = SmallVec<[(StringValue, f64); 1]>;

/// Pops up to `count` members, one if it is not given, and logs a ZPOPMIN or ZPOPMAX; `None` without the key, nothing
/// for a count of 0.
///
/// # Errors
/// WRONGTYPE.
pub(crate) fn pop(cx: &mut Cx<'_>, key: &[u8], end: End, count: Option<usize>) -> Result<Option<Popped>, CommandError> {
    let Some(set) = cx.keys.write_as::<SortedSet>(key)? else {
        return Ok(None);
    };
    let (take, told, effect): (fn(&mut SortedSet) -> _, _, &[u8]) = match end {
        End::Min => (SortedSet::pop_min, "zpopmin", b"ZPOPMIN"),
        End::Max => (SortedSet::pop_max, "zpopmax", b"ZPOPMAX"),
    };
    let wanted = count.unwrap_or(1).min(set.len());
    let popped: Popped = (0..wanted).filter_map(|_| take(set)).collect();
    if !popped.is_empty() {
        cx.keys.changed_by(key, Some(event(told)), popped.len() as u64);
        cx.keys.remove_if_empty(key);
        match count {
            None => cx.keys.log(&[effect, key]),
            Some(_) => cx.keys.log(&[effect, key, IntBuffer::new().format(popped.len() as i64)]),
        }
    }
    Ok(Some(popped))
}

/// Says popped members as ZMPOP and BZMPOP do: the key, and a list of pairs in either protocol.
pub(crate) fn say_popped_of(key: &[u8], popped: &Popped, out: &mut dyn Sink) {
    out.array(2);
    out.bulk(key);
    out.array(popped.len());
    for (member, score) in popped {
        out.array(2);
        out.bulk(member.bytes(&mut IntBuffer::new()));
        out.double(*score);
    }
}

pub(super) const ZPOPMIN: DataCommand = Command::new(
    Spec {
        keys: &key(POP_ACCESS),
        since: "5.0.0",
        summary: "Takes the members with the lowest scores out and answers them.",
        complexity: COST,
        syntax: "key [count]",
        ..Spec::new("zpopmin", -2, Group::SortedSet, Flags::WRITE.union(Flags::FAST))
    },
    |cx, out| pop_here(cx, End::Min, out),
);

pub(super) const ZPOPMAX: DataCommand = Command::new(
    Spec {
        keys: &key(POP_ACCESS),
        since: "5.0.0",
        summary: "Takes the members with the highest scores out and answers them.",
        complexity: COST,
        syntax: "key [count]",
        ..Spec::new("zpopmax", -2, Group::SortedSet, Flags::WRITE.union(Flags::FAST))
    },
    |cx, out| pop_here(cx, End::Max, out),
);

fn pop_here(cx: &mut Cx<'_>, end: End, out: &mut dyn Sink) -> Outcome {
    let count = match cx.args[2..] {
        [] => None,
        [count] => Some(args::count(count)?),
        _ => return Err(CommandError::Syntax),
    };
    let popped = pop(cx, cx.args[1], end, count)?.unwrap_or_default();
    if count.is_none() && !popped.is_empty() {
        out.array(2);
    } else {
        announce(popped.len(), true, out);
    }
    for (member, score) in &popped {
        let mut buffer = IntBuffer::new();
        let member = member.bytes(&mut buffer);
        if count.is_none() {
            // Without a count RESP3 gets no inner list either.
            out.bulk(member);
            out.double(*score);
        } else {
            say_entry(member, *score, true, out);
        }
    }
    Ok(())
}

/// The arguments of ZMPOP, and of BZMPOP behind its timeout.
pub(crate) struct ManyKeys<'a> {
    /// Looked at in this order.
    pub(crate) keys: Argv<'a>,
    /// Where to pop.
    pub(crate) end: End,
    /// How many at most; at least 1.
    pub(crate) count: usize,
}

impl<'a> ManyKeys<'a> {
    /// Reads `words` from the number of keys on.
    ///
    /// # Errors
    /// `ERR numkeys should be greater than 0`, `ERR count should be greater than 0`, `ERR syntax error`.
    pub(crate) fn parse(words: Argv<'a>) -> Result<Self, CommandError> {
        let positive = |word: &[u8], refusal| {
            let number = number::parse_int(word).filter(|number| *number > 0);
            number.map(|number| number as usize).ok_or(CommandError::Text(refusal))
        };
        let [numkeys, rest @ ..] = words else {
            return Err(CommandError::Syntax);
        };
        let numkeys = positive(numkeys, "ERR numkeys should be greater than 0")?;
        let Some((keys, [end, options @ ..])) = rest.split_at_checked(numkeys) else {
            return Err(CommandError::Syntax);
        };
        let end = match end {
            end if args::is(end, "MIN") => End::Min,
            end if args::is(end, "MAX") => End::Max,
            _ => return Err(CommandError::Syntax),
        };
        let count = match options {
            [] => 1,
            [word, count, rest @ ..] if args::is(word, "COUNT") => {
                let count = positive(count, "ERR count should be greater than 0")?;
                if rest.is_empty() { count } else { return Err(CommandError::Syntax) }
            }
            _ => return Err(CommandError::Syntax),
        };
        Ok(Self { keys, end, count })
    }
}

pub(super) const ZMPOP: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::counted(1, POP_ACCESS)],
        since: "7.0.0",
        summary: "Takes members out of the first of several sorted sets that is there.",
        complexity: "O(K) + O(M*log(N)) where K is the number of provided keys, N being the number of elements in the \
                     sorted set, and M being the number of elements popped.",
        syntax: "numkeys key [key ...] MIN | MAX [COUNT count]",
        ..Spec::new("zmpop", -4, Group::SortedSet, Flags::WRITE.union(Flags::MOVABLEKEYS))
    },
    zmpop,
);

fn zmpop(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let ManyKeys { keys, end, count } = ManyKeys::parse(&cx.args[1..])?;
    for key in keys {
        if let Some(popped) = pop(cx, key, end, Some(count))? {
            say_popped_of(key, &popped, out);
            return Ok(());
        }
    }
    out.nil_array();
    Ok(())
}
