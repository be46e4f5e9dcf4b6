//! Compare-and-set forms that lock libraries use: DELEX, DELIFEQ.

use super::DataCommand;

pub(super) const COMMANDS: &[DataCommand] = &[];
