import Bowser from 'bowser'
import { HeaderValues } from '../core/header-values.ts'
import { entryOf } from '../core/untyped.ts'
import { type Client, clientOf } from './client.ts'
import { deviceOf } from './device.ts'

/** What a User-Agent reveals, in lower case; null if unknown. */
export interface ParsedUserAgent {
  client: Client
  device: string | null
  os: string | null
  browser: string | null
}

/** Browsers and devices name themselves well within the length. */
const known = new HeaderValues(read, { values: 2_000, length: 512 })

/** Common names of browsers to which bowser gives longer ones. */
const BROWSERS: Record<string, string> = {
  'microsoft edge': 'edge',
  'samsung internet for android': 'samsung internet',
}

/** Parses a User-Agent, caching the result. */
export function parseUserAgent(userAgent: string): ParsedUserAgent {
  return known.of(userAgent)
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
