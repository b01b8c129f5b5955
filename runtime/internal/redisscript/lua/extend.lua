-- Sets how long a lock that is held lives from now.
-- KEYS: lock. ARGV: owner and fence, time to live (µs), time the lock is remembered
-- after that (µs).
local v = redis.call('GET', KEYS[1])
if not v or v:sub(1, 1) ~= '1' or v:sub(2, 33) ~= ARGV[1] then return 'L' end
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
if tonumber(v:sub(34, 49)) <= now then return 'L' end
v = v:sub(1, 33) .. string.format('%016.0f', now + ARGV[2]) .. v:sub(50)
redis.call('SET', KEYS[1], v, 'PX', string.format('%.0f', math.ceil((ARGV[2] + ARGV[3]) / 1000)))
return 'O'
