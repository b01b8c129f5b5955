-- Frees a lock that is held. Who released it last may do so again.
-- KEYS: lock. ARGV: owner, followed by the fence if it is known.
local memory = 3600000
local v = redis.call('GET', KEYS[1])
if not v then return 'L' end
if v:sub(2, 1 + #ARGV[1]) == ARGV[1] then
  local state = v:sub(1, 1)
  if state == 'r' then return 'O' end
  if state ~= 'h' or redis.call('PTTL', KEYS[1]) <= memory then return 'L' end
  redis.call('SET', KEYS[1], 'r' .. v:sub(2), 'PX', memory)
  return 'O'
end
local owner = ARGV[1]:sub(1, 16)
if v:sub(34, 49) == owner and owner ~= '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' then return 'O' end
return 'L'
