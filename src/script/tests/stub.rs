//! A server in miniature: enough commands to test what crosses between Lua and a host.

use std::collections::{BTreeMap, HashMap};

use crate::reply::{Reply, Sink};
use crate::script::{Host, Interrupt, LogLevel};

#[derive(Debug, Clone)]
pub(super) enum Value {
    Text(Vec<u8>),
    Hash(BTreeMap<Vec<u8>, Vec<u8>>),
    List(Vec<Vec<u8>>),
}

#[derive(Debug, Default)]
pub(super) struct Stub {
    pub(super) keys: HashMap<Vec<u8>, Value>,
    pub(super) logged: Vec<(LogLevel, Vec<u8>)>,
    pub(super) asked: usize,
    /// Kill at this many questions of the hook.
    pub(super) kill_after: Option<usize>,
}

const WRONG_TYPE: &str = "WRONGTYPE Operation against a key holding the wrong kind of value";
const ARITY: &str = "ERR Wrong number of args calling Redis command from script";

fn number(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

impl Stub {
    fn hash(&mut self, key: &[u8]) -> Result<&mut BTreeMap<Vec<u8>, Vec<u8>>, Reply> {
        let value = self.keys.entry(key.to_vec()).or_insert_with(|| Value::Hash(BTreeMap::new()));
        match value {
            Value::Hash(hash) => Ok(hash),
            _ => Err(Reply::Error(WRONG_TYPE.into())),
        }
    }

    fn run(&mut self, argv: &[&[u8]], resp3: bool) -> Result<Reply, Reply> {
        let error = |text: &str| Err(Reply::Error(text.into()));
        let bulk = |text: &[u8]| Reply::Bulk(text.to_vec());
        let name = argv[0].to_ascii_lowercase();
        Ok(match (name.as_slice(), &argv[1..]) {
            (b"get", [key]) => match self.keys.get(*key) {
                None => Reply::Nil,
                Some(Value::Text(text)) => bulk(text),
                Some(_) => return error(WRONG_TYPE),
            },
            (b"set", [key, value, ..]) => {
                self.keys.insert(key.to_vec(), Value::Text(value.to_vec()));
                Reply::Status("OK".into())
            }
            (b"del", [key]) => Reply::Int(i64::from(self.keys.remove(*key).is_some())),
            (b"exists", [key]) => Reply::Int(i64::from(self.keys.contains_key(*key))),
            (b"echo", [text]) => bulk(text),
            (b"ping", []) => Reply::Status("PONG".into()),
            (b"incr", [key]) => {
                let old = match self.keys.get(*key) {
                    Some(Value::Text(text)) => number(text),
                    _ => Some(0),
                };
                let Some(new) = old.and_then(|old| old.checked_add(1)) else {
                    return error("ERR value is not an integer or out of range");
                };
                self.keys.insert(key.to_vec(), Value::Text(new.to_string().into_bytes()));
                Reply::Int(new)
            }
            (b"hset", [key, field, value]) => {
                Reply::Int(i64::from(self.hash(key)?.insert(field.to_vec(), value.to_vec()).is_none()))
            }
            (b"hget", [key, field]) => self.hash(key)?.get(*field).map_or(Reply::Nil, |value| bulk(value)),
            (b"hexists", [key, field]) => Reply::Int(i64::from(self.hash(key)?.contains_key(*field))),
            (b"hincrby", [key, field, by]) => {
                let value = self.hash(key)?.entry(field.to_vec()).or_insert_with(|| b"0".to_vec());
                let new = number(value).unwrap_or(0) + number(by).unwrap_or(0);
                *value = new.to_string().into_bytes();
                Reply::Int(new)
            }
            (b"hgetall", [key]) => {
                Reply::Map(self.hash(key)?.iter().map(|(field, value)| (bulk(field), bulk(value))).collect())
            }
            (b"pexpire", [key, _]) => Reply::Int(i64::from(self.keys.contains_key(*key))),
            (b"lpush", [key, items @ ..]) => {
                let list = self.keys.entry(key.to_vec()).or_insert_with(|| Value::List(Vec::new()));
                let Value::List(list) = list else { return error(WRONG_TYPE) };
                items.iter().for_each(|item| list.insert(0, item.to_vec()));
                Reply::Int(list.len() as i64)
            }
            (b"lrange", [key, _, _]) => match self.keys.get(*key) {
                Some(Value::List(list)) => Reply::Array(list.iter().map(|item| bulk(item)).collect()),
                _ => Reply::Array(Vec::new()),
            },
            (b"debug", [_, kind]) => protocol(kind, resp3),
            (b"get" | b"set" | b"echo", _) => return error(ARITY),
            (b"subscribe", _) => return error("ERR This Redis command is not allowed from script"),
            _ => return error("ERR Unknown Redis command called from script"),
        })
    }
}

/// What `DEBUG PROTOCOL kind` answers.
#[allow(clippy::approx_constant, reason = "it is Redis's choice")]
fn protocol(kind: &[u8], resp3: bool) -> Reply {
    let three = |make: fn(i64) -> Reply| (0..3).map(make).collect::<Vec<_>>();
    match kind {
        b"string" => Reply::Bulk(b"Hello World".to_vec()),
        b"integer" => Reply::Int(12345),
        b"double" => Reply::Double(3.141),
        b"null" => Reply::Nil,
        b"array" => Reply::Array(three(Reply::Int)),
        b"set" => Reply::Set(three(Reply::Int)),
        b"map" => Reply::Map((0..3).map(|n| (Reply::Int(n), Reply::Boolean(n == 1))).collect()),
        b"bignum" => Reply::BigNumber(b"1234567999999999999999999999999999999".to_vec()),
        b"true" => Reply::Boolean(true),
        b"false" => Reply::Boolean(false),
        b"verbatim" => Reply::Verbatim("txt".into(), b"This is a verbatim\nstring".to_vec()),
        _ => Reply::Boolean(resp3),
    }
}

impl Host for Stub {
    fn call(&mut self, argv: &[&[u8]], sink: &mut dyn Sink) {
        let resp3 = sink.resp3();
        self.run(argv, resp3).unwrap_or_else(|error| error).replay(sink);
    }
    fn set_resp(&mut self, _: u8) {}
    fn log(&mut self, level: LogLevel, message: &[u8]) {
        self.logged.push((level, message.to_vec()));
    }
    fn acl_check(&mut self, argv: &[&[u8]]) -> Option<bool> {
        (argv[0] != b"nosuch").then_some(true)
    }
    fn set_repl(&mut self, _: u8) {}
    fn interrupt(&mut self) -> Interrupt {
        self.asked += 1;
        if self.kill_after.is_some_and(|limit| self.asked > limit) { Interrupt::Kill } else { Interrupt::Continue }
    }
}
