//! The sorted set type. No TTL, no replies; flags such as NX and GT are the caller's, who asks [`SortedSet::score`]
//! first.
//!
//! Ranges of every kind become a range of ranks first: [`SortedSet::ranks_by_score`] and [`SortedSet::ranks_by_lex`]
//! are O(log n) and their `len()` is the count, [`SortedSet::range`] iterates and [`SortedSet::remove_range`] removes.

use std::fmt;
use std::ops::{Bound, Range};
use std::slice;

use rand::Rng;

use super::EncodingLimits;
use super::blob::{Blob, Loose};
use super::index;
use super::ranked::{Ranked, RankedIter, compare};
use super::string::StringValue;

/// Members with a score each, ordered by score and, among equal scores, by the members' bytes. Scores are never NaN.
///
/// A short one is a sorted array; a long one finds a score in O(1) and a rank in O(log n). Equality is by content.
#[derive(Clone)]
pub struct SortedSet(Repr);

#[derive(Clone)]
enum Repr {
    /// Ascending.
    Small(Loose<Vec<(f64, Blob)>>),
    Full(Loose<Ranked>),
}

/// What [`SortedSet::insert`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inserted {
    /// The member is new.
    Added,
    /// The member has another score now.
    Updated,
    /// The member had that score; a zero keeps its sign, which only encoding `skiplist` has, as in Redis 7.0.
    Unchanged,
}

/// The sum of the scores is not a number: infinity and its opposite. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotANumber;

