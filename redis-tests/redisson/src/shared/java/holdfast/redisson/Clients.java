package holdfast.redisson;

import java.util.function.Consumer;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.SingleServerConfig;

/** Redisson clients of the server under test: two that live as long as the JVM, and as many more as a test opens. */
final class Clients {
    static final String ADDRESS = System.getProperty("server.address", "redis://127.0.0.1:6379");
    static final String PASSWORD = System.getProperty("server.password", "");

    private static RedissonClient first;
    private static RedissonClient second;

    private Clients() {
    }

    static synchronized RedissonClient first() {
        if (first == null) {
            first = open(config -> { });
        }
        return first;
    }

    static synchronized RedissonClient second() {
        if (second == null) {
            second = open(config -> { });
        }
        return second;
    }

    /** A new client; whoever opens it shuts it down. */
    static RedissonClient open(Consumer<Config> settings) {
        return open(ADDRESS, config -> settings.accept(config), server -> { });
    }

    static RedissonClient open(String address, Consumer<Config> settings, Consumer<SingleServerConfig> connection) {
        Config config = new Config();
        Wire.choose(config);
        settings.accept(config);
        SingleServerConfig server = config.useSingleServer().setAddress(address);
        if (!PASSWORD.isEmpty()) {
            server.setPassword(PASSWORD);
        }
        connection.accept(server);
        return Redisson.create(config);
    }

    static RedissonClient withWatchdog(long timeoutMs) {
        return open(config -> config.setLockWatchdogTimeout(timeoutMs));
    }

    static synchronized void closeAll() {
        for (RedissonClient client : new RedissonClient[] {first, second}) {
            if (client != null) {
                client.shutdown();
            }
        }
        first = null;
        second = null;
    }
}
