//! CLIENT.

use super::commands::ControlCommand;

pub(super) const COMMANDS: &[ControlCommand] = &[];
