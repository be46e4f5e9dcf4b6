-- Writes a guarded value, unless a later holder of the lock has written already. A pattern to build into whatever the
-- lock guards: a table with a column `fence` and `UPDATE .. WHERE fence <= ?` does the same.
--
-- KEYS[1]  the resource: a hash of `value` and `fence`, the highest fence that wrote
-- ARGV[1]  the fence that fenced_acquire.lua gave
-- ARGV[2]  the value
-- Reply    1: written; 0: refused, a later holder was here: the lock is lost; nothing changed
-- Errors   ERR if the fence is not a positive whole number; WRONGTYPE if the resource is not a hash
--
-- Guarantee: once a holder has written, no earlier holder writes any more, however late its request arrives. It does
-- not keep an earlier holder from writing before the later one's first write: read under the lock, then write.

local fence = ARGV[1] or ''
if #fence > 15 or not fence:find('^[1-9]%d*$') then
    return redis.error_reply('ERR the fence is not a positive number')
end
if tonumber(redis.call('HGET', KEYS[1], 'fence') or 0) > tonumber(fence) then
    return 0
end
redis.call('HSET', KEYS[1], 'fence', fence, 'value', ARGV[2])
return 1
