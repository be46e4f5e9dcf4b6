package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;

/** ReadWriteLock: readers together, a writer alone. */
class ReadWriteLockTest extends OnServer {
    private final String name = fresh("rw");
    private final String channel = "redisson_rwlock:{" + name + "}";
    private final RLock read = mine.getReadWriteLock(name).readLock();
    private final RLock write = mine.getReadWriteLock(name).writeLock();
    private final RLock theirRead = theirs.getReadWriteLock(name).readLock();
    private final RLock theirWrite = theirs.getReadWriteLock(name).writeLock();

    private void awaitListeners(long count) throws Exception {
        Time.until(count + " clients listening", 5_000, () -> RawServer.listeners(channel) == count);
        Time.sleep(30);
    }

    @Test
    void readers_of_any_client_share_and_keep_writers_out() throws Exception {
        read.lock();
        assertTrue(theirRead.tryLock());
        assertTrue(Elsewhere.says(theirRead::tryLock));
        assertFalse(theirWrite.tryLock());
        assertFalse(Elsewhere.says(write::tryLock));
        assertTrue(read.isLocked());
        assertFalse(write.isLocked());
        read.unlock();
        assertFalse(theirWrite.tryLock());
        theirRead.unlock();
        assertTrue(read.isLocked());
        theirRead.forceUnlock();
        assertTrue(theirWrite.tryLock());
        theirWrite.unlock();
    }

    @Test
    void a_writer_keeps_everyone_else_out() throws Exception {
        write.lock();
        assertTrue(write.isLocked());
        assertFalse(theirRead.tryLock());
        assertFalse(theirWrite.tryLock());
        assertFalse(Elsewhere.says(read::tryLock));
        write.unlock();
        assertTrue(theirRead.tryLock());
        theirRead.unlock();
        // The client deletes the latch of its unlock without waiting for the answer.
        Time.until("no key is left", 2_000, () -> mine.getKeys().count() == 0);
    }

    @Test
    void both_sides_count_their_re_entry() throws Exception {
        read.lock();
        read.lock();
        assertEquals(2, read.getHoldCount());
        read.unlock();
        assertEquals(1, read.getHoldCount());
        read.unlock();
        write.lock();
        write.lock();
        assertEquals(2, write.getHoldCount());
        write.unlock();
        assertFalse(theirRead.tryLock());
        write.unlock();
        assertEquals(0, write.getHoldCount());
        // The client deletes the latch of its unlock without waiting for the answer.
        Time.until("no key is left", 2_000, () -> mine.getKeys().count() == 0);
    }

    @Test
    void a_writer_may_read_and_step_down_to_reader() throws Exception {
        write.lock();
        read.lock();
        assertFalse(theirRead.tryLock());
        write.unlock();
        assertTrue(theirRead.tryLock());
        assertFalse(theirWrite.tryLock());
        theirRead.unlock();
        read.unlock();
        assertTrue(theirWrite.tryLock());
        theirWrite.unlock();
        // The client deletes the latch of its unlock without waiting for the answer.
        Time.until("no key is left", 2_000, () -> mine.getKeys().count() == 0);
    }

    @Test
    void a_reader_cannot_step_up_to_writer() {
        read.lock();
        assertFalse(write.tryLock());
        read.unlock();
        assertTrue(write.tryLock());
        write.unlock();
    }

    @Test
    void the_last_reader_wakes_a_waiting_writer() throws Exception {
        read.lock(30, TimeUnit.SECONDS);
        Elsewhere.Work<Void> other = Elsewhere.begin(() -> read.lock(30, TimeUnit.SECONDS));
        other.get();
        Elsewhere.Work<Boolean> writer = Elsewhere.start(() -> theirWrite.tryLock(20, 10, TimeUnit.SECONDS));
        awaitListeners(1);
        read.unlock();
        Time.sleep(100);
        assertFalse(writer.done());
        Time.Since release = Time.now();
        read.unlockAsync(other.thread().getId()).get(5, TimeUnit.SECONDS);
        assertTrue(writer.get());
        assertTrue(release.ms() < 500, "hand-over took " + release.ms() + " ms");
        theirWrite.forceUnlock();
    }

