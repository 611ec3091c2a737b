import { eq, gt, max } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import type { Rule } from '../../db/policy.ts'
import { bundleChanges, bundles } from '../../db/schema.ts'
import type { BlockedHosts } from '../abuse/hosts.ts'
import { Problem } from '../core/problem.ts'
import { type Loop, repeat } from '../core/scheduling.ts'
import { type LauncherPolicy, launcherPolicy } from '../policies/evaluate.ts'
import { type Encoding, Launcher, linksIn, Variant } from './cached.ts'
import { find, type ServedBundle } from './served.ts'

/** Estimated overhead per entry besides its pages. */
const ENTRY_BYTES = 512

/** Estimated size of a compiled policy's own caches. */
const POLICY_BYTES = 24 * 1024

/** Estimated size of a compiled condition, which its text does not predict. */
const CONDITION_BYTES = 400

/** Estimated size of an entry of `links` besides its URL. */
const LINK_BYTES = 128

declare module '../core/service.ts' {
  interface Service {
    launchers: Launchers
  }
}

/** Changes read at once. */
const AT_ONCE = 1_000

/** Polling interval for other processes' edits, which must show within a second. */
const POLL_MS = 500

/**
 * Cache of rendered launchers, so that most views neither read the store nor render. An edit drops its launcher, at once
 * in this process and within a second in others.
 */
export class Launchers {
  readonly #cache: LRUCache<string, Launcher>
  /** Cache misses. */
  loads = 0
  /** The number of drops: a bundle read before a drop must not be cached after it. */
  #drops = 0
  #lastSeq: number
  readonly #polling: Loop
  #changed: (slug: string) => void = () => {}

  private constructor(
    readonly store: Store,
    readonly log: Logger,
    readonly blockedHosts: Pick<BlockedHosts, 'isIn'>,
    maxBytes: number,
    lastSeq: number,
    readonly showsIcons: boolean,
  ) {
    this.#cache = new LRUCache({ maxSize: maxBytes, sizeCalculation: bytesOf })
    this.#lastSeq = lastSeq
    this.#polling = repeat(POLL_MS, () => this.#poll(), log, 'could not poll for edits of other processes')
  }

  /**
   * @param maxBytes maximum size of the cache.
   * @param showsIcons whether launchers show the icons of their sites.
   */
  static async start(
    store: Store,
    log: Logger,
    blockedHosts: Pick<BlockedHosts, 'isIn'>,
    maxBytes: number,
    showsIcons = false,
  ): Promise<Launchers> {
    const [row] = await store.db.select({ last: max(bundleChanges.seq) }).from(bundleChanges)
    return new Launchers(store, log, blockedHosts, maxBytes, row?.last ?? 0, showsIcons)
  }

  /** @param changed learns of each bundle that was made or changed, by its slug: at once in this process, and within a second. */
  watch(changed: (slug: string) => void): void {
    this.#changed = changed
  }

  /** The number of changes known so far: pages of several bundles are kept until it changes. */
  get changes(): number {
    return this.#drops
  }

  /** The launcher if it is cached. */
  peek(slug: string): Launcher | undefined {
    return this.#cache.get(slug)
  }

  /**
   * Reads a bundle, compiles its policy, and caches both.
   * @returns null if there is no bundle with the slug.
   * @throws Problem BLOCKED if the operator has blocked the bundle, or a host that it links to.
   */
  async load(slug: string): Promise<Launcher | null> {
    const drops = this.#drops
    this.loads += 1
    const bundle = await find(this.store.db, slug, this.showsIcons)
    if (bundle === null) return null
    // Not checked per view: a change of the blocks drops cached launchers.
    if (bundle.blockedAt !== null || this.blockedHosts.isIn(bundle)) throw takenDown()
    const policy = policyOf(bundle)
    const isFresh = drops === this.#drops
    const loadedMeanwhile = isFresh ? this.#cache.get(slug) : undefined
    if (loadedMeanwhile !== undefined) return loadedMeanwhile
    const launcher = new Launcher(bundle, policy)
    if (isFresh) this.#cache.set(launcher.slug, launcher)
    return launcher
  }

  /**
   * For pages besides the launcher that show a bundle's content.
   * @throws Problem BLOCKED like `load`.
   */
  async refuseTakenDown(slug: string): Promise<void> {
    if (this.peek(slug) === undefined) await this.load(slug)
  }

  /** The variant of a launcher for a rule; null means none. */
  variant(launcher: Launcher, rule: Pick<Rule, 'id'> | null): Variant {
    return rule === null ? launcher : this.#variantAt(launcher, rule.id, rule.id)
  }

  /** The pages of a variant for viewers without a session, if the rules ask for an account. Views count for the variant itself. */
  signedOut(launcher: Launcher, { ruleId }: Variant): Variant {
    return this.#variantAt(launcher, `-${ruleId}`, ruleId)
  }

