-- Sets how long a lock that is held lives from now.
-- KEYS: lock. ARGV: owner and fence, expiry from now with the memory (ms).
local memory = 3600000
local v = redis.call('GET', KEYS[1])
if not v or v:sub(1, 33) ~= 'h' .. ARGV[1] or redis.call('PTTL', KEYS[1]) <= memory then return 'L' end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 'O'
