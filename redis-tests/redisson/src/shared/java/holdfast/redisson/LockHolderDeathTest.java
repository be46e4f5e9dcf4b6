package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;

/** A process killed while it holds a lock: the others get the lock when its lease has run out, and not before. */
class LockHolderDeathTest extends OnServer {
    private final String name = fresh("orphan");
    private final RLock lock = mine.getLock(name);

    private static void kill(Process child) throws Exception {
        child.destroyForcibly();
        assertTrue(child.waitFor(10, TimeUnit.SECONDS));
    }

    @Test
    void a_killed_holder_with_a_lease_is_outlived_by_its_lease_alone() throws Exception {
        Process child = Holder.start("lock", name, 30_000, 2_500);
        try {
            Holder.await(child, "held");
            long leftMs = lock.remainTimeToLive();
            Time.Since start = Time.now();
            Time.assertBetween(1, 2_500, leftMs, "lease of the child");
            kill(child);
            assertFalse(lock.tryLock());
            assertTrue(lock.tryLock(10, TimeUnit.SECONDS));
            Time.assertBetween(leftMs - 20, leftMs + 1_000, start.ms(), "time until the lock was free");
            lock.unlock();
        } finally {
            kill(child);
        }
    }

    @Test
    void a_living_holder_is_renewed_and_a_killed_one_is_not() throws Exception {
        long timeoutMs = 1_500;
        Process child = Holder.start("lock", name, timeoutMs, -1);
        try {
            Holder.await(child, "held");
            assertFalse(lock.tryLock(2 * timeoutMs, TimeUnit.MILLISECONDS));
            Elsewhere.Work<Boolean> waiter = Elsewhere.start(() -> lock.tryLock(10, TimeUnit.SECONDS));
            kill(child);
            Time.Since death = Time.now();
            assertTrue(waiter.get());
            assertTrue(death.ms() < timeoutMs + 1_000, "free " + death.ms() + " ms after the death");
            lock.forceUnlock();
        } finally {
            kill(child);
        }
    }
}
