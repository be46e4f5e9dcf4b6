//! How a command is declared: one `const` block beside its function.
//!
//! COMMAND, COMMAND DOCS, ACL categories, key positions, the arity check, MULTI's and the scripts' refusals and the
//! journal all derive from the block. There is no macro and no registry; the slice at the head of a family's file is
//! the list.

use bitflags::bitflags;

bitflags! {
    /// What Redis 7.0 calls command flags; names as COMMAND INFO prints them.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Flags: u32 {
        /// May change the data set.
        const WRITE = 1;
        /// Never changes the data set.
        const READONLY = 1 << 1;
        /// Refused when memory is full.
        const DENYOOM = 1 << 2;
        /// An administration command.
        const ADMIN = 1 << 3;
        /// Has to do with publishing and subscribing.
        const PUBSUB = 1 << 4;
        /// Not callable from a script.
        const NOSCRIPT = 1 << 5;
        /// May block its client.
        const BLOCKING = 1 << 6;
        /// Allowed while the data set is loaded.
        const LOADING = 1 << 7;
        /// Allowed on a replica with stale data.
        const STALE = 1 << 8;
        /// Not shown by MONITOR.
        const SKIP_MONITOR = 1 << 9;
        /// Not put into the slow log.
        const SKIP_SLOWLOG = 1 << 10;
        /// Constant or logarithmic time.
        const FAST = 1 << 11;
        /// Allowed before AUTH.
        const NO_AUTH = 1 << 12;
        /// Replicated although not a write (PUBLISH, EVAL).
        const MAY_REPLICATE = 1 << 13;
        /// Names keys only sometimes.
        const NO_MANDATORY_KEYS = 1 << 14;
        /// Key positions cannot be told by first, last and step.
        const MOVABLEKEYS = 1 << 15;
        /// Answered while a script holds the executor.
        const ALLOW_BUSY = 1 << 16;
        /// Not allowed while loading asynchronously.
        const NO_ASYNC_LOADING = 1 << 17;
        /// Not queueable in a transaction.
        const NO_MULTI = 1 << 18;
        /// Behind `enable-protected-configs` and kin (DEBUG, MODULE).
        const PROTECTED = 1 << 19;
        /// May touch keys that it does not name.
        const TOUCHES_ARBITRARY_KEYS = 1 << 20;
    }
}

bitflags! {
    /// ACL categories, beyond what flags and group imply.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Categories: u32 {
        /// @keyspace
        const KEYSPACE = 1;
        /// @read
        const READ = 1 << 1;
        /// @write
        const WRITE = 1 << 2;
        /// @set
        const SET = 1 << 3;
        /// @sortedset
        const SORTED_SET = 1 << 4;
        /// @list
        const LIST = 1 << 5;
        /// @hash
        const HASH = 1 << 6;
        /// @string
        const STRING = 1 << 7;
        /// @pubsub
        const PUBSUB = 1 << 8;
        /// @admin
        const ADMIN = 1 << 9;
        /// @fast
        const FAST = 1 << 10;
        /// @slow
        const SLOW = 1 << 11;
        /// @blocking
        const BLOCKING = 1 << 12;
        /// @dangerous
        const DANGEROUS = 1 << 13;
        /// @connection
        const CONNECTION = 1 << 14;
        /// @transaction
        const TRANSACTION = 1 << 15;
        /// @scripting
        const SCRIPTING = 1 << 16;
    }
}

/// The group a command is documented in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Group {
    Generic,
    String,
    Hash,
    List,
    Set,
    SortedSet,
    PubSub,
    Transactions,
    Connection,
    Server,
    Scripting,
    Cluster,
}

