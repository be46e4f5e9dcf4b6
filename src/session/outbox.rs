//! What waits to be sent to one connection, in the order it was decided.
//!
//! Bytes leave as a prefix: up to the first one whose ticket the journal has not committed.

use crate::config::OutputLimit;
use crate::journal::Position;
use crate::time::Millis;
use std::collections::VecDeque;

/// Whether the connection may live on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Within its limits.
    Fine,
    /// Must be closed.
    Overrun,
}

/// Bytes to send, and what they wait for.
#[derive(Debug, Default)]
pub struct Outbox {
    bytes: Vec<u8>,
    /// How many of `bytes` have been sent already.
    sent: usize,
    /// Where held pieces begin (counted in bytes since the connection began), each with the position that it and all
    /// behind it wait for. Invariant: both rise.
    held: VecDeque<(u64, Position)>,
    /// Total bytes that ever left.
    left: u64,
    soft_since: Option<Millis>,
    /// Whether the I/O thread has been asked to send.
    pub queued: bool,
}

impl Outbox {
    /// Puts bytes in. `ticket` is the position they wait for, `None` when it is committed already.
    pub fn push(&mut self, bytes: &[u8], ticket: Option<Position>) {
        self.hold(ticket);
        self.bytes.extend_from_slice(bytes);
    }

    /// The same, taking over the buffer; an emptied one comes back in its place.
    pub fn push_all(&mut self, bytes: &mut Vec<u8>, ticket: Option<Position>) {
        self.hold(ticket);
        if self.is_empty() {
            self.bytes.clear();
            self.sent = 0;
            std::mem::swap(&mut self.bytes, bytes);
        } else {
            self.bytes.extend_from_slice(bytes);
        }
        bytes.clear();
    }

    /// What is put in next waits for `ticket`. What needs no ticket still leaves behind what does.
    fn hold(&mut self, ticket: Option<Position>) {
        let Some(ticket) = ticket else { return };
        if self.held.back().is_none_or(|(_, last)| *last < ticket) {
            self.held.push_back((self.left + self.len() as u64, ticket));
        }
    }

    /// Bytes not yet sent.
    pub fn len(&self) -> usize {
        self.bytes.len() - self.sent
    }

    /// Whether all was sent.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory held.
    pub fn memory_usage(&self) -> usize {
        self.bytes.capacity()
    }

    /// Whether some of it waits for the journal.
    pub fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// What may leave when everything up to `committed` is safe.
    pub fn ready(&mut self, committed: Position) -> &[u8] {
        while self.held.front().is_some_and(|(_, ticket)| *ticket <= committed) {
            self.held.pop_front();
        }
        let end = self.held.front().map_or(self.bytes.len(), |(begin, _)| self.sent + (begin - self.left) as usize);
        &self.bytes[self.sent..end]
    }

    /// `count` bytes of what [`Outbox::ready`] gave were sent.
    pub fn advance(&mut self, count: usize) {
        self.sent += count;
        self.left += count as u64;
        debug_assert!(self.sent <= self.bytes.len(), "no more is sent than was there");
        if self.is_empty() {
            self.bytes.clear();
            self.sent = 0;
        } else if self.sent > self.bytes.len() / 2 {
            self.bytes.drain(..self.sent);
            self.sent = 0;
        }
    }

    /// Gives memory back when nothing waits.
    pub fn shrink(&mut self, keep: usize) {
        if self.is_empty() && self.bytes.capacity() > keep {
            self.bytes = Vec::new();
        }
    }

    /// Drops everything that waits (the journal lost what it depended on).
    pub fn drop_all(&mut self) {
        self.left += self.len() as u64;
        self.bytes = Vec::new();
        self.sent = 0;
        self.held.clear();
    }

    /// Whether the connection stays within `limit`, as Redis's client-output-buffer-limit decides it.
    pub fn verdict(&mut self, limit: OutputLimit, now: Millis) -> Verdict {
        let used = self.len() as u64;
        if limit.hard_bytes > 0 && used >= limit.hard_bytes {
            return Verdict::Overrun;
        }
        if limit.soft_bytes == 0 || used < limit.soft_bytes {
            self.soft_since = None;
            return Verdict::Fine;
        }
        let since = *self.soft_since.get_or_insert(now);
        if now.since(since) > limit.soft_s as i64 * 1000 { Verdict::Overrun } else { Verdict::Fine }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(index: u64) -> Position {
        Position { term: 0, index }
    }

    #[test]
    fn bytes_leave_as_a_prefix_up_to_the_committed_position() {
        let mut outbox = Outbox::default();
        outbox.push(b"a", None);
        outbox.push(b"b", Some(at(2)));
        outbox.push(b"c", None);
        outbox.push(b"d", Some(at(3)));
        outbox.push(b"e", Some(at(1)));
        assert_eq!(outbox.ready(at(1)), b"a");
        outbox.advance(1);
        assert_eq!(outbox.ready(at(1)), b"");
        assert_eq!(outbox.ready(at(2)), b"bc");
        outbox.advance(1);
        assert_eq!(outbox.ready(at(2)), b"c");
        assert_eq!(outbox.ready(at(3)), b"cde");
        outbox.advance(3);
        assert!(outbox.is_empty() && !outbox.holds());
    }

    #[test]
    fn an_empty_outbox_takes_the_buffer_over() {
        let mut outbox = Outbox::default();
        let mut bytes = b"abc".to_vec();
        outbox.push_all(&mut bytes, Some(at(1)));
        assert!(bytes.is_empty());
        bytes.extend_from_slice(b"def");
        outbox.push_all(&mut bytes, None);
        assert_eq!(outbox.ready(at(0)), b"");
        assert_eq!(outbox.ready(at(1)), b"abcdef");
        outbox.drop_all();
        assert!(outbox.is_empty());
    }

    #[test]
    fn soft_limit_counts_only_while_it_is_passed() {
        let limit = OutputLimit { hard_bytes: 10, soft_bytes: 4, soft_s: 2 };
        let mut outbox = Outbox::default();
        outbox.push(b"12345", None);
        assert_eq!(outbox.verdict(limit, Millis(0)), Verdict::Fine);
        assert_eq!(outbox.verdict(limit, Millis(2_001)), Verdict::Overrun);
        outbox.advance(4);
        assert_eq!(outbox.verdict(limit, Millis(3_000)), Verdict::Fine);
        outbox.push(b"123456789", None);
        assert_eq!(outbox.verdict(limit, Millis(3_000)), Verdict::Overrun);
        assert_eq!(outbox.verdict(OutputLimit::default(), Millis(9_000)), Verdict::Fine);
    }
}
