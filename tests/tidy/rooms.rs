//! Layering: which room may use which, and which rooms alone hold a power.

use crate::source::{File, Tree, line_of, words};
use crate::{Rule, Sample};

/// Rooms in reading order, bottom to top, each with what it may use. The list is exact: what is not used is not
/// allowed.
const ROOMS: &[(&str, &[&str])] = &[
    ("number", &[]),
    ("event", &[]),
    ("glob", &[]),
    ("time", &[]),
    ("reply", &[]),
    ("request", &[]),
    ("resp", &["number", "reply"]),
    // `resp` for the words of a line: config files and inline requests have the same quotes.
    ("config", &["event", "glob", "resp"]),
    ("wheel", &[]),
    ("value", &["number"]),
    ("script", &["reply"]),
    ("pubsub", &["glob", "request"]),
    ("journal", &["time"]),
    ("keyspace", &["event", "time", "wheel", "value", "journal"]),
    // `journal` for its Entry: `apply` runs entries as commands.
    ("command", &["number", "event", "glob", "time", "reply", "request", "value", "journal", "keyspace"]),
    ("session", &["time", "request", "config", "journal"]),
    (
        "executor",
        &[
            "number", "event", "glob", "time", "reply", "request", "resp", "config", "value", "script", "pubsub",
            "journal", "keyspace", "command", "session",
        ],
    ),
    ("server", &["time", "reply", "request", "resp", "config", "journal", "keyspace", "session", "executor"]),
    ("main", &["config", "server"]),
];

/// What is at home in the crate root, below all rooms.
const ROOT_ITEMS: &[&str] = &["REDIS_VERSION"];

/// A power, where it may be used, and why nowhere else.
struct Fence {
    word: &'static str,
    inside: &'static [&'static str],
    why: &'static str,
}

const FENCES: &[Fence] = &[
    Fence { word: "unsafe", inside: &["src/script/"], why: "unsafe code is the Lua room's alone" },
    Fence { word: "mlua", inside: &["src/script/"], why: "the Lua room hides its VM" },
    Fence { word: "tokio", inside: &["src/server/", "src/journal/"], why: "the rooms below run without a runtime" },
    Fence { word: "Instant", inside: &["src/time.rs"], why: "time is an input: ask the Clock" },
    Fence { word: "SystemTime", inside: &["src/time.rs"], why: "time is an input: ask the Clock" },
    Fence { word: "jiff", inside: &["src/time.rs"], why: "time is an input: ask the Clock" },
    Fence { word: "println", inside: &["src/main.rs"], why: "only main prints; elsewhere there is `tracing`" },
    Fence { word: "eprintln", inside: &["src/main.rs"], why: "only main prints; elsewhere there is `tracing`" },
    Fence { word: "print", inside: &["src/main.rs"], why: "only main prints; elsewhere there is `tracing`" },
    Fence { word: "eprint", inside: &["src/main.rs"], why: "only main prints; elsewhere there is `tracing`" },
];

