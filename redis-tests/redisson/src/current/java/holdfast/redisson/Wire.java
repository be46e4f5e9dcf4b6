package holdfast.redisson;

import org.redisson.config.Config;
import org.redisson.config.Protocol;

/** What a client of this Redisson version says on the wire; each flavour of the build has its own copy. */
final class Wire {
    private Wire() {
    }

    static void choose(Config config) {
        config.setProtocol(Protocol.valueOf(System.getProperty("protocol", "RESP2")));
    }
}
