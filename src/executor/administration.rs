//! Databases and the server itself: FLUSHALL, SWAPDB, TIME, ROLE, SHUTDOWN.

use super::commands::ControlCommand;

pub(super) const COMMANDS: &[ControlCommand] = &[];
