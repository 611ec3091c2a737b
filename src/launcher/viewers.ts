import { hash } from 'node:crypto'
import { network } from '../limits/network.ts'
import { MAX_WAITING, type ViewerHash } from './batches.ts'
import { KnownViewers } from './known-viewers.ts'
import type { UserAgent } from './user-agents.ts'
import { ViewerQuota } from './viewer-quota.ts'

/**
 * Stores half of the SHA-256, 128 bits, which halves the rows: among a million viewers of a bundle, two collide once in
 * 10^26 days.
 */
const HASH_DIGITS = 32

/** Where the bits of the SHA-256 begin by which a network's viewers are sampled: others than those stored, which order rows. */
const DRAW_FROM = HASH_DIGITS
const DRAW_DIGITS = 8
/** The draw of a viewer whose hash is not known yet: taken while all viewers of their network are. */
const NO_DRAW = 1

/** Maximum viewers held while the day's salt cannot be read. */
const MAX_UNSALTED = 20_000

/**
 * Today's distinct viewers. The store only has half of SHA-256(day's salt, bundle, address, User-Agent) of each
 * (decisions 7). Viewers who come before the salt has been read are held in memory.
 */
export class Viewers {
  /** Null until read. */
  #salt: string | null = null
  /** Never written; discarded at the end of the day. */
  readonly #unsalted = new Set<string>()
  /** Viewers already hashed today, who need no second hash or write. */
  readonly #known = new KnownViewers()
  /** Samples the viewers of one network if they are many. */
  readonly #quota = new ViewerQuota()
  #new: ViewerHash[] = []

  /** Starts a day and forgets the previous one. */
  begin(salt: string | null): void {
    this.#known.clear()
    this.#quota.clear()
    this.#unsalted.clear()
    this.#salt = salt
  }

  /** Sets the day's salt and hashes the viewers who were waiting for it. */
  setSalt(salt: string): void {
    this.#salt = salt
    for (const identity of this.#unsalted) {
      this.#add(Number(identity.slice(0, identity.indexOf('\n'))), digestOf(salt, identity), 1)
    }
    this.#unsalted.clear()
  }

  /** Records a viewer. Takes a fraction of a microsecond for a known one, microseconds for a new one. */
  see(bundleId: number, address: string, userAgent: UserAgent): void {
    const viewer = this.#known.fingerprintOf(bundleId, address, userAgent)
    if (this.#known.has(viewer)) return
    if (this.#salt === null && this.#unsalted.size >= MAX_UNSALTED) return
    const identity = `${bundleId}\n${address}\n${userAgent.name}`
    const digest = this.#salt === null ? null : digestOf(this.#salt, identity)
    const draw = digest === null ? NO_DRAW : Number.parseInt(digest.slice(DRAW_FROM, DRAW_FROM + DRAW_DIGITS), 16)
    const standsFor = this.#quota.take(bundleId, network(address), draw)
    // Viewers who are left out are not remembered: a client could make as many as it likes, and forget all others.
    if (standsFor === 0) return
    this.#known.add(viewer)
    if (digest === null) this.#unsalted.add(identity)
    else this.#add(bundleId, digest, standsFor)
  }

  /** Number of new viewers since the last `take`. */
  get waiting(): number {
    return this.#new.length
  }

  /** Returns the new viewers since the last call. */
  take(): readonly ViewerHash[] {
    const taken = this.#new
    if (taken.length > 0) this.#new = []
    return taken
  }

  /** Forgets known viewers, because some of those taken were dropped and must be counted when they return. */
  forget(): void {
    this.#known.clear()
    this.#quota.clear()
  }

  #add(bundleId: number, digest: string, standsFor: number): void {
    if (this.#new.length >= MAX_WAITING) return
    this.#new.push({ bundleId, hash: digest.slice(0, HASH_DIGITS), standsFor })
  }
}

function digestOf(salt: string, identity: string): string {
  return hash('sha256', `${salt}\n${identity}`, 'hex')
}
