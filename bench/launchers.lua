-- Launchers, with a browser's headers.
local here = debug.getinfo(1, "S").source:match("^@(.*/)")
dofile(here .. "closed-loop.lua")

local headers = page_headers()

function init(args)
  prepare(args, function(slug)
    return wrk.format("GET", "/l/" .. slug, headers)
  end)
end
