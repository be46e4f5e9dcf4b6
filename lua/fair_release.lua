-- Gives up a lock taken by fair_acquire.lua and tells the next waiter alone.
--
-- KEYS     as for fair_acquire.lua
-- ARGV[1]  the token
-- ARGV[2]  the prefix of the waiters' channels: a waiter listens to prefix .. its token
-- Reply    1: the lock is free for the next in the queue; 0: not held with this token; nothing changed
-- Errors   WRONGTYPE if a key holds something else
--
-- Guarantee: only the holder gives up. The place of the next waiter stays its own until it asks again or its patience
-- runs out, so nobody slips in between. Waiters whose patience ran out are passed over.

local lock, queue, deadlines = KEYS[1], KEYS[2], KEYS[3]
if redis.call('GET', lock) ~= ARGV[1] then
    return 0
end
redis.call('DEL', lock)

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
