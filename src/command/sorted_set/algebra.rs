//! Unions, intersections and differences of sorted sets, answered, counted or stored. Plain sets may take part: their
//! members have score 1.

use super::{READ, event, say_entries};
use crate::command::set::store;
use crate::command::{Access, Command, CommandError, Cx, DataCommand, Flags, Group, KeySpec, Outcome, Spec, args};
use crate::keyspace::Doors;
use crate::reply::Sink;
use crate::value::{EncodingLimits, IntBuffer, Scalar, Set, SortedSet, Value};
use ahash::AHashMap;
use std::borrow::Cow;
use std::cmp::Ordering;

const UNION_COST: &str = "O(N)+O(M*log(M)) with N being the sum of the sizes of the input sorted sets, and M being \
                          the number of elements in the resulting sorted set.";
const INTERSECTION_COST: &str = "O(N*K)+O(M*log(M)) worst case with N being the smallest input sorted set, K being the \
                                 number of input sorted sets and M being the number of elements in the resulting \
                                 sorted set.";
const DIFFERENCE_COST: &str = "O(L + (N-K)log(N)) worst case where L is the total number of elements in all the sets, \
                               N is the size of the first set, and K is the size of the result set.";
const READ_FLAGS: Flags = Flags::READONLY.union(Flags::MOVABLEKEYS);
const STORE_FLAGS: Flags = Flags::WRITE.union(Flags::DENYOOM).union(Flags::MOVABLEKEYS);
const INPUTS: &[KeySpec] = &[KeySpec::counted(1, READ)];
const DESTINATION_AND_INPUTS: &[KeySpec] =
    &[KeySpec::one(1, Access::OW.union(Access::UPDATE)), KeySpec::counted(2, READ)];

/// What is made of the inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Union,
    Intersection,
    Difference,
}

/// How the weighted scores of one member become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aggregate {
    Sum,
    Min,
    Max,
}

impl Aggregate {
    /// A sum of opposite infinities is 0, as is a sum with a NaN that a weight made.
    fn join(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Sum => number_or_zero(a + b),
            Self::Min => {
                if b < a {
                    b
                } else {
                    a
                }
            }
            Self::Max => {
                if b > a {
                    b
                } else {
                    a
                }
            }
        }
    }
}

/// A weight may turn an infinity into NaN; Redis counts it as 0.
fn number_or_zero(score: f64) -> f64 {
    if score.is_nan() { 0.0 } else { score }
}

/// One input.
#[derive(Clone, Copy)]
enum Input<'a> {
    Missing,
    Set(&'a Set),
    Sorted(&'a SortedSet),
}

impl<'a> Input<'a> {
    fn of(value: Option<&'a Value>) -> Result<Self, CommandError> {
        match value {
            None => Ok(Self::Missing),
            Some(Value::Set(set)) => Ok(Self::Set(set)),
            Some(Value::SortedSet(set)) => Ok(Self::Sorted(set)),
            Some(_) => Err(CommandError::WrongType),
        }
    }

    fn len(self) -> usize {
        match self {
            Self::Missing => 0,
            Self::Set(set) => set.len(),
            Self::Sorted(set) => set.len(),
        }
    }

    fn score(self, member: &[u8]) -> Option<f64> {
        match self {
            Self::Missing => None,
            Self::Set(set) => set.contains(member).then_some(1.0),
            Self::Sorted(set) => set.score(member),
        }
    }

    fn entries(self) -> Box<dyn Iterator<Item = Entry<'a>> + 'a> {
        match self {
            Self::Missing => Box::new(std::iter::empty()),
            Self::Set(set) => Box::new(set.iter().map(|member| match member {
                Scalar::Int(int) => (Cow::Owned(IntBuffer::new().format(int).to_vec()), 1.0),
                Scalar::Bytes(bytes) => (Cow::Borrowed(bytes), 1.0),
            })),
            Self::Sorted(set) => Box::new(set.iter().map(|(member, score)| (Cow::Borrowed(member), score))),
        }
    }
}

type Entry<'a> = (Cow<'a, [u8]>, f64);

/// The options behind the keys.
struct Options {
    /// One for each input.
    weights: Vec<f64>,
    aggregate: Aggregate,
    with_scores: bool,
    /// 0: none.
    limit: usize,
}

/// Which options a command takes.
#[derive(Clone, Copy)]
struct Takes {
    weights: bool,
    scores: bool,
    limit: bool,
}

