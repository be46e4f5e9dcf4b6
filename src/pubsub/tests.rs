//! Subscriptions beside a naive twin, under random operations.

use proptest::prelude::*;

use super::*;

const KINDS: [Kind; 3] = [Kind::Channel, Kind::Pattern, Kind::Shard];

/// The naive twin: one list of subscriptions, and the order in which patterns came.
#[derive(Default)]
struct Twin {
    subscriptions: Vec<(Kind, ClientId, Vec<u8>)>,
    patterns: Vec<Vec<u8>>,
}

impl Twin {
    fn subscribe(&mut self, kind: Kind, client: ClientId, name: &[u8]) -> bool {
        let wanted = (kind, client, name.to_vec());
        let new = !self.subscriptions.contains(&wanted);
        if new {
            self.subscriptions.push(wanted);
            if kind == Kind::Pattern && !self.patterns.iter().any(|pattern| pattern == name) {
                self.patterns.push(name.to_vec());
            }
        }
        new
    }

    fn leave(&mut self, goes: impl Fn(&(Kind, ClientId, Vec<u8>)) -> bool) -> Vec<Vec<u8>> {
        let (gone, left) = std::mem::take(&mut self.subscriptions).into_iter().partition(goes);
        self.subscriptions = left;
        let listened = |pattern: &Vec<u8>| self.subscriptions.iter().any(|s| s.0 == Kind::Pattern && s.2 == *pattern);
        self.patterns.retain(listened);
        let gone: Vec<(Kind, ClientId, Vec<u8>)> = gone;
        gone.into_iter().map(|(_, _, name)| name).collect()
    }

    fn receivers(&self, kind: Kind, name: &[u8]) -> Vec<ClientId> {
        self.subscriptions.iter().filter(|s| s.0 == kind && s.2 == name).map(|s| s.1).collect()
    }

    fn deliveries(&self, channel: &[u8]) -> Vec<(ClientId, Option<Vec<u8>>)> {
        let mut all: Vec<_> = self.receivers(Kind::Channel, channel).into_iter().map(|client| (client, None)).collect();
        for pattern in self.patterns.iter().filter(|pattern| glob::matches(pattern, channel)) {
            let clients = self.receivers(Kind::Pattern, pattern);
            all.extend(clients.into_iter().map(|client| (client, Some(pattern.clone()))));
        }
        all
    }

    fn active(&self, kind: Kind) -> Vec<Vec<u8>> {
        let mut names: Vec<_> = self.subscriptions.iter().filter(|s| s.0 == kind).map(|s| s.2.clone()).collect();
        names.sort();
        names.dedup();
        names
    }
}

