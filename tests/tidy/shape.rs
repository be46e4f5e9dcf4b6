//! Shape: sizes, openings, what belongs where, and lists that must name all there is.

use crate::Rule;
use crate::source::{File, Tree, item_end, line_of, words};
use std::collections::HashMap;

const COLUMNS_MAX: usize = 120;
const FILE_LINES_MAX: usize = 600;
const FUNCTION_LINES_MAX: usize = 70;

/// Files that may be longer: path, how long they are, and why. Only ever shrinks.
const LONG_FILES: &[(&str, usize, &str)] = &[];

/// Functions that may be longer: path, name, how long they are. Only ever shrinks.
const LONG_FUNCTIONS: &[(&str, &str, usize)] = &[];

/// All that stands at the top.
const TOP: &[&str] = &[
    ".cargo",
    ".ci",
    ".gitignore",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "Makefile",
    "README.md",
    "benches",
    "lua",
    "redis-tests",
    "rustfmt.toml",
    "src",
    "tests",
];

macro_rules! ten {
    ($text:expr) => {
        concat!($text, $text, $text, $text, $text, $text, $text, $text, $text, $text)
    };
}

pub(crate) const RULES: &[Rule] = &[
    Rule {
        name: "Each file opens with `//!`",
        why: "a reader learns first what the file is for and what it may not touch",
        check: openings,
        bad: &[&[("src/a.rs", "use std::io;")], &[("tests/a.rs", "// A comment is no doc.")]],
        good: &[&[("src/a.rs", "//! What a is for.")]],
    },
    Rule {
        name: "Lines have at most 120 columns",
        why: "two files fit beside each other; only recorded transcripts may be wider",
        check: columns,
        bad: &[&[(
            "src/a.rs",
            "// 23456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 \
             123456789 123456789 1",
        )]],
        good: &[&[("src/a.rs", "// ééééééééé 123456789 123456789 123456789 123456789 123456789 123456789 12345678")]],
    },
    Rule {
        name: "A file has at most 600 lines, or a reason",
        why: "what is longer is two things",
        check: |tree| file_lengths(tree, FILE_LINES_MAX, LONG_FILES),
        bad: &[&[("src/a.rs", ten!(ten!(ten!("//! x\n"))))]],
        good: &[&[("src/a.rs", ten!(ten!("//! x\n")))]],
    },
    Rule {
        name: "A function has at most 70 lines, transcripts not counted",
        why: "it fits on a screen, and its parts have names",
        check: |tree| function_lengths(tree, FUNCTION_LINES_MAX, LONG_FUNCTIONS),
        bad: &[&[("src/a.rs", concat!("fn f() {\n", ten!(ten!("    g();\n")), "}\n"))]],
        good: &[
            &[("src/a.rs", concat!("fn f() {\n", ten!("    g();\n"), "}\n"))],
            &[("src/a.rs", concat!("fn f() {\n    check(r#\"", ten!(ten!("A: PING\n")), "\"#)\n}\n"))],
        ],
    },
    Rule {
        name: "Every file of src/ and tests/ is used",
        why: "a module that nobody declares is not compiled and rots",
        check: dead_files,
        bad: &[
            &[("src/lib.rs", "mod a;"), ("src/a.rs", ""), ("src/b.rs", "")],
            &[("src/lib.rs", "mod a;"), ("src/a/mod.rs", "// mod b;"), ("src/a/b.rs", "")],
            &[("src/lib.rs", "// b.csv is no more"), ("src/b.txt", "")],
        ],
        good: &[
            &[("src/lib.rs", "pub mod a;"), ("src/a.rs", "mod b;"), ("src/a/b.rs", "")],
            &[("src/lib.rs", "const B: &str = include_str!(\"b.txt\");"), ("src/b.txt", "")],
            &[
                ("Cargo.toml", "[[test]]\npath = \"tests/x.rs\""),
                ("tests/x.rs", "#[path = \"../src/y.rs\"]\nmod y;"),
                ("src/y.rs", ""),
            ],
        ],
    },
    Rule {
        name: "The top level holds only what tests/tidy/shape.rs lists",
        why: "a newcomer sees the shape of the project at a glance",
        check: top_level,
        bad: &[&[("notes.txt", "")], &[("tools/run", "")]],
        good: &[&[("Makefile", ""), ("src/lib.rs", "")]],
    },
    Rule {
        name: "Every public function is called somewhere",
        why: "the compiler does not see that something public is dead",
        check: dead_functions,
        bad: &[&[("src/a.rs", "//! old\npub(crate) fn old() {} // as old()")]],
        good: &[&[("src/a.rs", "pub const fn new() {}\nfn private() {}"), ("tests/b.rs", "fn f() { new() }")]],
    },
    Rule {
        name: "Every declared command is in the slice of its family",
        why: "a command that is in no slice does not exist for clients",
        check: unlisted_commands,
        bad: &[
            &[("src/command/a.rs", "const COMMANDS: &[DataCommand] = &[GET];\nconst SET: DataCommand = x();")],
            &[("src/executor/a.rs", "fn f(words: &[u8]) { g() }\nconst PING: ControlCommand = x();")],
            &[
                ("src/command/a/mod.rs", "const COMMANDS: &[DataCommand] = &[b::GETEX];"),
                ("src/command/a/b.rs", "const GET: DataCommand = x();"),
            ],
        ],
        good: &[
            &[("src/command/a.rs", "const COMMANDS: &[DataCommand] = &[GET];\nconst GET: DataCommand = x();")],
            &[
                ("src/command/a/mod.rs", "const COMMANDS: &[DataCommand] = &[b::GET];"),
                ("src/command/a/b.rs", "const GET: DataCommand = x();"),
            ],
        ],
    },
];

