//! The near future: one bucket for each of the next 4096 milliseconds. Knows no timers.

use super::level::NIL;

/// Buckets in the ring; a power of two.
pub(super) const SPAN: usize = 4096;

const WORDS: usize = SPAN / 64;

/// The heads of 4096 lists, and words that say which of them are not empty. Allocates nothing until used.
#[derive(Debug)]
pub(super) struct Ring {
    occupied: [u64; WORDS],
    heads: Vec<u32>,
}

/// The bucket of a time; good for times less than [`SPAN`] apart.
pub(super) fn slot_of(when: u64) -> usize {
    when as usize % SPAN
}

impl Ring {
    pub(super) const fn new() -> Ring {
        Ring { occupied: [0; WORDS], heads: Vec::new() }
    }

    /// The first timer of a bucket, or [`NIL`].
    pub(super) fn head(&self, slot: usize) -> u32 {
        self.heads.get(slot).copied().unwrap_or(NIL)
    }

    /// Makes `head` the first timer of a bucket; [`NIL`] empties it.
    pub(super) fn set_head(&mut self, slot: usize, head: u32) {
        if self.heads.is_empty() {
            self.heads = vec![NIL; SPAN];
        }
        self.heads[slot] = head;
        let bit = 1 << (slot % 64);
        let word = &mut self.occupied[slot / 64];
        *word = if head == NIL { *word & !bit } else { *word | bit };
    }

    /// The earliest time after `now` whose bucket is not empty, given that none is [`SPAN`] or more ahead.
    pub(super) fn first_after(&self, now: u64) -> Option<u64> {
        let start = now + 1;
        let slot = slot_of(start);
        // The word of the start is looked at twice: its upper bits first, its lower ones, which are the farthest, last.
        let upper = self.occupied[slot / 64] & (u64::MAX << (slot % 64));
        let ahead = |word: usize, bits: u64| {
            let found = word * 64 + bits.trailing_zeros() as usize;
            start + ((found + SPAN - slot) % SPAN) as u64
        };
        if upper != 0 {
            return Some(ahead(slot / 64, upper));
        }
        (1..=WORDS).map(|n| (slot / 64 + n) % WORDS).find_map(|word| {
            let bits = self.occupied[word];
            (bits != 0).then(|| ahead(word, bits))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_bucket_is_found_all_around_the_ring() {
        for now in [0, 5, 63, 64, 1000, 4095, 4096, 123_456] {
            for ahead in [1, 2, 60, 64, 65, 500, 1000, 4094, 4095] {
                let mut ring = Ring::new();
                assert_eq!(ring.first_after(now), None);
                ring.set_head(slot_of(now + ahead), 7);
                assert_eq!(ring.first_after(now), Some(now + ahead), "{now} + {ahead}");
                ring.set_head(slot_of(now + 4095), 8);
                assert_eq!(ring.first_after(now), Some(now + ahead));
                ring.set_head(slot_of(now + ahead), NIL);
                ring.set_head(slot_of(now + 4095), NIL);
                assert_eq!(ring.first_after(now), None);
            }
        }
    }
}
