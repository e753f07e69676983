-- Queues deliveries once more.
-- KEYS: 3 due · ARGV: 9 tag, 10 crawl, 11 webhook, 12 take up those that are "failed" or "any", 13... each: id, event, type,
-- audience, sequence
-- Answers how many wait now that did not before.

local before = answered_before()
if before then return before end

local tag, crawl, webhook = ARGV[9], ARGV[10], ARGV[11]
local hook = webhook_of(tag, crawl, webhook)
if not hook then return {'NONE'} end
if hook.status ~= 'active' then return {'INACTIVE'} end

local now, queued = moment(''), 0
if ARGV[12] == 'any' then redis.call('HDEL', keys_of(tag, webhook).health, 'open_at') end -- somebody wants to know now
for at = 13, #ARGV, 5 do
  local fields = {
    'crawl', crawl, 'webhook', webhook, 'event', ARGV[at + 1], 'type', ARGV[at + 2], 'audience', ARGV[at + 3],
    'sequence', ARGV[at + 4]
  }
  queued = queued + enqueue(tag, now - 1, webhook, ARGV[at], fields, ARGV[12])
end
shorten(tag, crawl, webhook)
settle(KEYS[3], tag, crawl, webhook)
wake(crawl)
remember_answer()
return {'OK', queued}
