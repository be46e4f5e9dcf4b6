//! LCS: the longest common subsequence of two strings, by the table that has a row for each byte of the first and a
//! column for each byte of the second.

use super::READ;
use crate::command::args::{self, is};
use crate::command::{Access, Command, CommandError, Cx, DataCommand, Group, KeySpec, Outcome, Spec};
use crate::keyspace::Typed;
use crate::reply::Sink;
use crate::value::StringValue;
use std::ops::Range;

pub(super) const LCS: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::range(1, 1, 1, Access::RO.union(Access::ACCESS))],
        since: "7.0.0",
        summary: "Answers the longest common subsequence of two strings, its length or where it matches.",
        complexity: "O(N*M) where N and M are the lengths of the strings, in time and in memory.",
        syntax: "key1 key2 [LEN] [IDX] [MINMATCHLEN len] [WITHMATCHLEN]",
        ..Spec::new("lcs", -3, Group::String, READ)
    },
    lcs,
);

fn lcs(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let (a, b) = (operand(cx, cx.args[1]), operand(cx, cx.args[2]));
    let (a, b) = (a?, b?);
    let (mut wants_len, mut wants_matches, mut with_len, mut min_len) = (false, false, false, 0);
    let mut rest = cx.args[3..].iter();
    while let Some(word) = rest.next() {
        if is(word, "idx") {
            wants_matches = true;
        } else if is(word, "len") {
            wants_len = true;
        } else if is(word, "withmatchlen") {
            with_len = true;
        } else if is(word, "minmatchlen") {
            min_len = args::int(rest.next().ok_or(CommandError::Syntax)?)?.max(0) as usize;
        } else {
            return Err(CommandError::Syntax);
        }
    }
    if wants_len && wants_matches {
        return Err(CommandError::Text("ERR If you want both the length and indexes, please just use IDX."));
    }
    let table = Table::of(&a, &b)?;
    if wants_len {
        out.int(table.len());
    } else if wants_matches {
        let mut matches = table.matches(&a, &b);
        matches.retain(|(at, _)| at.len() >= min_len);
        say_matches(&matches, table.len(), with_len, out);
    } else {
        let matches = table.matches(&a, &b);
        let common: Vec<u8> = matches.iter().rev().flat_map(|(at, _)| &a[at.clone()]).copied().collect();
        out.bulk(&common);
    }
    Ok(())
}

fn operand(cx: &mut Cx<'_>, key: &[u8]) -> Result<Vec<u8>, CommandError> {
    const NO_STRING: CommandError = CommandError::Text("ERR The specified keys must contain string values");
    match cx.keys.read(key) {
        Some(value) => StringValue::of(value).map(StringValue::to_vec).ok_or(NO_STRING),
        None => Ok(Vec::new()),
    }
}

fn say_matches(matches: &[(Range<usize>, Range<usize>)], len: i64, with_len: bool, out: &mut dyn Sink) {
    out.map(2);
    out.bulk(b"matches");
    out.array(matches.len());
    for (in_a, in_b) in matches {
        out.array(if with_len { 3 } else { 2 });
        for range in [in_a, in_b] {
            out.array(2);
            out.int(range.start as i64);
            out.int(range.end as i64 - 1);
        }
        if with_len {
            out.int(in_a.len() as i64);
        }
    }
    out.bulk(b"len");
    out.int(len);
}

/// For each pair of prefixes the length of their longest common subsequence.
struct Table {
    cells: Vec<u32>,
    width: usize,
}

impl Table {
    fn of(a: &[u8], b: &[u8]) -> Result<Self, CommandError> {
        const NO_MEMORY: CommandError =
            CommandError::Text("ERR Insufficient memory, failed allocating transient memory for LCS");
        let width = b.len() + 1;
        let size = width.checked_mul(a.len() + 1).ok_or(NO_MEMORY)?;
        let mut cells = Vec::new();
        cells.try_reserve_exact(size).map_err(|_| NO_MEMORY)?;
        cells.resize(size, 0);
        for (i, byte) in a.iter().enumerate() {
            let (above, row) = cells[i * width..(i + 2) * width].split_at_mut(width);
            for (j, other) in b.iter().enumerate() {
                row[j + 1] = if byte == other { above[j] + 1 } else { above[j + 1].max(row[j]) };
            }
        }
        Ok(Self { cells, width })
    }

    fn len(&self) -> i64 {
        self.cells.last().map_or(0, |&len| i64::from(len))
    }

    /// Where runs of common bytes are in both strings, the last run first.
    fn matches(&self, a: &[u8], b: &[u8]) -> Vec<(Range<usize>, Range<usize>)> {
        let mut runs: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        let (mut i, mut j) = (a.len(), b.len());
        while i > 0 && j > 0 {
            if a[i - 1] == b[j - 1] {
                match runs.last_mut() {
                    Some((in_a, in_b)) if in_a.start == i && in_b.start == j => {
                        (in_a.start, in_b.start) = (i - 1, j - 1);
                    }
                    _ => runs.push((i - 1..i, j - 1..j)),
                }
                (i, j) = (i - 1, j - 1);
            } else if self.cells[(i - 1) * self.width + j] > self.cells[i * self.width + j - 1] {
                i -= 1;
            } else {
                j -= 1;
            }
        }
        runs
    }
}
