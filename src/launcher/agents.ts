import { hash } from 'node:crypto'
import { isbot } from 'isbot'
import { LRUCache } from 'lru-cache'

const KEPT = 2_000
/** A bot names itself early, and what is kept as a key must have a bound. */
const MAX_LENGTH = 512

/** A User-Agent, with what is found out about it once. */
export interface Agent {
  /** Its text, cut where it is very long. */
  name: string
  isBot: boolean
  /** Two times 32 bits of a hash of its name. */
  prints: readonly [number, number]
}

/** The User-Agents that came lately: most viewers have one of a few. */
export class Agents {
  readonly #kept = new LRUCache<string, Agent>({ max: KEPT })

  /** @param userAgent the header; empty where there is none. */
  of(userAgent: string): Agent {
    const name = userAgent.length > MAX_LENGTH ? userAgent.slice(0, MAX_LENGTH) : userAgent
    let agent = this.#kept.get(name)
    if (agent === undefined) this.#kept.set(name, (agent = read(name)))
    return agent
  }
}

function read(name: string): Agent {
  const digest = hash('sha256', name, 'buffer')
  return { name, isBot: isbot(name), prints: [digest.readInt32LE(0), digest.readInt32LE(4)] }
}
