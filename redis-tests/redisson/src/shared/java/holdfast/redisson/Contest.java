package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.redisson.api.RedissonClient;

/**
 * Threads of several clients that add to one plain int, each addition inside a guard. Without mutual exclusion
 * additions are lost and threads meet inside; both are counted, and neither is repaired.
 */
final class Contest {
    /** What a thread does before and after each addition. */
    record Guard(Elsewhere.Step enter, Elsewhere.Step leave) {
    }

    private final List<RedissonClient> clients;
    private final int threadsPerClient;
    private final int additions;
    private final long limitMs;
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger meetings = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private int counter;
    private long tookMs;

    /** `additions` in all, shared out evenly among `clients.size() * threadsPerClient` threads. */
    Contest(List<RedissonClient> clients, int threadsPerClient, int additions, long limitMs) {
        this.clients = clients;
        this.threadsPerClient = threadsPerClient;
        this.additions = additions;
        this.limitMs = limitMs;
    }

    /** Returns when all additions are made; fails when a guard throws or the time limit passes. */
    void run(Function<RedissonClient, Guard> guards) throws Exception {
        int threads = clients.size() * threadsPerClient;
        List<Elsewhere.Work<Void>> work = new ArrayList<>();
        Time.Since start = Time.now();
        for (int i = 0; i < threads; i++) {
            Guard guard = guards.apply(clients.get(i % clients.size()));
            int share = additions / threads + (i < additions % threads ? 1 : 0);
            work.add(Elsewhere.begin(() -> addAll(guard, share, start)));
        }
        for (Elsewhere.Work<Void> each : work) {
            long leftMs = limitMs - start.ms();
            if (leftMs <= 0 && !each.done()) {
                throw new AssertionError(done + " of " + additions + " additions after " + limitMs + " ms");
            }
            each.get(Math.max(leftMs, 1));
        }
        tookMs = start.ms();
    }

    private void addAll(Guard guard, int share, Time.Since start) throws Exception {
        for (int i = 0; i < share && start.ms() < limitMs; i++) {
            guard.enter().run();
            if (inside.incrementAndGet() != 1) {
                meetings.incrementAndGet();
            }
            int seen = counter;
            // Invites another thread in: a correct lock keeps it out, and no lock at all is sure to be noticed.
            Thread.yield();
            counter = seen + 1;
            inside.decrementAndGet();
            guard.leave().run();
            done.incrementAndGet();
        }
    }

    void assertNothingLost() {
        assertEquals(additions, done.get(), "additions made in time");
        assertEquals(0, meetings.get(), "times two threads were inside together");
        assertEquals(additions, counter, "final count");
    }

    int lost() {
        return additions - counter;
    }

    int meetings() {
        return meetings.get();
    }

    long tookMs() {
        return tookMs;
    }
}
