-- What a watchdog asks for many locks at once: each that its owner still holds gets a new lease.
-- KEYS the locks; ARGV[1] lease in milliseconds, then one owner a lock. Replies 1 or 0 for each.
local renewed = {}
for i = 1, #KEYS do
    if redis.call('hexists', KEYS[i], ARGV[i + 1]) == 1 then
        redis.call('pexpire', KEYS[i], ARGV[1])
        renewed[i] = 1
    else
        renewed[i] = 0
    end
end
return renewed
