//! What the slow log and MONITOR show of requests that carry secrets.

use crate::config::Config;
use crate::executor::commands::Row;
use crate::request::Argv;
use smallvec::SmallVec;

const HIDDEN: &[u8] = b"(redacted)";

/// The arguments, secrets replaced by `(redacted)` as Redis 7.0.15 does: all of AUTH, user and password of HELLO,
/// values of secret settings, rules of ACL SETUSER.
pub(super) fn redacted<'a>(row: &Row, argv: Argv<'a>) -> SmallVec<[&'a [u8]; 8]> {
    let mut shown: SmallVec<[&[u8]; 8]> = argv.into();
    match row.full_name {
        "auth" => shown[1..].fill(HIDDEN),
        "acl|setuser" => shown[2..].fill(HIDDEN),
        "hello" => {
            if let Some(at) = argv.iter().position(|arg| arg.eq_ignore_ascii_case(b"AUTH")) {
                let end = argv.len().min(at + 3);
                shown[at + 1..end].fill(HIDDEN);
            }
        }
        "config|set" => {
            for at in (2..argv.len()).step_by(2) {
                if Config::is_sensitive(argv[at])
                    && let Some(value) = shown.get_mut(at + 1)
                {
                    *value = HIDDEN;
                }
            }
        }
        _ => {}
    }
    shown
}
