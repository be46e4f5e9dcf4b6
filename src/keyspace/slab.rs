//! A store of items under stable u32 handles, in chunks, so that growth never moves an item nor stops to copy many.
//! Knows nothing of what it stores.

use std::ops::{Index, IndexMut};

/// Items in a chunk: of 48 bytes each they fill 12 times 64 KiB, the grain of the allocator for large blocks.
const CHUNK: usize = 16_384;

/// The end of a chunk's list of vacant places.
const NIL: u32 = u32::MAX;

/// A place for an item. As large as `T` alone if `T` has a niche, such as an enum with spare tags.
enum Place<T> {
    /// Free; holds the offset of the next free place of the chunk.
    Vacant(u32),
    Occupied(T),
}

/// Up to `CHUNK` places; those past the end of `places` were never used.
struct Chunk<T> {
    places: Vec<Place<T>>,
    vacant: u32,
    len: u32,
}

impl<T> Chunk<T> {
    fn is_full(&self) -> bool {
        self.len as usize == CHUNK
    }

    /// Stores an item in a chunk that is not full; returns its offset.
    fn insert(&mut self, item: T) -> usize {
        self.len += 1;
        if self.vacant == NIL {
            self.places.push(Place::Occupied(item));
            return self.places.len() - 1;
        }
        let offset = self.vacant as usize;
        match std::mem::replace(&mut self.places[offset], Place::Occupied(item)) {
            Place::Vacant(next) => self.vacant = next,
            Place::Occupied(_) => unreachable!("the list of vacant places leads to an occupied one"),
        }
        offset
    }

    fn remove(&mut self, offset: usize) -> Option<T> {
        let place = self.places.get_mut(offset)?;
        if let Place::Vacant(_) = place {
            return None;
        }
        let Place::Occupied(item) = std::mem::replace(place, Place::Vacant(self.vacant)) else { unreachable!() };
        self.vacant = offset as u32;
        self.len -= 1;
        Some(item)
    }
}

/// Items under u32 handles: a handle stays valid until its item is removed, and is then given out again.
///
/// New items go to the lowest chunk with room, so that a slab which shrinks empties its chunks; a wholly vacant chunk
/// gives its memory back, but for one that is kept for the next to grow. An empty slab allocates nothing.
pub(super) struct Slab<T> {
    chunks: Vec<Chunk<T>>,
    /// One bit for each chunk: set if it has room.
    open: Vec<u64>,
    /// No word of `open` below this one has a bit set.
    first_open: usize,
    spare: Vec<Place<T>>,
    len: usize,
}

impl<T> Slab<T> {
    /// A slab without items.
    pub(super) const fn new() -> Slab<T> {
        Slab { chunks: Vec::new(), open: Vec::new(), first_open: 0, spare: Vec::new(), len: 0 }
    }

    /// The number of items.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Stores an item and returns its handle. O(1), and no item moves but within the first chunk while that is small.
    ///
    /// # Panics
    /// If all handles are in use: more than four thousand million items.
    pub(super) fn insert(&mut self, item: T) -> u32 {
        let number = self.open_chunk();
        let chunk = &mut self.chunks[number];
        let handle = (number * CHUNK + chunk.insert(item)) as u32;
        if chunk.is_full() {
            self.open[number / 64] &= !(1 << (number % 64));
        }
        self.len += 1;
        handle
    }

    /// Takes an item out; its handle may be given to another from now on.
    ///
    /// # Panics
    /// If there is no such item.
    pub(super) fn remove(&mut self, handle: u32) -> T {
        let (number, offset) = split(handle);
        let item =
            self.chunks.get_mut(number).and_then(|chunk| chunk.remove(offset)).expect("remove of a vacant handle");
        self.open[number / 64] |= 1 << (number % 64);
        self.first_open = self.first_open.min(number / 64);
        self.len -= 1;
        if self.chunks[number].len == 0 {
            self.release(number);
        }
        item
    }

