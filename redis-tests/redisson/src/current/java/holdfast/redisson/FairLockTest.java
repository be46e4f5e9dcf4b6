package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/** Fair locks: waiters queue up on the server and get their turn in the order they came. */
class FairLockTest extends OnServer {
    private final String name = fresh("fair");
    private final RLock lock = mine.getFairLock(name);
    private final RLock same = theirs.getFairLock(name);

    private int queued() {
        return mine.getList("redisson_lock_queue:{" + name + "}", StringCodec.INSTANCE).size();
    }

    private int deadlines() {
        return mine.getScoredSortedSet("redisson_lock_timeout:{" + name + "}", StringCodec.INSTANCE).size();
    }

    private void awaitQueued(int count) throws Exception {
        Time.until(count + " waiters queued", 5_000, () -> queued() == count);
        Time.sleep(30);
    }

    @Test
    void turns_are_taken_in_the_order_of_asking_across_clients() throws Exception {
        List<Integer> turns = Collections.synchronizedList(new ArrayList<>());
        List<Elsewhere.Work<Void>> waiters = new ArrayList<>();
        lock.lock();
        for (int i = 0; i < 12; i++) {
            RLock own = (i % 2 == 0 ? mine : theirs).getFairLock(name);
            int number = i;
            waiters.add(Elsewhere.begin(() -> {
                own.lock();
                turns.add(number);
                Time.sleep(5);
                own.unlock();
            }));
            awaitQueued(i + 1);
        }
        assertEquals(12, deadlines());
        lock.unlock();
        for (Elsewhere.Work<Void> waiter : waiters) {
            waiter.get();
        }
        assertEquals(IntStream.range(0, 12).boxed().toList(), turns);
        assertEquals(0, queued());
        assertEquals(0, deadlines());
        assertFalse(lock.isLocked());
    }

    @Test
    void an_unlock_wakes_the_first_waiter_at_once() throws Exception {
        for (int round = 0; round < 5; round++) {
            lock.lock(30, TimeUnit.SECONDS);
            Elsewhere.Work<Boolean> waiter = Elsewhere.start(() -> same.tryLock(20, 10, TimeUnit.SECONDS));
            awaitQueued(1);
            Time.Since release = Time.now();
            lock.unlock();
            assertTrue(waiter.get());
            assertTrue(release.ms() < 500, "hand-over took " + release.ms() + " ms");
            assertTrue(same.forceUnlock());
        }
    }

    @Test
    void a_waiter_that_gives_up_leaves_the_queue() throws Exception {
        lock.lock();
        Time.Since start = Time.now();
        assertFalse(same.tryLock(300, TimeUnit.MILLISECONDS));
        Time.assertBetween(290, 1_500, start.ms(), "time until tryLock gave up");
        Time.until("queue empty", 2_000, () -> queued() == 0 && deadlines() == 0);
        lock.unlock();
        assertTrue(same.tryLock());
        same.unlock();
    }

    @Test
    void a_newcomer_that_will_not_wait_cannot_pass_the_queue() throws Exception {
        lock.lock(30, TimeUnit.SECONDS);
        Process child = Holder.start("fair", name, 30_000, 30_000);
        try {
            Holder.await(child, "asking");
            awaitQueued(1);
            child.destroyForcibly();
            child.waitFor();
            lock.unlock();
            assertFalse(lock.isLocked());
            // The dead waiter still has its slot of minutes: the lock is free, but not for one out of turn.
            assertEquals(1, queued());
            assertFalse(same.tryLock());
        } finally {
            child.destroyForcibly();
        }
    }

    @Test
    void a_dead_waiter_is_passed_over_when_its_slot_has_run_out() throws Exception {
        RedissonClient hasty = Clients.open(config -> config.setFairLockWaitTimeout(1_000));
        RedissonClient doomed = Clients.open(config -> config.setFairLockWaitTimeout(1_000));
        try {
            // A waiter's slot ends its wait timeout after the lease it waits for.
            lock.lock(2, TimeUnit.SECONDS);
            Elsewhere.begin(() -> doomed.getFairLock(name).lock());
            awaitQueued(1);
            doomed.shutdown(0, 1, TimeUnit.SECONDS);
            Elsewhere.Work<Boolean> next = Elsewhere.start(() -> hasty.getFairLock(name).tryLock(20, TimeUnit.SECONDS));
            awaitQueued(2);
            Time.Since release = Time.now();
            lock.unlock();
            assertTrue(next.get());
            assertTrue(release.ms() < 6_000, "took " + release.ms() + " ms");
        } finally {
            doomed.shutdown(0, 1, TimeUnit.SECONDS);
            hasty.shutdown(0, 1, TimeUnit.SECONDS);
        }
    }

    @Test
    void re_entry_needs_no_turn_even_with_waiters() throws Exception {
        lock.lock();
        Elsewhere.Work<Boolean> waiter = Elsewhere.start(() -> same.tryLock(20, TimeUnit.SECONDS));
        awaitQueued(1);
        lock.lock();
        assertTrue(lock.tryLock());
        assertEquals(3, lock.getHoldCount());
        lock.unlock();
        lock.unlock();
        assertFalse(waiter.done());
        lock.unlock();
        assertTrue(waiter.get());
        same.forceUnlock();
    }

    @Test
    void a_stranger_is_refused_and_a_lease_runs_out() throws Exception {
        lock.lock(400, TimeUnit.MILLISECONDS);
        Time.assertBetween(200, 400, lock.remainTimeToLive(), "remaining lease");
        assertThrows(IllegalMonitorStateException.class, same::unlock);
        Time.sleep(450);
        assertFalse(same.isLocked());
        assertTrue(same.tryLock());
        assertThrows(IllegalMonitorStateException.class, lock::unlock);
        same.unlock();
    }

    @Test
    void a_waiter_takes_over_from_a_lapsed_lease() throws Exception {
        Time.Since start = Time.now();
        lock.lock(600, TimeUnit.MILLISECONDS);
        assertTrue(Elsewhere.says(() -> same.tryLock(10, TimeUnit.SECONDS)));
        Time.assertBetween(590, 2_000, start.ms(), "time until the lapsed lock was taken over");
        same.forceUnlock();
    }

    @Test
    void force_unlock_gives_the_turn_to_the_first_waiter() throws Exception {
        lock.lock();
        Elsewhere.Work<Boolean> waiter = Elsewhere.start(() -> same.tryLock(20, TimeUnit.SECONDS));
        awaitQueued(1);
        assertTrue(theirs.getFairLock(name).forceUnlock());
        assertTrue(waiter.get(1_000));
        assertTrue(same.forceUnlock());
        assertFalse(same.forceUnlock());
    }

    @Test
    void the_watchdog_renews_a_fair_lock() {
        RedissonClient watched = Clients.withWatchdog(1_000);
        try {
            RLock own = watched.getFairLock(name);
            own.lock();
            Time.sleep(2_500);
            assertTrue(own.isHeldByCurrentThread());
            assertFalse(same.tryLock());
            own.unlock();
            assertFalse(same.isLocked());
        } finally {
            watched.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }

    @Test
    void a_crowd_of_two_clients_gets_through_one_by_one() throws Exception {
        Contest contest = new Contest(List.of(mine, theirs), 6, 240, 30_000);
        contest.run(client -> {
            RLock own = client.getFairLock(name);
            return new Contest.Guard(own::lock, own::unlock);
        });
        contest.assertNothingLost();
    }
}