fn openings(tree: &Tree) -> Vec<String> {
    tree.rust().filter(|file| !file.text.starts_with("//!")).map(|file| file.path.clone()).collect()
}

fn columns(tree: &Tree) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in tree.rust() {
        for (at, (line, prose)) in file.text.lines().zip(file.prose.lines()).enumerate() {
            let transcript = prose.trim().is_empty();
            if line.chars().count() > COLUMNS_MAX && !transcript {
                complaints.push(format!("{}:{}: {} columns", file.path, at + 1, line.chars().count()));
            }
        }
    }
    complaints
}

fn file_lengths(tree: &Tree, most: usize, long: &[(&str, usize, &str)]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in tree.rust() {
        let lines = file.text.lines().count();
        match long.iter().find(|(path, ..)| *path == file.path) {
            Some((_, listed, _)) => complaints.extend(ratchet(&file.path, lines, most, *listed)),
            None if lines > most => complaints.push(format!("{}: {lines} lines", file.path)),
            None => {}
        }
    }
    let gone = long.iter().filter(|(path, ..)| tree.file(path).is_none());
    complaints.extend(gone.map(|(path, ..)| format!("{path} is listed and does not exist")));
    complaints
}

fn function_lengths(tree: &Tree, most: usize, long: &[(&str, &str, usize)]) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut met = 0;
    for file in tree.rust() {
        for (name, at, lines) in functions(file) {
            let place = format!("{}:{at}: {name}", file.path);
            match long.iter().find(|(path, function, _)| *path == file.path && *function == name) {
                Some((.., listed)) => {
                    met += 1;
                    complaints.extend(ratchet(&place, lines, most, *listed));
                }
                None if lines > most => complaints.push(format!("{place} has {lines} lines")),
                None => {}
            }
        }
    }
    if met != long.len() {
        complaints.push("a listed function does not exist any more".to_owned());
    }
    complaints
}

/// What is too long and listed so must not grow; when it shrinks, so must its number in the list.
fn ratchet(what: &str, lines: usize, most: usize, listed: usize) -> Option<String> {
    let advice = match lines {
        _ if lines <= most => "take it off the list".to_owned(),
        _ if lines < listed => format!("list it with {lines}, so that it stays as short"),
        _ if lines > listed => format!("grew from {listed} to {lines} lines: split it"),
        _ => return None,
    };
    Some(format!("{what}: {advice}"))
}

/// Name, line and length of each function with a body. Lines inside strings are data and not counted.
fn functions(file: &File) -> Vec<(&str, usize, usize)> {
    let is_data = |(text, prose): &(&str, &str)| prose.trim().is_empty() && !text.trim().is_empty();
    let mut found = Vec::new();
    let mut names = words(&file.code).peekable();
    while let Some((at, word)) = names.next() {
        let Some(&(name_at, name)) = names.peek() else { break };
        // `fn(` is a type.
        if word != "fn" || name_at != at + "fn ".len() {
            continue;
        }
        let body = at..item_end(&file.code, at);
        let lines = file.text[body.clone()].lines().zip(file.prose[body].lines()).filter(|pair| !is_data(pair));
        found.push((name, line_of(&file.code, at), lines.count()));
    }
    found
}

