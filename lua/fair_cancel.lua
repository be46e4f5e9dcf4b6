-- Leaves the queue of fair_acquire.lua: for a waiter that gives up. The next is told if it is its turn now.
--
-- KEYS     as for fair_acquire.lua
-- ARGV[1]  the token
-- ARGV[2]  the prefix of the waiters' channels: a waiter listens to prefix .. its token
-- Reply    1: out of the queue; 0: was not in it, and may even hold the lock: then call fair_release.lua
-- Errors   WRONGTYPE if a key holds something else
--
-- Guarantee: nobody waits for the patience of a waiter that said goodbye.

local lock, queue, deadlines = KEYS[1], KEYS[2], KEYS[3]
if redis.call('ZREM', deadlines, ARGV[1]) == 0 then
    return 0
end
redis.call('LREM', queue, 1, ARGV[1])
if redis.call('EXISTS', lock) == 1 then
    return 1
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local first = redis.call('LINDEX', queue, 0)
while first and tonumber(redis.call('ZSCORE', deadlines, first) or 0) <= now do
    redis.call('LPOP', queue)
    redis.call('ZREM', deadlines, first)
    first = redis.call('LINDEX', queue, 0)
end
if first then
    redis.call('PUBLISH', ARGV[2] .. first, 'next')
end
return 1
