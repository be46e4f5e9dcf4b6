package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.redisson.api.RAtomicDouble;
import org.redisson.api.RAtomicLong;
import org.redisson.api.RBucket;
import org.redisson.api.RIdGenerator;
import org.redisson.client.codec.ByteArrayCodec;

/** RBucket, RBuckets, and the counters RAtomicLong, RAtomicDouble and RIdGenerator. */
class BucketTest extends OnServer {
    private final String name = fresh("bucket");
    private final RBucket<String> bucket = mine.getBucket(name);

    @Test
    void values_are_set_under_every_condition() {
        assertNull(bucket.get());
        assertFalse(bucket.setIfExists("no"));
        assertTrue(bucket.setIfAbsent("a"));
        assertFalse(theirs.getBucket(name).setIfAbsent("b"));
        assertTrue(bucket.setIfExists("c"));
        assertFalse(bucket.compareAndSet("x", "d"));
        assertTrue(bucket.compareAndSet("c", "d"));
        assertEquals("d", bucket.getAndSet("e"));
        assertEquals("e", theirs.getBucket(name).get());
        assertEquals("e", bucket.getAndDelete());
        assertNull(bucket.getAndDelete());
        assertTrue(bucket.compareAndSet(null, "f"));
        assertTrue(bucket.delete());
        assertFalse(bucket.delete());
    }

    @Test
    void lifetimes_are_set_kept_changed_and_lifted() {
        bucket.set("a", Duration.ofMillis(300));
        Time.assertBetween(100, 300, bucket.remainTimeToLive(), "lifetime");
        bucket.setAndKeepTTL("b");
        Time.assertBetween(1, 300, bucket.remainTimeToLive(), "lifetime kept");
        assertEquals("b", bucket.getAndExpire(Duration.ofSeconds(10)));
        Time.assertBetween(9_000, 10_000, bucket.remainTimeToLive(), "lifetime changed");
        assertEquals("b", bucket.getAndClearExpire());
        assertEquals(-1, bucket.remainTimeToLive());
        assertFalse(bucket.clearExpire());
        assertTrue(bucket.expireIfNotSet(Duration.ofSeconds(5)));
        assertFalse(bucket.expireIfGreater(Duration.ofSeconds(1)));
        assertTrue(bucket.expireIfLess(Duration.ofMillis(100)));
        Time.sleep(150);
        assertFalse(bucket.isExists());
        assertEquals(-2, bucket.remainTimeToLive());
    }

    @Test
    void bytes_of_every_kind_and_a_megabyte_come_back_the_same() {
        RBucket<byte[]> raw = mine.getBucket(name, ByteArrayCodec.INSTANCE);
        byte[] bytes = new byte[1 << 20];
        new Random(7).nextBytes(bytes);
        raw.set(bytes);
        assertArrayEquals(bytes, raw.get());
        assertEquals(1 << 20, raw.size());
        raw.set(new byte[0]);
        assertEquals(0, raw.size());
    }

    @Test
    void buckets_are_written_and_read_together() {
        String[] names = {name + 1, name + 2, name + 3};
        mine.getBuckets().set(Map.of(names[0], "a", names[1], "b"));
        assertEquals(Map.of(names[0], "a", names[1], "b"), theirs.getBuckets().get(names));
        assertFalse(mine.getBuckets().trySet(Map.of(names[1], "x", names[2], "y")));
        assertFalse(mine.getBucket(names[2]).isExists());
        assertTrue(mine.getBuckets().trySet(Map.of(names[2], "y")));
    }

    @Test
    void a_bucket_is_renamed_copied_touched_and_unlinked() {
        bucket.set("a", Duration.ofSeconds(50));
        RBucket<String> moved = theirs.getBucket(name);
        moved.rename(name + "-new");
        assertFalse(bucket.isExists());
        assertTrue(moved.copy(name));
        assertEquals("a", bucket.get());
        Time.assertBetween(40_000, 50_000, bucket.remainTimeToLive(), "lifetime of the copy");
        assertFalse(moved.renamenx(name));
        assertTrue(moved.touch());
        assertTrue(moved.unlink());
        assertFalse(moved.isExists());
    }

    @Test
    void a_counter_counts_every_step_of_many_threads() throws Exception {
        List<Elsewhere.Work<Void>> work = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            RAtomicLong own = (i % 2 == 0 ? mine : theirs).getAtomicLong(name);
            work.add(Elsewhere.begin(() -> {
                for (int step = 0; step < 250; step++) {
                    own.incrementAndGet();
                }
            }));
        }
        for (Elsewhere.Work<Void> each : work) {
            each.get();
        }
        assertEquals(2_000, mine.getAtomicLong(name).get());
    }

    @Test
    void a_counter_does_what_an_atomic_long_does() {
        RAtomicLong counter = mine.getAtomicLong(name);
        assertEquals(0, counter.get());
        assertEquals(0, counter.getAndIncrement());
        assertEquals(6, counter.addAndGet(5));
        assertEquals(6, counter.getAndAdd(-10));
        assertEquals(-5, counter.decrementAndGet());
        assertEquals(-5, counter.getAndSet(40));
        assertFalse(counter.compareAndSet(41, 1));
        assertTrue(counter.compareAndSet(40, 1));
        assertTrue(counter.setIfGreater(0, 3));
        assertFalse(counter.setIfLess(0, 9));
        counter.set(Long.MAX_VALUE - 1);
        assertEquals(Long.MAX_VALUE, counter.incrementAndGet());
        assertEquals(Long.MAX_VALUE, counter.getAndDelete());
        assertFalse(counter.isExists());
    }

    @Test
    void a_counter_of_fractions_adds_and_compares() {
        RAtomicDouble counter = mine.getAtomicDouble(name);
        assertEquals(0.25, counter.addAndGet(0.25));
        assertEquals(1.25, counter.incrementAndGet());
        assertEquals(1.25, counter.getAndAdd(2.5));
        assertTrue(counter.compareAndSet(3.75, -0.5));
        assertEquals(-0.5, theirs.getAtomicDouble(name).get());
    }

    @Test
    void generated_ids_are_given_to_one_client_only() {
        RIdGenerator here = mine.getIdGenerator(name);
        RIdGenerator there = theirs.getIdGenerator(name);
        assertTrue(here.tryInit(1, 10));
        assertFalse(there.tryInit(1, 10));
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            ids.add(here.nextId());
            ids.add(there.nextId());
        }
        assertEquals(LongStream.rangeClosed(1, 100).boxed().collect(Collectors.toList()), ids.stream().sorted().toList());
    }
}
