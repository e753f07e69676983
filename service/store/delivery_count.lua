-- How many deliveries wait for a partition's active webhooks, now or later.
-- KEYS: due · ARGV: tag

local waiting = 0
for _, member in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  waiting = waiting + redis.call('ZCARD', ARGV[1] .. ':queue:' .. member:match(' (%S+)$'))
end
return waiting
