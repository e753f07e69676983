-- What the scripts over deliveries share. Scores and moments are milliseconds of the store's own clock, so that nobody
-- else's matters; a test may give another `now`. Keys of one webhook are named from its partition's tag.

local DAY = 24 * 3600
local KEPT = 7 * DAY -- seconds that a delivery is kept after what was last done with it
local LOGGED = 200 -- deliveries of one webhook, the newest, that its log shows

local function moment(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function keys_of(tag, webhook)
  local function named(what) return tag .. ':' .. what .. ':' .. webhook end
  return { queue = named('queue'), flight = named('flight'), log = named('log'), health = named('health') }
end

local function delivery_of(tag, id) return tag .. ':delivery:' .. id end

-- A webhook as it is now, with its document as stored; nil when it is gone.
local function webhook_of(tag, crawl, webhook)
  local document = redis.call('HGET', tag .. ':webhooks:' .. crawl, webhook)
  if document then return cjson.decode(document), document end
end

-- How many of its deliveries may be on their way together, and from when. In a chat they should keep their order; one
-- that fails again and again is only probed.
local function allowance(hook, health)
  local probing, open_at, asked_until = unpack(redis.call('HMGET', health, 'probing', 'open_at', 'asked_until'))
  local from = math.max(tonumber(open_at or 0), tonumber(asked_until or 0))
  return (hook.format ~= 'standard' or probing) and 1 or 2, from
end

-- Says in `due` when this webhook can next be served: when its first delivery is due and the webhook open, but while as
-- many as allowed are on their way, not before a lease ends; when a lease ends in any case, since its worker may be dead.
local function settle(due, tag, crawl, webhook)
  local keys, member = keys_of(tag, webhook), crawl .. ' ' .. webhook
  local hook = webhook_of(tag, crawl, webhook)
  local at = nil
  if hook and hook.status == 'active' then
    local at_once, open_at = allowance(hook, keys.health)
    if redis.call('ZCARD', keys.flight) < at_once then
      local first = redis.call('ZRANGE', keys.queue, 0, 0, 'WITHSCORES')[2]
      at = first and math.max(tonumber(first), open_at)
    end
    local lease = redis.call('ZRANGE', keys.flight, 0, 0, 'WITHSCORES')[2]
    if lease and (not at or tonumber(lease) < at) then at = tonumber(lease) end
  end
  if at then redis.call('ZADD', due, at, member) else redis.call('ZREM', due, member) end
end

local function wake(crawl) redis.pcall('PUBLISH', 'alarum:wake', tonumber(crawl:sub(5, 6), 16)) end

-- Forgets a delivery that no log shows and that is over; that it has arrived stays known for a while, so that it is not
-- recovered.
local function let_go(tag, id)
  local key = delivery_of(tag, id)
  if redis.call('HGET', key, 'status') == 'delivered' then redis.call('HDEL', key, 'result') else redis.call('DEL', key) end
end

-- A delivery that is over: its log still shows it, for a while.
local function close(keys, tag, id)
  redis.call('ZREM', keys.flight, id)
  redis.call('ZREM', keys.queue, id)
  if not redis.call('ZSCORE', keys.log, id) then let_go(tag, id) end
end

-- Queues a delivery at `at`: `fields` are what it is, its sequence last; `again` takes up one that is over: "" none,
-- "failed", or "any". One that waits is brought forward when it is taken up again; one that is on its way stays there. Says
-- whether it waits now and did not before.
local function enqueue(tag, at, webhook, id, fields, again)
  local keys, key = keys_of(tag, webhook), delivery_of(tag, id)
  local status = redis.call('HGET', key, 'status')
  if status == 'waiting' then
    if again ~= '' and redis.call('ZSCORE', keys.queue, id) then redis.call('ZADD', keys.queue, at, id) end
    return 0
  end
  if status and again ~= 'any' and again ~= status then return 0 end
  local tries = redis.call('HGET', key, 'tries') or 0
  at = at + fields[#fields] % 1024 / 1024 -- those of one moment stay in the order of their events
  redis.call('HSET', key, 'status', 'waiting', 'tries', tries, 'base', tries, 'made', at, unpack(fields))
  redis.call('EXPIRE', key, KEPT)
  redis.call('ZADD', keys.queue, at, id)
  redis.call('ZADD', keys.log, at, id)
  redis.call('EXPIRE', keys.queue, KEPT + DAY)
  redis.call('EXPIRE', keys.log, KEPT + DAY)
  return 1
end

-- Keeps the log short. What falls out of it is forgotten, but for what still waits at an active webhook.
local function shorten(tag, crawl, webhook)
  local keys = keys_of(tag, webhook)
  for _ = LOGGED + 1, redis.call('ZCARD', keys.log) do
    local id = redis.call('ZPOPMIN', keys.log)[1]
    if redis.call('HGET', delivery_of(tag, id), 'status') ~= 'waiting' then
      let_go(tag, id)
    else
      local hook = webhook_of(tag, crawl, webhook)
      if not hook or hook.status ~= 'active' then close(keys, tag, id) end
    end
  end
end

-- Forgets a webhook's deliveries, and all that is known of how it fared.
local function forget(due, tag, crawl, webhook)
  local keys = keys_of(tag, webhook)
  for _, set in ipairs({ keys.queue, keys.flight, keys.log }) do
    for _, id in ipairs(redis.call('ZRANGE', set, 0, -1)) do redis.call('UNLINK', delivery_of(tag, id)) end
  end
  redis.call('UNLINK', keys.queue, keys.flight, keys.log, keys.health)
  redis.call('ZREM', due, crawl .. ' ' .. webhook)
end
