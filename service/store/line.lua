-- No number that a crawl has counted up to comes twice, not even after a failover.
--
-- A server's replication id names the history that it writes, and is another one once a replica has taken over. What the
-- one before had acknowledged last may be missing there. So the crawl's counters go on at the clock's milliseconds then:
-- behind all that was ever counted, and behind a gap that shows, to whoever reads on from before it, as events that are no
-- longer kept. A line that is empty says that the crawl was restored.

local APART = 2 ^ 20 -- at least, should the clock have gone back

-- A server that was only started again has another id, too, but all that its append-only file holds, and it follows
-- nobody. (A crawl that nobody touched between a failover and such a start cannot tell the one from the other.)
local function has_come_back(info)
  return info:find('master_replid2:0+%s') and redis.call('INFO', 'persistence'):find('aof_enabled:1')
end

local function keep_in_line(crawl)
  local info = redis.pcall('INFO', 'replication')
  if type(info) ~= 'string' then return end -- forbidden here, as /ready says
  local line, before = info:match('master_replid:(%x+)'), redis.call('HGET', crawl, 'line')
  if before == line then return end
  if before and (before == '' or not has_come_back(info)) then
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    for _, counter in ipairs({ 'version', 'sequence', 'public_sequence' }) do
      local next = math.max(redis.call('HGET', crawl, counter) + APART, now)
      redis.call('HSET', crawl, counter, string.format('%.0f', next))
    end
  end
  redis.call('HSET', crawl, 'line', line)
end
