-- Makes a record ours, or tells what stands there.
-- KEYS: record. ARGV: owner, orphan policy, lease (µs), expiry from now (ms, '' =
-- none), rest of the record from its fingerprint on.
local v = redis.call('GET', KEYS[1])
if v then
  if v:sub(1, 1) ~= '1' then return 'X' end
  if v:sub(2, 2) ~= '0' then return 'D0000000000000000' .. v end
end
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local fence = now
if v then
  local left = math.max(tonumber(v:sub(36, 51)) - now, 0)
  local head = string.format('%016d', left) .. v
  if v:sub(4, 19) == ARGV[1] then return 'F' .. head end
  if left > 0 then return 'R' .. head end
  if v:sub(3, 3) == '2' then return 'H' .. head end
  local was, is = v:sub(52, 84), ARGV[5]:sub(1, 33)
  if was ~= is and is:byte() ~= 0 and was:byte() == is:byte() then return 'R' .. head end
  fence = math.max(fence, tonumber(v:sub(20, 35)) + 1)
end
v = '10' .. ARGV[2] .. ARGV[1] .. string.format('%016d%016d', fence, now + ARGV[3]) .. ARGV[5]
if ARGV[4] == '' then
  redis.call('SET', KEYS[1], v)
else
  redis.call('SET', KEYS[1], v, 'PX', ARGV[4])
end
return 'F' .. string.format('%016d', ARGV[3]) .. v