impl Group {
    /// As COMMAND DOCS names it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::String => "string",
            Self::Hash => "hash",
            Self::List => "list",
            Self::Set => "set",
            Self::SortedSet => "sorted-set",
            Self::PubSub => "pubsub",
            Self::Transactions => "transactions",
            Self::Connection => "connection",
            Self::Server => "server",
            Self::Scripting => "scripting",
            Self::Cluster => "cluster",
        }
    }

    const fn categories(self) -> Categories {
        match self {
            Self::Generic => Categories::KEYSPACE,
            Self::String => Categories::STRING,
            Self::Hash => Categories::HASH,
            Self::List => Categories::LIST,
            Self::Set => Categories::SET,
            Self::SortedSet => Categories::SORTED_SET,
            Self::Transactions => Categories::TRANSACTION,
            Self::Connection => Categories::CONNECTION,
            Self::Scripting => Categories::SCRIPTING,
            // Publishing and subscribing have a flag of their own.
            Self::PubSub | Self::Server | Self::Cluster => Categories::empty(),
        }
    }
}

bitflags! {
    /// What a command does with the keys of one key specification (Redis 7.0 key spec flags).
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Access: u16 {
        /// Reads only.
        const RO = 1;
        /// Reads and writes.
        const RW = 1 << 1;
        /// Overwrites without reading.
        const OW = 1 << 2;
        /// Removes.
        const RM = 1 << 3;
        /// Returns or copies the value.
        const ACCESS = 1 << 4;
        /// Changes data in the value.
        const UPDATE = 1 << 5;
        /// Adds data to the value.
        const INSERT = 1 << 6;
        /// Deletes data of the value.
        const DELETE = 1 << 7;
        /// Names something that is no key (a channel).
        const NOT_KEY = 1 << 8;
        /// May miss some keys.
        const INCOMPLETE = 1 << 9;
        /// The flags depend on the arguments.
        const VARIABLE_FLAGS = 1 << 10;
    }
}

/// Where a key specification begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    /// At this argument (the command's name is 0).
    Index(i32),
    /// After this keyword, looked for from this argument on (negative: from the end, backwards).
    Keyword(&'static str, i32),
    /// Cannot be told.
    Unknown,
}

/// How the keys are found from the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Find {
    /// Up to `last` (relative to the beginning; -1 is the last argument), each `step`-th one; `limit` divides the rest.
    Range {
        /// Last key, relative to the first; negative counts from the end.
        last: i32,
        /// Distance between keys.
        step: i32,
        /// With `last` -1: 2 stops at half of the remaining arguments, and so on. 0 and 1: no limit.
        limit: i32,
    },
    /// A number at `at` says how many follow from `first`, all relative to the beginning.
    Count {
        /// Where the number is.
        at: i32,
        /// Where the first key is.
        first: i32,
        /// Distance between keys.
        step: i32,
    },
    /// Cannot be told.
    Unknown,
}

/// Which arguments are keys, and what happens to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeySpec {
    /// What happens to them.
    pub access: Access,
    /// Where they begin.
    pub begin: Begin,
    /// How far they go.
    pub find: Find,
}

impl KeySpec {
    /// One key at argument `index`.
    pub const fn one(index: i32, access: Access) -> Self {
        Self { access, begin: Begin::Index(index), find: Find::Range { last: 0, step: 1, limit: 0 } }
    }

    /// Keys from argument `index` to `last` (negative: counted from the end), each `step`-th.
    pub const fn range(index: i32, last: i32, step: i32, access: Access) -> Self {
        Self { access, begin: Begin::Index(index), find: Find::Range { last, step, limit: 0 } }
    }

    /// A count at argument `index`, its keys right behind it.
    pub const fn counted(index: i32, access: Access) -> Self {
        Self { access, begin: Begin::Index(index), find: Find::Count { at: 0, first: 1, step: 1 } }
    }
}

/// Everything the server knows of a command but its function.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// Lower case; of a subcommand its own word only (`get` of CONFIG GET).
    pub name: &'static str,
    /// Number of arguments with the name (and for subcommands both words); negative: at least that many.
    pub arity: i32,
    /// Command flags.
    pub flags: Flags,
    /// Key positions.
    pub keys: &'static [KeySpec],
    /// Documentation group.
    pub group: Group,
    /// ACL categories that neither flags nor group imply.
    pub categories: Categories,
    /// The Redis version that brought it.
    pub since: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    /// Cost.
    pub complexity: &'static str,
    /// Arguments in the notation of the Redis manual: `key [NX | XX] [EX seconds] value [value ...]`. A word in
    /// capitals is a literal token; COMMAND DOCS derives its argument tree from this.
    pub syntax: &'static str,
    /// Hints for clients and proxies (Redis 7.0 command tips).
    pub tips: &'static [&'static str],
}

