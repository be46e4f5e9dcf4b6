package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.redisson.api.DeletedObjectListener;
import org.redisson.api.ExpiredObjectListener;
import org.redisson.api.RBucket;
import org.redisson.api.RLock;
import org.redisson.api.listener.SetObjectListener;

/** Listeners on locks and buckets, fed by the keyspace events of the server (started with `Egx$`). */
class LockListenerTest extends OnServer {
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

    @Test
    void a_lock_tells_of_its_unlock_and_of_its_lapse() throws Exception {
        String name = fresh("told");
        RLock lock = mine.getLock(name);
        RLock same = theirs.getLock(name);
        int expired = lock.addListener((ExpiredObjectListener) key -> events.add("expired " + key));
        int deleted = lock.addListener((DeletedObjectListener) key -> events.add("deleted " + key));

        same.lock();
        same.unlock();
        assertEquals("deleted " + name, events.poll(3, TimeUnit.SECONDS));
        same.lock(200, TimeUnit.MILLISECONDS);
        assertEquals("expired " + name, events.poll(3, TimeUnit.SECONDS));
        same.lock();
        same.forceUnlock();
        assertEquals("deleted " + name, events.poll(3, TimeUnit.SECONDS));

        lock.removeListener(expired);
        lock.removeListener(deleted);
        same.lock();
        same.unlock();
        assertNull(events.poll(300, TimeUnit.MILLISECONDS));
    }

    @Test
    void a_listener_hears_of_its_own_lock_only() throws Exception {
        String name = fresh("own");
        RLock lock = mine.getLock(name);
        int id = lock.addListener((DeletedObjectListener) key -> events.add(key));
        RLock other = theirs.getLock(name + "-not");
        other.lock();
        other.unlock();
        assertNull(events.poll(300, TimeUnit.MILLISECONDS));
        lock.removeListener(id);
    }

    @Test
    void a_bucket_tells_of_setting_deleting_and_expiring() throws Exception {
        String name = fresh("bucket");
        RBucket<String> bucket = mine.getBucket(name);
        int[] ids = {bucket.addListener((SetObjectListener) key -> events.add("set")),
            bucket.addListener((DeletedObjectListener) key -> events.add("deleted")),
            bucket.addListener((ExpiredObjectListener) key -> events.add("expired"))};
        RBucket<String> same = theirs.getBucket(name);
        same.set("x");
        assertEquals("set", events.poll(3, TimeUnit.SECONDS));
        same.delete();
        assertEquals("deleted", events.poll(3, TimeUnit.SECONDS));
        same.set("x", Duration.ofMillis(100));
        assertEquals("set", events.poll(3, TimeUnit.SECONDS));
        assertEquals("expired", events.poll(3, TimeUnit.SECONDS));
        for (int id : ids) {
            bucket.removeListener(id);
        }
    }
}
