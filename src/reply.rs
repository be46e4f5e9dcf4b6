//! The sink: what a command answers, as meaning.
//!
//! A command says "nil", "integer 3", "an array of two follows" and never sees a byte of the protocol, so one command
//! serves RESP2, RESP3, the Lua stack and the value tree of the tests. This room knows no bytes, no RESP version
//! but the one question [`Sink::resp3`], and no client.
//!
//! `Sink` is a trait object although there is little indirection elsewhere: the encoder lives in `resp/`, the Lua
//! stack in `script/`, both above this room, and an `enum` could name neither.

/// What a command may say. Aggregates are announced by length; exactly that many items (twice that many for maps) must
/// follow.
pub trait Sink {
    /// No value: RESP2 `$-1`, RESP3 `_`, Lua `false`.
    fn nil(&mut self);
    /// No array: RESP2 `*-1`, RESP3 `_`, Lua `false`. EXEC aborted by WATCH and a blocking pop that timed out answer
    /// this.
    fn nil_array(&mut self);
    /// An integer.
    fn int(&mut self, value: i64);
    /// A binary-safe string.
    fn bulk(&mut self, bytes: &[u8]);
    /// A one-line status such as `OK`. Must hold neither CR nor LF.
    fn status(&mut self, text: &str);
    /// An error: its code, a space, its text, without the leading `-`. CR and LF become spaces on the wire.
    fn error(&mut self, text: &[u8]);
    /// A floating point number: RESP3 `,`, RESP2 a bulk string; both in the shortest form of `%.17g` as Redis 7.0
    /// prints it.
    fn double(&mut self, value: f64);
    /// A boolean: RESP3 `#`, RESP2 `:1` or `:0`.
    fn boolean(&mut self, value: bool);
    /// An integer too large for 64 bits, in decimal: RESP3 `(`, RESP2 a bulk string.
    fn big_number(&mut self, digits: &[u8]);
    /// A string with a three-letter format (`txt`, `mkd`): RESP3 `=`, RESP2 a bulk string.
    fn verbatim(&mut self, format: &str, bytes: &[u8]);
    /// `len` items follow.
    fn array(&mut self, len: usize);
    /// `pairs` keys, each with its value, follow: RESP3 `%`, RESP2 an array of twice that length.
    fn map(&mut self, pairs: usize);
    /// `len` distinct items follow: RESP3 `~`, RESP2 an array.
    fn set(&mut self, len: usize);
    /// `len` items of an out-of-band message follow: RESP3 `>`, RESP2 an array.
    fn push(&mut self, len: usize);
    /// `pairs` attributes of the reply to come, each with its value: RESP3 `|`. False when the receiver takes none, and
    /// nothing of them may be said.
    fn attributes(&mut self, pairs: usize) -> bool {
        let _ = pairs;
        false
    }
    /// Whether the receiver speaks RESP3. Only for commands whose reply has another shape there (ZRANGE .. WITHSCORES).
    fn resp3(&self) -> bool;
}

/// A reply as a tree, for tests and for whoever must look at a reply before passing it on.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the variants are the methods of Sink")]
pub enum Reply {
    Nil,
    NilArray,
    Int(i64),
    Bulk(Vec<u8>),
    Status(String),
    Error(String),
    Double(f64),
    Boolean(bool),
    BigNumber(Vec<u8>),
    Verbatim(String, Vec<u8>),
    Array(Vec<Reply>),
    Map(Vec<(Reply, Reply)>),
    Set(Vec<Reply>),
    Push(Vec<Reply>),
}

impl Reply {
    /// Says this reply to another sink.
    pub fn replay(&self, sink: &mut dyn Sink) {
        match self {
            Self::Nil => sink.nil(),
            Self::NilArray => sink.nil_array(),
            Self::Int(n) => sink.int(*n),
            Self::Bulk(b) => sink.bulk(b),
            Self::Status(s) => sink.status(s),
            Self::Error(e) => sink.error(e.as_bytes()),
            Self::Double(d) => sink.double(*d),
            Self::Boolean(b) => sink.boolean(*b),
            Self::BigNumber(d) => sink.big_number(d),
            Self::Verbatim(f, b) => sink.verbatim(f, b),
            Self::Array(items) => {
                sink.array(items.len());
                items.iter().for_each(|item| item.replay(sink));
            }
            Self::Map(pairs) => {
                sink.map(pairs.len());
                for (key, value) in pairs {
                    key.replay(sink);
                    value.replay(sink);
                }
            }
            Self::Set(items) => {
                sink.set(items.len());
                items.iter().for_each(|item| item.replay(sink));
            }
            Self::Push(items) => {
                sink.push(items.len());
                items.iter().for_each(|item| item.replay(sink));
            }
        }
    }
}

