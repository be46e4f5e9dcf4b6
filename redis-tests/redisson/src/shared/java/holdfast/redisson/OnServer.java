package holdfast.redisson;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.redisson.api.RedissonClient;

/** A test against the server: two clients, an empty database before each test, and names nothing else uses. */
abstract class OnServer {
    private static final AtomicInteger NAMES = new AtomicInteger();

    final RedissonClient mine = Clients.first();
    final RedissonClient theirs = Clients.second();

    @BeforeEach
    void start_from_an_empty_server() {
        mine.getKeys().flushall();
    }

    final String fresh(String stem) {
        return stem + "-" + NAMES.incrementAndGet();
    }
}
