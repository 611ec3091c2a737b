import Bowser from 'bowser'
import { LRUCache } from 'lru-cache'
import { entryOf } from '../core/entry.ts'

/** The values of `device`. */
export const DEVICES = ['desktop', 'mobile', 'tablet'] as const

/** What a User-Agent reveals, in lower case; null if unknown. */
export interface Agent {
  device: string | null
  os: string | null
  browser: string | null
}

const agents = new LRUCache<string, Agent>({ max: 2000 })
/** User-Agents identify themselves early, and cache keys must be bounded. */
const MAX_LENGTH = 512

/** Common names for browsers with longer names in bowser. */
const BROWSERS: Record<string, string> = {
  'microsoft edge': 'edge',
  'samsung internet for android': 'samsung internet',
}

/** Parses a User-Agent, caching the result. */
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
  // Bowser has no platform for Chromebooks.
  const device = os === 'chrome os' ? 'desktop' : parser.getPlatformType(true)
  return {
    device: DEVICES.find((known) => known === device) ?? null,
    os,
    browser: browser === null ? null : (entryOf(BROWSERS, browser) ?? browser),
  }
}
