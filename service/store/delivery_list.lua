-- A webhook's log, what was queued last first.
-- ARGV: 1 tag, 2 webhook, 3 behind this id (""), 4 how many, 5... names of the fields wanted
-- Answers false when there is no such id to go on from; else each: id, fields, when it is due (false), whether on its way.

local tag, keys = ARGV[1], keys_of(ARGV[1], ARGV[2])
local from = 0
if ARGV[3] ~= '' then
  local rank = redis.call('ZREVRANK', keys.log, ARGV[3])
  if not rank then return false end
  from = rank + 1
end
local found = {}
for _, id in ipairs(redis.call('ZREVRANGE', keys.log, from, from + ARGV[4] - 1)) do
  local fields = redis.call('HMGET', delivery_of(tag, id), unpack(ARGV, 5))
  if fields[1] then
    found[#found + 1] = { id, fields, redis.call('ZSCORE', keys.queue, id), redis.call('ZSCORE', keys.flight, id) }
  end
end
return found
