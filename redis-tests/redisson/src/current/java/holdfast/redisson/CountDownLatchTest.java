package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.redisson.api.RCountDownLatch;

/** Latches across clients. */
class CountDownLatchTest extends OnServer {
    private final String name = fresh("latch");
    private final RCountDownLatch latch = mine.getCountDownLatch(name);
    private final RCountDownLatch same = theirs.getCountDownLatch(name);

    @Test
    void all_waiters_of_both_clients_go_on_at_zero_and_not_before() throws Exception {
        assertTrue(latch.trySetCount(3));
        assertFalse(same.trySetCount(5));
        List<Elsewhere.Work<Void>> waiters = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            waiters.add(Elsewhere.begin((i % 2 == 0 ? latch : same)::await));
        }
        String channel = "redisson_countdownlatch__channel__{" + name + "}";
        Time.until("both clients listen", 5_000, () -> RawServer.listeners(channel) == 2);
        latch.countDown();
        same.countDown();
        assertEquals(1, same.getCount());
        Time.sleep(150);
        assertTrue(waiters.stream().noneMatch(Elsewhere.Work::done));
        Time.Since start = Time.now();
        latch.countDown();
        for (Elsewhere.Work<Void> waiter : waiters) {
            waiter.get(2_000);
        }
        assertTrue(start.ms() < 500, "waking took " + start.ms() + " ms");
        assertEquals(0, latch.getCount());
        assertFalse(latch.isExists());
    }

    @Test
    void an_open_latch_holds_nobody_and_counts_no_lower() throws Exception {
        latch.await();
        assertTrue(latch.await(10, TimeUnit.MILLISECONDS));
        latch.countDown();
        assertEquals(0, latch.getCount());
        assertTrue(latch.trySetCount(1));
        latch.countDown();
        latch.countDown();
        assertTrue(same.trySetCount(2));
        assertEquals(2, latch.getCount());
    }

    @Test
    void waiting_has_an_end() throws Exception {
        latch.trySetCount(1);
        Time.Since start = Time.now();
        assertFalse(same.await(300, TimeUnit.MILLISECONDS));
        Time.assertBetween(290, 1_500, start.ms(), "time until await gave up");
        Elsewhere.Work<Boolean> waiter = Elsewhere.start(() -> same.await(20, TimeUnit.SECONDS));
        Time.sleep(100);
        latch.countDown();
        assertTrue(waiter.get(2_000));
    }

    @Test
    void a_deleted_latch_is_open() throws Exception {
        latch.trySetCount(4);
        assertTrue(same.delete());
        assertEquals(0, latch.getCount());
        assertTrue(latch.await(10, TimeUnit.MILLISECONDS));
    }
}
