-- Keeps what came of a try, and how its webhook fares. Answers 0 and changes nothing when the try is no longer the
-- delivery's last, or the delivery is gone.
-- KEYS: due · ARGV: tag, now, crawl, webhook, id, tries, status from now on, milliseconds to the next try (waiting),
-- result, what that says of the webhook (arrived, failed, ""), milliseconds that the webhook is left alone, probed from now on ("1")

local tag, now, crawl, webhook, id = ARGV[1], moment(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
local keys, key = keys_of(tag, webhook), delivery_of(tag, id)
if redis.call('HGET', key, 'tries') ~= ARGV[6] then return 0 end

redis.call('HSET', key, 'status', ARGV[7], 'tried', now, 'result', ARGV[9])
redis.call('EXPIRE', key, KEPT)
if ARGV[7] == 'waiting' then
  redis.call('ZREM', keys.flight, id)
  redis.call('ZADD', keys.queue, now + tonumber(ARGV[8]), id)
  redis.call('EXPIRE', keys.queue, KEPT + DAY)
else
  close(keys, tag, id)
end

if ARGV[10] == 'arrived' then
  redis.call('HSET', keys.health, 'arrived', now)
  redis.call('HDEL', keys.health, 'failures', 'since', 'probing', 'open_at')
elseif ARGV[10] == 'failed' then
  redis.call('HSETNX', keys.health, 'since', now)
  redis.call('HINCRBY', keys.health, 'failures', 1)
  if ARGV[12] == '1' then redis.call('HSET', keys.health, 'probing', 1) end
end
if tonumber(ARGV[11]) > 0 then
  -- What the receiver asked for outlasts the answers that were on their way; that it only failed does not.
  local which = ARGV[12] == '1' and 'open_at' or 'asked_until'
  local before = tonumber(redis.call('HGET', keys.health, which) or 0)
  redis.call('HSET', keys.health, which, math.max(before, now + tonumber(ARGV[11])))
end
settle(KEYS[1], tag, crawl, webhook)
return 1
