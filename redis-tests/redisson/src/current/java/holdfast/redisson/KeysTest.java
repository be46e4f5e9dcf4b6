package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.redisson.api.RBatch;
import org.redisson.api.RKeys;
import org.redisson.api.RScoredSortedSet;
import org.redisson.api.RSet;
import org.redisson.api.RType;
import org.redisson.api.options.KeysScanOptions;

/** RKeys, on an otherwise empty server; and the plain collections, briefly. */
class KeysTest extends OnServer {
    private final RKeys keys = mine.getKeys();

    private void fill(String prefix, int count) {
        RBatch batch = mine.createBatch();
        for (int i = 0; i < count; i++) {
            batch.getBucket(prefix + i).setAsync(i);
        }
        batch.execute();
    }

    private static Set<String> all(Iterable<String> names) {
        return StreamSupport.stream(names.spliterator(), false).collect(Collectors.toSet());
    }

    @Test
    void keys_are_counted_deleted_and_flushed() {
        fill("a:", 10);
        assertEquals(10, keys.count());
        assertEquals(2, keys.countExists("a:1", "a:2", "none"));
        assertEquals(2, keys.delete("a:1", "a:2", "none"));
        assertEquals(1, keys.unlink("a:3", "a:1"));
        assertEquals(2, keys.touch("a:4", "a:5", "a:1"));
        assertEquals(7, keys.count());
        assertTrue(keys.randomKey().startsWith("a:"));
        keys.flushdb();
        assertEquals(0, keys.count());
        assertNull(keys.randomKey());
    }

    @Test
    void a_scan_finds_every_key_once_the_caller_has_it_all() {
        fill("scan:", 2_000);
        fill("other:", 500);
        assertEquals(2_500, all(keys.getKeys()).size());
        assertEquals(2_500, all(keys.getKeys(100)).size());
        assertEquals(2_000, all(keys.getKeysByPattern("scan:*")).size());
        assertEquals(2_000, all(theirs.getKeys().getKeysByPattern("scan:*", 1_000)).size());
        assertEquals(Set.of("scan:7"), all(keys.getKeysByPattern("scan:7")));
        assertEquals(10, all(keys.getKeysByPattern("scan:1[0-9]")).size());
        assertEquals(10, all(keys.getKeysByPattern("other:?")).size());
        assertEquals(Set.of(), all(keys.getKeysByPattern("none*")));
    }

    @Test
    void a_scan_may_be_limited_to_a_type() {
        fill("s:", 30);
        mine.getMap("h:1").put("a", "b");
        mine.getList("l:1").add("a");
        assertEquals(Set.of("h:1"), all(keys.getKeys(KeysScanOptions.defaults().type(RType.MAP))));
        assertEquals(Set.of("l:1"), all(keys.getKeys(KeysScanOptions.defaults().type(RType.LIST).pattern("l*"))));
    }

    @Test
    void a_pattern_deletes_what_it_matches_and_nothing_else() {
        fill("gone:", 300);
        fill("stay:", 5);
        assertEquals(300, keys.deleteByPattern("gone:*"));
        assertEquals(5, keys.count());
        assertEquals(5, keys.unlinkByPattern("stay:?"));
        assertEquals(0, keys.count());
    }

    @Test
    void types_names_and_lifetimes_are_read_and_changed() {
        fill("k:", 2);
        mine.getMap("h").put("a", "b");
        mine.getSet("s").add("a");
        mine.getScoredSortedSet("z").add(1, "a");
        mine.getList("l").add("a");
        assertEquals(RType.OBJECT, keys.getType("k:0"));
        assertEquals(RType.MAP, keys.getType("h"));
        assertEquals(RType.SET, keys.getType("s"));
        assertEquals(RType.ZSET, keys.getType("z"));
        assertEquals(RType.LIST, keys.getType("l"));
        keys.rename("k:0", "k:9");
        assertFalse(keys.renamenx("k:9", "k:1"));
        assertEquals(2, keys.expire(Duration.ofMillis(200), "k:9", "k:1", "none"));
        Time.assertBetween(1, 200, keys.remainTimeToLive("k:9"), "lifetime");
        assertTrue(keys.clearExpire("k:1"));
        Time.sleep(250);
        assertEquals(1, keys.countExists("k:9", "k:1"));
        assertEquals(-2, keys.remainTimeToLive("k:9"));
        assertEquals(-1, keys.remainTimeToLive("k:1"));
        assertTrue(keys.move("k:1", 1));
        assertEquals(0, keys.countExists("k:1"));
    }

    @Test
    void sets_sorted_sets_and_lists_hold_what_they_were_given() {
        RSet<Integer> set = mine.getSet("set");
        Set<Integer> wanted = new HashSet<>();
        for (int i = 0; i < 1_500; i++) {
            wanted.add(i);
        }
        assertTrue(set.addAll(wanted));
        Set<Integer> seen = new HashSet<>();
        theirs.<Integer>getSet("set").iterator(100).forEachRemaining(seen::add);
        assertEquals(wanted, seen);
        assertFalse(set.add(5));
        assertTrue(set.remove(5));

        RScoredSortedSet<String> ranks = mine.getScoredSortedSet("ranks");
        ranks.add(3, "c");
        ranks.add(1, "a");
        ranks.add(2.5, "b");
        assertEquals(3.5, ranks.addScore("b", 1));
        Collection<String> sorted = theirs.<String>getScoredSortedSet("ranks").readAll();
        assertEquals(List.of("a", "c", "b"), List.copyOf(sorted));
        assertEquals(1, ranks.rank("c"));
        assertEquals("a", ranks.pollFirst());
        assertEquals(List.of("c"), List.copyOf(ranks.valueRange(3, true, 3.5, false)));

        List<String> list = mine.getList("list");
        list.addAll(List.of("a", "b", "c"));
        list.add(1, "x");
        list.set(3, "z");
        assertTrue(list.remove("b"));
        assertEquals(List.of("a", "x", "z"), theirs.<String>getList("list").readAll());
    }
}
