//! The gauntlet: whether a request may run at all. Order and texts are those of Redis 7.0.15's processCommand.

use super::commands::{Commands, Context, Flow, Row};
use super::{Executor, Turn};
use crate::command::{CommandError, Flags};
use crate::reply::Sink;
use crate::request::Argv;
use crate::session::{Client, Signals};

const NO_KEYSPACE: CommandError = CommandError::Text("ERR Replica can't interact with the keyspace");

/// Why a request does not run.
enum Refusal {
    Error(CommandError),
    Paused,
}

impl From<CommandError> for Refusal {
    fn from(error: CommandError) -> Self {
        Self::Error(error)
    }
}

impl Executor {
    /// Runs the request if it may run; says the refusal otherwise.
    pub(super) fn admit(&mut self, client: &mut Client, argv: Argv<'_>, out: &mut dyn Sink) -> Flow {
        let checked = self.lookup(argv).map_err(Refusal::from).and_then(|row| {
            client.command = Some(row.id as u32);
            self.check(client, row, argv)?;
            Ok(row)
        });
        let row = match checked {
            Ok(row) => row,
            Err(Refusal::Paused) => return Flow::Paused,
            Err(Refusal::Error(error)) => {
                let row = self.local.commands.nearest(argv);
                client.command = row.map(|row| row.id as u32);
                self.count_refusal(argv, &error);
                self.refuse(client, row, &error, out);
                return Flow::Next;
            }
        };
        if let Some(transaction) = client.transaction.as_mut().filter(|_| !runs_at_once(row)) {
            transaction.push(argv);
            out.status("QUEUED");
            return Flow::Next;
        }
        let flow = self.call(client, row, argv, Context::Direct, out);
        self.commit();
        flow
    }

    /// Says why a request does not run. A transaction that it was meant for does not run either; EXEC itself drops it.
    fn refuse(&mut self, client: &mut Client, row: Option<&'static Row>, error: &CommandError, out: &mut dyn Sink) {
        if row.is_some_and(|row| row.spec.name == "exec") {
            self.discard_transaction(client);
            return out.error(exec_abort(error).as_bytes());
        }
        if let Some(transaction) = &mut client.transaction {
            transaction.aborted = true;
        }
        out.error(error.to_string().as_bytes());
    }

    /// Counts a request that did not run, for its command too if there is one.
    fn count_refusal(&mut self, argv: Argv<'_>, error: &CommandError) {
        self.local.stats.error(&error.to_string());
        let Some(row) = argv.first().and_then(|name| self.local.commands.find(name)) else {
            return;
        };
        match argv.get(1).filter(|_| !row.subcommands.is_empty()) {
            None => self.local.stats.rejected(row.id),
            // Redis 7.0 knows no command when it does not know the subcommand.
            Some(word) => row.subcommand(word).into_iter().for_each(|sub| self.local.stats.rejected(sub.id)),
        }
    }

