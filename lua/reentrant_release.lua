-- Gives back one hold of a lock taken by reentrant_acquire.lua; the last one frees it and tells those who wait.
--
-- KEYS[1]  the lock
-- ARGV[1]  the owner
-- ARGV[2]  the channel that waiters listen to
-- Reply    the holds left: 0 when the lock is free now; -1 if this owner does not hold it; nothing changed then
-- Errors   WRONGTYPE if the lock is not a hash
--
-- Guarantee: only an owner gives back, only its own holds; 'free' is published exactly when the last hold ends. A lock
-- whose lease runs out is not announced here (the server's own `expired` event tells that).

if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
    return -1
end
local holds = redis.call('HINCRBY', KEYS[1], ARGV[1], -1)
if holds > 0 then
    return holds
end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], 'free')
return 0
