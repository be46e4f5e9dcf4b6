//! `long double`: what INCRBYFLOAT and HINCRBYFLOAT add, and in what timeouts are read.
//!
//! Redis 7.0.15 on x86-64 computes these in the processor's 80-bit format, with 64 bits of precision, and the rounding
//! shows in the replies (1.1 + 2.2 ends in ..9999 or not). So the format is computed here in integers, bit by bit.

use super::big::{Big, shift_rounded};
use super::double::{Hex, read_exponent};
use super::split_sign;

/// Texts of this length and more are refused, as in Redis 7.0.15.
const TOO_LONG: usize = 5 * 1024;
/// Exponents of the last place of the largest and the smallest number.
const LARGEST_PLACE: i64 = 16_383 - 63;
const SMALLEST_PLACE: i64 = -16_445;
/// Digits behind the point in print.
const DECIMALS: u32 = 17;

/// An 80-bit floating point number. Never NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongDouble {
    negative: bool,
    size: Size,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    /// `mantissa` times 2^`place`; zero is 0 times 2^0.
    Finite {
        mantissa: u64,
        place: i64,
    },
    Infinite,
}

use Size::{Finite, Infinite};

impl LongDouble {
    /// Zero, the value of a missing key or field.
    pub const ZERO: Self = Self { negative: false, size: Finite { mantissa: 0, place: 0 } };

    /// Reads a number as [`parse_double`](super::parse_double) does, but with the range and precision of 80 bits, and
    /// from fewer than 5,120 bytes.
    pub fn parse(text: &[u8]) -> Option<Self> {
        if text.len() >= TOO_LONG {
            return None;
        }
        let (negative, body) = split_sign(text);
        let size = match Hex::read(body) {
            Some(hex) => {
                let hex = hex?;
                Size::in_range(hex.mantissa, hex.exponent, hex.sticky)
            }
            None if body.eq_ignore_ascii_case(b"inf") || body.eq_ignore_ascii_case(b"infinity") => Some(Infinite),
            None => Decimal::read(body)?.to_size(),
        };
        size.map(|size| Self { negative, size })
    }

    /// Whether this is one of the infinities, which HINCRBYFLOAT refuses as an increment.
    pub fn is_infinite(self) -> bool {
        self.size == Infinite
    }

    /// The sum, or `None` where Redis answers `increment would produce NaN or Infinity`.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let (Finite { mantissa: a, place: p }, Finite { mantissa: b, place: q }) = (self.size, other.size) else {
            return None;
        };
        if a == 0 || b == 0 {
            return Some(if a == 0 { other } else { self });
        }
        // Both with their highest bit at 2^126: one bit is left for a carry, and at least 62 below the last place.
        let ((large, high), (small, low)) = (aligned(a, p), aligned(b, q));
        let ((large, high, negative), (small, low, sign)) = if (high, large) >= (low, small) {
            ((large, high, self.negative), (small, low, other.negative))
        } else {
            ((small, low, other.negative), (large, high, self.negative))
        };
        // What is shifted out only has to show that it was there: a lowest bit set, whether added or subtracted.
        let shift = high - low;
        let small = if shift > 127 { 1 } else { small >> shift | u128::from(small & ((1 << shift) - 1) != 0) };
        let sum = if negative == sign { large + small } else { large - small };
        match Size::round(sum, high, false) {
            Infinite => None,
            Finite { mantissa: 0, .. } => Some(Self::ZERO),
            size => Some(Self { negative, size }),
        }
    }

    /// Prints as Redis does: `%.17Lf` without the zeros at its end, and never `-0`. An infinity is `inf` or `-inf`.
    pub fn to_text(self) -> Vec<u8> {
        let mut text = if self.negative { b"-".to_vec() } else { Vec::new() };
        match self.size {
            Infinite => text.extend_from_slice(b"inf"),
            Finite { mantissa, place: place @ 0.. } => {
                let mut big = Big::from(mantissa);
                big.shift_left(place as usize);
                text.extend(big.into_digits());
            }
            Finite { mantissa, place } => {
                let scale = 10u128.pow(DECIMALS);
                let scaled = shift_rounded(u128::from(mantissa) * scale, -place, false);
                text.extend_from_slice(format!("{}.{:017}", scaled / scale, scaled % scale).as_bytes());
                let last = text.iter().rposition(|&byte| byte != b'0').expect("there is a point");
                text.truncate(if text[last] == b'.' { last } else { last + 1 });
            }
        }
        if text == b"-0" { b"0".to_vec() } else { text }
    }

    /// As a number of seconds, in milliseconds rounded up; `None` outside 64 bits.
    pub(super) fn milliseconds(self) -> Option<i64> {
        let Finite { mantissa, place } = self.size else {
            return None;
        };
        let Finite { mantissa, place } = Size::round(u128::from(mantissa) * 1000, place, false) else {
            return None;
        };
        let size = match place {
            0..=63 => i128::from(mantissa) << place,
            64.. => i128::from(i64::MAX) + i128::from(mantissa),
            _ => {
                let whole = if place > -64 { mantissa >> -place } else { 0 };
                let exact = place > -64 && whole << -place == mantissa;
                i128::from(whole) + i128::from(!exact && !self.negative && mantissa != 0)
            }
        };
        i64::try_from(if self.negative { -size } else { size }).ok()
    }
}

