import { hash } from 'node:crypto'
import { isbot } from 'isbot'
import { LRUCache } from 'lru-cache'
import { deviceOf } from '../audience/device.ts'
import { keyOf } from './breakdowns.ts'

const MAX_CACHED = 2_000
/** Cache keys need a bound; bots identify themselves well before it. */
const MAX_LENGTH = 512

/** A parsed User-Agent header. */
export interface UserAgent {
  /** Its text, truncated if very long. */
  name: string
  isBot: boolean
  /** The kind of device that it names, as `Breakdowns` counts it. */
  device: string
  /** 64 bits of its SHA-256, as two 32-bit halves. */
  hash: readonly [number, number]
}

/** Caches parsed User-Agents, because most viewers have one of a few. */
export class UserAgents {
  readonly #cache = new LRUCache<string, UserAgent>({ max: MAX_CACHED })

  /** @param header `''` if the request has none. */
  of(header: string): UserAgent {
    const name = header.length > MAX_LENGTH ? header.slice(0, MAX_LENGTH) : header
    let userAgent = this.#cache.get(name)
    if (userAgent === undefined) this.#cache.set(name, (userAgent = read(name)))
    return userAgent
  }
}

function read(name: string): UserAgent {
  const digest = hash('sha256', name, 'buffer')
  return {
    name,
    isBot: isbot(name),
    device: keyOf('device', deviceOf(name)),
    hash: [digest.readInt32LE(0), digest.readInt32LE(4)],
  }
}
