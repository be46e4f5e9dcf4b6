package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.redisson.api.RBlockingDeque;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RBoundedBlockingQueue;
import org.redisson.api.RDelayedQueue;

/** Blocking queues and deques, bounded and delayed ones. */
class QueueTest extends OnServer {
    private final String name = fresh("queue");
    private final RBlockingQueue<String> queue = mine.getBlockingQueue(name);
    private final RBlockingQueue<String> same = theirs.getBlockingQueue(name);

    @Test
    void elements_leave_in_the_order_they_came() throws Exception {
        for (String each : List.of("a", "b", "c", "d")) {
            assertTrue(queue.offer(each));
        }
        assertEquals("a", same.peek());
        assertEquals("a", same.take());
        assertEquals("b", same.poll());
        List<String> rest = new ArrayList<>();
        assertEquals(2, queue.drainTo(rest));
        assertEquals(List.of("c", "d"), rest);
        assertNull(queue.poll());
    }

    @Test
    void a_taker_sleeps_until_another_client_offers() throws Exception {
        Elsewhere.Work<String> taker = Elsewhere.start(same::take);
        Time.sleep(200);
        assertFalse(taker.done());
        Time.Since offer = Time.now();
        queue.offer("x");
        assertEquals("x", taker.get());
        assertTrue(offer.ms() < 500, "took " + offer.ms() + " ms");
    }

    @Test
    void polling_gives_up_in_time() throws Exception {
        Time.Since start = Time.now();
        assertNull(queue.poll(1, TimeUnit.SECONDS));
        Time.assertBetween(950, 2_500, start.ms(), "time until poll gave up");
    }

    @Test
    void an_interrupted_taker_takes_nothing_with_it() throws Exception {
        Elsewhere.Work<String> taker = Elsewhere.start(same::take);
        Time.sleep(150);
        taker.thread().interrupt();
        Time.until("the taker ended", 5_000, taker::done);
        Time.sleep(200);
        queue.offer("x");
        assertEquals("x", queue.poll(2, TimeUnit.SECONDS));
    }

    @Test
    void every_element_reaches_exactly_one_of_many_takers() throws Exception {
        List<Elsewhere.Work<List<String>>> takers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            RBlockingQueue<String> own = i % 2 == 0 ? queue : same;
            takers.add(Elsewhere.start(() -> {
                List<String> got = new ArrayList<>();
                for (String each = own.take(); !each.equals("end"); each = own.take()) {
                    got.add(each);
                }
                return got;
            }));
        }
        for (int i = 0; i < 300; i++) {
            queue.offer("e" + i);
        }
        for (int i = 0; i < 6; i++) {
            queue.offer("end");
        }
        List<String> all = new ArrayList<>();
        for (Elsewhere.Work<List<String>> taker : takers) {
            all.addAll(taker.get());
        }
        Set<String> different = new HashSet<>(all);
        assertEquals(300, all.size());
        assertEquals(300, different.size());
    }

    @Test
    void one_poll_may_wait_for_several_queues() throws Exception {
        Elsewhere.Work<String> taker = Elsewhere.start(() -> same.pollFromAny(10, TimeUnit.SECONDS, name + 2, name + 3));
        Time.sleep(100);
        mine.getBlockingQueue(name + 3).offer("from three");
        assertEquals("from three", taker.get());
    }

    @Test
    void an_element_is_moved_to_another_queue_as_it_comes() throws Exception {
        Elsewhere.Work<String> mover = Elsewhere.start(() -> same.pollLastAndOfferFirstTo(name + 2, 10, TimeUnit.SECONDS));
        Time.sleep(100);
        queue.offer("x");
        assertEquals("x", mover.get());
        assertEquals("x", mine.getBlockingQueue(name + 2).poll());
        assertTrue(queue.isEmpty());
    }

    @Test
    void a_deque_is_taken_from_both_ends() throws Exception {
        RBlockingDeque<Integer> deque = mine.getBlockingDeque(name);
        deque.putFirst(2);
        deque.putFirst(1);
        deque.putLast(3);
        assertEquals(3, theirs.<Integer>getBlockingDeque(name).takeLast());
        assertEquals(1, deque.takeFirst());
        assertEquals(2, deque.pollLast(1, TimeUnit.SECONDS));
        Elsewhere.Work<Integer> taker = Elsewhere.start(() -> theirs.<Integer>getBlockingDeque(name).takeLast());
        Time.sleep(100);
        deque.addLast(4);
        assertEquals(4, taker.get());
    }

    @Test
    void a_bounded_queue_makes_producers_wait() throws Exception {
        RBoundedBlockingQueue<Integer> bounded = mine.getBoundedBlockingQueue(name);
        assertTrue(bounded.trySetCapacity(2));
        assertTrue(bounded.offer(1));
        assertTrue(bounded.offer(2));
        assertFalse(bounded.offer(3));
        Elsewhere.Work<Void> producer = Elsewhere.begin(() -> theirs.<Integer>getBoundedBlockingQueue(name).put(3));
        Time.sleep(150);
        assertFalse(producer.done());
        assertEquals(1, bounded.take());
        producer.get(2_000);
        assertEquals(2, bounded.take());
        assertEquals(3, bounded.take());
    }

    @Test
    void delayed_elements_arrive_when_due_and_in_order_of_their_delay() throws Exception {
        RDelayedQueue<String> delayed = mine.getDelayedQueue(queue);
        Time.Since start = Time.now();
        delayed.offer("late", 900, TimeUnit.MILLISECONDS);
        delayed.offer("soon", 300, TimeUnit.MILLISECONDS);
        delayed.offer("never", 1, TimeUnit.HOURS);
        assertEquals(3, delayed.size());
        assertEquals("soon", same.poll(10, TimeUnit.SECONDS));
        Time.assertBetween(280, 2_000, start.ms(), "arrival of the first");
        assertEquals("late", same.poll(10, TimeUnit.SECONDS));
        Time.assertBetween(880, 3_000, start.ms(), "arrival of the second");
        assertTrue(delayed.remove("never"));
        assertTrue(delayed.isEmpty());
        delayed.destroy();
    }
}
