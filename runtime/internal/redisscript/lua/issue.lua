-- Makes a token consumable; one that exists stays as it is.
-- KEYS: token. ARGV: binding, time to live (µs), time it is remembered after that
-- (µs).
local never = 9000000000000000
if redis.call('EXISTS', KEYS[1]) == 1 then return 'O' end
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local expires = now + ARGV[2]
local till = math.min(expires + ARGV[3], never)
local v = '11' .. string.rep('\0', 16) .. string.rep('0', 32) .. string.rep('\0', 65) .. ARGV[1]
  .. string.format('%016d%016d%016d', expires, till, 0)
if till >= never then
  redis.call('SET', KEYS[1], v)
else
  redis.call('SET', KEYS[1], v, 'PX', string.format('%d', math.ceil((till - now) / 1000)))
end
return 'O'
