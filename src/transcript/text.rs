//! The notation of transcripts: how requests are split and replies are written. Shared by the transcripts of commands
//! and by the case player of the integration tests.

/// Splits as the player of the shared cases does.
pub(crate) fn split(text: &str) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(&first) = chars.peek() {
        if first.is_whitespace() {
            chars.next();
            continue;
        }
        let mut word = Vec::new();
        let quote = matches!(first, '"' | '\'').then_some(first);
        if quote.is_some() {
            chars.next();
        }
        while let Some(c) = chars.next_if(|c| quote.map_or(!c.is_whitespace(), |quote| *c != quote)) {
            match c {
                '\\' if quote == Some('"') => word.extend(unescape(&mut chars)),
                c => word.extend(c.to_string().bytes()),
            }
        }
        if quote.is_some() {
            assert!(chars.next().is_some(), "an open quote in: {text}");
        }
        words.push(word);
    }
    words
}

fn unescape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Vec<u8> {
    match chars.next().expect("something is escaped") {
        'n' => b"\n".to_vec(),
        'r' => b"\r".to_vec(),
        't' => b"\t".to_vec(),
        'x' => {
            let digits: String = chars.by_ref().take(2).collect();
            vec![u8::from_str_radix(&digits, 16).expect("two hex digits")]
        }
        c => c.to_string().into_bytes(),
    }
}

/// One reply as text, and the bytes it took; `None` while it is not whole.
pub(crate) fn read(bytes: &[u8]) -> Option<(String, usize)> {
    let end = bytes.windows(2).position(|pair| pair == b"\r\n")?;
    let (kind, head) = (bytes[0], String::from_utf8_lossy(&bytes[1..end]).into_owned());
    let mut used = end + 2;
    let count = head.parse::<i64>().ok();
    let mut items = |count: i64| -> Option<Vec<String>> {
        (0..count)
            .map(|_| {
                let (text, more) = read(bytes.get(used..)?)?;
                used += more;
                Some(text)
            })
            .collect()
    };
    let text = match (kind, count) {
        (b'$' | b'=', Some(..0)) | (b'_', _) => "nil".to_owned(),
        (b'*', Some(..0)) => "*nil".to_owned(),
        (b'$' | b'=' | b'!', Some(len)) => {
            let bulk = bytes.get(used..used + len as usize)?;
            bytes.get(used + len as usize + 1)?;
            let mut shown = String::new();
            quote(bulk, &mut shown);
            used += len as usize + 2;
            shown
        }
        (b'*', Some(count)) => format!("[{}]", items(count)?.join(", ")),
        (b'>' | b'~', Some(count)) => format!("{}[{}]", char::from(kind), items(count)?.join(", ")),
        (b'%', Some(count)) => {
            let flat = items(count * 2)?;
            let pairs: Vec<String> = flat.chunks(2).map(|pair| format!("{}: {}", pair[0], pair[1])).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        _ => format!("{}{head}", char::from(kind)),
    };
    Some((text, used))
}

fn quote(bytes: &[u8], into: &mut String) {
    into.push('"');
    for &byte in bytes {
        match byte {
            b'"' => into.push_str("\\\""),
            b'\\' => into.push_str("\\\\"),
            b'\r' => into.push_str("\\r"),
            b'\n' => into.push_str("\\n"),
            b' '..=b'~' => into.push(char::from(byte)),
            _ => into.push_str(&format!("\\x{byte:02x}")),
        }
    }
    into.push('"');
}
