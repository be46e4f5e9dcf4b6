//! Just enough arithmetic to round a decimal text to a binary number and back: unsigned integers of any size, times and
//! over small numbers. Sizes are bounded by the callers, which refuse texts above 5 KB.

/// Limbs of 32 bits, lowest first, without leading zero limbs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Big(Vec<u32>);

const CHUNK: u32 = 1_000_000_000;
const CHUNK_DIGITS: u32 = 9;

impl Big {
    /// The number that decimal digits spell. Every byte must be a digit.
    pub(super) fn from_digits(digits: impl Iterator<Item = u8>) -> Self {
        let mut big = Self::default();
        let (mut chunk, mut scale) = (0, 1);
        for digit in digits {
            chunk = chunk * 10 + u32::from(digit - b'0');
            scale *= 10;
            if scale == CHUNK {
                big.multiply_add(CHUNK, chunk);
                (chunk, scale) = (0, 1);
            }
        }
        big.multiply_add(scale, chunk);
        big
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn bits(&self) -> usize {
        self.0.last().map_or(0, |top| self.0.len() * 32 - top.leading_zeros() as usize)
    }

    fn multiply_add(&mut self, factor: u32, summand: u32) {
        let mut carry = u64::from(summand);
        for limb in &mut self.0 {
            let product = u64::from(*limb) * u64::from(factor) + carry;
            *limb = product as u32;
            carry = product >> 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    /// Divides in place; answers the remainder.
    fn divide(&mut self, divisor: u32) -> u32 {
        let mut rest = 0u64;
        for limb in self.0.iter_mut().rev() {
            let part = rest << 32 | u64::from(*limb);
            *limb = (part / u64::from(divisor)) as u32;
            rest = part % u64::from(divisor);
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        rest as u32
    }

    pub(super) fn multiply_by_power_of_ten(&mut self, power: u32) {
        for _ in 0..power / CHUNK_DIGITS {
            self.multiply_add(CHUNK, 0);
        }
        self.multiply_add(10u32.pow(power % CHUNK_DIGITS), 0);
    }

    /// Divides in place; says whether there was a remainder.
    pub(super) fn divide_by_power_of_ten(&mut self, power: u32) -> bool {
        let mut inexact = self.divide(10u32.pow(power % CHUNK_DIGITS)) != 0;
        for _ in 0..power / CHUNK_DIGITS {
            inexact |= self.divide(CHUNK) != 0;
        }
        inexact
    }

    pub(super) fn shift_left(&mut self, bits: usize) {
        if self.is_zero() {
            return;
        }
        self.multiply_add(1 << (bits % 32), 0);
        self.0.splice(0..0, std::iter::repeat_n(0, bits / 32));
    }

    /// The highest 128 bits (all of them if there are no more), how many bits lie below, and whether any of those is
    /// set.
    pub(super) fn top(&self) -> (u128, usize, bool) {
        let below = self.bits().saturating_sub(128);
        let (skip, shift) = (below / 32, below % 32);
        let mut value = 0u128;
        for (i, &limb) in self.0[skip..].iter().enumerate() {
            let limb = u128::from(limb);
            value |= if i == 0 { limb >> shift } else { limb << (i * 32 - shift) };
        }
        let lost = self.0[..skip].iter().any(|&limb| limb != 0) || shift > 0 && self.0[skip] << (32 - shift) != 0;
        (value, below, lost)
    }

    /// The decimal digits; of zero, `0`.
    pub(super) fn into_digits(mut self) -> Vec<u8> {
        if self.is_zero() {
            return b"0".to_vec();
        }
        // Lowest digit first, turned round at the end.
        let mut digits = Vec::with_capacity(self.bits() / 3 + 1);
        while !self.is_zero() {
            let mut chunk = self.divide(CHUNK);
            for _ in 0..CHUNK_DIGITS {
                digits.push(b'0' + (chunk % 10) as u8);
                chunk /= 10;
            }
        }
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        digits.reverse();
        digits
    }
}

impl From<u64> for Big {
    fn from(value: u64) -> Self {
        let mut limbs = vec![value as u32, (value >> 32) as u32];
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
        Self(limbs)
    }
}

/// `value` / 2^`shift`, rounded to nearest, ties to even; `sticky` says that the true value lies a little above
/// `value`. A negative `shift` multiplies, and must then fit.
pub(super) fn shift_rounded(value: u128, shift: i64, sticky: bool) -> u128 {
    match shift {
        ..=0 => {
            debug_assert!(!sticky && -shift <= i64::from(value.leading_zeros()));
            value << -shift
        }
        1..=127 => {
            let (quotient, rest, half) = (value >> shift, value & ((1 << shift) - 1), 1u128 << (shift - 1));
            let up = rest > half || rest == half && (sticky || quotient & 1 == 1);
            quotient + u128::from(up)
        }
        128 => u128::from(value > 1 << 127 || value == 1 << 127 && sticky),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ties_go_to_even() {
        assert_eq!(shift_rounded(5, 1, false), 2);
        assert_eq!(shift_rounded(7, 1, false), 4);
        assert_eq!(shift_rounded(5, 1, true), 3);
        assert_eq!(shift_rounded(1 << 127, 128, false), 0);
        assert_eq!(shift_rounded(1 << 127, 128, true), 1);
        assert_eq!(shift_rounded(3, -2, false), 12);
    }

    proptest! {
        #[test]
        fn digits_survive_the_round_trip(digits in "[1-9][0-9]{0,120}") {
            let big = Big::from_digits(digits.bytes());
            prop_assert_eq!(big.into_digits(), digits.into_bytes());
        }

        #[test]
        fn shifts_and_powers_agree_with_u128(value in any::<u64>(), shift in 0..64usize, power in 0..19u32) {
            let wide = u128::from(value) << shift;
            let mut big = Big::from(value);
            big.shift_left(shift);
            prop_assert_eq!(big.top(), (wide, 0, false));
            prop_assert_eq!(big.bits(), 128 - wide.leading_zeros() as usize);
            let inexact = big.divide_by_power_of_ten(power);
            prop_assert_eq!(big.top().0, wide / 10u128.pow(power));
            prop_assert_eq!(inexact, wide % 10u128.pow(power) != 0);
            let mut big = Big::from(value);
            big.multiply_by_power_of_ten(power);
            prop_assert_eq!(big.top(), (u128::from(value) * 10u128.pow(power), 0, false));
        }

        #[test]
        fn top_keeps_the_highest_bits(value in 1..u64::MAX, shift in 0..300usize) {
            let mut big = Big::from(value);
            big.shift_left(shift);
            let (top, below, lost) = big.top();
            let bits = 64 - value.leading_zeros() as usize + shift;
            prop_assert_eq!(below, bits.saturating_sub(128));
            prop_assert!(!lost);
            prop_assert_eq!(top, u128::from(value) << (shift - below));
            big.multiply_add(1, 1);
            prop_assert_eq!(big.top().2, below > 0);
        }
    }
}
