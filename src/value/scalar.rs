//! What a type shows of one stored string: bytes, or an integer that was never bytes. Reading costs no allocation.

use crate::number::parse_int;
use std::fmt;

/// Room in which an integer is spelled out; lives on the caller's stack, so that reading an integer as bytes allocates
/// nothing.
#[derive(Clone, Default)]
pub struct IntBuffer(itoa::Buffer);

impl IntBuffer {
    /// A fresh buffer. Costs nothing: it is not zeroed.
    pub fn new() -> IntBuffer {
        IntBuffer(itoa::Buffer::new())
    }

    /// `value` in decimal.
    pub fn format(&mut self, value: i64) -> &[u8] {
        self.0.format(value).as_bytes()
    }
}

impl fmt::Debug for IntBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IntBuffer")
    }
}

/// A borrowed string as it is stored. Two scalars are equal if their bytes are, whatever their form.
#[derive(Clone, Copy)]
pub enum Scalar<'a> {
    /// The decimal spelling of this integer.
    Int(i64),
    /// These bytes, which may spell an integer as well.
    Bytes(&'a [u8]),
}

impl<'a> Scalar<'a> {
    /// The form in which `bytes` is stored: an integer if they spell one by the rule of [`parse_int`].
    #[inline]
    pub fn of(bytes: &'a [u8]) -> Scalar<'a> {
        match parse_int(bytes) {
            Some(int) => Scalar::Int(int),
            None => Scalar::Bytes(bytes),
        }
    }

    /// The bytes; those of an integer are written into `buffer`.
    #[inline]
    pub fn bytes<'b>(self, buffer: &'b mut IntBuffer) -> &'b [u8]
    where
        'a: 'b,
    {
        match self {
            Scalar::Int(int) => buffer.format(int),
            Scalar::Bytes(bytes) => bytes,
        }
    }

    /// The bytes as a vector of their own.
    pub fn to_vec(self) -> Vec<u8> {
        self.bytes(&mut IntBuffer::new()).to_vec()
    }

    /// The integer that the bytes spell, by the rule of [`parse_int`].
    #[inline]
    pub fn as_int(self) -> Option<i64> {
        match self {
            Scalar::Int(int) => Some(int),
            Scalar::Bytes(bytes) => parse_int(bytes),
        }
    }

    /// How many bytes.
    pub fn len(self) -> usize {
        self.bytes(&mut IntBuffer::new()).len()
    }

    /// Whether there is no byte.
    pub fn is_empty(self) -> bool {
        matches!(self, Scalar::Bytes([]))
    }
}

impl PartialEq for Scalar<'_> {
    fn eq(&self, other: &Scalar<'_>) -> bool {
        match (*self, *other) {
            (Scalar::Int(a), Scalar::Int(b)) => a == b,
            (Scalar::Bytes(a), Scalar::Bytes(b)) => a == b,
            // An integer has one spelling only.
            (Scalar::Int(int), Scalar::Bytes(bytes)) | (Scalar::Bytes(bytes), Scalar::Int(int)) => {
                parse_int(bytes) == Some(int)
            }
        }
    }
}

impl Eq for Scalar<'_> {}

impl PartialEq<[u8]> for Scalar<'_> {
    fn eq(&self, other: &[u8]) -> bool {
        *self == Scalar::Bytes(other)
    }
}

impl fmt::Debug for Scalar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Int(int) => write!(f, "{int}"),
            Scalar::Bytes(bytes) => write!(f, "b\"{}\"", bytes.escape_ascii()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_the_one_canonical_spelling_is_an_integer() {
        for text in ["", "-", "+1", " 1", "1 ", "01", "-0", "-01", "1.0", "1e3", "0x1", "9223372036854775808"] {
            assert_eq!(parse_int(text.as_bytes()), None, "{text:?}");
        }
        for text in ["-9223372036854775809", "18446744073709551616", "99999999999999999999", "00"] {
            assert_eq!(parse_int(text.as_bytes()), None, "{text:?}");
        }
        for int in [0, 7, 10, -1, -10, i64::MAX, i64::MIN] {
            assert_eq!(parse_int(int.to_string().as_bytes()), Some(int));
        }
    }

    proptest! {
        #[test]
        fn an_integer_survives_its_spelling(int: i64, shift in 0u32..64) {
            let int = int >> shift;
            let mut buffer = IntBuffer::new();
            prop_assert_eq!(parse_int(buffer.format(int)), Some(int));
            prop_assert_eq!(Scalar::Int(int).len(), int.to_string().len());
        }

        #[test]
        fn what_is_read_as_an_integer_spells_the_same_again(text in "-?[0-9]{0,20}") {
            match parse_int(text.as_bytes()) {
                Some(int) => prop_assert_eq!(int.to_string(), text),
                None => prop_assert!(text.parse::<i64>().map_or(true, |int| int.to_string() != text)),
            }
        }
    }
}
