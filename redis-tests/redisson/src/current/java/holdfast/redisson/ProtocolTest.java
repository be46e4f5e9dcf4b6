package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

/** The part really speaks the protocol it claims to. */
class ProtocolTest extends OnServer {
    @Test
    void every_connection_of_the_clients_speaks_the_protocol_of_this_part() throws Exception {
        String wanted = System.getProperty("protocol").equals("RESP3") ? "resp=3" : "resp=2";
        mine.getBucket(fresh("touch")).get();
        String[] lines = ((String) RawServer.ask("CLIENT", "LIST")).split("\n");
        // The line of the connection that asks is left out: it is no client of Redisson's.
        List<String> clients = List.of(lines).stream().filter(line -> !line.contains("cmd=client|list")).toList();
        assertTrue(clients.size() >= 2, "only " + clients.size() + " connections");
        assertEquals(List.of(), clients.stream().filter(line -> !line.contains(wanted)).toList());
    }

    @Test
    void a_client_sets_its_name_and_chooses_its_database() throws Exception {
        RedissonClient named = Clients.open(Clients.ADDRESS, config -> { },
                server -> server.setClientName("suite").setDatabase(3));
        try {
            String key = fresh("elsewhere");
            named.getBucket(key).set("x");
            assertTrue(named.getBucket(key).isExists());
            assertEquals(0, mine.getKeys().countExists(key));
            String list = (String) RawServer.ask("CLIENT", "LIST");
            assertTrue(list.lines().anyMatch(line -> line.contains("name=suite") && line.contains("db=3")), list);
        } finally {
            named.shutdown();
        }
    }
}
