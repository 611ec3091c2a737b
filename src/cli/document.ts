import { isDeepStrictEqual } from 'node:util'
import type { Client } from '../sdk/openall.ts'
import type { Bundle } from './bundles.ts'
import { UsageError } from './exit.ts'

type Changes = Omit<Parameters<Client['updateBundle']>[0], 'slug'>
type Metadata = Bundle['urlMetadata'][number]

/** What of a bundle can be edited as a text: each URL stands with what is said of it. */
export interface EditDocument {
  title: string | null
  description: string | null
  tabs: ({ url: string } & Metadata)[]
  resolutionPolicy: Bundle['resolutionPolicy']
}

/** A bundle as it is put before an editor. */
export function documentOf({ title, description, urls, urlMetadata, resolutionPolicy }: Bundle): EditDocument {
  return { title, description, tabs: urls.map((url, index) => ({ url, ...urlMetadata[index] })), resolutionPolicy }
}

/**
 * What came back, as far as its frame goes; what the fields may hold is for the service to say.
 * @throws UsageError.
 */
export function readDocument(value: unknown): Partial<EditDocument> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new UsageError('the document must be a JSON object with title, description, tabs or resolutionPolicy')
  }
  const unknown = Object.keys(value).find(
    (name) => !['title', 'description', 'tabs', 'resolutionPolicy'].includes(name),
  )
  if (unknown !== undefined) throw new UsageError(`${unknown} is not a field of the document`)
  const { tabs } = value as { tabs?: unknown }
  if (tabs === undefined) return value
  const isTab = (tab: unknown) => tab !== null && typeof tab === 'object' && 'url' in tab
  if (!Array.isArray(tabs) || !tabs.every(isTab)) throw new UsageError('tabs must be a list of objects with a url')
  return value
}

/** What must be sent to make a bundle what a document says; nothing for what is as it was. */
export function changesOf(document: Partial<EditDocument>, bundle: Bundle): Changes {
  const before = documentOf(bundle)
  const { tabs, ...fields } = document
  const changes: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (!isDeepStrictEqual(value, before[name as keyof typeof fields])) changes[name] = value
  }
  if (tabs !== undefined && !isDeepStrictEqual(tabs, before.tabs)) {
    changes.urls = tabs.map(({ url }) => url)
    changes.urlMetadata = tabs.map(({ url: _, ...metadata }) => metadata)
  }
  return changes as Changes
}
