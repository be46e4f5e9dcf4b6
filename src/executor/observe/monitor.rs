//! MONITOR: every command, as it runs, to whoever asked.

use crate::command::Flags;
use crate::executor::ControlCommand;
use crate::executor::commands::Context;
use crate::executor::{Executor, commands::Row};
use crate::request::Argv;
use crate::session::{Client, Signals};

pub(in crate::executor) const COMMANDS: &[ControlCommand] = &[];

impl Executor {
    /// Shows the command to all monitors. Administration commands are not shown (Redis 7.0).
    pub(in crate::executor) fn feed_monitors(&mut self, client: &Client, row: &Row, argv: Argv<'_>, context: Context) {
        if self.local.monitors.is_empty() || row.is(Flags::SKIP_MONITOR | Flags::ADMIN) {
            return;
        }
        let line = self.monitor_line(client, argv, context);
        let text = self.local.mail.write(false, |out| out.status(&line));
        for monitor in &self.local.monitors {
            self.local.mail.address(monitor, text.clone());
        }
    }

    fn monitor_line(&self, client: &Client, argv: Argv<'_>, context: Context) -> String {
        let wall_us = self.local.clock.wall_us();
        let source = match context {
            Context::Script => "lua".to_owned(),
            _ if client.session.has(Signals::UNIX_SOCKET) => format!("unix:{}", client.session.shown.lock().laddr),
            _ => client.session.shown.lock().addr.clone(),
        };
        let mut line = format!("{}.{:06} [{} {source}]", wall_us / 1_000_000, wall_us % 1_000_000, client.db);
        for arg in argv {
            line.push(' ');
            quote(arg, &mut line);
        }
        line
    }
}

/// Writes `bytes` in quotes, with the escapes of Redis's sdscatrepr.
pub(crate) fn quote(bytes: &[u8], into: &mut String) {
    into.push('"');
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => {
                into.push('\\');
                into.push(char::from(byte));
            }
            b'\n' => into.push_str("\\n"),
            b'\r' => into.push_str("\\r"),
            b'\t' => into.push_str("\\t"),
            0x07 => into.push_str("\\a"),
            0x08 => into.push_str("\\b"),
            b' '..=b'~' => into.push(char::from(byte)),
            _ => into.push_str(&format!("\\x{byte:02x}")),
        }
    }
    into.push('"');
}
