//! A request: arguments split, nothing looked up yet.

/// Identifies a connection for as long as the server runs; never used twice.
pub type ClientId = u64;

/// Arguments of a request, the command's name first. Borrowed from a socket buffer, a transaction's queue or the Lua
/// stack.
pub type Argv<'a> = &'a [&'a [u8]];

/// A request that outlives the buffer it came in: queued by MULTI, or held back by CLIENT PAUSE.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Owned {
    argv: Vec<Box<[u8]>>,
}

impl Owned {
    /// Copies the arguments.
    pub fn new(argv: Argv<'_>) -> Self {
        Self { argv: argv.iter().map(|arg| Box::from(*arg)).collect() }
    }

    /// The arguments, borrowed again.
    pub fn argv(&self) -> smallvec::SmallVec<[&[u8]; 8]> {
        self.argv.iter().map(|arg| &**arg).collect()
    }

    /// Bytes held, for `multi-mem` of CLIENT LIST.
    pub fn memory_usage(&self) -> usize {
        self.argv.iter().map(|arg| arg.len() + size_of::<Box<[u8]>>()).sum()
    }
}
