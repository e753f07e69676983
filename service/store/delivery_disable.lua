-- Puts another document in a webhook's place, if it still is the one that was read; what waits for it is kept. Answers 0
-- when it is not.
-- KEYS: due, webhooks · ARGV: tag, crawl, webhook, document as read, document from now on

local tag, crawl, webhook, read, disabled = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
if redis.call('HGET', KEYS[2], webhook) ~= read then return 0 end
redis.call('HSET', KEYS[2], webhook, disabled)
settle(KEYS[1], tag, crawl, webhook)
return 1
