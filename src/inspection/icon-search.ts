import type { Buffer } from 'node:buffer'
import { LRUCache } from 'lru-cache'
import type { Config } from '../config/config.ts'
import { DAY_MS } from '../core/time.ts'
import { Drawing, type Drawn } from '../icons/drawing.ts'
import { type Get, get } from '../outgoing/request.ts'
import { NotSent } from '../outgoing/target.ts'
import { NoTurn } from '../outgoing/turns.ts'
import { getPage, type IconLink, type Page, pageOf, userAgent } from './page.ts'

/** The most bytes received: a larger file is no icon. */
const MAX_BYTES = 256 * 1024

const MAX_COSTLY = 10_000

type Site = Pick<Config, 'origin' | 'outgoingPrivateNetworks'>
/** How a site is requested, and for which account its icon is drawn. */
type How = Pick<Get, 'account' | 'timeoutMs' | 'turn'> & { whose: string }
/** The result for a site: null if there is no icon that can be drawn; undefined if it did not answer. */
export type FoundIcon = Drawn | null | undefined | 'no turn' | 'costly' | 'not drawn'

/** Gets a site’s icon, and redraws it. */
export class IconSearch {
  readonly #drawing = new Drawing('icon')
  /** The sites whose icon has taken too long to draw, whether linked to or not. */
  readonly #costly = new LRUCache<string, true>({ max: MAX_COSTLY, ttl: DAY_MS })

  constructor(readonly site: Site) {}

  /** Ends the process that draws. */
  stop(): void {
    this.#drawing.stop()
  }

  /**
   * Finds the icon of a site.
   * @param given the site’s first page; null to request it.
   * @returns `costly` if drawing it has taken too long: then it is not tried again for a day.
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

  async #drawn(address: string, how: How): Promise<FoundIcon> {
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
 * @throws NotSent if there was no answer or it was too long; NoTurn if no turn was available.
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
      // Error pages come with any status; the bytes show what it really is.
      wants: ({ status, headers }) => status === 200 && !/^text\/html/i.test(headers['content-type'] ?? ''),
    },
    { privateNetworks },
  )
  return status === 200 && (headers['content-encoding'] ?? 'identity') === 'identity' && body.length > 0 ? body : null
}

/** The addresses where a site’s icon may be. A page on another site, to which its first page led, does not count. */
function addressesOf(page: Page | null, origin: string): string[] {
  if (page === null || bare(page.url.hostname) !== bare(new URL(origin).hostname))
    return iconAddresses([], origin, origin)
  const base = URL.canParse(page.base, page.url) ? new URL(page.base, page.url).href : page.url.href
  return iconAddresses(page.icons, base, origin)
}

const bare = (host: string) => host.replace(/^www\./, '')

/** How many of a page’s icons are tried before `/favicon.ico`. */
const TRIED = 2

/**
 * The addresses to try for a site’s icon, best first.
 * @param base the base URL of the page’s links.
 */
function iconAddresses(icons: readonly IconLink[], base: string, origin: string): string[] {
  const named = icons.toSorted((one, other) => other.rank - one.rank).map(({ href }) => absolute(href, base))
  const own = named.filter((address) => address !== null).slice(0, TRIED)
  return [...new Set([...own, `${origin}/favicon.ico`])]
}

function absolute(href: string, base: string): string | null {
  return URL.canParse(href, base) ? new URL(href, base).href : null
}
