import { ICON_PIXELS } from '../icons/site.ts'

/** An icon that a page names. */
export interface IconLink {
  /** As the page has it. */
  href: string
  /** How well it suits: the best has the most. */
  rank: number
}

/** Of a page’s icons, so many are asked for until one can be drawn, before `/favicon.ico` is. */
const TRIED = 2

/** The icon that an element `link` names; null if it names none. @param attributes as they are, by name in lower case. */
export function iconLink(attributes: Partial<Record<string, string>>): IconLink | null {
  const { href = '', rel = '', sizes = '', type = '', media = '' } = attributes
  const names = rel.toLowerCase().split(/\s+/)
  const isTouchIcon = names.some((name) => name.startsWith('apple-touch-icon'))
  if (href.trim() === '' || !(names.includes('icon') || isTouchIcon)) return null
  const isScalable = /svg/i.test(type) || /\.svg(?:$|\?)/i.test(href) || /\bany\b/i.test(sizes)
  const pixels = Math.max(0, ...Array.from(sizes.matchAll(/(\d{1,4})x\d/gi), ([, width]) => Number(width)))
  // One for a dark ground would be lost on a light one.
  const isForDark = /dark/i.test(media)
  return { href: href.trim(), rank: (isForDark ? -2 : 0) + rankOf(isScalable, pixels || (isTouchIcon ? 180 : 16)) }
}

/** Between 0 and 1: scalable first, then the smallest that need not be enlarged, then the largest. */
function rankOf(isScalable: boolean, pixels: number): number {
  if (isScalable) return 1
  return pixels >= ICON_PIXELS ? 0.5 + ICON_PIXELS / pixels / 4 : pixels / ICON_PIXELS / 2
}

/**
 * Where to ask for a site’s icon, best first.
 * @param base what the page’s links are relative to.
 */
export function iconAddresses(icons: readonly IconLink[], base: string, origin: string): string[] {
  const named = icons.toSorted((one, other) => other.rank - one.rank).map(({ href }) => absolute(href, base))
  const own = named.filter((address) => address !== null).slice(0, TRIED)
  return [...new Set([...own, `${origin}/favicon.ico`])]
}

function absolute(href: string, base: string): string | null {
  return URL.canParse(href, base) ? new URL(href, base).href : null
}
