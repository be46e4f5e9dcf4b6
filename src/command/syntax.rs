//! Reads the notation of a command's arguments (`key [NX | XX] [EX seconds] value [value ...]`) into the tree that
//! COMMAND DOCS shows. Knows words and brackets only: no spec, no reply.
//!
//! Words in capitals are literal tokens and take the plain words behind them; `[..]` is optional, `<..>` groups, `|`
//! separates alternatives, and a bracket that ends in `...` says that what stands before it may be repeated.

/// What an argument is, by the names of COMMAND DOCS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Kind {
    Key,
    String,
    Integer,
    Double,
    Pattern,
    UnixTime,
    PureToken,
    OneOf,
    Block,
}

impl Kind {
    /// As COMMAND DOCS names it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::String => "string",
            Self::Integer => "integer",
            Self::Double => "double",
            Self::Pattern => "pattern",
            Self::UnixTime => "unix-time",
            Self::PureToken => "pure-token",
            Self::OneOf => "oneof",
            Self::Block => "block",
        }
    }

    /// What an argument of this name must be.
    fn of(name: &str) -> Self {
        match name.trim_end_matches(|c: char| c.is_ascii_digit()) {
            "key" | "newkey" | "destination" | "source" | "src" | "dst" => Self::Key,
            "pattern" => Self::Pattern,
            "score" | "weight" | "timeout" => Self::Double,
            "unix-time-seconds" | "unix-time-milliseconds" | "timestamp" => Self::UnixTime,
            "seconds"
            | "milliseconds"
            | "count"
            | "numkeys"
            | "index"
            | "offset"
            | "limit"
            | "cursor"
            | "increment"
            | "decrement"
            | "start"
            | "stop"
            | "end"
            | "len"
            | "rank"
            | "num-matches"
            | "protover"
            | "port"
            | "db"
            | "destination-db"
            | "slot"
            | "start-slot"
            | "end-slot"
            | "config-epoch"
            | "version"
            | "cluster_bus_port"
            | "client-id"
            | "numreplicas"
            | "numlocal"
            | "milliseconds-timeout"
            | "bit" => Self::Integer,
            _ => Self::String,
        }
    }
}

/// One node of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Lower case.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The literal word in front of it, or that it is.
    pub token: Option<String>,
    /// May be left out.
    pub optional: bool,
    /// May be repeated.
    pub multiple: bool,
    /// Is repeated together with its token.
    pub multiple_token: bool,
    /// The parts of a block, the choices of a oneof.
    pub parts: Vec<Argument>,
}

impl Argument {
    fn new(name: String, kind: Kind) -> Self {
        Self { name, kind, token: None, optional: false, multiple: false, multiple_token: false, parts: Vec::new() }
    }

    fn word(word: &str) -> Self {
        Self::new(word.to_owned(), Kind::of(word))
    }

    fn pure_token(word: &str) -> Self {
        Self { token: Some(word.to_owned()), ..Self::new(word.to_ascii_lowercase(), Kind::PureToken) }
    }

    fn several(kind: Kind, parts: Vec<Self>) -> Self {
        let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
        Self { parts: parts.clone(), ..Self::new(names.join("_"), kind) }
    }

    /// The only part, or a block of them.
    fn block(mut parts: Vec<Self>) -> Self {
        if parts.len() == 1 { parts.remove(0) } else { Self::several(Kind::Block, parts) }
    }

    fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }
}

/// Reads the notation of all arguments of a command.
///
/// # Errors
/// What is wrong with the notation, for the author of the command.
pub fn parse(syntax: &str) -> Result<Vec<Argument>, String> {
    let spaced =
        ["[", "]", "<", ">", "|"].iter().fold(syntax.to_owned(), |text, mark| text.replace(mark, &format!(" {mark} ")));
    let mut parser = Parser { words: spaced.split_whitespace().collect(), at: 0 };
    let (items, repeated) = parser.sequence(None)?;
    if repeated {
        return Err("'...' outside of brackets".to_owned());
    }
    Ok(items)
}

struct Parser<'a> {
    words: Vec<&'a str>,
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).copied()
    }

    /// Items up to the closing mark, and whether `...` stood at their end.
    fn sequence(&mut self, close: Option<&str>) -> Result<(Vec<Argument>, bool), String> {
        let mut items: Vec<Argument> = Vec::new();
        // Whether the last item is a choice written without brackets, which another `|` extends.
        let mut open = false;
        let mut repeated = false;
        loop {
            let word = self.peek();
            if word == close {
                self.at += 1;
                return Ok((join_tokens(items), repeated));
            }
            let word = word.ok_or("a bracket is not closed")?;
            if repeated {
                return Err(format!("'{word}' behind '...'"));
            }
            match word {
                "]" | ">" => return Err(format!("'{word}' closes nothing")),
                "..." => {
                    self.at += 1;
                    repeated = true;
                }
                "|" => {
                    self.at += 1;
                    let unit = self.unit()?;
                    let last = items.pop().filter(|last| !last.optional).ok_or("'|' has nothing on its left")?;
                    let mut choices = if open { last.parts } else { vec![last] };
                    choices.push(unit);
                    items.push(Argument::several(Kind::OneOf, choices));
                    open = true;
                }
                "[" => {
                    self.at += 1;
                    let (group, again) = self.sequence(Some("]"))?;
                    if again {
                        repeat(&mut items, group, open)?;
                    } else {
                        items.push(Argument { optional: true, ..Argument::block(group) });
                        open = false;
                    }
                }
                _ => {
                    items.push(self.unit()?);
                    open = false;
                }
            }
        }
    }

    /// A word, a bracketed choice, or a token with what belongs to it.
    fn unit(&mut self) -> Result<Argument, String> {
        let word = self.peek().ok_or("something is missing at the end")?;
        self.at += 1;
        if word == "<" {
            let (group, again) = self.sequence(Some(">"))?;
            return if again { Err("'...' inside '<>'".to_owned()) } else { Ok(Argument::block(group)) };
        }
        if !is_plain(word) && !is_token(word) {
            return Err(format!("'{word}' is not understood"));
        }
        if !is_token(word) {
            return Ok(Argument::word(word));
        }
        if self.peek() == Some("<") {
            return Ok(self.unit()?.with_token(word));
        }
        let mut parts = Vec::new();
        while let Some(next) = self.peek().filter(|next| is_plain(next)) {
            parts.push(Argument::word(next));
            self.at += 1;
        }
        Ok(if parts.is_empty() { Argument::pure_token(word) } else { Argument::block(parts).with_token(word) })
    }
}

