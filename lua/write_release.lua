-- Gives back one hold taken by write_acquire.lua; the last one lets others in and tells those who wait.
--
-- KEYS[1]  the lock
-- ARGV[1]  the owner
-- ARGV[2]  the channel that waiters listen to
-- Reply    the write holds left; -1 if this owner does not write; nothing changed then
-- Errors   WRONGTYPE if the lock is not a hash
--
-- Guarantee: only the writer gives back. If it also reads (read_acquire.lua), it goes on reading and 'read' is
-- published: readers may come; else the lock is gone and 'free' is published.

local field = 'write:' .. ARGV[1]
if redis.call('HEXISTS', KEYS[1], field) == 0 then
    return -1
end
local holds = redis.call('HINCRBY', KEYS[1], field, -1)
if holds > 0 then
    return holds
end
if redis.call('HEXISTS', KEYS[1], 'read:' .. ARGV[1]) == 1 then
    redis.call('HDEL', KEYS[1], field)
    redis.call('HSET', KEYS[1], 'mode', 'read')
    redis.call('PUBLISH', ARGV[2], 'read')
else
    redis.call('DEL', KEYS[1])
    redis.call('PUBLISH', ARGV[2], 'free')
end
return 0
