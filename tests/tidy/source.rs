//! The tree as rules see it: files as text, as code without strings and comments, and as modules.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What is never committed, wherever it stands.
const SKIPPED: &[&str] = &["target", ".git", "node_modules", "__pycache__", "bench-results"];

/// One file.
pub(crate) struct File {
    /// From the top of the tree, with slashes.
    pub(crate) path: String,
    /// All of it; empty if it is not UTF-8.
    pub(crate) text: String,
    /// Of Rust, the text with strings and comments blanked; lines keep their places.
    pub(crate) code: String,
    /// Of Rust, the text with strings blanked.
    pub(crate) prose: String,
    /// Of `code`, what is compiled into the server: less the items that `#[cfg(test)]` stands before.
    pub(crate) shipped: String,
    /// Whether a module of the crate or of a test names it.
    pub(crate) reached: bool,
    /// Whether it is compiled for tests only.
    pub(crate) test: bool,
}

/// All files, in the order of their paths.
pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
}

impl Tree {
    /// A tree of these files.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        Self::build(files)
    }

    /// What is, or may be, committed under `top`.
    pub(crate) fn read(top: &Path) -> Self {
        let mut files = BTreeMap::new();
        collect(top, "", &mut files);
        Self::build(files)
    }

    fn build(files: BTreeMap<String, String>) -> Self {
        let files = files.into_iter().map(|(path, text)| {
            let (code, prose) = if path.ends_with(".rs") { mask(&text) } else { Default::default() };
            let test = !path.starts_with("src/");
            let shipped = if test { String::new() } else { without_tests(&code) };
            File { path, text, code, prose, shipped, reached: false, test }
        });
        let mut tree = Self { files: files.collect() };
        for root in ["src/lib.rs", "src/main.rs"] {
            tree.reach(root, false);
        }
        for root in tree.test_roots() {
            tree.reach(&root, true);
        }
        tree
    }

    /// The file at `path`.
    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Rust files.
    pub(crate) fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.path.ends_with(".rs"))
    }

    /// What Cargo.toml names as tests and benches.
    fn test_roots(&self) -> Vec<String> {
        let manifest = self.file("Cargo.toml").map_or("", |file| &file.text);
        let paths = manifest.lines().filter_map(|line| line.strip_prefix("path = \"")?.strip_suffix('"'));
        paths.filter(|path| !path.starts_with("src/")).map(str::to_owned).collect()
    }

    /// Marks a file and the modules it declares. A file that is reached both ways is no test.
    fn reach(&mut self, path: &str, test: bool) {
        let Some(file) = self.files.iter_mut().find(|file| file.path == path) else { return };
        file.test = test && (file.test || !file.reached);
        file.reached = true;
        for (module, only_tests) in modules(file) {
            self.reach(&module, test || only_tests);
            self.reach(&module.replace(".rs", "/mod.rs"), test || only_tests);
        }
    }
}

fn collect(dir: &Path, prefix: &str, into: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(dir).expect("a readable directory").flatten() {
        let name = entry.file_name().into_string().expect("names are UTF-8");
        if SKIPPED.contains(&name.as_str()) {
            continue;
        }
        let path = format!("{prefix}{name}");
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{path}/"), into);
        } else {
            into.insert(path, fs::read_to_string(entry.path()).unwrap_or_default());
        }
    }
}

/// Paths of the modules that a file declares (as `name.rs`; `name/mod.rs` is meant too), and whether for tests only.
fn modules(file: &File) -> Vec<(String, bool)> {
    let (dir, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    // The roots of tests name their modules with #[path] or keep them beside.
    let is_root = ["mod.rs", "lib.rs", "main.rs"].contains(&name) || dir == "tests" || dir == "benches";
    let below = if is_root { dir.to_owned() } else { format!("{dir}/{}", name.trim_end_matches(".rs")) };
    let mut attributes = (false, None);
    let mut found = Vec::new();
    for (code, text) in file.code.lines().zip(file.text.lines()) {
        let code = code.trim();
        if code.starts_with("#[cfg(test)]") {
            attributes.0 = true;
        } else if let Some(path) = text.trim().strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]")) {
            attributes.1 = Some(path);
        } else if !code.is_empty() {
            let (only_tests, path) = std::mem::take(&mut attributes);
            if let Some(module) = code.split("mod ").nth(1).and_then(|rest| rest.strip_suffix(';')) {
                let path = path.map_or(format!("{below}/{module}.rs"), |path| normal(dir, path));
                found.push((path, only_tests));
            }
        }
    }
    found
}

