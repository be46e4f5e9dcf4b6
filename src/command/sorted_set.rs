//! Sorted sets.

use super::DataCommand;

pub(super) const COMMANDS: &[DataCommand] = &[];
