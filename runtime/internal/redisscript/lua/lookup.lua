-- Tells what stands under a key; writes nothing.
-- KEYS: record.
local v = redis.call('GET', KEYS[1])
if not v then return 'A' end
if v:sub(1, 1) ~= '1' then return 'X' end
if v:sub(2, 2) ~= '0' then return 'D0000000000000000' .. v end
local t = redis.call('TIME')
local left = tonumber(v:sub(36, 51)) - (t[1] * 1000000 + t[2])
if left > 0 then return 'R' .. string.format('%016d', left) .. v end
if v:sub(3, 3) == '2' then return 'H0000000000000000' .. v end
return 'A'