  #variantAt(launcher: Launcher, key: string, ruleId: string): Variant {
    launcher.byRule ??= new Map()
    let variant = launcher.byRule.get(key)
    if (variant === undefined) launcher.byRule.set(key, (variant = new Variant(launcher.bundleId, ruleId)))
    return variant
  }

  /** Caches a rendered page. */
  addPage(launcher: Launcher, variant: Variant, page: Partial<Pick<Variant, Encoding | 'template' | 'blank'>>): void {
    Object.assign(variant, page)
    // With variables, the page for a refused value is rendered each time.
    if (launcher.policy === null && launcher.variables === null) launcher.bundle = null
    this.#weigh(launcher)
  }

  /** The feed of a variant: made when first read, then kept with its pages. */
  async feed(launcher: Launcher, variant: Variant, make: () => Promise<string>): Promise<string> {
    variant.feed ??= make()
    if (typeof variant.feed === 'string') return variant.feed
    try {
      variant.feed = await variant.feed
      this.#weigh(launcher)
      return variant.feed
    } catch (error) {
      variant.feed = undefined
      throw error
    }
  }

  /** Updates the size of a launcher: setting the existing value again would not do that. */
  #weigh(launcher: Launcher): void {
    if (this.#cache.peek(launcher.slug) !== launcher) return
    this.#cache.delete(launcher.slug)
    this.#cache.set(launcher.slug, launcher)
  }

  /** The links of a launcher, by URL; none if it was edited or deleted meanwhile. */
  async linksOf(launcher: Launcher): Promise<ReadonlyMap<string, string>> {
    if (launcher.links === null) {
      const bundle = await this.bundleOf(launcher)
      if (bundle === null) return new Map()
      launcher.links = linksIn(bundle)
      this.#weigh(launcher)
    }
    return launcher.links
  }

  /**
   * A launcher's bundle, read again if it was released. Null if it was edited or deleted meanwhile, which may have closed
   * its gate: then the launcher is dropped, and must be loaded again.
   */
  async bundleOf({ slug, versionNumber, bundle }: Launcher): Promise<ServedBundle | null> {
    if (bundle !== null) return bundle
    const found = await find(this.store.db, slug, this.showsIcons)
    if (found?.versionNumber === versionNumber) return found
    this.drop(slug)
    return null
  }

  /** Drops the launcher of a changed bundle. */
  drop(slug: string): void {
    this.#drops += 1
    this.#cache.delete(slug)
    this.#changed(slug)
  }

  /** Drops every launcher, after a change that may affect many. */
  clear(): void {
    this.#drops += 1
    this.#cache.clear()
  }

  stop(): Promise<void> {
    return this.#polling.stop()
  }

  async #poll(): Promise<void> {
    const { db } = this.store
    const { seq, slug } = bundleChanges
    const changes = await db
      .select({ seq, slug, current: bundles.slug })
      .from(bundleChanges)
      .leftJoin(bundles, eq(bundles.id, bundleChanges.bundleId))
      .where(gt(seq, this.#lastSeq))
      .orderBy(seq)
      .limit(AT_ONCE)
    const last = changes.at(-1)
    if (last === undefined) return
    // A gap means that changes were swept before this process read them.
    const missed = last.seq - this.#lastSeq > changes.length
    if (missed) this.clear()
    const slugs = changes.flatMap((change) => change.slug ?? [])
    if (slugs.length > 0) this.#drops += 1
    for (const each of slugs) this.#cache.delete(each)
    for (const { current } of changes) if (current !== null) this.#changed(current)
    this.#lastSeq = last.seq
    if (changes.length === AT_ONCE) this.#polling.runWithin(0)
  }
}

function policyOf(bundle: ServedBundle): LauncherPolicy | null {
  const { resolutionPolicy } = bundle
  return resolutionPolicy === null ? null : launcherPolicy(resolutionPolicy, bundle)
}

function takenDown(): Problem {
  return new Problem('BLOCKED', 'The operator of this service has taken this bundle down.')
}

function weightOf(bundle: ServedBundle): number {
  const text = JSON.stringify(bundle)
  // Quotes in users' texts are escaped, so this matches only structure.
  const conditions = text.split('"op":').length - 1
  const remembered = bundle.resolutionPolicy === null ? 0 : POLICY_BYTES
  return 2 * text.length + conditions * CONDITION_BYTES + remembered
}

/** Its approximate size in memory. */
function bytesOf(launcher: Launcher): number {
  const { bundle, byRule, gate, links } = launcher
  const noteBytes = 2 * (gate?.times?.closedNote?.length ?? 0)
  const sourceBytes = bundle === null ? 0 : weightOf(bundle)
  let sum = ENTRY_BYTES + noteBytes + sourceBytes + pageBytes(launcher)
  if (byRule !== null) for (const variant of byRule.values()) sum += pageBytes(variant)
  if (links !== null) for (const url of links.keys()) sum += LINK_BYTES + 2 * url.length
  return sum
}

function pageBytes({ br, gzip, identity, template, blank, feed }: Variant): number {
  const feedBytes = typeof feed === 'string' ? 2 * feed.length : 0
  return feedBytes + [br, gzip, identity, template, blank].reduce((sum, page) => sum + (page?.byteLength ?? 0), 0)
}
