-- One webhook of a crawl made, changed or removed.
-- KEYS: 3 crawl, 4 webhooks, 5 due
-- ARGV: 9 create, change or delete, 10 webhook id, 11 the document as it was read ("" accepts any), 12 as it will be,
--       13 how many a crawl may have, 14 tag, 15 crawl id, 16 how it fared is forgotten ("1")

local before = answered_before()
if before then return before end

if redis.call('EXISTS', KEYS[3]) == 0 then return {'MISSING'} end
local document = redis.call('HGET', KEYS[4], ARGV[10])
if ARGV[9] == 'create' then
  if document then return {'STALE'} end
  if redis.call('HLEN', KEYS[4]) >= tonumber(ARGV[13]) then return {'MANY'} end
else
  if not document then return {'NONE'} end
  if ARGV[11] ~= '' and document ~= ARGV[11] then return {'STALE'} end
end

if ARGV[9] == 'delete' then
  redis.call('HDEL', KEYS[4], ARGV[10])
  forget(KEYS[5], ARGV[14], ARGV[15], ARGV[10])
else
  redis.call('HSET', KEYS[4], ARGV[10], ARGV[12])
  if ARGV[16] == '1' then redis.call('DEL', keys_of(ARGV[14], ARGV[10]).health) end
  settle(KEYS[5], ARGV[14], ARGV[15], ARGV[10])
  wake(ARGV[15])
end
remember_answer()
return {'OK'}
