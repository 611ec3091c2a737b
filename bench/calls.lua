-- API calls with a key. Each line of the file is one: method, path and body.
local here = debug.getinfo(1, "S").source:match("^@(.*/)")
dofile(here .. "closed-loop.lua")

function init(args)
  local headers = {
    ["Authorization"] = "Bearer " .. args[4],
    ["Accept"] = "application/json, text/event-stream",
    ["Content-Type"] = "application/json",
  }
  prepare(args, function(line)
    local method, path, body = line:match("^(%S+) (%S+) ?(.*)$")
    return wrk.format(method, path, headers, body)
  end)
end
