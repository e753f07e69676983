-- All of one change, or none of it: every check stands before the first write, since nothing is ever rolled back. (That
-- the crawl is now written in another line of history is kept by itself, and before: see line.lua.)
-- KEYS: 3 crawl, 4 tokens, 5 declarations, 6 encounters, 7 encounter order, 8 encounters pending, 9 records, 10 history,
--       11 redo, 12 events, 13 public events, 14 webhooks, 15 outbox, 16 ended
-- ARGV: 9 crawl id, 10 starts the crawl ("1"), 11 expected version (""), 12 expected declarations revision (""),
--       13 move in the history ("", step, undo, redo), 14 what it pushes, 15 events kept, 16 the moment from which
--       they are kept, 17... the lists below, each begun by its length. JSON goes through unread.

local before = answered_before()
if before then return before end

local exists = redis.call('EXISTS', KEYS[3]) == 1
if ARGV[10] == '1' then
  if exists then return {'EXISTS'} end
else
  if not exists then return {'MISSING'} end
  keep_in_line(KEYS[3])
  if ARGV[11] ~= '' and redis.call('HGET', KEYS[3], 'version') ~= ARGV[11] then return {'STALE'} end
  if ARGV[12] ~= '' and redis.call('HGET', KEYS[3], 'revision') ~= ARGV[12] then return {'STALE'} end
  if ARGV[13] == 'undo' and redis.call('LLEN', KEYS[10]) == 0 then return {'STALE'} end
  if ARGV[13] == 'redo' and redis.call('LLEN', KEYS[11]) == 0 then return {'STALE'} end
end

local at = 16
local function take()
  at = at + 1
  return ARGV[at]
end

-- Which crawls have ended, by the store's own clock; one that should ever go on again is no longer among them.
local function status_changed(status)
  if status ~= 'ended' then return redis.call('ZREM', KEYS[16], ARGV[9]) end
  local time = redis.call('TIME')
  redis.call('ZADD', KEYS[16], time[1] * 1000 + math.floor(time[2] / 1000), ARGV[9])
end

-- The state's fields: name, value. A card seldom changes; what stays the same is not written again.
for _ = 1, tonumber(take()) do
  local name, value = take(), take()
  if redis.call('HGET', KEYS[3], name) ~= value then
    redis.call('HSET', KEYS[3], name, value)
    if name == 'status' then status_changed(value) end
  end
end

if not exists then keep_in_line(KEYS[3]) end

-- Tokens: hash, who holds it ("" revokes).
for _ = 1, tonumber(take()) do
  local hash, holder = take(), take()
  if holder == '' then redis.call('HDEL', KEYS[4], hash) else redis.call('HSET', KEYS[4], hash, holder) end
end

-- Encounters: id, ordinal, pending ("1"), encounter ("" forgets).
for _ = 1, tonumber(take()) do
  local id, ordinal, pending, encounter = take(), take(), take(), take()
  if encounter == '' then
    redis.call('HDEL', KEYS[6], id)
    redis.call('ZREM', KEYS[7], id)
  else
    redis.call('HSET', KEYS[6], id, encounter)
    redis.call('ZADD', KEYS[7], ordinal, id)
  end
  if pending == '1' then redis.call('ZADD', KEYS[8], ordinal, id) else redis.call('ZREM', KEYS[8], id) end
end

-- Round records: number, record ("" forgets).
for _ = 1, tonumber(take()) do
  local number, record = take(), take()
  if record == '' then redis.call('HDEL', KEYS[9], number) else redis.call('HSET', KEYS[9], number, record) end
end

-- Declarations ahead, replaced as a whole: character, declaration. "-" leaves them alone.
local declared = take()
if declared ~= '-' then
  redis.call('DEL', KEYS[5])
  for _ = 1, tonumber(declared) do redis.call('HSET', KEYS[5], take(), take()) end
  redis.call('HINCRBY', KEYS[3], 'revision', 1)
end

if ARGV[13] == 'step' then
  redis.call('RPUSH', KEYS[10], ARGV[14])
  redis.call('DEL', KEYS[11])
elseif ARGV[13] == 'undo' then
  redis.call('RPOP', KEYS[10])
  redis.call('RPUSH', KEYS[11], ARGV[14])
elseif ARGV[13] == 'redo' then
  redis.call('RPOP', KEYS[11])
  redis.call('RPUSH', KEYS[10], ARGV[14])
end

-- Events older than they are kept go, now and then: all begin with their id, type and timestamp.
local function forget_old(stream)
  for _, entry in ipairs(redis.call('XRANGE', stream, '-', '+', 'COUNT', 64)) do
    if entry[2][2]:match('"timestamp":"([^"]*)"') >= ARGV[16] then return end
    redis.call('XDEL', stream, entry[1])
  end
end

-- Events: id, type, for the GM, for players ("" if it is not theirs to know).
local told = redis.call('EXISTS', KEYS[14]) == 1
local happened = tonumber(take())
for _ = 1, happened do
  local id, kind, event, public = take(), take(), take(), take()
  local sequence = redis.call('HINCRBY', KEYS[3], 'sequence', 1)
  local public_sequence = ''
  redis.call('XADD', KEYS[12], 'MAXLEN', ARGV[15], sequence .. '-0', 'e', event)
  if public ~= '' then
    public_sequence = redis.call('HINCRBY', KEYS[3], 'public_sequence', 1)
    redis.call('XADD', KEYS[13], 'MAXLEN', ARGV[15], public_sequence .. '-0', 'e', public)
  end
  if told then
    redis.call('XADD', KEYS[15], '*', 'crawl', ARGV[9], 'event', id, 'type', kind, 'seq', sequence, 'pseq', public_sequence)
  end
  if sequence % 32 == 0 then
    forget_old(KEYS[12])
    forget_old(KEYS[13])
  end
end

-- The crawl, for whoever streams its events; the partition, for whoever sends to webhooks. Who misses it looks again,
-- and a server that forbids the channel must not fail what is written.
if happened > 0 then redis.pcall('PUBLISH', 'alarum:told:' .. ARGV[9], '') end
if told then redis.pcall('PUBLISH', 'alarum:wake', tonumber(string.sub(ARGV[9], 5, 6), 16)) end

remember_answer()
return {'OK'}
