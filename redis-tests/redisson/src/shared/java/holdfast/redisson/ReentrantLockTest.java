package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.client.codec.StringCodec;

/** RLock as one owner and a stranger see it, without a queue of waiters. */
class ReentrantLockTest extends OnServer {
    private static final int CLOCK_SLACK_MS = 10;

    private final String name = fresh("lock");
    private final RLock lock = mine.getLock(name);
    private final RLock same = theirs.getLock(name);

    @Test
    void unlocking_frees_the_name_for_everyone() throws Exception {
        lock.lock();
        assertTrue(lock.isLocked());
        assertTrue(same.isLocked());
        assertFalse(same.tryLock());
        lock.unlock();
        assertFalse(same.isLocked());
        assertEquals(0, mine.getKeys().countExists(name));
        assertTrue(same.tryLock());
        same.unlock();
    }

    @Test
    void re_entry_is_counted_and_each_hold_must_be_given_back() {
        for (int holds = 1; holds <= 3; holds++) {
            lock.lock();
            assertEquals(holds, lock.getHoldCount());
        }
        assertTrue(lock.tryLock());
        for (int holds = 4; holds >= 1; holds--) {
            assertEquals(holds, lock.getHoldCount());
            assertFalse(same.tryLock());
            lock.unlock();
        }
        assertEquals(0, lock.getHoldCount());
        assertTrue(same.tryLock());
        same.unlock();
    }

    @Test
    void the_server_keeps_one_hash_field_per_owner_with_the_hold_count() throws Exception {
        lock.lock();
        lock.lock();
        Map<String, String> stored = mine.<String, String>getMap(name, StringCodec.INSTANCE).readAllMap();
        assertEquals(1, stored.size(), stored.toString());
        String owner = stored.keySet().iterator().next();
        assertTrue(owner.endsWith(":" + Thread.currentThread().getId()), owner);
        assertEquals("2", stored.get(owner));
        lock.unlock();
        lock.unlock();
    }

    @Test
    void re_entry_sets_the_lease_anew() {
        lock.lock(2, TimeUnit.SECONDS);
        lock.lock(20, TimeUnit.SECONDS);
        Time.assertBetween(19_000, 20_000, lock.remainTimeToLive(), "remaining lease");
        lock.unlock();
        Time.assertBetween(19_000, 20_000, lock.remainTimeToLive(), "remaining lease after the inner unlock");
        lock.unlock();
        assertFalse(lock.isLocked());
    }

    @Test
    void another_thread_cannot_unlock() throws Exception {
        lock.lock();
        Elsewhere.run(() -> {
            assertFalse(lock.isHeldByCurrentThread());
            assertThrows(IllegalMonitorStateException.class, lock::unlock);
        });
        assertTrue(lock.isHeldByCurrentThread());
        lock.unlock();
    }

    @Test
    void another_client_cannot_unlock_even_with_the_same_thread() {
        lock.lock();
        assertFalse(same.isHeldByCurrentThread());
        assertThrows(IllegalMonitorStateException.class, same::unlock);
        assertTrue(lock.isLocked());
        lock.unlock();
    }

    @Test
    void unlocking_what_nobody_holds_is_refused() {
        assertThrows(IllegalMonitorStateException.class, lock::unlock);
        lock.lock();
        lock.unlock();
        assertThrows(IllegalMonitorStateException.class, lock::unlock);
    }

    @Test
    void holders_are_told_apart_by_thread_id() throws Exception {
        lock.lock();
        long owner = Thread.currentThread().getId();
        assertTrue(lock.isHeldByThread(owner));
        assertFalse(lock.isHeldByThread(owner + 100_000));
        assertFalse(same.isHeldByThread(owner));
        assertEquals(0, Elsewhere.call(lock::getHoldCount));
        lock.unlock();
        assertFalse(lock.isHeldByThread(owner));
    }

    @Test
    void try_lock_without_a_wait_answers_at_once() throws Exception {
        lock.lock();
        Time.Since start = Time.now();
        assertFalse(same.tryLock());
        assertFalse(same.tryLock(0, TimeUnit.MILLISECONDS));
        assertTrue(start.ms() < 500, "took " + start.ms() + " ms");
        lock.unlock();
    }

    @Test
    void try_lock_waits_as_long_as_asked_and_then_gives_up() throws Exception {
        lock.lock();
        Time.Since start = Time.now();
        assertFalse(same.tryLock(400, 10_000, TimeUnit.MILLISECONDS));
        Time.assertBetween(390, 1500, start.ms(), "time until tryLock gave up");
        assertTrue(lock.isHeldByCurrentThread());
        lock.unlock();
    }

