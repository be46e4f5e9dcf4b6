package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Locks taken without a lease: the client renews them at a third of `lockWatchdogTimeout`, for as long as they are held. */
class LockWatchdogTest extends OnServer {
    private static final long TIMEOUT_MS = 1_200;

    private final RedissonClient watched = Clients.withWatchdog(TIMEOUT_MS);
    private final String name = fresh("watched");
    private final RLock lock = watched.getLock(name);
    private final RLock same = theirs.getLock(name);

    @AfterEach
    void close() {
        watched.shutdown(0, 2, TimeUnit.SECONDS);
    }

    private void assertHeldFor(long ms) {
        Time.Since start = Time.now();
        while (start.ms() < ms) {
            assertFalse(same.tryLock(), "the lock was lost");
            assertTrue(same.remainTimeToLive() <= TIMEOUT_MS);
            Time.sleep(50);
        }
    }

    @Test
    void renewal_keeps_a_lock_far_past_its_lease_and_ends_with_the_unlock() {
        lock.lock();
        assertHeldFor(3 * TIMEOUT_MS);
        assertTrue(lock.isHeldByCurrentThread());
        lock.unlock();
        Time.sleep(TIMEOUT_MS / 2);
        assertFalse(same.isLocked());
        assertEquals(0, mine.getKeys().countExists(name));
    }

    @Test
    void renewal_goes_on_while_an_outer_hold_remains() throws Exception {
        assertTrue(lock.tryLock(1, TimeUnit.SECONDS));
        assertTrue(lock.tryLock());
        lock.unlock();
        assertHeldFor(2 * TIMEOUT_MS);
        lock.unlock();
        assertFalse(same.isLocked());
    }

    @Test
    void a_lease_of_its_own_is_never_renewed() {
        lock.lock(TIMEOUT_MS, TimeUnit.MILLISECONDS);
        Time.sleep(TIMEOUT_MS / 2);
        Time.assertBetween(1, TIMEOUT_MS / 2, same.remainTimeToLive(), "remaining lease");
        Time.sleep(TIMEOUT_MS / 2 + 50);
        assertFalse(same.isLocked());
    }

    @Test
    void more_locks_than_one_renewal_batch_are_all_kept() {
        List<RLock> held = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            RLock each = watched.getLock(name + i);
            each.lock();
            held.add(each);
        }
        Time.sleep(2 * TIMEOUT_MS);
        for (RLock each : held) {
            assertTrue(each.isHeldByCurrentThread(), each.getName());
            each.unlock();
        }
    }

    @Test
    void a_lock_taken_away_is_not_brought_back_by_the_renewal() {
        lock.lock();
        assertTrue(same.forceUnlock());
        Time.sleep(TIMEOUT_MS);
        assertFalse(same.isLocked());
        assertTrue(same.tryLock());
        Time.sleep(TIMEOUT_MS);
        assertTrue(same.isHeldByCurrentThread());
        same.unlock();
    }

    @Test
    void the_lock_of_a_closed_client_runs_out() throws Exception {
        lock.lock();
        Time.sleep(TIMEOUT_MS);
        watched.shutdown(0, 2, TimeUnit.SECONDS);
        assertTrue(same.isLocked());
        assertTrue(same.tryLock(5, TimeUnit.SECONDS));
        same.unlock();
    }
}
