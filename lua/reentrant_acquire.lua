-- Takes a lock that its owner may take again. The lock is a hash: owner -> how many times it is held.
--
-- KEYS[1]  the lock
-- ARGV[1]  the owner: one per thread or task, as 'process-id:thread-id'
-- ARGV[2]  the lease in milliseconds
-- Reply    {1, holds}: held, now `holds` times, each of which needs a release
--          {0, remaining_ms}: somebody else's for that long; -1 if it has no lease, which these scripts never cause
-- Errors   ERR if the lease is not a positive whole number; WRONGTYPE if the lock is not a hash; nothing changed
--
-- Guarantee: at most one owner at a time, until its lease runs out. Taking it again starts the lease anew but never
-- shortens it. An attempt that fails changes nothing. To wait: SUBSCRIBE to the channel given to the release, then ask
-- again at its message or after remaining_ms, whichever comes first; the message alone is not enough, since a lock
-- whose holder died is not released. Not fair: who asks first after the release has it.

local lease_ms = ARGV[2] or ''
if #lease_ms > 15 or not lease_ms:find('^[1-9]%d*$') then
    return redis.error_reply('ERR the lease is not a positive number of milliseconds')
end
local held = redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1
if not held and redis.call('EXISTS', KEYS[1]) == 1 then
    return {0, redis.call('PTTL', KEYS[1])}
end
local holds = redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
if redis.call('PTTL', KEYS[1]) < tonumber(lease_ms) then
    redis.call('PEXPIRE', KEYS[1], lease_ms)
end
return {1, holds}
