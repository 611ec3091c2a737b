import type { Buffer } from 'node:buffer'
import { LRUCache } from 'lru-cache'
import type { Config } from '../config/config.ts'
import { DAY_MS } from '../core/time.ts'
import { Drawing, type Drawn } from '../icons/drawing.ts'
import { type Get, get } from '../outgoing/request.ts'
import { NotSent } from '../outgoing/target.ts'
import { NoTurn } from '../outgoing/turns.ts'
import { getPage, type Page, pageOf, userAgent } from './page.ts'
import type { IconLink } from './page-head.ts'

/** Of everything that is received: a larger file is no icon. */
const MAX_BYTES = 256 * 1024

const MAX_COSTLY = 10_000

type Site = Pick<Config, 'origin' | 'outgoingPrivateNetworks'>
/** How a site is asked, and for which account its icon is drawn. */
type How = Pick<Get, 'account' | 'timeoutMs' | 'turn'> & { whose: string }
/** What was found of a site: null if there is no icon that can be drawn; undefined if it did not answer. */
export type FoundIcon = Drawn | null | undefined | 'no turn' | 'costly'

/** Asks a site for its icon, and draws it anew. */
export class IconSearch {
  readonly #drawing = new Drawing()
  /** The sites whose icon has taken too long, linked to or not. */
  readonly #costly = new LRUCache<string, true>({ max: MAX_COSTLY, ttl: DAY_MS })

  constructor(readonly site: Site) {}

  /** Ends the process that draws. */
  stop(): void {
    this.#drawing.stop()
  }

  /**
   * @param given the site’s first page; null to get it.
   * @returns `costly` if drawing it has taken too long: then it is not drawn again for a day.
   */
  async find(origin: string, given: Page | null, how: How): Promise<FoundIcon> {
    if (this.#costly.has(origin)) return 'costly'
    let isSilent = false
    try {
      const page = given ?? (await pageOf(await getPage(`${origin}/`, this.site, how)))
      for (const address of addressesOf(page, origin)) {
        const drawn = await this.#drawn(address, how)
        if (drawn === 'costly') this.#costly.set(origin, true)
        if (drawn) return drawn
        if (drawn === undefined) isSilent = true
      }
    } catch (error) {
      if (error instanceof NoTurn) return 'no turn'
      if (!(error instanceof NotSent)) throw error
      return undefined
    }
    return isSilent ? undefined : null
  }

  async #drawn(address: string, how: How): Promise<Drawn | null | undefined | 'costly'> {
    try {
      const bytes = await getIcon(address, this.site, how)
      return bytes === null ? null : await this.#drawing.draw(bytes, how.whose)
    } catch (error) {
      if (error instanceof NotSent) return undefined
      throw error
    }
  }
}

/**
 * The bytes of an icon at an address that a page names; null if there is no such file.
 * @throws NotSent if there was no answer, or too much of it; NoTurn if none was to be had.
 */
async function getIcon(
  address: string,
  { origin, outgoingPrivateNetworks: privateNetworks }: Site,
  { account, timeoutMs, turn }: How,
): Promise<Buffer | null> {
  const { status, headers, body } = await get(
    address,
    {
      headers: { 'user-agent': userAgent(origin), accept: 'image/*, */*;q=0.1' },
      account,
      timeoutMs,
      turn,
      maxBytes: MAX_BYTES,
      mayLeaveTls: true,
      // Pages of errors come with any status; what it really is, its bytes say.
      wants: ({ status, headers }) => status === 200 && !/^text\/html/i.test(headers['content-type'] ?? ''),
    },
    { privateNetworks },
  )
  return status === 200 && (headers['content-encoding'] ?? 'identity') === 'identity' && body.length > 0 ? body : null
}

/** Where a site’s icon may be. A page of another site, to which its first page led, says nothing of it. */
function addressesOf(page: Page | null, origin: string): string[] {
  if (page === null || bare(page.url.hostname) !== bare(new URL(origin).hostname))
    return iconAddresses([], origin, origin)
  const base = URL.canParse(page.base, page.url) ? new URL(page.base, page.url).href : page.url.href
  return iconAddresses(page.icons, base, origin)
}

const bare = (host: string) => host.replace(/^www\./, '')

/** Of a page’s icons, so many are asked for until one can be drawn, before `/favicon.ico` is. */
const TRIED = 2

/**
 * Where to ask for a site’s icon, best first.
 * @param base what the page’s links are relative to.
 */
function iconAddresses(icons: readonly IconLink[], base: string, origin: string): string[] {
  const named = icons.toSorted((one, other) => other.rank - one.rank).map(({ href }) => absolute(href, base))
  const own = named.filter((address) => address !== null).slice(0, TRIED)
  return [...new Set([...own, `${origin}/favicon.ico`])]
}

function absolute(href: string, base: string): string | null {
  return URL.canParse(href, base) ? new URL(href, base).href : null
}
