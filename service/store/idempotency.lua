-- Begins every script. KEYS: 1 the record of the idempotency key, 2 the sealed body of a secret answer.
-- ARGV: 1 fingerprint ("" without a key), and where the script writes, 2 status, 3 etag, 4 location, 5 secret ("1"),
--       6 body, 7 seconds that the record lives, 8 seconds that a sealed body lives

local function answered_before()
  if ARGV[1] == '' then return nil end
  local kept = redis.call('HMGET', KEYS[1], 'fp', 'status', 'etag', 'location', 'secret', 'body')
  if not kept[1] then return nil end
  if kept[1] ~= ARGV[1] then return {'MISMATCH'} end
  if kept[5] == '1' then kept[6] = redis.call('GET', KEYS[2]) end
  return {'REPLAY', kept[2], kept[3], kept[4], kept[5], kept[6]}
end

local function remember_answer()
  if ARGV[1] == '' then return end
  local body = ARGV[6]
  if ARGV[5] == '1' then
    redis.call('SET', KEYS[2], body, 'EX', ARGV[8])
    body = ''
  end
  redis.call('HSET', KEYS[1], 'fp', ARGV[1], 'status', ARGV[2], 'etag', ARGV[3], 'location', ARGV[4], 'secret', ARGV[5],
    'body', body)
  redis.call('EXPIRE', KEYS[1], ARGV[7])
end