    /// The item of a handle, None if there is none.
    pub(super) fn get(&self, handle: u32) -> Option<&T> {
        let (number, offset) = split(handle);
        match self.chunks.get(number)?.places.get(offset)? {
            Place::Occupied(item) => Some(item),
            Place::Vacant(_) => None,
        }
    }

    /// The item of a handle, to be changed; None if there is none.
    pub(super) fn get_mut(&mut self, handle: u32) -> Option<&mut T> {
        let (number, offset) = split(handle);
        match self.chunks.get_mut(number)?.places.get_mut(offset)? {
            Place::Occupied(item) => Some(item),
            Place::Vacant(_) => None,
        }
    }

    /// All items with their handles, in the order of the handles.
    #[cfg(test)]
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.chunks.iter().enumerate().flat_map(|(number, chunk)| {
            chunk.places.iter().enumerate().filter_map(move |(offset, place)| match place {
                Place::Occupied(item) => Some(((number * CHUNK + offset) as u32, item)),
                Place::Vacant(_) => None,
            })
        })
    }

    /// Bytes allocated, without what the items themselves point to. O(number of chunks).
    pub(super) fn memory_usage(&self) -> usize {
        let places = self.spare.capacity() + self.chunks.iter().map(|chunk| chunk.places.capacity()).sum::<usize>();
        places * size_of::<Place<T>>()
            + self.chunks.capacity() * size_of::<Chunk<T>>()
            + self.open.capacity() * size_of::<u64>()
    }

    /// The lowest chunk with room, a new one if all are full.
    fn open_chunk(&mut self) -> usize {
        let word = (self.first_open..self.open.len()).find(|&word| self.open[word] != 0);
        self.first_open = word.unwrap_or(self.open.len());
        let number = match word {
            Some(word) => word * 64 + self.open[word].trailing_zeros() as usize,
            None => self.add_chunk(),
        };
        let places = &mut self.chunks[number].places;
        if places.capacity() == 0 {
            *places = std::mem::take(&mut self.spare);
            if number > 0 {
                // The first chunk grows by doubling, so that a small slab is small; the others are what they will be.
                places.reserve_exact(CHUNK);
            }
        }
        number
    }

    fn add_chunk(&mut self) -> usize {
        let number = self.chunks.len();
        assert!(number < NIL as usize / CHUNK, "out of handles");
        self.chunks.push(Chunk { places: Vec::new(), vacant: NIL, len: 0 });
        if number.is_multiple_of(64) {
            self.open.push(0);
        }
        self.first_open = number / 64;
        self.open[number / 64] |= 1 << (number % 64);
        number
    }

    /// Gives the memory of a wholly vacant chunk back, or keeps it as the spare; drops the records of vacant last
    /// chunks.
    fn release(&mut self, number: usize) {
        let chunk = &mut self.chunks[number];
        chunk.vacant = NIL;
        let mut places = std::mem::take(&mut chunk.places);
        places.clear();
        if places.capacity() > self.spare.capacity() {
            self.spare = places;
        }
        while self.chunks.last().is_some_and(|chunk| chunk.len == 0) {
            self.chunks.pop();
            let last = self.chunks.len();
            self.open[last / 64] &= !(1 << (last % 64));
            self.open.truncate(last.div_ceil(64));
        }
        self.first_open = self.first_open.min(self.open.len());
    }
}

/// The chunk of a handle, and the offset in it.
fn split(handle: u32) -> (usize, usize) {
    (handle as usize / CHUNK, handle as usize % CHUNK)
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab::new()
    }
}

impl<T> Index<u32> for Slab<T> {
    type Output = T;

    /// Panics if there is no such item.
    fn index(&self, handle: u32) -> &T {
        self.get(handle).expect("index by a vacant handle")
    }
}

