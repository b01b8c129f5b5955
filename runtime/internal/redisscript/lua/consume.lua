-- Makes a token ours, or tells what became of it: known, bound, state, in this order.
-- KEYS: token. ARGV: owner, binding, lease (µs), time it is remembered after that
-- (µs), hash of the key and fingerprint, '1' to take over from a vanished owner.
local never = 9000000000000000
local v = redis.call('GET', KEYS[1])
if not v then return 'U' end
if v:sub(1, 1) ~= '1' then return 'X' end
if v:sub(116, 147) ~= ARGV[2] then return 'M' end
local state, was = v:sub(2, 2), v:sub(3, 115)
if state == '3' then return 'F0000000000000000' .. was end
if state == '4' then return 'B0000000000000000' .. was end
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local expired = now >= tonumber(v:sub(148, 163))
if state == '2' then
  if v:sub(3, 18) == ARGV[1] then return 'C0000000000000000' .. was end
  local left = tonumber(v:sub(35, 50)) - now
  if left > 0 then return 'R' .. string.format('%016d', left) .. was end
  local old, new = v:sub(83, 115), ARGV[5]:sub(33)
  if ARGV[6] ~= '1' or expired or v:sub(51, 82) ~= ARGV[5]:sub(1, 32)
    or (old ~= new and new:byte() ~= 0 and old:byte() == new:byte()) then
    return 'H0000000000000000' .. was
  end
elseif expired then
  return 'E'
end
local fence = math.max(now, tonumber(v:sub(19, 34)) + 1)
local ends = now + ARGV[3]
local keep = tonumber(ARGV[4])
local is = ARGV[1] .. string.format('%016d%016d', fence, ends) .. ARGV[5]
v = '12' .. is .. v:sub(116, 179) .. string.format('%016d', keep)
local till = math.max(tonumber(v:sub(164, 179)), ends + keep)
if till >= never then
  redis.call('SET', KEYS[1], v)
else
  redis.call('SET', KEYS[1], v, 'PX', string.format('%d', math.ceil((till - now) / 1000)))
end
return 'C0000000000000000' .. is
