import Papa from 'papaparse'
import type { UrlMetadata } from '../../db/schema.ts'
import { each } from '../bundles/content/content.ts'
import { LINK_NAMES, type LinkName, metadataIn, textsOf, wholeLink } from '../bundles/links/link-fields.ts'
import { emptyGroup, type FoundGroup } from '../bundles/list/found.ts'
import { type CsvReader, FORMULA } from '../core/csv.ts'
import { dropSpeaker, titleIn } from './titles.ts'

const DELIMITERS = [',', '\t', ';']
/** Bars also separate an address from its title in lists, so they mark a table only if it has a header. */
const BAR = '|'

/**
 * Column names, without case, accents and spaces, as used by programs and by people in English, German, French, Spanish,
 * Portuguese and Italian; the first that exists counts.
 */
const COLUMNS = {
  // Exports of short links call the short one `link` or `shortUrl`, and its target by one of the first six names.
  url: [
    ...['longurl', 'destinationurl', 'destination', 'targeturl', 'target', 'originalurl'],
    ...['url', 'link', 'href', 'address', 'uri', 'website', 'webseite', 'weblink'],
    ...['adresse', 'lien', 'direccion', 'enlace', 'endereco', 'ligacao', 'indirizzo', 'links', 'urls'],
  ],
  title: ['title', 'name', 'titel', 'titre', 'nom', 'titulo', 'nombre', 'nome', 'titolo', 'bezeichnung'],
  folder: [
    ...['folder', 'bundle', 'collection', 'list', 'group', 'category'],
    ...['ordner', 'gruppe', 'kategorie', 'dossier', 'groupe', 'categorie', 'carpeta', 'grupo', 'categoria', 'pasta'],
  ],
  note: [
    ...['note', 'notes', 'description', 'comment'],
    ...['notiz', 'beschreibung', 'kommentar', 'commentaire', 'nota', 'descripcion', 'comentario', 'descricao'],
  ],
  tags: ['tags', 'labels', 'keywords', 'schlagworte', 'schlagworter', 'etiquettes', 'etiquetas', 'motscles'],
  openPolicy: ['openpolicy'],
  section: ['section', 'heading'],
  check: ['check'],
} as const satisfies Record<'url' | 'title' | 'folder' | LinkName, readonly string[]>

type Column = keyof typeof COLUMNS

/** The columns that `toCsv` writes, in their order. */
const WRITTEN = (Object.keys(COLUMNS) as Column[]).filter((column) => column !== 'title' && column !== 'folder')

interface Row {
  line: number
  cells: string[]
}

/** A bundle’s links as CSV (RFC 4180), with columns for the URL and each field of a link. `readCsv` can read it. */
export function toCsv(
  { urls, urlMetadata }: { urls: string[]; urlMetadata: UrlMetadata[] },
  reader: CsvReader,
): string {
  const rows = urls.map((url, index) => {
    const texts = textsOf(wholeLink(url, urlMetadata[index]))
    return WRITTEN.map((column) => texts[column])
  })
  return `${Papa.unparse([WRITTEN, ...rows], { escapeFormulae: reader === 'person' && FORMULA })}\r\n`
}

/**
 * Reads comma-, semicolon- or tab-separated values, or bar-separated ones below a header: by the column names in the first row,
 * or without those, by finding the column of URLs and the text beside it. Rows with the same folder form a group.
 * @returns null if the text is not such a table.
 */
export function readCsv(text: string): FoundGroup[] | null {
  const [names = ''] = text
    .trimStart()
    .slice(0, MAX_HEADER)
    .split(/[\r\n]/, 1)
  // A Markdown table has links and notations in its cells.
  const hasBars = names.includes(BAR) && !names.startsWith(BAR) && headerOf(names.split(BAR)) !== null
  const isTable = hasBars || DELIMITERS.some((delimiter) => text.includes(delimiter)) || headerOf([names]) !== null
  if (!isTable) return null
  const rows = readRows(text, hasBars ? BAR : '')
  const [first] = rows
  if (first === undefined) return null
  const header = headerOf(first.cells)
  if (header !== null) return inFolders(rows.slice(1), header)
  if (isTalk(text, rows)) return null
  const isNamed = isNamesOf(rows)
  const cells = isNamed ? rows.slice(1) : rows
  const columns = columnsOf(cells)
  if (columns === null) return null
  // A cell beside an address, in a column without a name, may be anything.
  const groups = inFolders(cells, columns)
  return groups.map((group) => ({
    ...group,
    links: group.links.map((link) => ({ ...link, note: titleIn(link.note ?? '', 'text') })),
  }))
}

/** The longest header, in characters. */
const MAX_HEADER = 1_000

/** Excel's line before a table that states the separator. */
const SEPARATOR = /^sep=([,;\t|])\r?\n/i

function readRows(sent: string, known: string): Row[] {
  const [stated = '', delimiter = known] = SEPARATOR.exec(sent) ?? []
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
  const names = cells.map((cell) =>
    cell
      .normalize('NFD')
      .toLowerCase()
      .replace(/[^a-z]/g, ''),
  )
  const columns = new Map<Column, number>()
  for (const [column, aliases] of Object.entries(COLUMNS) as [Column, readonly string[]][]) {
    const alias = aliases.find((name) => names.includes(name))
    if (alias !== undefined) columns.set(column, names.indexOf(alias))
  }
  return columns.has('url') && !cells.some(isUrl) ? columns : null
}

/** Whether the text is prose, whose commas belong to sentences: a single line without quotes, or messages. */
function isTalk(text: string, rows: readonly Row[]): boolean {
  if (rows.length === 1 && !/[\t;"]/.test(text)) return true
  const beginsWithSpeaker = (cells: readonly string[]) => dropSpeaker(cells.join(', ')) !== cells.join(', ')
  return rows.some(({ cells }) => beginsWithSpeaker(cells) || beginsWithSpeaker(cells.slice(0, 2)))
}

/** Whether the first row has unknown column names: distinct short words, one for each cell of the other rows. */
function isNamesOf([first, ...rows]: readonly Row[]): boolean {
  const width = first?.cells.length ?? 0
  if (width < 2 || rows.length < 2 || rows.some(({ cells }) => cells.length !== width)) return false
  const names = new Set(first?.cells)
  return names.size === width && first?.cells.every((name) => /^\p{L}[\p{L}\p{N} _/()-]{0,30}$/u.test(name)) === true
}

/** The columns of a table without a header; null unless it is unambiguous, because commas also occur in URLs and prose. */
function columnsOf(rows: readonly Row[]): Map<Column, number> | null {
  const width = rows[0]?.cells.length ?? 0
  if (width < 2 || rows.some(({ cells }) => cells.length !== width)) return null
  const indices = Array.from({ length: width }, (_, index) => index)
  const [url, ...others] = indices.filter((index) => rows.every(({ cells }) => isUrl(cells[index] ?? '')))
  if (url === undefined || others.length > 0) return null
  // The semicolon ends an HTML entity or belongs to a wrapping by a mail program: it does not separate cells.
  if (rows.some(({ cells }) => /(?:&(?:[a-z]{2,6}|#x?\d{2,3})|__)$/i.test(cells[url] ?? ''))) return null
  const note = indices.find((index) => index !== url && rows.some(({ cells }) => /\s/.test(cells[index] ?? '')))
  const other = url === 0 ? 1 : 0
  // A semicolon also occurs in addresses, but hardly before a word in each of several.
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
