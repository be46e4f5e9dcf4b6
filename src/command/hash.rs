//! Hashes.

use super::DataCommand;

pub(super) const COMMANDS: &[DataCommand] = &[];