    @Test
    void the_remaining_lease_is_exact_to_the_millisecond() {
        for (long leaseMs : new long[] {1_000, 5_000, 60_000, 86_400_000}) {
            Time.Since start = Time.now();
            lock.lock(leaseMs, TimeUnit.MILLISECONDS);
            long remainingMs = lock.remainTimeToLive();
            Time.assertBetween(leaseMs - start.ms() - CLOCK_SLACK_MS, leaseMs, remainingMs, "lease of " + leaseMs);
            lock.unlock();
        }
    }

    @Test
    void the_remaining_lease_falls_with_the_clock() {
        lock.lock(5, TimeUnit.SECONDS);
        Time.Since start = Time.now();
        long beforeMs = lock.remainTimeToLive();
        Time.sleep(300);
        long fellMs = beforeMs - lock.remainTimeToLive();
        Time.assertBetween(300 - CLOCK_SLACK_MS, start.ms() + CLOCK_SLACK_MS, fellMs, "fall of the remaining lease");
        lock.unlock();
    }

    @Test
    void a_free_lock_has_no_lease_and_the_default_lease_is_thirty_seconds() {
        assertEquals(-2, lock.remainTimeToLive());
        lock.lock();
        Time.assertBetween(28_000, 30_000, lock.remainTimeToLive(), "default lease");
        lock.unlock();
        assertEquals(-2, lock.remainTimeToLive());
    }

    @Test
    void an_expired_lease_frees_the_lock_and_its_late_unlock_is_refused() throws Exception {
        lock.lock(300, TimeUnit.MILLISECONDS);
        assertTrue(same.isLocked());
        Time.sleep(350);
        assertFalse(same.isLocked());
        assertThrows(IllegalMonitorStateException.class, lock::unlock);
    }

    @Test
    void a_late_unlock_does_not_take_the_lock_from_its_new_owner() throws Exception {
        assertTrue(lock.tryLock(0, 200, TimeUnit.MILLISECONDS));
        Time.sleep(250);
        assertTrue(same.tryLock(0, 10_000, TimeUnit.MILLISECONDS));
        assertThrows(IllegalMonitorStateException.class, lock::unlock);
        assertTrue(same.isHeldByCurrentThread());
        same.unlock();
    }

    @Test
    void force_unlock_frees_a_lock_of_any_owner_once() {
        lock.lock();
        lock.lock();
        assertTrue(same.forceUnlock());
        assertFalse(lock.isLocked());
        assertFalse(same.forceUnlock());
        assertThrows(IllegalMonitorStateException.class, lock::unlock);
    }

    @Test
    void asynchronous_calls_own_by_the_thread_id_they_name() throws Exception {
        lock.lockAsync(77).get(5, TimeUnit.SECONDS);
        assertTrue(lock.isHeldByThread(77));
        assertFalse(lock.tryLockAsync(78).get(5, TimeUnit.SECONDS));
        assertTrue(lock.tryLockAsync(77).get(5, TimeUnit.SECONDS));
        Elsewhere.run(() -> lock.unlockAsync(77).get(5, TimeUnit.SECONDS));
        assertTrue(lock.isLocked());
        lock.unlockAsync(77).get(5, TimeUnit.SECONDS);
        assertFalse(lock.isLocked());
    }

    @Test
    void names_of_any_bytes_are_locks_of_their_own() {
        List<RLock> held = new ArrayList<>();
        String[] names = {"a b", "замок", "{tag}rest", "x:y:z", "a*b?[c]", "\u0000\r\n", "n".repeat(5_000), "%s%n"};
        for (String each : names) {
            RLock own = mine.getLock(each);
            own.lock();
            held.add(own);
        }
        for (String each : names) {
            assertFalse(theirs.getLock(each).tryLock(), each);
        }
        held.forEach(RLock::unlock);
        assertEquals(0, mine.getKeys().countExists(names));
    }

    @Test
    void a_hundred_locks_held_together_do_not_disturb_each_other() {
        List<RLock> held = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            RLock own = mine.getLock(name + ":" + i);
            assertTrue(own.tryLock());
            held.add(own);
        }
        for (RLock own : held) {
            assertTrue(own.isHeldByCurrentThread());
            own.unlock();
            assertFalse(own.isLocked());
        }
    }
}
