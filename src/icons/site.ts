import type { TONES } from '../../db/icon-schema.ts'
import { everyLink, type Linking } from '../core/links.ts'
import { siteIn } from '../core/site.js'

/** The icon of a site, as it is shown. */
export interface SiteIcon {
  /** Names its bytes: another icon has another. */
  id: string
  /** What it is too much of for a ground of the same; null if it is seen on any. */
  tone: (typeof TONES)[number] | null
}

/** The icons that are known, by origin. */
export type SiteIcons = Readonly<Record<string, SiteIcon>>

/** Where the service serves icons. */
export const ICONS_PATH = '/icons'

/** Width and height of icons in pixels, at most; one that is no square is smaller in one of them. */
export const ICON_PIXELS = 64

/** The path of an icon on the service. */
export function iconPath({ id }: Pick<SiteIcon, 'id'>): string {
  return `${ICONS_PATH}/${id}.png`
}

/** The site that a link leads to, as its origin, such as `https://example.com`; null for what is no link to a site. */
export function siteOf(url: string): string | null {
  const site = siteIn(url)
  if (site === null) return null
  const { origin, protocol } = site
  return protocol === 'https:' || protocol === 'http:' ? origin : null
}

/** The sites of a bundle’s links, those of its rules too, each once: so many as may have an icon in one bundle. */
export function sitesOfBundle(bundle: Linking): string[] {
  const links = everyLink(bundle).slice(0, MAX_LINKS)
  const sites = new Set(links.map(({ url }) => siteOf(url)).filter((site) => site !== null))
  return [...sites].slice(0, MAX_SITES)
}

/** Rules may have any number of links. */
const MAX_LINKS = 200
const MAX_SITES = 100

/** The icon of a link’s site, if it is known. */
export function iconOf(url: string, icons: SiteIcons): SiteIcon | undefined {
  const site = siteOf(url)
  return site !== null && Object.hasOwn(icons, site) ? icons[site] : undefined
}
