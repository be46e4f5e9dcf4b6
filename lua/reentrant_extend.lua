-- Starts the lease of a lock of reentrant_acquire.lua anew, if the owner still holds it.
--
-- KEYS[1]  the lock
-- ARGV[1]  the owner
-- ARGV[2]  the lease from now on, in milliseconds
-- Reply    1: extended; 0: the lock is lost, and the work under it should stop; nothing changed
-- Errors   ERR if the lease is not a positive whole number; WRONGTYPE if the lock is not a hash
--
-- Guarantee: a lock that ran out is never revived, and nobody else's is extended.

local lease_ms = ARGV[2] or ''
if #lease_ms > 15 or not lease_ms:find('^[1-9]%d*$') then
    return redis.error_reply('ERR the lease is not a positive number of milliseconds')
end
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
    return 0
end
return redis.call('PEXPIRE', KEYS[1], lease_ms)
