import { type Found, named } from '../bundles/found.ts'
import { readBookmarks } from './bookmarks.ts'
import { readCsv } from './csv.ts'
import { readJson } from './json.ts'
import { linksIn, linksOrText } from './paste.ts'

/** What a text was taken for. */
export type ImportFormat = 'bookmarks' | 'csv' | 'markdown' | 'onetab' | 'list' | 'json'

/** Reads a text as what it looks like; of several formats that it might be, as the one that says most. */
export function recognise(sent: string): { format: ImportFormat; found: Found[] } {
  const text = sent.replace(/^\uFEFF/, '')
  // `<https://a.example>` is a URL in a list, and no tag.
  if (/^\s*<(?:!|[a-z][a-z0-9]*[\s>/])/i.test(text)) return { format: 'bookmarks', found: readBookmarks(text) }
  const bundles = readJson(text)
  if (bundles !== null) return { format: 'json', found: bundles }
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

/** The line under the names of a Markdown table's columns. */
const RULE = /^[|:\-\s]+$/
const isRule = (line: string) => line.includes('|') && line.includes('--') && RULE.test(line)

/** @param begins the title of what begins with a line, or null for a line that goes on. */
function readLines(lines: readonly string[], begins: (line: string) => string | null): Found[] {
  let here = named('')
  const found = [here]
  for (const [index, text] of lines.entries()) {
    const title = begins(text)
    if (title !== null) found.push((here = named(title)))
    if (title !== null || text.trim() === '' || isRule(text)) continue
    const links = linksIn(text)
    // The names of a table's columns are no lines that were left out.
    if (links.length === 0 && text.includes('|') && isRule(lines[index + 1] ?? '')) continue
    if (links.length === 0 && found.length === 1 && here.title === '' && here.links.length === 0) {
      here.title = introduced(text)
      if (here.title !== '') continue
    }
    // Trimmed once: a line of many links is told of with each.
    const shown = text.trim()
    for (const { url, note } of links.length > 0 ? links : linksOrText(text)) {
      here.links.push({ line: index + 1, url, text: shown, note, tags: [] })
    }
  }
  return found
}

/** The longest line that announces what follows it. */
const MAX_INTRODUCTION = 200

/** What a line announces that stands before all links, `Reading for Monday:`; `''` where it announces nothing. */
function introduced(line: string): string {
  const said = line.trim()
  if (said.length > MAX_INTRODUCTION) return ''
  const bare = said.replace(/^[*_]+|[*_]+$/g, '')
  return /[:：]$/.test(bare) ? bare.slice(0, -1).trim() : ''
}
