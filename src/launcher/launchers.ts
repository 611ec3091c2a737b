import { gt, max } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import type { Rule } from '../../db/policy.ts'
import { bundleChanges } from '../../db/schema.ts'
import type { BlockedHosts } from '../abuse/hosts.ts'
import { Problem } from '../core/problem.ts'
import type { LauncherPolicy } from '../policies/launcher-policy.ts'
import { Counter } from './counter.ts'
import { type Kept, KeptBySlug } from './kept.ts'
import { find, type ServedBundle } from './served.ts'

/** What an entry costs beside its pages: objects, its key and its place. */
const ENTRY_BYTES = 512
/** What a compiled policy may remember of its viewers. */
const POLICY_BYTES = 24 * 1024
/** What a condition costs once it is read and compiled; its text says little of it. */
const CONDITION_BYTES = 400
/** How often other processes' edits are looked for; an edit must show within a second (decisions 5). */
const POLL_MS = 500

/** How a page's bytes are encoded for the wire. */
export type Encoding = 'br' | 'gzip' | 'identity'

type Page = Uint8Array<ArrayBuffer>

/**
 * What one rule makes of a bundle, or no rule: its counts, and its finished pages by encoding, whole bodies. All in one
 * object: thousands are kept, and a view at random finds none of them in the processor's caches.
 */
class Variant extends Counter implements Record<Encoding, Page | undefined> {
  br: Page | undefined = undefined
  gzip: Page | undefined = undefined
  identity: Page | undefined = undefined
}

/** What is kept of a bundle that has been viewed, as it was at one version, and in it what no rule makes of it. */
export class Launcher extends Variant implements Kept {
  /** Null: everybody sees the bundle's own tabs. */
  readonly policy: LauncherPolicy | null
  wasAsked = false
  at = -1
  weight = 0
  readonly slug: string
  /** The organisation that owns it, or null. */
  readonly organizationId: string | null
  /** What pages are made from. Let go once a page is made that everybody is shown: it would take thrice the page's room. */
  bundle: ServedBundle | null
  /** By rule id, made as they are asked for. */
  byRule: Map<string, Variant> | null = null

  constructor(bundle: ServedBundle, policy: LauncherPolicy | null) {
    super(bundle.id, '')
    this.policy = policy
    this.slug = bundle.slug
    this.organizationId = bundle.organizationId
    this.bundle = bundle
    this.weight = bytes(this)
  }
}

/**
 * The launchers that were asked for lately, finished, so that a view neither reads nor renders. An edit in
 * this process drops its launcher at once, an edit in another within a second.
 */
export class Launchers {
  readonly #kept: KeptBySlug<Launcher>
  /** How many were read because they were not kept. */
  loads = 0
  /** Rises with every drop: what was read before a drop must not be kept after it. */
  #drops = 0
  #seen: number
  readonly #timer: ReturnType<typeof setInterval>

  private constructor(
    readonly store: Store,
    readonly log: Logger,
    readonly blockedHosts: Pick<BlockedHosts, 'isIn'>,
    maxBytes: number,
    seen: number,
  ) {
    this.#kept = new KeptBySlug(maxBytes)
    this.#seen = seen
    let polling = false
    this.#timer = setInterval(async () => {
      if (polling) return
      polling = true
      await this.#poll().catch((error) => log.warn({ err: error }, 'edits of other processes could not be read'))
      polling = false
    }, POLL_MS)
  }

  /** @param maxBytes what may be kept. */
  static async start(
    store: Store,
    log: Logger,
    blockedHosts: Pick<BlockedHosts, 'isIn'>,
    maxBytes: number,
  ): Promise<Launchers> {
    const [row] = await store.db.select({ last: max(bundleChanges.seq) }).from(bundleChanges)
    return new Launchers(store, log, blockedHosts, maxBytes, row?.last ?? 0)
  }

  /** The launcher if it is kept; looks nothing up. The slug is what stands in `text` between `from` and `to`. */
  peek(text: string, from = 0, to = text.length): Launcher | undefined {
    return this.#kept.get(text, from, to)
  }

  /**
   * Reads the bundle, compiles its policy, and keeps both.
   * @returns null where no bundle is served under the slug.
   * @throws Problem BLOCKED where the operator has taken the bundle down, or a host that it leads to is blocked.
   */
  async load(slug: string): Promise<Launcher | null> {
    const drops = this.#drops
    this.loads += 1
    const bundle = await find(this.store.db, slug)
    if (bundle === null) return null
    // Here and not at each view: what is kept is dropped when a block changes.
    if (bundle.blockedAt !== null || this.blockedHosts.isIn(bundle)) throw takenDown()
    const policy = await policyOf(bundle)
    const isFresh = drops === this.#drops
    const loadedMeanwhile = isFresh ? this.#kept.get(slug) : undefined
    if (loadedMeanwhile !== undefined) return loadedMeanwhile
    const launcher = new Launcher(bundle, policy)
    if (isFresh) this.#kept.set(launcher)
    return launcher
  }

  /** What a rule, or with null no rule, makes of a launcher's bundle. */
  variant(launcher: Launcher, rule: Pick<Rule, 'id'> | null): Variant {
    if (rule === null) return launcher
    launcher.byRule ??= new Map()
    let variant = launcher.byRule.get(rule.id)
    if (variant === undefined) launcher.byRule.set(rule.id, (variant = new Variant(launcher.bundleId, rule.id)))
    return variant
  }

  /** Adds a finished page to a launcher. */
  keep(launcher: Launcher, variant: Variant, encoding: Encoding, page: Page): void {
    variant[encoding] = page
    if (launcher.policy === null) launcher.bundle = null
    this.#kept.weigh(launcher, bytes(launcher))
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

  /** Forgets every launcher: what changed concerns more bundles than are worth naming. */
  clear(): void {
    this.#drops += 1
    this.#kept.clear()
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
    if (missed) this.clear()
    this.#drops += 1
    for (const { slug } of changes) this.#kept.delete(slug)
    this.#seen = last.seq
  }
}

async function policyOf({ resolutionPolicy }: ServedBundle): Promise<LauncherPolicy | null> {
  if (resolutionPolicy === null) return null
  const { launcherPolicy } = await import('../policies/launcher-policy.ts')
  return launcherPolicy(resolutionPolicy)
}

function takenDown(): Problem {
  return new Problem('BLOCKED', 'This bundle is not shown here: whoever runs this service has taken it down.')
}

function weightOf(bundle: ServedBundle): number {
  const text = JSON.stringify(bundle)
  // Within what people write the quotes are escaped.
  const conditions = text.split('"op":').length - 1
  const remembered = bundle.resolutionPolicy === null ? 0 : POLICY_BYTES
  return 2 * text.length + conditions * CONDITION_BYTES + remembered
}

function bytes(launcher: Launcher): number {
  const { bundle, byRule } = launcher
  let sum = ENTRY_BYTES + (bundle === null ? 0 : weightOf(bundle)) + pageBytes(launcher)
  if (byRule !== null) for (const variant of byRule.values()) sum += pageBytes(variant)
  return sum
}

function pageBytes({ br, gzip, identity }: Variant): number {
  return (br?.byteLength ?? 0) + (gzip?.byteLength ?? 0) + (identity?.byteLength ?? 0)
}
