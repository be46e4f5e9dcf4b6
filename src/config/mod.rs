//! Settings: redis.conf names and values, from files, command lines and CONFIG SET, as typed fields.
//!
//! In reading order: `table` says what a setting is, `effective` and `inert` list them all, `value` reads and tells
//! values, `settings` holds the typed ones, `source` reads files, `command_line` reads arguments, `rewrite` writes
//! files.
//!
//! This room knows nothing of the server: it prints nothing, ends nothing and applies nothing. It touches the disk only
//! to read and rewrite config files, to look at the directory that `dir` names, and to probe the log file at the end of
//! a load.

mod command_line;
mod effective;
mod error;
mod inert;
mod rewrite;
mod settings;
mod source;
mod table;
#[cfg(test)]
mod tests;
mod value;

use std::ops::Deref;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

pub use command_line::Invocation;
pub use error::ConfigError;
pub use settings::{LogLevel, OutputLimit, OutputLimits, Permission, Rename, Settings};
use table::Row;
use value::{Kind, LIMIT_CLASSES, Value, Why};

/// All settings. Dereferences to the typed ones; they change only through [`Config::set`], so CONFIG GET and the fields
/// agree.
#[derive(Debug, Clone)]
pub struct Config {
    settings: Settings,
    /// The value of each row, in the order of `table::rows`.
    values: Vec<Value>,
    renames: Vec<Rename>,
    file: Option<PathBuf>,
}

impl Deref for Config {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        &self.settings
    }
}

impl Default for Config {
    /// The defaults of Redis 7.0. `dir` is the current directory, or `/` if that is gone.
    fn default() -> Self {
        let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        let mut settings = Settings::default();
        let mut values = Vec::new();
        for (_, row) in table::rows() {
            let nothing = Value::Words(Vec::new());
            let value = match row.kind {
                Kind::Dir => Value::Text(here.as_os_str().as_bytes().to_vec()),
                Kind::ReplicaOf => nothing,
                // Invariant: every default parses; a test walks the table.
                kind => kind.parse(&kind.words(row.default.as_bytes()), &nothing).expect("default"),
            };
            if let Some(effect) = row.effect {
                effect(&mut settings, &value);
            }
            values.push(value);
        }
        Self { settings, values, renames: Vec::new(), file: None }
    }
}

impl Config {
    /// The `rename-command` lines, in order. Not yet checked against the commands that exist.
    pub fn renames(&self) -> &[Rename] {
        &self.renames
    }

    /// The config file given on the command line, absolute.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// CONFIG GET: names and values of all settings that some pattern matches, each name once. A pattern without `*`,
    /// `?` and `[` is a name, answered as it was spelled, in any case; the few hidden settings (Redis 7.0's own) are
    /// found only so.
    pub fn query(&self, patterns: &[&[u8]]) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut found: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        let mut add = |name: &[u8], index: usize, row: &Row| {
            if !found.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
                found.push((name.to_vec(), row.kind.tell(&self.values[index])));
            }
        };
        for pattern in patterns {
            if pattern.iter().any(|b| matches!(b, b'*' | b'?' | b'[')) {
                for (index, row) in table::rows().filter(|(_, row)| !row.hidden) {
                    for name in row.names().filter(|name| crate::glob::matches_nocase(pattern, name.as_bytes())) {
                        add(name.as_bytes(), index, row);
                    }
                }
            } else if let Some((index, row, _)) = table::find(pattern) {
                add(pattern, index, row);
            }
        }
        found
    }

    /// CONFIG SET, all or nothing. Tells the first names (never aliases) of the settings whose value is now another;
    /// whoever applies them and fails puts a clone back and answers [`ConfigError::not_applied`]. Multi-word values are
    /// split at each space. `client_is_local` opens protected settings where `enable-protected-configs` is `local`.
    pub fn set(&mut self, pairs: &[(&[u8], &[u8])], client_is_local: bool) -> Result<Vec<&'static str>, ConfigError> {
        let rows = self.settable(pairs, client_is_local)?;
        let mut next = self.clone();
        for ((index, row, name), (_, text)) in rows.iter().zip(pairs) {
            if matches!(row.kind, Kind::Save) {
                next.values[*index] = Value::Ints(Vec::new());
            }
            next.assign(*index, row, &row.kind.words(text))
                .map_err(|why| ConfigError::Set { name: (*name).to_owned(), why: why.into_owned() })?;
        }
        let changed = table::rows().filter(|(index, _)| next.values[*index] != self.values[*index]);
        let changed = changed.map(|(_, row)| row.name).collect();
        *self = next;
        Ok(changed)
    }

    /// The rows of all names, each with the name as the table spells it; the first name that may not be set is an
    /// error.
    fn settable(
        &self,
        pairs: &[(&[u8], &[u8])],
        client_is_local: bool,
    ) -> Result<Vec<(usize, &'static Row, &'static str)>, ConfigError> {
        let mut rows: Vec<(usize, &'static Row, &'static str)> = Vec::with_capacity(pairs.len());
        for (name, _) in pairs {
            let spelled = String::from_utf8_lossy(name).into_owned();
            let Some(found) = table::find(name) else {
                return Err(ConfigError::UnknownName(spelled));
            };
            let (_, row, known) = found;
            let why = if row.immutable {
                "can't set immutable config"
            } else if row.protected && !self.enable_protected_configs.allows(client_is_local) {
                "can't set protected config"
            } else if rows.iter().any(|(_, _, earlier)| *earlier == known) {
                // As in Redis, an alias beside its first name is no duplicate: the later one wins.
                "duplicate parameter"
            } else {
                rows.push(found);
                continue;
            };
            return Err(ConfigError::Set { name: spelled, why: why.to_owned() });
        }
        Ok(rows)
    }

    /// Names of the settings that differ from their default and have no effect, for one line in the log.
    pub fn ineffective(&self) -> Vec<&'static str> {
        table::rows()
            .filter(|(index, row)| {
                row.effect.is_none() && row.kind.tell(&self.values[*index]) != row.default.as_bytes()
            })
            .map(|(_, row)| row.name)
            .collect()
    }

    /// Whether the value of this setting must not show in logs, MONITOR or the slow log. False for unknown names.
    pub fn is_sensitive(name: &[u8]) -> bool {
        table::find(name).is_some_and(|(_, row, _)| row.sensitive)
    }

    fn assign(&mut self, index: usize, row: &Row, words: &[&[u8]]) -> Result<(), Why> {
        let value = row.kind.parse(words, &self.values[index])?;
        if let Some((only, why)) = row.only
            && row.kind.tell(&value) != only.as_bytes()
        {
            return Err(why.into());
        }
        if let Some(effect) = row.effect {
            effect(&mut self.settings, &value);
        }
        self.values[index] = value;
        Ok(())
    }
}