    @Test
    void a_leaving_writer_wakes_all_waiting_readers_together() throws Exception {
        int readers = 8;
        CountDownLatch together = new CountDownLatch(readers);
        List<Elsewhere.Work<Boolean>> work = new ArrayList<>();
        write.lock(30, TimeUnit.SECONDS);
        for (int i = 0; i < readers; i++) {
            RLock own = i % 2 == 0 ? read : theirRead;
            work.add(Elsewhere.start(() -> {
                own.lock(30, TimeUnit.SECONDS);
                together.countDown();
                boolean met = together.await(10, TimeUnit.SECONDS);
                own.unlock();
                return met;
            }));
        }
        awaitListeners(2);
        Time.Since release = Time.now();
        write.unlock();
        assertTrue(together.await(2, TimeUnit.SECONDS), together.getCount() + " readers were not woken");
        assertTrue(release.ms() < 1_000, "waking took " + release.ms() + " ms");
        for (Elsewhere.Work<Boolean> each : work) {
            assertTrue(each.get());
        }
        assertEquals(0, mine.getKeys().countExists(name));
    }

    @Test
    void a_lapsed_reader_does_not_free_the_others() throws Exception {
        read.lock(400, TimeUnit.MILLISECONDS);
        theirRead.lock(10, TimeUnit.SECONDS);
        Time.sleep(500);
        assertFalse(Elsewhere.says(theirWrite::tryLock));
        Time.assertBetween(8_000, 10_000, theirRead.remainTimeToLive(), "lease of the later reader");
        theirRead.unlock();
        assertTrue(theirWrite.tryLock());
        theirWrite.unlock();
    }

    @Test
    void leases_of_both_sides_run_out() throws Exception {
        write.lock(300, TimeUnit.MILLISECONDS);
        Time.sleep(350);
        assertTrue(theirRead.tryLock(0, 300, TimeUnit.MILLISECONDS));
        assertThrows(IllegalMonitorStateException.class, write::unlock);
        Time.sleep(350);
        assertTrue(write.tryLock());
        assertThrows(IllegalMonitorStateException.class, theirRead::unlock);
        write.unlock();
    }

    @Test
    void strangers_are_refused_on_both_sides() throws Exception {
        read.lock();
        assertThrows(IllegalMonitorStateException.class, theirRead::unlock);
        assertThrows(IllegalMonitorStateException.class, write::unlock);
        read.unlock();
        write.lock();
        assertThrows(IllegalMonitorStateException.class, theirWrite::unlock);
        Elsewhere.run(() -> assertThrows(IllegalMonitorStateException.class, write::unlock));
        write.unlock();
    }

    @Test
    void force_unlock_wakes_a_waiting_writer() throws Exception {
        write.lock(30, TimeUnit.SECONDS);
        Elsewhere.Work<Boolean> writer = Elsewhere.start(() -> theirWrite.tryLock(20, 10, TimeUnit.SECONDS));
        awaitListeners(1);
        assertTrue(write.forceUnlock());
        assertTrue(writer.get(1_000));
        assertTrue(theirWrite.forceUnlock());
        assertFalse(theirWrite.forceUnlock());
    }

    @Test
    void the_watchdog_renews_readers_and_writers() throws Exception {
        RedissonClient watched = Clients.withWatchdog(1_000);
        try {
            RReadWriteLock own = watched.getReadWriteLock(name);
            own.readLock().lock();
            own.readLock().lock();
            Elsewhere.Work<Void> other = Elsewhere.begin(() -> own.readLock().lock());
            other.get();
            Time.sleep(2_500);
            assertTrue(own.readLock().isHeldByCurrentThread());
            assertTrue(own.readLock().isHeldByThread(other.thread().getId()));
            assertFalse(theirWrite.tryLock());
            own.readLock().unlock();
            own.readLock().unlock();
            own.readLock().unlockAsync(other.thread().getId()).get(5, TimeUnit.SECONDS);
            own.writeLock().lock();
            Time.sleep(2_000);
            assertFalse(theirRead.tryLock());
            own.writeLock().unlock();
            assertTrue(theirWrite.tryLock());
            theirWrite.unlock();
        } finally {
            watched.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }

    @Test
    void readers_never_see_a_writer_half_done() throws Exception {
        int[] pair = new int[2];
        List<Elsewhere.Work<Void>> readers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            RLock own = i % 2 == 0 ? read : theirRead;
            readers.add(Elsewhere.begin(() -> {
                for (int look = 0; look < 50; look++) {
                    own.lock();
                    int left = pair[0];
                    Thread.yield();
                    assertEquals(left, pair[1], "a writer was inside with a reader");
                    own.unlock();
                }
            }));
        }
        Contest contest = new Contest(List.of(mine, theirs), 2, 100, 30_000);
        contest.run(client -> {
            RLock own = client.getReadWriteLock(name).writeLock();
            return new Contest.Guard(() -> {
                own.lock();
                pair[0]++;
                Thread.yield();
            }, () -> {
                pair[1]++;
                own.unlock();
            });
        });
        contest.assertNothingLost();
        for (Elsewhere.Work<Void> reader : readers) {
            reader.get();
        }
        assertEquals(100, pair[1]);
    }
}