impl Spec {
    /// A block to fill in with struct update syntax.
    pub const fn new(name: &'static str, arity: i32, group: Group, flags: Flags) -> Self {
        Self {
            name,
            arity,
            flags,
            keys: &[],
            group,
            categories: Categories::empty(),
            since: "1.0.0",
            summary: "",
            complexity: "O(1)",
            syntax: "",
            tips: &[],
        }
    }

    /// Whether `argc` arguments, the name counted, fit the arity.
    pub const fn accepts(&self, argc: usize) -> bool {
        if self.arity >= 0 { argc == self.arity as usize } else { argc >= self.arity.unsigned_abs() as usize }
    }

    /// All ACL categories, the implied ones included: Redis 7.0 derives @write, @read, @admin and @dangerous, @pubsub,
    /// @fast or @slow, @blocking from the flags and the data type's from the group.
    pub fn all_categories(&self) -> Categories {
        let mut all = self.categories | self.group.categories();
        let implied = [
            (Flags::WRITE, Categories::WRITE),
            (Flags::PUBSUB, Categories::PUBSUB),
            (Flags::FAST, Categories::FAST),
            (Flags::BLOCKING, Categories::BLOCKING),
            (Flags::ADMIN, Categories::ADMIN.union(Categories::DANGEROUS)),
        ];
        for (flag, categories) in implied {
            if self.flags.contains(flag) {
                all |= categories;
            }
        }
        if self.flags.contains(Flags::READONLY) && self.group != Group::Scripting {
            all |= Categories::READ;
        }
        if !all.contains(Categories::FAST) {
            all |= Categories::SLOW;
        }
        all
    }
}

/// A declared command: facts, function, and for containers their subcommands.
pub struct Command<F: 'static> {
    /// The facts.
    pub spec: Spec,
    /// The function.
    pub run: F,
    /// Subcommands, looked up by the second word. A container's own function answers an unknown one.
    pub subcommands: &'static [Command<F>],
}

impl<F> Command<F> {
    /// A command without subcommands.
    pub const fn new(spec: Spec, run: F) -> Self {
        Self { spec, run, subcommands: &[] }
    }
}

/// Appends the indexes of the arguments that are keys, in order, as `COMMAND GETKEYS` lists them.
///
/// Returns false when a specification does not fit the arguments (a count that is no number, or larger than what is
/// there).
pub fn key_positions(spec: &Spec, argv: &[&[u8]], into: &mut Vec<usize>) -> bool {
    spec.keys.iter().filter(|keys| !keys.access.contains(Access::NOT_KEY)).all(|keys| one_spec(keys, argv, into))
}

fn one_spec(keys: &KeySpec, argv: &[&[u8]], into: &mut Vec<usize>) -> bool {
    let Some(first) = begin(keys.begin, argv) else {
        return true;
    };
    match keys.find {
        Find::Range { last, step, limit } => {
            let argc = argv.len() as i32;
            let last = match (last, limit) {
                (0.., _) => first + last,
                (-1, 2..) => first + (argc - first) / limit - 1,
                _ => argc + last,
            };
            if last >= argc {
                return false;
            }
            into.extend((first..=last).step_by(step.max(1) as usize).map(|at| at as usize));
            true
        }
        Find::Count { at, first: offset, step } => {
            let Some(count) = argv.get((first + at) as usize).and_then(|arg| crate::number::parse_int(arg)) else {
                return false;
            };
            let start = (first + offset) as usize;
            let step = step.max(1) as usize;
            if count < 0 || count as usize > argv.len().saturating_sub(start).div_ceil(step) {
                return false;
            }
            into.extend((0..count as usize).map(|n| start + n * step));
            true
        }
        Find::Unknown => {
            into.push(first as usize);
            true
        }
    }
}

