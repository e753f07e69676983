-- A crawl forgotten, with all that is its own.
-- KEYS: 3 crawl, 4... its other keys
-- ARGV: 9 expected version ("")

local before = answered_before()
if before then return before end

local kept = redis.call('HMGET', KEYS[3], 'version', 'owner', 'created_at')
if not kept[1] then return {'MISSING'} end
if ARGV[9] ~= '' and kept[1] ~= ARGV[9] then return {'STALE'} end

redis.call('UNLINK', unpack(KEYS, 3))
remember_answer()
return {'OK', kept[2], kept[3]}
