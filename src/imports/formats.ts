import { type Found, named } from '../bundles/found.ts'
import { readBookmarks } from './bookmarks.ts'
import { readCsv } from './csv.ts'
import { readLine } from './paste.ts'

/** What a text was taken for. */
export type ImportFormat = 'bookmarks' | 'csv' | 'markdown' | 'onetab' | 'list'

/** Reads a text as what it looks like; of several formats that it might be, as the one that says most. */
export function recognise(sent: string): { format: ImportFormat; found: Found[] } {
  const text = sent.replace(/^\uFEFF/, '')
  // `<https://a.example>` is a URL in a list, and no tag.
  if (/^\s*<(?:!|[a-z][a-z0-9]*[\s>/])/i.test(text)) return { format: 'bookmarks', found: readBookmarks(text) }
  const lines = text.split(/\r\n|\r|\n/)
  if (lines.some((line) => HEADING.test(line))) return { format: 'markdown', found: readLines(lines, underHeadings) }
  const filled = lines.filter((line) => line.trim() !== '')
  if (filled.some((line) => line.includes(' | ')) && filled.every((line) => ONETAB.test(line))) {
    return { format: 'onetab', found: readLines(lines, betweenBlanks) }
  }
  const table = readCsv(text)
  if (table !== null) return { format: 'csv', found: table }
  return { format: 'list', found: readLines(lines, () => null) }
}

const HEADING = /^\s{0,3}#{1,6}\s+\S/
/** A line of OneTab's export; its groups stand between empty lines. */
const ONETAB = /^\s*[a-z][a-z0-9+.-]*:\S+(?:\s+\|\s.*)?$/i

const underHeadings = (line: string) => (HEADING.test(line) ? line.replace(/^[\s#]+/, '').trim() : null)
const betweenBlanks = (line: string) => (line.trim() === '' ? '' : null)

/** @param begins the title of what begins with a line, or null for a line that goes on. */
function readLines(lines: readonly string[], begins: (line: string) => string | null): Found[] {
  let here = named('')
  const found = [here]
  for (const [index, text] of lines.entries()) {
    const title = begins(text)
    if (title !== null) found.push((here = named(title)))
    if (title !== null || text.trim() === '') continue
    // Trimmed once: a line of many links is told of with each.
    const shown = text.trim()
    for (const { url, note } of readLine(text)) here.links.push({ line: index + 1, url, text: shown, note, tags: [] })
  }
  return found
}
