-- A crawl that comes whole from elsewhere: commands on keys of its own, all or none. Whoever asks has made sure that
-- each of them can be carried out.
-- KEYS: 3 crawl, 4... those that the commands name
-- ARGV: 9... for each command: its name, the place of its key among KEYS, how many arguments follow, the arguments

local before = answered_before()
if before then return before end
if redis.call('EXISTS', KEYS[3]) == 1 then return {'EXISTS'} end

local at = 9
while at <= #ARGV do
  local last = at + 2 + tonumber(ARGV[at + 2])
  redis.call(ARGV[at], KEYS[tonumber(ARGV[at + 1])], unpack(ARGV, at + 3, last))
  at = last + 1
end
remember_answer()
return {'OK'}
