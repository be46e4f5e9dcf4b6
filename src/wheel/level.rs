//! One level of the wheel: 64 buckets and the arithmetic that says which time each stands for. Knows no timers.

/// Bits of a time that one level resolves.
const DIGIT_BITS: u32 = 6;

/// Buckets in a level: one for each bit of its occupancy word.
pub(super) const BUCKETS: usize = 1 << DIGIT_BITS;

/// Levels that resolve every bit of a 63-bit time.
pub(super) const LEVELS: usize = 63_usize.div_ceil(DIGIT_BITS as usize);

/// The end of a bucket's list.
pub(super) const NIL: u32 = u32::MAX;

/// The heads of 64 lists, and a word that says which of them are not empty.
#[derive(Debug)]
pub(super) struct Level {
    occupied: u64,
    heads: [u32; BUCKETS],
}

impl Level {
    /// A level whose buckets are all empty.
    pub(super) fn new() -> Level {
        Level { occupied: 0, heads: [NIL; BUCKETS] }
    }

    /// The first timer of `bucket`, or [`NIL`].
    pub(super) fn head(&self, bucket: usize) -> u32 {
        self.heads[bucket]
    }

    /// Makes `head` the first timer of `bucket`; [`NIL`] empties it.
    pub(super) fn set_head(&mut self, bucket: usize, head: u32) {
        self.heads[bucket] = head;
        let bit = 1 << bucket;
        self.occupied = if head == NIL { self.occupied & !bit } else { self.occupied | bit };
    }

    /// The earliest bucket that is not empty.
    ///
    /// The lowest set bit, with no rotation: every timer of a level shares all higher digits with the present, so its
    /// own digit is greater than the present one, and a level never wraps.
    pub(super) fn first(&self) -> Option<usize> {
        (self.occupied != 0).then(|| self.occupied.trailing_zeros() as usize)
    }
}

/// The level for a time later than `now`: that of the highest digit in which the two differ.
pub(super) fn level_of(now: u64, when: u64) -> usize {
    debug_assert!(when > now);
    ((now ^ when).ilog2() / DIGIT_BITS) as usize
}

/// The bucket of a time within its level: its digit there.
pub(super) fn bucket_of(level: usize, when: u64) -> usize {
    (when >> (DIGIT_BITS * level as u32)) as usize % BUCKETS
}

/// The first time that `bucket` stands for, given a present that shares all higher digits with it.
pub(super) fn start_of(level: usize, bucket: usize, now: u64) -> u64 {
    let shift = DIGIT_BITS * level as u32;
    let above = shift + DIGIT_BITS;
    let higher = if above < u64::BITS { now >> above << above } else { 0 };
    higher | (bucket as u64) << shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_lies_in_the_bucket_whose_start_is_the_last_not_after_it() {
        for (now, when) in [(0, 1), (0, 63), (63, 64), (1000, 1064), (4095, 4096), (7, (1 << 63) - 1)] {
            let level = level_of(now, when);
            let bucket = bucket_of(level, when);
            let start = start_of(level, bucket, now);
            assert!(now < start && start <= when, "{now} {when}: level {level} bucket {bucket} start {start}");
            assert!(when - start < 1 << (DIGIT_BITS * level as u32));
        }
    }

    #[test]
    fn every_63_bit_time_has_a_level() {
        assert_eq!(level_of(0, (1 << 63) - 1), LEVELS - 1);
    }

    #[test]
    fn the_occupancy_word_follows_the_heads() {
        let mut level = Level::new();
        assert_eq!(level.first(), None);
        level.set_head(63, 5);
        level.set_head(9, 6);
        assert_eq!(level.first(), Some(9));
        level.set_head(9, NIL);
        assert_eq!((level.first(), level.head(63)), (Some(63), 5));
    }
}
