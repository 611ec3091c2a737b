-- Launchers, with a browser's headers.
local here = debug.getinfo(1, "S").source:match("^@(.*/)")
dofile(here .. "closed-loop.lua")

local headers = {
  ["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  ["Accept"] = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
  ["Accept-Encoding"] = "gzip, deflate, br",
  ["Accept-Language"] = "en-GB,en;q=0.9",
}

function init(args)
  prepare(args, function(slug)
    return wrk.format("GET", "/l/" .. slug, headers)
  end)
end
