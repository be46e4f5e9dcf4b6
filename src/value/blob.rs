//! Byte strings in as few bytes as the allocator allows: the material that the types of this room are made of.
//!
//! Knows no type and no encoding name. Everything here has alignment 1: a pointer of alignment 8 would force eight
//! bytes of padding after each enum tag, and [`Value`](super::Value) could not be 9 bytes wide.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

/// A `Box` that may lie at any address, so that an enum of such boxes is 9 bytes wide and not 16.
#[repr(Rust, packed)]
pub(super) struct Loose<T>(Box<T>);

impl<T> Loose<T> {
    pub(super) fn new(inner: T) -> Self {
        Loose(Box::new(inner))
    }
}

impl<T> Deref for Loose<T> {
    type Target = T;

    fn deref(&self) -> &T {
        #[expect(clippy::explicit_auto_deref, reason = "auto-deref would borrow the box, which may be unaligned")]
        &*self.0
    }
}

impl<T> DerefMut for Loose<T> {
    fn deref_mut(&mut self) -> &mut T {
        #[expect(clippy::explicit_auto_deref, reason = "auto-deref would borrow the box, which may be unaligned")]
        &mut *self.0
    }
}

impl<T: Clone> Clone for Loose<T> {
    fn clone(&self) -> Self {
        Loose::new(T::clone(self))
    }
}

impl<T: fmt::Debug> fmt::Debug for Loose<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        T::fmt(self, f)
    }
}

macro_rules! blocks {
    ($($name:ident = $size:literal),* $(,)?) => {
        /// A heap block of one of a few fixed sizes (those an allocator has anyway), behind a thin pointer.
        #[derive(Clone, Debug)]
        pub(super) enum Block {
            Empty,
            $($name(Loose<[u8; $size]>),)*
        }

        impl Block {
            /// The size of the block that [`Block::filled`] picks for `len` bytes; `len` itself past the largest.
            pub(super) fn size_for(len: usize) -> usize {
                if len == 0 {
                    return 0;
                }
                $(if len <= $size {
                    return $size;
                })*
                len
            }

            /// The smallest block that holds `len` bytes, each of them `fill`.
            ///
            /// Panics if `len` exceeds [`Block::LARGEST`].
            pub(super) fn filled(len: usize, fill: u8) -> Block {
                if len == 0 {
                    return Block::Empty;
                }
                $(if len <= $size {
                    return Block::$name(Loose::new([fill; $size]));
                })*
                panic!("no block holds {len} bytes")
            }

            #[inline]
            pub(super) fn as_slice(&self) -> &[u8] {
                match self {
                    Block::Empty => &[],
                    $(Block::$name(bytes) => &bytes[..],)*
                }
            }

            #[inline]
            pub(super) fn as_mut_slice(&mut self) -> &mut [u8] {
                match self {
                    Block::Empty => &mut [],
                    $(Block::$name(bytes) => &mut bytes[..],)*
                }
            }
        }
    };
}

blocks! {
    B16 = 16, B24 = 24, B32 = 32, B40 = 40, B48 = 48, B56 = 56, B64 = 64, B80 = 80, B96 = 96, B112 = 112,
    B128 = 128, B160 = 160, B192 = 192, B224 = 224, B256 = 256,
}

impl Block {
    /// The most bytes a block can hold.
    pub(super) const LARGEST: usize = 256;
}

/// An immutable byte string: up to 7 bytes inline, up to 255 in a [`Block`] behind their length, longer ones in a slice
/// of their own.
#[derive(Clone)]
pub(super) enum Blob {
    Inline { len: u8, bytes: [u8; Blob::INLINE] },
    Block(Block),
    Large(Loose<Box<[u8]>>),
}

const _: () = assert!(size_of::<Block>() == 9 && size_of::<Blob>() == 9);

impl Blob {
    const INLINE: usize = 7;

    #[inline]
    pub(super) fn as_slice(&self) -> &[u8] {
        match self {
            Blob::Inline { len, bytes } => &bytes[..usize::from(*len)],
            Blob::Block(block) => {
                let bytes = block.as_slice();
                &bytes[1..=usize::from(bytes[0])]
            }
            Blob::Large(bytes) => bytes,
        }
    }

    /// Heap bytes.
    pub(super) fn memory_usage(&self) -> usize {
        match self {
            Blob::Inline { .. } => 0,
            Blob::Block(block) => block.as_slice().len(),
            Blob::Large(bytes) => size_of::<Box<[u8]>>() + bytes.len(),
        }
    }
}

impl From<&[u8]> for Blob {
    fn from(source: &[u8]) -> Blob {
        match u8::try_from(source.len()) {
            Ok(len) if source.len() <= Blob::INLINE => {
                let mut bytes = [0; Blob::INLINE];
                bytes[..source.len()].copy_from_slice(source);
                Blob::Inline { len, bytes }
            }
            Ok(len) => {
                let mut block = Block::filled(source.len() + 1, 0);
                let bytes = block.as_mut_slice();
                bytes[0] = len;
                bytes[1..=source.len()].copy_from_slice(source);
                Blob::Block(block)
            }
            Err(_) => Blob::Large(Loose::new(source.into())),
        }
    }
}

impl Borrow<[u8]> for Blob {
    fn borrow(&self) -> &[u8] {
        self.as_slice()
    }
}

impl PartialEq for Blob {
    fn eq(&self, other: &Blob) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Blob {}

impl Hash for Blob {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.as_slice().escape_ascii())
    }
}