#[derive(Debug, Clone)]
enum Step {
    Subscribe(Kind, ClientId, &'static [u8]),
    Unsubscribe(Kind, ClientId, &'static [u8]),
    UnsubscribeAll(Kind, ClientId),
    Drop(ClientId),
}

const NAMES: [&[u8]; 6] = [b"a", b"ab", b"a*", b"*", b"", b"?b"];

fn any_step() -> impl Strategy<Value = Step> {
    let kind = || prop::sample::select(&KINDS[..]);
    let name = || prop::sample::select(&NAMES[..]);
    let client = || 1..12u64;
    prop_oneof![
        8 => (kind(), client(), name()).prop_map(|(kind, client, name)| Step::Subscribe(kind, client, name)),
        6 => (kind(), client(), name()).prop_map(|(kind, client, name)| Step::Unsubscribe(kind, client, name)),
        1 => (kind(), client()).prop_map(|(kind, client)| Step::UnsubscribeAll(kind, client)),
        1 => client().prop_map(Step::Drop),
    ]
}

fn owned(names: Vec<Name>) -> Vec<Vec<u8>> {
    names.iter().map(|name| name.to_vec()).collect()
}

fn assert_same(hub: &PubSub, twin: &Twin) {
    for name in NAMES {
        for kind in KINDS {
            let receivers: Vec<_> = hub.receivers(kind, name).collect();
            assert_eq!(receivers, twin.receivers(kind, name));
            assert_eq!(hub.receiver_count(kind, name), receivers.len());
        }
        let deliveries: Vec<_> =
            hub.deliveries(name).map(|delivery| (delivery.client, delivery.pattern.map(<[u8]>::to_vec))).collect();
        assert_eq!(deliveries, twin.deliveries(name));
    }
    for kind in KINDS {
        assert_eq!(hub.active(kind, None), twin.active(kind));
        assert_eq!(hub.active_count(kind), twin.active(kind).len());
        for client in 1..12 {
            let names: Vec<_> =
                twin.subscriptions.iter().filter(|s| s.0 == kind && s.1 == client).map(|s| s.2.clone()).collect();
            assert_eq!(hub.count(kind, client), names.len());
            assert_eq!(owned(hub.names(kind, client)), names);
        }
    }
}

proptest! {
    #[test]
    fn subscriptions_agree_with_a_plain_list(steps in prop::collection::vec(any_step(), 0..120)) {
        let (mut hub, mut twin) = (PubSub::new(), Twin::default());
        for step in steps {
            match step {
                Step::Subscribe(kind, client, name) => {
                    prop_assert_eq!(hub.subscribe(kind, client, name), twin.subscribe(kind, client, name));
                }
                Step::Unsubscribe(kind, client, name) => {
                    let gone = twin.leave(|s| s.0 == kind && s.1 == client && s.2 == name);
                    prop_assert_eq!(hub.unsubscribe(kind, client, name), !gone.is_empty());
                }
                Step::UnsubscribeAll(kind, client) => {
                    let gone = twin.leave(|s| s.0 == kind && s.1 == client);
                    prop_assert_eq!(owned(hub.unsubscribe_all(kind, client)), gone);
                }
                Step::Drop(client) => {
                    twin.leave(|s| s.1 == client);
                    hub.drop_client(client);
                }
            }
            assert_same(&hub, &twin);
        }
        (1..12).for_each(|client| hub.drop_client(client));
        prop_assert!(hub.clients.is_empty() && hub.channels.is_empty() && hub.shards.is_empty());
        prop_assert!(hub.patterns.ordered.is_empty() && hub.patterns.places.is_empty());
    }
}

#[test]
fn a_client_receives_once_per_subscription() {
    let mut hub = PubSub::new();
    hub.subscribe(Kind::Pattern, 1, b"n*");
    hub.subscribe(Kind::Pattern, 2, b"*s");
    hub.subscribe(Kind::Channel, 2, b"news");
    hub.subscribe(Kind::Channel, 1, b"news");
    hub.subscribe(Kind::Shard, 3, b"news");
    let deliveries: Vec<_> = hub.deliveries(b"news").map(|delivery| (delivery.client, delivery.pattern)).collect();
    assert_eq!(deliveries, [(2, None), (1, None), (1, Some(&b"n*"[..])), (2, Some(&b"*s"[..]))]);
    assert_eq!(hub.subscription_count(1), 2);
    assert_eq!(hub.shard_subscription_count(3), 1);
    assert_eq!(hub.active(Kind::Channel, Some(b"x*")), Vec::<&[u8]>::new());
    assert_eq!(hub.active(Kind::Channel, Some(b"n*")), [b"news"]);
}

#[test]
fn a_crowd_leaves_one_channel_in_any_order() {
    let mut hub = PubSub::new();
    let crowd = 10_000;
    (0..crowd).for_each(|client| assert!(hub.subscribe(Kind::Channel, client, b"lock")));
    // Odd ones from the front, then even ones from the back.
    for client in (0..crowd).filter(|client| client % 2 == 1) {
        assert!(hub.unsubscribe(Kind::Channel, client, b"lock"));
    }
    assert!(hub.receivers(Kind::Channel, b"lock").eq((0..crowd).filter(|client| client % 2 == 0)));
    for client in (0..crowd).rev().filter(|client| client % 2 == 0) {
        hub.drop_client(client);
    }
    assert_eq!(hub.active_count(Kind::Channel), 0);
}
