//! INFO.

use crate::executor::ControlCommand;

pub(in crate::executor) const COMMANDS: &[ControlCommand] = &[];
