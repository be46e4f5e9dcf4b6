//! Kinds of values: how each is read, checked and told, as in Redis 7.0. Knows no names.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::error::reason;
use super::settings::{OutputLimit, OutputLimits};
use crate::event::EventClasses;

/// Why a value is refused.
pub(super) type Why = Cow<'static, str>;

/// A checked value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Bool(bool),
    Int(i64),
    Size(u64),
    Percent(u64),
    Choice(&'static str),
    Choices(Vec<&'static str>),
    Text(Vec<u8>),
    Words(Vec<Vec<u8>>),
    Ints(Vec<i64>),
    Limits(OutputLimits),
    Events(EventClasses),
    Percentiles(Vec<f64>),
}

/// What a setting's values look like.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    YesNo,
    Int {
        min: i64,
        max: i64,
    },
    /// An integer that is moved into 1..=500 instead of refused.
    Hz,
    Octal {
        max: i64,
    },
    Memory {
        min: u64,
        max: u64,
    },
    MemoryOrPercent,
    OneOf(&'static [&'static str]),
    ShutdownOptions,
    Text(fn(&[u8]) -> Result<(), &'static str>),
    Dir,
    Bind,
    ReplicaOf,
    /// Pairs of seconds and changes. Appended to the current value: whoever sets anew empties it first.
    Save,
    OutputLimits,
    OomScores,
    Events,
    Percentiles,
}

const SHUTDOWN_OPTIONS: [&str; 5] = ["default", "save", "nosave", "now", "force"];
const MAX_BIND_ADDRESSES: usize = 16;

impl Kind {
    /// Whether a value may be several words.
    pub(super) fn is_multi(&self) -> bool {
        use Kind::*;
        matches!(self, ShutdownOptions | Bind | ReplicaOf | Save | OutputLimits | OomScores | Percentiles)
    }

    /// The words of a value that was given as one: multi-word kinds split at each single space, as CONFIG SET does.
    pub(super) fn words<'a>(&self, text: &'a [u8]) -> Vec<&'a [u8]> {
        if !self.is_multi() {
            vec![text]
        } else if text.is_empty() {
            Vec::new()
        } else {
            text.split(|&b| b == b' ').collect()
        }
    }

    /// Reads words into a value. `current` is what the setting holds now: some kinds change it only in part.
    pub(super) fn parse(&self, words: &[&[u8]], current: &Value) -> Result<Value, Why> {
        match self {
            Kind::ShutdownOptions => parse_shutdown_options(words),
            Kind::Bind => parse_bind(words),
            Kind::ReplicaOf => parse_replica_of(words),
            Kind::Save => parse_save(words, current),
            Kind::OutputLimits => parse_output_limits(words, current),
            Kind::OomScores => parse_oom_scores(words),
            Kind::Percentiles => parse_percentiles(words),
            _ => match words {
                [word] => self.parse_one(word, current),
                _ => Err("wrong number of arguments".into()),
            },
        }
    }

    fn parse_one(&self, word: &[u8], current: &Value) -> Result<Value, Why> {
        match *self {
            Kind::YesNo if word.eq_ignore_ascii_case(b"yes") => Ok(Value::Bool(true)),
            Kind::YesNo if word.eq_ignore_ascii_case(b"no") => Ok(Value::Bool(false)),
            Kind::YesNo => Err("argument must be 'yes' or 'no'".into()),
            Kind::Int { min, max } => in_range(integer(word)?, min, max),
            Kind::Hz => match in_range(integer(word)?, 0, i32::MAX.into())? {
                Value::Int(hz) => Ok(Value::Int(hz.clamp(1, 500))),
                other => Ok(other),
            },
            Kind::Octal { max } => parse_octal(word, max),
            Kind::Memory { min, max } => {
                let bytes = memory(word).ok_or("argument must be a memory value")?;
                if (min..=max).contains(&bytes) { Ok(Value::Size(bytes)) } else { Err(outside(min, max)) }
            }
            Kind::MemoryOrPercent => parse_memory_or_percent(word),
            Kind::OneOf(choices) => match one_of(choices, word) {
                Some(choice) => Ok(Value::Choice(choice)),
                None => Err(not_one_of(choices)),
            },
            Kind::Text(check) => {
                check(word)?;
                Ok(Value::Text(word.to_vec()))
            }
            Kind::Dir => parse_dir(word, current),
            Kind::Events => match EventClasses::parse(word) {
                Some(classes) => Ok(Value::Events(classes)),
                None => Err("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.".into()),
            },
            _ => unreachable!("multi-word kinds are read as a whole"),
        }
    }

    /// The value as CONFIG GET tells it.
    pub(super) fn tell(&self, value: &Value) -> Vec<u8> {
        match value {
            Value::Bool(true) => b"yes".to_vec(),
            Value::Bool(false) => b"no".to_vec(),
            Value::Int(n) if matches!(self, Kind::Octal { .. }) => format!("{n:o}").into_bytes(),
            Value::Int(n) => n.to_string().into_bytes(),
            Value::Size(n) => n.to_string().into_bytes(),
            Value::Percent(n) => format!("{n}%").into_bytes(),
            Value::Choice(choice) => choice.as_bytes().to_vec(),
            Value::Choices(choices) => choices.join(" ").into_bytes(),
            Value::Text(text) => text.clone(),
            Value::Words(words) => words.join(&b' '),
            Value::Ints(ints) => ints.iter().map(i64::to_string).collect::<Vec<_>>().join(" ").into_bytes(),
            Value::Limits(limits) => tell_limits(limits).into_bytes(),
            Value::Events(classes) => classes.letters().into_bytes(),
            Value::Percentiles(list) => list.iter().map(tell_percentile).collect::<Vec<_>>().join(" ").into_bytes(),
        }
    }
}

