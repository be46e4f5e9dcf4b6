-- Starts the lease of a lock anew, if it is still held with the token. For locks that are a string: those of
-- `SET lock token NX PX lease_ms`, fair_acquire.lua and fenced_acquire.lua.
--
-- KEYS[1]  the lock
-- ARGV[1]  the token of the holder
-- ARGV[2]  the lease from now on, in milliseconds
-- Reply    1: extended; 0: the lock is lost, and the work under it should stop; nothing changed
-- Errors   ERR if the lease is not a positive whole number; WRONGTYPE if the lock is not a string
--
-- Guarantee: a lock that ran out is never revived, and nobody else's is extended. Ask at a third of the lease, so that
-- two attempts may fail. A lease of 0 is refused, since PEXPIRE would delete the lock and call that a success.

local lease_ms = ARGV[2] or ''
if #lease_ms > 15 or not lease_ms:find('^[1-9]%d*$') then
    return redis.error_reply('ERR the lease is not a positive number of milliseconds')
end
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
    return 0
end
return redis.call('PEXPIRE', KEYS[1], lease_ms)
