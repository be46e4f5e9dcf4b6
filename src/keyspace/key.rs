//! A key as an item stores it: up to 17 bytes inline, longer ones on the heap; 22 bytes either way, of no alignment.
//!
//! Four bytes go to the access stamp that OBJECT IDLETIME answers from. With three more an item would be 56 bytes
//! instead of 48; a lock's usual key (`lock:order:123456`) still fits.

const INLINE: usize = 17;

/// A `Box` that may lie at any address: an aligned one would cost the item eight bytes of padding.
#[repr(Rust, packed)]
struct Loose(Box<[u8]>);

impl Loose {
    fn as_bytes(&self) -> &[u8] {
        #[expect(clippy::explicit_auto_deref, reason = "auto-deref would borrow the box, which may be unaligned")]
        &*self.0
    }
}

/// The length of an inline key. An enum, because the values it lacks tell a heap key apart without a byte of their own.
#[derive(Clone, Copy)]
#[rustfmt::skip]
enum Len { L0, L1, L2, L3, L4, L5, L6, L7, L8, L9, L10, L11, L12, L13, L14, L15, L16, L17 }

#[rustfmt::skip]
const LENS: [Len; INLINE + 1] = [
    Len::L0, Len::L1, Len::L2, Len::L3, Len::L4, Len::L5, Len::L6, Len::L7, Len::L8,
    Len::L9, Len::L10, Len::L11, Len::L12, Len::L13, Len::L14, Len::L15, Len::L16, Len::L17,
];

enum Repr {
    Inline { len: Len, bytes: [u8; INLINE], accessed: [u8; 4] },
    Heap { bytes: Loose, accessed: [u8; 4] },
}

/// Key bytes and the second of the last access.
pub(super) struct Key(Repr);

const _: () = assert!(size_of::<Key>() == 22 && align_of::<Key>() == 1);

impl Key {
    pub(super) fn new(key: &[u8], accessed: u32) -> Self {
        let accessed = accessed.to_ne_bytes();
        Self(match LENS.get(key.len()) {
            Some(&len) => {
                let mut bytes = [0; INLINE];
                bytes[..key.len()].copy_from_slice(key);
                Repr::Inline { len, bytes, accessed }
            }
            None => Repr::Heap { bytes: Loose(key.into()), accessed },
        })
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Inline { len, bytes, .. } => &bytes[..*len as usize],
            Repr::Heap { bytes, .. } => bytes.as_bytes(),
        }
    }

    pub(super) fn accessed(&self) -> u32 {
        match &self.0 {
            Repr::Inline { accessed, .. } | Repr::Heap { accessed, .. } => u32::from_ne_bytes(*accessed),
        }
    }

    pub(super) fn set_accessed(&mut self, seconds: u32) {
        match &mut self.0 {
            Repr::Inline { accessed, .. } | Repr::Heap { accessed, .. } => *accessed = seconds.to_ne_bytes(),
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        match &self.0 {
            Repr::Inline { .. } => 0,
            Repr::Heap { bytes, .. } => bytes.as_bytes().len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_any_length_come_back() {
        for len in [0, 1, 16, 17, 18, 300] {
            let bytes = vec![7; len];
            let mut key = Key::new(&bytes, 5);
            assert_eq!((key.as_bytes(), key.accessed()), (&bytes[..], 5));
            key.set_accessed(u32::MAX);
            assert_eq!((key.as_bytes(), key.accessed()), (&bytes[..], u32::MAX));
        }
    }
}
