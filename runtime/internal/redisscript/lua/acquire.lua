-- Makes a lock ours, or tells that another holds it, or that it is needless because
-- the record is completed.
-- KEYS: lock, and the record to check, if any. ARGV: owner, time to live (µs), time
-- the lock is remembered after that (µs), readable form of the key.
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local fence, released = now, '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
local v = redis.call('GET', KEYS[1])
local left = 0
if v then
  if v:sub(1, 1) ~= '1' then return 'X' end
  left = tonumber(v:sub(34, 49)) - now
  if left > 0 and v:sub(2, 17) == ARGV[1] then return 'A' .. string.format('%016.0f', left) .. v:sub(18, 33) end
end
if KEYS[2] then
  local r = redis.call('GET', KEYS[2])
  if r and r:sub(1, 1) ~= '1' then return 'X' end
  if r and r:sub(2, 2) ~= '0' then return 'N0000000000000000' .. r end
end
if left > 0 then return 'B' .. string.format('%016.0f', left) end
if v then
  fence = math.max(fence, tonumber(v:sub(18, 33)) + 1)
  if v:sub(34, 49) == '0000000000000000' then released = v:sub(2, 17) end
end
fence = string.format('%016.0f', fence)
v = '1' .. ARGV[1] .. fence .. string.format('%016.0f', now + ARGV[2]) .. released .. ARGV[4]
redis.call('SET', KEYS[1], v, 'PX', string.format('%.0f', math.ceil((ARGV[2] + ARGV[3]) / 1000)))
return 'A' .. string.format('%016.0f', ARGV[2]) .. fence
