-- A crawl forgotten, with all that is its own.
-- KEYS: 3 crawl, 4 due, 5 webhooks, 6 ended, 7... all keys that are its own
-- ARGV: 9 expected version (""), 10 tag, 11 crawl id, 12 only if it ended at this moment or before ("" does not ask)

local before = answered_before()
if before then return before end

local kept = redis.call('HMGET', KEYS[3], 'version', 'owner', 'created_at', 'status')
if not kept[1] then
  redis.call('ZREM', KEYS[6], ARGV[11]) -- nobody is to look for it again
  return {'MISSING'}
end
if ARGV[9] ~= '' and kept[1] ~= ARGV[9] then return {'STALE'} end
if ARGV[12] ~= '' then
  local ended_at = redis.call('ZSCORE', KEYS[6], ARGV[11])
  if kept[4] ~= 'ended' or not ended_at or tonumber(ended_at) > tonumber(ARGV[12]) then return {'STALE'} end
end

for _, webhook in ipairs(redis.call('HKEYS', KEYS[5])) do forget(KEYS[4], ARGV[10], ARGV[11], webhook) end
redis.call('UNLINK', unpack(KEYS, 7))
redis.call('ZREM', KEYS[6], ARGV[11])
remember_answer()
return {'OK', kept[2], kept[3]}
