//! The full form of a sorted set: a table from member to score whose entries are at the same time the nodes of a search
//! tree.
//!
//! So a member is stored once, its score is found in O(1), its rank in O(log n). The tree is weight-balanced: the
//! subtree sizes that ranks need are also what keeps it balanced. Nodes are named by their index in the table; as
//! removal moves the last entry into the gap, each node knows its parent, so that its name can be changed in O(1).

use std::cmp::Ordering;
use std::ops::Range;

use super::blob::Blob;
use super::index::{self, Table};

/// No node.
const NONE: u32 = u32::MAX;
/// A subtree with its sibling's weight times this is as heavy as allowed (weight is size + 1).
const HEAVIER_AT_MOST: u32 = 3;
/// From this ratio of the inner to the outer grandchild on, a single rotation would only move the imbalance.
const ROTATE_TWICE_FROM: u32 = 2;

const LEFT: usize = 0;
const RIGHT: usize = 1;

#[derive(Clone, Debug)]
struct Node {
    score: f64,
    /// Left and right.
    children: [u32; 2],
    parent: u32,
    /// Nodes in this subtree, itself included.
    size: u32,
}

/// Members ordered by score, then by bytes.
#[derive(Clone, Debug)]
pub(super) struct Ranked {
    table: Table<Node>,
    root: u32,
}

/// The order of a sorted set. Scores are never NaN, and -0 equals 0.
pub(super) fn compare(a: (f64, &[u8]), b: (f64, &[u8])) -> Ordering {
    a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal).then_with(|| a.1.cmp(b.1))
}

impl Ranked {
    pub(super) fn new() -> Ranked {
        Ranked { table: Table::default(), root: NONE }
    }

    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    /// Heap bytes, those of its own fields not counted.
    pub(super) fn memory_usage(&self) -> usize {
        index::table_usage(&self.table) + self.table.keys().map(Blob::memory_usage).sum::<usize>()
    }

    /// The entry at a table index, as SCAN and random picks want it: in no certain order.
    pub(super) fn entry(&self, index: usize) -> Option<(&[u8], f64)> {
        self.table.get_index(index).map(|(member, node)| (member.as_slice(), node.score))
    }

    pub(super) fn score(&self, member: &[u8]) -> Option<f64> {
        self.table.get(member).map(|node| node.score)
    }

    /// How many members are before this one.
    pub(super) fn rank(&self, member: &[u8]) -> Option<usize> {
        let mut at = self.table.get_index_of(member)? as u32;
        let mut rank = self.size(self.child(at, LEFT));
        while self.parent(at) != NONE {
            let parent = self.parent(at);
            if self.child(parent, RIGHT) == at {
                rank += self.size(self.child(parent, LEFT)) + 1;
            }
            at = parent;
        }
        Some(rank as usize)
    }

    /// How many members, from the lowest, satisfy `before`; it must hold for a prefix of the order.
    pub(super) fn partition_point(&self, mut before: impl FnMut(&[u8], f64) -> bool) -> usize {
        let (mut at, mut rank) = (self.root, 0);
        while at != NONE {
            if before(self.member(at), self.node(at).score) {
                rank += self.size(self.child(at, LEFT)) + 1;
                at = self.child(at, RIGHT);
            } else {
                at = self.child(at, LEFT);
            }
        }
        rank as usize
    }

    /// Sets the score of a member that is in; false if it was that already.
    pub(super) fn update(&mut self, member: &[u8], score: f64) -> Option<bool> {
        let at = self.table.get_index_of(member)? as u32;
        if self.node(at).score == score {
            return Some(false);
        }
        self.unlink(at);
        self.node_mut(at).score = score;
        self.link(at);
        Some(true)
    }

    /// Adds a member that must be absent.
    pub(super) fn add(&mut self, member: Blob, score: f64) {
        assert!(self.table.len() < NONE as usize, "a sorted set names its members by 32 bits");
        let (index, old) = self.table.insert_full(member, Node { score, children: [NONE; 2], parent: NONE, size: 1 });
        debug_assert!(old.is_none());
        self.link(index as u32);
    }

    pub(super) fn remove(&mut self, member: &[u8]) -> bool {
        match self.table.get_index_of(member) {
            Some(index) => {
                self.take(index as u32);
                index::shrink(&mut self.table);
                true
            }
            None => false,
        }
    }

    /// Takes out the member at `rank`.
    pub(super) fn pop(&mut self, rank: usize) -> Option<(Blob, f64)> {
        let at = self.at_rank(rank);
        if at == NONE {
            return None;
        }
        let popped = self.take(at);
        index::shrink(&mut self.table);
        Some(popped)
    }