/// One end of a range by bytes, as ZRANGEBYLEX spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexBound<'a> {
    /// `-`: before every string.
    Lowest,
    /// `[member`
    Including(&'a [u8]),
    /// `(member`
    Excluding(&'a [u8]),
    /// `+`: after every string.
    Highest,
}

impl SortedSet {
    /// An empty sorted set, encoding `listpack`.
    pub fn new() -> SortedSet {
        SortedSet(Repr::Small(Loose::new(Vec::new())))
    }

    /// How many members.
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Small(entries) => entries.len(),
            Repr::Full(ranked) => ranked.len(),
        }
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The score of `member`.
    pub fn score(&self, member: &[u8]) -> Option<f64> {
        match &self.0 {
            Repr::Small(entries) => find(entries, member).map(|index| entries[index].0),
            Repr::Full(ranked) => ranked.score(member),
        }
    }

    /// Whether `member` is in.
    pub fn contains(&self, member: &[u8]) -> bool {
        self.score(member).is_some()
    }

    /// Adds a member or sets its score, which must not be NaN. One member too many, or one too long, changes the
    /// encoding for good.
    pub fn insert(&mut self, member: &[u8], score: f64, limits: &EncodingLimits) -> Inserted {
        debug_assert!(!score.is_nan(), "the caller refuses NaN");
        if let Repr::Small(entries) = &mut self.0 {
            if let Some(index) = find(entries, member) {
                if entries[index].0 == score {
                    return Inserted::Unchanged;
                }
                let (_, member) = entries.remove(index);
                add(entries, member, score);
                return Inserted::Updated;
            }
            if entries.len() < limits.zset_max_listpack_entries && member.len() <= limits.zset_max_listpack_value {
                add(entries, Blob::from(member), score);
                return Inserted::Added;
            }
        }
        let ranked = self.full();
        match ranked.update(member, score) {
            Some(true) => Inserted::Updated,
            Some(false) => Inserted::Unchanged,
            None => {
                ranked.add(Blob::from(member), score);
                Inserted::Added
            }
        }
    }

    /// Adds `by` to the score of `member`, a missing one counting as 0, and says the sum.
    pub fn increment(&mut self, member: &[u8], by: f64, limits: &EncodingLimits) -> Result<f64, NotANumber> {
        let sum = self.score(member).map_or(by, |score| score + by);
        if sum.is_nan() {
            return Err(NotANumber);
        }
        self.insert(member, sum, limits);
        Ok(sum)
    }

    /// Removes a member; true if it was in.
    pub fn remove(&mut self, member: &[u8]) -> bool {
        match &mut self.0 {
            Repr::Small(entries) => find(entries, member).map(|index| entries.remove(index)).is_some(),
            Repr::Full(ranked) => ranked.remove(member),
        }
    }

    /// How many members are before this one. O(log n).
    pub fn rank(&self, member: &[u8]) -> Option<usize> {
        match &self.0 {
            Repr::Small(entries) => find(entries, member),
            Repr::Full(ranked) => ranked.rank(member),
        }
    }

    /// How many members are behind this one. O(log n).
    pub fn reverse_rank(&self, member: &[u8]) -> Option<usize> {
        self.rank(member).map(|rank| self.len() - 1 - rank)
    }

    /// Takes out the member with the lowest score.
    pub fn pop_min(&mut self) -> Option<(StringValue, f64)> {
        self.pop(0)
    }

    /// Takes out the member with the highest score.
    pub fn pop_max(&mut self) -> Option<(StringValue, f64)> {
        self.pop(self.len().checked_sub(1)?)
    }

    /// The ranks of the members whose scores lie within the bounds; empty if the bounds are in the wrong order. O(log
    /// n).
    pub fn ranks_by_score(&self, min: Bound<f64>, max: Bound<f64>) -> Range<usize> {
        let start = self.partition_point(|_, score| match min {
            Bound::Included(min) => score < min,
            Bound::Excluded(min) => score <= min,
            Bound::Unbounded => false,
        });
        let end = self.partition_point(|_, score| match max {
            Bound::Included(max) => score <= max,
            Bound::Excluded(max) => score < max,
            Bound::Unbounded => true,
        });
        start..end.max(start)
    }

    /// The ranks of the members that lie within the bounds by their bytes; empty if the bounds are in the wrong order.
    /// Means what it says only if all scores are equal; else some range, as in Redis. O(log n).
    pub fn ranks_by_lex(&self, min: LexBound<'_>, max: LexBound<'_>) -> Range<usize> {
        let start = self.partition_point(|member, _| match min {
            LexBound::Lowest => false,
            LexBound::Including(min) => member < min,
            LexBound::Excluding(min) => member <= min,
            LexBound::Highest => true,
        });
        let end = self.partition_point(|member, _| match max {
            LexBound::Lowest => false,
            LexBound::Including(max) => member <= max,
            LexBound::Excluding(max) => member < max,
            LexBound::Highest => true,
        });
        start..end.max(start)
    }

    /// The members at the ranks in `ranks`, which may reach past the end, ascending; `rev()` for descending. O(log n)
    /// to begin.
    pub fn range(&self, ranks: Range<usize>) -> SortedSetIter<'_> {
        let ranks = self.clamp(ranks);
        SortedSetIter(match &self.0 {
            Repr::Small(entries) => Iter::Small(entries[ranks].iter()),
            Repr::Full(ranked) => Iter::Full(ranked.iter(ranks)),
        })
    }

    /// All members, ascending.
    pub fn iter(&self) -> SortedSetIter<'_> {
        self.range(0..self.len())
    }

    /// Removes the members at the ranks in `ranks`, which may reach past the end, and says how many there were.
    pub fn remove_range(&mut self, ranks: Range<usize>) -> usize {
        let ranks = self.clamp(ranks);
        let count = ranks.len();
        match &mut self.0 {
            Repr::Small(entries) => drop(entries.drain(ranks)),
            Repr::Full(ranked) => ranked.remove_ranks(ranks),
        }
        count
    }

    /// The member at `index` in some order that lasts until the next write, for random picks. O(1).
    pub fn nth_unordered(&self, index: usize) -> Option<(&[u8], f64)> {
        match &self.0 {
            Repr::Small(entries) => entries.get(index).map(entry),
            Repr::Full(ranked) => ranked.entry(index),
        }
    }

    /// A member, each equally likely; none from an empty set. O(1).
    pub fn random(&self, rng: &mut impl Rng) -> Option<(&[u8], f64)> {
        match self.len() {
            0 => None,
            len => self.nth_unordered(rng.random_range(0..len)),
        }
    }

    /// Visits about `count` members from `cursor` on and returns the cursor to go on from; 0 begins, 0 is the end. A
    /// member that is in from begin to end is visited at least once. Encoding `listpack` is visited whole at once, as
    /// in Redis.
    pub fn scan(&self, cursor: u64, count: usize, mut visit: impl FnMut(&[u8], f64)) -> u64 {
        match &self.0 {
            Repr::Small(_) => {
                self.iter().for_each(|(member, score)| visit(member, score));
                0
            }
            Repr::Full(ranked) => index::scan_down(cursor, count, ranked.len(), |index| {
                let (member, score) = ranked.entry(index).expect("scan stays below len");
                visit(member, score);
            }),
        }
    }

    /// Chooses the encoding anew by the content: what ZUNIONSTORE, ZINTERSTORE and ZDIFFSTORE of Redis 7.0 do with a
    /// finished result.
    pub fn settle(&mut self, limits: &EncodingLimits) {
        let fits = self.len() <= limits.zset_max_listpack_entries
            && self.iter().all(|(member, _)| member.len() <= limits.zset_max_listpack_value);
        match &self.0 {
            Repr::Full(_) if fits => {
                let entries = self.iter().map(|(member, score)| (score + 0.0, Blob::from(member))).collect();
                self.0 = Repr::Small(Loose::new(entries));
            }
            Repr::Small(_) if !fits => {
                self.full();
            }
            _ => {}
        }
    }

    /// The name that OBJECT ENCODING of Redis 7.0 gives: `listpack` or `skiplist`.
    pub fn encoding(&self) -> &'static str {
        match &self.0 {
            Repr::Small(_) => "listpack",
            Repr::Full(_) => "skiplist",
        }
    }

    /// Heap bytes. O(len).
    pub fn memory_usage(&self) -> usize {
        match &self.0 {
            Repr::Small(entries) => {
                let owned: usize = entries.iter().map(|(_, member)| member.memory_usage()).sum();
                size_of::<Vec<(f64, Blob)>>() + entries.capacity() * size_of::<(f64, Blob)>() + owned
            }
            Repr::Full(ranked) => size_of::<Ranked>() + ranked.memory_usage(),
        }
    }

    fn pop(&mut self, rank: usize) -> Option<(StringValue, f64)> {
        let (member, score) = match &mut self.0 {
            Repr::Small(entries) if rank < entries.len() => {
                let (score, member) = entries.remove(rank);
                (member, score)
            }
            Repr::Small(_) => return None,
            Repr::Full(ranked) => ranked.pop(rank)?,
        };
        Some((StringValue::from_blob(member), score))
    }

    fn partition_point(&self, mut before: impl FnMut(&[u8], f64) -> bool) -> usize {
        match &self.0 {
            Repr::Small(entries) => entries.partition_point(|(score, member)| before(member.as_slice(), *score)),
            Repr::Full(ranked) => ranked.partition_point(before),
        }
    }

    fn clamp(&self, ranks: Range<usize>) -> Range<usize> {
        let end = ranks.end.min(self.len());
        ranks.start.min(end)..end
    }

    /// The tree form, made if need be.
    fn full(&mut self) -> &mut Ranked {
        if let Repr::Small(entries) = &mut self.0 {
            let mut ranked = Ranked::new();
            for (score, member) in entries.drain(..) {
                ranked.add(member, score);
            }
            self.0 = Repr::Full(Loose::new(ranked));
        }
        match &mut self.0 {
            Repr::Full(ranked) => ranked,
            Repr::Small(_) => unreachable!("made full above"),
        }
    }
}

