//! SORT and SORT_RO: elements of a list, set or sorted set in an order of their own or of other keys.

use crate::command::args::{self, is};
use crate::command::spec::{Begin, Find};
use crate::command::{
    Access, Categories, Command, CommandError, Cx, DataCommand, Flags, Group, KeySpec, Outcome, Spec,
};
use crate::event::EventClasses;
use crate::keyspace::{Event, Keep};
use crate::number;
use crate::reply::Sink;
use crate::value::{List, Value};

const SOURCE: KeySpec = KeySpec::one(1, Access::RO.union(Access::ACCESS));
/// The last STORE counts, which no specification can say: [`crate::command::spec::key_positions`] knows it.
const DESTINATION: KeySpec =
    KeySpec { access: Access::OW.union(Access::UPDATE), begin: Begin::Unknown, find: Find::Unknown };

const BASE: Spec = Spec {
    keys: &[SOURCE],
    categories: Categories::SET.union(Categories::SORTED_SET).union(Categories::LIST).union(Categories::DANGEROUS),
    complexity: "O(N+M*log(M)) where N is the number of elements and M how many of them are sorted.",
    ..Spec::new("", -2, Group::Generic, Flags::MOVABLEKEYS)
};

pub(super) const SORT: DataCommand = Command::new(
    Spec {
        name: "sort",
        flags: Flags::WRITE.union(Flags::DENYOOM).union(Flags::MOVABLEKEYS),
        keys: &[SOURCE, DESTINATION],
        summary: "Sorts a list, set or sorted set, and answers or stores the result.",
        syntax: "key [BY pattern] [LIMIT offset count] [GET pattern [GET pattern ...]] [ASC | DESC] [ALPHA] \
                 [STORE destination]",
        ..BASE
    },
    |cx, out| sort(cx, out, true),
);

pub(super) const SORT_RO: DataCommand = Command::new(
    Spec {
        name: "sort_ro",
        flags: Flags::READONLY.union(Flags::MOVABLEKEYS),
        since: "7.0.0",
        summary: "Sorts a list, set or sorted set, and answers the result.",
        syntax: "key [BY pattern] [LIMIT offset count] [GET pattern [GET pattern ...]] [ASC | DESC] [ALPHA]",
        ..BASE
    },
    |cx, out| sort(cx, out, false),
);

struct Options<'a> {
    by: Option<&'a [u8]>,
    gets: Vec<&'a [u8]>,
    store: Option<&'a [u8]>,
    offset: i64,
    count: i64,
    descending: bool,
    alpha: bool,
}

