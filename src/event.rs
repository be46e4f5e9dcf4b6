//! Keyspace event classes: the letters of `notify-keyspace-events`. Knows nothing of who listens, or of what happened.

use bitflags::bitflags;

bitflags! {
    /// The event classes a server publishes, and the two channels it publishes them on. Letters and meaning as in Redis
    /// 7.0.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct EventClasses: u16 {
        /// `K`: messages on `__keyspace@<db>__:<key>`.
        const KEYSPACE = 1 << 0;
        /// `E`: messages on `__keyevent@<db>__:<event>`.
        const KEYEVENT = 1 << 1;
        /// `g`: commands of no type: DEL, EXPIRE, RENAME.
        const GENERIC = 1 << 2;
        /// `$`: strings.
        const STRING = 1 << 3;
        /// `l`: lists.
        const LIST = 1 << 4;
        /// `s`: sets.
        const SET = 1 << 5;
        /// `h`: hashes.
        const HASH = 1 << 6;
        /// `z`: sorted sets.
        const SORTED_SET = 1 << 7;
        /// `x`: expirations.
        const EXPIRED = 1 << 8;
        /// `e`: evictions.
        const EVICTED = 1 << 9;
        /// `t`: streams.
        const STREAM = 1 << 10;
        /// `m`: reads of a missing key. Not part of `A`.
        const KEY_MISS = 1 << 11;
        /// `d`: module types.
        const MODULE = 1 << 12;
        /// `n`: a key came into being. Not part of `A`.
        const NEW_KEY = 1 << 13;
        /// `A`: `g$lshzxetd`.
        const ALL = Self::GENERIC.bits() | Self::STRING.bits() | Self::LIST.bits() | Self::SET.bits()
            | Self::HASH.bits() | Self::SORTED_SET.bits() | Self::EXPIRED.bits() | Self::EVICTED.bits()
            | Self::STREAM.bits() | Self::MODULE.bits();
    }
}

/// The letters of single classes in the order in which Redis 7.0 prints them; `n` belongs to them, `K`, `E` and `m`
/// follow.
const CLASS_LETTERS: [(char, EventClasses); 11] = [
    ('g', EventClasses::GENERIC),
    ('$', EventClasses::STRING),
    ('l', EventClasses::LIST),
    ('s', EventClasses::SET),
    ('h', EventClasses::HASH),
    ('z', EventClasses::SORTED_SET),
    ('x', EventClasses::EXPIRED),
    ('e', EventClasses::EVICTED),
    ('t', EventClasses::STREAM),
    ('d', EventClasses::MODULE),
    ('n', EventClasses::NEW_KEY),
];

const CHANNEL_LETTERS: [(char, EventClasses); 3] =
    [('K', EventClasses::KEYSPACE), ('E', EventClasses::KEYEVENT), ('m', EventClasses::KEY_MISS)];

impl EventClasses {
    /// Reads letters in any order, with repetition. `None` if a letter is none of `Ag$lshzxeKEtmdn`.
    pub fn parse(letters: &[u8]) -> Option<Self> {
        letters.iter().try_fold(Self::empty(), |classes, &byte| {
            let letter = char::from(byte);
            let class = if letter == 'A' {
                Self::ALL
            } else {
                CLASS_LETTERS.iter().chain(&CHANNEL_LETTERS).find(|(known, _)| *known == letter)?.1
            };
            Some(classes | class)
        })
    }

    /// The letters in the order of CONFIG GET. As in Redis 7.0, a full set of classes shrinks to `A`, and `n` is then
    /// not told.
    pub fn letters(self) -> String {
        let mut letters = String::new();
        if self.contains(Self::ALL) {
            letters.push('A');
        } else {
            letters.extend(CLASS_LETTERS.iter().filter(|(_, class)| self.contains(*class)).map(|(letter, _)| letter));
        }
        letters.extend(CHANNEL_LETTERS.iter().filter(|(_, class)| self.contains(*class)).map(|(letter, _)| letter));
        letters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_come_back_in_the_order_of_redis() {
        // Pairs of (given, told) as Redis 7.0.15 answered them.
        for (given, told) in [
            ("KEA", "AKE"),
            ("Kgxe", "gxeK"),
            ("g$lshzxetd", "A"),
            ("Km", "Km"),
            ("En", "nE"),
            ("KEAmn", "AKEm"),
            ("KEg$lshzxed", "g$lshzxedKE"),
            ("tmKdd", "tdKm"),
            ("nm", "nm"),
            ("", ""),
        ] {
            assert_eq!(
                EventClasses::parse(given.as_bytes()).map(EventClasses::letters).as_deref(),
                Some(told),
                "{given}"
            );
        }
    }

    #[test]
    fn unknown_letter_is_refused() {
        assert_eq!(EventClasses::parse(b"KEQ"), None);
    }
}
