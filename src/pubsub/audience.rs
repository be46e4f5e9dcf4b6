//! Those who listen to one name, in order of subscription.

use smallvec::SmallVec;

use crate::request::ClientId;

/// When a subscription was made: ascending over the whole server.
pub(super) type Ticket = u64;

/// Seats in ascending order of tickets. Who leaves leaves an empty seat; when half are empty the rest move up. So
/// leaving costs a binary search, a message walks an array, and one listener, the usual case of a lock, needs no heap.
#[derive(Debug, Default)]
pub(super) struct Audience {
    seats: SmallVec<[Seat; 1]>,
    empty: usize,
}

#[derive(Debug, Clone, Copy)]
struct Seat {
    ticket: Ticket,
    client: Option<ClientId>,
}

impl Audience {
    pub(super) fn len(&self) -> usize {
        self.seats.len() - self.empty
    }

    pub(super) fn clients(&self) -> impl Iterator<Item = ClientId> + '_ {
        self.seats.iter().filter_map(|seat| seat.client)
    }

    /// The ticket must be above all tickets before it.
    pub(super) fn seat(&mut self, ticket: Ticket, client: ClientId) {
        debug_assert!(self.seats.last().is_none_or(|last| last.ticket < ticket));
        self.seats.push(Seat { ticket, client: Some(client) });
    }

    /// Invariant: the ticket is seated.
    pub(super) fn unseat(&mut self, ticket: Ticket) {
        let place = self.seats.binary_search_by_key(&ticket, |seat| seat.ticket).expect("the ticket is seated");
        let client = self.seats[place].client.take();
        debug_assert!(client.is_some(), "left twice");
        self.empty += 1;
        if self.empty * 2 > self.seats.len() {
            self.seats.retain(|seat| seat.client.is_some());
            self.seats.shrink_to_fit();
            self.empty = 0;
        }
    }
}
