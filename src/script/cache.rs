//! Compiled scripts: found by sha or by source, the least recently used of EVAL dropped, those of SCRIPT LOAD kept.

use std::rc::Rc;

use ahash::RandomState;
use std::collections::HashMap;

use super::vm::{Script, Sha};

/// Entry of a compiled script.
pub(super) struct Cached {
    pub(super) script: Script,
    source: Rc<[u8]>,
    kept: bool,
    used_at: u64,
}

/// The scripts of one VM. It knows no Lua: whoever removes an entry is told which function to let go.
#[derive(Default)]
pub(super) struct Cache {
    by_sha: HashMap<Sha, Cached, RandomState>,
    by_source: HashMap<Rc<[u8]>, Sha, RandomState>,
    clock: u64,
    evictable: usize,
    source_bytes: usize,
}

/// Bytes that Redis counts for a cached script beside its text.
const ENTRY_BYTES: usize = 120;

impl Cache {
    pub(super) fn len(&self) -> usize {
        self.by_sha.len()
    }

    pub(super) fn overhead_bytes(&self) -> usize {
        self.source_bytes + self.by_sha.len() * ENTRY_BYTES
    }

    pub(super) fn contains(&self, sha: &Sha) -> bool {
        self.by_sha.contains_key(sha)
    }

    pub(super) fn find(&mut self, sha: &Sha) -> Option<Script> {
        let cached = self.by_sha.get_mut(sha)?;
        self.clock += 1;
        cached.used_at = self.clock;
        Some(cached.script)
    }

    pub(super) fn find_source(&mut self, source: &[u8]) -> Option<Script> {
        let sha = *self.by_source.get(source)?;
        self.find(&sha)
    }

    /// From now on the script stays until a flush.
    pub(super) fn keep(&mut self, sha: &Sha) {
        if let Some(cached) = self.by_sha.get_mut(sha)
            && !std::mem::replace(&mut cached.kept, true)
        {
            self.evictable -= 1;
        }
    }

    pub(super) fn insert(&mut self, source: &[u8], script: Script) {
        let source: Rc<[u8]> = source.into();
        self.clock += 1;
        self.evictable += 1;
        self.source_bytes += source.len();
        self.by_source.insert(Rc::clone(&source), script.sha);
        self.by_sha.insert(script.sha, Cached { script, source, kept: false, used_at: self.clock });
    }

    /// Drops the least recently used script of EVAL if there are more than `bound`. Cost: linear in the cache.
    pub(super) fn evict(&mut self, bound: usize) -> Option<Script> {
        if self.evictable <= bound {
            return None;
        }
        let oldest = self.by_sha.values().filter(|cached| !cached.kept).min_by_key(|cached| cached.used_at)?;
        let sha = oldest.script.sha;
        let cached = self.by_sha.remove(&sha)?;
        self.by_source.remove(&cached.source);
        self.evictable -= 1;
        self.source_bytes -= cached.source.len();
        Some(cached.script)
    }

    pub(super) fn clear(&mut self) -> Vec<Script> {
        let scripts = self.by_sha.values().map(|cached| cached.script).collect();
        let clock = self.clock;
        *self = Self { clock, ..Self::default() };
        scripts
    }
}
