//! Commands of whole databases: DBSIZE, FLUSHDB, FLUSHALL, SWAPDB.

use super::{READ_FAST, WRITE_FAST};
use crate::command::args::is;
use crate::command::{Categories, Command, CommandError, Cx, DataCommand, Flags, Group, Outcome, Spec};
use crate::number;
use crate::reply::Sink;

pub(super) const DBSIZE: DataCommand = Command::new(
    Spec {
        categories: Categories::KEYSPACE,
        summary: "Answers the number of keys in the selected database.",
        tips: &["request_policy:all_shards", "response_policy:agg_sum"],
        ..Spec::new("dbsize", 1, Group::Server, READ_FAST)
    },
    |cx, out| {
        cx.keys.touch_all();
        out.int(cx.keys.len() as i64);
        Ok(())
    },
);

const fn flusher(name: &'static str, summary: &'static str) -> Spec {
    Spec {
        categories: Categories::KEYSPACE.union(Categories::DANGEROUS),
        summary,
        complexity: "O(1); another thread frees the values.",
        syntax: "[ASYNC | SYNC]",
        tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
        ..Spec::new(name, -1, Group::Server, Flags::WRITE)
    }
}

pub(super) const FLUSHDB: DataCommand =
    Command::new(flusher("flushdb", "Deletes all keys of the selected database."), |cx, out| {
        let here = cx.keys.db;
        flush(cx, out, here..here + 1)
    });

pub(super) const FLUSHALL: DataCommand =
    Command::new(flusher("flushall", "Deletes all keys of all databases."), |cx, out| {
        let all = 0..cx.keys.state.databases();
        flush(cx, out, all)
    });

/// ASYNC and SYNC make no difference: no values are freed while clients wait.
fn flush(cx: &mut Cx<'_>, out: &mut dyn Sink, databases: std::ops::Range<usize>) -> Outcome {
    match cx.args[1..] {
        [] => {}
        [how] if is(how, "async") || is(how, "sync") => {}
        _ => return Err(CommandError::Syntax),
    }
    for db in databases {
        cx.keys.flush(db);
    }
    // Logged even if there was nothing to delete (Redis 7.0).
    cx.keys.log(cx.args);
    out.status("OK");
    Ok(())
}

pub(super) const SWAPDB: DataCommand = Command::new(
    Spec {
        categories: Categories::KEYSPACE.union(Categories::DANGEROUS),
        since: "4.0.0",
        summary: "Exchanges two databases, for all connections at once.",
        complexity: "O(1), but O(N) in the number of their keys while anyone watches or waits for keys.",
        syntax: "index1 index2",
        ..Spec::new("swapdb", 3, Group::Server, WRITE_FAST)
    },
    swapdb,
);

fn swapdb(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let first = index(cx.args[1], "ERR invalid first DB index")?;
    let second = index(cx.args[2], "ERR invalid second DB index")?;
    let known = |index: i32| usize::try_from(index).ok().filter(|index| *index < cx.keys.state.databases());
    let (Some(first), Some(second)) = (known(first), known(second)) else {
        return Err(CommandError::Text("ERR DB index is out of range"));
    };
    cx.keys.swap(first, second);
    out.status("OK");
    Ok(())
}

fn index(arg: &[u8], invalid: &'static str) -> Result<i32, CommandError> {
    number::parse_int(arg).and_then(|index| i32::try_from(index).ok()).ok_or(CommandError::Text(invalid))
}

#[cfg(test)]
mod tests {
    #[test]
    fn swapping_a_key_past_its_deadline_breaks_no_watch_of_a_missing_key() {
        crate::transcript::check_with(
            &["--enable-debug-command", "yes"],
            r#"
                B: FLUSHALL
                B= +OK
                B: SELECT 0
                B= +OK
                B: DEBUG SET-ACTIVE-EXPIRE 0
                B= +OK
                B: SET gone v PX 5
                B= +OK
                B: SELECT 1
                B= +OK
                B: SET there v
                B= +OK
                A: SELECT 1
                A= +OK
                advance 10
                A: WATCH gone
                A= +OK
                B: SWAPDB 0 1
                B= +OK
                A: MULTI
                A= +OK
                A: EXEC
                A= []
                "#,
        );
    }
}
