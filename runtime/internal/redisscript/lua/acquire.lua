-- Makes a lock ours, or tells that another holds it, or that it is needless because
-- the record is completed. A lock is held while it expires later than the memory.
-- KEYS: lock, and the record to check, if any. ARGV: owner, expiry from now with the
-- memory (ms), readable form of the key.
local memory = 3600000
local v = redis.call('GET', KEYS[1])
local left, released = 0, '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
if v then
  local state = v:sub(1, 1)
  if state == 'h' then
    left = redis.call('PTTL', KEYS[1]) - memory
    if left > 0 and v:sub(2, 17) == ARGV[1] then return 'H' .. v:sub(18, 33) .. string.format('%016d', left) end
  elseif state == 'r' then
    released = v:sub(2, 17)
  else
    return 'X'
  end
end
if KEYS[2] then
  local r = redis.call('GET', KEYS[2])
  if r and r:sub(1, 1) ~= '1' then return 'X' end
  if r and r:sub(2, 2) ~= '0' then return 'N' .. r end
end
if left > 0 then return 'B' .. string.format('%016d', left) end
local t = redis.call('TIME')
local fence = t[1] .. ('00000' .. t[2]):sub(-6)
if v and v:sub(18, 33) >= fence then fence = string.format('%016d', tonumber(v:sub(18, 33)) + 1) end
redis.call('SET', KEYS[1], 'h' .. ARGV[1] .. fence .. released .. ARGV[3], 'PX', ARGV[2])
return 'A' .. fence
