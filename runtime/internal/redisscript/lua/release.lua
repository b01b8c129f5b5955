-- Removes a running record.
-- KEYS: record. ARGV: owner and fence.
local v = redis.call('GET', KEYS[1])
if not v then return 'O' end
if v:sub(1, 2) ~= '10' or v:sub(4, 35) ~= ARGV[1] then return 'L' end
redis.call('DEL', KEYS[1])
return 'O'
