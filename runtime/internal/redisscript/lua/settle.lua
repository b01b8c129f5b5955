-- Brings a consumed token into its next state.
-- KEYS: token. ARGV: owner, fence ('' = any), state.
local never = 9000000000000000
local v = redis.call('GET', KEYS[1])
if not v or v:sub(1, 1) ~= '1' or v:sub(3, 18) ~= ARGV[1] then return 'L' end
local fence = v:sub(19, 34)
if fence == '0000000000000000' or (ARGV[2] ~= '' and fence ~= ARGV[2]) then return 'L' end
local state = v:sub(2, 2)
if state == ARGV[3] then return 'O' end
if state ~= '2' then return 'L' end
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local till = math.max(tonumber(v:sub(164, 179)), now + tonumber(v:sub(180, 195)))
v = '1' .. ARGV[3] .. v:sub(3)
if till >= never then
  redis.call('SET', KEYS[1], v)
else
  redis.call('SET', KEYS[1], v, 'PX', string.format('%d', math.max(math.ceil((till - now) / 1000), 1)))
end
return 'O'
