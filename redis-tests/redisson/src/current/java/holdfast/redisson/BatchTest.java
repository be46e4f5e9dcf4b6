package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.redisson.api.BatchOptions;
import org.redisson.api.BatchOptions.ExecutionMode;
import org.redisson.api.RBatch;
import org.redisson.api.RBucket;
import org.redisson.api.RFuture;
import org.redisson.api.RTransaction;
import org.redisson.api.TransactionOptions;
import org.redisson.client.RedisException;
import org.redisson.client.codec.StringCodec;

/** RBatch in its modes (pipeline, MULTI/EXEC, no replies) and RTransaction on top of it. */
class BatchTest extends OnServer {
    private final String name = fresh("batch");

    @Test
    void replies_of_a_pipeline_come_in_the_order_of_its_commands() throws Exception {
        RBatch batch = mine.createBatch();
        batch.getBucket(name + "b").setAsync("v");
        RFuture<Object> value = batch.getBucket(name + "b").getAsync();
        batch.getAtomicLong(name + "n").incrementAndGetAsync();
        batch.getAtomicLong(name + "n").addAndGetAsync(4);
        batch.getMap(name + "m").fastPutAsync("k", "v");
        List<?> replies = batch.execute().getResponses();
        assertEquals("v", value.get());
        assertEquals(List.of("v", 1L, 5L, true), replies.subList(1, 5));
    }

    @Test
    void a_pipeline_of_thousands_is_answered_whole_in_every_mode() {
        for (ExecutionMode mode : List.of(ExecutionMode.IN_MEMORY, ExecutionMode.IN_MEMORY_ATOMIC,
                ExecutionMode.REDIS_WRITE_ATOMIC)) {
            RBatch batch = mine.createBatch(BatchOptions.defaults().executionMode(mode));
            List<Long> wanted = new ArrayList<>();
            for (long i = 1; i <= 3_000; i++) {
                batch.getAtomicLong(name + mode).incrementAndGetAsync();
                wanted.add(i);
            }
            assertEquals(wanted, batch.execute().getResponses(), mode.toString());
        }
    }

    @Test
    void an_atomic_batch_shows_itself_all_at_once() throws Exception {
        Elsewhere.Work<Void> writer = Elsewhere.begin(() -> {
            for (int i = 0; i < 150; i++) {
                RBatch batch = mine.createBatch(BatchOptions.defaults().executionMode(ExecutionMode.IN_MEMORY_ATOMIC));
                batch.getBucket(name + "1", StringCodec.INSTANCE).setAsync("" + i);
                batch.getBucket(name + "2", StringCodec.INSTANCE).setAsync("" + i);
                batch.execute();
            }
        });
        while (!writer.done()) {
            var both = theirs.getBuckets(StringCodec.INSTANCE).get(name + "1", name + "2");
            assertEquals(both.get(name + "1"), both.get(name + "2"));
        }
        writer.get();
    }

    @Test
    void a_failed_command_fails_the_batch_and_the_others_are_carried_out() {
        mine.getBucket(name + "s").set("text");
        for (ExecutionMode mode : List.of(ExecutionMode.IN_MEMORY, ExecutionMode.IN_MEMORY_ATOMIC)) {
            RBatch batch = mine.createBatch(BatchOptions.defaults().executionMode(mode));
            batch.getAtomicLong(name + mode).incrementAndGetAsync();
            batch.getList(name + "s").addAsync("x");
            batch.getAtomicLong(name + mode).incrementAndGetAsync();
            RedisException refusal = assertThrows(RedisException.class, batch::execute);
            assertTrue(refusal.getMessage().contains("WRONGTYPE"), refusal.getMessage());
            assertEquals(2, mine.getAtomicLong(name + mode).get(), mode.toString());
        }
    }

    @Test
    void a_batch_without_results_is_carried_out_in_silence() throws Exception {
        for (ExecutionMode mode : List.of(ExecutionMode.IN_MEMORY, ExecutionMode.IN_MEMORY_ATOMIC)) {
            RBatch batch = mine.createBatch(BatchOptions.defaults().executionMode(mode).skipResult());
            for (int i = 0; i < 200; i++) {
                batch.getAtomicLong(name + mode).incrementAndGetAsync();
            }
            assertTrue(batch.execute().getResponses().isEmpty());
            Time.until("all commands done", 3_000, () -> theirs.getAtomicLong(name + mode).get() == 200);
            // The connection answers again afterwards.
            mine.getBucket(name + "after").set("x");
            assertEquals("x", mine.getBucket(name + "after").get());
        }
    }

    @Test
    void scripts_and_locks_run_inside_a_batch() throws Exception {
        RBatch batch = mine.createBatch();
        RFuture<Long> sum = batch.getScript(StringCodec.INSTANCE).evalAsync(org.redisson.api.RScript.Mode.READ_WRITE,
                "return redis.call('incrby', KEYS[1], ARGV[1])", org.redisson.api.RScript.ReturnType.LONG,
                List.of(name), 7);
        batch.getAtomicLong(name).getAsync();
        assertEquals(List.of(7L, 7L), batch.execute().getResponses());
        assertEquals(7L, sum.get());
    }

    @Test
    void a_discarded_batch_changes_nothing() {
        RBatch batch = mine.createBatch();
        batch.getBucket(name).setAsync("x");
        batch.discard();
        assertFalse(mine.getBucket(name).isExists());
    }

    @Test
    void a_transaction_is_seen_by_others_at_its_commit_only() {
        mine.getBucket(name).set("old");
        RTransaction transaction = mine.createTransaction(TransactionOptions.defaults());
        RBucket<String> inside = transaction.getBucket(name);
        inside.set("new");
        transaction.getMap(name + "m").put("k", "v");
        transaction.getSet(name + "s").add("e");
        assertEquals("new", inside.get());
        assertEquals("old", theirs.getBucket(name).get());
        assertFalse(theirs.getMap(name + "m").isExists());
        transaction.commit();
        assertEquals("new", theirs.getBucket(name).get());
        assertEquals("v", theirs.getMap(name + "m").get("k"));
        assertTrue(theirs.getSet(name + "s").contains("e"));
    }

    @Test
    void a_rolled_back_transaction_leaves_no_trace_and_no_lock() {
        RTransaction transaction = mine.createTransaction(TransactionOptions.defaults());
        transaction.getBucket(name).set("x");
        transaction.rollback();
        assertFalse(mine.getBucket(name).isExists());
        RTransaction next = theirs.createTransaction(TransactionOptions.defaults());
        next.getBucket(name).set("y");
        next.commit();
        assertEquals("y", mine.getBucket(name).get());
        Time.sleep(50);
        assertEquals(1, mine.getKeys().countExists(name, name + ":transaction_lock", "{" + name + "}:transaction_lock"));
    }
}
