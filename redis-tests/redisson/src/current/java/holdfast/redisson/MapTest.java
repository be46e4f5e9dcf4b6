package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLocalCachedMap;
import org.redisson.api.RMap;
import org.redisson.api.RMapCache;
import org.redisson.api.map.event.EntryCreatedListener;
import org.redisson.api.map.event.EntryExpiredListener;
import org.redisson.api.map.event.EntryRemovedListener;
import org.redisson.api.map.event.EntryUpdatedListener;
import org.redisson.api.options.LocalCachedMapOptions;
import org.redisson.client.codec.LongCodec;
import org.redisson.client.codec.StringCodec;
import org.redisson.codec.CompositeCodec;

/** RMap, RMapCache with a lifetime for each entry, and RLocalCachedMap. */
class MapTest extends OnServer {
    private final String name = fresh("map");

    @Test
    void entries_are_put_read_replaced_and_removed() {
        RMap<String, Integer> map = mine.getMap(name);
        RMap<String, Integer> same = theirs.getMap(name);
        assertNull(map.put("a", 1));
        assertEquals(1, same.put("a", 2));
        assertTrue(map.fastPut("b", 3));
        assertFalse(map.fastPut("b", 4));
        assertEquals(2, map.putIfAbsent("a", 9));
        assertNull(map.putIfAbsent("c", 5));
        assertTrue(same.replace("c", 5, 6));
        assertFalse(same.replace("c", 5, 7));
        assertEquals(Map.of("a", 2, "b", 4, "c", 6), map.readAllMap());
        assertEquals(Map.of("a", 2, "c", 6), same.getAll(Set.of("a", "c", "none")));
        assertEquals(3, map.size());
        assertTrue(map.containsKey("a"));
        assertTrue(map.containsValue(6));
        assertFalse(map.remove("a", 99));
        assertTrue(map.remove("a", 2));
        assertEquals(4, map.remove("b"));
        assertEquals(1, map.fastRemove("c", "none"));
        assertFalse(map.isExists());
    }

    @Test
    void a_large_map_is_walked_whole() {
        RMap<Integer, String> map = mine.getMap(name);
        Map<Integer, String> wanted = new HashMap<>();
        for (int i = 0; i < 3_000; i++) {
            wanted.put(i, "value " + i);
        }
        map.putAll(wanted);
        Map<Integer, String> seen = new HashMap<>();
        theirs.<Integer, String>getMap(name).entrySet(100).forEach(entry -> seen.put(entry.getKey(), entry.getValue()));
        assertEquals(wanted, seen);
        assertEquals(wanted.keySet(), map.readAllKeySet());
    }

    @Test
    void computing_from_two_clients_loses_no_step() throws Exception {
        RMap<String, Integer> map = mine.getMap(name);
        Elsewhere.Work<Void> other = Elsewhere.begin(() -> {
            for (int i = 0; i < 50; i++) {
                theirs.<String, Integer>getMap(name).merge("n", 1, Integer::sum);
            }
        });
        for (int i = 0; i < 50; i++) {
            map.merge("n", 1, Integer::sum);
        }
        other.get();
        assertEquals(100, map.get("n"));
    }

    @Test
    void numbers_in_a_map_are_added_to_on_the_server() {
        RMap<String, Long> map = mine.getMap(name, new CompositeCodec(StringCodec.INSTANCE, LongCodec.INSTANCE));
        map.put("n", 40L);
        assertEquals(42L, map.addAndGet("n", 2L));
        assertEquals(-8L, map.addAndGet("n", -50L));
        assertEquals(-8L, map.get("n"));
    }

    @Test
    void a_map_has_locks_for_its_keys() throws Exception {
        RMap<String, String> map = mine.getMap(name);
        map.getLock("a").lock();
        assertFalse(Elsewhere.says(() -> theirs.getMap(name).getLock("a").tryLock()));
        assertTrue(Elsewhere.says(() -> theirs.getMap(name).getLock("b").tryLock()));
        map.getLock("a").unlock();
    }

