//! Strings.

use super::DataCommand;

pub(super) const COMMANDS: &[DataCommand] = &[];
