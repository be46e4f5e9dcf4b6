package holdfast.redisson;

import java.util.concurrent.Callable;

/** Waiting and measuring by the monotonic clock. */
final class Time {
    /** A moment to measure from. */
    record Since(long startNs) {
        long ms() {
            return (System.nanoTime() - startNs) / 1_000_000;
        }
    }

    private Time() {
    }

    static Since now() {
        return new Since(System.nanoTime());
    }

    static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while sleeping");
        }
    }

    /** Looks every 5 ms until the condition holds; fails with `what` after the limit. Returns the milliseconds it took. */
    static long until(String what, long limitMs, Callable<Boolean> condition) throws Exception {
        Since start = now();
        while (!condition.call()) {
            if (start.ms() > limitMs) {
                throw new AssertionError("not within " + limitMs + " ms: " + what);
            }
            sleep(5);
        }
        return start.ms();
    }

    static void assertBetween(long low, long high, long value, String what) {
        if (value < low || value > high) {
            throw new AssertionError(what + " is " + value + ", expected " + low + ".." + high);
        }
    }
}
