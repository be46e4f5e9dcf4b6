//! Glob patterns as Redis 7.0.15 matches them: KEYS, SCAN, PSUBSCRIBE, CONFIG GET, ACL. Knows only bytes.

/// Whether `pattern` matches all of `text`. `*` is any bytes, `?` one byte, `[a-c]` and `[^a-c]` one byte of a class,
/// `\x` the byte x.
///
/// Redis's corner cases are kept: empty text is matched by the empty pattern only, not by `*`; a class may lack its
/// `]`; `]` and `-` cannot be made members by their place (`[]a]` is the empty class, then `a]`); in `[a-]` the range
/// runs from `a` to `]`; ranges may be written backwards, and compare bytes as signed (`[\x01-\xff]` is -1 to 1).
///
/// Time is at most the product of the lengths, where Redis backtracks on each star.
pub fn matches(pattern: &[u8], text: &[u8]) -> bool {
    walk(pattern, text, |byte| byte)
}

/// As [`matches()`], with ASCII letters of either case equal. As in Redis, an escaped member of a class (`[\a]`) keeps
/// its case, and a range is put in order before its ends are lowered.
pub fn matches_nocase(pattern: &[u8], text: &[u8]) -> bool {
    walk(pattern, text, |byte| byte.to_ascii_lowercase())
}

fn walk(pattern: &[u8], text: &[u8], fold: impl Fn(u8) -> u8) -> bool {
    if text.is_empty() {
        return pattern.is_empty();
    }
    let (mut at, mut read) = (0, 0);
    // Where to take up again after the last star, and the text that it has not swallowed. Earlier stars need no second
    // thought: what they could reach by swallowing more, the last one reaches as well.
    let mut star: Option<(usize, usize)> = None;
    while let Some(&byte) = text.get(read) {
        if pattern.get(at) == Some(&b'*') {
            at += pattern[at..].iter().take_while(|&&byte| byte == b'*').count();
            if at == pattern.len() {
                return true;
            }
            star = Some((at, read));
        } else if let Some(next) = take_one(pattern, at, byte, &fold) {
            (at, read) = (next, read + 1);
        } else if let Some((resume, swallowed)) = &mut star {
            *swallowed += 1;
            (at, read) = (*resume, *swallowed);
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|&byte| byte == b'*')
}

/// If what stands at `at`, not a star, matches `byte`: where the pattern goes on.
#[inline]
fn take_one(pattern: &[u8], at: usize, byte: u8, fold: &impl Fn(u8) -> u8) -> Option<usize> {
    let (matched, next) = match pattern.get(at)? {
        b'?' => (true, at + 1),
        b'[' => class(pattern, at + 1, byte, fold),
        b'\\' if at + 1 < pattern.len() => (fold(pattern[at + 1]) == fold(byte), at + 2),
        literal => (fold(*literal) == fold(byte), at + 1),
    };
    matched.then_some(next)
}

/// Whether `byte` is in the class whose inside starts at `at`, and where the pattern goes on behind the class.
fn class(pattern: &[u8], mut at: usize, byte: u8, fold: &impl Fn(u8) -> u8) -> (bool, usize) {
    let negated = pattern.get(at) == Some(&b'^');
    at += usize::from(negated);
    let mut member = false;
    loop {
        match &pattern[at..] {
            [] => return (member != negated, at),
            [b'\\', escaped, ..] => {
                member |= *escaped == byte;
                at += 2;
            }
            [b']', ..] => return (member != negated, at + 1),
            [first, b'-', last, ..] => {
                let (first, last) = (*first as i8, *last as i8);
                let signed = |byte: i8| fold(byte as u8) as i8;
                let (low, high) = (signed(first.min(last)), signed(first.max(last)));
                member |= (low..=high).contains(&signed(byte as i8));
                at += 3;
            }
            [literal, ..] => {
                member |= fold(*literal) == fold(byte);
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Words of the recorded tables: `%` alone is nothing, `%xx` a byte.
    fn unescape(word: &str) -> Vec<u8> {
        let mut parts = word.split('%');
        let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
        for part in parts.filter(|part| !part.is_empty()) {
            bytes.push(u8::from_str_radix(&part[..2], 16).expect("two hexadecimal digits"));
            bytes.extend_from_slice(&part.as_bytes()[2..]);
        }
        bytes
    }

    #[test]
    fn patterns_match_what_redis_matches() {
        for line in include_str!("glob/matches.txt").lines() {
            let [pattern, text, expected] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("bad line: {line}") };
            assert_eq!(matches(&unescape(pattern), &unescape(text)), expected == "1", "{line}");
        }
    }

    #[test]
    fn patterns_match_what_redis_matches_in_either_case() {
        for line in include_str!("glob/matches_nocase.txt").lines() {
            let [pattern, text, expected] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("bad line: {line}") };
            assert_eq!(matches_nocase(&unescape(pattern), &unescape(text)), expected == "1", "{line}");
        }
    }

    #[test]
    fn many_stars_take_no_exponential_time() {
        let pattern = b"a*".repeat(2_000);
        let text = b"a".repeat(20_000);
        assert!(matches(&pattern, &text));
        assert!(!matches(&[&pattern[..], b"b"].concat(), &text));
    }

    proptest! {
        #[test]
        fn any_pattern_is_matched_without_panic(pattern: Vec<u8>, text: Vec<u8>) {
            matches(&pattern, &text);
            matches_nocase(&pattern, &text);
        }

        #[test]
        fn an_escaped_text_matches_itself_alone(text in prop::collection::vec(any::<u8>(), 1..20), other: Vec<u8>) {
            let pattern: Vec<u8> = text.iter().flat_map(|&byte| [b'\\', byte]).collect();
            prop_assert!(matches(&pattern, &text));
            prop_assert_eq!(matches(&pattern, &other), other == text);
        }
    }
}
