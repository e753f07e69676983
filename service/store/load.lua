-- Everything that one request needs of a crawl, in one round trip.
-- KEYS: 1 idempotency, 2 sealed, 3 crawl, 4 tokens, 5 declarations, 6 history, 7 redo, 8 encounters pending, 9 encounters
-- ARGV: 1 fingerprint ("" without a key), 2 token hash (""), 3 pending encounters wanted, 4 last step ("1"),
--       5 last undone ("1"), 6... names of the state's fields

local exists = redis.call('EXISTS', KEYS[3]) == 1
local token = ARGV[2] ~= '' and redis.call('HGET', KEYS[4], ARGV[2])

-- A token that was revoked gets no replay; a crawl that is gone replays its own deletion.
if ARGV[1] ~= '' and (token or ARGV[2] == '' or not exists) then
  local before = answered_before()
  if before then return before end
end
if not exists then return {'MISSING'} end

local pending, count = {}, 0
if ARGV[3] ~= '0' then
  count = redis.call('ZCARD', KEYS[8])
  for _, id in ipairs(redis.call('ZREVRANGE', KEYS[8], 0, ARGV[3] - 1)) do
    pending[#pending + 1] = id
    pending[#pending + 1] = redis.call('HGET', KEYS[9], id)
  end
end

return {
  'OK',
  redis.call('HMGET', KEYS[3], unpack(ARGV, 6)),
  token,
  redis.call('HGETALL', KEYS[5]),
  redis.call('LLEN', KEYS[6]),
  redis.call('LLEN', KEYS[7]),
  pending,
  count,
  ARGV[4] == '1' and redis.call('LINDEX', KEYS[6], -1),
  ARGV[5] == '1' and redis.call('LINDEX', KEYS[7], -1),
}
