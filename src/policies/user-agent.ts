import Bowser from 'bowser'
import { LRUCache } from 'lru-cache'
import { type Client, clientOf } from '../audience/client.ts'
import { deviceOf } from '../audience/device.ts'
import { entryOf } from '../core/entry.ts'

/** What a User-Agent reveals, in lower case; null if unknown. */
export interface ParsedUserAgent {
  client: Client
  device: string | null
  os: string | null
  browser: string | null
}

const cache = new LRUCache<string, ParsedUserAgent>({ max: 2000 })
/** Cache keys need a bound; browsers and devices name themselves well before it. */
const MAX_LENGTH = 512

/** Common names of browsers to which bowser gives longer ones. */
const BROWSERS: Record<string, string> = {
  'microsoft edge': 'edge',
  'samsung internet for android': 'samsung internet',
}

/** Parses a User-Agent, caching the result. */
export function parseUserAgent(userAgent: string): ParsedUserAgent {
  const text = userAgent.length > MAX_LENGTH ? userAgent.slice(0, MAX_LENGTH) : userAgent
  let agent = cache.get(text)
  if (agent === undefined) cache.set(text, (agent = read(text)))
  return agent
}

function read(userAgent: string): ParsedUserAgent {
  if (userAgent.trim() === '') return { client: 'script', device: null, os: null, browser: null }
  const parser = Bowser.getParser(userAgent)
  const os = parser.getOS().name?.toLowerCase() ?? null
  const browser = parser.getBrowserName(true) || null
  return {
    client: clientOf(userAgent),
    device: parser.getPlatformType(true) === 'bot' ? null : deviceOf(userAgent),
    os,
    browser: browser === null ? null : (entryOf(BROWSERS, browser) ?? browser),
  }
}
