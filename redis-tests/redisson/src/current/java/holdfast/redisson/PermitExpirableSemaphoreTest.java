package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.client.RedisException;

/** Semaphores whose permits have ids, and may have a lease. */
class PermitExpirableSemaphoreTest extends OnServer {
    private final String name = fresh("permits");
    private final RPermitExpirableSemaphore semaphore = mine.getPermitExpirableSemaphore(name);
    private final RPermitExpirableSemaphore same = theirs.getPermitExpirableSemaphore(name);

    private void awaitListeners(long count) throws Exception {
        Time.until(count + " clients listening", 5_000, () -> RawServer.listeners("redisson_sc:{" + name + "}") == count);
        Time.sleep(30);
    }

    @Test
    void a_permit_has_an_id_and_is_given_back_once() throws Exception {
        assertTrue(semaphore.trySetPermits(2));
        assertFalse(same.trySetPermits(5));
        String first = semaphore.acquire();
        String second = same.tryAcquire();
        assertNotEquals(first, second);
        assertNull(semaphore.tryAcquire());
        assertEquals(0, same.availablePermits());
        assertEquals(2, same.acquiredPermits());
        assertEquals(2, same.getPermits());
        // Any client may give a permit back who knows its id.
        same.release(first);
        assertFalse(semaphore.tryRelease(first));
        assertThrows(RedisException.class, () -> semaphore.release(first));
        assertTrue(semaphore.tryRelease(second));
        assertEquals(2, semaphore.availablePermits());
    }

    @Test
    void an_expired_permit_comes_back_by_itself() throws Exception {
        semaphore.trySetPermits(1);
        String id = semaphore.acquire(300, TimeUnit.MILLISECONDS);
        assertNull(same.tryAcquire());
        Time.sleep(350);
        assertEquals(1, same.availablePermits());
        assertFalse(semaphore.tryRelease(id));
        assertNotNull(same.tryAcquire());
        assertEquals(0, same.availablePermits());
    }

    @Test
    void a_waiter_gets_the_permit_that_expires() throws Exception {
        semaphore.trySetPermits(1);
        Time.Since start = Time.now();
        semaphore.acquire(500, TimeUnit.MILLISECONDS);
        String id = Elsewhere.call(() -> same.tryAcquire(10_000, 10_000, TimeUnit.MILLISECONDS));
        assertNotNull(id);
        Time.assertBetween(490, 2_000, start.ms(), "time until the permit came free");
        same.release(id);
    }

    @Test
    void a_release_wakes_a_waiter_of_another_client() throws Exception {
        semaphore.trySetPermits(1);
        String held = semaphore.acquire();
        Elsewhere.Work<String> waiter = Elsewhere.start(() -> same.acquire());
        awaitListeners(1);
        Time.Since release = Time.now();
        semaphore.release(held);
        assertNotNull(waiter.get());
        assertTrue(release.ms() < 500, "hand-over took " + release.ms() + " ms");
    }

    @Test
    void added_permits_wake_a_waiter() throws Exception {
        semaphore.trySetPermits(1);
        semaphore.acquire();
        Elsewhere.Work<String> waiter = Elsewhere.start(() -> same.acquire());
        awaitListeners(1);
        semaphore.addPermits(1);
        assertNotNull(waiter.get(2_000));
        assertEquals(2, semaphore.getPermits());
        assertEquals(0, semaphore.availablePermits());
    }

    @Test
    void several_permits_are_taken_and_given_back_together() throws Exception {
        semaphore.trySetPermits(5);
        List<String> three = semaphore.acquire(3);
        assertEquals(3, three.stream().distinct().count());
        assertTrue(same.tryAcquire(3).isEmpty());
        List<String> two = same.acquire(2, 300, TimeUnit.MILLISECONDS);
        assertEquals(2, two.size());
        assertEquals(0, semaphore.availablePermits());
        same.release(three);
        assertEquals(3, semaphore.availablePermits());
        Time.sleep(350);
        assertEquals(5, semaphore.availablePermits());
        assertEquals(0, semaphore.tryRelease(two));
    }

    @Test
    void a_lease_can_be_read_and_changed() throws Exception {
        semaphore.trySetPermits(1);
        String id = semaphore.acquire(500, TimeUnit.MILLISECONDS);
        Time.assertBetween(200, 500, semaphore.getLeaseTime(id), "lease of the permit");
        assertTrue(semaphore.updateLeaseTime(id, 20, TimeUnit.SECONDS));
        Time.assertBetween(19_000, 20_000, same.getLeaseTime(id), "changed lease");
        Time.sleep(600);
        assertNull(same.tryAcquire());
        assertTrue(semaphore.tryRelease(id));
        assertFalse(semaphore.updateLeaseTime(id, 20, TimeUnit.SECONDS));
    }

    @Test
    void permits_set_lower_and_higher_take_effect() throws Exception {
        semaphore.setPermits(3);
        String id = semaphore.acquire();
        semaphore.setPermits(1);
        assertEquals(0, semaphore.availablePermits());
        assertNull(same.tryAcquire());
        semaphore.setPermits(2);
        assertEquals(1, semaphore.availablePermits());
        semaphore.release(id);
        assertEquals(2, semaphore.availablePermits());
    }

    @Test
    void waiting_has_an_end() throws Exception {
        semaphore.trySetPermits(1);
        semaphore.acquire();
        Time.Since start = Time.now();
        assertNull(same.tryAcquire(300, TimeUnit.MILLISECONDS));
        Time.assertBetween(290, 1_500, start.ms(), "time until tryAcquire gave up");
    }
}