/// Typed views. Invariant: the table asks only for what the row's kind yields; a test walks every row.
impl Value {
    pub(super) fn bool(&self) -> bool {
        match self {
            Self::Bool(yes) => *yes,
            other => unreachable!("{other:?} is no yes or no"),
        }
    }

    pub(super) fn int(&self) -> i64 {
        match self {
            Self::Int(n) => *n,
            other => unreachable!("{other:?} is no integer"),
        }
    }

    pub(super) fn size(&self) -> u64 {
        match self {
            Self::Size(n) => *n,
            other => unreachable!("{other:?} is no memory size"),
        }
    }

    pub(super) fn choice(&self) -> &'static str {
        match self {
            Self::Choice(choice) => choice,
            other => unreachable!("{other:?} is no choice"),
        }
    }

    pub(super) fn text(&self) -> &[u8] {
        match self {
            Self::Text(text) => text,
            other => unreachable!("{other:?} is no text"),
        }
    }

    pub(super) fn path(&self) -> PathBuf {
        PathBuf::from(OsStr::from_bytes(self.text()))
    }

    pub(super) fn path_if_any(&self) -> Option<PathBuf> {
        (!self.text().is_empty()).then(|| self.path())
    }
}

/// An integer as Redis reads it: no plus sign, no leading zero, no space.
fn strict_integer(word: &[u8]) -> Option<i64> {
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    let strict = match digits {
        [b'0'] => word.len() == 1,
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if strict { std::str::from_utf8(word).ok()?.parse().ok() } else { None }
}

/// An integer as C's `strtol` reads it, all of the word: spaces before it, a sign and leading zeros are fine, nothing
/// is 0.
fn lenient_integer(word: &[u8]) -> Option<i64> {
    if word.is_empty() {
        return Some(0);
    }
    let text = std::str::from_utf8(word).ok()?.trim_start();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let extreme = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    Some(text.parse().unwrap_or(extreme))
}

fn integer(word: &[u8]) -> Result<i64, Why> {
    strict_integer(word).ok_or("argument couldn't be parsed into an integer".into())
}

fn in_range(n: i64, min: i64, max: i64) -> Result<Value, Why> {
    if (min..=max).contains(&n) { Ok(Value::Int(n)) } else { Err(outside(min, max)) }
}

fn outside(min: impl std::fmt::Display, max: impl std::fmt::Display) -> Why {
    format!("argument must be between {min} and {max} inclusive").into()
}

fn one_of(choices: &'static [&'static str], word: &[u8]) -> Option<&'static str> {
    choices.iter().copied().find(|choice| choice.as_bytes().eq_ignore_ascii_case(word))
}

fn not_one_of(choices: &[&str]) -> Why {
    format!("argument(s) must be one of the following: {}", choices.join(", ")).into()
}

