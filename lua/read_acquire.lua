-- Takes a read-write lock for reading: any number of readers share it, and none is in while a writer is. The lock is a
-- hash: mode -> 'read' or 'write', read:OWNER and write:OWNER -> how many times it is held.
--
-- KEYS[1]  the lock
-- ARGV[1]  the owner: one per thread or task
-- ARGV[2]  the lease in milliseconds
-- Reply    {1, holds}: held for reading, by this owner `holds` times
--          {0, remaining_ms}: another owner writes, for that long at most
-- Errors   ERR if the lease is not a positive whole number; WRONGTYPE if the lock is not a hash; nothing changed
--
-- Guarantee: no reader beside another owner's writer. A writer may read its own lock, so it can give up writing and go
-- on reading. The lease belongs to the lock, not to a reader: each acquisition may prolong it and none shortens it. So
-- the hold of a reader that died lasts as long as other readers prolong the lock, and a stream of readers keeps writers
-- out: use it where reads are short and pause.

local lease_ms = ARGV[2] or ''
if #lease_ms > 15 or not lease_ms:find('^[1-9]%d*$') then
    return redis.error_reply('ERR the lease is not a positive number of milliseconds')
end
local mode = redis.call('HGET', KEYS[1], 'mode')
if mode == 'write' and redis.call('HEXISTS', KEYS[1], 'write:' .. ARGV[1]) == 0 then
    return {0, redis.call('PTTL', KEYS[1])}
end
if not mode then
    redis.call('HSET', KEYS[1], 'mode', 'read')
end
local holds = redis.call('HINCRBY', KEYS[1], 'read:' .. ARGV[1], 1)
if redis.call('PTTL', KEYS[1]) < tonumber(lease_ms) then
    redis.call('PEXPIRE', KEYS[1], lease_ms)
end
return {1, holds}