pub(crate) const RULES: &[Rule] = &[
    Rule {
        name: "A room uses only the rooms that the table of tests/tidy/rooms.rs allows it",
        why: "a room can be read, tested and changed knowing only what lies below it",
        check: imports,
        bad: &[
            &[("src/glob.rs", "use crate::executor::Turn;")],
            &[("src/wheel/level.rs", "use crate::{time::Millis, wheel::Timer};")],
            &[("src/value/list.rs", "fn f() { crate::keyspace::State::new() }")],
            &[("src/main.rs", "use holdfast::executor::Executor;")],
            &[("src/attic/mod.rs", "")],
        ],
        good: &[
            &[("src/resp/mod.rs", "use crate::reply::Sink; // not crate::server\nuse crate::resp::Parser;")],
            &[("src/glob.rs", "#[cfg(test)]\nmod tests {\n use crate::transcript::check;\n}")],
        ],
    },
    Rule {
        name: "The table of rooms allows nothing that is not used",
        why: "it is read as the map of what depends on what",
        check: unused_allowances,
        bad: &[&[("src/config/mod.rs", "use crate::glob;")]],
        good: &[&[("src/config/mod.rs", "use crate::{event, glob};\nuse crate::resp::{a, b};")]],
    },
    Rule {
        name: "`super` stays inside its room, and is not doubled",
        why: "an import names its room, so that an unwanted one shows; `crate::room::` says where it goes",
        check: supers,
        bad: &[
            &[("src/glob.rs", "use super::executor::Turn;")],
            &[("src/wheel/mod.rs", "use super::time::Millis;")],
            &[("src/value/list.rs", "use super::super::time::Millis;")],
        ],
        good: &[&[("src/value/list.rs", "use super::scalar::Scalar;\n#[cfg(test)]\nmod tests { use super::*; }")]],
    },
    Rule {
        name: "A power is used only in the rooms that hold it",
        why: "clock, runtime, VM, printing and unsafe code each have one home",
        check: fences,
        bad: FENCE_SAMPLES,
        good: &[
            &[("src/time.rs", "use std::time::Instant;")],
            &[("src/wheel/mod.rs", "// An Instant says too much.\nfn print() {}")],
        ],
    },
    Rule {
        name: "Each unsafe block says why it is sound in a SAFETY comment right above",
        why: "the compiler does not check it, so a reader must be able to",
        check: safety,
        bad: &[&[("src/script/vm.rs", "fn f() {\n    unsafe { g() }\n}")]],
        good: &[
            &[("src/script/vm.rs", "fn f() {\n    // SAFETY: g is.\n    unsafe { g() }\n}")],
            &[("src/script/vm.rs", "unsafe fn f() {}")],
        ],
    },
];

const FENCE_SAMPLES: &[Sample] = &[
    &[("src/value/blob.rs", "fn f() { unsafe { g() } }")],
    &[("src/executor/scripting.rs", "use mlua::Lua;")],
    &[("src/session/mod.rs", "use tokio::net::TcpStream;")],
    &[("src/wheel/mod.rs", "fn f() { std::time::Instant::now() }")],
    &[("src/session/mod.rs", "use std::time::{Duration, SystemTime};")],
    &[("src/server/logging.rs", "fn f() { jiff::Zoned::now() }")],
    &[("src/server/mod.rs", "fn f() { println!(\"x\") }")],
    &[("src/server/mod.rs", "fn f() { eprintln!(\"x\") }")],
    &[("src/server/mod.rs", "fn f() { print!(\"x\") }")],
    &[("src/server/mod.rs", "fn f() { eprint!(\"x\") }")],
];

/// The room of a file in src/; none of the crate's root, which has no code but modules.
fn room(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("src/")?;
    let room = rest.split('/').next()?.trim_end_matches(".rs");
    (room != "lib").then_some(room)
}

/// Files of rooms, those of tests left out.
fn room_files(tree: &Tree) -> impl Iterator<Item = (&str, &File)> {
    tree.rust().filter(|file| !file.test).filter_map(|file| Some((room(&file.path)?, file)))
}

/// The names behind `crate::` (in main.rs `holdfast::`), of a braced list each first one, with their places.
fn imported(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (at, word) in words(code).filter(|(_, word)| *word == "crate" || *word == "holdfast") {
        let Some(rest) = code[at + word.len()..].strip_prefix("::") else { continue };
        let start = at + word.len() + "::".len();
        let Some(list) = rest.strip_prefix('{') else {
            found.extend(words(&code[start..]).next().map(|(_, name)| (start, name)));
            continue;
        };
        let mut depth = 0;
        let mut first = true;
        for (offset, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => first = true,
                c if first && c.is_alphabetic() => {
                    found.extend(words(&list[offset..]).next().map(|(_, name)| (start, name)));
                    first = false;
                }
                _ => {}
            }
        }
    }
    found
}

