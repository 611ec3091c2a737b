import { HUES } from '../../src/core/hues.ts'
import { siteIn } from '../../src/icons/site.ts'

// The colours of sites and names in tile.css. The extension uses this too.

/** The first letter of a link's site, and the class of the site's constant hue. */
export function tileOf(url: string): { letter: string; hue: string } {
  const host = siteIn(url)?.hostname.replace(/^www\./, '') ?? ''
  return { letter: ([...host][0] ?? '').toUpperCase(), hue: hueOf(host) }
}

/** The class of a name's constant hue. */
function hueOf(name: string): string {
  let sum = 0
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521
  return `hue-${sum % HUES.length}`
}

/** The first letter of a name, and the class of the name's constant hue. */
export function signOf(name: string): { letter: string; hue: string } {
  return { letter: (/[^\p{C}\p{Z}]/u.exec(name)?.[0] ?? '?').toUpperCase(), hue: hueOf(name) }
}
