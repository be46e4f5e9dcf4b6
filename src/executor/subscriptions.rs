//! SUBSCRIBE and kin, PUBLISH, PUBSUB.
//!
//! A message enters the outboxes in the order of execution, so it never overtakes the acknowledgement of its SUBSCRIBE.

use super::commands::{Answer, ControlCommand, Flow, Turn};
use super::local::Local;
use crate::command::{Access, Command, Flags, Group, KeySpec, Spec};
use crate::pubsub::Kind;
use crate::reply::Sink;
use crate::session::{Client, Signals};

pub(super) const COMMANDS: &[ControlCommand] =
    &[SUBSCRIBE, UNSUBSCRIBE, PSUBSCRIBE, PUNSUBSCRIBE, SSUBSCRIBE, SUNSUBSCRIBE, PUBLISH, SPUBLISH, PUBSUB];

const LISTENING: Flags = Flags::PUBSUB.union(Flags::NOSCRIPT).union(Flags::LOADING).union(Flags::STALE);
const PUBLISHING: Flags =
    Flags::PUBSUB.union(Flags::LOADING).union(Flags::STALE).union(Flags::FAST).union(Flags::MAY_REPLICATE);
const SHARD_CHANNELS: &[KeySpec] = &[KeySpec::range(1, -1, 1, Access::NOT_KEY)];

const SUBSCRIBE: ControlCommand = Command::new(
    Spec {
        since: "2.0.0",
        summary: "Listens to channels.",
        complexity: "O(N) where N is the number of channels to subscribe to.",
        syntax: "channel [channel ...]",
        ..Spec::new("subscribe", -2, Group::PubSub, LISTENING)
    },
    |turn, out| turn.subscribe(Kind::Channel, out),
);

const UNSUBSCRIBE: ControlCommand = Command::new(
    Spec {
        since: "2.0.0",
        summary: "Stops listening to channels, or to all of them.",
        complexity: "O(N) where N is the number of clients already subscribed to a channel.",
        syntax: "[channel [channel ...]]",
        ..Spec::new("unsubscribe", -1, Group::PubSub, LISTENING)
    },
    |turn, out| turn.unsubscribe(Kind::Channel, out),
);

const PSUBSCRIBE: ControlCommand = Command::new(
    Spec {
        since: "2.0.0",
        summary: "Listens to all channels whose names match patterns.",
        complexity: "O(N) where N is the number of patterns the client is already subscribed to.",
        syntax: "pattern [pattern ...]",
        ..Spec::new("psubscribe", -2, Group::PubSub, LISTENING)
    },
    |turn, out| turn.subscribe(Kind::Pattern, out),
);

const PUNSUBSCRIBE: ControlCommand = Command::new(
    Spec {
        since: "2.0.0",
        summary: "Stops listening to patterns, or to all of them.",
        complexity: "O(N+M) where N is the number of patterns the client is already subscribed and M is the number of \
                     total patterns subscribed in the system (by any client).",
        syntax: "[pattern [pattern ...]]",
        ..Spec::new("punsubscribe", -1, Group::PubSub, LISTENING)
    },
    |turn, out| turn.unsubscribe(Kind::Pattern, out),
);

const SSUBSCRIBE: ControlCommand = Command::new(
    Spec {
        since: "7.0.0",
        summary: "Listens to shard channels.",
        complexity: "O(N) where N is the number of shard channels to subscribe to.",
        syntax: "shardchannel [shardchannel ...]",
        keys: SHARD_CHANNELS,
        ..Spec::new("ssubscribe", -2, Group::PubSub, LISTENING)
    },
    |turn, out| turn.subscribe(Kind::Shard, out),
);

const SUNSUBSCRIBE: ControlCommand = Command::new(
    Spec {
        since: "7.0.0",
        summary: "Stops listening to shard channels, or to all of them.",
        complexity: "O(N) where N is the number of clients already subscribed to a shard channel.",
        syntax: "[shardchannel [shardchannel ...]]",
        keys: SHARD_CHANNELS,
        ..Spec::new("sunsubscribe", -1, Group::PubSub, LISTENING)
    },
    |turn, out| turn.unsubscribe(Kind::Shard, out),
);