    /// Removes the members at the ranks in `ranks`, which must lie within. O(m log n).
    pub(super) fn remove_ranks(&mut self, ranks: Range<usize>) {
        if ranks == (0..self.len()) {
            *self = Ranked::new();
            return;
        }
        for _ in ranks.clone() {
            let at = self.at_rank(ranks.start);
            self.take(at);
        }
        index::shrink(&mut self.table);
    }

    /// The members at the ranks in `ranks`, which must lie within. O(log n) to begin.
    pub(super) fn iter(&self, ranks: Range<usize>) -> RankedIter<'_> {
        if ranks.is_empty() {
            return RankedIter { ranked: self, front: NONE, back: NONE, left: 0 };
        }
        RankedIter {
            ranked: self,
            front: self.at_rank(ranks.start),
            back: self.at_rank(ranks.end - 1),
            left: ranks.len(),
        }
    }

    fn node(&self, at: u32) -> &Node {
        &self.table[at as usize]
    }

    fn node_mut(&mut self, at: u32) -> &mut Node {
        &mut self.table[at as usize]
    }

    fn member(&self, at: u32) -> &[u8] {
        self.table.get_index(at as usize).expect("a node is an entry").0.as_slice()
    }

    fn child(&self, at: u32, side: usize) -> u32 {
        self.node(at).children[side]
    }

    fn parent(&self, at: u32) -> u32 {
        self.node(at).parent
    }

    fn size(&self, at: u32) -> u32 {
        if at == NONE { 0 } else { self.node(at).size }
    }

    fn at_rank(&self, rank: usize) -> u32 {
        let (mut at, mut rank) = (self.root, rank);
        while at != NONE {
            let before = self.size(self.child(at, LEFT)) as usize;
            match rank.cmp(&before) {
                Ordering::Less => at = self.child(at, LEFT),
                Ordering::Equal => break,
                Ordering::Greater => {
                    rank -= before + 1;
                    at = self.child(at, RIGHT);
                }
            }
        }
        at
    }

    /// The next node towards `side` in the order.
    fn neighbour(&self, at: u32, side: usize) -> u32 {
        let mut next = self.child(at, side);
        if next != NONE {
            while self.child(next, 1 - side) != NONE {
                next = self.child(next, 1 - side);
            }
            return next;
        }
        let (mut from, mut up) = (at, self.parent(at));
        while up != NONE && self.child(up, side) == from {
            (from, up) = (up, self.parent(up));
        }
        up
    }

    /// Makes `new` what `old` was to `parent`. `new` may be no node.
    fn put_child(&mut self, parent: u32, old: u32, new: u32) {
        if parent == NONE {
            self.root = new;
        } else {
            let side = usize::from(self.child(parent, RIGHT) == old);
            self.node_mut(parent).children[side] = new;
        }
        if new != NONE {
            self.node_mut(new).parent = parent;
        }
    }

    fn set_child(&mut self, at: u32, side: usize, child: u32) {
        self.node_mut(at).children[side] = child;
        if child != NONE {
            self.node_mut(child).parent = at;
        }
    }

    fn recount(&mut self, at: u32) {
        let [left, right] = self.node(at).children;
        self.node_mut(at).size = self.size(left) + self.size(right) + 1;
    }

    /// Lifts the child opposite to `side` over `at`, which moves down to `side`. Returns the lifted node.
    fn rotate(&mut self, at: u32, side: usize) -> u32 {
        let lifted = self.child(at, 1 - side);
        let moved = self.child(lifted, side);
        self.put_child(self.parent(at), at, lifted);
        self.set_child(lifted, side, at);
        self.set_child(at, 1 - side, moved);
        self.recount(at);
        self.recount(lifted);
        lifted
    }

    /// Restores sizes and balance from `at` up to the root.
    fn rebalance(&mut self, mut at: u32) {
        while at != NONE {
            self.recount(at);
            let weights = self.node(at).children.map(|child| self.size(child) + 1);
            for heavy in [LEFT, RIGHT] {
                let light = 1 - heavy;
                if weights[heavy] > weights[light].saturating_mul(HEAVIER_AT_MOST) {
                    let child = self.child(at, heavy);
                    let inner = self.size(self.child(child, light)) + 1;
                    let outer = self.size(self.child(child, heavy)) + 1;
                    if inner >= outer.saturating_mul(ROTATE_TWICE_FROM) {
                        self.rotate(child, heavy);
                    }
                    at = self.rotate(at, light);
                    break;
                }
            }
            at = self.parent(at);
        }
    }

    /// Hangs an entry that is no node yet into the tree, by its score and member.
    fn link(&mut self, new: u32) {
        let (mut parent, mut side) = (NONE, LEFT);
        let mut at = self.root;
        let key = (self.node(new).score, self.member(new));
        while at != NONE {
            side = usize::from(compare((self.node(at).score, self.member(at)), key).is_lt());
            (parent, at) = (at, self.child(at, side));
        }
        *self.node_mut(new) = Node { children: [NONE; 2], parent, size: 1, ..*self.node(new) };
        if parent == NONE {
            self.root = new;
        } else {
            self.node_mut(parent).children[side] = new;
            self.rebalance(parent);
        }
    }

    /// Takes a node out of the tree; it stays an entry.
    fn unlink(&mut self, at: u32) {
        let Node { children: [left, right], parent, .. } = *self.node(at);
        if left == NONE || right == NONE {
            self.put_child(parent, at, if left == NONE { right } else { left });
            self.rebalance(parent);
            return;
        }
        // The next node in the order has no left child; it takes over the place.
        let heir = self.neighbour(at, RIGHT);
        let mut lowest_changed = heir;
        if heir != right {
            lowest_changed = self.parent(heir);
            self.put_child(lowest_changed, heir, self.child(heir, RIGHT));
            self.set_child(heir, RIGHT, right);
        }
        self.set_child(heir, LEFT, left);
        self.put_child(parent, at, heir);
        self.rebalance(lowest_changed);
    }

    /// Removes an entry and gives the entry that moved into its index its new name.
    fn take(&mut self, at: u32) -> (Blob, f64) {
        self.unlink(at);
        let last = self.table.len() as u32 - 1;
        let (member, node) = self.table.swap_remove_index(at as usize).expect("a node is an entry");
        if at != last {
            let Node { children, parent, .. } = *self.node(at);
            self.put_child(parent, last, at);
            self.set_child(at, LEFT, children[LEFT]);
            self.set_child(at, RIGHT, children[RIGHT]);
        }
        (member, node.score)
    }
}

