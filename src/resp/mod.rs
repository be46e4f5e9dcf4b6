//! The protocol: bytes to requests, replies to bytes, RESP2 and RESP3. No sockets, no clients, no clock.
//!
//! [`Parser`] turns what has arrived into requests and can stop at any byte; [`Encoder`] is the
//! [`Sink`](crate::reply::Sink) that writes replies.
//!
//! Why not the crate `redis-protocol`, which serves here as the oracle of the tests: it decodes a frame from its first
//! byte on every call, so a 500 MB value that arrives in 16 KB reads is walked 30,000 times; it allocates a tree for
//! each request where a server needs a flat list of ranges; it knows neither inline commands nor the limits of an
//! unauthenticated client; and it does not give Redis's error texts.

mod encoder;
mod inline;
mod parser;

pub use encoder::Encoder;
pub use inline::{quote, split_quoted};
pub use parser::{Parsed, Parser};

use std::borrow::Cow;

/// What a client may announce. The defaults are those of Redis 7.0 for an authenticated client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most arguments in one request.
    pub max_multibulk: usize,
    /// Most bytes in one argument (`proto-max-bulk-len`).
    pub proto_max_bulk_len: usize,
    /// Most bytes before the end of an inline request or of a `*` or `$` line.
    pub max_line: usize,
    /// Whether the client has authenticated or need not. If not: at most 10 arguments of at most 16,384 bytes.
    ///
    /// A session must therefore run each request of an unauthenticated client before it parses the next one: it may be
    /// the AUTH that lifts the limit.
    pub authenticated: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_multibulk: i32::MAX as usize,
            proto_max_bulk_len: 512 * 1024 * 1024,
            max_line: 64 * 1024,
            authenticated: true,
        }
    }
}

/// Why a connection cannot be understood any further. Redis sends [`ProtocolError::wire_text`] and closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProtocolError {
    /// The number after `*` is no number, or above the limit.
    InvalidMultibulkLength,
    /// More than 10 arguments before authentication.
    UnauthenticatedMultibulkLength,
    /// The number after `$` is no number, negative, or above the limit.
    InvalidBulkLength,
    /// More than 16,384 bytes in an argument before authentication.
    UnauthenticatedBulkLength,
    /// An argument does not start with `$` but with this byte.
    ExpectedDollar(u8),
    /// A `*` line does not end.
    TooBigMultibulkCount,
    /// A `$` line does not end.
    TooBigBulkCount,
    /// An inline request does not end.
    TooBigInline,
    /// An inline request leaves a quote open, or has text right after a closing quote.
    UnbalancedQuotes,
}

impl ProtocolError {
    /// The error reply as Redis 7.0.15 words it, for [`Sink::error`](crate::reply::Sink::error). Not always UTF-8, and
    /// may hold CR or LF, because it quotes the client.
    pub fn wire_text(&self) -> Cow<'static, [u8]> {
        let text: &'static str = match self {
            Self::InvalidMultibulkLength => "ERR Protocol error: invalid multibulk length",
            Self::UnauthenticatedMultibulkLength => "ERR Protocol error: unauthenticated multibulk length",
            Self::InvalidBulkLength => "ERR Protocol error: invalid bulk length",
            Self::UnauthenticatedBulkLength => "ERR Protocol error: unauthenticated bulk length",
            Self::TooBigMultibulkCount => "ERR Protocol error: too big mbulk count string",
            Self::TooBigBulkCount => "ERR Protocol error: too big bulk count string",
            Self::TooBigInline => "ERR Protocol error: too big inline request",
            Self::UnbalancedQuotes => "ERR Protocol error: unbalanced quotes in request",
            Self::ExpectedDollar(got) => {
                let mut text = b"ERR Protocol error: expected '$', got ' '".to_vec();
                let place = text.len() - 2;
                text[place] = *got;
                return Cow::Owned(text);
            }
        };
        Cow::Borrowed(text.as_bytes())
    }
}