/// A mantissa shifted up until its highest bit is 2^126, with its place moved down accordingly.
fn aligned(mantissa: u64, place: i64) -> (u128, i64) {
    let shift = 63 + mantissa.leading_zeros();
    (u128::from(mantissa) << shift, place - i64::from(shift))
}

impl Size {
    /// `value` times 2^`place` to the nearest number, ties to even; `sticky` as in [`shift_rounded`].
    fn round(value: u128, place: i64, sticky: bool) -> Self {
        if value == 0 {
            return Finite { mantissa: 0, place: 0 };
        }
        let bits = 128 - i64::from(value.leading_zeros());
        let mut last = place.saturating_add(bits - 64).max(SMALLEST_PLACE);
        if last > LARGEST_PLACE {
            return Infinite;
        }
        let mut mantissa = shift_rounded(value, last.saturating_sub(place), sticky);
        if mantissa >> 64 != 0 {
            mantissa >>= 1;
            last += 1;
        }
        match mantissa {
            _ if last > LARGEST_PLACE => Infinite,
            0 => Finite { mantissa: 0, place: 0 },
            _ => Finite { mantissa: mantissa as u64, place: last },
        }
    }

    /// As [`Size::round`], but `None` if the number is too large, or too small and not zero.
    fn in_range(value: u128, place: i64, sticky: bool) -> Option<Self> {
        match Self::round(value, place, sticky) {
            Infinite => None,
            Finite { mantissa: 0, .. } if value != 0 => None,
            size => Some(size),
        }
    }
}

/// An unsigned decimal floating point text, taken apart.
struct Decimal<'a> {
    whole: &'a [u8],
    fraction: &'a [u8],
    exponent: i64,
}

impl<'a> Decimal<'a> {
    fn read(body: &'a [u8]) -> Option<Self> {
        let end = body.iter().position(|byte| matches!(byte, b'e' | b'E'));
        let (digits, exponent) = match end {
            Some(end) => (&body[..end], read_exponent(&body[end + 1..])?),
            None => (body, 0),
        };
        let (whole, fraction) = match digits.iter().position(|&byte| byte == b'.') {
            Some(point) => (&digits[..point], &digits[point + 1..]),
            None => (digits, &b""[..]),
        };
        let valid = whole.len() + fraction.len() > 0 && whole.iter().chain(fraction).all(u8::is_ascii_digit);
        valid.then_some(Self { whole, fraction, exponent })
    }

    fn to_size(&self) -> Option<Size> {
        let digits = self.whole.iter().chain(self.fraction).copied();
        let mut big = Big::from_digits(digits);
        if big.is_zero() {
            return Some(Finite { mantissa: 0, place: 0 });
        }
        let power = self.exponent - self.fraction.len() as i64;
        // Far outside anything that 5 KB of digits can make up for.
        if !(-12_000..=12_000).contains(&power) {
            return None;
        }
        if power >= 0 {
            big.multiply_by_power_of_ten(power as u32);
            let (top, below, lost) = big.top();
            return Size::in_range(top, below as i64, lost);
        }
        // So many more bits that the quotient keeps at least 66: what the division takes is less than 10/3 per digit,
        // plus one.
        let power = power.unsigned_abs() as u32;
        let extra = power as usize * 10 / 3 + 68;
        big.shift_left(extra);
        let inexact = big.divide_by_power_of_ten(power);
        let (top, below, lost) = big.top();
        Size::in_range(top, below as i64 - extra as i64, lost || inexact)
    }
}

#[cfg(test)]
mod tests;
