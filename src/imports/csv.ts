import Papa from 'papaparse'
import type { UrlMetadata } from '../../db/schema.ts'
import { each } from '../bundles/content.ts'
import { emptyGroup, type FoundGroup } from '../bundles/found.ts'
import { LINK_NAMES, type LinkName, metadataIn, textsOf, wholeLink } from '../bundles/link-fields.ts'
import { FORMULA } from '../core/text.ts'

const DELIMITERS = [',', '\t', ';']

/** Column names, without case and spaces; the first that exists counts. */
const COLUMNS = {
  // Exports of short links call those `link` or `shortUrl`, and where they lead one of the first six.
  url: [
    ...['longurl', 'destinationurl', 'destination', 'targeturl', 'target', 'originalurl'],
    ...['url', 'link', 'href', 'address', 'uri', 'website'],
  ],
  title: ['title', 'name'],
  folder: ['folder', 'bundle', 'collection', 'list', 'group', 'category'],
  note: ['note', 'notes', 'description', 'comment'],
  tags: ['tags', 'labels', 'keywords'],
  openPolicy: ['openpolicy'],
  section: ['section', 'heading'],
  check: ['check'],
} as const satisfies Record<'url' | 'title' | 'folder' | LinkName, readonly string[]>

type Column = keyof typeof COLUMNS

/** Those that are written, in the order in which spreadsheets have known them. */
const WRITTEN = (Object.keys(COLUMNS) as Column[]).filter((column) => column !== 'title' && column !== 'folder')

interface Row {
  line: number
  cells: string[]
}

/**
 * A bundle’s links as CSV (RFC 4180), escaped against formula injection; `readCsv` removes the escapes. A column for the
 * URL and each field of a link.
 */
export function toCsv({ urls, urlMetadata }: { urls: string[]; urlMetadata: UrlMetadata[] }): string {
  const rows = urls.map((url, index) => {
    const texts = textsOf(wholeLink(url, urlMetadata[index]))
    return WRITTEN.map((column) => texts[column])
  })
  return `${Papa.unparse([WRITTEN, ...rows], { escapeFormulae: FORMULA })}\r\n`
}

/**
 * Reads comma-, semicolon- or tab-separated values, by the column names in the first row or, without those, by finding
 * the column of URLs and the text beside it. Rows of one folder form a group.
 * @returns null if the text is not such a table.
 */
export function readCsv(text: string): FoundGroup[] | null {
  if (!DELIMITERS.some((delimiter) => text.includes(delimiter)) && !isOneColumn(text)) return null
  const rows = readRows(text)
  const [first] = rows
  if (first === undefined) return null
  const header = headerOf(first.cells)
  if (header !== null) return inFolders(rows.slice(1), header)
  const columns = columnsOf(rows)
  return columns === null ? null : inFolders(rows, columns)
}

/**
 * Whether a text without delimiters is a column of URLs with a header; otherwise it is a list and its lines are not
 * split.
 */
function isOneColumn(text: string): boolean {
  const [name = ''] = text
    .trimStart()
    .slice(0, 100)
    .split(/[\r\n]/)
  return headerOf([name]) !== null
}

/** What Excel writes before a table to say what separates its cells. */
const SEPARATOR = /^sep=([,;\t|])\r?\n/i

function readRows(sent: string): Row[] {
  const [stated = '', delimiter = ''] = SEPARATOR.exec(sent) ?? []
  const text = sent.slice(stated.length)
  const rows: Row[] = []
  let line = stated === '' ? 1 : 2
  let at = 0
  Papa.parse<string[]>(text, {
    delimiter,
    delimitersToGuess: DELIMITERS,
    // The empty line at the end would count as a row of one cell when the delimiter is guessed.
    skipEmptyLines: 'greedy',
    step({ data, meta }) {
      if (data.some((cell) => cell.trim() !== ''))
        rows.push({ line, cells: data.map((cell) => unguarded(cell.trim())) })
      for (; at < meta.cursor; at += 1) if (text[at] === '\n') line += 1
    },
  })
  return rows
}

function unguarded(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell
}

function headerOf(cells: readonly string[]): Map<Column, number> | null {
  const names = cells.map((cell) => cell.toLowerCase().replace(/[^a-z]/g, ''))
  const columns = new Map<Column, number>()
  for (const [column, aliases] of Object.entries(COLUMNS) as [Column, readonly string[]][]) {
    const alias = aliases.find((name) => names.includes(name))
    if (alias !== undefined) columns.set(column, names.indexOf(alias))
  }
  return columns.has('url') && !cells.some(isUrl) ? columns : null
}

/** Without a header only an unambiguous text is a table, because commas occur in URLs and prose too. */
function columnsOf(rows: readonly Row[]): Map<Column, number> | null {
  const width = rows[0]?.cells.length ?? 0
  if (width < 2 || rows.some(({ cells }) => cells.length !== width)) return null
  const indices = Array.from({ length: width }, (_, index) => index)
  const [url, ...others] = indices.filter((index) => rows.every(({ cells }) => isUrl(cells[index] ?? '')))
  if (url === undefined || others.length > 0) return null
  // An ampersand as HTML writes it, not a semicolon between cells.
  if (rows.some(({ cells }) => /&(?:amp|#\d{2})$/.test(cells[url] ?? ''))) return null
  const note = indices.find((index) => index !== url && rows.some(({ cells }) => /\s/.test(cells[index] ?? '')))
  const other = url === 0 ? 1 : 0
  // A semicolon occurs in addresses too, but hardly before a word in each of several.
  const isWords = rows.length > 1 && rows.every(({ cells }) => /^\p{L}[^=]*$/u.test(cells[other] ?? ''))
  if (note === undefined && url === 0 && !isWords) return null
  return new Map<Column, number>([
    ['url', url],
    ['note', note ?? other],
  ])
}

function isUrl(cell: string): boolean {
  return /^https?:\/\/\S+$/i.test(cell)
}

function inFolders(rows: readonly Row[], columns: Map<Column, number>): FoundGroup[] {
  const folders = new Map<string, FoundGroup>()
  for (const { line, cells } of rows) {
    const cell = (column: Column) => cells[columns.get(column) ?? -1] ?? ''
    const title = cell('folder')
    const folder = folders.get(title) ?? emptyGroup(title)
    folders.set(title, folder)
    const url = cell('url')
    const note = [...new Set([cell('title'), cell('note')])].filter((text) => text !== '' && text !== url).join('\n')
    folder.links.push({
      line,
      url,
      text: cells.join(', '),
      ...metadataIn({ ...each(LINK_NAMES, cell), tags: cell('tags').replace(/^\[(.*)\]$/s, '$1'), note }),
    })
  }
  return [...folders.values()]
}
