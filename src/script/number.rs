//! Numbers as text, the way C prints them.

use std::ffi::CStr;

use nix::libc;

/// Longest text that [`print()`] makes.
pub(super) const LONGEST: usize = 40;

/// Writes `number` as `%.{digits}g` would and returns the text. Whole numbers of up to 15 digits take a short cut.
pub(super) fn print(buffer: &mut [u8; LONGEST], number: f64, digits: i32) -> &[u8] {
    if number.fract() == 0.0 && number.abs() < 1e14 && digits >= 14 && (number != 0.0 || number.is_sign_positive()) {
        let mut text = itoa::Buffer::new();
        let text = text.format(number as i64).as_bytes();
        buffer[..text.len()].copy_from_slice(text);
        return &buffer[..text.len()];
    }
    // SAFETY: the length is passed along, and at most 17 digits, a sign, a point and an exponent fit in it.
    let len = unsafe { libc::snprintf(buffer.as_mut_ptr().cast(), LONGEST, FORMAT.as_ptr(), digits, number) };
    &buffer[..(len.max(0) as usize).min(LONGEST - 1)]
}

const FORMAT: &CStr = c"%.*g";

/// What a C cast from `double` to `long long` gives on x86-64: out of range and NaN become the smallest integer.
pub(super) fn to_integer(number: f64) -> i64 {
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number) { number as i64 } else { i64::MIN }
}