/// Where the keys begin; `None` when they do not (a keyword that is absent).
fn begin(begin: Begin, argv: &[&[u8]]) -> Option<i32> {
    match begin {
        Begin::Index(index) => ((index as usize) < argv.len()).then_some(index),
        Begin::Keyword(word, from) if from >= 0 => {
            let found = |arg: &&[u8]| arg.eq_ignore_ascii_case(word.as_bytes());
            argv.iter().skip(from as usize).position(found).map(|at| at as i32 + from + 1)
        }
        Begin::Keyword(word, from) => {
            let end = argv.len().checked_sub(from.unsigned_abs() as usize)?;
            let found = |arg: &&[u8]| arg.eq_ignore_ascii_case(word.as_bytes());
            argv[1..=end].iter().rposition(found).map(|at| at as i32 + 2)
        }
        // The destination of SORT, the only key of this kind: behind the last STORE, wherever that is.
        Begin::Unknown => {
            let at = argv.windows(2).rposition(|pair| pair[0].eq_ignore_ascii_case(b"STORE"))?;
            (at >= 2).then_some(at as i32 + 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(specs: &'static [KeySpec], argv: &[&str]) -> Option<Vec<usize>> {
        let spec = Spec { keys: specs, ..Spec::new("x", -1, Group::Generic, Flags::empty()) };
        let argv: Vec<&[u8]> = argv.iter().map(|arg| arg.as_bytes()).collect();
        let mut found = Vec::new();
        key_positions(&spec, &argv, &mut found).then_some(found)
    }

    #[test]
    fn key_positions_follow_the_specification() {
        const ONE: &[KeySpec] = &[KeySpec::one(1, Access::RO)];
        assert_eq!(keys(ONE, &["get", "k"]), Some(vec![1]));
        const ALL: &[KeySpec] = &[KeySpec::range(1, -1, 1, Access::RM)];
        assert_eq!(keys(ALL, &["del", "a", "b"]), Some(vec![1, 2]));
        const PAIRS: &[KeySpec] = &[KeySpec::range(1, -1, 2, Access::OW)];
        assert_eq!(keys(PAIRS, &["mset", "a", "1", "b", "2"]), Some(vec![1, 3]));
        const COUNTED: &[KeySpec] = &[KeySpec::counted(2, Access::RW)];
        assert_eq!(keys(COUNTED, &["eval", "s", "2", "a", "b", "arg"]), Some(vec![3, 4]));
        assert_eq!(keys(COUNTED, &["eval", "s", "9", "a"]), None);
        assert_eq!(keys(COUNTED, &["eval", "s", "x", "a"]), None);
        const STORE: &[KeySpec] = &[KeySpec {
            access: Access::OW,
            begin: Begin::Keyword("STORE", 2),
            find: Find::Range { last: 0, step: 1, limit: 0 },
        }];
        assert_eq!(keys(STORE, &["sort", "k", "store", "d"]), Some(vec![3]));
        assert_eq!(keys(STORE, &["sort", "k"]), Some(vec![]));
        const LAST_STORE: &[KeySpec] = &[KeySpec { access: Access::OW, begin: Begin::Unknown, find: Find::Unknown }];
        assert_eq!(keys(LAST_STORE, &["sort", "store", "get", "store", "x", "STORE", "d", "store"]), Some(vec![6]));
        assert_eq!(keys(LAST_STORE, &["sort", "store", "x"]), Some(vec![]));
    }

    #[test]
    fn arity_counts_the_name() {
        let spec = Spec::new("get", 2, Group::String, Flags::READONLY);
        assert!(spec.accepts(2) && !spec.accepts(1) && !spec.accepts(3));
        let spec = Spec::new("del", -2, Group::Generic, Flags::WRITE);
        assert!(spec.accepts(2) && spec.accepts(9) && !spec.accepts(1));
    }
}
