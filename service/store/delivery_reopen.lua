-- A webhook's receiver has shown that it is there: what waits need not wait for the next probe.
-- KEYS: due · ARGV: tag, crawl, webhook

local tag, crawl, webhook = ARGV[1], ARGV[2], ARGV[3]
redis.call('HDEL', keys_of(tag, webhook).health, 'failures', 'since', 'probing', 'open_at')
settle(KEYS[1], tag, crawl, webhook)
wake(crawl)
return 1
