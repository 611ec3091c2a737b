import type { ValueName } from '../bundles/content/content.ts'
import { linksOrText } from '../imports/line-links.ts'
import type { ImportedLink, ImportPlan } from '../imports/plan.ts'
import { saidRemarks } from '../imports/said.ts'
import type { Bundle } from './document.ts'
import { UsageError } from './exit.ts'
import { note, oneLine } from './output.ts'

type Destinations = Pick<Bundle, 'urls' | 'urlMetadata'>

/** The URLs of a list, with its title and other fields. */
type Listed = Destinations & Record<ValueName, string | null>

/**
 * The bundles in a list of URLs, a bookmarks file or another export.
 * @param groups what its folders, headings and groups become.
 * @throws UsageError if it contains no link, or is damaged.
 */
export async function readExport(text: string, groups: 'bundles' | 'sections' = 'bundles'): Promise<ImportPlan> {
  // Loaded on demand, because the readers are larger than the rest of the command.
  const { readImport, readSections } = await import('../imports/import.ts')
  const plan = refusing(() => (groups === 'sections' ? readSections(text) : readImport(text)))
  if (plan.bundles.length === 0) throw new UsageError(NO_URL)
  return plan
}

/** Turns a refusal by the readers into a wrong input of the command. @throws UsageError. */
function refusing<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'BAD_REQUEST') throw new UsageError(error.message)
    throw error
  }
}

const NO_URL = 'no URL was found, and a bundle needs at least one'

/** Reports skipped or changed entries, and remarks about accepted links. */
export function noteRemarks(
  { skipped, changed, counts }: Pick<ImportPlan, 'skipped' | 'changed' | 'counts'>,
  links: readonly ImportedLink[],
): void {
  const listed = [...skipped, ...changed]
  for (const { line, text, reason } of [...listed, ...saidRemarks(links)]) {
    note(`line ${line} ${reason}: ${oneLine(text)}`)
  }
  const rest = counts.skipped + counts.changed - listed.length
  if (rest > 0) note(`… and ${rest} more`)
}

/** Formats that are a single list if they fit into one bundle; in others, each folder or group is a bundle. */
const LISTS: readonly ImportPlan['format'][] = ['list', 'markdown', 'headings']

/**
 * The links in a text that must be a single bundle. Reports skipped entries.
 * @throws UsageError if there is no link, or more than one bundle.
 */
export async function readListed(text: string): Promise<Listed> {
  const { format, bundles } = await readExport(text)
  const [{ readList }, { splitList }] = await Promise.all([
    import('../imports/import.ts'),
    import('../imports/split.ts'),
  ])
  const list = readList(text)
  const made = LISTS.includes(format) ? splitList(list).length : bundles.length
  if (made > 1) {
    const what = LISTS.includes(format) ? `${list.links.length} links, more than one bundle holds` : 'several lists'
    throw new UsageError(
      `this is ${what}: use openall import with the file, or - for standard input, to create all ${made} bundles`,
    )
  }
  const { format: _, links, skipped, changed, counts, ...texts } = list
  noteRemarks({ skipped, changed, counts }, links)
  return { ...texts, urls: links.map(({ url }) => url), urlMetadata: links.map(({ metadata }) => metadata) }
}

/** URLs given as arguments; the service refuses invalid ones. @throws UsageError if there are none. */
export function typedLinks(texts: readonly string[]): Destinations {
  const links = texts.filter((text) => text.trim() !== '').flatMap(linksOrText)
  if (links.length === 0) throw new UsageError(NO_URL)
  return { urls: links.map(({ url }) => url), urlMetadata: links.map(({ note }) => (note === '' ? {} : { note })) }
}