const PUBLISH: ControlCommand = Command::new(
    Spec {
        since: "2.0.0",
        summary: "Sends a message to all who listen to a channel; answers how many.",
        complexity: "O(N+M) where N is the number of clients subscribed to the receiving channel and M is the total \
                     number of subscribed patterns (by any client).",
        syntax: "channel message",
        ..Spec::new("publish", 3, Group::PubSub, PUBLISHING)
    },
    publish,
);

fn publish(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let receivers = turn.ex.local.publish(turn.args[1], turn.args[2]);
    out.int(receivers as i64);
    Ok(Flow::Next)
}

const SPUBLISH: ControlCommand = Command::new(
    Spec {
        since: "7.0.0",
        summary: "Sends a message to all who listen to a shard channel; answers how many.",
        complexity: "O(N) where N is the number of clients subscribed to the receiving shard channel.",
        syntax: "shardchannel message",
        keys: &[KeySpec::one(1, Access::NOT_KEY)],
        ..Spec::new("spublish", 3, Group::PubSub, PUBLISHING)
    },
    spublish,
);

fn spublish(turn: &mut Turn<'_>, out: &mut dyn Sink) -> Answer {
    let receivers = turn.ex.local.publish_to_shard(turn.args[1], turn.args[2]);
    out.int(receivers as i64);
    Ok(Flow::Next)
}

const ASKING: Flags = Flags::PUBSUB.union(Flags::LOADING).union(Flags::STALE);

const PUBSUB: ControlCommand = Command {
    spec: Spec {
        since: "2.8.0",
        summary: "A container for questions about subscriptions.",
        complexity: "Depends on subcommand.",
        ..Spec::new("pubsub", -2, Group::PubSub, Flags::empty())
    },
    run: |turn, _| Err(turn.unknown_subcommand()),
    subcommands: &[
        Command::new(
            Spec {
                since: "2.8.0",
                summary: "Lists the channels that someone listens to.",
                complexity: "O(N) where N is the number of active channels.",
                syntax: "[pattern]",
                ..Spec::new("channels", -2, Group::PubSub, ASKING)
            },
            |turn, out| turn.list_channels(Kind::Channel, out),
        ),
        Command::new(
            Spec {
                since: "2.8.0",
                summary: "Answers how many patterns are listened to.",
                ..Spec::new("numpat", 2, Group::PubSub, ASKING)
            },
            |turn, out| {
                out.int(turn.ex.local.pubsub.active_count(Kind::Pattern) as i64);
                Ok(Flow::Next)
            },
        ),
        Command::new(
            Spec {
                since: "2.8.0",
                summary: "Answers how many listen to each of some channels.",
                complexity: "O(N) for the NUMSUB subcommand, where N is the number of requested channels",
                syntax: "[channel [channel ...]]",
                ..Spec::new("numsub", -2, Group::PubSub, ASKING)
            },
            |turn, out| turn.count_listeners(Kind::Channel, out),
        ),
        Command::new(
            Spec {
                since: "7.0.0",
                summary: "Lists the shard channels that someone listens to.",
                complexity: "O(N) where N is the number of active shard channels.",
                syntax: "[pattern]",
                ..Spec::new("shardchannels", -2, Group::PubSub, ASKING)
            },
            |turn, out| turn.list_channels(Kind::Shard, out),
        ),
        Command::new(
            Spec {
                since: "7.0.0",
                summary: "Answers how many listen to each of some shard channels.",
                complexity: "O(N) where N is the number of requested shard channels",
                syntax: "[shardchannel [shardchannel ...]]",
                ..Spec::new("shardnumsub", -2, Group::PubSub, ASKING)
            },
            |turn, out| turn.count_listeners(Kind::Shard, out),
        ),
        Command::new(
            Spec {
                since: "6.2.0",
                summary: "Lists the subcommands.",
                ..Spec::new("help", 2, Group::PubSub, Flags::LOADING.union(Flags::STALE))
            },
            |turn, out| turn.help(out),
        ),
    ],
};

