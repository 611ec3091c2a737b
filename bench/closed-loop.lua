-- What both loads share: which slugs there are, and an end that leaves nothing under way.
--
-- wrk hangs up on requests under way when its time is over; the server has answered those and wrk has not
-- counted them. So each load stops asking first: after its time or its number of requests, a connection
-- sends the beginning of a request and no more. What was asked is then answered, and the count is exact.

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
asked = 0
seconds = 0

-- args: the file of slugs, then "seconds" and how long, or "requests" and how many
function prepare(args, make)
  for slug in io.lines(args[1]) do
    requests[#requests + 1] = make(slug)
  end
  local amount = tonumber(args[3])
  if args[2] == "requests" then
    -- In turn, so that every bundle is asked for.
    next_request = function()
      if asked == amount then return nil end
      return requests[asked % #requests + 1]
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
  -- The first is for wrk itself, which looks at it and sends nothing.
  if not is_checked then
    is_checked = true
    return requests[1]
  end
  local text = next_request()
  if text == nil then return END end
  asked = asked + 1
  return text
end

local thread
function setup(only)
  thread = only
end

function done(summary, latency)
  io.write(string.format(
    '{"asked":%d,"answered":%d,"refused":%d,"seconds":%f,"p99Ms":%f}\n',
    thread:get("asked"),
    summary.requests,
    summary.errors.status,
    thread:get("seconds"),
    latency:percentile(99) / 1000
  ))
end
