package holdfast.redisson;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Mutual exclusion under load: 8 clients of 16 threads each, within 3 minutes in all. */
@Tag("soak")
@Timeout(value = 200, unit = TimeUnit.SECONDS)
class SoakTest {
    private static final int CLIENTS = 8;
    private static final int THREADS = 16;
    private static final long LIMIT_MS = 180_000;
    private static final Time.Since START = Time.now();

    private static final List<RedissonClient> clients = new ArrayList<>();

    @BeforeAll
    static void open_the_clients() {
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(Clients.open(config -> { }));
        }
        clients.get(0).getKeys().flushall();
    }

    @AfterAll
    static void close_the_clients() {
        clients.forEach(client -> client.shutdown(0, 2, TimeUnit.SECONDS));
    }

    private static void soak(String what, int additions, BiFunction<RedissonClient, String, RLock> locks)
            throws Exception {
        Contest contest = new Contest(clients, THREADS, additions, LIMIT_MS - START.ms());
        contest.run(client -> {
            RLock own = locks.apply(client, "soak:" + what);
            return new Contest.Guard(own::lock, own::unlock);
        });
        contest.assertNothingLost();
        System.out.printf("    %s: %d additions by %d threads of %d clients in %.1f s%n", what, additions,
                CLIENTS * THREADS, CLIENTS, contest.tookMs() / 1000.0);
    }

    @Test
    void one_lock_loses_none_of_twenty_thousand_additions() throws Exception {
        soak("lock", Integer.getInteger("soak.lock", 20_000), RedissonClient::getLock);
    }

    @Test
    void one_fair_lock_loses_none_of_two_thousand_additions() throws Exception {
        soak("fair lock", Integer.getInteger("soak.fair", 2_000), RedissonClient::getFairLock);
    }
}
