package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.redisson.api.RPatternTopic;
import org.redisson.api.RTopic;
import org.redisson.api.listener.StatusListener;

/** Topics: PUBLISH and SUBSCRIBE, by name and by pattern. */
class TopicTest extends OnServer {
    private final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
    private final String name = fresh("topic");

    private Object next() throws InterruptedException {
        return heard.poll(5, TimeUnit.SECONDS);
    }

    @Test
    void a_thousand_messages_arrive_once_and_in_order() throws Exception {
        RTopic topic = mine.getTopic(name);
        topic.addListener(Integer.class, (channel, message) -> heard.add(message));
        for (int i = 0; i < 1_000; i++) {
            assertEquals(1, theirs.getTopic(name).publish(i));
        }
        for (int i = 0; i < 1_000; i++) {
            assertEquals(i, next());
        }
        assertNull(heard.poll(50, TimeUnit.MILLISECONDS));
        topic.removeAllListeners();
        Time.until("nobody listening", 3_000, () -> theirs.getTopic(name).countSubscribers() == 0);
        assertEquals(0, theirs.getTopic(name).publish(7));
    }

    @Test
    void publish_counts_the_clients_that_listen_and_not_their_listeners() throws Exception {
        RTopic here = mine.getTopic(name);
        RTopic there = theirs.getTopic(name);
        int first = here.addListener(String.class, (channel, message) -> heard.add("1" + message));
        here.addListener(String.class, (channel, message) -> heard.add("2" + message));
        there.addListener(String.class, (channel, message) -> heard.add("3" + message));
        assertEquals(2, here.countListeners());
        assertEquals(2, here.countSubscribers());
        assertEquals(2, there.publish("x"));
        assertEquals(java.util.Set.of("1x", "2x", "3x"), java.util.Set.of(next(), next(), next()));
        here.removeListener(first);
        there.removeAllListeners();
        Time.until("one client listening", 3_000, () -> here.countSubscribers() == 1);
        assertEquals(1, there.publish("y"));
        assertEquals("2y", next());
        here.removeAllListeners();
    }

    @Test
    void patterns_hear_every_channel_they_match() throws Exception {
        RPatternTopic pattern = mine.getPatternTopic(name + ".*.log");
        pattern.addListener(String.class, (glob, channel, message) -> heard.add(channel + "=" + message));
        assertEquals(1, theirs.getTopic(name + ".a.log").publish("x"));
        assertEquals(0, theirs.getTopic(name + ".a.txt").publish("y"));
        assertEquals(1, theirs.getTopic(name + ".b.log").publish("z"));
        assertEquals(name + ".a.log=x", next());
        assertEquals(name + ".b.log=z", next());
        // Patterns of earlier tests may still be on their way out.
        Time.until("this pattern alone", 3_000, () -> RawServer.ask("PUBSUB", "NUMPAT").equals(1L));
        pattern.removeAllListeners();
        Time.until("no pattern left", 3_000, () -> RawServer.ask("PUBSUB", "NUMPAT").equals(0L));
    }

    @Test
    void a_channel_and_a_pattern_of_one_client_both_hear_a_message() throws Exception {
        RTopic topic = mine.getTopic(name);
        RPatternTopic pattern = mine.getPatternTopic(name + "*");
        topic.addListener(String.class, (channel, message) -> heard.add("channel"));
        pattern.addListener(String.class, (glob, channel, message) -> heard.add("pattern"));
        assertEquals(2, theirs.getTopic(name).publish("x"));
        assertEquals(java.util.Set.of("channel", "pattern"), java.util.Set.of(next(), next()));
        topic.removeAllListeners();
        pattern.removeAllListeners();
    }

    @Test
    void subscribing_and_unsubscribing_are_acknowledged() throws Exception {
        RTopic topic = mine.getTopic(name);
        int id = topic.addListener(new StatusListener() {
            @Override
            public void onSubscribe(String channel) {
                heard.add("on " + channel);
            }

            @Override
            public void onUnsubscribe(String channel) {
                heard.add("off " + channel);
            }
        });
        topic.addListener(String.class, (channel, message) -> heard.add(message));
        assertEquals("on " + name, next());
        assertEquals(List.of(name), RawServer.channels(name));
        assertTrue(id != 0);
        topic.removeAllListeners();
        Time.until("nobody listening", 3_000, () -> RawServer.listeners(name) == 0);
    }

    @Test
    void objects_and_large_messages_pass_whole() throws Exception {
        RTopic topic = mine.getTopic(name);
        topic.addListener(Object.class, (channel, message) -> heard.add(message));
        theirs.getTopic(name).publish(Map.of("k", List.of(1, 2, 3)));
        assertEquals(Map.of("k", List.of(1, 2, 3)), next());
        String large = "é".repeat(500_000);
        theirs.getTopic(name).publish(large);
        assertEquals(large, next());
        topic.removeAllListeners();
    }

    @Test
    void two_hundred_channels_of_one_client_are_kept_apart() throws Exception {
        for (int i = 0; i < 200; i++) {
            String own = name + i;
            mine.getTopic(own).addListener(Integer.class, (channel, message) -> heard.add(own + message));
        }
        for (int i = 199; i >= 0; i--) {
            assertEquals(1, theirs.getTopic(name + i).publish(i));
            assertEquals(name + i + i, next());
        }
        for (int i = 0; i < 200; i++) {
            mine.getTopic(name + i).removeAllListeners();
        }
        Time.until("no channel left", 5_000, () -> RawServer.channels(name + "*").isEmpty());
    }
}
