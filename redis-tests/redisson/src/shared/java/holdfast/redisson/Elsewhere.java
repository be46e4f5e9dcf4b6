package holdfast.redisson;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Work in a thread of its own, since to Redisson each thread is another owner. */
final class Elsewhere {
    /** A running piece of work: its result, and the thread to interrupt. */
    record Work<T>(CompletableFuture<T> result, Thread thread) {
        /** The result, waited for no longer than 30 s; what the work threw is thrown here. */
        T get() throws Exception {
            return get(30_000);
        }

        T get(long waitMs) throws Exception {
            try {
                return result.get(waitMs, TimeUnit.MILLISECONDS);
            } catch (ExecutionException failure) {
                if (failure.getCause() instanceof Exception thrown) {
                    throw thrown;
                }
                throw new AssertionError(failure.getCause());
            } catch (TimeoutException late) {
                throw new AssertionError("the other thread was not done after " + waitMs + " ms");
            }
        }

        boolean done() {
            return result.isDone();
        }
    }

    /** Work without a result. */
    interface Step {
        void run() throws Exception;
    }

    private Elsewhere() {
    }

    static <T> Work<T> start(Callable<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                result.complete(work.call());
            } catch (Throwable thrown) {
                result.completeExceptionally(thrown);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return new Work<>(result, thread);
    }

    static Work<Void> begin(Step step) {
        return start(() -> {
            step.run();
            return null;
        });
    }

    /** Runs the work to its end in a new thread. */
    static <T> T call(Callable<T> work) throws Exception {
        return start(work).get();
    }

    /** As `call`, for a yes or no. */
    static boolean says(Callable<Boolean> question) throws Exception {
        return call(question);
    }

    static void run(Step step) throws Exception {
        begin(step).get();
    }
}