impl<'a> Options<'a> {
    fn parse(words: &[&'a [u8]], may_store: bool) -> Result<Self, CommandError> {
        let mut options =
            Self { by: None, gets: Vec::new(), store: None, offset: 0, count: -1, descending: false, alpha: false };
        let mut rest = words;
        while let [word, more @ ..] = rest {
            rest = more;
            match more {
                _ if is(word, "asc") => options.descending = false,
                _ if is(word, "desc") => options.descending = true,
                _ if is(word, "alpha") => options.alpha = true,
                [offset, count, more @ ..] if is(word, "limit") => {
                    (options.offset, options.count) = (args::int(offset)?, args::int(count)?);
                    rest = more;
                }
                [key, more @ ..] if is(word, "store") && may_store => {
                    options.store = Some(key);
                    rest = more;
                }
                [pattern, more @ ..] if is(word, "by") => {
                    options.by = Some(pattern);
                    rest = more;
                }
                [pattern, more @ ..] if is(word, "get") => {
                    options.gets.push(pattern);
                    rest = more;
                }
                _ => return Err(CommandError::Syntax),
            }
        }
        Ok(options)
    }

    /// What LIMIT leaves of `len` elements.
    fn range(&self, len: usize) -> std::ops::Range<usize> {
        let start = self.offset.clamp(0, len as i64) as usize;
        let end = usize::try_from(self.count).map_or(len, |count| start.saturating_add(count).min(len));
        start..end
    }
}

/// What an element is compared by.
enum Weight {
    Number(f64),
    /// Under ALPHA: the element itself, or what BY found.
    Text(Option<Vec<u8>>),
}

fn sort(cx: &mut Cx<'_>, out: &mut dyn Sink, may_store: bool) -> Outcome {
    let mut options = Options::parse(&cx.args[2..], may_store)?;
    let (mut elements, is_set) = load(cx)?;
    // Redis 7.0: BY a pattern without star leaves the order as it is; that of a set is no order, so what is stored is
    // sorted nevertheless.
    let unsorted = options.by.is_some_and(|by| !by.contains(&b'*'));
    if unsorted && is_set && options.store.is_some() {
        (options.alpha, options.by) = (true, None);
        order(cx, &mut elements, &options, is_set)?;
    } else if !unsorted {
        order(cx, &mut elements, &options, is_set)?;
    } else if options.descending && !is_set {
        elements.reverse();
    }
    let kept = options.range(elements.len());
    let elements = &elements[kept];
    let mut result = Vec::new();
    for element in elements {
        if options.gets.is_empty() {
            result.push(Some(element.clone()));
        }
        for pattern in &options.gets {
            result.push(substitute(cx, pattern, element));
        }
    }
    match options.store {
        None => {
            out.array(result.len());
            for element in &result {
                match element {
                    Some(element) => out.bulk(element),
                    None => out.nil(),
                }
            }
        }
        Some(key) => {
            out.int(result.len() as i64);
            store(cx, key, &result);
        }
    }
    Ok(())
}

/// The elements in their native order, and whether they are a set's, which has none.
fn load(cx: &mut Cx<'_>) -> Result<(Vec<Vec<u8>>, bool), CommandError> {
    Ok(match cx.keys.read(cx.args[1]) {
        None => (Vec::new(), false),
        Some(Value::List(list)) => (list.iter().map(|element| element.to_vec()).collect(), false),
        Some(Value::Set(set)) => (set.iter().map(|member| member.to_vec()).collect(), true),
        Some(Value::SortedSet(set)) => (set.iter().map(|(member, _)| member.to_vec()).collect(), false),
        Some(Value::String(_) | Value::Hash(_)) => return Err(CommandError::WrongType),
    })
}

/// Elements of equal weight keep their order, but those of a set have none that a replay could rely on.
fn order(cx: &mut Cx<'_>, elements: &mut Vec<Vec<u8>>, options: &Options<'_>, is_set: bool) -> Outcome {
    let mut weighed = Vec::with_capacity(elements.len());
    for element in elements.drain(..) {
        let by = options.by.map(|pattern| substitute(cx, pattern, &element));
        let weight = match (options.alpha, by) {
            (true, None) => Weight::Text(None),
            (true, Some(text)) => Weight::Text(text),
            (false, None) => Weight::Number(score(&element)?),
            (false, Some(text)) => Weight::Number(text.map_or(Ok(0.0), |text| score(&text))?),
        };
        weighed.push((weight, element));
    }
    weighed.sort_by(|(a, x), (b, y)| {
        let ordering = match (a, b) {
            (Weight::Number(a), Weight::Number(b)) => {
                a.partial_cmp(b).filter(|ordering| ordering.is_ne()).unwrap_or_else(|| x.cmp(y))
            }
            (Weight::Text(a), Weight::Text(b)) if options.by.is_some() && (a != b || !is_set) => a.cmp(b),
            _ => x.cmp(y),
        };
        if options.descending { ordering.reverse() } else { ordering }
    });
    elements.extend(weighed.into_iter().map(|(_, element)| element));
    Ok(())
}

/// A number as C's `strtod` reads it: leading space is skipped, a NUL byte ends the text, nothing is 0.
fn score(text: &[u8]) -> Result<f64, CommandError> {
    let text = memchr::memchr(0, text).map_or(text, |end| &text[..end]);
    if text.is_empty() {
        return Ok(0.0);
    }
    let blank = text.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0x0b).count();
    const NO_NUMBER: CommandError = CommandError::Text("ERR One or more scores can't be converted into double");
    number::parse_double(&text[blank..]).ok_or(NO_NUMBER)
}

/// What a pattern of BY or GET stands for: `#` is the element, `key_*` a string, `key_*->field` a field of a hash, each
/// with the element in the place of the first star. `None` without a star, or if there is no such value.
fn substitute(cx: &mut Cx<'_>, pattern: &[u8], element: &[u8]) -> Option<Vec<u8>> {
    if pattern == b"#" {
        return Some(element.to_vec());
    }
    let star = memchr::memchr(b'*', pattern)?;
    let (prefix, rest) = (&pattern[..star], &pattern[star + 1..]);
    let arrow = memchr::memmem::find(rest, b"->").filter(|at| at + 2 < rest.len());
    let (suffix, field) = arrow.map_or((rest, None), |at| (&rest[..at], Some(&rest[at + 2..])));
    let key = [prefix, element, suffix].concat();
    match (cx.keys.read(&key)?, field) {
        (Value::Hash(hash), Some(field)) => hash.get(field).map(|value| value.to_vec()),
        (Value::String(string), None) => Some(string.to_vec()),
        _ => None,
    }
}

/// Stores a list; what GET did not find is an empty string. No result deletes the key.
fn store(cx: &mut Cx<'_>, key: &[u8], result: &[Option<Vec<u8>>]) {
    if result.is_empty() {
        cx.keys.delete(key);
        return;
    }
    let mut list = List::new();
    for element in result {
        list.push_back(element.as_deref().unwrap_or_default());
    }
    cx.keys.put(key, Value::List(list), Keep::Nothing);
    let stored = Event::new(EventClasses::LIST, "sortstore");
    cx.keys.changed_by(key, Some(stored), result.len() as u64);
}
