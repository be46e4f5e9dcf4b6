package holdfast.redisson;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A further server of the binary under test, on a port the script chose, that a test may start and kill. */
final class TestServer {
    private final String port;
    private final Path dir;
    private Process process;

    private TestServer(String port, Path dir) {
        this.port = port;
        this.dir = dir;
    }

    /** The servers the script gave ports for, none of them started. */
    static TestServer[] given() throws IOException {
        String[] ports = System.getProperty("server.ports").split(",");
        TestServer[] servers = new TestServer[ports.length];
        for (int i = 0; i < ports.length; i++) {
            Path dir = Path.of(System.getProperty("server.dir"), "own-" + ports[i]);
            servers[i] = new TestServer(ports[i], Files.createDirectories(dir));
        }
        return servers;
    }

    String address() {
        return "redis://127.0.0.1:" + port;
    }

    void start() throws Exception {
        File log = dir.resolve("log").toFile();
        process = new ProcessBuilder(System.getProperty("server.binary"), "--port", port, "--dir", dir.toString(),
                "--save", "").redirectErrorStream(true).redirectOutput(log).start();
        // The script stops by this note what a JVM that was killed leaves running.
        Path notes = Files.createDirectories(Path.of(System.getProperty("server.dir"), "pids"));
        Files.writeString(notes.resolve(Long.toString(process.pid())), "");
        Time.until("the server on port " + port + " answers", 10_000, () -> {
            if (!process.isAlive()) {
                throw new AssertionError("the server ended: " + Files.readString(log.toPath()));
            }
            try {
                return "PONG".equals(RawServer.askAt(address(), "PING"));
            } catch (IOException notYet) {
                return false;
            }
        });
    }

    void kill() throws Exception {
        if (process != null) {
            process.destroyForcibly();
            process.waitFor(10, TimeUnit.SECONDS);
        }
    }
}
