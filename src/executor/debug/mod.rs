//! DEBUG: for test suites and for looking inside. Guarded by `enable-debug-command`.
//!
//! What would save is not here.

mod digest;
mod protocol;

use super::commands::{Answer, ControlCommand, Flow, Turn};
use super::configuration;
use super::local::hex_name;
use crate::command::{Command, CommandError, Flags, Group, Spec, args};
use crate::keyspace::Keep;
use crate::number;
use crate::reply::Sink;
use crate::value::{StringValue, Value};

pub(super) const COMMANDS: &[ControlCommand] = &[DEBUG];

const DEBUG: ControlCommand = Command::new(
    Spec {
        summary: "Tests and looks inside the server.",
        complexity: "Depends on subcommand.",
        ..Spec::new(
            "debug",
            -2,
            Group::Server,
            Flags::ADMIN.union(Flags::NOSCRIPT).union(Flags::LOADING).union(Flags::STALE).union(Flags::PROTECTED),
        )
    },
    debug,
);

/// Subcommands in the notation of HELP, and what they do. They are no commands of their own in Redis 7.0 either.
const HELP: &[(&str, &str)] = &[
    ("CHANGE-REPL-ID", "Draws a new replication id."),
    ("CONFIG-REWRITE-FORCE-ALL", "Writes all settings into the config file."),
    ("DIGEST", "Answers a digest of all data: equal data has an equal one."),
    ("DIGEST-VALUE <key> [<key> ...]", "Answers a digest of the value of each key."),
    ("ERROR <string>", "Answers this error."),
    ("HTSTATS <dbid>", "Tells the size of a database's table."),
    ("LISTPACK <key>", "Checks that the value of the key is a small collection."),
    ("LOADAOF", "The same as RELOAD."),
    ("LOG <message>", "Writes a line into the log."),
    ("OBJECT <key>", "Shows how the value of the key is stored."),
    ("PANIC", "Crashes the server as a bug would."),
    ("POPULATE <count> [<prefix>] [<size>]", "Creates the keys prefix:0, prefix:1 and so on that are missing."),
    ("PROTOCOL <type>", "Answers a reply of the named type."),
    ("QUICKLIST-PACKED-THRESHOLD <size>", "Accepted without effect."),
    ("RELOAD", "Makes all data again from a snapshot, as a restart would."),
    ("REPLYBUFFER PEAK-RESET-TIME <NEVER|RESET|time>", "Accepted without effect."),
    ("REPLYBUFFER RESIZING <0|1>", "Accepted without effect."),
    ("SET-ACTIVE-EXPIRE <0|1>", "Turns the expiry of keys that nobody looks at off or on."),
    ("SET-DISABLE-DENY-SCRIPTS <0|1>", "Lets scripts call commands that are kept from them, or not."),
    ("SLEEP <seconds>", "Stops the server for a while. Decimals are fine."),
    ("HELP", "Lists the subcommands."),
];

fn debug(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let word = String::from_utf8_lossy(turn.args[1]).to_ascii_lowercase();
    if turn.act(&word)? {
        out.status("OK");
        return Ok(Flow::Next);
    }
    match (word.as_str(), &turn.args[2..]) {
        ("help", []) => say_help(out),
        ("object", [key]) => turn.say_object(key, out)?,
        ("digest", []) => out.status(&digest::of_state(&turn.ex.state)),
        ("digest-value", keys @ [_, ..]) => {
            out.array(keys.len());
            for key in keys {
                let keys = turn.ex.state.doors(&mut turn.ex.trace, turn.client.db, turn.ex.now);
                out.status(&digest::of_key(keys, key));
            }
        }
        ("protocol", [kind]) => protocol::show(kind, out)?,
        ("error", [text]) => out.error(text),
        ("panic", []) => panic!("called by DEBUG PANIC"),
        ("populate", [_] | [_, _] | [_, _, _]) => turn.populate(out)?,
        ("htstats", [index]) => turn.say_table(index, out)?,
        ("listpack", [key]) => {
            turn.expect_encoding(key, "listpack", "ERR Not a listpack encoded object.")?;
            out.status("Listpack structure printed on stdout");
        }
        ("quicklist", [key] | [key, _]) => {
            turn.expect_encoding(key, "quicklist", "ERR Not a quicklist encoded object.")?;
            out.status("Quicklist structure printed on stdout");
        }
        _ => return Err(unknown(turn.args[1])),
    }
    Ok(Flow::Next)
}

fn is_on(word: &[u8]) -> bool {
    number::parse_int(word).unwrap_or(0) != 0
}

fn unknown(word: &[u8]) -> CommandError {
    let word = String::from_utf8_lossy(&word[..word.len().min(128)]);
    CommandError::Owned(format!("ERR unknown subcommand or wrong number of arguments for '{word}'. Try DEBUG HELP."))
}

