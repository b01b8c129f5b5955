-- Sets the lease of a running record; what it is kept after the lease stays.
-- KEYS: record. ARGV: owner and fence, lease (µs).
local v = redis.call('GET', KEYS[1])
if not v or v:sub(1, 2) ~= '10' or v:sub(4, 35) ~= ARGV[1] then return 'L' end
local t = redis.call('TIME')
local ends = t[1] * 1000000 + t[2] + ARGV[2]
local left = redis.call('PTTL', KEYS[1])
local was = tonumber(v:sub(36, 51))
v = v:sub(1, 35) .. string.format('%016d', ends) .. v:sub(52)
if left < 0 then
  redis.call('SET', KEYS[1], v)
else
  redis.call('SET', KEYS[1], v, 'PX', string.format('%d', math.max(left + math.ceil((ends - was) / 1000), 1)))
end
return 'O'