fn find(entries: &[(f64, Blob)], member: &[u8]) -> Option<usize> {
    entries.iter().position(|(_, stored)| stored.as_slice() == member)
}

fn add(entries: &mut Vec<(f64, Blob)>, member: Blob, score: f64) {
    let key = (score, member.as_slice());
    // A listpack of Redis spells a score that is an integer as one, and so loses the sign of zero.
    let score = score + 0.0;
    let index = entries.partition_point(|(score, member)| compare((*score, member.as_slice()), key).is_lt());
    entries.insert(index, (score, member));
}

fn entry((score, member): &(f64, Blob)) -> (&[u8], f64) {
    (member.as_slice(), *score)
}

/// Members of a [`SortedSet`] with their scores, from either end.
#[derive(Clone)]
pub struct SortedSetIter<'a>(Iter<'a>);

#[derive(Clone)]
enum Iter<'a> {
    Small(slice::Iter<'a, (f64, Blob)>),
    Full(RankedIter<'a>),
}

impl<'a> Iterator for SortedSetIter<'a> {
    type Item = (&'a [u8], f64);

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Iter::Small(entries) => entries.next().map(entry),
            Iter::Full(entries) => entries.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Iter::Small(entries) => entries.size_hint(),
            Iter::Full(entries) => entries.size_hint(),
        }
    }
}

impl DoubleEndedIterator for SortedSetIter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Iter::Small(entries) => entries.next_back().map(entry),
            Iter::Full(entries) => entries.next_back(),
        }
    }
}

impl ExactSizeIterator for SortedSetIter<'_> {}

impl Default for SortedSet {
    fn default() -> SortedSet {
        SortedSet::new()
    }
}

impl PartialEq for SortedSet {
    fn eq(&self, other: &SortedSet) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl fmt::Debug for SortedSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.iter().map(|(member, score)| (super::Scalar::Bytes(member), score));
        f.debug_map().entries(entries).finish()
    }
}

#[cfg(test)]
mod tests;