    /// The row of the command, arity checked.
    pub(super) fn lookup(&self, argv: Argv<'_>) -> Result<&'static Row, CommandError> {
        self.local.commands.checked(argv)
    }

    fn check(&mut self, client: &Client, row: &'static Row, argv: Argv<'_>) -> Result<(), Refusal> {
        let flags = row.spec.flags;
        if flags.contains(Flags::PROTECTED) && !self.local.allows_protected(row.spec, &client.session) {
            return Err(CommandError::Owned(protected_text(row)).into());
        }
        if !client.authenticated && !self.local.config.requirepass.is_empty() && !flags.contains(Flags::NO_AUTH) {
            return Err(CommandError::Text("NOAUTH Authentication required.").into());
        }
        if client.transaction.is_some() && flags.contains(Flags::NO_MULTI) {
            return Err(CommandError::Text("ERR Command not allowed inside a transaction").into());
        }
        let all = flags | self.queued_flags(client, row);
        // A queue takes memory, whatever is in it.
        let queued = client.transaction.is_some() && !matches!(row.spec.name, "exec" | "discard" | "quit" | "reset");
        self.check_room(if queued { all | Flags::DENYOOM } else { all })?;
        if client.in_subscribe_mode() && !allowed_while_subscribed(row) {
            return Err(CommandError::Owned(format!(
                "ERR Can't execute '{}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in \
                 this context",
                row.full_name
            ))
            .into());
        }
        if client.session.has(Signals::MONITOR | Signals::FOLLOWER) {
            // Redis takes a monitor for a replica: it sees no keys, and no pause holds it.
            let keyspace = Flags::READONLY | Flags::WRITE | Flags::MAY_REPLICATE;
            return if all.intersects(keyspace) { Err(NO_KEYSPACE.into()) } else { Ok(()) };
        }
        if self.local.pause.until().is_some() {
            let flags = self.declared_flags(client, row, argv);
            if self.local.pause.holds(flags, self.now, client) {
                return Err(Refusal::Paused);
            }
        }
        Ok(())
    }

    /// What EXEC is about to run: it runs as a whole or not at all.
    fn queued_flags(&self, client: &Client, row: &Row) -> Flags {
        let queue =
            client.transaction.as_ref().filter(|_| row.spec.name == "exec").map(|transaction| &transaction.queue);
        queue
            .into_iter()
            .flatten()
            .filter_map(|request| self.lookup(&request.argv()).ok())
            .fold(Flags::empty(), |all, row| all | row.spec.flags)
    }

    /// The flags of the request, with those of what EXEC is about to run; scripts count as they declare themselves.
    fn declared_flags(&mut self, client: &Client, row: &'static Row, argv: Argv<'_>) -> Flags {
        let mut flags = self.flags_of_request(row, argv);
        if let Some(transaction) = client.transaction.as_ref().filter(|_| row.spec.name == "exec") {
            for request in &transaction.queue {
                let argv = request.argv();
                if let Ok(row) = self.lookup(&argv) {
                    flags |= self.flags_of_request(row, &argv);
                }
            }
        }
        flags
    }

    /// Whether a write finds room in memory and in the journal. Scripts check each of their calls.
    fn check_room(&mut self, flags: Flags) -> Result<(), CommandError> {
        if flags.contains(Flags::DENYOOM) && self.out_of_memory() {
            return Err(CommandError::Text("OOM command not allowed when used memory > 'maxmemory'."));
        }
        if flags.intersects(Flags::WRITE) { self.check_journal() } else { Ok(()) }
    }

    /// Whether the journal has room for another entry.
    pub(super) fn check_journal(&self) -> Result<(), CommandError> {
        self.journal.room().map_err(|full| CommandError::Owned(full.to_string()))
    }
}

impl Commands {
    /// The row of the command, or of its subcommand, arity checked.
    pub(super) fn checked(&'static self, argv: Argv<'_>) -> Result<&'static Row, CommandError> {
        let name = argv.first().copied().unwrap_or_default();
        let row = self.find(name).ok_or_else(|| unknown(argv))?;
        let Some(word) = argv.get(1).filter(|_| !row.subcommands.is_empty()) else {
            return fitting(row, argv);
        };
        let sub = row
            .subcommand(word)
            .ok_or_else(|| CommandError::UnknownSubcommand(shown(word, 128), row.spec.name.to_ascii_uppercase()))?;
        fitting(sub, argv)
    }

    /// The row that a refused request names, whatever its number of arguments.
    pub(super) fn nearest(&'static self, argv: Argv<'_>) -> Option<&'static Row> {
        let row = self.find(argv.first()?)?;
        match argv.get(1) {
            Some(word) if !row.subcommands.is_empty() => row.subcommand(word),
            _ => Some(row),
        }
    }
}

impl Turn<'_> {
    /// The refusal of this request for its number of arguments.
    pub(super) fn arity(&self) -> CommandError {
        match self.ex.lookup(self.args) {
            Err(error @ CommandError::Arity(_)) => error,
            _ => CommandError::Arity(String::from_utf8_lossy(self.args[0]).to_ascii_lowercase()),
        }
    }
}

fn fitting(row: &'static Row, argv: Argv<'_>) -> Result<&'static Row, CommandError> {
    if row.spec.accepts(argv.len()) { Ok(row) } else { Err(CommandError::Arity(row.full_name.to_owned())) }
}

/// Commands that a transaction does not queue.
pub(super) fn runs_at_once(row: &Row) -> bool {
    matches!(row.spec.name, "exec" | "discard" | "multi" | "watch" | "quit" | "reset")
}

