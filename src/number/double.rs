//! `double`: scores and their bounds.

use std::ops::Deref;

use super::big::shift_rounded;
use super::{is_space, split_sign, until_nul};

/// A floating point argument as Redis 7.0.15 takes it: what C's `strtod` reads to the last byte without leading space,
/// hexadecimal and `[+-]inf[inity]` included, but no NaN, nothing that overflows and nothing but zero that becomes
/// zero.
pub fn parse_double(text: &[u8]) -> Option<f64> {
    read_double(text).filter(|read| !read.out_of_range).map(|read| read.value)
}

/// One end of a range of scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// The score; never NaN.
    pub value: f64,
    /// Whether the score itself is outside (written with a leading parenthesis).
    pub exclusive: bool,
}

/// A range bound as in ZRANGEBYSCORE. Laxer than [`parse_double`], as in Redis: leading space is skipped, nothing is 0,
/// too large is infinite, too small is 0, and a NUL byte ends the text.
pub fn parse_bound(text: &[u8]) -> Option<Bound> {
    let (exclusive, text) = match text {
        [b'(', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let text = until_nul(text);
    if text.is_empty() {
        return Some(Bound { value: 0.0, exclusive });
    }
    let blank = text.iter().take_while(|&&byte| is_space(byte)).count();
    read_double(&text[blank..]).map(|read| Bound { value: read.value, exclusive })
}

struct Read {
    value: f64,
    /// What C reports as ERANGE with a result of infinity or zero.
    out_of_range: bool,
}

fn read_double(text: &[u8]) -> Option<Read> {
    let (negative, body) = split_sign(text);
    if let Some(hex) = Hex::read(body) {
        let value = hex?.to_double();
        let out_of_range = value.is_infinite() || value == 0.0 && !hex?.is_zero();
        return Some(Read { value: if negative { -value } else { value }, out_of_range });
    }
    let value: f64 = std::str::from_utf8(text).ok()?.parse().ok().filter(|value: &f64| !value.is_nan())?;
    let finite = matches!(body.first(), Some(b'0'..=b'9' | b'.'));
    let out_of_range = finite && (value.is_infinite() || value == 0.0 && !is_zero(body));
    Some(Read { value, out_of_range })
}

/// Whether an unsigned decimal floating point text has no digit but 0 before its exponent.
fn is_zero(body: &[u8]) -> bool {
    body.iter().take_while(|byte| !matches!(byte, b'e' | b'E')).all(|byte| matches!(byte, b'0' | b'.'))
}

/// A hexadecimal floating point text without sign: (`mantissa`, and a little more if `sticky`) times 2^`exponent`.
/// Invariant: `sticky` implies a mantissa of more than 112 bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hex {
    pub(super) mantissa: u128,
    pub(super) sticky: bool,
    pub(super) exponent: i64,
}

impl Hex {
    /// `None` if the text is not hexadecimal, `Some(None)` if it tries to be and fails.
    pub(super) fn read(body: &[u8]) -> Option<Option<Self>> {
        match body {
            [b'0', b'x' | b'X', rest @ ..] => Some(Self::read_digits(rest)),
            _ => None,
        }
    }

    fn read_digits(text: &[u8]) -> Option<Self> {
        let mut hex = Self { mantissa: 0, sticky: false, exponent: 0 };
        let (mut digits, mut point) = (0, false);
        for (at, &byte) in text.iter().enumerate() {
            let digit = match byte {
                b'.' if !point => {
                    point = true;
                    continue;
                }
                b'p' | b'P' => {
                    hex.exponent = hex.exponent.saturating_add(read_exponent(&text[at + 1..])?);
                    break;
                }
                _ => char::from(byte).to_digit(16)?,
            };
            digits += 1;
            let full = hex.mantissa >> 116 != 0;
            if full {
                hex.sticky |= digit != 0;
            } else {
                hex.mantissa = hex.mantissa << 4 | u128::from(digit);
            }
            hex.exponent += 4 * (i64::from(full) - i64::from(point));
        }
        (digits > 0).then_some(hex)
    }

    pub(super) fn is_zero(&self) -> bool {
        self.mantissa == 0
    }

    /// Rounded to nearest, ties to even.
    fn to_double(self) -> f64 {
        if self.is_zero() {
            return 0.0;
        }
        let bits = 128 - i64::from(self.mantissa.leading_zeros());
        // Exponent of the last place: that of the 53rd bit, or of the smallest number there is.
        let last = self.exponent.saturating_add(bits - 53).max(-1074);
        if last > 971 {
            return f64::INFINITY;
        }
        let places = shift_rounded(self.mantissa, last.saturating_sub(self.exponent), self.sticky) as u64;
        // The implicit bit of a normal number carries into the exponent by itself.
        f64::from_bits((((last + 1074) as u64) << 52) + places)
    }
}

/// An exponent, saturated; `None` unless it is digits to the end behind an optional sign.
pub(super) fn read_exponent(text: &[u8]) -> Option<i64> {
    let (negative, digits) = split_sign(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let exponent = digits.iter().fold(0i64, |sum, digit| (sum * 10 + i64::from(digit - b'0')).min(1 << 40));
    Some(if negative { -exponent } else { exponent })
}

/// A printed `double`, on the stack.
#[derive(Clone, Copy)]
pub struct DoubleText {
    bytes: [u8; 32],
    len: usize,
}

impl DoubleText {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }
}

impl Deref for DoubleText {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl std::fmt::Debug for DoubleText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.escape_ascii().fmt(f)
    }
}

