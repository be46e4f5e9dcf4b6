package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.ConstantDelay;

/** RedissonRedLock: a majority of three independent servers. */
class RedLockTest {
    private static final String NAME = "red";

    private TestServer[] servers;
    private final List<RedissonClient> mine = new ArrayList<>();
    private final List<RedissonClient> theirs = new ArrayList<>();

    @BeforeEach
    void start_three_servers() throws Exception {
        servers = TestServer.given();
        assertEquals(3, servers.length);
        for (TestServer server : servers) {
            server.start();
            mine.add(open(server));
            theirs.add(open(server));
        }
    }

    @AfterEach
    void stop_the_servers() throws Exception {
        for (List<RedissonClient> clients : List.of(mine, theirs)) {
            clients.forEach(client -> client.shutdown(0, 1, TimeUnit.SECONDS));
        }
        for (TestServer server : servers) {
            server.kill();
        }
    }

    /** Short limits, so that a dead server costs the quorum little time. */
    private static RedissonClient open(TestServer server) {
        return Clients.open(server.address(), config -> { }, connection -> connection.setTimeout(500)
                .setConnectTimeout(500).setRetryAttempts(1).setRetryDelay(new ConstantDelay(Duration.ofMillis(100)))
                .setConnectionMinimumIdleSize(2).setConnectionPoolSize(8));
    }

    private static RLock majority(List<RedissonClient> clients) {
        return new RedissonRedLock(clients.stream().map(client -> client.getLock(NAME)).toArray(RLock[]::new));
    }

    private static void assertExcluded(RLock lock) throws Exception {
        assertFalse(Elsewhere.says(() -> lock.tryLock(300, 10_000, TimeUnit.MILLISECONDS)));
    }

    @Test
    void a_majority_is_enough_to_take_keep_and_free_the_lock() throws Exception {
        RLock lock = majority(mine);
        RLock same = majority(theirs);
        assertTrue(lock.tryLock(5, 30, TimeUnit.SECONDS));
        for (RedissonClient client : theirs) {
            assertTrue(client.getLock(NAME).isLocked());
        }
        assertExcluded(same);
        lock.unlock();
        assertTrue(same.tryLock(5, 30, TimeUnit.SECONDS));
        same.unlock();

        servers[1].kill();
        assertTrue(lock.tryLock(10, 30, TimeUnit.SECONDS), "two of three servers should be enough");
        assertTrue(theirs.get(0).getLock(NAME).isLocked());
        assertTrue(theirs.get(2).getLock(NAME).isLocked());
        assertExcluded(same);
        lock.unlock();
        assertFalse(theirs.get(0).getLock(NAME).isLocked());
        assertFalse(theirs.get(2).getLock(NAME).isLocked());
        assertTrue(same.tryLock(10, 30, TimeUnit.SECONDS));
        same.unlock();
    }

    @Test
    void a_minority_is_not_enough_until_servers_come_back() throws Exception {
        RLock lock = majority(mine);
        servers[0].kill();
        servers[2].kill();
        assertFalse(lock.tryLock(3, 30, TimeUnit.SECONDS));
        Time.until("the one server left is free again", 5_000, () -> !theirs.get(1).getLock(NAME).isLocked());
        servers[0].start();
        Time.until("the lock is taken with two servers", 20_000, () -> lock.tryLock(3, 30, TimeUnit.SECONDS));
        assertTrue(theirs.get(1).getLock(NAME).isLocked());
        lock.unlock();
    }

    @Test
    void a_lock_left_on_one_server_does_not_stop_the_majority() throws Exception {
        theirs.get(1).getLock(NAME).lock(30, TimeUnit.SECONDS);
        RLock lock = majority(mine);
        assertTrue(lock.tryLock(5, 10, TimeUnit.SECONDS));
        assertTrue(mine.get(0).getLock(NAME).isHeldByCurrentThread());
        assertFalse(mine.get(1).getLock(NAME).isHeldByCurrentThread());
        lock.unlock();
        theirs.get(1).getLock(NAME).unlock();
    }
}
