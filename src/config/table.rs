//! The rows of the settings table: name, kind of value, default, and what becomes of it. Knows no current values.

use super::effective::EFFECTIVE;
use super::inert::INERT;
use super::settings::Settings;
use super::value::{Kind, Value};

/// One setting. Flags as in Redis 7.0, for CONFIG SET and CONFIG GET.
pub(super) struct Row {
    pub(super) name: &'static str,
    /// A second name, equal in every way; CONFIG GET lists both.
    pub(super) alias: Option<&'static str>,
    pub(super) kind: Kind,
    /// As CONFIG GET tells it. `dir` alone has none: it is the current directory.
    pub(super) default: &'static str,
    /// Carries a new value into the typed settings. A row without is accepted and kept, and does nothing.
    pub(super) effect: Option<fn(&mut Settings, &Value)>,
    /// The only value (as told) that holdfast can honour, and why no other.
    pub(super) only: Option<(&'static str, &'static str)>,
    /// CONFIG SET refuses it.
    pub(super) immutable: bool,
    /// CONFIG SET refuses it unless `enable-protected-configs` allows.
    pub(super) protected: bool,
    /// Patterns of CONFIG GET do not find it, only its full name.
    pub(super) hidden: bool,
    /// Its value must not show in logs.
    pub(super) sensitive: bool,
}

impl Row {
    pub(super) const fn alias(mut self, alias: &'static str) -> Self {
        self.alias = Some(alias);
        self
    }

    pub(super) const fn effect(mut self, effect: fn(&mut Settings, &Value)) -> Self {
        self.effect = Some(effect);
        self
    }

    pub(super) const fn only(mut self, value: &'static str, why: &'static str) -> Self {
        self.only = Some((value, why));
        self
    }

    pub(super) const fn immutable(mut self) -> Self {
        self.immutable = true;
        self
    }

    pub(super) const fn protected(mut self) -> Self {
        self.protected = true;
        self
    }

    pub(super) const fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    pub(super) const fn sensitive(mut self) -> Self {
        self.sensitive = true;
        self
    }

    /// The row's names: the first and, if there is one, the second.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.alias)
    }
}

pub(super) const I32: i64 = i32::MAX as i64;
pub(super) const U32: i64 = u32::MAX as i64;
/// The greatest memory size Redis accepts where it counts in signed numbers.
pub(super) const I64: u64 = i64::MAX as u64;

pub(super) const fn row(name: &'static str, default: &'static str, kind: Kind) -> Row {
    Row {
        name,
        alias: None,
        kind,
        default,
        effect: None,
        only: None,
        immutable: false,
        protected: false,
        hidden: false,
        sensitive: false,
    }
}

pub(super) const fn yes_no(name: &'static str, default: &'static str) -> Row {
    row(name, default, Kind::YesNo)
}

pub(super) const fn int(name: &'static str, default: &'static str, min: i64, max: i64) -> Row {
    row(name, default, Kind::Int { min, max })
}

pub(super) const fn memory(name: &'static str, default: &'static str, min: u64, max: u64) -> Row {
    row(name, default, Kind::Memory { min, max })
}

pub(super) const fn one_of(name: &'static str, default: &'static str, choices: &'static [&'static str]) -> Row {
    row(name, default, Kind::OneOf(choices))
}

pub(super) const fn text(name: &'static str, default: &'static str) -> Row {
    row(name, default, Kind::Text(|_| Ok(())))
}

pub(super) const fn checked(
    name: &'static str,
    default: &'static str,
    check: fn(&[u8]) -> Result<(), &'static str>,
) -> Row {
    row(name, default, Kind::Text(check))
}

/// All rows, with their index.
pub(super) fn rows() -> impl Iterator<Item = (usize, &'static Row)> {
    EFFECTIVE.iter().chain(INERT).enumerate()
}

/// The row of a name in any case, and the name as the table spells it.
pub(super) fn find(name: &[u8]) -> Option<(usize, &'static Row, &'static str)> {
    rows().find_map(|(index, row)| {
        let known = row.names().find(|known| known.as_bytes().eq_ignore_ascii_case(name))?;
        Some((index, row, known))
    })
}