fn say_help(out: &mut dyn Sink) {
    out.array(1 + HELP.len() * 2);
    out.status("DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
    for (syntax, text) in HELP {
        out.status(syntax);
        out.status(&format!("    {text}"));
    }
}

impl Turn<'_> {
    /// Runs a subcommand that answers OK; false when `word` names none.
    fn act(&mut self, word: &str) -> Result<bool, CommandError> {
        let local = &mut self.ex.local;
        match (word, &self.args[2..]) {
            ("sleep", [seconds]) => {
                // Redis 7.0 reads what is no number as 0.
                let seconds = number::parse_double(seconds).unwrap_or(0.0);
                local.clock.sleep_us((seconds * 1e6) as i64);
            }
            ("set-active-expire", [on]) => {
                local.active_expire = is_on(on);
                // What fell due meanwhile is for the timer.
                local.want_timer(self.ex.now);
            }
            ("set-disable-deny-scripts", [on]) => local.scripts_call_all = is_on(on),
            ("change-repl-id", []) => local.identity.replid = hex_name(&mut local.random),
            ("log", [text]) => tracing::warn!("DEBUG LOG: {}", String::from_utf8_lossy(text)),
            ("quicklist-packed-threshold", [_]) => {}
            ("replybuffer", [what, value]) if args::is(what, "PEAK-RESET-TIME") => {
                if !args::is(value, "NEVER") && !args::is(value, "RESET") {
                    args::int(value)?;
                }
            }
            ("replybuffer", [what, _]) if args::is(what, "RESIZING") => {}
            ("config-rewrite-force-all", []) => configuration::rewrite_file(self, true)?,
            ("reload" | "loadaof", []) => {
                self.ex.reload().map_err(|error| CommandError::Owned(format!("ERR {error}")))?;
            }
            ("reload", _) => return Err(CommandError::Text("ERR Nothing is saved to disk that could be reloaded")),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn expect_encoding(&mut self, key: &[u8], encoding: &str, otherwise: &'static str) -> Result<(), CommandError> {
        let mut keys = self.ex.state.doors(&mut self.ex.trace, self.client.db, self.ex.now);
        if !keys.exists(key) {
            return Err(CommandError::NoSuchKey);
        }
        let fits = keys.peek(key).is_some_and(|value| value.encoding() == encoding);
        if fits { Ok(()) } else { Err(CommandError::Text(otherwise)) }
    }

    /// `serializedlength` is the size in memory: there is no other form.
    fn say_object(&mut self, key: &[u8], out: &mut dyn Sink) -> Result<(), CommandError> {
        let now = self.ex.now;
        let mut keys = self.ex.state.doors(&mut self.ex.trace, self.client.db, now);
        let idle_s = keys.idle_seconds(key).ok_or(CommandError::NoSuchKey)?;
        let value = keys.peek(key).ok_or(CommandError::NoSuchKey)?;
        let mut line = format!(
            "Value at:{value:p} refcount:1 encoding:{} serializedlength:{} lru:{} lru_seconds_idle:{idle_s}",
            value.encoding(),
            value.memory_usage(),
            now.seconds().saturating_sub(idle_s) & 0x00ff_ffff,
        );
        if let Value::List(list) = value {
            line.push_str(&format!(
                " ql_nodes:1 ql_avg_node:{}.00 ql_listpack_max:{} ql_compressed:0 ql_uncompressed_size:{}",
                list.len(),
                self.ex.local.config.list_max_listpack_size,
                list.memory_usage()
            ));
        }
        out.status(&line);
        Ok(())
    }

    /// Keys that exist stay as they are. No event is published (Redis 7.0); the journal hears of each key.
    fn populate(&mut self, out: &mut dyn Sink) -> Result<(), CommandError> {
        let count = args::count(self.args[2])?;
        let prefix = self.args.get(3).copied().unwrap_or(b"key");
        let size = self.args.get(4).map(|size| args::count(size)).transpose()?;
        let mut keys = self.ex.state.doors(&mut self.ex.trace, self.client.db, self.ex.now);
        for n in 0..count {
            let key = [prefix, b":", n.to_string().as_bytes()].concat();
            if keys.exists(&key) {
                continue;
            }
            let mut value = format!("value:{n}").into_bytes();
            if let Some(size) = size.filter(|size| *size > 0) {
                value.resize(size, 0);
            }
            keys.log(&[b"SET", &key, &value]);
            keys.put(&key, Value::String(StringValue::new(&value)), Keep::Nothing);
            keys.changed_by(&key, None, 1);
        }
        out.status("OK");
        Ok(())
    }

    fn say_table(&mut self, index: &[u8], out: &mut dyn Sink) -> Result<(), CommandError> {
        let index = args::int(index)?;
        let index = usize::try_from(index).ok().filter(|index| *index < self.ex.state.databases());
        let db = self.ex.state.db(index.ok_or(CommandError::Text("ERR Out of range database"))?);
        let mut text = String::new();
        for (title, name, len) in
            [("Dictionary HT", "main hash table", db.len()), ("Expires HT", "timer wheel", db.volatile())]
        {
            text.push_str(&format!("[{title}]\nHash table 0 stats ({name}):\n"));
            if len == 0 {
                text.push_str("No stats available for empty dictionaries\n");
            } else {
                text.push_str(&format!(
                    " table size: {}\n number of elements: {len}\n",
                    len.next_power_of_two().max(4)
                ));
            }
        }
        out.verbatim("txt", text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests;
