-- No number that a crawl has counted up to comes twice, not even after a failover.
--
-- A server's replication id names the history that it writes, and is another one once a replica has taken over, or a
-- server came back from its files. What the one before had acknowledged last may be missing there. So the crawl's
-- counters go on at the clock's milliseconds then: behind all that was ever counted, and behind a gap that shows, to
-- whoever reads on from before it, as events that are no longer kept.

local APART = 2 ^ 20 -- at least, should the clock have gone back

-- Nothing takes over from a server without a port, which is how Alarum runs its own, every write on the disk. There, a
-- line that is empty says that the crawl was restored.
local function is_alone() return redis.call('INFO', 'server'):find('tcp_port:0%D') end

local function keep_in_line(crawl)
  local info = redis.pcall('INFO', 'replication')
  if type(info) ~= 'string' then return end -- forbidden here, as /ready says
  local line, before = info:match('master_replid:(%x+)'), redis.call('HGET', crawl, 'line')
  if before == line then return end
  if before and (before == '' or not is_alone()) then
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    for _, counter in ipairs({ 'version', 'sequence', 'public_sequence' }) do
      local next = math.max(redis.call('HGET', crawl, counter) + APART, now)
      redis.call('HSET', crawl, counter, string.format('%.0f', next))
    end
  end
  redis.call('HSET', crawl, 'line', line)
end
