-- A start page, asked for from many networks, because one may read 120 a minute.
local here = debug.getinfo(1, "S").source:match("^@(.*/)")
dofile(here .. "closed-loop.lua")

local headers = page_headers()

function init(args)
  prepare(args, function(line)
    local path, network = line:match("^(%S+) (%S+)$")
    headers["X-Client"] = network
    return wrk.format("GET", path, headers)
  end)
end
