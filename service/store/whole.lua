-- All that is kept of a crawl but its tokens and webhooks, as of one moment. One that is too large is not read to its end.
-- KEYS: 1 crawl, 2 declarations, 3 encounters, 4 records, 5 history, 6 redo, 7 events, 8 public events
-- ARGV: 1 bytes that all but the events may have, 2 bytes of events after which no older ones are read, 3... names of
--       the state's fields

if redis.call('EXISTS', KEYS[1]) == 0 then return {'MISSING'} end

local left = tonumber(ARGV[1])

local records = {}
for number = 1, redis.call('HLEN', KEYS[4]) do
  local record = redis.call('HGET', KEYS[4], number) or ''
  left = left - #record
  if left < 0 then return {'LARGE'} end
  records[number] = record
end

local function steps(list)
  local found = {}
  for at = 0, redis.call('LLEN', list) - 1, 64 do
    for _, step in ipairs(redis.call('LRANGE', list, at, at + 63)) do
      left = left - #step
      found[#found + 1] = step
    end
    if left < 0 then return nil end
  end
  return found
end
local history = steps(KEYS[5])
local redo = history and steps(KEYS[6])
if not redo then return {'LARGE'} end

local function newest(stream)
  local found, room, last = {}, tonumber(ARGV[2]), '+'
  while room > 0 do
    local entries = redis.call('XREVRANGE', stream, last, '-', 'COUNT', 64)
    for _, entry in ipairs(entries) do
      found[#found + 1] = entry[1]
      found[#found + 1] = entry[2][2]
      room = room - #entry[2][2]
    end
    if #entries < 64 then break end
    last = '(' .. entries[64][1]
  end
  return found
end

return {
  'OK',
  redis.call('HMGET', KEYS[1], unpack(ARGV, 3)),
  redis.call('HGETALL', KEYS[2]),
  redis.call('HGETALL', KEYS[3]),
  records,
  history,
  redo,
  newest(KEYS[7]),
  newest(KEYS[8]),
}
