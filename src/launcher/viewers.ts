import { hash } from 'node:crypto'
import { network } from '../limits/network.ts'
import { MAX_WAITING, type ViewerHash } from './batches.ts'
import { KnownViewers } from './known-viewers.ts'
import { Places } from './places.ts'
import type { UserAgent } from './user-agents.ts'

/**
 * Hexadecimal digits of the SHA-256 that are stored: 128 bits. Two of a million viewers of one bundle have the same once in
 * 10^26 days, and the row is half as long.
 */
const HASH_DIGITS = 32

/** Viewers remembered while the day's salt cannot be read. */
const MAX_UNSALTED = 20_000

/**
 * The viewers of one day, told apart in the store by half of SHA-256(the day's salt, bundle, address, User-Agent) and by
 * nothing else (decisions 7). Without the day's salt no hash is made: who comes meanwhile is kept in memory until it is there.
 */
export class Viewers {
  /** Null until it is read. */
  #salt: string | null = null
  /** Never written, and forgotten when the day is over. */
  readonly #unsalted = new Set<string>()
  /** Of the day and stored, or soon to be, so that who comes again costs neither a hash nor a write. */
  readonly #known = new KnownViewers()
  /** So that one network cannot be any number of them. */
  readonly #places = new Places()
  #new: ViewerHash[] = []

  /** Begins a day, nothing of the last one kept. */
  begin(salt: string | null): void {
    this.#known.clear()
    this.#places.clear()
    this.#unsalted.clear()
    this.#salt = salt
  }

  /** Gives the day its salt, and to everybody who came before it their hash. */
  setSalt(salt: string): void {
    this.#salt = salt
    for (const who of this.#unsalted) this.#add(Number(who.slice(0, who.indexOf('\n'))), `${salt}\n${who}`)
    this.#unsalted.clear()
  }

  /** Takes a fraction of a microsecond for who is known, microseconds for who is new. */
  see(bundleId: number, address: string, userAgent: UserAgent): void {
    const viewer = this.#known.fingerprintOf(bundleId, address, userAgent)
    if (this.#known.has(viewer)) return
    if (this.#salt === null && this.#unsalted.size >= MAX_UNSALTED) return
    if (!this.#places.take(bundleId, network(address))) return
    this.#known.add(viewer)
    const who = `${bundleId}\n${address}\n${userAgent.name}`
    if (this.#salt === null) this.#unsalted.add(who)
    else this.#add(bundleId, `${this.#salt}\n${who}`)
  }

  /** How many are new since the last time. */
  get waiting(): number {
    return this.#new.length
  }

  /** The viewers that are new since the last time, for the store. */
  take(): readonly ViewerHash[] {
    const taken = this.#new
    if (taken.length > 0) this.#new = []
    return taken
  }

  /** Some of those taken were dropped, and must be told anew when they come again. */
  forget(): void {
    this.#known.clear()
    this.#places.clear()
  }

  #add(bundleId: number, salted: string): void {
    if (this.#new.length >= MAX_WAITING) return
    this.#new.push({ bundleId, hash: hash('sha256', salted, 'hex').slice(0, HASH_DIGITS) })
  }
}