impl Options {
    fn parse(inputs: usize, mut words: &[&[u8]], takes: Takes) -> Result<Self, CommandError> {
        let mut options = Self { weights: vec![1.0; inputs], aggregate: Aggregate::Sum, with_scores: false, limit: 0 };
        while let [word, rest @ ..] = words {
            words = match rest {
                rest if takes.weights && rest.len() >= inputs && args::is(word, "WEIGHTS") => {
                    let (weights, rest) = rest.split_at(inputs);
                    for (weight, given) in options.weights.iter_mut().zip(weights) {
                        *weight =
                            args::float(given).map_err(|_| CommandError::Text("ERR weight value is not a float"))?;
                    }
                    rest
                }
                [how, rest @ ..] if takes.weights && args::is(word, "AGGREGATE") => {
                    options.aggregate = match how {
                        how if args::is(how, "SUM") => Aggregate::Sum,
                        how if args::is(how, "MIN") => Aggregate::Min,
                        how if args::is(how, "MAX") => Aggregate::Max,
                        _ => return Err(CommandError::Syntax),
                    };
                    rest
                }
                rest if takes.scores && args::is(word, "WITHSCORES") => {
                    options.with_scores = true;
                    rest
                }
                [limit, rest @ ..] if takes.limit && args::is(word, "LIMIT") => {
                    options.limit =
                        args::count(limit).map_err(|_| CommandError::Text("ERR LIMIT can't be negative"))?;
                    rest
                }
                _ => return Err(CommandError::Syntax),
            };
        }
        Ok(options)
    }
}

/// A request of this family, its inputs looked up.
struct Request<'a> {
    inputs: Vec<Input<'a>>,
    options: Options,
}

impl<'a> Request<'a> {
    /// Reads `words` from the number of keys on. Inputs are looked up, and a wrong type refused, before the options are
    /// read, as in Redis.
    fn read(doors: &'a mut Doors<'_>, name: &str, words: &[&[u8]], takes: Takes) -> Result<Self, CommandError> {
        let count = args::int(words[0])?;
        if count < 1 {
            return Err(CommandError::Owned(format!("ERR at least 1 input key is needed for '{name}' command")));
        }
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let (keys, rest) = words[1..].split_at_checked(count).ok_or(CommandError::Syntax)?;
        for key in keys {
            Input::of(doors.read(key))?;
        }
        let options = Options::parse(count, rest, takes)?;
        let doors: &Doors<'_> = doors;
        let inputs = keys.iter().map(|key| Input::of(doors.peek(key))).collect::<Result<_, _>>()?;
        Ok(Self { inputs, options })
    }

    /// The result, in no order.
    fn run(&self, operation: Operation) -> Vec<Entry<'a>> {
        match operation {
            Operation::Union => self.union(),
            Operation::Intersection => self.intersection(),
            Operation::Difference => self.difference(),
        }
    }

    /// Inputs with their weights, smallest first: in this order scores are joined, which rounding may show.
    fn by_size(&self) -> Vec<(Input<'a>, f64)> {
        let mut inputs: Vec<_> = self.inputs.iter().copied().zip(self.options.weights.iter().copied()).collect();
        inputs.sort_by_key(|(input, _)| input.len());
        inputs
    }

    fn union(&self) -> Vec<Entry<'a>> {
        let mut joined: AHashMap<Cow<'a, [u8]>, f64> = AHashMap::new();
        for (input, weight) in self.by_size() {
            for (member, score) in input.entries() {
                let score = number_or_zero(score * weight);
                joined.entry(member).and_modify(|sum| *sum = self.options.aggregate.join(*sum, score)).or_insert(score);
            }
        }
        joined.into_iter().collect()
    }

    fn intersection(&self) -> Vec<Entry<'a>> {
        let inputs = self.by_size();
        let Some((&(smallest, weight), others)) = inputs.split_first() else {
            return Vec::new();
        };
        let limit = if self.options.limit == 0 { usize::MAX } else { self.options.limit };
        let everywhere = |(member, score): Entry<'a>| {
            let joined = others.iter().try_fold(number_or_zero(score * weight), |sum, (input, weight)| {
                Some(self.options.aggregate.join(sum, input.score(&member)? * weight))
            });
            Some((member, joined?))
        };
        smallest.entries().filter_map(everywhere).take(limit).collect()
    }

    fn difference(&self) -> Vec<Entry<'a>> {
        let Some((first, others)) = self.inputs.split_first() else {
            return Vec::new();
        };
        first.entries().filter(|(member, _)| others.iter().all(|input| input.score(member).is_none())).collect()
    }
}

fn answer(cx: &mut Cx<'_>, spec: &Spec, operation: Operation, out: &mut dyn Sink) -> Outcome {
    let takes = Takes { weights: operation != Operation::Difference, scores: true, limit: false };
    let request = Request::read(&mut cx.keys, spec.name, &cx.args[1..], takes)?;
    let mut result = request.run(operation);
    // Both zeros are one in this order; there is no NaN.
    result.sort_unstable_by(|a, b| a.1.partial_cmp(&b.1).unwrap_or(Ordering::Equal).then_with(|| a.0.cmp(&b.0)));
    let entries = result.iter().map(|(member, score)| (&**member, *score));
    say_entries(entries, request.options.with_scores, out);
    Ok(())
}

