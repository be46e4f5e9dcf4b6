package holdfast.redisson;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/**
 * A JVM of its own that takes a lock, says so and sleeps until it is killed. Arguments: lock or fair, the name, the
 * watchdog timeout in ms, and the lease in ms (-1: renewed by the watchdog).
 */
final class Holder {
    private Holder() {
    }

    public static void main(String[] args) throws Exception {
        RedissonClient client = Clients.withWatchdog(Long.parseLong(args[2]));
        RLock lock = args[0].equals("fair") ? client.getFairLock(args[1]) : client.getLock(args[1]);
        System.out.println("asking");
        System.out.flush();
        lock.lock(Long.parseLong(args[3]), TimeUnit.MILLISECONDS);
        System.out.println("held");
        System.out.flush();
        // Long enough for any test, and an end of its own should nobody kill it.
        Thread.sleep(60_000);
        System.exit(0);
    }

    static Process start(String kind, String name, long watchdogMs, long leaseMs) throws Exception {
        List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"),
                "-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
        for (String property : new String[] {"server.address", "server.password", "protocol"}) {
            if (System.getProperty(property) != null) {
                command.add("-D" + property + "=" + System.getProperty(property));
            }
        }
        command.addAll(List.of(Holder.class.getName(), kind, name, "" + watchdogMs, "" + leaseMs));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** Waits until the child says the word; fails when it ends first. */
    static void await(Process child, String word) throws Exception {
        Elsewhere.run(() -> {
            StringBuilder said = new StringBuilder();
            for (int next = child.getInputStream().read(); next >= 0; next = child.getInputStream().read()) {
                said.append((char) next);
                if (said.toString().endsWith(word + "\n")) {
                    return;
                }
            }
            throw new AssertionError("the child ended before it said " + word);
        });
    }
}