fn dead_files(tree: &Tree) -> Vec<String> {
    let inside = |file: &&File| file.path.starts_with("src/") || file.path.starts_with("tests/");
    // Data files are named one by one, or by the directory that is read as a whole.
    let named = |path: &str| {
        let (dir, name) = path.rsplit_once('/').expect("inside a directory");
        let [name, dir] = [format!("{name}\""), format!("{dir}\"")];
        tree.rust().any(|file| file.text.contains(&name) || file.text.contains(&dir))
    };
    let dead = |file: &&File| if file.path.ends_with(".rs") { !file.reached } else { !named(&file.path) };
    tree.files.iter().filter(inside).filter(dead).map(|file| file.path.clone()).collect()
}

fn dead_functions(tree: &Tree) -> Vec<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (_, word) in tree.rust().flat_map(|file| words(&file.code)) {
        *counts.entry(word).or_default() += 1;
    }
    let mut complaints = Vec::new();
    for file in tree.rust() {
        for (at, line) in file.code.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("pub")) {
            let mut behind = words(line).map(|(_, word)| word).skip_while(|word| *word != "fn").skip(1);
            if let Some(name) = behind.next().filter(|name| counts[name] == 1) {
                complaints.push(format!("{}:{}: {name}", file.path, at + 1));
            }
        }
    }
    complaints
}

fn top_level(tree: &Tree) -> Vec<String> {
    let tops = tree.files.iter().filter_map(|file| file.path.split('/').next());
    tops.filter(|name| !TOP.contains(name)).map(str::to_owned).collect()
}

fn unlisted_commands(tree: &Tree) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in
        tree.rust().filter(|file| ["src/command/", "src/executor/"].iter().any(|dir| file.path.starts_with(dir)))
    {
        let (dir, _) = file.path.rsplit_once('/').expect("a path with a directory");
        let head = tree.file(&format!("{dir}/mod.rs"));
        let lists: Vec<&str> = [Some(file), head].into_iter().flatten().flat_map(|file| slices(&file.code)).collect();
        for kind in [": DataCommand =", ": ControlCommand ="] {
            for (at, _) in file.code.match_indices(kind) {
                let name = file.code[..at].rsplit(' ').next().unwrap_or_default();
                if !lists.iter().any(|list| words(list).any(|(_, word)| word == name)) {
                    complaints.push(format!("{}:{}: {name}", file.path, line_of(&file.code, at)));
                }
            }
        }
    }
    complaints
}

/// What stands in `&[..]`, up to the first closing bracket: lists of names hold none.
fn slices(code: &str) -> impl Iterator<Item = &str> {
    code.split("&[").skip(1).filter_map(|rest| rest.split(']').next())
}

#[test]
fn lengths_are_held_and_lists_of_exceptions_only_shrink() {
    let tree = Tree::of(&[("src/a.rs", "//! a\nfn f(\n) {\n    g(r#\"\n1\n2\n\"#);\n}\n\nfn h() {}\n")]);
    let lines = |most, long: &[_]| function_lengths(&tree, most, long).len();
    assert_eq!((lines(5, &[]), lines(4, &[])), (0, 1), "five lines are code");
    assert_eq!(lines(4, &[("src/a.rs", "f", 5)]), 0);
    assert_eq!(lines(4, &[("src/a.rs", "f", 4)]), 1, "it grew");
    assert_eq!(lines(4, &[("src/a.rs", "f", 6)]), 1, "it shrank");
    assert_eq!(lines(5, &[("src/a.rs", "f", 5)]), 1, "it is short enough");
    assert_eq!(lines(5, &[("src/a.rs", "gone", 9)]), 1);
    let files = |most, long: &[_]| file_lengths(&tree, most, long).len();
    assert_eq!((files(10, &[]), files(9, &[])), (0, 1));
    assert_eq!((files(9, &[("src/a.rs", 10, "x")]), files(9, &[("src/b.rs", 10, "x")])), (0, 2));
}
