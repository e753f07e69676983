-- One more of something, in a window that begins with the first.
-- KEYS: the count · ARGV: seconds of the window
-- Answers how many there were, and the seconds until they are forgotten.

local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return { count, redis.call('TTL', KEYS[1]) }
