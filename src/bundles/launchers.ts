import { gt, max } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import type { Rule } from '../../db/policy.ts'
import { bundleChanges } from '../../db/schema.ts'
import { type Counter, newCounter } from '../insights/recorder.ts'
import { type CompiledPolicy, compile } from '../policies/evaluate.ts'
import { find, type ServedBundle } from './served.ts'

/** Pages are kept up to this many bytes; the one unused for longest goes first. */
const MAX_BYTES = 32 * 1024 * 1024
/** What an entry costs beside its pages: objects, keys and the list that orders them. */
const ENTRY_BYTES = 512
/** What a compiled policy may remember of its viewers. */
const POLICY_BYTES = 24 * 1024
/** What a condition costs once it is read and compiled; its text says little of it. */
const CONDITION_BYTES = 400
/** How often other processes' edits are looked for; an edit must show within a second (decisions 5). */
const POLL_MS = 500

/** How a page's bytes are encoded for the wire. */
export type Encoding = 'br' | 'gzip' | 'identity'

/** What one rule makes of a bundle, or no rule: where its views are counted, and its finished pages. */
interface Variant {
  readonly counter: Counter
  /** Whole bodies, by encoding. */
  readonly pages: Partial<Record<Encoding, Uint8Array<ArrayBuffer>>>
}

/** What is kept of a bundle that has been viewed, as it was at one version. */
export interface Launcher {
  readonly id: number
  readonly slug: string
  /** The organisation that owns it, or null. */
  readonly organizationId: string | null
  /** What pages are made from. Let go once a page is made that everybody is shown: it would take thrice the page's room. */
  bundle: ServedBundle | null
  /** Null: everybody sees the bundle's own tabs. */
  readonly policy: CompiledPolicy | null
  /** By rule id; `''` where no rule matched. */
  readonly variants: Map<string, Variant>
  /** Roughly what `bundle` and `policy` take. */
  weight: number
}

/**
 * The launchers that were asked for lately, finished, so that a view neither reads nor renders. An edit in
 * this process drops its launcher at once, an edit in another within a second.
 */
export class Launchers {
  readonly #kept = new LRUCache<string, Launcher>({ maxSize: MAX_BYTES, sizeCalculation: bytes })
  /** Rises with every drop: what was read before a drop must not be kept after it. */
  #drops = 0
  #seen: number
  readonly #timer: ReturnType<typeof setInterval>

  private constructor(
    readonly store: Store,
    readonly log: Logger,
    seen: number,
  ) {
    this.#seen = seen
    let polling = false
    this.#timer = setInterval(async () => {
      if (polling) return
      polling = true
      await this.#poll().catch((error) => log.warn({ err: error }, 'edits of other processes could not be read'))
      polling = false
    }, POLL_MS)
  }

  static async start(store: Store, log: Logger): Promise<Launchers> {
    const [row] = await store.db.select({ last: max(bundleChanges.seq) }).from(bundleChanges)
    return new Launchers(store, log, row?.last ?? 0)
  }

  /** The launcher if it is kept; looks nothing up. */
  peek(slug: string): Launcher | undefined {
    return this.#kept.get(slug)
  }

  /**
   * Reads the bundle, compiles its policy, and keeps both.
   * @returns null where no bundle is served under the slug.
   */
  async load(slug: string): Promise<Launcher | null> {
    const drops = this.#drops
    const bundle = await find(this.store.db, slug)
    if (bundle === null) return null
    const isFresh = drops === this.#drops
    const loadedMeanwhile = isFresh ? this.#kept.get(slug) : undefined
    if (loadedMeanwhile !== undefined) return loadedMeanwhile
    const { id, organizationId } = bundle
    const launcher: Launcher = {
      id,
      slug,
      organizationId,
      bundle,
      policy: bundle.resolutionPolicy === null ? null : compile(bundle.resolutionPolicy),
      variants: new Map(),
      weight: weightOf(bundle),
    }
    if (isFresh) this.#kept.set(slug, launcher)
    return launcher
  }

  /** What a rule, or with null no rule, makes of a launcher's bundle. */
  variant({ id, variants }: Launcher, rule: Pick<Rule, 'id'> | null): Variant {
    const ruleId = rule?.id ?? ''
    let variant = variants.get(ruleId)
    if (variant === undefined) variants.set(ruleId, (variant = { counter: newCounter(id, ruleId), pages: {} }))
    return variant
  }

  /** Adds a finished page to a launcher. */
  keep(launcher: Launcher, { pages }: Variant, encoding: Encoding, page: Uint8Array<ArrayBuffer>): void {
    pages[encoding] = page
    const { slug, policy } = launcher
    if (policy === null) Object.assign(launcher, { bundle: null, weight: 0 })
    if (this.#kept.peek(slug) !== launcher) return
    // The cache weighs a value only when it is new to it.
    this.#kept.delete(slug)
    this.#kept.set(slug, launcher)
  }

  /** A launcher's bundle, read again where it was let go; null where it is gone meanwhile. */
  async bundleOf({ slug, bundle }: Launcher): Promise<ServedBundle | null> {
    return bundle ?? (await find(this.store.db, slug))
  }

  /** Forgets a launcher whose bundle has been changed. */
  drop(slug: string): void {
    this.#drops += 1
    this.#kept.delete(slug)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #poll(): Promise<void> {
    const { db } = this.store
    const changes = await db
      .select()
      .from(bundleChanges)
      .where(gt(bundleChanges.seq, this.#seen))
      .orderBy(bundleChanges.seq)
    const last = changes.at(-1)
    if (last === undefined) return
    // A gap means that changes were swept while this process was stopped: which, nobody knows.
    const missed = changes[0]?.seq !== this.#seen + 1
    if (missed) this.#kept.clear()
    this.#drops += 1
    for (const { slug } of changes) this.#kept.delete(slug)
    this.#seen = last.seq
  }
}

function weightOf(bundle: ServedBundle): number {
  const text = JSON.stringify(bundle)
  // Within what people write the quotes are escaped.
  const conditions = text.split('"op":').length - 1
  const remembered = bundle.resolutionPolicy === null ? 0 : POLICY_BYTES
  return 2 * text.length + conditions * CONDITION_BYTES + remembered
}

function bytes({ variants, weight }: Launcher): number {
  let sum = ENTRY_BYTES + weight
  for (const { pages } of variants.values()) {
    for (const page of Object.values(pages)) sum += page.byteLength
  }
  return sum
}
