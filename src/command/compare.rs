//! Compare and delete without a script, in the spellings of Redis 8.4 (DELEX) and Valkey 9 (DELIFEQ). Compare and set
//! is an option of SET.

use super::args::{self, is};
use super::{Access, Command, CommandError, Cx, DataCommand, Flags, Group, KeySpec, Outcome, Spec};
use crate::keyspace::Typed;
use crate::reply::Sink;
use crate::value::StringValue;

pub(super) const COMMANDS: &[DataCommand] = &[DELEX, DELIFEQ];

const WRITE_FAST: Flags = Flags::WRITE.union(Flags::FAST);

const DELEX: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, Access::RM.union(Access::DELETE))],
        since: "8.4.0",
        summary: "Deletes a key, if asked to only if its string equals, or does not equal, a value.",
        syntax: "key [IFEQ value | IFNE value]",
        ..Spec::new("delex", -2, Group::String, WRITE_FAST)
    },
    delex,
);

/// Texts and their order are those of Redis 8.4; IFDEQ and IFDNE are not known.
fn delex(cx: &mut Cx<'_>, out: &mut dyn Sink) -> Outcome {
    let key = cx.args[1];
    let deletes = match cx.args[2..] {
        [] => true,
        [condition, value] => match cx.keys.write(key) {
            None => false,
            Some(there) => {
                const NO_STRING: &str = "ERR Key should be of string type if conditions are specified";
                let there = StringValue::of(there).ok_or(CommandError::Text(NO_STRING))?;
                let equal = there.scalar() == *value;
                if is(condition, "ifeq") {
                    equal
                } else if is(condition, "ifne") {
                    !equal
                } else {
                    const UNKNOWN: &str = "ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE";
                    return Err(CommandError::Text(UNKNOWN));
                }
            }
        },
        _ => return Err(args::arity(&DELEX.spec)),
    };
    delete(cx, out, deletes)
}

const DELIFEQ: DataCommand = Command::new(
    Spec {
        keys: &[KeySpec::one(1, Access::RM.union(Access::DELETE))],
        since: "9.0.0",
        summary: "Deletes a key if its string equals a value.",
        syntax: "key value",
        ..Spec::new("delifeq", 3, Group::String, WRITE_FAST)
    },
    |cx, out| {
        let value = cx.args[2];
        let equal = cx.keys.write_as::<StringValue>(cx.args[1])?.is_some_and(|there| there.scalar() == *value);
        delete(cx, out, equal)
    },
);

fn delete(cx: &mut Cx<'_>, out: &mut dyn Sink, wanted: bool) -> Outcome {
    let deleted = wanted && cx.keys.delete(cx.args[1]);
    if deleted {
        cx.keys.log(&[b"DEL", cx.args[1]]);
    }
    out.int(i64::from(deleted));
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::transcript::{check, replay};

    #[test]
    fn delifeq_deletes_only_what_it_was_told() {
        check(
            r#"
            A: DELIFEQ lock token
            A= :0
            A: SET lock token PX 1000
            A= +OK
            A: DELIFEQ lock other
            A= :0
            A: PTTL lock
            A= :1000
            A: DELIFEQ lock token
            A= :1
            A: EXISTS lock
            A= :0
            A: SET n 12
            A= +OK
            A: DELIFEQ n 012
            A= :0
            A: DELIFEQ n 12
            A= :1
            A: DELIFEQ n
            A= -ERR wrong number of arguments for 'delifeq' command
            "#,
        );
    }

    #[test]
    fn delex_deletes_on_condition() {
        check(
            r#"
            A: SET lock token
            A= +OK
            A: DELEX lock IFEQ other
            A= :0
            A: DELEX lock IFNE token
            A= :0
            A: DELEX lock foo token
            A= -ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE
            A: DELEX lock IFEQ
            A= -ERR wrong number of arguments for 'delex' command
            A: DELEX lock IFEQ token x
            A= -ERR wrong number of arguments for 'delex' command
            A: DELEX lock ifeq token
            A= :1
            A: DELEX lock IFNE token
            A= :0
            A: SET lock token
            A= +OK
            A: DELEX lock IFNE other
            A= :1
            A: DELEX lock
            A= :0
            A: SET lock token
            A= +OK
            A: DELEX lock
            A= :1
            "#,
        );
    }

    #[test]
    fn conditional_deletions_replay() {
        replay(
            r#"
            A: SET a 1
            A= +OK
            A: SET b 1 PX 100
            A= +OK
            A: DELEX a IFEQ 1
            A= :1
            A: DELIFEQ b 2
            A= :0
            "#,
        );
    }
}
