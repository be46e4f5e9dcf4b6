-- Takes a read-write lock (see read_acquire.lua) for writing: alone.
--
-- KEYS[1]  the lock
-- ARGV[1]  the owner: one per thread or task
-- ARGV[2]  the lease in milliseconds
-- Reply    {1, holds}: held for writing, by this owner `holds` times
--          {0, remaining_ms}: others read or another owner writes, for that long unless they end or prolong it
-- Errors   ERR if the lease is not a positive whole number; WRONGTYPE if the lock is not a hash; nothing changed
--
-- Guarantee: no other reader and no other writer, until the lease runs out. The writer may take it again. A reader that
-- wants to write gives up reading first: while it reads it is told {0, ..} like anybody, for two readers that each wait
-- for the other to leave would wait for ever.

local lease_ms = ARGV[2] or ''
if #lease_ms > 15 or not lease_ms:find('^[1-9]%d*$') then
    return redis.error_reply('ERR the lease is not a positive number of milliseconds')
end
local field = 'write:' .. ARGV[1]
if redis.call('HEXISTS', KEYS[1], field) == 0 then
    if redis.call('EXISTS', KEYS[1]) == 1 then
        return {0, redis.call('PTTL', KEYS[1])}
    end
    redis.call('HSET', KEYS[1], 'mode', 'write')
end
local holds = redis.call('HINCRBY', KEYS[1], field, 1)
if redis.call('PTTL', KEYS[1]) < tonumber(lease_ms) then
    redis.call('PEXPIRE', KEYS[1], lease_ms)
end
return {1, holds}
