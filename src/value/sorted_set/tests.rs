//! The sorted set against naive twins, in both encodings and across the change from one to the other.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeBounds;

use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::*;

type Twin = BTreeMap<Vec<u8>, f64>;
type Within<'a> = &'a dyn Fn(&str) -> bool;

fn limits(entries: usize) -> EncodingLimits {
    EncodingLimits { zset_max_listpack_entries: entries, ..EncodingLimits::default() }
}

fn in_order(twin: &Twin) -> Vec<(Vec<u8>, f64)> {
    let mut order: Vec<_> = twin.iter().map(|(member, score)| (member.clone(), *score)).collect();
    order.sort_by(|a, b| compare((a.1, &a.0), (b.1, &b.0)));
    order
}

fn owned<'a>(entries: impl Iterator<Item = (&'a [u8], f64)>) -> Vec<(Vec<u8>, f64)> {
    entries.map(|(member, score)| (member.to_vec(), score)).collect()
}

#[test]
fn infinities_are_scores_but_their_difference_is_not() {
    for entries in [0, 128] {
        let mut set = SortedSet::new();
        set.insert(b"low", f64::NEG_INFINITY, &limits(entries));
        set.insert(b"high", f64::INFINITY, &limits(entries));
        set.insert(b"mid", 0.0, &limits(entries));
        assert_eq!(set.increment(b"high", f64::NEG_INFINITY, &limits(entries)), Err(NotANumber));
        assert_eq!(set.score(b"high"), Some(f64::INFINITY));
        let finite = set.ranks_by_score(Bound::Excluded(f64::NEG_INFINITY), Bound::Excluded(f64::INFINITY));
        assert_eq!(owned(set.range(finite)), [(b"mid".to_vec(), 0.0)]);
        assert_eq!(set.pop_max().map(|(member, _)| member.to_vec()), Some(b"high".to_vec()));
        assert_eq!(set.pop_min().map(|(member, _)| member.to_vec()), Some(b"low".to_vec()));
    }
}

#[test]
fn only_a_skiplist_keeps_the_sign_of_zero() {
    for (entries, negative) in [(0, true), (128, false)] {
        let mut set = SortedSet::new();
        set.insert(b"zero", -0.0, &limits(entries));
        assert_eq!(set.score(b"zero").map(f64::is_sign_negative), Some(negative));
        assert_eq!(set.insert(b"zero", 0.0, &limits(entries)), Inserted::Unchanged);
        assert_eq!(set.score(b"zero").map(f64::is_sign_negative), Some(negative));
    }
}

#[test]
fn a_settled_result_is_named_by_its_content() {
    let mut set = SortedSet::new();
    set.insert(&[b'm'; 65], 1.0, &limits(128));
    set.insert(b"short", 2.0, &limits(128));
    set.settle(&limits(128));
    assert_eq!(set.encoding(), "skiplist");
    set.remove(&[b'm'; 65]);
    assert_eq!(set.encoding(), "skiplist");
    set.settle(&limits(128));
    assert_eq!((set.encoding(), set.score(b"short")), ("listpack", Some(2.0)));
    set.settle(&limits(0));
    assert_eq!((set.encoding(), set.score(b"short")), ("skiplist", Some(2.0)));
}

#[derive(Debug, Clone)]
enum Op {
    Insert(Vec<u8>, f64),
    Increment(Vec<u8>, f64),
    Remove(Vec<u8>),
    Pop(bool),
    RemoveRange(usize, usize),
    RemoveScores(f64, f64),
}

fn op() -> impl Strategy<Value = Op> {
    let member = || "[a-e]{0,3}".prop_map(String::into_bytes);
    let score = || prop_oneof![8 => (-6i8..6).prop_map(|n| f64::from(n) / 2.0), 1 => Just(f64::INFINITY)];
    prop_oneof![
        10 => (member(), score()).prop_map(|(member, score)| Op::Insert(member, score)),
        3 => (member(), score()).prop_map(|(member, score)| Op::Increment(member, score)),
        3 => member().prop_map(Op::Remove),
        1 => any::<bool>().prop_map(Op::Pop),
        1 => (0usize..40, 0usize..5).prop_map(|(start, len)| Op::RemoveRange(start, start + len)),
        1 => (score(), 0i8..2).prop_map(|(min, span)| Op::RemoveScores(min, min + f64::from(span) / 2.0)),
    ]
}

/// Runs `op` on both and compares what they answer.
fn step(set: &mut SortedSet, twin: &mut Twin, op: Op, limits: &EncodingLimits) {
    match op {
        Op::Insert(member, score) => {
            let expected = match twin.insert(member.clone(), score) {
                None => Inserted::Added,
                Some(old) if old == score => Inserted::Unchanged,
                Some(_) => Inserted::Updated,
            };
            assert_eq!(set.insert(&member, score, limits), expected);
        }
        Op::Increment(member, by) => {
            let sum = twin.get(&member).map_or(by, |score| score + by);
            assert_eq!(set.increment(&member, by, limits), Ok(sum));
            twin.insert(member, sum);
        }
        Op::Remove(member) => assert_eq!(set.remove(&member), twin.remove(&member).is_some()),
        Op::Pop(min) => {
            let popped = if min { set.pop_min() } else { set.pop_max() };
            let order = in_order(twin);
            let expected = if min { order.first() } else { order.last() };
            assert_eq!(popped.map(|(member, score)| (member.to_vec(), score)).as_ref(), expected);
            if let Some((member, _)) = expected {
                twin.remove(member);
            }
        }
        Op::RemoveRange(start, end) => {
            let order = in_order(twin);
            let gone = &order[start.min(order.len())..end.min(order.len())];
            assert_eq!(set.remove_range(start..end), gone.len());
            for (member, _) in gone {
                twin.remove(member);
            }
        }
        Op::RemoveScores(min, max) => {
            let before = twin.len();
            twin.retain(|_, score| !(min..=max).contains(score));
            let ranks = set.ranks_by_score(Bound::Included(min), Bound::Included(max));
            assert_eq!(set.remove_range(ranks), before - twin.len());
        }
    }
}

