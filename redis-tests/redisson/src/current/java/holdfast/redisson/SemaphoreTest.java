package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.redisson.api.RSemaphore;

/** Semaphores: a counter of permits, and waiters woken through a channel. */
class SemaphoreTest extends OnServer {
    private final String name = fresh("semaphore");
    private final RSemaphore semaphore = mine.getSemaphore(name);
    private final RSemaphore same = theirs.getSemaphore(name);

    private void awaitListeners(long count) throws Exception {
        Time.until(count + " clients listening", 5_000, () -> RawServer.listeners("redisson_sc:{" + name + "}") == count);
        Time.sleep(30);
    }

    @Test
    void permits_are_set_once_taken_and_given_back() throws Exception {
        assertFalse(semaphore.tryAcquire());
        assertTrue(semaphore.trySetPermits(3));
        assertFalse(same.trySetPermits(10));
        semaphore.acquire();
        assertTrue(same.tryAcquire(2));
        assertFalse(semaphore.tryAcquire());
        assertEquals(0, same.availablePermits());
        same.release(2);
        semaphore.release();
        assertEquals(3, semaphore.availablePermits());
        assertFalse(semaphore.tryAcquire(4));
        assertEquals(3, same.drainPermits());
        assertEquals(0, same.drainPermits());
    }

    @Test
    void permits_may_be_added_and_taken_away() {
        semaphore.addPermits(5);
        assertEquals(5, same.availablePermits());
        same.addPermits(3);
        semaphore.addPermits(-6);
        assertEquals(2, same.availablePermits());
    }

    @Test
    void a_release_wakes_a_waiter_of_another_client() throws Exception {
        semaphore.trySetPermits(1);
        semaphore.acquire();
        Elsewhere.Work<Void> waiter = Elsewhere.begin(same::acquire);
        awaitListeners(1);
        Time.Since release = Time.now();
        semaphore.release();
        waiter.get();
        assertTrue(release.ms() < 500, "hand-over took " + release.ms() + " ms");
    }

    @Test
    void added_permits_wake_all_who_can_have_one() throws Exception {
        semaphore.trySetPermits(0);
        List<Elsewhere.Work<Void>> waiters = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiters.add(Elsewhere.begin((i % 2 == 0 ? semaphore : same)::acquire));
        }
        awaitListeners(2);
        semaphore.addPermits(4);
        for (Elsewhere.Work<Void> waiter : waiters) {
            waiter.get(3_000);
        }
        assertEquals(0, semaphore.availablePermits());
    }

    @Test
    void a_waiter_for_several_permits_waits_for_all_of_them() throws Exception {
        semaphore.trySetPermits(1);
        Elsewhere.Work<Void> waiter = Elsewhere.begin(() -> same.acquire(3));
        awaitListeners(1);
        semaphore.release();
        Time.sleep(150);
        assertFalse(waiter.done());
        semaphore.release();
        waiter.get(2_000);
        assertEquals(0, semaphore.availablePermits());
    }

    @Test
    void waiting_has_an_end_and_can_be_interrupted() throws Exception {
        semaphore.trySetPermits(0);
        Time.Since start = Time.now();
        assertFalse(semaphore.tryAcquire(Duration.ofMillis(300)));
        Time.assertBetween(290, 1_500, start.ms(), "time until tryAcquire gave up");
        Elsewhere.Work<Void> waiter = Elsewhere.begin(same::acquire);
        awaitListeners(1);
        waiter.thread().interrupt();
        assertThrows(InterruptedException.class, waiter::get);
        assertEquals(0, semaphore.availablePermits());
    }

    @Test
    void permits_with_a_lifetime_end_with_it() throws Exception {
        assertTrue(semaphore.trySetPermits(2, Duration.ofMillis(300)));
        Time.assertBetween(100, 300, semaphore.remainTimeToLive(), "lifetime of the permits");
        assertTrue(same.tryAcquire());
        Time.sleep(350);
        assertFalse(same.tryAcquire());
        assertFalse(semaphore.releaseIfExists(1));
    }

    @Test
    void never_more_inside_than_permits() throws Exception {
        int permits = 3;
        semaphore.trySetPermits(permits);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Elsewhere.Work<Void>> work = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            RSemaphore own = i % 2 == 0 ? semaphore : same;
            work.add(Elsewhere.begin(() -> {
                for (int round = 0; round < 15; round++) {
                    own.acquire();
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    Time.sleep(1);
                    inside.decrementAndGet();
                    own.release();
                }
            }));
        }
        for (Elsewhere.Work<Void> each : work) {
            each.get();
        }
        assertTrue(most.get() <= permits, most + " were inside");
        assertTrue(most.get() > 1, "the permits were never shared");
        assertEquals(permits, semaphore.availablePermits());
    }
}
