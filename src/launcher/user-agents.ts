import { hash } from 'node:crypto'
import { isbot } from 'isbot'
import { LRUCache } from 'lru-cache'

const KEPT = 2_000
/** A bot names itself early, and what is kept as a key must have a bound. */
const MAX_LENGTH = 512

/** A User-Agent, with what is found out about it once. */
export interface UserAgent {
  /** Its text, cut where it is very long. */
  name: string
  isBot: boolean
  /** A hash of its name, in two times 32 bits. */
  hash: readonly [number, number]
}

/** The User-Agents that came lately: most viewers have one of a few. */
export class UserAgents {
  readonly #kept = new LRUCache<string, UserAgent>({ max: KEPT })

  /** @param header empty where; empty where there is none. */
  of(header: string): UserAgent {
    const name = header.length > MAX_LENGTH ? header.slice(0, MAX_LENGTH) : header
    let userAgent = this.#kept.get(name)
    if (userAgent === undefined) this.#kept.set(name, (userAgent = read(name)))
    return userAgent
  }
}

function read(name: string): UserAgent {
  const digest = hash('sha256', name, 'buffer')
  return { name, isBot: isbot(name), hash: [digest.readInt32LE(0), digest.readInt32LE(4)] }
}
