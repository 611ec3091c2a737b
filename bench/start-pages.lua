-- A start page, asked for from many networks, because one may read 120 a minute.
local here = debug.getinfo(1, "S").source:match("^@(.*/)")
dofile(here .. "closed-loop.lua")

local headers = {
  ["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  ["Accept"] = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
  ["Accept-Encoding"] = "gzip, deflate, br",
  ["Accept-Language"] = "en-GB,en;q=0.9",
}

function init(args)
  prepare(args, function(line)
    local path, network = line:match("^(%S+) (%S+)$")
    headers["X-Client"] = network
    return wrk.format("GET", path, headers)
  end)
end
