package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.redisson.api.LockOptions;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Spin locks: waiters poll with a growing pause and never subscribe. */
class SpinLockTest extends OnServer {
    private final String name = fresh("spin");
    private final RLock lock = mine.getSpinLock(name);
    private final RLock same = theirs.getSpinLock(name);

    @Test
    void one_owner_at_a_time_with_re_entry() {
        lock.lock();
        lock.lock();
        assertEquals(2, lock.getHoldCount());
        assertFalse(same.tryLock());
        lock.unlock();
        assertFalse(same.tryLock());
        lock.unlock();
        assertTrue(same.tryLock());
        assertThrows(IllegalMonitorStateException.class, lock::unlock);
        assertTrue(lock.forceUnlock());
    }

    @Test
    void a_waiter_polls_its_way_in_without_a_channel() throws Exception {
        lock.lock();
        Elsewhere.Work<Boolean> waiter = Elsewhere.start(() -> same.tryLock(20, TimeUnit.SECONDS));
        Time.sleep(200);
        assertTrue(RawServer.channels("*" + name + "*").isEmpty());
        Time.Since release = Time.now();
        lock.unlock();
        assertTrue(waiter.get());
        assertTrue(release.ms() < 500, "hand-over took " + release.ms() + " ms");
        same.forceUnlock();
    }

    @Test
    void waiting_has_an_end_and_a_lease_too() throws Exception {
        lock.lock(600, TimeUnit.MILLISECONDS);
        assertFalse(same.tryLock(200, TimeUnit.MILLISECONDS));
        assertTrue(same.tryLock(5, TimeUnit.SECONDS));
        assertThrows(IllegalMonitorStateException.class, lock::unlock);
        same.unlock();
    }

    @Test
    void the_watchdog_renews_a_spin_lock() {
        RedissonClient watched = Clients.withWatchdog(1_000);
        try {
            RLock own = watched.getSpinLock(name);
            own.lock();
            Time.sleep(2_200);
            assertFalse(same.tryLock());
            own.unlock();
            assertFalse(same.isLocked());
        } finally {
            watched.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }

    @Test
    void a_crowd_of_two_clients_gets_through_one_by_one() throws Exception {
        Contest contest = new Contest(List.of(mine, theirs), 4, 400, 30_000);
        contest.run(client -> {
            RLock own = client.getSpinLock(name, new LockOptions.ConstantBackOff().delay(2));
            return new Contest.Guard(own::lock, own::unlock);
        });
        contest.assertNothingLost();
    }
}
