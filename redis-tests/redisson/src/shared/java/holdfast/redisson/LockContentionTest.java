package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** RLock with waiters: they sleep on a channel and an unlock of another client wakes them. */
class LockContentionTest extends OnServer {
    private static final long HAND_OVER_LIMIT_MS = 500;

    private final String name = fresh("contended");
    private final String channel = "redisson_lock__channel:{" + name + "}";
    private final RLock lock = mine.getLock(name);
    private final RLock same = theirs.getLock(name);

    private void awaitListeners(long count) throws Exception {
        Time.until(count + " clients listening", 5_000, () -> RawServer.listeners(channel) == count);
        // A waiter asks for the lock once more after it subscribed; let it go to sleep.
        Time.sleep(30);
    }

    @Test
    void an_unlock_wakes_the_waiter_of_another_client_at_once() throws Exception {
        for (int round = 0; round < 10; round++) {
            lock.lock(30, TimeUnit.SECONDS);
            Elsewhere.Work<Long> waiter = Elsewhere.start(() -> {
                same.lock(30, TimeUnit.SECONDS);
                long acquired = System.nanoTime();
                same.unlock();
                return acquired;
            });
            awaitListeners(1);
            assertFalse(waiter.done());
            long released = System.nanoTime();
            lock.unlock();
            long tookMs = (waiter.get() - released) / 1_000_000;
            assertTrue(tookMs < HAND_OVER_LIMIT_MS, "hand-over took " + tookMs + " ms");
        }
    }

    @Test
    void an_unlock_wakes_a_waiter_with_a_time_limit() throws Exception {
        lock.lock(30, TimeUnit.SECONDS);
        Elsewhere.Work<Boolean> waiter = Elsewhere.start(() -> same.tryLock(20_000, 5_000, TimeUnit.MILLISECONDS));
        awaitListeners(1);
        Time.Since release = Time.now();
        lock.unlock();
        assertTrue(waiter.get());
        assertTrue(release.ms() < HAND_OVER_LIMIT_MS, "hand-over took " + release.ms() + " ms");
        assertTrue(same.isHeldByThread(waiter.thread().getId()));
    }

    @Test
    void force_unlock_wakes_a_waiter() throws Exception {
        lock.lock(30, TimeUnit.SECONDS);
        Elsewhere.Work<Boolean> waiter = Elsewhere.start(() -> same.tryLock(20, TimeUnit.SECONDS));
        awaitListeners(1);
        Time.Since release = Time.now();
        assertTrue(lock.forceUnlock());
        assertTrue(waiter.get());
        assertTrue(release.ms() < HAND_OVER_LIMIT_MS, "hand-over took " + release.ms() + " ms");
        same.forceUnlock();
    }

    @Test
    void an_inner_unlock_wakes_nobody() throws Exception {
        lock.lock(30, TimeUnit.SECONDS);
        lock.lock(30, TimeUnit.SECONDS);
        Elsewhere.Work<Boolean> waiter = Elsewhere.start(() -> same.tryLock(20, TimeUnit.SECONDS));
        awaitListeners(1);
        lock.unlock();
        Time.sleep(200);
        assertFalse(waiter.done());
        lock.unlock();
        assertTrue(waiter.get());
        same.forceUnlock();
    }

    @Test
    void a_waiter_takes_over_when_the_lease_runs_out_unannounced() throws Exception {
        Time.Since start = Time.now();
        lock.lock(700, TimeUnit.MILLISECONDS);
        assertTrue(Elsewhere.says(() -> same.tryLock(10, TimeUnit.SECONDS)));
        Time.assertBetween(690, 1_500, start.ms(), "time until the lapsed lock was taken over");
        same.forceUnlock();
    }

    @Test
    void an_interrupted_waiter_leaves_and_the_holder_keeps_the_lock() throws Exception {
        lock.lock(30, TimeUnit.SECONDS);
        Elsewhere.Work<Void> forever = Elsewhere.begin(same::lockInterruptibly);
        Elsewhere.Work<Boolean> limited = Elsewhere.start(() -> same.tryLock(20, TimeUnit.SECONDS));
        awaitListeners(1);
        forever.thread().interrupt();
        limited.thread().interrupt();
        assertThrows(InterruptedException.class, forever::get);
        assertThrows(InterruptedException.class, limited::get);
        assertTrue(lock.isHeldByCurrentThread());
        lock.unlock();
        assertTrue(same.tryLock());
        same.unlock();
    }

    @Test
    void waiters_of_one_client_share_a_subscription_and_the_last_one_ends_it() throws Exception {
        lock.lock(30, TimeUnit.SECONDS);
        List<Elsewhere.Work<Boolean>> waiters = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiters.add(Elsewhere.start(() -> same.tryLock(800, TimeUnit.MILLISECONDS)));
        }
        awaitListeners(1);
        for (Elsewhere.Work<Boolean> waiter : waiters) {
            assertFalse(waiter.get());
        }
        Time.until("nobody listening", 5_000, () -> RawServer.listeners(channel) == 0);
        lock.unlock();
    }

    @Test
    void a_crowd_of_two_clients_gets_through_one_by_one() throws Exception {
        Contest contest = new Contest(List.of(mine, theirs), 10, 200, 30_000);
        contest.run(client -> {
            RLock own = client.getLock(name);
            return new Contest.Guard(own::lock, own::unlock);
        });
        contest.assertNothingLost();
        Time.until("no lock channel left", 5_000, () -> RawServer.channels("redisson_lock*").isEmpty());
        assertFalse(lock.isLocked());
    }

    @Test
    void a_crowd_using_try_lock_gets_through_one_by_one() throws Exception {
        Contest contest = new Contest(List.of(mine, theirs), 5, 200, 30_000);
        contest.run(client -> {
            RLock own = client.getLock(name);
            return new Contest.Guard(() -> assertTrue(own.tryLock(30, 10, TimeUnit.SECONDS)), own::unlock);
        });
        contest.assertNothingLost();
    }

    @Test
    void waiters_of_many_locks_are_each_woken_by_their_own_unlock() throws Exception {
        int count = 20;
        List<Elsewhere.Work<Boolean>> waiters = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            mine.getLock(name + i).lock(30, TimeUnit.SECONDS);
            RLock wanted = theirs.getLock(name + i);
            waiters.add(Elsewhere.start(() -> wanted.tryLock(20, TimeUnit.SECONDS)));
        }
        Time.until("all waiting", 5_000, () -> RawServer.channels("redisson_lock*").size() == count);
        Time.sleep(50);
        for (int i = count - 1; i >= 0; i--) {
            assertFalse(waiters.get(i).done());
            mine.getLock(name + i).unlock();
            assertTrue(waiters.get(i).get(HAND_OVER_LIMIT_MS));
        }
    }

    @Test
    void the_lock_of_a_client_that_left_is_free_after_its_lease_only() throws Exception {
        RedissonClient leaver = Clients.open(config -> { });
        leaver.getLock(name).lock(1_000, TimeUnit.MILLISECONDS);
        Time.Since start = Time.now();
        leaver.shutdown(0, 1, TimeUnit.SECONDS);
        assertTrue(lock.tryLock(10, TimeUnit.SECONDS));
        Time.assertBetween(900, 2_500, start.ms(), "time until the lock was free");
        assertEquals(1, lock.getHoldCount());
        lock.unlock();
    }
}
