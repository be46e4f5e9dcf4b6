//! The list type. No TTL, no blocking, no replies.

use std::collections::VecDeque;
use std::ops::Range;

use super::blob::Loose;
use super::scalar::Scalar;
use super::string::StringValue;

/// A sequence of strings. Both ends and access by index are O(1); the middle is moved, 16 bytes an element.
#[derive(Clone, Debug)]
pub struct List(Loose<VecDeque<StringValue>>);

impl List {
    /// An empty list.
    pub fn new() -> List {
        List(Loose::new(VecDeque::new()))
    }

    /// How many elements.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds at the head.
    pub fn push_front(&mut self, element: &[u8]) {
        self.0.push_front(StringValue::new(element));
    }

    /// Adds at the tail.
    pub fn push_back(&mut self, element: &[u8]) {
        self.0.push_back(StringValue::new(element));
    }

    /// Takes from the head.
    pub fn pop_front(&mut self) -> Option<StringValue> {
        let popped = self.0.pop_front();
        self.shrink();
        popped
    }

    /// Takes from the tail.
    pub fn pop_back(&mut self) -> Option<StringValue> {
        let popped = self.0.pop_back();
        self.shrink();
        popped
    }

    /// The element at `index` from the head.
    pub fn get(&self, index: usize) -> Option<Scalar<'_>> {
        self.0.get(index).map(StringValue::scalar)
    }

    /// Replaces the element at `index`; false if there is none.
    pub fn set(&mut self, index: usize, element: &[u8]) -> bool {
        match self.0.get_mut(index) {
            Some(place) => {
                *place = StringValue::new(element);
                true
            }
            None => false,
        }
    }

    /// Inserts so that `element` is at `index` then. O(len). Panics if `index > len`.
    pub fn insert(&mut self, index: usize, element: &[u8]) {
        self.0.insert(index, StringValue::new(element));
    }

    /// Inserts beside the first element from the head that equals `pivot`; false if none does.
    pub fn insert_before(&mut self, pivot: &[u8], element: &[u8]) -> bool {
        self.position(pivot).inspect(|&index| self.insert(index, element)).is_some()
    }

    /// Inserts behind the first element from the head that equals `pivot`; false if none does.
    pub fn insert_after(&mut self, pivot: &[u8], element: &[u8]) -> bool {
        self.position(pivot).inspect(|&index| self.insert(index + 1, element)).is_some()
    }

    /// Index of the first element from the head that equals `element`.
    pub fn position(&self, element: &[u8]) -> Option<usize> {
        let wanted = Scalar::of(element);
        self.0.iter().position(|stored| stored.scalar() == wanted)
    }

    /// Removes the first `count` elements that equal `element`, counted from the head, and says how many there were.
    pub fn remove_from_front(&mut self, element: &[u8], count: usize) -> usize {
        let wanted = Scalar::of(element);
        let before = self.0.len();
        let mut left = count;
        self.0.retain(|stored| {
            let hit = left > 0 && stored.scalar() == wanted;
            left -= usize::from(hit);
            !hit
        });
        self.shrink();
        before - self.0.len()
    }

    /// Like [`List::remove_from_front`], counted from the tail.
    pub fn remove_from_back(&mut self, element: &[u8], count: usize) -> usize {
        let wanted = Scalar::of(element);
        let hits = self.0.iter().filter(|stored| stored.scalar() == wanted).count();
        let mut spared = hits.saturating_sub(count);
        self.0.retain(|stored| {
            let hit = stored.scalar() == wanted;
            let keep = !hit || spared > 0;
            spared -= usize::from(hit && keep);
            keep
        });
        self.shrink();
        hits.min(count)
    }

    /// Keeps only the elements whose index lies in `kept`, which may reach past the end.
    pub fn trim(&mut self, kept: Range<usize>) {
        self.0.truncate(kept.end);
        let dropped = kept.start.min(self.0.len());
        self.0.drain(..dropped);
        self.shrink();
    }

    /// All elements, from either end; LPOS with RANK, COUNT and MAXLEN is `iter().enumerate()` with `rev`, `take`,
    /// `skip`.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Scalar<'_>> + ExactSizeIterator {
        self.0.iter().map(StringValue::scalar)
    }

    /// The elements at the indexes in `range`, which may reach past the end. O(1) to begin.
    pub fn range(&self, range: Range<usize>) -> impl DoubleEndedIterator<Item = Scalar<'_>> + ExactSizeIterator {
        let end = range.end.min(self.0.len());
        self.0.range(range.start.min(end)..end).map(StringValue::scalar)
    }

    /// The name that OBJECT ENCODING of Redis 7.0 gives: always `quicklist`.
    pub fn encoding(&self) -> &'static str {
        "quicklist"
    }

    /// Heap bytes. O(len).
    pub fn memory_usage(&self) -> usize {
        let elements: usize = self.0.iter().map(StringValue::memory_usage).sum();
        size_of::<VecDeque<StringValue>>() + self.0.capacity() * size_of::<StringValue>() + elements
    }

    fn shrink(&mut self) {
        let (len, capacity) = (self.0.len(), self.0.capacity());
        if capacity > 64 && len < capacity / 4 {
            self.0.shrink_to(len * 2);
        }
    }
}

