-- What a Redisson client asks for a lock, call by call: exists, then (if taken) hexists, then hincrby and pexpire, or pttl.
-- KEYS[1] the lock; ARGV[1] lease in milliseconds, ARGV[2] owner. Replies nil when held, else what is left of the lease.
local lock, lease, owner = KEYS[1], ARGV[1], ARGV[2]
if redis.call('exists', lock) == 0 or redis.call('hexists', lock, owner) == 1 then
    redis.call('hincrby', lock, owner, 1)
    redis.call('pexpire', lock, lease)
    return nil
end
return redis.call('pttl', lock)
