-- Stores the outcome of a running record.
-- KEYS: record. ARGV: owner and fence, kind of outcome, retention (ms, '' = for
-- ever), codec, data.
local v = redis.call('GET', KEYS[1])
if not v or v:sub(1, 1) ~= '1' or v:sub(4, 35) ~= ARGV[1] then return 'L' end
if v:sub(2, 2) ~= '0' then return 'O' end
v = '1' .. ARGV[2] .. v:sub(3, 35) .. '0000000000000000' .. v:sub(52, 84)
  .. string.char(#ARGV[4]) .. v:sub(86) .. ARGV[4] .. ARGV[5]
if ARGV[3] == '' then
  redis.call('SET', KEYS[1], v)
else
  redis.call('SET', KEYS[1], v, 'PX', ARGV[3])
end
return 'O'