fn bounds(min: f64, max: f64) -> [(Bound<f64>, Bound<f64>); 4] {
    [
        (Bound::Included(min), Bound::Included(max)),
        (Bound::Excluded(min), Bound::Included(max)),
        (Bound::Included(min), Bound::Excluded(max)),
        (Bound::Unbounded, Bound::Excluded(max)),
    ]
}

proptest! {
    #[test]
    fn sorted_sets_behave_like_sorted_vectors(
        ops in prop::collection::vec(op(), 1..200),
        entries in 0usize..40,
        (min, span) in (-6i8..6, -2i8..6),
        seed: u64,
    ) {
        let limits = limits(entries);
        let (mut set, mut twin, mut passed) = (SortedSet::new(), Twin::new(), false);
        for op in ops {
            step(&mut set, &mut twin, op, &limits);
            passed |= twin.len() > entries;
            prop_assert_eq!((set.len(), set.encoding()), (twin.len(), if passed { "skiplist" } else { "listpack" }));
        }
        let mut order = in_order(&twin);
        prop_assert_eq!(owned(set.iter()), order.clone());
        for (rank, (member, score)) in order.iter().enumerate() {
            prop_assert_eq!((set.rank(member), set.score(member)), (Some(rank), Some(*score)));
            prop_assert_eq!(set.reverse_rank(member), Some(order.len() - 1 - rank));
        }
        let (min, max) = (f64::from(min) / 2.0, f64::from(min + span) / 2.0);
        for bounds in bounds(min, max) {
            let within = |entry: &&(Vec<u8>, f64)| bounds.contains(&entry.1);
            let expected: Vec<_> = order.iter().filter(within).cloned().collect();
            prop_assert_eq!(owned(set.range(set.ranks_by_score(bounds.0, bounds.1))), expected);
        }
        let unordered: BTreeSet<_> = (0..set.len()).filter_map(|index| Some(set.nth_unordered(index)?.0)).collect();
        prop_assert_eq!(unordered.len(), twin.len());
        prop_assert_eq!(set.random(&mut SmallRng::seed_from_u64(seed)).is_some(), !twin.is_empty());
        prop_assert!(set == set.clone());
        order.reverse();
        prop_assert_eq!(owned(set.iter().rev()), order);
    }

    #[test]
    fn equal_scores_are_a_dictionary(
        members in prop::collection::btree_set("[a-c]{0,3}", 0..30),
        (min, max) in ("[a-c]{0,3}", "[a-c]{0,3}"),
        entries in prop::sample::select(vec![0usize, 128]),
    ) {
        let mut set = SortedSet::new();
        for member in &members {
            set.insert(member.as_bytes(), 0.0, &limits(entries));
        }
        let (low, high) = (min.as_bytes(), max.as_bytes());
        let ranges: [(LexBound<'_>, LexBound<'_>, Within<'_>); 5] = [
            (LexBound::Lowest, LexBound::Highest, &|_| true),
            (LexBound::Including(low), LexBound::Highest, &|member| *member >= *min),
            (LexBound::Excluding(low), LexBound::Including(high), &|member| *member > *min && *member <= *max),
            (LexBound::Including(low), LexBound::Excluding(high), &|member| *member >= *min && *member < *max),
            (LexBound::Highest, LexBound::Lowest, &|_| false),
        ];
        for (min, max, within) in ranges {
            let expected = members.iter().filter(|member| within(member));
            let expected: Vec<_> = expected.map(|member| (member.clone().into_bytes(), 0.0)).collect();
            prop_assert_eq!(owned(set.range(set.ranks_by_lex(min, max))), expected);
        }
    }

    #[test]
    fn a_scan_meets_whatever_stays(
        steps in prop::collection::vec((1usize..8, prop::collection::vec((0u8..200, any::<bool>()), 0..12)), 1..40),
        initial in 0u8..200,
    ) {
        let limits = limits(20);
        let mut set = SortedSet::new();
        for member in 0..initial {
            set.insert(&[member], f64::from(member % 7), &limits);
        }
        let mut stayed: BTreeSet<u8> = (0..initial).collect();
        let (mut met, mut cursor) = (BTreeSet::new(), 0);
        for (count, changes) in steps {
            cursor = set.scan(cursor, count, |member, _| { met.insert(member[0]); });
            if cursor == 0 {
                break;
            }
            for (member, insert) in changes {
                if insert {
                    set.insert(&[member], f64::from(member % 5), &limits);
                } else {
                    set.remove(&[member]);
                    stayed.remove(&member);
                }
            }
        }
        while cursor != 0 {
            cursor = set.scan(cursor, 5, |member, _| { met.insert(member[0]); });
        }
        prop_assert!(stayed.is_subset(&met));
    }
}
