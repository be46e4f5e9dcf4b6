//! CLUSTER and kin: declared, so that clients can ask, and refused as by a Redis whose cluster mode is off.

use super::commands::{Answer, ControlCommand, Turn};
use crate::command::{Categories, Command, CommandError, Flags, Group, Spec};
use crate::reply::Sink;

pub(super) const COMMANDS: &[ControlCommand] = &[CLUSTER, READONLY, READWRITE, ASKING];

const READING: Flags = Flags::STALE;
const CHANGING: Flags = Flags::ADMIN.union(Flags::STALE).union(Flags::NO_ASYNC_LOADING);
const VARYING: &[&str] = &["nondeterministic_output"];

const CLUSTER: ControlCommand = Command {
    spec: Spec {
        since: "3.0.0",
        summary: "Has to do with cluster mode, which is off.",
        complexity: "Depends on subcommand.",
        ..Spec::new("cluster", -2, Group::Cluster, Flags::empty())
    },
    run: |turn, _| Err(turn.unknown_subcommand()),
    subcommands: &[
        sub("addslots", -3, CHANGING, "slot [slot ...]"),
        since_7(sub("addslotsrange", -4, CHANGING, "start-slot end-slot [start-slot end-slot ...]")),
        varying(sub("bumpepoch", 2, CHANGING, "")),
        varying(sub("count-failure-reports", 3, READING.union(Flags::ADMIN), "node-id")),
        sub("countkeysinslot", 3, READING, "slot"),
        sub("delslots", -3, CHANGING, "slot [slot ...]"),
        since_7(sub("delslotsrange", -4, CHANGING, "start-slot end-slot [start-slot end-slot ...]")),
        sub("failover", -2, CHANGING, "[FORCE | TAKEOVER]"),
        sub("flushslots", 2, CHANGING, ""),
        sub("forget", 3, CHANGING, "node-id"),
        varying(sub("getkeysinslot", 4, READING, "slot count")),
        sub("help", 2, Flags::LOADING.union(Flags::STALE), ""),
        varying(sub("info", 2, READING, "")),
        sub("keyslot", 3, READING, "key"),
        since_7(varying(sub("links", 2, READING, ""))),
        sub("meet", -4, CHANGING, "ip port [cluster_bus_port]"),
        sub("myid", 2, READING, ""),
        varying(sub("nodes", 2, READING, "")),
        varying(sub("replicas", 3, READING.union(Flags::ADMIN), "node-id")),
        sub("replicate", 3, CHANGING, "node-id"),
        sub("reset", -2, READING.union(Flags::ADMIN).union(Flags::NOSCRIPT), "[HARD | SOFT]"),
        sub("saveconfig", 2, CHANGING, ""),
        sub("set-config-epoch", 3, CHANGING, "config-epoch"),
        sub("setslot", -4, CHANGING, "slot <IMPORTING node-id | MIGRATING node-id | NODE node-id | STABLE>"),
        since_7(varying(sub("shards", 2, READING, ""))),
        varying(sub("slaves", 3, READING.union(Flags::ADMIN), "node-id")),
        varying(sub("slots", 2, READING, "")),
    ],
};

const fn sub(name: &'static str, arity: i32, flags: Flags, syntax: &'static str) -> ControlCommand {
    Command::new(
        Spec {
            since: "3.0.0",
            summary: "Refused: cluster mode is off.",
            syntax,
            ..Spec::new(name, arity, Group::Cluster, flags)
        },
        refuse,
    )
}

const fn since_7(command: ControlCommand) -> ControlCommand {
    Command { spec: Spec { since: "7.0.0", ..command.spec }, ..command }
}

const fn varying(command: ControlCommand) -> ControlCommand {
    Command { spec: Spec { tips: VARYING, ..command.spec }, ..command }
}

const READONLY: ControlCommand = mode("readonly", Flags::LOADING.union(Flags::STALE).union(Flags::FAST));
const READWRITE: ControlCommand = mode("readwrite", Flags::LOADING.union(Flags::STALE).union(Flags::FAST));
const ASKING: ControlCommand = mode("asking", Flags::FAST);

const fn mode(name: &'static str, flags: Flags) -> ControlCommand {
    Command::new(
        Spec {
            since: "3.0.0",
            summary: "Refused: cluster mode is off.",
            categories: Categories::CONNECTION,
            ..Spec::new(name, 1, Group::Cluster, flags)
        },
        refuse,
    )
}

fn refuse(_: &mut Turn<'_>, _: &mut dyn Sink) -> Answer {
    Err(CommandError::Text("ERR This instance has cluster support disabled"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn cluster_is_off() {
        crate::transcript::check(
            r#"
            A: CLUSTER INFO
            A= -ERR This instance has cluster support disabled
            A: CLUSTER FOO
            A= -ERR unknown subcommand 'FOO'. Try CLUSTER HELP.
            A: CLUSTER
            A= -ERR wrong number of arguments for 'cluster' command
            A: CLUSTER KEYSLOT
            A= -ERR wrong number of arguments for 'cluster|keyslot' command
            A: READONLY
            A= -ERR This instance has cluster support disabled
            A: ASKING
            A= -ERR This instance has cluster support disabled
            "#,
        );
    }
}
