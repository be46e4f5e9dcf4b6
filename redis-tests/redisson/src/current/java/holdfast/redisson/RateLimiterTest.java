package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.client.RedisException;

/** Rate limiters: so many permits in any window of the interval. */
class RateLimiterTest extends OnServer {
    private final String name = fresh("rate");
    private final RRateLimiter limiter = mine.getRateLimiter(name);
    private final RRateLimiter same = theirs.getRateLimiter(name);

    @Test
    void the_rate_is_shared_by_all_clients_and_comes_back_with_the_interval() {
        assertTrue(limiter.trySetRate(RateType.OVERALL, 3, Duration.ofSeconds(1)));
        assertFalse(same.trySetRate(RateType.OVERALL, 30, Duration.ofSeconds(1)));
        assertTrue(limiter.tryAcquire());
        assertTrue(same.tryAcquire(2));
        assertFalse(limiter.tryAcquire());
        assertFalse(same.tryAcquire());
        assertEquals(0, limiter.availablePermits());
        Time.sleep(1_050);
        assertEquals(3, same.availablePermits());
        assertTrue(same.tryAcquire(3));
    }

    @Test
    void a_rate_per_client_is_each_client_s_own() {
        assertTrue(limiter.trySetRate(RateType.PER_CLIENT, 1, Duration.ofSeconds(20)));
        assertTrue(limiter.tryAcquire());
        assertTrue(same.tryAcquire());
        assertFalse(limiter.tryAcquire());
        assertFalse(same.tryAcquire());
    }

    @Test
    void permits_over_several_intervals_keep_to_the_rate() {
        limiter.trySetRate(RateType.OVERALL, 5, Duration.ofMillis(300));
        Time.Since start = Time.now();
        for (int i = 0; i < 20; i++) {
            (i % 2 == 0 ? limiter : same).acquire();
        }
        // 20 permits are four windows full: the last of them cannot come before three intervals have passed.
        Time.assertBetween(890, 3_000, start.ms(), "time for 20 permits at 5 in 300 ms");
    }

    @Test
    void a_waiter_is_told_how_long_and_gives_up_when_it_is_too_long() {
        limiter.trySetRate(RateType.OVERALL, 1, Duration.ofMillis(700));
        assertTrue(limiter.tryAcquire());
        Time.Since start = Time.now();
        assertFalse(same.tryAcquire(1, Duration.ofMillis(200)));
        assertTrue(start.ms() < 650, "took " + start.ms() + " ms");
        assertTrue(same.tryAcquire(1, Duration.ofSeconds(5)));
        Time.assertBetween(600, 2_000, start.ms(), "time until the next permit");
    }

    @Test
    void more_than_the_rate_at_once_is_an_error_with_the_script_s_own_words() {
        limiter.trySetRate(RateType.OVERALL, 2, Duration.ofSeconds(1));
        RedisException refusal = assertThrows(RedisException.class, () -> limiter.tryAcquire(3));
        assertTrue(refusal.getMessage().contains("exceed defined rate"), refusal.getMessage());
    }

    @Test
    void a_limiter_without_a_rate_is_an_error() {
        RedisException refusal = assertThrows(RedisException.class, limiter::tryAcquire);
        assertTrue(refusal.getMessage().contains("not initialized"), refusal.getMessage());
    }

    @Test
    void a_rate_can_be_read_replaced_and_deleted() {
        limiter.trySetRate(RateType.OVERALL, 1, Duration.ofSeconds(60));
        assertTrue(limiter.tryAcquire());
        assertFalse(limiter.tryAcquire());
        limiter.setRate(RateType.OVERALL, 10, Duration.ofSeconds(30));
        assertEquals(10, same.getConfig().getRate());
        assertEquals(30_000, same.getConfig().getRateInterval());
        assertEquals(RateType.OVERALL, same.getConfig().getRateType());
        assertTrue(same.tryAcquire(10));
        assertTrue(limiter.delete());
        assertEquals(0, mine.getKeys().count());
    }
}
