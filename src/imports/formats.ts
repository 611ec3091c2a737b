import { emptyGroup, type FoundGroup } from '../bundles/found.ts'
import { Problem } from '../core/problem.ts'
import { readBookmarks } from './bookmarks.ts'
import { bundlesIn, inBundles } from './bundles-json.ts'
import { readCsv } from './csv.ts'
import { linksIn, linksOrText } from './line-links.ts'
import { titleOf, withoutSpeaker } from './line-titles.ts'
import { readTabManager } from './tab-managers.ts'
import { dataIn, jsonIn, readTree } from './tree.ts'

/** What a text may be recognised as, in words. */
export const FORMATS = {
  bookmarks: 'bookmarks',
  csv: 'CSV',
  markdown: 'Markdown',
  onetab: 'a OneTab export',
  toby: 'a Toby export',
  workona: 'a Workona export',
  'session-buddy': 'a Session Buddy export',
  'tab-session-manager': 'a Tab Session Manager export',
  list: 'a list',
  json: 'JSON',
  data: 'data of another program',
} as const

/** The format that a text was recognised as. */
export type ImportFormat = keyof typeof FORMATS

/** Recognises a text's format and reads it; of several possible formats, the one that carries the most information. */
export function recognise(sent: string): { format: ImportFormat; found: FoundGroup[] } {
  const text = sent.replace(/^\uFEFF/, '')
  // `<https://a.example>` is a URL in a list, not a tag.
  if (/^\s*<(?:[!?]|[a-z][a-z0-9]*[\s>/])/i.test(text)) return { format: 'bookmarks', found: readBookmarks(text) }
  const [, shortcut] = SHORTCUT.exec(text) ?? []
  if (shortcut !== undefined) return { format: 'list', found: readLines([shortcut], () => null) }
  const data = dataIn(text)
  const bundles = bundlesIn(data)
  if (bundles.length > 0) return { format: 'json', found: inBundles(bundles) }
  const sessions = readTabManager(data)
  if (sessions !== null) return sessions
  if (data !== undefined) return { format: 'data', found: readTree(data) }
  const lines = text.split(/\r\n|\r|\n/)
  if (lines.some((line) => HEADING.test(line))) return { format: 'markdown', found: readLines(lines, underHeadings) }
  const filled = lines.filter((line) => line.trim() !== '')
  if (filled.some((line) => line.includes(' | ')) && filled.every((line) => ONETAB.test(line))) {
    return { format: 'onetab', found: readOneTab(lines) }
  }
  const table = readCsv(text)
  if (table !== null) return { format: 'csv', found: table }
  return { format: 'list', found: readLines(lines, () => null) }
}

/** A link that Windows keeps as a file, with the address of its icon. */
const SHORTCUT = /^\s*\[InternetShortcut\][^[]*?[\r\n]URL=(\S+)/i

const HEADING = /^\s{0,3}#{1,6}\s+\S/
/** A line of OneTab's export; empty lines separate its groups. */
const ONETAB = /^\s*([a-z][a-z0-9+.-]*:\S+)(?:\s+\|\s(.*))?$/i

/** The address that a suspended tab leads back to. */
const SUSPENDED = /^[a-z-]*extension:\S*[#&?](?:uri|url)=(https?:\/\/\S+)$/i

const underHeadings = (line: string) => (HEADING.test(line) ? line.replace(/^[\s#]+/, '').trim() : null)

/** A tab on each line; what stands in its title is no link, however it is written. */
function readOneTab(lines: readonly string[]): FoundGroup[] {
  let here = emptyGroup('')
  const found = [here]
  for (const [index, line] of lines.entries()) {
    const [, address, title = ''] = ONETAB.exec(line) ?? []
    if (address === undefined) found.push((here = emptyGroup('')))
    else {
      const url = SUSPENDED.exec(address)?.[1] ?? address
      here.links.push({ line: index + 1, url, text: line.trim(), note: title.trim() })
    }
  }
  return found
}

/** The line below the header of a Markdown table. */
const RULE = /^[|:\-\s]+$/
const isRule = (line: string) => line.includes('|') && line.includes('--') && RULE.test(line)

/** @param titleOf the title of the group that a line begins, or null if the line begins none. */
function readLines(lines: readonly string[], titleOf: (line: string) => string | null): FoundGroup[] {
  let here = emptyGroup('')
  const found = [here]
  for (const [index, text] of lines.entries()) {
    const title = titleOf(text)
    if (title !== null) found.push((here = emptyGroup(title)))
    if (title !== null || text.trim() === '' || isRule(text)) continue
    const links = linksIn(text)
    // A table's header is not a skipped line.
    if (links.length === 0 && text.includes('|') && isRule(lines[index + 1] ?? '')) continue
    if (links.length === 0 && found.length === 1 && here.title === '' && here.links.length === 0) {
      here.title = introductionOf(text)
      if (here.title !== '') continue
    }
    // Trimmed once per line, which may hold many links.
    const trimmed = text.trim()
    for (const { url, note } of links.length > 0 ? links : linksOrText(text)) {
      here.links.push({ line: index + 1, url, text: trimmed, note })
    }
  }
  return found
}

/** Longer lines are not taken for an introduction. */
const MAX_INTRODUCTION = 200

/** The title in a line that introduces a list, such as `Reading for Monday:`; `''` if it introduces nothing. */
function introductionOf(line: string): string {
  const text = line.trim()
  if (text.length > MAX_INTRODUCTION) return ''
  const bare = text.replace(/^[*_]+|[*_]+$/g, '')
  return /[:：]$/.test(bare) ? titleOfList(bare.slice(0, -1).trim()) : ''
}

/** What exports in JSON have, by which one that is cut off can be told from another text. */
const EXPORTED = /"(?:urlMetadata|cards|folders|windows|Workspaces)"\s*:/

/**
 * Refuses JSON that was exported and is cut off or damaged: read as a list, it would become links with scraps of JSON.
 * @throws Problem BAD_REQUEST.
 */
export function refuseDamaged(text: string): void {
  if (!/^\s*(?:\[\s*)?\{/.test(text) || jsonIn(text) !== undefined || !EXPORTED.test(text)) return
  throw new Problem('BAD_REQUEST', 'This looks like an export in JSON, but it is cut off or damaged. Export it again.')
}

const WRITTEN = /\b(?:wrote|schrieb|a écrit|escribió)\s*[:：]?$/i

/** What a line such as `Hi all, reading for Monday:` says that the list below it is; `''` for `On … she wrote`. */
function titleOfList(line: string): string {
  return WRITTEN.test(line) ? '' : titleOf(withoutSpeaker(line), 'before')
}