fn normal(dir: &str, path: &str) -> String {
    let mut parts: Vec<&str> = dir.split('/').collect();
    for part in path.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

/// The text with strings and comments blanked, and with strings blanked only.
fn mask(text: &str) -> (String, String) {
    let bytes = text.as_bytes();
    let (mut code, mut prose) = (bytes.to_vec(), bytes.to_vec());
    let blank = |text: &mut [u8]| text.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    let mut at = 0;
    while at < bytes.len() {
        // Nothing else begins a literal or a comment.
        if !matches!(bytes[at], b'/' | b'"' | b'\'' | b'r') {
            at += 1;
            continue;
        }
        let rest = &bytes[at..];
        let comment = comment_len(rest);
        let length =
            if comment > 0 { comment } else { string_len(rest, at.checked_sub(1).map(|before| bytes[before])) };
        if length > 0 {
            blank(&mut code[at..at + length]);
        }
        if length > 0 && comment == 0 {
            blank(&mut prose[at..at + length]);
        }
        at += length.max(1);
    }
    let text = |bytes| String::from_utf8(bytes).expect("only whole literals are blanked");
    (text(code), text(prose))
}

/// Length of the comment that begins here, 0 if none does.
fn comment_len(rest: &[u8]) -> usize {
    if rest.starts_with(b"//") {
        return rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    }
    if rest.starts_with(b"/*") {
        return rest.windows(2).position(|pair| pair == b"*/").map_or(rest.len(), |at| at + 2);
    }
    0
}

/// Length of the string or character literal that begins here, 0 if none does.
fn string_len(rest: &[u8], before: Option<u8>) -> usize {
    let in_word = before.is_some_and(|byte| byte.is_ascii_alphanumeric() && !b"bc".contains(&byte) || byte == b'_');
    if rest[0] == b'r' && !in_word {
        let hashes = rest[1..].iter().take_while(|byte| **byte == b'#').count();
        if rest.get(1 + hashes) == Some(&b'"') {
            let close = [&b"\""[..], &b"#".repeat(hashes)].concat();
            let body = 2 + hashes;
            let end = rest[body..].windows(close.len()).position(|window| window == close);
            return end.map_or(rest.len(), |at| body + at + close.len());
        }
    }
    match rest {
        [b'"', ..] => closed(rest, b'"'),
        [b'\'', b'\\', ..] => closed(rest, b'\''),
        [b'\'', ..] => {
            // A lifetime has no closing quote one character on.
            let width = rest[1..].iter().skip(1).take_while(|byte| **byte & 0xc0 == 0x80).count() + 2;
            if rest.get(width) == Some(&b'\'') { width + 1 } else { 0 }
        }
        _ => 0,
    }
}

/// Length up to the closing quote; backslashes escape.
fn closed(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

/// `code` without what `#[cfg(test)]` stands before.
fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut kept = String::new();
    let mut from = 0;
    while let Some(at) = code[from..].find(MARK) {
        let end = item_end(code, from + at + MARK.len());
        kept += &code[from..from + at];
        // Lines keep their numbers.
        kept.extend(code[from + at..end].matches('\n'));
        from = end;
    }
    kept + &code[from..]
}

/// Where the item that begins at `start` ends: behind its semicolon or its braces.
pub(crate) fn item_end(code: &str, start: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate().skip(start) {
        match byte {
            b';' if depth == 0 => return at + 1,
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth -= 1,
            _ => {}
        }
        if byte == b'}' && depth <= 0 {
            return at + 1;
        }
    }
    code.len()
}

/// The words of `code`: runs of letters, digits and underscores, each with where it starts.
pub(crate) fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let bytes = code.as_bytes();
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + bytes[from..].iter().position(is_word)?;
        from = start + bytes[start..].iter().position(|byte| !is_word(byte)).unwrap_or(bytes.len() - start);
        Some((start, &code[start..from]))
    })
}

/// Number of the line that `at` is in, from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

#[test]
fn masks_blank_what_is_no_code() {
    let (code, prose) = mask("a(\"x \\\" //\", 'y', '\\'', b'\"', r#\"z\"#, &'a b) // c \"d\"\n/* e */ f");
    assert_eq!(code.split_whitespace().collect::<String>(), "a(,,,b,,&'ab)f");
    assert_eq!(prose.split_whitespace().collect::<String>(), "a(,,,b,,&'ab)//c\"d\"/*e*/f");
}