    @Test
    void text_is_stored_as_given_with_the_string_codec() throws Exception {
        mine.<String, String>getMap(name, StringCodec.INSTANCE).put("field", "naïve");
        assertEquals("naïve", RawServer.ask("HGET", name, "field"));
    }

    @Test
    void cache_entries_expire_one_by_one() {
        RMapCache<String, String> cache = mine.getMapCache(name);
        cache.put("short", "x", 250, TimeUnit.MILLISECONDS);
        cache.put("idle", "y", 0, TimeUnit.MILLISECONDS, 400, TimeUnit.MILLISECONDS);
        cache.put("long", "z", 1, TimeUnit.HOURS);
        cache.put("ever", "w");
        Time.assertBetween(50, 250, cache.remainTimeToLive("short"), "lifetime of an entry");
        assertEquals(-1, cache.remainTimeToLive("ever"));
        Time.sleep(200);
        assertEquals("y", theirs.getMapCache(name).get("idle"));
        Time.sleep(250);
        assertNull(cache.get("short"));
        assertEquals("y", cache.get("idle"));
        Time.sleep(450);
        assertNull(theirs.getMapCache(name).get("idle"));
        assertEquals("z", cache.get("long"));
        assertEquals("w", cache.get("ever"));
        cache.destroy();
    }

    @Test
    void cache_listeners_of_another_client_hear_of_each_change() throws Exception {
        RMapCache<String, String> cache = mine.getMapCache(name);
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        cache.addListener((EntryCreatedListener<String, String>) e -> heard.add("created " + e.getValue()));
        cache.addListener((EntryUpdatedListener<String, String>) e -> heard.add(e.getOldValue() + " to " + e.getValue()));
        cache.addListener((EntryRemovedListener<String, String>) e -> heard.add("removed " + e.getOldValue()));
        cache.addListener((EntryExpiredListener<String, String>) e -> heard.add("expired " + e.getValue()));
        RMapCache<String, String> same = theirs.getMapCache(name);
        same.put("k", "1");
        assertEquals("created 1", heard.poll(5, TimeUnit.SECONDS));
        same.put("k", "2");
        assertEquals("1 to 2", heard.poll(5, TimeUnit.SECONDS));
        same.remove("k");
        assertEquals("removed 2", heard.poll(5, TimeUnit.SECONDS));
        same.put("k", "3", 200, TimeUnit.MILLISECONDS);
        assertEquals("created 3", heard.poll(5, TimeUnit.SECONDS));
        // The client's own eviction task comes round every five seconds at first.
        assertEquals("expired 3", heard.poll(15, TimeUnit.SECONDS));
        cache.destroy();
        same.destroy();
    }

    @Test
    void a_change_reaches_the_local_copy_of_another_client() throws Exception {
        RLocalCachedMap<String, String> here = mine.getLocalCachedMap(LocalCachedMapOptions.name(name));
        RLocalCachedMap<String, String> there = theirs.getLocalCachedMap(LocalCachedMapOptions.name(name));
        here.put("k", "old");
        assertEquals("old", there.get("k"));
        // The news of the first change may reach the other client after it has made its copy.
        Time.until("a local copy", 3_000, () -> "old".equals(there.get("k")) && !there.getCachedMap().isEmpty());
        assertEquals(Map.of("k", "old"), there.getCachedMap());
        here.put("k", "new");
        Time.until("the local copy has gone", 3_000, () -> !"old".equals(there.getCachedMap().get("k")));
        assertEquals("new", there.get("k"));
        here.clear();
        Time.until("the local copy is empty", 3_000, () -> there.getCachedMap().isEmpty());
        here.destroy();
        there.destroy();
    }

    @Test
    void a_whole_map_may_expire() {
        RMap<String, String> map = mine.getMap(name);
        map.put("a", "b");
        assertTrue(map.expire(Duration.ofMillis(200)));
        Time.assertBetween(50, 200, map.remainTimeToLive(), "lifetime of the map");
        Time.sleep(250);
        assertTrue(theirs.getMap(name).isEmpty());
    }
}
