-- wrk's part: asks what the file of requests says, in turn, and tells in one line of JSON how it went.
-- The file: for each request four lines: method, path, Authorization ("" for none), body.

local requests, at = {}, 0

function init(arguments)
  local file = assert(io.open(arguments[1], 'r'))
  while true do
    local method = file:read('*l')
    if not method then break end
    local path, authorization, body = file:read('*l'), file:read('*l'), file:read('*l')
    local headers = {}
    if authorization ~= '' then headers['Authorization'] = authorization end
    if body ~= '' then headers['Content-Type'] = 'application/json' else body = nil end
    requests[#requests + 1] = wrk.format(method, path, headers, body)
  end
  file:close()
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{"answers": %d, "seconds": %f, "refused": %d, "broken": %d, "median_ms": %f, "late_ms": %f}',
    summary.requests, summary.duration / 1e6, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000
  ))
end
