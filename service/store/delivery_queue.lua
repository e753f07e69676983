-- Takes entries out of the outbox and queues what is to be sent of them, all in one: an entry that another worker took
-- meanwhile is gone, and its deliveries are there already.
-- KEYS: outbox, due · ARGV: tag, now, then for each entry: its id, its crawl, how many deliveries, and for each: id,
-- webhook, event, type, audience, sequence

local tag, now = ARGV[1], moment(ARGV[2])
local at, taken = 3, 0
while at <= #ARGV do
  local mine = redis.call('XDEL', KEYS[1], ARGV[at]) == 1
  local crawl, count = ARGV[at + 1], tonumber(ARGV[at + 2])
  at = at + 3
  if mine then taken = taken + 1 end
  for _ = 1, count do
    local id, webhook = ARGV[at], ARGV[at + 1]
    if mine and webhook_of(tag, crawl, webhook) then
      local fields = {
        'crawl', crawl, 'webhook', webhook, 'event', ARGV[at + 2], 'type', ARGV[at + 3], 'audience', ARGV[at + 4],
        'sequence', ARGV[at + 5]
      }
      enqueue(tag, now - 1, webhook, id, fields, '')
      shorten(tag, crawl, webhook)
      settle(KEYS[2], tag, crawl, webhook)
    end
    at = at + 6
  end
end
return taken
