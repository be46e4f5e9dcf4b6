//! Keys of any type.

use super::DataCommand;

pub(super) const COMMANDS: &[DataCommand] = &[];