fn answer_stored(
    cx: &mut Cx<'_>,
    spec: &Spec,
    operation: Operation,
    told: &'static str,
    out: &mut dyn Sink,
) -> Outcome {
    let takes = Takes { weights: operation != Operation::Difference, scores: false, limit: false };
    let result = Request::read(&mut cx.keys, spec.name, &cx.args[2..], takes)?.run(operation);
    // Built at full size, so that only what settles into the compact encoding loses the sign of zero.
    let full = EncodingLimits { zset_max_listpack_entries: 0, ..cx.limits.clone() };
    let mut stored = SortedSet::new();
    for (member, score) in result {
        stored.insert(&member, score, &full);
    }
    stored.settle(cx.limits);
    store(&mut cx.keys, cx.args[1], Value::SortedSet(stored), event(told), out);
    Ok(())
}

pub(super) const ZUNION: DataCommand = Command::new(
    Spec {
        keys: INPUTS,
        since: "6.2.0",
        summary: "Answers the members that any of these sorted sets has, their scores joined.",
        complexity: UNION_COST,
        syntax: "numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE SUM | MIN | MAX] [WITHSCORES]",
        ..Spec::new("zunion", -3, Group::SortedSet, READ_FLAGS)
    },
    |cx, out| answer(cx, &ZUNION.spec, Operation::Union, out),
);

pub(super) const ZINTER: DataCommand = Command::new(
    Spec {
        keys: INPUTS,
        since: "6.2.0",
        summary: "Answers the members that all of these sorted sets have, their scores joined.",
        complexity: INTERSECTION_COST,
        syntax: "numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE SUM | MIN | MAX] [WITHSCORES]",
        ..Spec::new("zinter", -3, Group::SortedSet, READ_FLAGS)
    },
    |cx, out| answer(cx, &ZINTER.spec, Operation::Intersection, out),
);

pub(super) const ZDIFF: DataCommand = Command::new(
    Spec {
        keys: INPUTS,
        since: "6.2.0",
        summary: "Answers the members of the first sorted set that none of the others has.",
        complexity: DIFFERENCE_COST,
        syntax: "numkeys key [key ...] [WITHSCORES]",
        ..Spec::new("zdiff", -3, Group::SortedSet, READ_FLAGS)
    },
    |cx, out| answer(cx, &ZDIFF.spec, Operation::Difference, out),
);

pub(super) const ZUNIONSTORE: DataCommand = Command::new(
    Spec {
        keys: DESTINATION_AND_INPUTS,
        since: "2.0.0",
        summary: "Stores the members that any of these sorted sets has, their scores joined; answers how many.",
        complexity: "O(N)+O(M log(M)) with N being the sum of the sizes of the input sorted sets, and M being the \
                     number of elements in the resulting sorted set.",
        syntax: "destination numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE SUM | MIN | MAX]",
        ..Spec::new("zunionstore", -4, Group::SortedSet, STORE_FLAGS)
    },
    |cx, out| answer_stored(cx, &ZUNIONSTORE.spec, Operation::Union, "zunionstore", out),
);

pub(super) const ZINTERSTORE: DataCommand = Command::new(
    Spec {
        keys: DESTINATION_AND_INPUTS,
        since: "2.0.0",
        summary: "Stores the members that all of these sorted sets have, their scores joined; answers how many.",
        complexity: INTERSECTION_COST,
        syntax: "destination numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE SUM | MIN | MAX]",
        ..Spec::new("zinterstore", -4, Group::SortedSet, STORE_FLAGS)
    },
    |cx, out| answer_stored(cx, &ZINTERSTORE.spec, Operation::Intersection, "zinterstore", out),
);

pub(super) const ZDIFFSTORE: DataCommand = Command::new(
    Spec {
        keys: DESTINATION_AND_INPUTS,
        since: "6.2.0",
        summary: "Stores the members of the first sorted set that none of the others has; answers how many.",
        complexity: DIFFERENCE_COST,
        syntax: "destination numkeys key [key ...]",
        ..Spec::new("zdiffstore", -4, Group::SortedSet, STORE_FLAGS)
    },
    |cx, out| answer_stored(cx, &ZDIFFSTORE.spec, Operation::Difference, "zdiffstore", out),
);

pub(super) const ZINTERCARD: DataCommand = Command::new(
    Spec {
        keys: INPUTS,
        since: "7.0.0",
        summary: "Answers how many members all of these sorted sets have, counting up to a limit.",
        complexity: "O(N*K) worst case with N being the smallest input sorted set, K being the number of input sorted \
                     sets.",
        syntax: "numkeys key [key ...] [LIMIT limit]",
        ..Spec::new("zintercard", -3, Group::SortedSet, READ_FLAGS)
    },
    |cx, out| {
        let takes = Takes { weights: false, scores: false, limit: true };
        let request = Request::read(&mut cx.keys, ZINTERCARD.spec.name, &cx.args[1..], takes)?;
        out.int(request.intersection().len() as i64);
        Ok(())
    },
);