/// A number of bytes: digits and a unit in any case (`b`, `k` 1000, `kb` 1024, and so on for `m` and `g`). As in Redis
/// 7.0 no digits at all mean 0, too many mean the greatest number, and the product with the unit wraps.
pub(super) fn memory(word: &[u8]) -> Option<u64> {
    let end = word.iter().position(|b| !b.is_ascii_digit()).unwrap_or(word.len());
    let (digits, unit) = word.split_at(end);
    let factor: u64 = match unit.to_ascii_lowercase().as_slice() {
        b"" | b"b" => 1,
        b"k" => 1000,
        b"kb" => 1 << 10,
        b"m" => 1_000_000,
        b"mb" => 1 << 20,
        b"g" => 1_000_000_000,
        b"gb" => 1 << 30,
        _ => return None,
    };
    let number = digits.iter().fold(0u64, |n, digit| n.saturating_mul(10).saturating_add(u64::from(digit - b'0')));
    Some(number.wrapping_mul(factor))
}

fn parse_memory_or_percent(word: &[u8]) -> Result<Value, Why> {
    let percent = match word.strip_suffix(b"%") {
        Some(number) => u64::try_from(integer_or_none(number)?).ok(),
        None => match memory(word) {
            // Redis keeps a percentage as a negative number, so sizes past the signed range are taken for one.
            Some(bytes) if i64::try_from(bytes).is_err() => Some(bytes.wrapping_neg()),
            Some(bytes) => return Ok(Value::Size(bytes)),
            None => None,
        },
    };
    match percent {
        None => Err(NO_MEMORY_OR_PERCENT.into()),
        Some(0) => Ok(Value::Size(0)),
        Some(percent @ 1..=100) => Ok(Value::Percent(percent)),
        Some(_) => Err("percentage argument must be less or equal to 100".into()),
    }
}

const NO_MEMORY_OR_PERCENT: &str = "argument must be a memory or percent value";

fn integer_or_none(word: &[u8]) -> Result<i64, Why> {
    strict_integer(word).ok_or(NO_MEMORY_OR_PERCENT.into())
}

fn parse_octal(word: &[u8], max: i64) -> Result<Value, Why> {
    let text = std::str::from_utf8(word).unwrap_or("?");
    let number = if text.is_empty() { Ok(0) } else { i64::from_str_radix(text, 8) };
    match number {
        Ok(mode) if (0..=max).contains(&mode) => Ok(Value::Int(mode)),
        Ok(_) => Err(format!("argument must be between 0 and {max:o} inclusive").into()),
        Err(_) => Err("argument couldn't be parsed as an octal number".into()),
    }
}

fn parse_shutdown_options(words: &[&[u8]]) -> Result<Value, Why> {
    let mut given = Vec::new();
    for word in words {
        given.push(one_of(&SHUTDOWN_OPTIONS, word).ok_or_else(|| not_one_of(&SHUTDOWN_OPTIONS))?);
    }
    if given.is_empty() {
        return Err(not_one_of(&SHUTDOWN_OPTIONS));
    }
    if given.contains(&"save") && given.contains(&"nosave") {
        return Err("shutdown options SAVE and NOSAVE can't be used simultaneously".into());
    }
    let mut chosen: Vec<_> = SHUTDOWN_OPTIONS[1..].iter().copied().filter(|option| given.contains(option)).collect();
    if chosen.is_empty() {
        chosen.push("default");
    }
    Ok(Value::Choices(chosen))
}

/// Resolves against the current directory; the text kept is absolute, without links, as CONFIG GET tells it.
fn parse_dir(word: &[u8], current: &Value) -> Result<Value, Why> {
    let base = match current {
        Value::Text(path) => Path::new(OsStr::from_bytes(path)),
        _ => Path::new("."),
    };
    // The trailing dot makes the system check that it is a directory, and one that may be entered. An empty path is no
    // path.
    let path = if word.is_empty() { PathBuf::new() } else { base.join(OsStr::from_bytes(word)).join(".") };
    match std::fs::canonicalize(path) {
        Ok(path) => Ok(Value::Text(path.into_os_string().into_vec())),
        Err(error) => Err(reason(&error).into()),
    }
}

fn parse_bind(words: &[&[u8]]) -> Result<Value, Why> {
    match words {
        [] | [b""] => Ok(Value::Words(Vec::new())),
        _ if words.len() > MAX_BIND_ADDRESSES => Err("Too many bind addresses specified.".into()),
        _ => Ok(Value::Words(words.iter().map(|word| word.to_vec()).collect())),
    }
}