fn is_token(word: &str) -> bool {
    matches!(word, "=" | "~") || word.starts_with(|c: char| c.is_ascii_uppercase()) && word == word.to_ascii_uppercase()
}

fn is_plain(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_:/".contains(c))
}

/// `AGGREGATE SUM | MIN | MAX`: the token belongs to the choice behind it.
fn join_tokens(items: Vec<Argument>) -> Vec<Argument> {
    let mut joined: Vec<Argument> = Vec::new();
    for item in items {
        let takes = item.kind == Kind::OneOf && item.token.is_none() && !item.optional;
        match joined.pop_if(|last| takes && last.kind == Kind::PureToken && !last.optional) {
            Some(token) => joined.push(Argument { token: token.token, ..item }),
            None => joined.push(item),
        }
    }
    joined
}

/// Marks the end of `items` as repeatable, which `group` must spell again.
fn repeat(items: &mut Vec<Argument>, group: Vec<Argument>, open: bool) -> Result<(), String> {
    let mismatch = || format!("'{}' repeats something else", Argument::block(group.clone()).name);
    if open {
        let choice = items.last_mut().ok_or_else(mismatch)?;
        return repeat(&mut choice.parts, group, false);
    }
    let last = items.last_mut().ok_or_else(mismatch)?;
    let one = Argument::block(group.clone());
    let bare = Argument { token: None, ..last.clone() };
    if one == *last && last.token.is_some() {
        last.multiple = true;
        last.multiple_token = true;
    } else if one == bare {
        last.multiple = true;
    } else {
        let start = items.len().checked_sub(group.len()).ok_or_else(mismatch)?;
        if items[start..] != group[..] {
            return Err(mismatch());
        }
        items.truncate(start);
        items.push(Argument { multiple: true, ..one });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree in one line: `name:kind(TOKEN)?*[parts]`, `**` for a repeated token.
    fn drawn(items: &[Argument]) -> String {
        let one = |item: &Argument| {
            let token = item.token.as_ref().map_or(String::new(), |token| format!("({token})"));
            let parts = if item.parts.is_empty() { String::new() } else { format!("[{}]", drawn(&item.parts)) };
            let marks = [(item.optional, "?"), (item.multiple, "*"), (item.multiple_token, "*")];
            let marks: String = marks.iter().filter(|(on, _)| *on).map(|(_, mark)| *mark).collect();
            format!("{}:{}{token}{marks}{parts}", item.name, item.kind.name())
        };
        items.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn notation_becomes_a_tree() {
        let cases = [
            ("", ""),
            ("key value", "key:key value:string"),
            ("key [key ...]", "key:key*"),
            ("[channel [channel ...]]", "channel:string?*"),
            ("key [NX | XX]", "key:key nx_xx:oneof?[nx:pure-token(NX) xx:pure-token(XX)]"),
            (
                "key [EX seconds | PXAT unix-time-milliseconds | KEEPTTL]",
                "key:key seconds_unix-time-milliseconds_keepttl:oneof?[seconds:integer(EX) \
                 unix-time-milliseconds:unix-time(PXAT) keepttl:pure-token(KEEPTTL)]",
            ),
            ("key field value [field value ...]", "key:key field_value:block*[field:string value:string]"),
            ("[LIMIT offset count]", "offset_count:block(LIMIT)?[offset:integer count:integer]"),
            ("[COUNT count [ANY]]", "count_any:block?[count:integer(COUNT) any:pure-token(ANY)?]"),
            ("[GET pattern [GET pattern ...]]", "pattern:pattern(GET)?**"),
            ("[WEIGHTS weight [weight ...]]", "weight:double(WEIGHTS)?*"),
            ("[AGGREGATE SUM | MIN]", "sum_min:oneof(AGGREGATE)?[sum:pure-token(SUM) min:pure-token(MIN)]"),
            (
                "<LEFT | RIGHT> timeout",
                "left_right:oneof[left:pure-token(LEFT) right:pure-token(RIGHT)] timeout:double",
            ),
            (
                "numkeys key [key ...] MIN | MAX [COUNT count]",
                "numkeys:integer key:key* min_max:oneof[min:pure-token(MIN) max:pure-token(MAX)] count:integer(COUNT)?",
            ),
            (
                "FILTERBY <ACLCAT category | PATTERN pattern>",
                "category_pattern:oneof(FILTERBY)[category:string(ACLCAT) pattern:pattern(PATTERN)]",
            ),
        ];
        for (syntax, tree) in cases {
            assert_eq!(parse(syntax).map(|items| drawn(&items)), Ok(tree.to_owned()), "{syntax}");
        }
    }

    #[test]
    fn broken_notation_is_refused() {
        for syntax in ["key [a", "key ]", "| a", "a [b ...]", "key ...", "[a] | b", "Key", "a |", "[... a]"] {
            assert!(parse(syntax).is_err(), "{syntax}");
        }
    }
}
