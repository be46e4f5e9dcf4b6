package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.redisson.api.RScript;
import org.redisson.api.RScript.Mode;
import org.redisson.api.RScript.ReturnType;
import org.redisson.client.RedisException;
import org.redisson.client.codec.StringCodec;

/** RScript: what a script gets, what it returns, and the script cache. */
class ScriptTest extends OnServer {
    private final RScript script = mine.getScript(StringCodec.INSTANCE);
    private final String name = fresh("script");

    private <T> T eval(ReturnType type, String text) {
        return script.eval(Mode.READ_WRITE, text, type);
    }

    @Test
    void every_kind_of_return_value_is_converted() {
        assertEquals(42L, this.<Long>eval(ReturnType.LONG, "return 42.9"));
        assertEquals("text", eval(ReturnType.VALUE, "return 'text'"));
        assertEquals("OK", eval(ReturnType.STRING, "return redis.call('set', 'a', 'b')"));
        assertEquals(true, this.<Boolean>eval(ReturnType.BOOLEAN, "return 1"));
        assertEquals(false, this.<Boolean>eval(ReturnType.BOOLEAN, "return 0"));
        assertNull(eval(ReturnType.VALUE, "return nil"));
        assertNull(eval(ReturnType.VALUE, "return false"));
        assertNull(eval(ReturnType.VALUE, "return redis.call('get', 'nothing there')"));
        assertEquals(List.of("a", 1L, List.of("b", 2L)), eval(ReturnType.LIST, "return {'a', 1, {'b', 2}}"));
        assertEquals(List.of("a"), eval(ReturnType.LIST, "return {'a', nil, 'c'}"));
        assertEquals(List.of(), eval(ReturnType.LIST, "return {}"));
    }

    @Test
    void keys_and_arguments_arrive_as_text_in_their_order() {
        List<Object> got = script.eval(Mode.READ_WRITE, "return {#KEYS, KEYS[1], KEYS[2], #ARGV, ARGV[1], ARGV[2]}",
                ReturnType.LIST, List.of("k1", "k2"), "é", 7);
        assertEquals(List.of(2L, "k1", "k2", 2L, "é", "7"), got);
    }

    @Test
    void a_loaded_script_is_called_by_its_digest_until_the_flush() {
        String text = "return redis.call('incrby', KEYS[1], ARGV[1])";
        String digest = script.scriptLoad(text);
        assertEquals(40, digest.length());
        assertEquals(List.of(true, false), script.scriptExists(digest, "0".repeat(40)));
        assertEquals(5L, script.<Long>evalSha(Mode.READ_WRITE, digest, ReturnType.LONG, List.of(name), 5));
        assertEquals(8L, theirs.getScript(StringCodec.INSTANCE)
                .<Long>evalSha(Mode.READ_WRITE, digest, ReturnType.LONG, List.of(name), 3));
        script.scriptFlush();
        assertEquals(List.of(false), script.scriptExists(digest));
        RedisException refusal = assertThrows(RedisException.class,
                () -> script.evalSha(Mode.READ_WRITE, digest, ReturnType.LONG, List.of(name), 3));
        assertTrue(refusal.getMessage().contains("NOSCRIPT"), refusal.getMessage());
    }

    @Test
    void locks_survive_a_flush_of_the_script_cache() {
        for (int round = 0; round < 3; round++) {
            mine.getLock(name).lock();
            script.scriptFlush();
            mine.getLock(name).unlock();
            script.scriptFlush();
        }
        assertEquals(0, mine.getKeys().countExists(name));
    }

    @Test
    void errors_of_every_origin_come_back_with_their_text() {
        assertRefused("Script's own words", "return redis.error_reply('ERR Script\\'s own words')");
        assertRefused("WRONGTYPE", "redis.call('set', 'a', 'b') return redis.call('lpush', 'a', 'c')");
        assertRefused("nil value", "local n return n + 1");
        assertRefused("nonexistent global variable 'missing'", "return missing");
        assertRefused("raised here", "error('raised here')");
        assertRefused("compiling script", "this is not a script");
        assertEquals("caught", eval(ReturnType.VALUE,
                "local r = redis.pcall('lpush', 'a') if r.err then return 'caught' end return 'missed'"));
    }

    private void assertRefused(String words, String text) {
        RedisException refusal = assertThrows(RedisException.class, () -> eval(ReturnType.VALUE, text));
        assertTrue(refusal.getMessage().contains(words), refusal.getMessage());
    }

    @Test
    void a_script_may_read_in_read_only_mode() {
        mine.getBucket(name, StringCodec.INSTANCE).set("v");
        assertEquals("v", script.eval(Mode.READ_ONLY, "return redis.call('get', KEYS[1])", ReturnType.VALUE,
                List.of(name)));
        assertEquals("v", script.evalSha(Mode.READ_ONLY, script.scriptLoad("return redis.call('get', KEYS[1])"),
                ReturnType.VALUE, List.of(name)));
    }

    @Test
    void scripts_of_two_clients_never_interleave() throws Exception {
        String text = "local n = tonumber(redis.call('get', KEYS[1]) or '0') redis.call('set', KEYS[1], n + 1) return n";
        Elsewhere.Work<Void> other = Elsewhere.begin(() -> {
            for (int i = 0; i < 300; i++) {
                theirs.getScript(StringCodec.INSTANCE).eval(Mode.READ_WRITE, text, ReturnType.LONG, List.of(name));
            }
        });
        for (int i = 0; i < 300; i++) {
            script.eval(Mode.READ_WRITE, text, ReturnType.LONG, Collections.singletonList(name));
        }
        other.get();
        assertEquals("600", mine.getBucket(name, StringCodec.INSTANCE).get());
    }
}
