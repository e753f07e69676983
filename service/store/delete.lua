-- A crawl forgotten, with all that is its own.
-- KEYS: 3 crawl, 4 due, 5 webhooks, 6... all keys that are its own
-- ARGV: 9 expected version (""), 10 tag, 11 crawl id

local before = answered_before()
if before then return before end

local kept = redis.call('HMGET', KEYS[3], 'version', 'owner', 'created_at')
if not kept[1] then return {'MISSING'} end
if ARGV[9] ~= '' and kept[1] ~= ARGV[9] then return {'STALE'} end

for _, webhook in ipairs(redis.call('HKEYS', KEYS[5])) do forget(KEYS[4], ARGV[10], ARGV[11], webhook) end
redis.call('UNLINK', unpack(KEYS, 6))
remember_answer()
return {'OK', kept[2], kept[3]}
