//! DEBUG PROTOCOL: one reply of each kind, for the tests of client libraries. The values are those of Redis 7.0.

use crate::command::CommandError;
use crate::reply::Sink;

const WRONG: CommandError = CommandError::Text(
    "ERR Wrong protocol type name. Please use one of the following: \
     string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false",
);

/// Answers a reply of the named kind.
#[allow(clippy::approx_constant, reason = "a test value of Redis, not a bad pi")]
pub(super) fn show(kind: &[u8], out: &mut dyn Sink) -> Result<(), CommandError> {
    let kind = String::from_utf8_lossy(kind).to_ascii_lowercase();
    match kind.as_str() {
        "string" => out.bulk(b"Hello World"),
        "integer" => out.int(12345),
        "double" => out.double(3.141),
        "null" => out.nil(),
        "array" => {
            out.array(3);
            (0..3).for_each(|n| out.int(n));
        }
        "set" => {
            out.set(3);
            (0..3).for_each(|n| out.int(n));
        }
        "map" => {
            out.map(3);
            for n in 0..3 {
                out.int(n);
                out.boolean(n == 1);
            }
        }
        "attrib" => {
            if out.attributes(1) {
                out.bulk(b"key-popularity");
                out.array(2);
                out.bulk(b"key:123");
                out.int(90);
            }
            out.bulk(b"Some real reply following the attribute");
        }
        "push" => {
            if !out.resp3() {
                return Err(CommandError::Text("ERR RESP2 is not supported by this command"));
            }
            out.push(2);
            out.bulk(b"server-cpu-usage");
            out.int(42);
            out.bulk(b"Some real reply following the push reply");
        }
        "verbatim" => out.verbatim("txt", b"This is a verbatim\nstring"),
        "true" => out.boolean(true),
        "false" => out.boolean(false),
        "bignum" => out.big_number(b"1234567999999999999999999999999999999"),
        _ => return Err(WRONG),
    }
    Ok(())
}
