//! Publish and subscribe: who listens to what. Answers who is to receive a message; sends nothing, and knows clients
//! only by their ids.

mod audience;

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use ahash::AHashMap as HashMap;

use crate::glob;
use crate::request::ClientId;
use audience::{Audience, Ticket};

/// The three sorts of subscription. Their names never mix: a shard channel `x` is not the channel `x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// SUBSCRIBE, PUBLISH.
    Channel,
    /// PSUBSCRIBE: all channels, but no shard channels, that match a glob pattern.
    Pattern,
    /// SSUBSCRIBE, SPUBLISH.
    Shard,
}

/// One message to one client. A client that listens to a channel and to two patterns matching it receives three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delivery<'a> {
    /// Who receives it.
    pub client: ClientId,
    /// The pattern it listens to, for a `pmessage`; `None` for a `message` or `smessage`.
    pub pattern: Option<&'a [u8]>,
}

/// A name, shared by all places that mention it.
type Name = Arc<[u8]>;

/// All subscriptions of the server.
///
/// Subscribing costs a few hash lookups; unsubscribing in addition a binary search among those who listen to the same
/// name. Finding the receivers costs one lookup, and one match for each pattern. A client without subscriptions takes
/// no memory.
#[derive(Debug, Default)]
pub struct PubSub {
    channels: HashMap<Name, Audience>,
    shards: HashMap<Name, Audience>,
    patterns: Patterns,
    clients: HashMap<ClientId, Interests>,
    next_ticket: Ticket,
}

/// Patterns in the order in which they got their first listener.
#[derive(Debug, Default)]
struct Patterns {
    ordered: BTreeMap<Ticket, (Name, Audience)>,
    places: HashMap<Name, Ticket>,
}

/// What one client listens to, and since when.
#[derive(Debug, Default)]
struct Interests {
    channels: HashMap<Name, Ticket>,
    patterns: HashMap<Name, Ticket>,
    shards: HashMap<Name, Ticket>,
}

impl Interests {
    fn of(&self, kind: Kind) -> &HashMap<Name, Ticket> {
        match kind {
            Kind::Channel => &self.channels,
            Kind::Pattern => &self.patterns,
            Kind::Shard => &self.shards,
        }
    }

    fn of_mut(&mut self, kind: Kind) -> &mut HashMap<Name, Ticket> {
        match kind {
            Kind::Channel => &mut self.channels,
            Kind::Pattern => &mut self.patterns,
            Kind::Shard => &mut self.shards,
        }
    }

    fn is_empty(&self) -> bool {
        self.channels.is_empty() && self.patterns.is_empty() && self.shards.is_empty()
    }
}

impl PubSub {
    /// No subscriptions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets `client` listen to `name`; `false` if it does already.
    pub fn subscribe(&mut self, kind: Kind, client: ClientId, name: &[u8]) -> bool {
        let interests = self.clients.entry(client).or_default().of_mut(kind);
        if interests.contains_key(name) {
            return false;
        }
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        let (name, audience) = match kind {
            Kind::Channel => seats(&mut self.channels, name),
            Kind::Shard => seats(&mut self.shards, name),
            Kind::Pattern => self.patterns.seats(name, ticket),
        };
        audience.seat(ticket, client);
        interests.insert(name, ticket);
        true
    }

    /// Ends a subscription; `false` if there is none.
    pub fn unsubscribe(&mut self, kind: Kind, client: ClientId, name: &[u8]) -> bool {
        let Entry::Occupied(mut interests) = self.clients.entry(client) else {
            return false;
        };
        let Some(ticket) = interests.get_mut().of_mut(kind).remove(name) else {
            return false;
        };
        if interests.get().is_empty() {
            interests.remove();
        }
        self.unseat(kind, name, ticket);
        true
    }

    /// Ends all subscriptions of one kind; answers their names in the order in which they were made.
    pub fn unsubscribe_all(&mut self, kind: Kind, client: ClientId) -> Vec<Arc<[u8]>> {
        let Entry::Occupied(mut interests) = self.clients.entry(client) else {
            return Vec::new();
        };
        let mut left: Vec<_> = std::mem::take(interests.get_mut().of_mut(kind)).into_iter().collect();
        if interests.get().is_empty() {
            interests.remove();
        }
        left.sort_unstable_by_key(|(_, ticket)| *ticket);
        for (name, ticket) in &left {
            self.unseat(kind, name, *ticket);
        }
        left.into_iter().map(|(name, _)| name).collect()
    }

    /// Forgets a client that is gone.
    pub fn drop_client(&mut self, client: ClientId) {
        let Some(mut interests) = self.clients.remove(&client) else {
            return;
        };
        for kind in [Kind::Channel, Kind::Pattern, Kind::Shard] {
            for (name, ticket) in std::mem::take(interests.of_mut(kind)) {
                self.unseat(kind, &name, ticket);
            }
        }
    }

    /// How many channels and patterns `client` listens to: the count in the replies of SUBSCRIBE, PSUBSCRIBE and their
    /// opposites. Above 0, a RESP2 client is in subscriber mode.
    pub fn subscription_count(&self, client: ClientId) -> usize {
        self.count(Kind::Channel, client) + self.count(Kind::Pattern, client)
    }

    /// How many shard channels `client` listens to: the count in the replies of SSUBSCRIBE and SUNSUBSCRIBE.
    pub fn shard_subscription_count(&self, client: ClientId) -> usize {
        self.count(Kind::Shard, client)
    }

    /// How many subscriptions of one kind `client` has: `sub`, `psub` and `ssub` in CLIENT LIST.
    pub fn count(&self, kind: Kind, client: ClientId) -> usize {
        self.clients.get(&client).map_or(0, |interests| interests.of(kind).len())
    }

