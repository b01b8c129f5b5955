-- Decides a held record: removes it, or stores an outcome with the next fence, so
-- that its vanished owner can't settle it any more.
-- KEYS: record. ARGV: kind of outcome ('0' = remove), retention (ms, '' = for
-- ever), codec, data.
local v = redis.call('GET', KEYS[1])
if not v or v:sub(1, 3) ~= '102' then return 'L' end
local t = redis.call('TIME')
if tonumber(v:sub(36, 51)) > t[1] * 1000000 + t[2] then return 'L' end
if ARGV[1] == '0' then
  redis.call('DEL', KEYS[1])
  return 'O'
end
v = '1' .. ARGV[1] .. v:sub(3, 19) .. string.format('%016d', tonumber(v:sub(20, 35)) + 1)
  .. '0000000000000000' .. v:sub(52, 84) .. string.char(#ARGV[3]) .. v:sub(86) .. ARGV[3] .. ARGV[4]
if ARGV[2] == '' then
  redis.call('SET', KEYS[1], v)
else
  redis.call('SET', KEYS[1], v, 'PX', ARGV[2])
end
return 'O'