fn imports(tree: &Tree) -> Vec<String> {
    let mut complaints = Vec::new();
    for (room, file) in room_files(tree) {
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            complaints.push(format!("{}: the room `{room}` is not in the table", file.path));
            continue;
        };
        for (at, name) in imported(&file.shipped) {
            if name != room && !allowed.contains(&name) && !ROOT_ITEMS.contains(&name) {
                complaints.push(format!("{}:{}: `{room}` may not use `{name}`", file.path, line_of(&file.shipped, at)));
            }
        }
    }
    complaints
}

fn unused_allowances(tree: &Tree) -> Vec<String> {
    let mut complaints = Vec::new();
    for (room, allowed) in ROOMS {
        let files: Vec<&File> = room_files(tree).filter(|(of, _)| of == room).map(|(_, file)| file).collect();
        let used: Vec<&str> = files.iter().flat_map(|file| imported(&file.shipped)).map(|(_, name)| name).collect();
        let unused = allowed.iter().filter(|name| !files.is_empty() && !used.contains(name));
        complaints.extend(unused.map(|name| format!("`{room}` does not use `{name}` any more: take it out")));
    }
    complaints
}

fn supers(tree: &Tree) -> Vec<String> {
    let mut complaints = Vec::new();
    for (room, file) in room_files(tree) {
        let is_top = file.path == format!("src/{room}.rs") || file.path == format!("src/{room}/mod.rs");
        let mut refuse =
            |at, what: &str| complaints.push(format!("{}:{}: {what}", file.path, line_of(&file.shipped, at)));
        if is_top && let Some(at) = file.shipped.find("super::") {
            refuse(at, "`super` leaves the room");
        }
        if let Some(at) = file.shipped.find("super::super") {
            refuse(at, "`super::super`");
        }
    }
    complaints
}

fn fences(tree: &Tree) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in tree.rust().filter(|file| file.path.starts_with("src/")) {
        for (at, word) in words(&file.code) {
            let Some(fence) = FENCES.iter().find(|fence| fence.word == word) else { continue };
            // `print` is a fine name for a function; what prints is the macro.
            let is_macro = file.code[at + word.len()..].starts_with('!');
            if (is_macro || !word.contains("print")) && !fence.inside.iter().any(|home| file.path.starts_with(home)) {
                complaints.push(format!("{}:{}: `{word}`: {}", file.path, line_of(&file.code, at), fence.why));
            }
        }
    }
    complaints
}

fn safety(tree: &Tree) -> Vec<String> {
    /// A block may begin this many lines of code below its comment: inside the statement that it explains.
    const REACH: usize = 4;
    let mut complaints = Vec::new();
    for file in tree.rust() {
        let lines: Vec<&str> = file.prose.lines().collect();
        for (at, line) in file.code.lines().enumerate() {
            if !(line.contains("unsafe {") || line.contains("unsafe impl")) {
                continue;
            }
            let mut code_lines = 0;
            let above = lines[..=at].iter().rev().take_while(|line| {
                code_lines += usize::from(!line.trim_start().starts_with("//"));
                code_lines <= REACH
            });
            if !above.into_iter().any(|line| line.contains("SAFETY")) {
                complaints.push(format!("{}:{}", file.path, at + 1));
            }
        }
    }
    complaints
}

#[test]
fn a_room_is_listed_behind_all_that_it_may_use() {
    for (at, (room, allowed)) in ROOMS.iter().enumerate() {
        let below: Vec<&str> = ROOMS[..at].iter().map(|(name, _)| *name).collect();
        let above: Vec<_> = allowed.iter().filter(|name| !below.contains(name)).collect();
        assert!(above.is_empty(), "{room} uses {above:?}, which are not below it");
        assert!(allowed.iter().map(|name| below.iter().position(|it| it == name)).is_sorted(), "{room}: out of order");
    }
}

#[test]
fn every_fence_has_a_bad_sample() {
    let fenced = |word: &str| FENCE_SAMPLES.iter().any(|sample| words(sample[0].1).any(|(_, found)| found == word));
    assert!(FENCES.iter().all(|fence| fenced(fence.word)));
}
