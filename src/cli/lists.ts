import type { TextName } from '../bundles/content.ts'
import type { ImportPlan } from '../imports/import.ts'
import { linksOrText } from '../imports/paste.ts'
import type { Bundle } from './bundles.ts'
import { UsageError } from './exit.ts'
import { note, oneLine } from './output.ts'

type Destinations = Pick<Bundle, 'urls' | 'urlMetadata'>

/** Destinations as they were listed, and what their list is called. */
type Listed = Destinations & Record<TextName, string | null>

/**
 * What a list of URLs, a bookmarks file or another export would make.
 * @throws UsageError where there is no link in it.
 */
export async function readExport(text: string): Promise<ImportPlan> {
  // Loaded when it is needed: reading what other programs write takes more code than the rest of the command.
  const { readImport } = await import('../imports/import.ts')
  const plan = readImport(text)
  if (plan.bundles.length === 0) throw new UsageError('there is no URL to make a bundle of')
  return plan
}

/** Tells what of an export is left out. */
export function noteRemarks({ skipped, changed, counts }: Pick<ImportPlan, 'skipped' | 'changed' | 'counts'>): void {
  const told = [...skipped, ...changed]
  for (const { line, text, reason } of told) note(`line ${line} ${reason}: ${oneLine(text)}`)
  const rest = counts.skipped + counts.changed - told.length
  if (rest > 0) note(`… and ${rest} more`)
}

/** Formats whose parts are one list where they fit into one bundle; folders and groups are bundles of their own. */
const LISTS: readonly ImportPlan['format'][] = ['list', 'markdown']

/**
 * The links of a text where they must be one bundle. What is left out is told.
 * @throws UsageError where there is none, or where they are several bundles.
 */
export async function readListed(text: string): Promise<Listed> {
  const { format, bundles } = await readExport(text)
  const { inParts, readList } = await import('../imports/import.ts')
  const list = readList(text)
  const made = LISTS.includes(format) ? inParts(list).length : bundles.length
  if (made > 1) throw new UsageError(`this makes ${made} bundles: openall import makes them all`)
  const { links, skipped, changed, counts, ...texts } = list
  noteRemarks({ skipped, changed, counts })
  return { ...texts, urls: links.map(({ url }) => url), urlMetadata: links.map(({ metadata }) => metadata) }
}

/** Destinations as somebody types them; what is no link is for the service to refuse. @throws UsageError where there are none. */
export function typedLinks(texts: readonly string[]): Destinations {
  const links = texts.filter((text) => text.trim() !== '').flatMap(linksOrText)
  if (links.length === 0) throw new UsageError('there is no URL to make a bundle of')
  return { urls: links.map(({ url }) => url), urlMetadata: links.map(({ note }) => (note === '' ? {} : { note })) }
}
