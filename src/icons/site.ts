import type { TONES } from '../../db/icon-schema.ts'
import { everyLink, type Linking } from '../core/links.ts'
import { routes } from '../core/routes.ts'

/** The icon of a site, as shown. */
export interface SiteIcon {
  /** Identifies its bytes. */
  id: string
  /** Its tone, if it is hard to see on a background of the same tone; null if it is visible on any. */
  tone: (typeof TONES)[number] | null
}

/** The known icons, by origin. */
export type SiteIcons = Readonly<Record<string, SiteIcon>>

/** The maximum width and height of icons in pixels. */
export const ICON_PIXELS = 64

/** The path at which the service serves an icon. */
export function iconPath({ id }: Pick<SiteIcon, 'id'>): string {
  return routes.icon.href({ icon: `${id}.png` })
}

/** The site of a link, as people say it: `example.com`; `''` for none. */
export function siteNameOf(url: string): string {
  return siteIn(url)?.host.replace(/^www\./, '') ?? ''
}

/** The origin of the site that a link leads to, such as `https://example.com`; null for links that lead to none. */
export function siteOf(url: string): string | null {
  const site = siteIn(url)
  if (site === null) return null
  const { origin, protocol } = site
  return protocol === 'https:' || protocol === 'http:' ? origin : null
}

/** The distinct sites of a bundle’s links, rules included, up to the number that can have an icon in one bundle. */
export function sitesOfBundle(bundle: Linking): string[] {
  const links = everyLink(bundle).slice(0, MAX_LINKS)
  const sites = new Set(links.map(({ url }) => siteOf(url)).filter((site) => site !== null))
  return [...sites].slice(0, MAX_SITES)
}

/** How many links of a bundle are examined: rules may have any number. */
const MAX_LINKS = 200
const MAX_SITES = 100

/** The icon of a link’s site, if known. */
export function iconOf(url: string, icons: SiteIcons): SiteIcon | undefined {
  const site = siteOf(url)
  return site !== null && Object.hasOwn(icons, site) ? icons[site] : undefined
}

const SITE = /^https?:\/\/[^/?#\\]+/i

/** The URL of a link up to its host; null without one. The rest is not parsed: it may be long, and a page may have many links. */
export function siteIn(url: string): URL | null {
  const [site] = SITE.exec(url) ?? [url]
  return URL.canParse(site) ? new URL(site) : null
}
