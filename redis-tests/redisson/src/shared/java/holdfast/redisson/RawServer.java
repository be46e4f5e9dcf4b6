package holdfast.redisson;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The server seen past Redisson: one command over a plain socket, for what no client API shows. */
final class RawServer {
    private RawServer() {
    }

    /** The reply as String, Long or List; a nil is null and an error reply is thrown. */
    static Object ask(String... command) throws IOException {
        return askAt(Clients.ADDRESS, command);
    }

    static Object askAt(String address, String... command) throws IOException {
        URI where = URI.create(address);
        try (Socket socket = new Socket(where.getHost(), where.getPort())) {
            socket.setSoTimeout(5000);
            InputStream in = new BufferedInputStream(socket.getInputStream());
            if (!Clients.PASSWORD.isEmpty()) {
                socket.getOutputStream().write(encode("AUTH", Clients.PASSWORD));
                reply(in);
            }
            socket.getOutputStream().write(encode(command));
            return reply(in);
        }
    }

    /** How many clients listen to the channel. */
    static long listeners(String channel) throws IOException {
        return (Long) ((List<?>) ask("PUBSUB", "NUMSUB", channel)).get(1);
    }

    static List<?> channels(String pattern) throws IOException {
        return (List<?>) ask("PUBSUB", "CHANNELS", pattern);
    }

    private static byte[] encode(String... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(("*" + words.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
        for (String word : words) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            out.writeBytes(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
            out.writeBytes(bytes);
            out.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
        }
        return out.toByteArray();
    }

    private static Object reply(InputStream in) throws IOException {
        String line = line(in);
        String rest = line.substring(1);
        switch (line.charAt(0)) {
            case '+':
                return rest;
            case ':':
                return Long.valueOf(rest);
            case '-':
                throw new IOException(rest);
            case '$':
                int length = Integer.parseInt(rest);
                if (length < 0) {
                    return null;
                }
                String text = new String(in.readNBytes(length), StandardCharsets.UTF_8);
                line(in);
                return text;
            case '*':
                List<Object> items = new ArrayList<>();
                for (int left = Integer.parseInt(rest); left > 0; left--) {
                    items.add(reply(in));
                }
                return items;
            default:
                throw new IOException("not a RESP2 reply: " + line);
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the server closed the connection");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }
}
