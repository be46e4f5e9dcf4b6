//! Splitting a line into words as Redis does for inline commands, `redis.conf` and the like, and quoting a word so that
//! it comes back. Knows no request.

use std::ops::Range;

/// Splits `line` into words, appending their bytes to `bytes` and the place of each in `bytes` to `words`.
///
/// The rules of Redis 7.0.15: words are separated by white space; a word may have parts in double quotes, where `\n`,
/// `\r`, `\t`, `\b`, `\a` and `\xHH` are escapes and any other `\c` is `c`, or in single quotes, where only `\'` is
/// one; a closing quote ends the word. Answers `false`, with some words appended, if a quote stays open or is followed
/// by anything but white space. Vertical tab and form feed separate words only in front of a word.
pub fn split_quoted(line: &[u8], bytes: &mut Vec<u8>, words: &mut Vec<Range<usize>>) -> bool {
    let mut rest = line;
    loop {
        let blank = rest.iter().take_while(|&&byte| is_space(byte)).count();
        rest = &rest[blank..];
        if rest.is_empty() {
            return true;
        }
        let start = bytes.len();
        match take_word(rest, bytes) {
            Some(used) => rest = &rest[used..],
            None => return false,
        }
        words.push(start..bytes.len());
    }
}

/// Writes `word` in double quotes, with the escapes that [`split_quoted`] reads (Redis's sdscatrepr). The text is
/// ASCII.
pub fn quote(word: &[u8], into: &mut String) {
    into.push('"');
    for &byte in word {
        match byte {
            b'"' | b'\\' => into.extend(['\\', char::from(byte)]),
            b'\n' => into.push_str("\\n"),
            b'\r' => into.push_str("\\r"),
            b'\t' => into.push_str("\\t"),
            0x07 => into.push_str("\\a"),
            0x08 => into.push_str("\\b"),
            b' '..=b'~' => into.push(char::from(byte)),
            _ => into.push_str(&format!("\\x{byte:02x}")),
        }
    }
    into.push('"');
}

/// Appends the word at the head of `text`; says how many bytes it took, or `None` on unbalanced quotes.
fn take_word(text: &[u8], bytes: &mut Vec<u8>) -> Option<usize> {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => break,
            b'"' | b'\'' => {
                at += 1 + take_quoted(&text[at + 1..], byte, bytes)?;
                return text.get(at).is_none_or(|&next| is_space(next)).then_some(at);
            }
            _ => {
                bytes.push(byte);
                at += 1;
            }
        }
    }
    Some(at)
}

/// Appends what stands before the closing `quote`; says how many bytes that took, the quote included.
fn take_quoted(text: &[u8], quote: u8, bytes: &mut Vec<u8>) -> Option<usize> {
    let mut at = 0;
    loop {
        let (byte, used) = match (quote, &text[at..]) {
            (_, []) => return None,
            (_, [first, ..]) if *first == quote => return Some(at + 1),
            (b'"', [b'\\', b'x', high, low, ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                (hex(*high) << 4 | hex(*low), 4)
            }
            (b'"', [b'\\', escaped, ..]) => (unescape(*escaped), 2),
            (b'\'', [b'\\', b'\'', ..]) => (b'\'', 2),
            (_, [other, ..]) => (*other, 1),
        };
        bytes.push(byte);
        at += used;
    }
}

fn unescape(letter: u8) -> u8 {
    match letter {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 8,
        b'a' => 7,
        other => other,
    }
}

fn hex(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &[u8]) -> Option<Vec<Vec<u8>>> {
        let (mut bytes, mut words) = (Vec::new(), Vec::new());
        split_quoted(line, &mut bytes, &mut words)
            .then(|| words.into_iter().map(|place| bytes[place].to_vec()).collect())
    }

    fn words(list: &[&[u8]]) -> Option<Vec<Vec<u8>>> {
        Some(list.iter().map(|word| word.to_vec()).collect())
    }

    #[test]
    fn words_split_as_in_redis() {
        assert_eq!(split(b""), words(&[]));
        assert_eq!(split(b" \t\x0b\x0c\r "), words(&[]));
        assert_eq!(split(b"ping \"a b\""), words(&[b"ping", b"a b"]));
        assert_eq!(split(b"ping 'a\\'b'"), words(&[b"ping", b"a'b"]));
        assert_eq!(split(br#"ping "\x41\n\r\t\b\a\q\xZZ\x4""#), words(&[b"ping", b"A\n\r\t\x08\x07qxZZx4"]));
        assert_eq!(split(b"ping 'a\\nb'"), words(&[b"ping", b"a\\nb"]));
        assert_eq!(split(b"ping a\"b\""), words(&[b"ping", b"ab"]));
        assert_eq!(split(b"ping a\"\""), words(&[b"ping", b"a"]));
        assert_eq!(split(b"ping '' \"\""), words(&[b"ping", b"", b""]));
        assert_eq!(split(b"ping \x0bab\x0c"), words(&[b"ping", b"ab\x0c"]));
        assert_eq!(split(b"ping a\rb"), words(&[b"ping", b"a", b"b"]));
        assert_eq!(split(b"ping \\x41"), words(&[b"ping", b"\\x41"]));
        assert_eq!(split(b"ping \"a'b\""), words(&[b"ping", b"a'b"]));
        assert_eq!(split(b"ping \xff\xfe"), words(&[b"ping", b"\xff\xfe"]));
    }

    #[test]
    fn a_quoted_word_comes_back() {
        let every_byte: Vec<u8> = (0..=255).collect();
        let mut text = String::new();
        quote(&every_byte, &mut text);
        assert_eq!(split(text.as_bytes()), words(&[&every_byte]));
    }

    #[test]
    fn unbalanced_quotes_are_refused() {
        for line in [&b"ping \"a"[..], b"ping \"a\"b", b"ping \"a\\\"", b"ping \"\\", b"ping a\"b c", b"'a", b"'a\\'"] {
            assert_eq!(split(line), None, "{line:?}");
        }
    }
}
