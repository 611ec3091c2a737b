import { hash, randomInt, randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { network } from '../limits/rate-limits.ts'
import { MAX_WAITING, type ViewerHash } from './batches.ts'
import type { UserAgent } from './breakdowns.ts'

/** Viewers of a bundle counted individually per network and day. After them, every second one is counted, then every fourth, … */
export const EXACT_VIEWERS = 512
/** A share of one in 2^24, for which a network would need billions of viewers. */
const MAX_HALVINGS = 24
/** Maximum pairs of bundle and network that are counted. */
const MAX_PAIRS = 8_192

/**
 * Samples today's viewers per bundle and network, so that a client that changes its User-Agent with every request cannot fill the
 * store, while the viewers of an office are still counted. After every `EXACT_VIEWERS` sampled viewers, the sampled share halves,
 * and each further viewer counts for twice as many. A viewer's hash decides, so every process samples the same ones, and a viewer
 * who was left out once stays left out.
 */
export class ViewerQuota {
  /** Numbers of sampled viewers, by a hash of bundle and network. */
  readonly #counts = new Map<string, number>()
  /** Keys the hashes, so that no address can be guessed from one. */
  #secret = randomUUID()

  /**
   * Samples a viewer, or leaves them out.
   * @param draw 32 bits of the viewer's hash.
   * @returns the number of viewers for whom this one counts; 0 if they are left out.
   */
  take(bundleId: number, network: string, draw: number): number {
    const pair = hash('sha256', `${this.#secret}\n${bundleId}\n${network}`, 'base64')
    const count = this.#counts.get(pair) ?? 0
    const halvings = Math.floor(count / EXACT_VIEWERS)
    const share = 2 ** halvings
    if (halvings > MAX_HALVINGS || draw % share !== 0) return 0
    if (count === 0 && this.#counts.size >= MAX_PAIRS) this.#makeRoom()
    this.#counts.set(pair, count + 1)
    return share
  }

  clear(): void {
    this.#counts.clear()
    this.#secret = randomUUID()
  }

  /** Forgets the pairs whose viewers are still counted individually, so that many networks cannot reset a full one. */
  #makeRoom(): void {
    for (const [pair, count] of this.#counts) if (count < EXACT_VIEWERS) this.#counts.delete(pair)
    if (this.#counts.size > MAX_PAIRS / 2) this.#counts.clear()
  }
}

/**
 * Half of the SHA-256 is stored, 128 bits, which halves the rows: among a million viewers of a bundle, two collide once in 10^26
 * days.
 */
const HASH_DIGITS = 32

/** The first of the SHA-256's bits that sample a network's viewers: not the stored ones, which order rows. */
const DRAW_FROM = HASH_DIGITS
const DRAW_DIGITS = 8
/** The draw of a viewer whose hash is not known yet: sampled while all viewers of their network are. */
const NO_DRAW = 1

/** Maximum viewers held while the day's salt cannot be read. */
const MAX_UNSALTED = 20_000
/** Maximum viewers remembered; beyond it, the earliest one is hashed and written again when they return. */
const MAX_KNOWN = 65_536

/**
 * Today's distinct viewers. The store only has half of SHA-256(day's salt, bundle, address, User-Agent) of each
 * (docs/privacy.md). Viewers who come before the salt has been read are held in memory.
 */
export class Viewers {
  /** Null until read. */
  #salt: string | null = null
  /** Never written; discarded at the end of the day. */
  readonly #unsalted = new Set<string>()
  /** Fingerprints of viewers who need no further hash or write. */
  readonly #known = new LRUCache<number, true>({ max: MAX_KNOWN })
  /** Key of the fingerprints. */
  #secret = randomInt(2 ** 32)
  /** Samples the viewers of one network if there are many. */
  readonly #quota = new ViewerQuota()
  #new: ViewerHash[] = []

  /** Starts a day and forgets the previous one. */
  begin(salt: string | null): void {
    this.forget()
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
  see(bundleId: number, address: string, { name, hash }: Pick<UserAgent, 'name' | 'hash'>): void {
    const viewer = fingerprint(this.#secret, bundleId, address, hash)
    // Not `get`, which would also move the entry: that costs as much as finding it.
    if (this.#known.has(viewer)) return
    if (this.#salt === null && this.#unsalted.size >= MAX_UNSALTED) return
    const identity = `${bundleId}\n${address}\n${name}`
    const digest = this.#salt === null ? null : digestOf(this.#salt, identity)
    const draw = digest === null ? NO_DRAW : Number.parseInt(digest.slice(DRAW_FROM, DRAW_FROM + DRAW_DIGITS), 16)
    const standsFor = this.#quota.take(bundleId, network(address), draw)
    // Viewers who are left out are not remembered: a client could create any number of them and displace all others.
    if (standsFor === 0) return
    this.#known.set(viewer, true)
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

  /** Forgets known viewers, because some of the taken ones were dropped and must be counted when they return. */
  forget(): void {
    this.#known.clear()
    this.#secret = randomInt(2 ** 32)
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

/** Odd, so that multiplication modulo 2^32 is invertible, and with well-spread bits. */
const FACTOR_A = 0x9e3779b1
const FACTOR_B = 0x85ebca6b
const FACTOR_C = 0xc2b2ae35

/**
 * A 48-bit keyed hash of a viewer and bundle. Not SHA-256, nor a hash of one combined text, which would cost a sixth of a view
 * (MEASURED.md); a number, because an object per view would be garbage. The random secret prevents chosen collisions, and
 * fingerprints never leave the process.
 * @param secret 32 random bits.
 * @param userAgent its hash of 64 bits, as two halves.
 */
export function fingerprint(
  secret: number,
  bundleId: number,
  address: string,
  userAgent: readonly [number, number],
): number {
  let one = Math.imul(secret ^ userAgent[0], FACTOR_A) ^ bundleId
  let other = Math.imul(secret ^ userAgent[1], FACTOR_B) ^ (bundleId / 2 ** 32)
  for (let at = 0; at < address.length; at += 1) {
    const unit = address.charCodeAt(at)
    one = Math.imul(one ^ unit, FACTOR_B)
    other = Math.imul(other ^ unit, FACTOR_C)
  }
  one = mix32(one ^ (other >>> 15))
  other = mix32(other ^ one)
  return (one >>> 0) * 2 ** 16 + (other & 0xffff)
}

/** Avalanche step: each input bit affects every output bit. */
function mix32(number: number): number {
  let bits = Math.imul(number ^ (number >>> 16), FACTOR_A)
  bits = Math.imul(bits ^ (bits >>> 13), FACTOR_B)
  return bits ^ (bits >>> 16)
}
