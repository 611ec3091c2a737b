import { hash, randomUUID } from 'node:crypto'

/** Viewers of a bundle that are counted one by one per network and day; then one in two of as many codes, one in four, and so on. */
export const EXACT_VIEWERS = 512
/** One in 2^24, of which a network would need billions. */
const MAX_HALVINGS = 24
/** Maximum pairs of bundle and network that are counted. */
const MAX_PAIRS = 8_192

/**
 * Samples today's viewers per bundle and network, so that a client that changes its User-Agent with every request cannot
 * fill the store, while the viewers of an office are still counted. Of what it takes, every `EXACT_VIEWERS` halve the share
 * of further viewers that it takes, each of whom stands for twice as many. A viewer's hash decides, so every process takes
 * the same ones, and whoever was left out once is left out for good.
 */
export class ViewerQuota {
  /** Viewers taken, by a hash of bundle and network. */
  readonly #counts = new Map<string, number>()
  /** So that nobody can tell an address from its hash. */
  #secret = randomUUID()

  /**
   * Takes a viewer, or leaves them out.
   * @param draw 32 bits of the viewer's hash.
   * @returns how many viewers this one stands for; 0 if they are left out.
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

  /** Resets all counts. */
  clear(): void {
    this.#counts.clear()
    this.#secret = randomUUID()
  }

  /** Forgets the pairs whose viewers are still counted one by one, so that many networks do not reset a full one. */
  #makeRoom(): void {
    for (const [pair, count] of this.#counts) if (count < EXACT_VIEWERS) this.#counts.delete(pair)
    if (this.#counts.size > MAX_PAIRS / 2) this.#counts.clear()
  }
}
