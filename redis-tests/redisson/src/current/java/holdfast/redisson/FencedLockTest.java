package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;

/** Fenced locks, whose every owner gets a higher token, and the locks that refuse re-entry. */
class FencedLockTest extends OnServer {
    private final String name = fresh("fenced");
    private final RFencedLock lock = mine.getFencedLock(name);
    private final RFencedLock same = theirs.getFencedLock(name);

    @Test
    void every_owner_gets_the_next_token() {
        assertEquals(1L, lock.lockAndGetToken());
        assertEquals(1L, lock.getToken());
        lock.unlock();
        assertEquals(2L, same.tryLockAndGetToken(1, 10, TimeUnit.SECONDS));
        assertNull(lock.tryLockAndGetToken(200, 10_000, TimeUnit.MILLISECONDS));
        assertEquals(2L, lock.getToken());
        same.unlock();
        lock.lock();
        assertEquals(3L, same.getToken());
        lock.unlock();
    }

    @Test
    void a_lapse_and_a_forced_unlock_do_not_set_tokens_back() throws Exception {
        assertEquals(1L, lock.tryLockAndGetToken(1_000, 200, TimeUnit.MILLISECONDS));
        Time.sleep(250);
        assertEquals(2L, same.tryLockAndGetToken(1_000, 10_000, TimeUnit.MILLISECONDS));
        assertThrows(IllegalMonitorStateException.class, lock::unlock);
        assertTrue(lock.forceUnlock());
        assertEquals(3L, lock.tryLockAndGetToken(1, 10, TimeUnit.SECONDS));
        lock.unlock();
    }

    @Test
    void a_waiter_is_woken_with_its_token() throws Exception {
        lock.lock();
        Elsewhere.Work<Long> waiter = Elsewhere.start(() -> same.tryLockAndGetToken(20, 10, TimeUnit.SECONDS));
        String channel = "redisson_lock__channel:{" + name + "}";
        Time.until("the waiter listens", 5_000, () -> RawServer.listeners(channel) == 1);
        Time.sleep(30);
        Time.Since release = Time.now();
        lock.unlock();
        assertEquals(2L, waiter.get());
        assertTrue(release.ms() < 500, "hand-over took " + release.ms() + " ms");
    }

    @Test
    void tokens_rise_by_one_in_the_order_of_ownership() throws Exception {
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        Contest contest = new Contest(List.of(mine, theirs), 4, 200, 30_000);
        contest.run(client -> {
            RFencedLock own = client.getFencedLock(name);
            return new Contest.Guard(() -> tokens.add(own.lockAndGetToken()), own::unlock);
        });
        contest.assertNothingLost();
        assertEquals(LongStream.rangeClosed(1, 200).boxed().toList(), tokens);
    }

    @Test
    void locks_without_re_entry_refuse_their_own_holder() throws Exception {
        for (RLock own : List.of(mine.getNonReentrantLock(name + "n"), mine.getNonReentrantFairLock(name + "f"))) {
            own.lock();
            Throwable refusal = assertThrows(RuntimeException.class, own::lock);
            assertTrue(refusal instanceof IllegalMonitorStateException, refusal.toString());
            assertTrue(own.isHeldByCurrentThread());
            assertFalse(Elsewhere.says(own::tryLock));
            own.unlock();
            assertFalse(own.isLocked());
        }
    }
}
