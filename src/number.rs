//! Text to number and back, by the rules of Redis 7.0.15 on x86-64 Linux. Knows no replies and no error texts.

mod big;
mod double;
mod long_double;

pub use double::{Bound, DoubleText, format_double, parse_bound, parse_double};
pub use long_double::LongDouble;

/// An integer as Redis takes it in arguments and stored values: decimal, no sign but `-`, no leading zero, no `-0`, no
/// space, within 64 bits. So there is one spelling for each integer.
#[inline]
pub fn parse_int(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [digit @ b'0'..=b'9'] => return Some(i64::from(digit - b'0')),
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    // 19 digits fit a u64 whatever they are.
    if !matches!(digits.first(), Some(b'1'..=b'9')) || digits.len() > 19 {
        return None;
    }
    let mut value = 0u64;
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    if negative { 0i64.checked_sub_unsigned(value) } else { i64::try_from(value).ok() }
}

/// An unsigned integer as Redis takes it in stream ids: C's `strtoull`, so that `+5`, ` 5` and `05` are 5, but a
/// negative number only if it is written as [`parse_int`] would not take it (`-05` is 2^64 - 5).
pub fn parse_unsigned(text: &[u8]) -> Option<u64> {
    match parse_int(text) {
        Some(value) => u64::try_from(value).ok(),
        None => wrapping_unsigned(text),
    }
}

/// The cursor of SCAN and kin: C's `strtoul` without leading space, up to a NUL byte if there is one. `-1` is 2^64 - 1
/// and the empty text 0, as in Redis.
pub fn parse_cursor(text: &[u8]) -> Option<u64> {
    let text = until_nul(text);
    match text.first() {
        None => Some(0),
        Some(&byte) if is_space(byte) => None,
        Some(_) => wrapping_unsigned(text),
    }
}

/// Why a timeout was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutError {
    /// Redis: `timeout is not a float or out of range`.
    NotFloat,
    /// Redis: `timeout is negative`. Redis 7.0.15 says so, too, of timeouts above 2^63 - 1 milliseconds and of `inf`.
    Negative,
}

/// The timeout of a blocking command, given in seconds, as milliseconds rounded up. 0 is for ever: so is `-0.0001`.
/// At most 2^63 - 1, so a deadline computed from it must saturate.
pub fn parse_timeout_ms(text: &[u8]) -> Result<u64, TimeoutError> {
    let seconds = LongDouble::parse(text).ok_or(TimeoutError::NotFloat)?;
    seconds.milliseconds().and_then(|ms| u64::try_from(ms).ok()).ok_or(TimeoutError::Negative)
}

fn wrapping_unsigned(text: &[u8]) -> Option<u64> {
    let text = &text[text.iter().take_while(|&&byte| is_space(byte)).count()..];
    let (negative, digits) = split_sign(text);
    if digits.is_empty() {
        return None;
    }
    let mut value = 0u64;
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    Some(if negative { value.wrapping_neg() } else { value })
}

fn split_sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

fn until_nul(text: &[u8]) -> &[u8] {
    memchr::memchr(0, text).map_or(text, |end| &text[..end])
}

/// C's `isspace`.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn integers_have_one_spelling() {
        for text in ["", "-", "+1", "01", "-0", "-01", " 1", "1 ", "1a", "0x1", "9223372036854775808", "1\0"] {
            assert_eq!(parse_int(text.as_bytes()), None, "{text:?}");
        }
        for text in ["99999999999999999999", "-9223372036854775809", "18446744073709551616", "--1"] {
            assert_eq!(parse_int(text.as_bytes()), None, "{text:?}");
        }
        assert_eq!(parse_int(b"0"), Some(0));
        assert_eq!(parse_int(b"-9223372036854775808"), Some(i64::MIN));
        assert_eq!(parse_int(b"9223372036854775807"), Some(i64::MAX));
    }

    #[test]
    fn unsigned_numbers_are_read_as_c_reads_them() {
        assert_eq!(parse_unsigned(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(parse_unsigned(b"18446744073709551616"), None);
        assert_eq!(parse_unsigned(b"007"), Some(7));
        assert_eq!(parse_unsigned(b" +7"), Some(7));
        assert_eq!(parse_unsigned(b"-1"), None);
        assert_eq!(parse_unsigned(b"-01"), Some(u64::MAX));
        assert_eq!(parse_unsigned(b""), None);
        assert_eq!(parse_unsigned(b"7\0"), None);
    }

    #[test]
    fn cursors_are_read_as_redis_reads_them() {
        for (text, cursor) in [
            (&b"0"[..], Some(0)),
            (b"-1", Some(u64::MAX)),
            (b"+1", Some(1)),
            (b"05", Some(5)),
            (b" 5", None),
            (b"", Some(0)),
            (b"5 ", None),
            (b"18446744073709551615", Some(u64::MAX)),
            (b"18446744073709551616", None),
            (b"-18446744073709551616", None),
            (b"-18446744073709551615", Some(1)),
            (b"0x5", None),
            (b"-", None),
            (b"+-5", None),
            (b"5\0x", Some(5)),
            (b"\n", None),
        ] {
            assert_eq!(parse_cursor(text), cursor, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn timeouts_are_seconds_rounded_up_to_milliseconds() {
        use TimeoutError::*;
        for (text, timeout) in [
            ("0.1", Ok(100)),
            ("0", Ok(0)),
            ("-0", Ok(0)),
            ("1", Ok(1000)),
            ("0.0001", Ok(1)),
            ("1e-30", Ok(1)),
            ("-0.0001", Ok(0)),
            // 0.001 is a little less in binary.
            ("-0.001", Ok(0)),
            ("-0.002", Err(Negative)),
            ("-1", Err(Negative)),
            ("0x10", Ok(16_000)),
            ("9223372036854775.807", Ok(i64::MAX as u64)),
            ("9223372036854775.808", Err(Negative)),
            ("1e300", Err(Negative)),
            ("inf", Err(Negative)),
            ("-inf", Err(Negative)),
            ("nan", Err(NotFloat)),
            ("abc", Err(NotFloat)),
            ("", Err(NotFloat)),
            (" 1", Err(NotFloat)),
        ] {
            assert_eq!(parse_timeout_ms(text.as_bytes()), timeout, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn integers_survive_the_round_trip(value in any::<i64>()) {
            prop_assert_eq!(parse_int(value.to_string().as_bytes()), Some(value));
        }

        #[test]
        fn integers_are_canonical_or_refused(text in "-?[0-9]{0,21}") {
            let canonical = text.parse::<i64>().ok().filter(|value| value.to_string() == text);
            prop_assert_eq!(parse_int(text.as_bytes()), canonical);
        }
    }
}
