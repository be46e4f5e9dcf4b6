//! What the journal holds: effects, as commands with nothing left to decide.

use crate::time::Millis;

/// One effect: a command in absolute terms, in one database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// Index of the database it applies to.
    pub db: usize,
    /// Command name and arguments.
    pub argv: Vec<Vec<u8>>,
}

/// The effects of one command, script or transaction, or of one batch of expiries: all of them happened, or none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// Server time at which it was decided.
    pub at: Millis,
    /// What happened, in order.
    pub effects: Effects,
}

/// Effects in one flat buffer: counts and lengths as 32-bit little-endian numbers, then the bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effects {
    bytes: Vec<u8>,
    count: usize,
}

impl Effects {
    /// Adds one effect.
    pub fn push(&mut self, db: usize, argv: &[&[u8]]) {
        self.number(db);
        self.number(argv.len());
        for arg in argv {
            self.number(arg.len());
            self.bytes.extend_from_slice(arg);
        }
        self.count += 1;
    }

    /// How many effects there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Forgets all effects but keeps the buffer.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.count = 0;
    }

    /// The flat form, as a log writes it.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reads the flat form back; `None` when it is cut short or says more than it holds.
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        let mut effects = Self { bytes, count: 0 };
        let mut at = 0;
        while at < effects.bytes.len() {
            at = effects.decode(at)?.1;
            effects.count += 1;
        }
        Some(effects)
    }

    /// The effects in order.
    pub fn iter(&self) -> impl Iterator<Item = Effect> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            let (effect, next) = self.decode(at)?;
            at = next;
            Some(effect)
        })
    }

    fn number(&mut self, n: usize) {
        let n = u32::try_from(n).expect("an argument is at most 512 MiB, a request at most a million arguments");
        self.bytes.extend_from_slice(&n.to_le_bytes());
    }

    fn decode(&self, at: usize) -> Option<(Effect, usize)> {
        let mut rest = Cursor { bytes: self.bytes.get(at..)?, at };
        let db = rest.number()?;
        let argc = rest.number()?;
        let mut argv = Vec::new();
        for _ in 0..argc {
            let len = rest.number()?;
            argv.push(rest.take(len)?.to_vec());
        }
        Some((Effect { db, argv }, rest.at))
    }
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.bytes.split_at_checked(len)?;
        self.bytes = tail;
        self.at += len;
        Some(head)
    }

    fn number(&mut self) -> Option<usize> {
        let bytes = self.take(4)?;
        Some(u32::from_le_bytes(bytes.try_into().expect("took four")) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn argv() -> impl Strategy<Value = Vec<Vec<u8>>> {
        prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 1..5)
    }

    proptest! {
        #[test]
        fn effects_come_back_as_they_went_in(told in prop::collection::vec((0usize..16, argv()), 0..10)) {
            let mut effects = Effects::default();
            for (db, argv) in &told {
                effects.push(*db, &argv.iter().map(Vec::as_slice).collect::<Vec<_>>());
            }
            prop_assert_eq!(effects.len(), told.len());
            let back = Effects::from_bytes(effects.as_bytes().to_vec()).expect("whole");
            prop_assert_eq!(&back, &effects);
            let read: Vec<_> = back.iter().map(|e| (e.db, e.argv)).collect();
            prop_assert_eq!(read, told);
        }

        #[test]
        fn a_cut_or_random_buffer_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            if let Some(effects) = Effects::from_bytes(bytes) {
                prop_assert_eq!(effects.iter().count(), effects.len());
            }
        }
    }
}
