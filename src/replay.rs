//! Whatever commands run, the entries that the journal kept make the same State again.
//!
//! Random requests of all families run on two connections in several databases, in transactions and out of them, while
//! the clock moves and keys expire. A family takes part with a table of requests in which `{kind}` stands for a random
//! argument (see `Generator::argument`); one line in `FAMILIES` adds it. Requests that are refused do no harm.

use crate::config::Config;
use crate::journal::Memory;
use crate::transcript::{Stage, split};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// A prefix of the family's keys, so that most requests meet their own type, and its requests.
type Family = (&'static str, &'static [&'static str]);

const FAMILIES: &[Family] = &[
    ("s", STRINGS),
    ("s", LIFETIMES),
    ("s", COMPARISONS),
    ("", KEYS),
    ("l", SORTS),
    ("h", HASHES),
    ("l", LISTS),
    ("u", SETS),
    ("z", SORTED_SETS),
    ("h", HASH_SCRIPTS),
    ("s", STRING_SCRIPTS),
    ("u", SET_SCRIPTS),
];

/// Scripts that write, in parts that may fail half-way, some of them at the whim of the moment.
const HASH_SCRIPTS: &[&str] = &[
    r#"EVAL "redis.call('hincrby', KEYS[1], ARGV[1], 1) redis.call('pexpire', KEYS[1], ARGV[2])" 1 {key} {field} {ms}"#,
];

const STRING_SCRIPTS: &[&str] = &[
    r#"EVAL "redis.call('set', KEYS[1], 1, 'PX', 20) error('after a write')" 1 {key}"#,
    r#"EVAL "return redis.call('set', KEYS[1], redis.call('time')[2])" 1 {key}"#,
    r#"EVAL "redis.call('select', ARGV[1]) redis.pcall('incr', KEYS[1])" 1 {key} {db}"#,
    r#"EVAL "redis.pcall('incr', KEYS[1]) redis.pcall('lpush', KEYS[2], 1)" 2 {key} {any_key}"#,
    r#"EVAL_RO "return redis.pcall('set', KEYS[1], 1)" 1 {key}"#,
];

const SET_SCRIPTS: &[&str] = &[
    r#"EVAL "return redis.call('spop', KEYS[1])" 1 {key}"#,
    r#"EVAL "return redis.call(ARGV[1], KEYS[1], unpack(ARGV, 2))" 1 {key} SADD {value} {int}"#,
];

const STRINGS: &[&str] = &[
    "SET {key} {value}",
    "SET {key} {value} NX",
    "SET {key} {value} PX {ms}",
    "SET {key} {value} NX PX {ms}",
    "SET {key} {value} XX EX 1 GET",
    "SET {key} {value} PXAT {unix_ms}",
    "SET {key} {value} EXAT {unix_s}",
    "SET {key} {value} KEEPTTL",
    "SET {key} {value} IFEQ {value} KEEPTTL",
    "SET {key} {value} IFEQ {value} PX {ms}",
    "SET {key} {value} IFNE {value}",
    "SETNX {key} {value}",
    "SETEX {key} 1 {value}",
    "PSETEX {key} {ms} {value}",
    "GETSET {key} {value}",
    "GET {key}",
    "GETEX {key}",
    "GETEX {key} PX {ms}",
    "GETEX {key} PXAT {unix_ms}",
    "GETEX {key} PERSIST",
    "GETDEL {key}",
    "MGET {key} {key}",
    "MSET {key} {value} {key} {value}",
    "MSETNX {key} {value} {key} {value}",
    "APPEND {key} {value}",
    "SETRANGE {key} {int} {value}",
    "GETRANGE {key} {int} {int}",
    "INCR {key}",
    "DECRBY {key} {int}",
    "INCRBYFLOAT {key} {float}",
    "LCS {key} {key}",
];

const LIFETIMES: &[&str] = &[
    "EXPIRE {key} {int}",
    "PEXPIRE {key} {ms}",
    "PEXPIRE {key} {ms} NX",
    "PEXPIRE {key} {ms} GT",
    "PEXPIRE {key} {ms} LT",
    "PEXPIREAT {key} {unix_ms}",
    "PEXPIREAT {key} {unix_ms} XX",
    "EXPIREAT {key} {unix_s}",
    "PERSIST {key}",
    "TTL {key}",
    "PEXPIRETIME {key}",
];

const COMPARISONS: &[&str] =
    &["DELEX {key}", "DELEX {key} IFEQ {value}", "DELEX {key} IFNE {value}", "DELIFEQ {key} {value}"];

const KEYS: &[&str] = &[
    "DEL {any_key} {any_key}",
    "UNLINK {any_key}",
    "EXISTS {any_key} {any_key}",
    "TOUCH {any_key}",
    "TYPE {any_key}",
    "KEYS *",
    "SCAN 0",
    "RANDOMKEY",
    "DBSIZE",
    "RENAME {any_key} {any_key}",
    "RENAMENX {any_key} {any_key}",
    "COPY {any_key} {any_key}",
    "COPY {any_key} {any_key} REPLACE",
    "COPY {any_key} {any_key} DB {db} REPLACE",
    "MOVE {any_key} {db}",
    "PEXPIRE {any_key} {ms}",
    "OBJECT ENCODING {any_key}",
    "SWAPDB {db} {db}",
    "FLUSHDB",
    "FLUSHALL",
];

const SORTS: &[&str] = &[
    "RPUSH {key} {int} {int} {int}",
    "SADD {key} {value} {int}",
    "SORT {any_key} ALPHA STORE {key}",
    "SORT {any_key} STORE {key}",
    "SORT {any_key} BY nosort LIMIT {int} {int} STORE {key}",
    "SORT {any_key} BY s* GET # GET s* STORE {key}",
];

const HASHES: &[&str] = &[
    "HSET {key} {field} {value} {field} {value}",
    "HSETNX {key} {field} {value}",
    "HMSET {key} {field} {value}",
    "HDEL {key} {field} {field}",
    "HINCRBY {key} {field} {int}",
    "HINCRBYFLOAT {key} {field} {float}",
    "HGETALL {key}",
    "HRANDFIELD {key} {int}",
];

const LISTS: &[&str] = &[
    "LPUSH {key} {value} {int}",
    "RPUSHX {key} {value}",
    "LPOP {key}",
    "RPOP {key} 2",
    "LMPOP 2 {key} {key} LEFT COUNT 2",
    "LMOVE {key} {key} LEFT RIGHT",
    "RPOPLPUSH {key} {key}",
    "LREM {key} {int} {value}",
    "LTRIM {key} {int} {int}",
    "LSET {key} {int} {value}",
    "LINSERT {key} BEFORE {value} {value}",
];

const SETS: &[&str] = &[
    "SADD {key} {value} {int}",
    "SADD {key} {int} {int} {int}",
    "SREM {key} {value} {int}",
    "SPOP {key}",
    "SPOP {key} 2",
    "SRANDMEMBER {key} {int}",
    "SMOVE {key} {key} {value}",
    "SUNIONSTORE {key} {key} {key}",
    "SINTERSTORE {key} {key} {key}",
    "SDIFFSTORE {key} {key} {key}",
];

const SORTED_SETS: &[&str] = &[
    "ZADD {key} {float} {value} {int} {field}",
    "ZADD {key} GT CH {int} {field}",
    "ZADD {key} INCR {float} {value}",
    "ZINCRBY {key} {float} {value}",
    "ZREM {key} {value} {field}",
    "ZPOPMIN {key}",
    "ZPOPMAX {key} 2",
    "ZMPOP 2 {key} {key} MIN",
    "ZREMRANGEBYSCORE {key} {int} {int}",
    "ZREMRANGEBYRANK {key} {int} {int}",
    "ZRANGESTORE {key} {key} {int} {int}",
    "ZUNIONSTORE {key} 2 {key} {any_key} WEIGHTS {float} {int}",
    "ZINTERSTORE {key} 2 {key} {key} AGGREGATE MAX",
    "ZDIFFSTORE {key} 2 {key} {key}",
];

const PREFIXES: &[&str] = &["s", "l", "h", "u", "z"];
const VALUES: &[&str] = &["", "1", "-7", "3.5", "token", "WALL", "a value of more than fourteen bytes"];

struct Generator {
    random: SmallRng,
    stage: Stage,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let stage = Stage::with_journal(Config::default(), Box::new(Memory::keeping()));
        Self { random: SmallRng::seed_from_u64(seed), stage }
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.random.random_range(0..all.len())]
    }

    fn number(&mut self, range: std::ops::Range<i64>) -> String {
        self.random.random_range(range).to_string()
    }

    fn argument(&mut self, kind: &str, prefix: &str) -> String {
        let now_ms = self.stage.clock.wall_us() / 1000;
        match kind {
            "key" => format!("{prefix}{}", self.random.random_range(0..4)),
            "any_key" => {
                let prefix = self.one_of(PREFIXES);
                self.argument("key", prefix)
            }
            "value" => self.one_of(VALUES).to_owned(),
            "int" => self.number(-3..8),
            "float" => self.one_of(&["0.1", "-2.5", "3", "1e3", "inf"]).to_owned(),
            "db" => self.number(0..3),
            "ms" => self.number(-5..60),
            "unix_ms" => self.number(now_ms - 20..now_ms + 100),
            "unix_s" => self.number(now_ms / 1000 - 1..now_ms / 1000 + 3),
            "field" => format!("f{}", self.random.random_range(0..4)),
            _ => panic!("{{{kind}}} is no kind of argument"),
        }
    }

    fn request(&mut self) -> Vec<Vec<u8>> {
        let (prefix, templates) = self.one_of(FAMILIES);
        let template = self.one_of(templates);
        let mut words = Vec::new();
        for word in split(template) {
            let kind = word.strip_prefix(b"{").and_then(|word| word.strip_suffix(b"}"));
            words.push(match kind.map(String::from_utf8_lossy) {
                Some(kind) => self.argument(&kind, prefix).into_bytes(),
                None => word,
            });
        }
        words
    }

    fn send(&mut self, who: &str, argv: Vec<Vec<u8>>) {
        self.stage.send(who, argv);
        while self.stage.next_reply(who).is_some() {}
    }

    fn say(&mut self, who: &str, request: &str) {
        self.send(who, request.split(' ').map(|word| word.as_bytes().to_vec()).collect());
    }

    fn step(&mut self) {
        let who = self.one_of(&["A", "B"]);
        match self.random.random_range(0..100) {
            0..4 => {
                let db = self.argument("db", "");
                self.say(who, &format!("SELECT {db}"));
            }
            4..6 => self.say(who, "MULTI"),
            6..12 => self.say(who, "EXEC"),
            12..13 => self.say(who, "WATCH s0 l0"),
            13..25 => {
                let ms = self.random.random_range(1..40);
                self.stage.advance(ms);
            }
            25..26 => {
                let step_us = self.random.random_range(-500_000..500_000);
                self.stage.clock.step_wall_us(step_us);
            }
            _ => {
                let request = self.request();
                self.send(who, request);
            }
        }
    }
}

#[test]
fn the_entries_of_random_commands_make_the_same_state() {
    for seed in 0..80 {
        let mut generator = Generator::new(seed);
        for _ in 0..400 {
            generator.step();
        }
        generator.stage.assert_replays();
        generator.stage.assert_reloads();
    }
}