/// Members of a [`Ranked`] in order, from either end.
#[derive(Clone, Debug)]
pub(super) struct RankedIter<'a> {
    ranked: &'a Ranked,
    front: u32,
    back: u32,
    left: usize,
}

impl<'a> RankedIter<'a> {
    fn entry(&self, at: u32) -> (&'a [u8], f64) {
        (self.ranked.member(at), self.ranked.node(at).score)
    }
}

impl<'a> Iterator for RankedIter<'a> {
    type Item = (&'a [u8], f64);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let entry = self.entry(self.front);
        self.front = self.ranked.neighbour(self.front, RIGHT);
        Some(entry)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl DoubleEndedIterator for RankedIter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let entry = self.entry(self.back);
        self.back = self.ranked.neighbour(self.back, LEFT);
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Checks links, sizes, order and balance below `at`; returns the size.
    fn check(ranked: &Ranked, at: u32, parent: u32) -> u32 {
        if at == NONE {
            return 0;
        }
        assert_eq!(ranked.parent(at), parent);
        let [left, right] = ranked.node(at).children;
        let (left, right) = (check(ranked, left, at), check(ranked, right, at));
        assert_eq!(ranked.size(at), left + right + 1);
        let (light, heavy) = (left.min(right) + 1, left.max(right) + 1);
        assert!(heavy <= HEAVIER_AT_MOST * light, "unbalanced: {left} and {right}");
        left + right + 1
    }

    proptest! {
        #[test]
        fn the_tree_stays_balanced_and_complete(
            ops in prop::collection::vec((0u8..3, any::<u8>(), 0u8..20), 1..400),
            ascending in 0u16..300,
        ) {
            let mut ranked = Ranked::new();
            for member in 1000..1000 + ascending {
                ranked.add(Blob::from(member.to_string().as_bytes()), f64::from(member));
            }
            let mut len = usize::from(ascending);
            for (action, member, score) in ops {
                let name = [member];
                match action {
                    0 => len -= usize::from(ranked.remove(&name)),
                    _ => if ranked.update(&name, f64::from(score)).is_none() {
                        ranked.add(Blob::from(&name[..]), f64::from(score));
                        len += 1;
                    },
                }
                prop_assert_eq!(check(&ranked, ranked.root, NONE) as usize, len);
            }
            let order: Vec<_> = ranked.iter(0..len).collect();
            prop_assert_eq!(order.len(), len);
            prop_assert!(order.is_sorted_by(|a, b| compare((a.1, a.0), (b.1, b.0)).is_lt()));
            while len > 0 {
                len -= 1;
                prop_assert!(ranked.pop(len / 2).is_some());
                prop_assert_eq!(check(&ranked, ranked.root, NONE) as usize, len);
            }
        }
    }
}