fn allowed_while_subscribed(row: &Row) -> bool {
    matches!(
        row.spec.name,
        "subscribe"
            | "unsubscribe"
            | "psubscribe"
            | "punsubscribe"
            | "ssubscribe"
            | "sunsubscribe"
            | "ping"
            | "quit"
            | "reset"
    )
}

fn shown(word: &[u8], most: usize) -> String {
    String::from_utf8_lossy(&word[..word.len().min(most)]).into_owned()
}

/// Redis 7.0.15: quotes arguments until 128 bytes of them are shown.
fn unknown(argv: Argv<'_>) -> CommandError {
    let mut args = String::new();
    for arg in argv.iter().skip(1) {
        if args.len() >= 128 {
            break;
        }
        args.push_str(&format!("'{}' ", shown(arg, 128 - args.len())));
    }
    let name = shown(argv.first().copied().unwrap_or_default(), 128);
    CommandError::Owned(format!("ERR unknown command '{name}', with args beginning with: {args}"))
}

/// What EXEC answers when it is refused (Redis 7.0.15, which leaves out the error's code where it is ERR).
pub(super) fn exec_abort(error: &CommandError) -> String {
    let text = error.to_string();
    format!("EXECABORT Transaction discarded because of: {}", text.strip_prefix("ERR ").unwrap_or(&text))
}

fn protected_text(row: &Row) -> String {
    let (command, option) = match row.spec.name {
        "debug" => ("DEBUG", "enable-debug-command"),
        _ => ("MODULE", "enable-module-command"),
    };
    format!(
        "ERR {command} command not allowed. If the {option} option is set to \"local\", you can run it from a local \
         connection, otherwise you need to set this option in the configuration file, and then restart the server."
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_refused_exec_loses_its_transaction() {
        crate::transcript::check(
            r#"
            A: MULTI
            A= +OK
            A: EXEC x
            A= -EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command
            A: EXEC
            A= -ERR EXEC without MULTI
            A: MULTI
            A= +OK
            A: SET a 1
            A= +QUEUED
            B: MULTI
            B= +OK
            B: GET a
            B= +QUEUED
            C: MULTI
            C= +OK
            D: CONFIG SET maxmemory 1
            D= +OK
            A: EXEC
            A= -EXECABORT Transaction discarded because of: OOM command not allowed when used memory > 'maxmemory'.
            A: PING
            A= +PONG
            B: EXEC
            B= [nil]
            C: PING
            C= -OOM command not allowed when used memory > 'maxmemory'.
            C: MULTI
            C= -OOM command not allowed when used memory > 'maxmemory'.
            C: EXEC
            C= -EXECABORT Transaction discarded because of previous errors.
            C: MULTI
            C= +OK
            C: GET a
            C= -OOM command not allowed when used memory > 'maxmemory'.
            C: DISCARD
            C= +OK
            "#,
        );
    }

    #[test]
    fn refusals_are_counted_for_their_command() {
        crate::transcript::check(
            r##"
            A: CONFIG RESETSTAT
            A= +OK
            A: ECHO
            A= -ERR wrong number of arguments for 'echo' command
            A: CONFIG GET
            A= -ERR wrong number of arguments for 'config|get' command
            A: CONFIG FOO
            A= -ERR unknown subcommand 'FOO'. Try CONFIG HELP.
            A: NOSUCH
            A~ -ERR unknown command.*
            A: SELECT 99
            A= -ERR DB index is out of range
            A: INFO commandstats
            A~ "# Commandstats\r\ncmdstat_echo:calls=0,usec=0,usec_per_call=0.00,rejected_calls=1,failed_calls=0\r\n.*
            A: INFO commandstats
            A~ .*cmdstat_select:calls=1,usec=0,usec_per_call=0.00,rejected_calls=0,failed_calls=1\r\n.*
            A: INFO commandstats
            A~ .*cmdstat_config|get:calls=0,usec=0,usec_per_call=0.00,rejected_calls=1,failed_calls=0\r\n.*
            A: INFO errorstats
            A= "# Errorstats\r\nerrorstat_ERR:count=5\r\n"
            "##,
        );
    }
}
