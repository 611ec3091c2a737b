import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import type { Config } from '../config/config.ts'
import { every, type Loop } from '../core/every.ts'
import { within } from '../core/within.ts'
import { keepIcon, keptSite } from '../icons/kept.ts'
import { type SiteIcon, siteOf } from '../icons/site.ts'
import { CLOCK, takeTurn } from '../outgoing/shared-turns.ts'
import type { Places } from '../outgoing/turns.ts'
import { type DueSite, takeDueSites, tellLaunchers } from './due-sites.ts'
import type { FoundIcon, IconSearch } from './icon-search.ts'
import { recordSites } from './linked-sites.ts'
import type { Page } from './page.ts'

declare module '../core/service.ts' {
  interface Service {
    siteIcons: Pick<SiteIconFinder, 'find'>
  }
}

/** How long after a commit the sites of its bundles are recorded, with all others of that time. */
const DELAY_MS = 250
/** How often the store is looked at without a commit: sites become due, and another process may have stopped. */
const LOOK_EVERY_MS = 60_000
/** Pause between batches, so that writes need not wait for more than one. */
const PAUSE_MS = 20
/** For each request that an icon takes. */
const TIMEOUT_MS = 4_000
/** Sites that a process looks at at once in the background, and of one owner. */
const AT_ONCE = 16
const AT_ONCE_EACH = 8

type Site = Pick<Config, 'origin' | 'outgoingPrivateNetworks' | 'icons'>

/**
 * Finds the icons of sites that owners link to, in the background, and again each month; and of those that somebody has
 * looked at. Any process does so for the bundles of all: each leases the sites that it looks at.
 */
export class SiteIconFinder {
  #search: Promise<IconSearch> | undefined
  /** By origin, those that are being looked for. */
  readonly #underWay = new Map<string, Promise<SiteIcon | null | undefined>>()
  /** How many are looked for in the background, by the owner whose bundle links to the site. */
  readonly #takenBy = new Map<number | null, number>()
  readonly #writing = new Set<Promise<unknown>>()
  #loop: Loop | undefined
  #isStopping = false

  constructor(
    readonly store: Store,
    readonly site: Site,
    readonly log: Logger,
  ) {}

  start(): void {
    if (!this.site.icons) return
    const run = async () => {
      const hasRecorded = await recordSites(this.store)
      const takenBy = this.#takenBy
      const free = AT_ONCE - takenBy.values().reduce((sum, taken) => sum + taken, 0)
      if (free > 0 && !this.#isStopping) {
        const due = await takeDueSites(this.store, { free, each: AT_ONCE_EACH, takenBy }, Date.now())
        for (const site of due) void this.#refresh(site)
      }
      if (hasRecorded) this.#loop?.runWithin(PAUSE_MS)
    }
    this.#loop = every(LOOK_EVERY_MS, run, this.log, 'icons of sites could not be looked for; trying on')
    this.#loop.runWithin(0)
  }

  /** To be called after each commit. */
  wake(): void {
    this.#loop?.runWithin(DELAY_MS)
  }

  /** Leaves what has not answered to another time. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#loop?.stop()
    if (this.#search !== undefined) (await this.#search).stop()
    await Promise.allSettled(this.#writing)
  }

  /**
   * The icon of the site that a link leads to: as it is kept, else as the site’s first page says.
   * @param page null if there is none: then only a kept icon is known.
   */
  async find(url: string, page: Page | null, { account, endsAt, silence }: Waiting): Promise<SiteIcon | null> {
    const origin = siteOf(url)
    if (!this.site.icons || origin === null) return null
    const kept = await keptSite(this.store, origin)
    if (page === null || (kept !== null && kept.dueAt > Date.now())) return kept?.icon ?? null
    const looking = this.#look(origin, { page: isFirstPage(url) ? page : null, account, whose: account })
    const found = await within(endsAt - performance.now(), looking)
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

  /** Looks for an icon, once at a time for each site. */
  #look(origin: string, looking: Looking): Promise<SiteIcon | null | undefined> {
    const underWay = this.#underWay.get(origin)
    if (underWay !== undefined) return underWay
    const found = this.#lookAndKeep(origin, looking).finally(() => this.#underWay.delete(origin))
    this.#underWay.set(origin, found)
    return found
  }

  async #lookAndKeep(origin: string, { page, account, whose }: Looking): Promise<SiteIcon | null | undefined> {
    // A person waits for what they have opened; the others take turns with all that is asked for in the background.
    const turn = account === null ? { turn: (places: Places) => takeTurn(this.store, places, CLOCK) } : {}
    this.#search ??= import('./icon-search.ts').then(({ IconSearch }) => new IconSearch(this.site))
    const found = await (await this.#search).find(origin, page, { account, whose, timeoutMs: TIMEOUT_MS, ...turn })
    if (this.#isStopping || found === 'no turn') return undefined
    const keeping = this.#keep(origin, found)
    this.#writing.add(keeping)
    // Once too many are kept, it is none.
    return await keeping.finally(() => this.#writing.delete(keeping))
  }

  async #keep(origin: string, found: Exclude<FoundIcon, 'no turn'>): Promise<SiteIcon | null | undefined> {
    const before = (await keptSite(this.store, origin))?.icon?.id
    await keepIcon(this.store, origin, found, Date.now())
    const kept = (await keptSite(this.store, origin))?.icon ?? null
    if (before !== kept?.id) await tellLaunchers(this.store, origin, () => this.#isStopping)
    return found === 'costly' ? null : found && kept
  }
}

/** What a look begins with: the site’s first page, or null to get it. */
interface Looking {
  page: Page | null
  /** Who waits for it; null if nobody does. */
  account: string | null
  /** For whom its icon is drawn. */
  whose: string
}

/** Somebody who waits for an icon. */
export interface Waiting {
  /** Whose requests these are, by the id of a person, or a client address. */
  account: string
  /** When to wait no longer, of `performance.now`. What is found later is kept for the next time. */
  endsAt: number
  /** Waits for as long as what does not answer. */
  silence(): Promise<void>
}

/** Pages of a site may be of many people, of whom none is to choose the icon of all. */
function isFirstPage(url: string): boolean {
  const { pathname, search } = new URL(url)
  return pathname === '/' && search === ''
}
