//! Words that are not written here, each with what to write instead.

use crate::Rule;
use crate::source::{Tree, line_of, words};

/// Parts of code or comments that are refused, and what to do instead.
const BANNED: &[(&str, &str)] = &[
    ("TODO", "do it, or say in the comment what is missing and why"),
    ("FIXME", "fix it, or say in the comment what is wrong and why"),
    ("XXX", "say in the comment what is odd and why"),
    ("todo!", "write it, or leave it out"),
    ("unimplemented!", "write it, or leave it out"),
    ("dbg!", "remove it, or use `tracing`"),
    ("#[ignore", "a test that does not run proves nothing: mend it or remove it"),
    ("#[should_panic", "it passes by any panic: catch the one that is meant and look at its message"),
    ("allow(dead_code)", "remove what is dead, or give a reason"),
];

/// Names that say nothing of what is inside.
const EMPTY_NAMES: &[&str] = &["util", "utils", "common", "helper", "helpers", "manager", "misc"];

/// Signs of the machine that something was written on.
const PLACES: &[&str] = &["/work", "/root", "/home", "/tmp", "/var/tmp"];

/// Where such a path is meant for the reader or is the thing tested: a file, and the text that it may hold.
const MEANT: &[(&str, &str)] = &[
    // Socket and log of examples.
    ("", "/tmp/holdfast"),
    // A value of `dir`.
    ("src/config/tests/config_set.rs", "/tmp\")"),
];

/// Signs of a package registry of one's own.
const REGISTRIES: &[&str] = &["artifactory", "index-url", "replace-with", "nexus", "registry-mirror"];

/// Where the packages of Cargo.lock come from.
const CRATES: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

pub(crate) const RULES: &[Rule] = &[
    Rule {
        name: "Nothing is left for later",
        why: "what is committed is finished; what is missing is said in words that stay true",
        check: banned,
        bad: &[
            &[("src/a.rs", "// TODO: more")],
            &[("src/a.rs", "/// FIXME")],
            &[("src/a.rs", "// XXX odd")],
            &[("src/a.rs", "fn f() { todo!() }")],
            &[("src/a.rs", "fn f() { unimplemented!() }")],
            &[("tests/a.rs", "fn f() { dbg!(1) }")],
            &[("src/a.rs", "#[ignore]\nfn f() {}")],
            &[("src/a.rs", "#[should_panic(expected = \"x\")]\nfn f() {}")],
            &[("src/a.rs", "#[allow(dead_code)]\nfn f() {}")],
        ],
        good: &[&[("src/a.rs", "const WORD: &str = \"TODO\"; // todo is Spanish for all")]],
    },
    Rule {
        name: "A function is named by its verb and noun, without `get_` or `do_`",
        why: "`value()` reads better than `get_value()`, and `do_` says that the name is still missing",
        check: empty_verbs,
        bad: &[&[("src/a.rs", "fn get_value() {}")], &[("tests/a.rs", "pub fn do_it() {}")]],
        good: &[&[("src/a.rs", "fn get(&self) {}\nfn get_mut(&mut self) {}\nfn done() {}")]],
    },
    Rule {
        name: "A file is named by its main type or its group of commands",
        why: "what is put into a `util` is found by nobody",
        check: empty_names,
        bad: &[&[("src/util.rs", "")], &[("src/server/helpers/mod.rs", "")], &[("lua/common.lua", "")]],
        good: &[&[("src/command/args.rs", "")]],
    },
    Rule {
        name: "No path of the machine it was written on",
        why: "a checkout works wherever it lies",
        check: places,
        bad: &[
            &[("Makefile", concat!("run:\n\tcd /wo", "rk/main"))],
            &[("README.md", concat!("see `/ro", "ot/x`"))],
            &[("src/a.rs", concat!("// in /ho", "me/me/x"))],
            &[("benches/run", concat!("out=/t", "mp/out"))],
        ],
        good: &[&[("README.md", "--unixsocket /tmp/holdfast.sock, src/work/root, https://x.org/work")]],
    },
    Rule {
        name: "Packages come from the public registries",
        why: "a private mirror is of no use to others",
        check: registries,
        bad: &[
            &[("Cargo.lock", concat!("source = \"registry+https://", "mirror.example/index\""))],
            &[("redis-tests/pip.conf", concat!("index", "-url = x"))],
        ],
        good: &[&[("Cargo.lock", "name = \"x\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"")]],
    },
];

fn banned(tree: &Tree) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in tree.rust() {
        for (word, instead) in BANNED {
            let hits = file.prose.match_indices(word);
            complaints
                .extend(hits.map(|(at, _)| format!("{}:{}: {word}: {instead}", file.path, line_of(&file.prose, at))));
        }
    }
    complaints
}

fn empty_verbs(tree: &Tree) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in tree.rust() {
        let mut last = "";
        for (at, word) in words(&file.code) {
            // The standard library's own name for the mutable twin of `get`.
            let empty = (word.starts_with("get_") || word.starts_with("do_")) && word != "get_mut";
            if last == "fn" && empty {
                complaints.push(format!("{}:{}: `{word}`", file.path, line_of(&file.code, at)));
            }
            last = word;
        }
    }
    complaints
}

fn empty_names(tree: &Tree) -> Vec<String> {
    let is_empty = |part: &str| EMPTY_NAMES.contains(&part.split('.').next().unwrap_or(part));
    tree.files.iter().map(|file| &file.path).filter(|path| path.split('/').any(is_empty)).cloned().collect()
}

fn places(tree: &Tree) -> Vec<String> {
    let mut complaints = Vec::new();
    // This file holds the words themselves.
    for file in tree.files.iter().filter(|file| file.path != "tests/tidy/words.rs") {
        for place in PLACES {
            for (at, _) in file.text.match_indices(place) {
                let before = file.text[..at].chars().next_back().unwrap_or(' ');
                let behind = file.text[at + place.len()..].chars().next().unwrap_or(' ');
                let begins = !(before.is_alphanumeric() || "_-./})*~".contains(before));
                let ends = !(behind.is_alphanumeric() || "_-.".contains(behind));
                let rest = &file.text[at..];
                let meant = |(path, text): &(&str, &str)| file.path.starts_with(path) && rest.starts_with(text);
                if begins && ends && !MEANT.iter().any(meant) {
                    complaints.push(format!("{}:{}: {place}", file.path, line_of(&file.text, at)));
                }
            }
        }
    }
    complaints
}

fn registries(tree: &Tree) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in tree.files.iter().filter(|file| file.path != "tests/tidy/words.rs") {
        for (at, line) in file.text.lines().enumerate() {
            let elsewhere = file.path == "Cargo.lock" && line.starts_with("source = ") && line != CRATES;
            if elsewhere || REGISTRIES.iter().any(|sign| line.contains(sign)) {
                complaints.push(format!("{}:{}: {}", file.path, at + 1, line.trim()));
            }
        }
    }
    complaints
}
