import type { ImportPlan } from '../imports/import.ts'
import { readPasted } from '../imports/paste.ts'
import type { Bundle } from './bundles.ts'
import { UsageError } from './exit.ts'
import { note, oneLine } from './output.ts'

/** Destinations as they were listed, and what their list is called. */
export interface Listed extends Pick<Bundle, 'urls' | 'urlMetadata'> {
  title: string | null
  description: string | null
}

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
export function noteRemarks({ skipped, changed, counts }: ImportPlan): void {
  const told = [...skipped, ...changed]
  for (const { line, text, reason } of told) note(`line ${line} ${reason}: ${oneLine(text)}`)
  const rest = counts.skipped + counts.changed - told.length
  if (rest > 0) note(`… and ${rest} more`)
}

/**
 * The same where it must be one bundle. Of a plain list nothing is left out: what is no URL is for the service to refuse.
 * @throws UsageError.
 */
export async function readList(text: string): Promise<Listed> {
  const plan = await readExport(text)
  if (plan.format === 'list') return { title: null, description: null, ...pasted(text) }
  const [bundle, ...more] = plan.bundles
  if (bundle === undefined || more.length > 0) {
    throw new UsageError(`this makes ${plan.bundles.length} bundles: openall import makes them all`)
  }
  noteRemarks(plan)
  const { title, description, links } = bundle
  return { title, description, urls: links.map(({ url }) => url), urlMetadata: links.map(({ metadata }) => metadata) }
}

/** Destinations as somebody types them. @throws UsageError where there are none. */
export function pasted(text: string): Pick<Listed, 'urls' | 'urlMetadata'> {
  const { urls, urlMetadata } = readPasted(text)
  if (urls.length === 0) throw new UsageError('there is no URL to make a bundle of')
  return { urls, urlMetadata }
}
