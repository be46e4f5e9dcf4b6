//! Blocking commands: BLPOP and kin, WAIT.

use super::commands::ControlCommand;

pub(super) const COMMANDS: &[ControlCommand] = &[];
