-- What a Redisson client asks to give a lock back, call by call: the latch of a retried request first, then hexists and
-- hincrby, and for the last hold del, the message to waiters and the latch.
-- KEYS the lock, its channel, the latch; ARGV message, lease in milliseconds, owner, command to publish with, lifetime of
-- the latch in milliseconds. Replies nil when not held, 0 while held, 1 when free.
local answered = redis.call('get', KEYS[3])
if answered ~= false then
    return tonumber(answered)
end
if redis.call('hexists', KEYS[1], ARGV[3]) == 0 then
    return nil
end
local holds = redis.call('hincrby', KEYS[1], ARGV[3], -1)
if holds > 0 then
    redis.call('pexpire', KEYS[1], ARGV[2])
    redis.call('set', KEYS[3], 0, 'px', ARGV[5])
    return 0
else
    redis.call('del', KEYS[1])
    redis.call(ARGV[4], KEYS[2], ARGV[1])
    redis.call('set', KEYS[3], 1, 'px', ARGV[5])
    return 1
end
