import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import type { Config } from '../config/config.ts'
import { type Loop, repeat, withTimeout } from '../core/scheduling.ts'
import { keepIcon, keptSite } from '../icons/kept.ts'
import { type SiteIcon, siteOf } from '../icons/site.ts'
import { CLOCK, type Places, takeTurn } from '../outgoing/turns.ts'
import { type DueSite, takeDueSites, tellLaunchers } from './due-sites.ts'
import type { FoundIcon, IconSearch } from './icon-search.ts'
import { recordSites } from './linked-sites.ts'
import type { Page } from './page.ts'

declare module '../core/service.ts' {
  interface Service {
    siteIcons: Pick<SiteIconFinder, 'find'>
  }
}

/** Delay after a commit until the sites of its bundles are recorded, together with others. */
const DELAY_MS = 250
/** How often the store is polled without a commit: sites become due, and another process may have stopped. */
const LOOK_EVERY_MS = 60_000
/** The pause between batches, so that writes need not wait for more than one. */
const PAUSE_MS = 20
/** The limit for each request for an icon. */
const TIMEOUT_MS = 4_000
/** How many sites a process looks at at once in the background, in total and for one owner. */
const AT_ONCE = 16
const AT_ONCE_EACH = 8

type Site = Pick<Config, 'origin' | 'outgoingPrivateNetworks' | 'icons'>

/**
 * Finds the icons of sites that owners link to, in the background and again each month, and of sites that are inspected. Every
 * process does so for all bundles, and leases the sites that it looks at.
 */
export class SiteIconFinder {
  #search: Promise<IconSearch> | undefined
  /** Running searches, by origin. */
  readonly #underWay = new Map<string, Promise<SiteIcon | null | undefined>>()
  /** The number of searches in the background, by the owner whose bundle links to the site. */
  readonly #takenBy = new Map<number | null, number>()
  readonly #writing = new Set<Promise<unknown>>()
  #loop: Loop | undefined
  #isStopping = false

  constructor(
    readonly store: Store,
    readonly site: Site,
    readonly log: Logger,
  ) {}

  /** Starts the loop. Sites are recorded even if icons are off: they are known once icons are on, and the feed is not held up. */
  start(): void {
    const run = async () => {
      const hasRecorded = await recordSites(this.store)
      const takenBy = this.#takenBy
      const places = this.site.icons ? AT_ONCE : 0
      const free = places - takenBy.values().reduce((sum, taken) => sum + taken, 0)
      if (free > 0 && !this.#isStopping) {
        const due = await takeDueSites(this.store, { free, each: AT_ONCE_EACH, takenBy }, Date.now())
        for (const site of due) void this.#refresh(site)
      }
      if (hasRecorded) this.#loop?.runWithin(PAUSE_MS)
    }
    this.#loop = repeat(LOOK_EVERY_MS, run, this.log, 'icons of sites could not be looked for; trying again')
    this.#loop.runWithin(0)
  }

  /** Must be called after each commit. */
  wake(): void {
    this.#loop?.runWithin(DELAY_MS)
  }

  /** Stops; sites that have not answered yet are looked at another time. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#loop?.stop()
    if (this.#search !== undefined) (await this.#search).stop()
    await Promise.allSettled(this.#writing)
  }

  /**
   * The icon of the site that a link leads to: the stored one, or if that is missing or due, the one found now.
   * @param page the link’s page; null if there is none: then only a stored icon is returned.
   */
  async find(url: string, page: Page | null, { account, endsAt, silence }: Waiting): Promise<SiteIcon | null> {
    const origin = siteOf(url)
    if (!this.site.icons || origin === null) return null
    const kept = await keptSite(this.store, origin)
    if (page === null || (kept !== null && kept.dueAt > Date.now())) return kept?.icon ?? null
    const looking = this.#look(origin, { page: isFirstPage(url) ? page : null, account, whose: account })
    const found = await withTimeout(endsAt - performance.now(), looking)
    if (found === undefined) await silence()
    return found ?? kept?.icon ?? null
  }

  async #refresh({ origin, ownerId }: DueSite): Promise<void> {
    this.#takenBy.set(ownerId, (this.#takenBy.get(ownerId) ?? 0) + 1)
    try {
      await this.#look(origin, { page: null, account: null, whose: `owner ${ownerId}` })
    } catch (error) {
      if (!this.#isStopping) this.log.warn({ err: error }, 'the icon of a site could not be kept')
    } finally {
      const left = (this.#takenBy.get(ownerId) ?? 1) - 1
      if (left === 0) this.#takenBy.delete(ownerId)
      else this.#takenBy.set(ownerId, left)
      this.#loop?.runWithin(PAUSE_MS)
    }
  }

  /** Looks for an icon, at most once at a time for each site. */
  #look(origin: string, looking: Looking): Promise<SiteIcon | null | undefined> {
    const underWay = this.#underWay.get(origin)
    if (underWay !== undefined) return underWay
    const found = this.#lookAndKeep(origin, looking).finally(() => this.#underWay.delete(origin))
    this.#underWay.set(origin, found)
    return found
  }

  async #lookAndKeep(origin: string, { page, account, whose }: Looking): Promise<SiteIcon | null | undefined> {
    // A person waits for this search; without one, it takes turns with all other requests in the background.
    const turn = account === null ? { turn: (places: Places) => takeTurn(this.store, places, CLOCK) } : {}
    this.#search ??= import('./icon-search.ts').then(({ IconSearch }) => new IconSearch(this.site))
    const found = await (await this.#search).find(origin, page, { account, whose, timeoutMs: TIMEOUT_MS, ...turn })
    if (this.#isStopping || found === 'no turn') return undefined
    if (found === 'not drawn') this.log.warn({ origin }, 'an icon could not be drawn: its process does not start')
    const keeping = this.#keep(origin, found)
    this.#writing.add(keeping)
    // Null once too many icons are stored.
    return await keeping.finally(() => this.#writing.delete(keeping))
  }

  async #keep(origin: string, found: Exclude<FoundIcon, 'no turn'>): Promise<SiteIcon | null | undefined> {
    const before = (await keptSite(this.store, origin))?.icon?.id
    await keepIcon(this.store, origin, found, Date.now())
    const kept = (await keptSite(this.store, origin))?.icon ?? null
    if (before !== kept?.id) await tellLaunchers(this.store, origin, () => this.#isStopping)
    return found === 'costly' ? null : found === 'not drawn' ? undefined : found && kept
  }
}

/** The parameters of a search. */
interface Looking {
  /** The site’s first page; null to request it. */
  page: Page | null
  /** The account that waits for it; null if nobody does. */
  account: string | null
  /** The account for which its icon is drawn. */
  whose: string
}

/** A caller who waits for an icon. */
export interface Waiting {
  /** The caller, as the id of a person or a client address. */
  account: string
  /** When to stop waiting, on the clock of `performance.now`. An icon found later is stored for the next time. */
  endsAt: number
  /** Waits as long as an unanswered request would. */
  silence(): Promise<void>
}

/** Whether a link is to a site’s first page. Other pages may belong to many people, none of whom may choose the icon of all. */
function isFirstPage(url: string): boolean {
  const { pathname, search } = new URL(url)
  return pathname === '/' && search === ''
}
