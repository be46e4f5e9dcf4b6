//! LLEN, LRANGE, LINDEX, LPOS.

use super::{from_head, key};
use crate::command::{Access, Command, CommandError, Cx, DataCommand, Flags, Group, Outcome, Spec, args};
use crate::number;
use crate::reply::Sink;
use crate::value::{IntBuffer, List, Scalar, index_range};

pub(super) const LLEN: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO),
        summary: "Answers the number of elements.",
        syntax: "key",
        ..Spec::new("llen", 2, Group::List, Flags::READONLY.union(Flags::FAST))
    },
    |cx, out| {
        let len = cx.keys.read_as::<List>(cx.args[1])?.map_or(0, List::len);
        out.int(len as i64);
        Ok(())
    },
);

pub(super) const LRANGE: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO.union(Access::ACCESS)),
        summary: "Answers the elements in a range of indexes.",
        complexity: "O(S+N) where S is the distance of start offset from HEAD for small lists, from nearest end (HEAD \
                     or TAIL) for large lists; and N is the number of elements in the specified range.",
        syntax: "key start stop",
        ..Spec::new("lrange", 4, Group::List, Flags::READONLY)
    },
    |cx, out| {
        let (start, stop) = (args::int(cx.args[2])?, args::int(cx.args[3])?);
        let Some(list) = cx.keys.read_as::<List>(cx.args[1])? else {
            out.array(0);
            return Ok(());
        };
        let elements = list.range(index_range(start, stop, list.len()));
        out.array(elements.len());
        elements.for_each(|element| out.bulk(element.bytes(&mut IntBuffer::new())));
        Ok(())
    },
);

pub(super) const LINDEX: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO.union(Access::ACCESS)),
        summary: "Answers the element at an index.",
        complexity: "O(N) where N is the number of elements to traverse to get to the element at index. This makes \
                     asking for the first or the last element of the list O(1).",
        syntax: "key index",
        ..Spec::new("lindex", 3, Group::List, Flags::READONLY)
    },
    |cx, out| {
        // Without the key Redis 7.0 does not read the index.
        let element = match cx.keys.read_as::<List>(cx.args[1])? {
            None => None,
            Some(list) => from_head(args::int(cx.args[2])?, list.len()).and_then(|index| list.get(index)),
        };
        match element {
            Some(element) => out.bulk(element.bytes(&mut IntBuffer::new())),
            None => out.nil(),
        }
        Ok(())
    },
);

pub(super) const LPOS: DataCommand = Command::new(
    Spec {
        keys: &key(Access::RO.union(Access::ACCESS)),
        since: "6.0.6",
        summary: "Answers where an element is: its first index, or with COUNT a list of indexes.",
        complexity: "O(N) where N is the number of elements in the list, for the average case. When searching for \
                     elements \
                     near the head or the tail of the list, or when the MAXLEN option is provided, the command may run in \
                     constant time.",
        syntax: "key element [RANK rank] [COUNT num-matches] [MAXLEN len]",
        ..Spec::new("lpos", -3, Group::List, Flags::READONLY)
    },
    lpos,
);

fn lpos(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let search = Search::parse(cx.args)?;
    let list = cx.keys.read_as::<List>(cx.args[1])?;
    let hits = list.map(|list| search.hits(list)).unwrap_or_default();
    if search.count.is_some() {
        out.array(hits.len());
        hits.iter().for_each(|index| out.int(*index as i64));
    } else {
        match hits.first() {
            Some(index) => out.int(*index as i64),
            None => out.nil(),
        }
    }
    Ok(())
}

/// What LPOS looks for.
struct Search<'a> {
    element: &'a [u8],
    rank: i64,
    /// `Some(0)` is all.
    count: Option<usize>,
    /// How many elements are compared; 0 is all.
    maxlen: usize,
}

impl<'a> Search<'a> {
    fn parse(argv: &[&'a [u8]]) -> Result<Self, CommandError> {
        let mut search = Self { element: argv[2], rank: 1, count: None, maxlen: 0 };
        for option in argv[3..].chunks(2) {
            match *option {
                [word, rank] if args::is(word, "RANK") => {
                    search.rank = args::int(rank)?;
                    if search.rank == 0 {
                        return Err(CommandError::Text(
                            "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use \
                             negative to start from the end of the list",
                        ));
                    }
                }
                [word, count] if args::is(word, "COUNT") => {
                    search.count = Some(not_negative(count, "ERR COUNT can't be negative")?);
                }
                [word, len] if args::is(word, "MAXLEN") => {
                    search.maxlen = not_negative(len, "ERR MAXLEN can't be negative")?;
                }
                _ => return Err(CommandError::Syntax),
            }
        }
        Ok(search)
    }

    /// Indexes in the order found: from the tail for a negative rank.
    fn hits(&self, list: &List) -> Vec<usize> {
        let elements = list.iter().enumerate();
        if self.rank > 0 { self.among(elements) } else { self.among(elements.rev()) }
    }

    fn among<'b>(&self, elements: impl Iterator<Item = (usize, Scalar<'b>)>) -> Vec<usize> {
        let all_if_zero = |limit: usize| if limit == 0 { usize::MAX } else { limit };
        // The least 64-bit rank has no opposite; it wraps in Redis 7.0.15 and passes over nothing.
        let passed_over = self.rank.checked_abs().map_or(0, |rank| rank as usize - 1);
        let wanted = Scalar::of(self.element);
        elements
            .take(all_if_zero(self.maxlen))
            .filter(|(_, element)| *element == wanted)
            .map(|(index, _)| index)
            .skip(passed_over)
            .take(self.count.map_or(1, all_if_zero))
            .collect()
    }
}

fn not_negative(arg: &[u8], refusal: &'static str) -> Result<usize, CommandError> {
    number::parse_int(arg).and_then(|value| usize::try_from(value).ok()).ok_or(CommandError::Text(refusal))
}
