//! The first line of a script: `#!lua flags=no-writes,allow-stale`.

use bitflags::bitflags;

bitflags! {
    /// What a script declares about itself.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Flags: u8 {
        /// It may not write.
        const NO_WRITES = 1;
        /// It runs although memory is short.
        const ALLOW_OOM = 2;
        /// It runs on a replica that lost its master.
        const ALLOW_STALE = 4;
        /// It does not run in a cluster.
        const NO_CLUSTER = 8;
        /// It may touch keys of several slots.
        const ALLOW_CROSS_SLOT_KEYS = 16;
        /// It has no shebang: Redis infers its limits from the commands it runs, as before 7.0.
        const COMPAT = 32;
    }
}

/// Splits a script into its flags and the part that is Lua. That part keeps the line end, so line numbers stay right.
/// The error is a reply's text.
pub(super) fn parse(source: &[u8]) -> Result<(Flags, &[u8]), Vec<u8>> {
    if !source.starts_with(b"#!") {
        return Ok((Flags::COMPAT, source));
    }
    let Some(end) = source.iter().position(|&byte| byte == b'\n') else {
        return Err(b"ERR Invalid script shebang".to_vec());
    };
    let words = split(&source[..end]).filter(|words| !words.is_empty());
    let Some(words) = words else { return Err(b"ERR Invalid engine in script shebang".to_vec()) };
    if words[0] != b"#!lua" {
        return Err([b"ERR Unexpected engine in script shebang: ", words[0].as_slice()].concat());
    }
    let mut flags = Flags::empty();
    for word in &words[1..] {
        let Some(list) = word.strip_prefix(b"flags=") else {
            return Err([b"ERR Unknown lua shebang option: ", word.as_slice()].concat());
        };
        for name in list.split(|&byte| byte == b',').filter(|_| !list.is_empty()) {
            flags |= match name {
                b"no-writes" => Flags::NO_WRITES,
                b"allow-oom" => Flags::ALLOW_OOM,
                b"allow-stale" => Flags::ALLOW_STALE,
                b"no-cluster" => Flags::NO_CLUSTER,
                b"allow-cross-slot-keys" => Flags::ALLOW_CROSS_SLOT_KEYS,
                _ => return Err([b"ERR Unexpected flag in script shebang: ", name].concat()),
            };
        }
    }
    Ok((flags, &source[end..]))
}

/// Words of a line, with quotes as in a configuration file; `None` when a quote is not closed or not followed by space.
fn split(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut words = Vec::new();
    let mut rest = line.trim_ascii_start();
    while !rest.is_empty() {
        let mut word = Vec::new();
        let mut quote = None;
        loop {
            let Some((&byte, tail)) = rest.split_first() else {
                if quote.is_some() {
                    return None;
                }
                break;
            };
            if quote.is_none() && byte.is_ascii_whitespace() {
                break;
            }
            rest = tail;
            match (quote, byte) {
                (None, b'"' | b'\'') => quote = Some(byte),
                (Some(open), _) if open == byte => {
                    if rest.first().is_some_and(|next| !next.is_ascii_whitespace()) {
                        return None;
                    }
                    quote = None;
                }
                _ => word.push(byte),
            }
        }
        words.push(word);
        rest = rest.trim_ascii_start();
    }
    Some(words)
}
