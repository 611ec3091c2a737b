import { isGentlyStroked } from './stroked-svg.ts'

/** Larger ones are no icons, and styles cost as much as rules times elements. */
const MAX_BYTES = 64 * 1024
/** Characters that are drawn at most, with all repetitions: a second or two of work. */
const MAX_DRAWN = 512 * 1024
/** What a character of an outline costs more than one of an area. */
const OUTLINE_COST = 32

/** An element begins here, whatever prefix its namespace has, in letters of any language. */
const ELEMENT = '<(?:[^\\s<>/:]+:)?'

/**
 * What can take time or memory without bounds: elements that draw others again and again, pictures within, dashes, entities, and
 * ways to write a name that hide it.
 */
const REFUSED = new RegExp(
  `${ELEMENT}(?:image|filter|fe[A-Z]\\w*|pattern|marker|foreignObject)\\b|dasharray|<!ENTITY|<!DOCTYPE[^>[<]*\\[|&#|\\\\`,
  'i',
)

/** The text of an SVG that is drawn in bounded time and memory; null for other files, and for pictures that may not be. */
export function harmlessSvg(bytes: Uint8Array): string | null {
  if (bytes.byteLength > MAX_BYTES) return null
  const text = new TextDecoder().decode(bytes)
  if (!/^\s*(?:<\?xml|<!--|<!DOCTYPE|<(?:[\w.-]+:)?svg\b)/i.test(text) || REFUSED.test(text)) return null
  // With a style, one reference is that of all elements.
  if (/url\s*\(|@import/i.test(stylesOf(text))) return null
  const isStroked = hasStroke(text)
  if (isStroked && !isGentlyStroked(text)) return null
  return text.length * repetitionsIn(text) * (isStroked ? OUTLINE_COST : 1) > MAX_DRAWN ? null : text
}

/** From the first style to the last end of one: what looks like an end between them may be none. */
function stylesOf(text: string): string {
  const begin = text.search(STYLE)
  return begin === -1 ? '' : text.slice(begin, text.lastIndexOf('</'))
}

const STYLE = new RegExp(`${ELEMENT}style\\b`, 'i')

/** How often an element is drawn at worst: three references draw what three others draw, and so on. */
function repetitionsIn(text: string): number {
  const references = text.match(REPEATING)?.length ?? 0
  return 3 ** (references / 3)
}

/** Draws another element, or what it is seen through. Colours are gradients. */
const REPEATING = new RegExp(`${ELEMENT}use\\b|(?<!\\b(?:fill|stroke)\\s?[=:]\\s?["']?)\\burl\\s*\\(`, 'gi')

/** Whether anything has an outline. */
function hasStroke(text: string): boolean {
  return /stroke/i.test(text.replace(/stroke(?:-[\w-]+|\s?[=:]\s?["']?none\b)/gi, ''))
}
