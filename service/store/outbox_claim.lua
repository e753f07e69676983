-- Leases what is due, at most `limit` deliveries and `at_once` of each webhook. Counting a try when it begins makes its
-- number the fencing token: whoever comes back after a later try began is told so.
-- KEYS: due · ARGV: tag, now, at_once, lease, limit
-- Answers how many milliseconds until there is more (-1: nothing is waiting), then each: id, crawl, webhook, tries, type,
-- body, and the webhook's document, false when it is gone.

local due = KEYS[1]
local tag, now, at_once, lease, limit = ARGV[1], moment(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local claimed = { -1 }
for _, member in ipairs(redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, limit)) do
  local crawl, webhook = member:match('^(%S+) (%S+)$')
  local queue, flight = tag .. ':queue:' .. webhook, tag .. ':flight:' .. webhook
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', flight, '-inf', now)) do
    redis.call('ZREM', flight, id)
    redis.call('ZADD', queue, now, id)
  end
  local free = math.min(at_once - redis.call('ZCARD', flight), limit - #claimed + 1)
  if free > 0 then
    local document = redis.call('HGET', tag .. ':webhooks:' .. crawl, webhook)
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', queue, '-inf', now, 'LIMIT', 0, free)) do
      local key = tag .. ':delivery:' .. id
      redis.call('ZREM', queue, id)
      if redis.call('EXISTS', key) == 1 then
        local tries = redis.call('HINCRBY', key, 'tries', 1)
        local message = redis.call('HMGET', key, 'type', 'body')
        redis.call('ZADD', flight, now + lease, id)
        claimed[#claimed + 1] = { id, crawl, webhook, tries, message[1], message[2], document }
      end
    end
  end
  settle(due, tag, at_once, member)
end
local following = redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')[2]
if following then claimed[1] = math.max(0, math.ceil(tonumber(following) - now)) end
return claimed
