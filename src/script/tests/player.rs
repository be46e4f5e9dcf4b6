//! Reads transcripts: `A: COMMAND args`, then `A= reply` as it must be written.

use super::stub::Stub;
use crate::reply::{Reply, Sink, Tree};
use crate::script::{Host, Limits, Sha, Vm};

/// Plays every request of the transcript and compares every reply.
pub(super) fn play(transcript: &str) {
    let mut vm = Vm::new(Limits { version: (7, 0, 15), ..Limits::default() });
    let mut stub = Stub::default();
    let mut resp3 = false;
    let mut told = String::new();
    let mut wrong = Vec::new();
    for line in transcript.lines() {
        if let Some(request) = line.strip_prefix("A: ") {
            let words = split(request);
            let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
            if words[0] == b"HELLO" {
                resp3 = words[1] == b"3";
            }
            told = show(&ask(&mut vm, &mut stub, &words, resp3), resp3);
        } else if let Some(expected) = line.strip_prefix("A= ")
            && told != expected
        {
            wrong.push(format!("expected {expected}\n     got {told}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn ask(vm: &mut Vm, stub: &mut Stub, words: &[&[u8]], resp3: bool) -> Reply {
    let mut tree = Tree::new(resp3);
    match words[0] {
        b"EVAL" | b"EVALSHA" => {
            let script = match words[0] {
                b"EVAL" => vm.load(words[1], false),
                _ => Sha::parse(words[1])
                    .and_then(|sha| vm.find(&sha))
                    .ok_or_else(|| b"NOSCRIPT No matching script. Please use EVAL.".to_vec()),
            };
            let keys: usize = String::from_utf8_lossy(words[2]).parse().expect("a number of keys");
            match script {
                Ok(script) => drop(vm.run(&script, &words[3..3 + keys], &words[3 + keys..], stub, &mut tree)),
                Err(text) => tree.error(&text),
            }
        }
        b"SCRIPT" => match vm.load(words[2], true) {
            Ok(script) => tree.bulk(&script.sha.0),
            Err(text) => tree.error(&text),
        },
        b"HELLO" => tree.status("OK"),
        _ => stub.call(words, &mut tree),
    }
    tree.take().pop().expect("one reply")
}

fn show(reply: &Reply, resp3: bool) -> String {
    let list = |items: &[Reply]| items.iter().map(|item| show(item, resp3)).collect::<Vec<_>>().join(", ");
    match reply {
        Reply::Nil => "nil".into(),
        Reply::NilArray => "*nil".into(),
        Reply::Int(number) => format!(":{number}"),
        Reply::Bulk(bytes) | Reply::BigNumber(bytes) if matches!(reply, Reply::Bulk(_)) || !resp3 => quote(bytes),
        Reply::Bulk(bytes) | Reply::BigNumber(bytes) => format!("({}", String::from_utf8_lossy(bytes)),
        Reply::Status(text) => format!("+{text}"),
        Reply::Error(text) => format!("-{}", text.trim_end_matches(['\r', '\n']).replace(['\r', '\n'], " ")),
        Reply::Double(number) if resp3 => format!(",{number}"),
        Reply::Double(number) => quote(number.to_string().as_bytes()),
        Reply::Boolean(truth) if resp3 => (if *truth { "#t" } else { "#f" }).into(),
        Reply::Boolean(truth) => format!(":{}", i32::from(*truth)),
        Reply::Verbatim(format, bytes) if resp3 => quote(&[format.as_bytes(), b":", bytes].concat()),
        Reply::Verbatim(_, bytes) => quote(bytes),
        Reply::Map(pairs) if resp3 => {
            let shown = |(key, value): &(Reply, Reply)| format!("{}: {}", show(key, true), show(value, true));
            format!("{{{}}}", pairs.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
        Reply::Map(pairs) => {
            let flat: Vec<Reply> = pairs.iter().flat_map(|(key, value)| [key.clone(), value.clone()]).collect();
            format!("[{}]", list(&flat))
        }
        Reply::Set(items) if resp3 => format!("~[{}]", list(items)),
        Reply::Array(items) | Reply::Set(items) | Reply::Push(items) => format!("[{}]", list(items)),
    }
}

fn quote(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes {
        match byte {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            b'\r' => text.push_str("\\r"),
            b'\n' => text.push_str("\\n"),
            32..127 => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    text + "\""
}

fn split(line: &str) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut rest = line.trim_start().as_bytes();
    while let Some(&first) = rest.first() {
        let mut word = Vec::new();
        let mut at = 0;
        if first == b'"' {
            at = 1;
            while rest[at] != b'"' {
                if rest[at] != b'\\' {
                    word.push(rest[at]);
                    at += 1;
                    continue;
                }
                let digits = rest.get(at + 2..at + 4).and_then(|two| std::str::from_utf8(two).ok());
                let code = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
                at += 2;
                match (rest[at - 1], code) {
                    (b'x', Some(code)) => {
                        word.push(code);
                        at += 2;
                    }
                    (b'r', _) => word.push(b'\r'),
                    (b'n', _) => word.push(b'\n'),
                    (b't', _) => word.push(b'\t'),
                    (other, _) => word.push(other),
                }
            }
            at += 1;
        } else {
            while at < rest.len() && rest[at] != b' ' {
                word.push(rest[at]);
                at += 1;
            }
        }
        words.push(word);
        rest = rest[at..].trim_ascii_start();
    }
    words
}