impl Default for List {
    fn default() -> List {
        List::new()
    }
}

impl PartialEq for List {
    fn eq(&self, other: &List) -> bool {
        *self.0 == *other.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone)]
    enum Op {
        Push(bool, Vec<u8>),
        Pop(bool),
        Set(usize, Vec<u8>),
        Insert(bool, Vec<u8>, Vec<u8>),
        Remove(bool, Vec<u8>, usize),
        Trim(usize, usize),
    }

    fn op() -> impl Strategy<Value = Op> {
        let element = || prop_oneof!["[ab1]{0,2}", "-?[0-9]{1,2}"].prop_map(String::into_bytes);
        prop_oneof![
            8 => (any::<bool>(), element()).prop_map(|(front, element)| Op::Push(front, element)),
            2 => any::<bool>().prop_map(Op::Pop),
            1 => (0usize..40, element()).prop_map(|(index, element)| Op::Set(index, element)),
            1 => (any::<bool>(), element(), element()).prop_map(|(after, pivot, new)| Op::Insert(after, pivot, new)),
            1 => (any::<bool>(), element(), 0usize..4).prop_map(|(front, gone, count)| Op::Remove(front, gone, count)),
            1 => (0usize..3, 10usize..60).prop_map(|(start, end)| Op::Trim(start, end)),
        ]
    }

    fn remove(twin: &mut Vec<Vec<u8>>, element: &[u8], count: usize) -> usize {
        let mut removed = 0;
        while removed < count {
            let Some(index) = twin.iter().position(|stored| stored == element) else { break };
            twin.remove(index);
            removed += 1;
        }
        removed
    }

    /// Runs `op` on both, compares what they answer.
    fn step(list: &mut List, twin: &mut Vec<Vec<u8>>, op: Op) {
        match op {
            Op::Push(true, element) => {
                list.push_front(&element);
                twin.insert(0, element);
            }
            Op::Push(false, element) => {
                list.push_back(&element);
                twin.push(element);
            }
            Op::Pop(true) => {
                let expected = (!twin.is_empty()).then(|| twin.remove(0));
                assert_eq!(list.pop_front().map(|popped| popped.to_vec()), expected);
            }
            Op::Pop(false) => assert_eq!(list.pop_back().map(|popped| popped.to_vec()), twin.pop()),
            Op::Set(index, element) => {
                assert_eq!(list.set(index, &element), index < twin.len());
                if let Some(place) = twin.get_mut(index) {
                    *place = element;
                }
            }
            Op::Insert(after, pivot, element) => {
                let index = twin.iter().position(|stored| *stored == pivot);
                let inserted =
                    if after { list.insert_after(&pivot, &element) } else { list.insert_before(&pivot, &element) };
                assert_eq!(inserted, index.is_some());
                if let Some(index) = index {
                    twin.insert(index + usize::from(after), element);
                }
            }
            Op::Remove(true, element, count) => {
                assert_eq!(list.remove_from_front(&element, count), remove(twin, &element, count));
            }
            Op::Remove(false, element, count) => {
                twin.reverse();
                assert_eq!(list.remove_from_back(&element, count), remove(twin, &element, count));
                twin.reverse();
            }
            Op::Trim(start, end) => {
                list.trim(start..end);
                *twin = twin.iter().take(end).skip(start).cloned().collect();
            }
        }
    }

    proptest! {
        #[test]
        fn lists_behave_like_vectors(
            ops in prop::collection::vec(op(), 1..150),
            start in 0usize..20,
            end in 0usize..60,
        ) {
            let (mut list, mut twin) = (List::new(), Vec::new());
            for op in ops {
                step(&mut list, &mut twin, op);
                prop_assert_eq!(list.len(), twin.len());
            }
            prop_assert_eq!(list.iter().map(Scalar::to_vec).collect::<Vec<_>>(), twin.clone());
            let expected: Vec<_> = twin.iter().take(end).skip(start).rev().cloned().collect();
            prop_assert_eq!(list.range(start..end).rev().map(Scalar::to_vec).collect::<Vec<_>>(), expected);
            prop_assert_eq!(list.get(start).map(Scalar::to_vec), twin.get(start).cloned());
            prop_assert!(list == list.clone());
        }

        #[test]
        fn emptied_lists_give_their_memory_back(len in 200usize..2000) {
            let mut list = List::new();
            for _ in 0..len {
                list.push_back(b"x");
            }
            while list.pop_front().is_some() {}
            prop_assert!(list.memory_usage() <= 64 * 16 + 32);
        }
    }
}
