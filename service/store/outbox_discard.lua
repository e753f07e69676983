-- Forgets all that waits for a webhook, and closes the webhook itself when a document for that is given and it still is
-- the one that was read. Answers how many deliveries there were, -1 when the document has changed meanwhile.
-- KEYS: due, webhooks · ARGV: tag, crawl, webhook, document as read, document from now on ("": leave it)

local tag, crawl, webhook, read, closed = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
if closed ~= '' then
  if redis.call('HGET', KEYS[2], webhook) ~= read then return -1 end
  redis.call('HSET', KEYS[2], webhook, closed)
end
local count = 0
for _, set in ipairs({ tag .. ':queue:' .. webhook, tag .. ':flight:' .. webhook }) do
  for _, id in ipairs(redis.call('ZRANGE', set, 0, -1)) do
    count = count + redis.call('DEL', tag .. ':delivery:' .. id)
  end
  redis.call('DEL', set)
end
redis.call('ZREM', KEYS[1], crawl .. ' ' .. webhook)
return count
