//! A key as an item stores it: up to 18 bytes inline, longer ones on the heap; 24 bytes either way.
//!
//! Of the 24, four go to the access stamp that OBJECT IDLETIME answers from, two to length and tag, so that an item
//! stays at 56 bytes; a lock's usual key (`lock:order:1234567`) still fits.

const INLINE: usize = 18;

/// Key bytes and the second of the last access.
#[derive(Clone)]
pub(super) enum Key {
    Inline { len: u8, bytes: [u8; INLINE], accessed: u32 },
    Heap { accessed: u32, bytes: Box<[u8]> },
}

const _: () = assert!(size_of::<Key>() == 24);

impl Key {
    pub(super) fn new(key: &[u8], accessed: u32) -> Self {
        if key.len() <= INLINE {
            let mut bytes = [0; INLINE];
            bytes[..key.len()].copy_from_slice(key);
            Self::Inline { len: key.len() as u8, bytes, accessed }
        } else {
            Self::Heap { accessed, bytes: key.into() }
        }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Inline { len, bytes, .. } => &bytes[..usize::from(*len)],
            Self::Heap { bytes, .. } => bytes,
        }
    }

    pub(super) fn accessed(&self) -> u32 {
        match self {
            Self::Inline { accessed, .. } | Self::Heap { accessed, .. } => *accessed,
        }
    }

    pub(super) fn set_accessed(&mut self, seconds: u32) {
        match self {
            Self::Inline { accessed, .. } | Self::Heap { accessed, .. } => *accessed = seconds,
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        match self {
            Self::Inline { .. } => 0,
            Self::Heap { bytes, .. } => bytes.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_any_length_come_back() {
        for len in [0, 1, 17, 18, 19, 300] {
            let bytes = vec![7; len];
            let mut key = Key::new(&bytes, 5);
            assert_eq!((key.as_bytes(), key.accessed()), (&bytes[..], 5));
            key.set_accessed(9);
            assert_eq!((key.as_bytes(), key.accessed()), (&bytes[..], 9));
        }
    }
}
