-- Takes a lock in the order of asking. The first attempt takes the lock or a place in the queue; each further attempt
-- keeps that place alive. The server's clock alone decides; clients' clocks do not matter.
--
-- KEYS[1]  the lock: a string, the owner's token
-- KEYS[2]  the queue: a list of tokens, oldest first
-- KEYS[3]  the deadlines: a sorted set, token -> server time in ms until which its place is kept
-- ARGV[1]  the token: random, made anew for each acquisition, the same in all its attempts
-- ARGV[2]  the lease in milliseconds
-- ARGV[3]  the patience in milliseconds: how long a place is kept without a further attempt
-- Reply    {1, lease_ms}: held
--          {0, retry_ms}: in the queue; SUBSCRIBE to your own channel (see fair_release.lua), and ask again at its
--          message or after retry_ms, whichever comes first
-- Errors   ERR if lease or patience is not a positive whole number; WRONGTYPE if a key holds something else
--
-- Guarantee: one holder at a time, until its lease runs out; nobody overtakes a waiter that keeps asking; a waiter that
-- died holds up the queue for its patience at most. Asking again while holding starts the lease anew. Not re-entrant.
-- To extend: compare_and_extend.lua. Who stops waiting calls fair_cancel.lua.

local lease_ms, patience_ms = ARGV[2] or '', ARGV[3] or ''
for _, ms in ipairs({lease_ms, patience_ms}) do
    if #ms > 15 or not ms:find('^[1-9]%d*$') then
        return redis.error_reply('ERR lease and patience are not positive numbers of milliseconds')
    end
end
local lock, queue, deadlines, token = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local holder = redis.call('GET', lock)
if holder == token then
    redis.call('PEXPIRE', lock, lease_ms)
    return {1, tonumber(lease_ms)}
end

-- Waiters whose patience ran out lose their place when they come to its head.
local first = redis.call('LINDEX', queue, 0)
while first and first ~= token and tonumber(redis.call('ZSCORE', deadlines, first) or 0) <= now do
    redis.call('LPOP', queue)
    redis.call('ZREM', deadlines, first)
    first = redis.call('LINDEX', queue, 0)
end

if not holder and (not first or first == token) then
    if first then
        redis.call('LPOP', queue)
        redis.call('ZREM', deadlines, token)
    end
    redis.call('SET', lock, token, 'PX', lease_ms)
    return {1, tonumber(lease_ms)}
end

if not redis.call('ZSCORE', deadlines, token) then
    redis.call('RPUSH', queue, token)
end
redis.call('ZADD', deadlines, string.format('%d', now + patience_ms), token)
-- A queue that everybody left without a word goes away by itself.
if redis.call('PTTL', queue) < tonumber(patience_ms) then
    redis.call('PEXPIRE', queue, patience_ms)
    redis.call('PEXPIRE', deadlines, patience_ms)
end

-- Again when the lock or the place before it may have run out, and twice within one's own patience.
local retry_ms = math.floor(patience_ms / 2)
local over_ms = holder and redis.call('PTTL', lock) or redis.call('ZSCORE', deadlines, first) - now
if over_ms >= 0 then
    retry_ms = math.min(retry_ms, over_ms)
end
return {0, math.max(retry_ms, 1)}
