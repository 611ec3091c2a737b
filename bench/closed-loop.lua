-- What the scripts share: reading the file of requests, and an end that leaves none in progress.
--
-- When its time is over, wrk drops requests in progress, which the server may have answered and counted. So each
-- script stops sending first: after its time or number of requests, a connection sends only the beginning of a
-- request. All complete requests are then answered, and the count is exact.

local ffi = require("ffi")
ffi.cdef([[
  typedef struct { long sec; long nsec; } openall_time;
  int clock_gettime(int clock, openall_time *at);
]])

local MONOTONIC = 1
local at = ffi.new("openall_time")
local function now()
  ffi.C.clock_gettime(MONOTONIC, at)
  return tonumber(at.sec) + tonumber(at.nsec) / 1e9
end

local END = "GET / HTTP/1.1\r\n"
local requests, next_request, deadline = {}, nil, nil
-- Read back by `done`, which wrk runs outside the thread.
sent = 0
seconds = 0

-- args: the file of slugs or calls; "seconds" and how many, or "requests" and how many
function prepare(args, make)
  for slug in io.lines(args[1]) do
    requests[#requests + 1] = make(slug)
  end
  local amount = tonumber(args[3])
  if args[2] == "requests" then
    -- In turn, so that every bundle is requested.
    next_request = function()
      if sent == amount then return nil end
      return requests[sent % #requests + 1]
    end
  else
    math.randomseed(os.time())
    seconds = amount
    next_request = function()
      local time = now()
      deadline = deadline or time + amount
      if time >= deadline then return nil end
      return requests[math.random(#requests)]
    end
  end
end

local is_checked = false
function request()
  -- wrk calls this once to inspect a request that it does not send.
  if not is_checked then
    is_checked = true
    return requests[1]
  end
  local text = next_request()
  if text == nil then return END end
  sent = sent + 1
  return text
end

local thread
function setup(only)
  thread = only
end

function done(summary, latency)
  io.write(string.format(
    '{"sent":%d,"answered":%d,"errors":%d,"seconds":%f,"p99Ms":%f}\n',
    thread:get("sent"),
    summary.requests,
    summary.errors.status,
    thread:get("seconds"),
    latency:percentile(99) / 1000
  ))
end

-- The headers of a browser that asks for a page.
function page_headers()
  return {
    ["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
    ["Accept"] = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
    ["Accept-Encoding"] = "gzip, deflate, br",
    ["Accept-Language"] = "en-GB,en;q=0.9",
  }
end
