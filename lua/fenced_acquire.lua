-- Takes a lock and a fencing token: a number that grows with every acquisition. Whatever the lock guards keeps the
-- highest number it has seen and refuses lower ones (see fenced_write.lua), so that a holder that slept past its lease
-- does no harm when it wakes.
--
-- KEYS[1]  the lock: a string, the owner's token
-- KEYS[2]  the counter: lives as long as what the lock guards; never delete it, never let it expire
-- ARGV[1]  the owner's token: random, made anew for each acquisition
-- ARGV[2]  the lease in milliseconds
-- Reply    {1, fence}: held; send `fence` along with every write
--          {0, remaining_ms}: somebody else's for that long; -1 if it has no lease, which this script never causes
-- Errors   ERR if the lease is not a positive whole number or the counter is not a number; WRONGTYPE if a key holds
--          something else; nothing changed
--
-- Guarantee: one holder at a time, until its lease runs out; fences grow strictly, and the fence of the last holder is
-- the highest, as long as the counter is not lost. Asking again with the same token while holding gives the same fence
-- and starts the lease anew: safe after a lost reply. Extend by compare_and_extend.lua, give up by
-- compare_and_delete.lua.

local lease_ms = ARGV[2] or ''
if #lease_ms > 15 or not lease_ms:find('^[1-9]%d*$') then
    return redis.error_reply('ERR the lease is not a positive number of milliseconds')
end
local holder = redis.call('GET', KEYS[1])
if holder == ARGV[1] then
    redis.call('PEXPIRE', KEYS[1], lease_ms)
    return {1, tonumber(redis.call('GET', KEYS[2]))}
end
if holder then
    return {0, redis.call('PTTL', KEYS[1])}
end
local fence = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], ARGV[1], 'PX', lease_ms)
return {1, fence}
