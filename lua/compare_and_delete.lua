-- Gives up a lock taken by `SET lock token NX PX lease_ms`, if it is still held with that token.
--
-- KEYS[1]  the lock
-- ARGV[1]  the token: random, made anew for each acquisition; any bytes
-- Reply    1: it was held with this token and is free now; 0: it is free already, or somebody else's; nothing changed
-- Errors   WRONGTYPE if the lock is not a string
--
-- Guarantee: a holder whose lease ran out never frees the lock of the next one, which a bare DEL would.
-- holdfast does the same without a script: DELIFEQ lock token, or DELEX lock IFEQ token.

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
    return 0
end
return redis.call('DEL', KEYS[1])