impl<T> IndexMut<u32> for Slab<T> {
    fn index_mut(&mut self, handle: u32) -> &mut T {
        self.get_mut(handle).expect("index by a vacant handle")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use proptest::prelude::*;

    use super::*;

    /// The shape of an item of the keyspace: links, a deadline, a key, and a value that is an enum with spare tags.
    #[allow(dead_code, reason = "only its size matters")]
    struct Item {
        links: [u32; 2],
        deadline: u64,
        key: [u64; 3],
        value: Value,
    }

    #[allow(dead_code, reason = "only its size matters")]
    enum Value {
        Int(i64),
        Boxed(Box<[u8; 40]>),
    }

    #[test]
    fn place_costs_nothing_beyond_an_item_with_a_niche() {
        assert_eq!(size_of::<Value>(), 16);
        assert_eq!(size_of::<Item>(), 56);
        assert_eq!(size_of::<Place<Item>>(), size_of::<Item>());
    }

    #[test]
    fn empty_slab_allocates_nothing_and_a_small_one_little() {
        let mut slab = Slab::new();
        assert_eq!(slab.memory_usage(), 0);
        slab.insert(1_u64);
        assert!(slab.memory_usage() < 512, "{}", slab.memory_usage());
    }

    #[test]
    fn items_do_not_move_when_a_second_chunk_is_added() {
        let mut slab = Slab::new();
        (0..CHUNK as u64).for_each(|item| assert_eq!(u64::from(slab.insert(item)), item));
        let address = &raw const slab[7];
        (CHUNK as u64..100_000).for_each(|item| assert_eq!(u64::from(slab.insert(item)), item));
        assert_eq!(address, &raw const slab[7]);
        assert_eq!(slab[99_999], 99_999);
    }

    #[test]
    fn vacant_chunks_give_their_memory_back() {
        let mut slab = Slab::new();
        (0..100 * CHUNK).for_each(|item| _ = slab.insert(item));
        // All but a chunk's worth, from the front: the chunk that is left is the last.
        (0..99 * CHUNK).for_each(|handle| _ = slab.remove(handle as u32));
        assert!(slab.memory_usage() < 40_000 + 2 * CHUNK * size_of::<Place<usize>>(), "{}", slab.memory_usage());
        assert_eq!(slab.iter().map(|(_, &item)| item).min(), Some(99 * CHUNK));
        assert_eq!(slab.insert(5), 0);
    }

    /// Runs `act`, which panics, and tells why.
    fn panic_of<T>(act: impl FnOnce() -> T) -> String {
        let payload = catch_unwind(AssertUnwindSafe(|| drop(act()))).expect_err("it should have panicked");
        *payload.downcast::<String>().expect("a message")
    }

    #[test]
    fn second_removal_panics() {
        let mut slab = Slab::new();
        let handle = slab.insert("item");
        slab.insert("other");
        slab.remove(handle);
        assert_eq!(panic_of(|| slab.remove(handle)), "remove of a vacant handle");
    }

    #[test]
    fn index_of_a_vacant_handle_panics() {
        assert_eq!(panic_of(|| Slab::<u64>::new()[3]), "index by a vacant handle");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn slab_agrees_with_a_map(steps in prop::collection::vec((0..3000_usize, any::<bool>()), 1..30)) {
            let mut slab = Slab::new();
            let mut twin = BTreeMap::new();
            let mut serial = 0_u64;
            for (count, grow) in steps {
                for i in 0..count {
                    if grow {
                        serial += 1;
                        prop_assert_eq!(twin.insert(slab.insert(serial), serial), None, "a handle was given out twice");
                    } else if let Some((&handle, _)) = twin.range((i as u32 * 977 % 9000)..).next() {
                        prop_assert_eq!(slab.remove(handle), twin.remove(&handle).unwrap());
                        prop_assert!(slab.get(handle).is_none());
                    }
                }
                prop_assert_eq!(slab.len(), twin.len());
                prop_assert!(slab.iter().map(|(handle, &item)| (handle, item)).eq(twin.clone()));
            }
        }
    }
}
