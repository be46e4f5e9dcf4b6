-- Gives back one hold taken by read_acquire.lua; the last hold of all frees the lock and tells those who wait.
--
-- KEYS[1]  the lock
-- ARGV[1]  the owner
-- ARGV[2]  the channel that waiters listen to
-- Reply    the read holds this owner has left; -1 if it had none; nothing changed then
-- Errors   WRONGTYPE if the lock is not a hash
--
-- Guarantee: only a reader's own holds are given back; 'free' is published exactly when nobody holds the lock any more.

local field = 'read:' .. ARGV[1]
if redis.call('HEXISTS', KEYS[1], field) == 0 then
    return -1
end
local holds = redis.call('HINCRBY', KEYS[1], field, -1)
if holds > 0 then
    return holds
end
redis.call('HDEL', KEYS[1], field)
if redis.call('HLEN', KEYS[1]) == 1 then -- the mode alone
    redis.call('DEL', KEYS[1])
    redis.call('PUBLISH', ARGV[2], 'free')
end
return 0
