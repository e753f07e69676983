-- What the scripts of outbox.py share. Scores and moments are milliseconds of the store's own clock, so that no worker's
-- clock matters; a test may give another `now`.

local function moment(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Says in `due` when this webhook can next be served: when its first delivery is due, but while as many as allowed are on
-- their way, not before a lease ends; when a lease ends in any case, since its worker may be dead.
local function settle(due, tag, at_once, member)
  local webhook = member:match('%S+$')
  local queue, flight = tag .. ':queue:' .. webhook, tag .. ':flight:' .. webhook
  local lease = redis.call('ZRANGE', flight, 0, 0, 'WITHSCORES')[2]
  local first = nil
  if redis.call('ZCARD', flight) < at_once then first = redis.call('ZRANGE', queue, 0, 0, 'WITHSCORES')[2] end
  if lease and (not first or tonumber(lease) < tonumber(first)) then first = lease end
  if first then redis.call('ZADD', due, first, member) else redis.call('ZREM', due, member) end
end
