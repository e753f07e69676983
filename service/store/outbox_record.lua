-- Keeps what came of a try: the delivery is over (no `wait`) or due again. Answers 0 and changes nothing when the try is
-- no longer the delivery's last, or the delivery is gone.
-- KEYS: due · ARGV: tag, now, at_once, crawl, webhook, id, tries, wait

local tag, now, at_once = ARGV[1], moment(ARGV[2]), tonumber(ARGV[3])
local crawl, webhook, id, tries, wait = ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local key, queue, flight = tag .. ':delivery:' .. id, tag .. ':queue:' .. webhook, tag .. ':flight:' .. webhook
if redis.call('HGET', key, 'tries') ~= tries then return 0 end
redis.call('ZREM', flight, id)
if wait == '' then
  redis.call('ZREM', queue, id)
  redis.call('DEL', key)
else
  redis.call('ZADD', queue, now + tonumber(wait), id)
end
settle(KEYS[1], tag, at_once, crawl .. ' ' .. webhook)
return 1
