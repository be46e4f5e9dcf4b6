package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Several locks as one: of single RLocks, and of the values of one group. */
class MultiLockTest extends OnServer {
    private final String name = fresh("multi");
    private final String group = fresh("group");

    private RLock all(RedissonClient client, int... numbers) {
        RLock[] locks = new RLock[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            locks[i] = client.getLock(name + numbers[i]);
        }
        return client.getMultiLock(locks);
    }

    private RLock values(RedissonClient client, Object... values) {
        return client.getMultiLock(group, List.of(values));
    }

    @Test
    void all_locks_are_taken_and_all_are_given_back() {
        RLock three = all(mine, 1, 2, 3);
        three.lock();
        for (int i = 1; i <= 3; i++) {
            assertFalse(theirs.getLock(name + i).tryLock());
        }
        three.unlock();
        assertEquals(0, mine.getKeys().countExists(name + 1, name + 2, name + 3));
    }

    @Test
    void one_taken_lock_refuses_the_whole_and_leaves_none_behind() throws Exception {
        RLock second = theirs.getLock(name + 2);
        second.lock();
        assertFalse(all(mine, 1, 2, 3).tryLock());
        assertFalse(all(mine, 1, 2, 3).tryLock(200, TimeUnit.MILLISECONDS));
        assertEquals(1, mine.getKeys().countExists(name + 1, name + 2, name + 3));
        second.unlock();
    }

    @Test
    void a_waiter_for_the_whole_gets_it_when_the_last_lock_is_freed() throws Exception {
        RLock second = theirs.getLock(name + 2);
        second.lock();
        RLock three = all(mine, 1, 2, 3);
        Elsewhere.Work<Boolean> waiter = Elsewhere.start(() -> three.tryLock(20, 10, TimeUnit.SECONDS));
        Time.sleep(200);
        assertFalse(waiter.done());
        second.unlock();
        assertTrue(waiter.get(5_000));
        assertFalse(theirs.getLock(name + 3).tryLock());
    }

    @Test
    void the_lease_goes_to_every_lock() throws Exception {
        assertTrue(all(mine, 1, 2).tryLock(1_000, 500, TimeUnit.MILLISECONDS));
        Time.assertBetween(100, 500, mine.getLock(name + 1).remainTimeToLive(), "lease of the first");
        Time.assertBetween(100, 500, mine.getLock(name + 2).remainTimeToLive(), "lease of the second");
        Time.sleep(550);
        assertEquals(0, mine.getKeys().countExists(name + 1, name + 2));
    }

    @Test
    void locks_of_different_clients_make_one_lock() throws Exception {
        RLock both = mine.getMultiLock(mine.getLock(name + 1), theirs.getLock(name + 2));
        both.lock();
        Elsewhere.run(() -> {
            assertFalse(mine.getLock(name + 2).tryLock());
            assertFalse(theirs.getLock(name + 1).tryLock());
        });
        both.unlock();
        assertFalse(mine.getLock(name + 2).isLocked());
    }

    @Test
    void multi_locks_that_overlap_exclude_each_other() throws Exception {
        Contest contest = new Contest(List.of(mine, theirs), 3, 60, 40_000);
        contest.run(client -> {
            RLock own = client == mine ? all(client, 1, 2, 3) : all(client, 2, 3, 4);
            return new Contest.Guard(own::lock, own::unlock);
        });
        contest.assertNothingLost();
    }

    @Test
    void values_of_a_group_exclude_each_other_only_where_they_overlap() {
        RLock left = values(mine, "a", "b");
        left.lock();
        assertFalse(values(theirs, "b", "c").tryLock());
        RLock apart = values(theirs, "c", "d");
        assertTrue(apart.tryLock());
        assertFalse(values(mine, "d").tryLock());
        left.unlock();
        RLock overlapping = values(theirs, "a", "b");
        assertTrue(overlapping.tryLock());
        overlapping.unlock();
        apart.unlock();
        assertEquals(0, mine.getKeys().countExists(group));
    }

    @Test
    void values_of_a_group_are_re_entered_by_their_owner() {
        RLock left = values(mine, "a", "b");
        left.lock();
        left.lock();
        assertTrue(left.isHeldByCurrentThread());
        left.unlock();
        assertFalse(values(theirs, "a").tryLock());
        left.unlock();
        assertFalse(left.isLocked());
        RLock right = values(theirs, "a");
        assertTrue(right.tryLock());
        right.unlock();
    }

    @Test
    void a_waiter_for_values_of_a_group_is_woken() throws Exception {
        RLock left = values(mine, "a", "b");
        left.lock(30, TimeUnit.SECONDS);
        RLock right = values(theirs, "b", "c");
        Elsewhere.Work<Boolean> waiter = Elsewhere.start(() -> right.tryLock(20, 10, TimeUnit.SECONDS));
        String channel = "redisson_lock__channel:{" + group + "}";
        Time.until("the waiter listens", 5_000, () -> RawServer.listeners(channel) == 1);
        Time.sleep(30);
        Time.Since release = Time.now();
        left.unlock();
        assertTrue(waiter.get());
        assertTrue(release.ms() < 500, "hand-over took " + release.ms() + " ms");
    }

    @Test
    void values_of_a_group_lapse_and_strangers_are_refused() throws Exception {
        RLock left = values(mine, "a", "b");
        left.lock(400, TimeUnit.MILLISECONDS);
        assertThrows(IllegalMonitorStateException.class, () -> values(theirs, "a", "b").unlock());
        Time.sleep(450);
        assertTrue(values(theirs, "a").tryLock());
        assertThrows(IllegalMonitorStateException.class, left::unlock);
    }

    @Test
    void the_watchdog_renews_values_of_a_group() {
        RedissonClient watched = Clients.withWatchdog(1_000);
        try {
            RLock own = values(watched, "a", "b");
            own.lock();
            Time.sleep(2_500);
            assertFalse(values(theirs, "b").tryLock());
            own.unlock();
            assertTrue(values(theirs, "b").tryLock());
        } finally {
            watched.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }
}
