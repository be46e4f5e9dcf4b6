package holdfast.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;

/** Proof that the soak can fail: a broken guard must be noticed, a sound one must not. */
class ContestTest extends OnServer {
    @Test
    void without_a_lock_additions_are_lost_and_threads_meet() throws Exception {
        Contest contest = new Contest(List.of(mine, theirs), 8, 200_000, 30_000);
        contest.run(client -> new Contest.Guard(() -> { }, () -> { }));
        assertTrue(contest.lost() > 0, "no addition was lost");
        assertTrue(contest.meetings() > 0, "no two threads met");
        assertThrows(AssertionError.class, contest::assertNothingLost);
    }

    @Test
    void a_lock_under_a_name_of_its_own_for_each_client_is_noticed() throws Exception {
        Contest contest = new Contest(List.of(mine, theirs), 4, 2_000, 30_000);
        String name = fresh("split");
        contest.run(client -> {
            RLock own = client.getLock(name + client.getId());
            return new Contest.Guard(own::lock, own::unlock);
        });
        assertThrows(AssertionError.class, contest::assertNothingLost);
    }

    @Test
    void a_lease_that_ends_inside_the_guarded_part_is_noticed() throws Exception {
        Contest contest = new Contest(List.of(mine, theirs), 4, 200, 30_000);
        String name = fresh("lapsing");
        contest.run(client -> {
            RLock own = client.getLock(name);
            Elsewhere.Step enter = () -> {
                own.lock(1, TimeUnit.MILLISECONDS);
                Time.sleep(3);
            };
            return new Contest.Guard(enter, () -> { });
        });
        assertTrue(contest.meetings() > 0 || contest.lost() > 0, "the lapse went unnoticed");
    }

    @Test
    void a_sound_lock_loses_nothing() throws Exception {
        ReentrantLock local = new ReentrantLock();
        Contest contest = new Contest(List.of(mine, theirs), 8, 100_000, 30_000);
        contest.run(client -> new Contest.Guard(local::lock, local::unlock));
        contest.assertNothingLost();
        assertEquals(0, contest.lost());
    }
}