impl std::io::Write for DoubleText {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.push(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Prints as C's `%.17g`, which is how Redis 7.0 prints scores: 0.1 is `0.10000000000000001`. The sign of zero and of
/// NaN shows (`-0`, `-nan`).
pub fn format_double(value: f64) -> DoubleText {
    let mut text = DoubleText { bytes: [0; 32], len: 0 };
    if value.is_sign_negative() {
        text.push(b"-");
    }
    let size = value.abs();
    if size.is_nan() {
        text.push(b"nan");
    } else if size.is_infinite() {
        text.push(b"inf");
    } else if size < 1e17 && size.trunc() == size {
        text.push(itoa::Buffer::new().format(size as u64).as_bytes());
    } else {
        push_digits(size, &mut text);
    }
    text
}

/// The general case: 17 digits, rounded exactly, then laid out.
fn push_digits(size: f64, text: &mut DoubleText) {
    use std::io::Write;
    let mut printed = DoubleText { bytes: [0; 32], len: 0 };
    write!(printed, "{size:.16e}").expect("writing to memory cannot fail");
    let split = printed.iter().position(|&byte| byte == b'e').expect("scientific notation");
    let exponent = read_exponent(&printed[split + 1..]).expect("an exponent");
    let mut digits = [0; 17];
    digits[0] = printed[0];
    digits[1..].copy_from_slice(&printed[2..split]);
    let last = digits.iter().rposition(|&digit| digit != b'0').expect("zero is printed elsewhere");
    let digits = &digits[..=last];
    match exponent {
        0..17 => {
            // No integer comes here, so there are more digits than the integer part has.
            let (whole, fraction) = digits.split_at(digits.len().min(exponent as usize + 1));
            text.push(whole);
            text.push(b".");
            text.push(fraction);
        }
        -4..0 => {
            text.push(&b"0.000"[..(1 - exponent) as usize]);
            text.push(digits);
        }
        _ => {
            text.push(&digits[..1]);
            if digits.len() > 1 {
                text.push(b".");
                text.push(&digits[1..]);
            }
            let sign = if exponent < 0 { '-' } else { '+' };
            write!(text, "e{sign}{:02}", exponent.unsigned_abs()).expect("writing to memory cannot fail");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn printed(value: f64) -> String {
        String::from_utf8(format_double(value).to_vec()).expect("ASCII")
    }

    #[test]
    fn doubles_are_read_as_redis_reads_them() {
        for (text, value) in [
            ("+1", 1.0),
            ("1.", 1.0),
            (".5", 0.5),
            ("+.5e1", 5.0),
            ("1E2", 100.0),
            ("-0", 0.0),
            ("0e99999", 0.0),
            ("inf", f64::INFINITY),
            ("+inf", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            ("4e-324", 5e-324),
            ("1e-310", 1e-310),
            ("0x10", 16.0),
            ("-0x1", -1.0),
            ("0x1.8", 1.5),
            ("0x.8p1", 1.0),
            ("0X1P+2", 4.0),
            ("0x1p-1074", 5e-324),
            ("0x1.8p-1074", 1e-323),
            ("0x1.00000000000008", 1.0),
            ("0x1.0000000000000800001", 1.0 + f64::EPSILON),
            ("0x1.0000000000000800000000000000000000000001", 1.0 + f64::EPSILON),
            ("0x1.00000000000018", 1.0 + 2.0 * f64::EPSILON),
            ("0x1.fffffffffffffp1023", f64::MAX),
            ("0x0000000000000000000000000000000000000000000000001", 1.0),
        ] {
            assert_eq!(parse_double(text.as_bytes()), Some(value), "{text}");
        }
    }

    #[test]
    fn what_redis_refuses_as_a_double_is_refused() {
        for text in [
            "",
            " 1",
            "1 ",
            "infin",
            "nan",
            "-nan",
            "nan(1)",
            "0x",
            "0xp1",
            "0x1p",
            "0x1p1x",
            "1e400",
            "-1e400",
            "1e-400",
            "2e-324",
            ".",
            "1e",
            "1e+",
            "1\0",
            "1d",
            "1_0",
            "1e99999999999999999999",
            "0x1p1024",
            "0x1p-1075",
            "--1",
            "+",
            "0x1.fffffffffffff8p1023",
            "0x1p99999999999999999999",
            "0x1p-99999999999999999999",
            "0x1.2.3",
            "e5",
        ] {
            assert_eq!(parse_double(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn bounds_are_laxer_than_doubles() {
        let bound = |text: &str| parse_bound(text.as_bytes()).map(|bound| (bound.value, bound.exclusive));
        assert_eq!(bound("1.5"), Some((1.5, false)));
        assert_eq!(bound("(1.5"), Some((1.5, true)));
        assert_eq!(bound("-inf"), Some((f64::NEG_INFINITY, false)));
        assert_eq!(bound("(+inf"), Some((f64::INFINITY, true)));
        assert_eq!(bound(" 1"), Some((1.0, false)));
        assert_eq!(bound(""), Some((0.0, false)));
        assert_eq!(bound("("), Some((0.0, true)));
        assert_eq!(bound("1\0x"), Some((1.0, false)));
        assert_eq!(bound("1e400"), Some((f64::INFINITY, false)));
        assert_eq!(bound("1e-400"), Some((0.0, false)));
        for text in ["1 ", "nan", "((1", "infin", " ", "0x", "abc", "[1"] {
            assert_eq!(bound(text), None, "{text:?}");
        }
    }

    #[test]
    fn doubles_are_printed_as_redis_prints_them() {
        for (value, text) in [
            (0.1, "0.10000000000000001"),
            (0.3, "0.29999999999999999"),
            (3.0, "3"),
            (0.0, "0"),
            (-0.0, "-0"),
            (-1.5, "-1.5"),
            (2f64.powi(50) + 0.25, "1125899906842624.2"),
            (2f64.powi(50) + 0.75, "1125899906842624.8"),
            (1e16, "10000000000000000"),
            (12345678901234567.0, "12345678901234568"),
            (1e17, "1e+17"),
            (123456789012345678.0, "1.2345678901234568e+17"),
            (1e100, "1e+100"),
            (0.0001, "0.0001"),
            (0.001, "0.001"),
            (1e-5, "1.0000000000000001e-05"),
            (5e-324, "4.9406564584124654e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(printed(value), text);
        }
    }

    proptest! {
        #[test]
        fn doubles_survive_the_round_trip(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(!value.is_nan());
            prop_assert_eq!(parse_double(printed(value).as_bytes()), Some(value));
        }

        #[test]
        fn hexadecimal_doubles_are_exact(bits in any::<u64>()) {
            let value = f64::from_bits(bits & !(1 << 63));
            prop_assume!(value.is_finite());
            let (exponent, fraction) = (bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
            let text = match exponent {
                0 => format!("0x0.{fraction:013x}p-1022"),
                _ => format!("0x1.{fraction:013x}p{}", exponent as i64 - 1023),
            };
            prop_assert_eq!(parse_double(text.as_bytes()), Some(value));
        }
    }
}