/// A sink that builds [`Reply`] trees.
#[derive(Debug, Default)]
pub struct Tree {
    open: Vec<Open>,
    done: Vec<Reply>,
    resp3: bool,
}

#[derive(Debug)]
struct Open {
    kind: Kind,
    missing: usize,
    items: Vec<Reply>,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Array,
    Map,
    Set,
    Push,
}

impl Tree {
    /// An empty tree that answers [`Sink::resp3`] with `resp3`.
    pub fn new(resp3: bool) -> Self {
        Self { resp3, ..Self::default() }
    }

    /// The replies said so far, in order. Invariant: no aggregate is still open.
    pub fn take(&mut self) -> Vec<Reply> {
        assert!(self.open.is_empty(), "an announced aggregate is short of items");
        std::mem::take(&mut self.done)
    }

    fn open(&mut self, kind: Kind, missing: usize) {
        self.open.push(Open { kind, missing, items: Vec::new() });
        self.close_full();
    }

    fn say(&mut self, reply: Reply) {
        match self.open.last_mut() {
            None => self.done.push(reply),
            Some(open) => {
                open.items.push(reply);
                open.missing -= 1;
                self.close_full();
            }
        }
    }

    fn close_full(&mut self) {
        if self.open.last().is_some_and(|open| open.missing == 0) {
            let Open { kind, items, .. } = self.open.pop().expect("checked above");
            let reply = match kind {
                Kind::Array => Reply::Array(items),
                Kind::Set => Reply::Set(items),
                Kind::Push => Reply::Push(items),
                Kind::Map => {
                    let mut items = items.into_iter();
                    let mut pairs = Vec::new();
                    while let (Some(key), Some(value)) = (items.next(), items.next()) {
                        pairs.push((key, value));
                    }
                    Reply::Map(pairs)
                }
            };
            self.say(reply);
        }
    }
}

impl Sink for Tree {
    fn nil(&mut self) {
        self.say(Reply::Nil);
    }
    fn nil_array(&mut self) {
        self.say(Reply::NilArray);
    }
    fn int(&mut self, value: i64) {
        self.say(Reply::Int(value));
    }
    fn bulk(&mut self, bytes: &[u8]) {
        self.say(Reply::Bulk(bytes.to_vec()));
    }
    fn status(&mut self, text: &str) {
        self.say(Reply::Status(text.to_owned()));
    }
    fn error(&mut self, text: &[u8]) {
        self.say(Reply::Error(String::from_utf8_lossy(text).into_owned()));
    }
    fn double(&mut self, value: f64) {
        self.say(Reply::Double(value));
    }
    fn boolean(&mut self, value: bool) {
        self.say(Reply::Boolean(value));
    }
    fn big_number(&mut self, digits: &[u8]) {
        self.say(Reply::BigNumber(digits.to_vec()));
    }
    fn verbatim(&mut self, format: &str, bytes: &[u8]) {
        self.say(Reply::Verbatim(format.to_owned(), bytes.to_vec()));
    }
    fn array(&mut self, len: usize) {
        self.open(Kind::Array, len);
    }
    fn map(&mut self, pairs: usize) {
        self.open(Kind::Map, pairs * 2);
    }
    fn set(&mut self, len: usize) {
        self.open(Kind::Set, len);
    }
    fn push(&mut self, len: usize) {
        self.open(Kind::Push, len);
    }
    fn resp3(&self) -> bool {
        self.resp3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_aggregates_close_when_full() {
        let mut tree = Tree::new(false);
        tree.array(2);
        tree.map(1);
        tree.bulk(b"k");
        tree.set(0);
        tree.int(7);
        tree.nil();
        let told = tree.take();
        assert_eq!(
            told,
            vec![
                Reply::Array(vec![Reply::Map(vec![(Reply::Bulk(b"k".to_vec()), Reply::Set(vec![]))]), Reply::Int(7)]),
                Reply::Nil
            ]
        );
        let mut again = Tree::new(false);
        told.iter().for_each(|reply| reply.replay(&mut again));
        assert_eq!(again.take(), told);
    }
}
