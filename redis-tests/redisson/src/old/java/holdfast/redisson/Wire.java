package holdfast.redisson;

import org.redisson.config.Config;

/** What a client of this Redisson version says on the wire: RESP2 and plain EVAL, there is no choice to make. */
final class Wire {
    private Wire() {
    }

    static void choose(Config config) {
        if (!System.getProperty("protocol", "RESP2").equals("RESP2")) {
            throw new IllegalStateException("this Redisson version speaks RESP2 alone");
        }
    }
}