fn parse_replica_of(words: &[&[u8]]) -> Result<Value, Why> {
    let [host, port] = words else {
        return Err("wrong number of arguments".into());
    };
    if host.eq_ignore_ascii_case(b"no") && port.eq_ignore_ascii_case(b"one") {
        return Ok(Value::Words(Vec::new()));
    }
    match lenient_integer(port) {
        Some(0..=65535) => Ok(Value::Words(vec![host.to_vec(), port.to_vec()])),
        _ => Err("Invalid master port".into()),
    }
}

fn parse_save(words: &[&[u8]], current: &Value) -> Result<Value, Why> {
    let mut points = match current {
        Value::Ints(points) => points.clone(),
        _ => Vec::new(),
    };
    if matches!(words, [] | [b""]) {
        return Ok(Value::Ints(Vec::new()));
    }
    if !words.len().is_multiple_of(2) {
        return Err("Invalid save parameters".into());
    }
    for pair in words.chunks(2) {
        match (lenient_integer(pair[0]), lenient_integer(pair[1])) {
            // Redis counts changes in 32 bits.
            (Some(seconds @ 1..), Some(changes)) if changes as i32 >= 0 => {
                points.extend([seconds, i64::from(changes as i32)]);
            }
            _ => return Err("Invalid save parameters".into()),
        }
    }
    Ok(Value::Ints(points))
}

fn parse_output_limits(words: &[&[u8]], current: &Value) -> Result<Value, Why> {
    let mut limits = match current {
        Value::Limits(limits) => *limits,
        _ => OutputLimits::default(),
    };
    if !words.len().is_multiple_of(4) {
        return Err("Wrong number of arguments in buffer limit configuration.".into());
    }
    for group in words.chunks(4) {
        let limit = match group[0].to_ascii_lowercase().as_slice() {
            b"normal" => &mut limits.normal,
            b"slave" | b"replica" => &mut limits.replica,
            b"pubsub" => &mut limits.pubsub,
            _ => return Err("Invalid client class specified in buffer limit configuration.".into()),
        };
        let soft_s = lenient_integer(group[3]).and_then(|seconds| u64::try_from(seconds).ok());
        let (Some(hard_bytes), Some(soft_bytes), Some(soft_s)) = (memory(group[1]), memory(group[2]), soft_s) else {
            return Err("Error in hard, soft or soft_seconds setting in buffer limit configuration.".into());
        };
        *limit = OutputLimit { hard_bytes, soft_bytes, soft_s };
    }
    Ok(Value::Limits(limits))
}

/// Classes of clients as Redis tells them, in the order of [`OutputLimits`].
pub(super) const LIMIT_CLASSES: [&str; 3] = ["normal", "slave", "pubsub"];

fn tell_limits(limits: &OutputLimits) -> String {
    let classes = LIMIT_CLASSES.iter().zip([limits.normal, limits.replica, limits.pubsub]);
    let told =
        classes.map(|(class, limit)| format!("{class} {} {} {}", limit.hard_bytes, limit.soft_bytes, limit.soft_s));
    told.collect::<Vec<_>>().join(" ")
}

fn parse_oom_scores(words: &[&[u8]]) -> Result<Value, Why> {
    if words.len() != 3 {
        return Err("wrong number of arguments".into());
    }
    let scores: Option<Vec<i64>> =
        words.iter().map(|word| lenient_integer(word).filter(|score| (-2000..=2000).contains(score))).collect();
    match scores {
        Some(scores) => Ok(Value::Ints(scores)),
        None => Err("Invalid oom-score-adj-values, elements must be between -2000 and 2000.".into()),
    }
}

fn parse_percentiles(words: &[&[u8]]) -> Result<Value, Why> {
    // A lone empty word, from a quoted "" in a file, clears the list as no word at all does.
    let words = if matches!(words, [b""]) { &[] } else { words };
    let mut list = Vec::with_capacity(words.len());
    for word in words {
        let number = std::str::from_utf8(word).ok().and_then(|text| text.parse::<f64>().ok()).filter(|n| !n.is_nan());
        match number {
            None => return Err("Invalid latency-tracking-info-percentiles parameters".into()),
            Some(percentile) if (0.0..=100.0).contains(&percentile) => list.push(percentile),
            Some(_) => {
                return Err("latency-tracking-info-percentiles parameters should sit between [0.0,100.0]".into());
            }
        }
    }
    Ok(Value::Percentiles(list))
}

/// Six decimals, without the zeros at the end.
fn tell_percentile(percentile: &f64) -> String {
    format!("{percentile:.6}").trim_end_matches('0').trim_end_matches('.').to_owned()
}
