//! The two ends of a range, by rank, by score or by bytes.

use crate::command::{CommandError, args};
use crate::number;
use crate::value::{LexBound, SortedSet, index_range};
use std::ops::{Bound, Range};

/// What the ends of a range mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Rank,
    Score,
    Lex,
}

/// A range before it has met a set.
#[derive(Debug, Clone, Copy)]
pub(super) enum Span<'a> {
    /// Both inclusive, negative ones counted from the end.
    Ranks(i64, i64),
    Scores(Bound<f64>, Bound<f64>),
    Lex(LexBound<'a>, LexBound<'a>),
}

impl<'a> Span<'a> {
    /// # Errors
    /// By kind: `ERR value is not an integer or out of range`, `ERR min or max is not a float`, `ERR min or max not
    /// valid string range item`.
    pub(super) fn parse(by: By, min: &'a [u8], max: &'a [u8]) -> Result<Self, CommandError> {
        const NO_FLOAT: CommandError = CommandError::Text("ERR min or max is not a float");
        const NO_ITEM: CommandError = CommandError::Text("ERR min or max not valid string range item");
        match by {
            By::Rank => Ok(Self::Ranks(args::int(min)?, args::int(max)?)),
            By::Score => Ok(Self::Scores(score(min).ok_or(NO_FLOAT)?, score(max).ok_or(NO_FLOAT)?)),
            By::Lex => Ok(Self::Lex(lex(min).ok_or(NO_ITEM)?, lex(max).ok_or(NO_ITEM)?)),
        }
    }

    /// The ranks that lie within; those of [`Span::Ranks`] are counted from the highest member if `reverse`. O(log n).
    pub(super) fn within(&self, set: &SortedSet, reverse: bool) -> Range<usize> {
        match *self {
            Self::Ranks(start, end) => {
                let len = set.len();
                let ranks = index_range(start, end, len);
                if reverse { len - ranks.end..len - ranks.start } else { ranks }
            }
            Self::Scores(min, max) => set.ranks_by_score(min, max),
            Self::Lex(min, max) => set.ranks_by_lex(min, max),
        }
    }
}

fn score(text: &[u8]) -> Option<Bound<f64>> {
    let bound = number::parse_bound(text)?;
    Some(if bound.exclusive { Bound::Excluded(bound.value) } else { Bound::Included(bound.value) })
}

fn lex(text: &[u8]) -> Option<LexBound<'_>> {
    match text {
        // A NUL byte ends either sign, as in Redis.
        [b'-'] | [b'-', 0, ..] => Some(LexBound::Lowest),
        [b'+'] | [b'+', 0, ..] => Some(LexBound::Highest),
        [b'[', member @ ..] => Some(LexBound::Including(member)),
        [b'(', member @ ..] => Some(LexBound::Excluding(member)),
        _ => None,
    }
}
