-- Leases what is due, at most `limit` deliveries and of each webhook as many as it is allowed. Counting a try when it
-- begins makes its number the fencing token: whoever comes back after a later try began is told so.
-- KEYS: due · ARGV: tag, now, lease, limit
-- Answers now, how many milliseconds until there is more (-1: nothing is waiting), then each: id, crawl, webhook, tries,
-- tries before it was queued, sequence, the event (false when it is no longer kept), the webhook's document, its failures
-- in a row, and since when ("" with none).

local due = KEYS[1]
local tag, now, lease, limit = ARGV[1], moment(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local claimed = { now, -1 }

local OTHERS = cjson.encode({
  status = cjson.null, latency_ms = cjson.null, error = cjson.null, body = '',
  reason = 'the webhook is for another audience by now; a recovery sends what that may see'
})

local function event_of(crawl, audience, sequence)
  local stream = tag .. (audience == 'gm' and ':events:' or ':public_events:') .. crawl
  local entry = redis.call('XRANGE', stream, sequence .. '-0', sequence .. '-0')[1]
  return entry and entry[2][2] or false
end

local function take(keys, hook, document, crawl, webhook, id)
  local key = delivery_of(tag, id)
  local audience, sequence, base = unpack(redis.call('HMGET', key, 'audience', 'sequence', 'base'))
  redis.call('ZREM', keys.queue, id)
  if not base then return end
  if audience ~= hook.audience then -- made for others, and counted as they count
    redis.call('HSET', key, 'status', 'failed', 'tried', now, 'result', OTHERS)
    return close(keys, tag, id)
  end
  local tries = redis.call('HINCRBY', key, 'tries', 1)
  local failures, since = unpack(redis.call('HMGET', keys.health, 'failures', 'since'))
  redis.call('ZADD', keys.flight, now + lease, id)
  claimed[#claimed + 1] = {
    id, crawl, webhook, tries, base, sequence, event_of(crawl, audience, sequence), document, failures or 0, since or ''
  }
end

for _, member in ipairs(redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, limit)) do
  local crawl, webhook = member:match('^(%S+) (%S+)$')
  local keys = keys_of(tag, webhook)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', keys.flight, '-inf', now)) do
    redis.call('ZREM', keys.flight, id)
    redis.call('ZADD', keys.queue, now, id)
  end
  local hook, document = webhook_of(tag, crawl, webhook)
  if hook and hook.status == 'active' then
    local at_once, open_at = allowance(hook, keys.health)
    local free = math.min(at_once - redis.call('ZCARD', keys.flight), limit - #claimed + 2)
    if free > 0 and open_at <= now then
      for _, id in ipairs(redis.call('ZRANGEBYSCORE', keys.queue, '-inf', now, 'LIMIT', 0, free)) do
        take(keys, hook, document, crawl, webhook, id)
      end
    end
  end
  settle(due, tag, crawl, webhook)
end
local following = redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')[2]
if following then claimed[2] = math.max(0, math.ceil(tonumber(following) - now)) end
return claimed
