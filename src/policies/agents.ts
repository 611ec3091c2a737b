import Bowser from 'bowser'
import { LRUCache } from 'lru-cache'

/** What `device` may be. */
export const DEVICES = ['desktop', 'mobile', 'tablet'] as const

/** What a User-Agent tells, in lower case; null where it does not. */
export interface Agent {
  device: string | null
  os: string | null
  browser: string | null
}

const agents = new LRUCache<string, Agent>({ max: 2000 })
/** An agent names itself early, and what is kept as a key must have a bound. */
const MAX_LENGTH = 512

/** Families by the name that people know, where bowser has a longer one. */
const BROWSERS: Record<string, string> = {
  'microsoft edge': 'edge',
  'samsung internet for android': 'samsung internet',
}

/** What a User-Agent tells; read once for each of the many that come again. */
export function agentOf(userAgent: string): Agent {
  const text = userAgent.length > MAX_LENGTH ? userAgent.slice(0, MAX_LENGTH) : userAgent
  let agent = agents.get(text)
  if (agent === undefined) agents.set(text, (agent = read(text)))
  return agent
}

function read(userAgent: string): Agent {
  if (userAgent.trim() === '') return { device: null, os: null, browser: null }
  const parser = Bowser.getParser(userAgent)
  const os = parser.getOS().name?.toLowerCase() ?? null
  const browser = parser.getBrowserName(true) || null
  // Bowser knows no platform for Chromebooks.
  const device = os === 'chrome os' ? 'desktop' : parser.getPlatformType(true)
  return {
    device: DEVICES.find((known) => known === device) ?? null,
    os,
    browser: browser === null ? null : (BROWSERS[browser] ?? browser),
  }
}
