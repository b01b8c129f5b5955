-- Frees a lock that is held. Who released it last may do so again.
-- KEYS: lock. ARGV: owner, fence ('' = any), time the lock is remembered (ms).
local v = redis.call('GET', KEYS[1])
if not v or v:sub(1, 1) ~= '1' then return 'L' end
if v:sub(50, 65) == ARGV[1] and ARGV[1] ~= string.rep('\0', 16) then return 'O' end
if v:sub(2, 17) ~= ARGV[1] or (ARGV[2] ~= '' and v:sub(18, 33) ~= ARGV[2]) then return 'L' end
local ends = tonumber(v:sub(34, 49))
if ends == 0 then return 'O' end
local t = redis.call('TIME')
if ends <= t[1] * 1000000 + t[2] then return 'L' end
redis.call('SET', KEYS[1], v:sub(1, 33) .. '0000000000000000' .. v:sub(50), 'PX', ARGV[3])
return 'O'
