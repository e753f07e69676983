-- Takes entries out of the outbox and queues what is to be sent of them, all in one: an entry that another worker took
-- meanwhile is gone, and its deliveries are there already.
-- KEYS: outbox, due · ARGV: tag, now, at_once, then for each entry: its id, how many deliveries, and for each delivery:
-- id, crawl, webhook, type, body

local outbox, due = KEYS[1], KEYS[2]
local tag, now, at_once = ARGV[1], moment(ARGV[2]), tonumber(ARGV[3])
local at, taken = 4, 0
while at <= #ARGV do
  local mine = redis.call('XDEL', outbox, ARGV[at]) == 1
  local count = tonumber(ARGV[at + 1])
  at = at + 2
  if mine then taken = taken + 1 end
  for _ = 1, count do
    local id, crawl, webhook = ARGV[at], ARGV[at + 1], ARGV[at + 2]
    local key = tag .. ':delivery:' .. id
    if mine and redis.call('EXISTS', key) == 0 then
      redis.call('HSET', key, 'type', ARGV[at + 3], 'body', ARGV[at + 4], 'tries', 0)
      redis.call('ZADD', tag .. ':queue:' .. webhook, now, id)
      settle(due, tag, at_once, crawl .. ' ' .. webhook)
    end
    at = at + 5
  end
end
return taken