    /// The names `client` listens to, in the order in which it subscribed.
    pub fn names(&self, kind: Kind, client: ClientId) -> Vec<Arc<[u8]>> {
        let Some(interests) = self.clients.get(&client) else {
            return Vec::new();
        };
        let mut names: Vec<_> = interests.of(kind).iter().map(|(name, ticket)| (*ticket, name.clone())).collect();
        names.sort_unstable_by_key(|(ticket, _)| *ticket);
        names.into_iter().map(|(_, name)| name).collect()
    }

    /// Who listens to exactly this name, in order of subscription. For [`Kind::Pattern`]: to exactly this pattern.
    pub fn receivers(&self, kind: Kind, name: &[u8]) -> impl Iterator<Item = ClientId> + '_ {
        self.audience(kind, name).into_iter().flat_map(Audience::clients)
    }

    /// Everyone who listens to a pattern that `channel` matches, with the pattern: patterns in the order in which they
    /// got their first listener, the listeners of each in order of subscription.
    pub fn pattern_receivers<'a>(&'a self, channel: &'a [u8]) -> impl Iterator<Item = (&'a [u8], ClientId)> + 'a {
        self.patterns
            .ordered
            .values()
            .filter(move |(pattern, _)| glob::matches(pattern, channel))
            .flat_map(|(pattern, audience)| audience.clients().map(|client| (&pattern[..], client)))
    }

    /// All deliveries of a PUBLISH to `channel` in Redis's order: listeners of the channel first, then those of
    /// patterns. Their number is what PUBLISH answers. (Redis 7.0 visits the patterns in no particular order.)
    pub fn deliveries<'a>(&'a self, channel: &'a [u8]) -> impl Iterator<Item = Delivery<'a>> + 'a {
        let direct = self.receivers(Kind::Channel, channel).map(|client| Delivery { client, pattern: None });
        direct
            .chain(self.pattern_receivers(channel).map(|(pattern, client)| Delivery { client, pattern: Some(pattern) }))
    }

    /// How many clients listen to a name: PUBSUB NUMSUB, PUBSUB SHARDNUMSUB. Cost: one lookup.
    pub fn receiver_count(&self, kind: Kind, name: &[u8]) -> usize {
        self.audience(kind, name).map_or(0, Audience::len)
    }

    /// The names of a kind that someone listens to, all or those that match a glob pattern, sorted (Redis: in no
    /// particular order): PUBSUB CHANNELS, PUBSUB SHARDCHANNELS.
    pub fn active(&self, kind: Kind, pattern: Option<&[u8]>) -> Vec<&[u8]> {
        let wanted = |name: &&Name| pattern.is_none_or(|pattern| glob::matches(pattern, name));
        let mut names: Vec<&[u8]> = match kind {
            Kind::Channel => self.channels.keys().filter(wanted).map(|name| &name[..]).collect(),
            Kind::Shard => self.shards.keys().filter(wanted).map(|name| &name[..]).collect(),
            Kind::Pattern => self.patterns.places.keys().filter(wanted).map(|name| &name[..]).collect(),
        };
        names.sort_unstable();
        names
    }

    /// How many different names of a kind someone listens to: PUBSUB NUMPAT, and the three figures of INFO.
    pub fn active_count(&self, kind: Kind) -> usize {
        match kind {
            Kind::Channel => self.channels.len(),
            Kind::Shard => self.shards.len(),
            Kind::Pattern => self.patterns.places.len(),
        }
    }

    fn audience(&self, kind: Kind, name: &[u8]) -> Option<&Audience> {
        match kind {
            Kind::Channel => self.channels.get(name),
            Kind::Shard => self.shards.get(name),
            Kind::Pattern => {
                let place = self.patterns.places.get(name)?;
                self.patterns.ordered.get(place).map(|(_, audience)| audience)
            }
        }
    }

    fn unseat(&mut self, kind: Kind, name: &[u8], ticket: Ticket) {
        match kind {
            Kind::Channel => unseat_from(&mut self.channels, name, ticket),
            Kind::Shard => unseat_from(&mut self.shards, name, ticket),
            Kind::Pattern => self.patterns.unseat(name, ticket),
        }
    }
}

impl Patterns {
    fn seats(&mut self, name: &[u8], ticket: Ticket) -> (Name, &mut Audience) {
        let place = match self.places.get(name) {
            Some(place) => *place,
            None => {
                let name = Name::from(name);
                self.places.insert(name.clone(), ticket);
                self.ordered.insert(ticket, (name, Audience::default()));
                ticket
            }
        };
        let (name, audience) = self.ordered.get_mut(&place).expect("each place is in use");
        (name.clone(), audience)
    }

    fn unseat(&mut self, name: &[u8], ticket: Ticket) {
        let place = *self.places.get(name).expect("a subscription has its pattern");
        let (_, audience) = self.ordered.get_mut(&place).expect("each place is in use");
        audience.unseat(ticket);
        if audience.len() == 0 {
            self.ordered.remove(&place);
            self.places.remove(name);
        }
    }
}

fn seats<'a>(table: &'a mut HashMap<Name, Audience>, name: &[u8]) -> (Name, &'a mut Audience) {
    let name = table.get_key_value(name).map_or_else(|| Name::from(name), |(name, _)| name.clone());
    let audience = table.entry(name.clone()).or_default();
    (name, audience)
}

fn unseat_from(table: &mut HashMap<Name, Audience>, name: &[u8], ticket: Ticket) {
    let audience = table.get_mut(name).expect("a subscription has its audience");
    audience.unseat(ticket);
    if audience.len() == 0 {
        table.remove(name);
    }
}

#[cfg(test)]
mod tests;