const fn verbs(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Channel => ("subscribe", "unsubscribe"),
        Kind::Pattern => ("psubscribe", "punsubscribe"),
        Kind::Shard => ("ssubscribe", "sunsubscribe"),
    }
}

impl Turn<'_> {
    fn subscribe(&mut self, kind: Kind, out: &mut dyn Sink) -> Answer {
        let id = self.client.session.id;
        for name in &self.args[1..] {
            self.ex.local.pubsub.subscribe(kind, id, name);
            let count = self.ex.local.subscriptions(kind, id);
            acknowledge(verbs(kind).0, Some(name), count, out);
        }
        self.ex.local.mark_subscribed(self.client);
        Ok(Flow::Next)
    }

    fn unsubscribe(&mut self, kind: Kind, out: &mut dyn Sink) -> Answer {
        let id = self.client.session.id;
        let verb = verbs(kind).1;
        if self.args.len() > 1 {
            for name in &self.args[1..] {
                self.ex.local.pubsub.unsubscribe(kind, id, name);
                acknowledge(verb, Some(name), self.ex.local.subscriptions(kind, id), out);
            }
        } else {
            self.ex.local.unsubscribe_all(kind, self.client, out);
        }
        self.ex.local.mark_subscribed(self.client);
        Ok(Flow::Next)
    }

    fn list_channels(&mut self, kind: Kind, out: &mut dyn Sink) -> Answer {
        if self.args.len() > 3 {
            return Err(self.arity());
        }
        let names = self.ex.local.pubsub.active(kind, self.args.get(2).copied());
        out.array(names.len());
        names.iter().for_each(|name| out.bulk(name));
        Ok(Flow::Next)
    }

    fn count_listeners(&mut self, kind: Kind, out: &mut dyn Sink) -> Answer {
        let names = &self.args[2..];
        out.array(names.len() * 2);
        for name in names {
            out.bulk(name);
            out.int(self.ex.local.pubsub.receiver_count(kind, name) as i64);
        }
        Ok(Flow::Next)
    }
}

fn acknowledge(verb: &str, name: Option<&[u8]>, count: usize, out: &mut dyn Sink) {
    out.push(3);
    out.bulk(verb.as_bytes());
    match name {
        Some(name) => out.bulk(name),
        None => out.nil(),
    }
    out.int(count as i64);
}

impl Local {
    /// The count that acknowledgements show: channels and patterns together, shard channels apart.
    fn subscriptions(&self, kind: Kind, id: u64) -> usize {
        match kind {
            Kind::Channel | Kind::Pattern => self.pubsub.subscription_count(id),
            Kind::Shard => self.pubsub.shard_subscription_count(id),
        }
    }

    /// Ends all subscriptions of one kind, acknowledging each, or none with a nil name.
    fn unsubscribe_all(&mut self, kind: Kind, client: &Client, out: &mut dyn Sink) {
        let id = client.session.id;
        let names = self.pubsub.unsubscribe_all(kind, id);
        let verb = verbs(kind).1;
        let rest = self.subscriptions(kind, id);
        if names.is_empty() {
            acknowledge(verb, None, rest, out);
        }
        for (n, name) in names.iter().enumerate() {
            acknowledge(verb, Some(name), rest + names.len() - 1 - n, out);
        }
    }

    /// Ends all subscriptions silently (RESET).
    pub(super) fn drop_subscriptions(&mut self, client: &Client) {
        self.pubsub.drop_client(client.session.id);
        self.mark_subscribed(client);
    }

    fn mark_subscribed(&self, client: &Client) {
        let id = client.session.id;
        let counts = [Kind::Channel, Kind::Pattern, Kind::Shard].map(|kind| self.pubsub.count(kind, id));
        client.session.mark(Signals::SUBSCRIBED, counts.iter().sum::<usize>() > 0);
        let mut shown = client.session.shown.lock();
        [shown.subscriptions, shown.patterns, shown.shard_subscriptions] = counts;
    }
}
