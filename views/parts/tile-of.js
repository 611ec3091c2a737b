// @ts-check
import { siteIn } from '../../src/core/site.js'

// The tile of a site. Also part of the dashboard's script, where an address gets its tile while it is typed.

/** How many there are in tile.css. */
const HUES = 8

/**
 * The letter of a site, and which of the hues is its own.
 * @param {string} url
 * @returns {{ letter: string, hue: string }}
 */
export function tileOf(url) {
  const host = siteIn(url)?.hostname.replace(/^www\./, '') ?? ''
  return { letter: ([...host][0] ?? '').toUpperCase(), hue: hueOf(host) }
}

/**
 * The hue that a name always has.
 * @param {string} name
 * @returns {string}
 */
export function hueOf(name) {
  let sum = 0
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521
  return `hue-${sum % HUES}`
}
