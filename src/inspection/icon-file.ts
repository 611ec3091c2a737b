import type { Buffer } from 'node:buffer'
import type { Config } from '../config/config.ts'
import { type Get, get } from '../outgoing/request.ts'
import { type Page, userAgent } from './page.ts'
import type { IconLink } from './page-head.ts'

/** Of everything that is received: a larger file is no icon. */
const MAX_BYTES = 256 * 1024

/**
 * The bytes of an icon at an address that a page names; null if there is no such file.
 * @throws NotSent if there was no answer, or too much of it; NoTurn if none was to be had.
 */
export async function getIcon(
  address: string,
  { origin, outgoingPrivateNetworks: privateNetworks }: Pick<Config, 'origin' | 'outgoingPrivateNetworks'>,
  how: Pick<Get, 'timeoutMs' | 'turn'>,
): Promise<Buffer | null> {
  const { status, headers, body } = await get(
    address,
    {
      headers: { 'user-agent': userAgent(origin), accept: 'image/*, */*;q=0.1' },
      ...how,
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
export function addressesOf(page: Page | null, origin: string): string[] {
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
