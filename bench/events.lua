-- Clicks on Open all, as the launcher's script sends them.
local here = debug.getinfo(1, "S").source:match("^@(.*/)")
dofile(here .. "closed-loop.lua")

local headers = {
  ["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  ["Accept"] = "*/*",
  ["Accept-Encoding"] = "gzip, deflate, br",
  ["Content-Type"] = "application/json",
}

function init(args)
  prepare(args, function(slug)
    return wrk.format("POST", "/api/links/" .. slug .. "/events", headers, '{"kind":"open_all","matchedRuleId":null}')
  end)
end
