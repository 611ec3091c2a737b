/** Larger ones are no icons, and styles cost as much as rules times elements. */
const MAX_BYTES = 64 * 1024
/** Each may show as much as the ones before it together. */
const MAX_REFERENCES = 32

/**
 * What can take time or memory without bounds: elements that draw others again and again, pictures within, entities, and
 * ways to write a name that hide it.
 */
const REFUSED =
  /<(?:[\w.-]+:)?(?:image|feImage|filter|fe[A-Z]\w*|pattern|marker|foreignObject)\b|<!ENTITY|<!DOCTYPE[^>]*\[|&#|\\/i

/** The text of an SVG that is drawn in bounded time and memory; null for other files, and for pictures that may not be. */
export function harmlessSvg(bytes: Uint8Array): string | null {
  if (bytes.byteLength > MAX_BYTES) return null
  const text = new TextDecoder().decode(bytes)
  if (!/^\s*(?:<\?xml|<!--|<!DOCTYPE|<(?:[\w.-]+:)?svg\b)/i.test(text) || REFUSED.test(text)) return null
  // With a style, one reference is that of all elements.
  const styles = text.match(/<style.*?<\/style/gis)?.join('') ?? ''
  const references = text.match(/\bhref\b|\burl\s*\(/gi)?.length ?? 0
  return references > MAX_REFERENCES || /url\s*\(|@import/i.test(styles) ? null : text
}
