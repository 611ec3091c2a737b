import { isDeepStrictEqual } from 'node:util'
import type { Content } from '../../db/schema.ts'
import { eachScalar, SCALAR_NAMES, type ScalarName } from '../bundles/content/content.ts'
import type { Client } from '../sdk/openall.ts'
import { UsageError } from './exit.ts'

export type Bundle = Awaited<ReturnType<Client['getBundle']>>
type Changes = Omit<Parameters<Client['updateBundle']>[0], 'slug'>
type Metadata = Bundle['urlMetadata'][number]

/** A bundle in the form in which `edit` shows it in an editor: each URL with its metadata. */
export interface EditDocument extends Record<ScalarName, string | boolean | null> {
  tabs: ({ url: string } & Metadata)[]
  variables: Bundle['variables']
  resolutionPolicy: Bundle['resolutionPolicy']
  externalId: Bundle['externalId']
  metadata: Bundle['metadata']
  aliases: Bundle['aliases']
}

/** The unversioned fields, which only the owner sees. */
const UNVERSIONED = ['externalId', 'metadata', 'aliases'] as const satisfies readonly (keyof EditDocument)[]

/** The field of the document for each part of a bundle's content. */
const PLACES = {
  ...(Object.fromEntries(SCALAR_NAMES.map((name) => [name, name])) as { [Name in ScalarName]: Name }),
  urls: 'tabs',
  urlMetadata: 'tabs',
  variables: 'variables',
  resolutionPolicy: 'resolutionPolicy',
} as const satisfies Record<keyof Content, keyof EditDocument>

/** The fields of a document, in order. */
const FIELDS: readonly string[] = [...new Set(Object.values(PLACES)), ...UNVERSIONED]

export function documentOf(bundle: Bundle): EditDocument {
  const { urls, urlMetadata, variables, resolutionPolicy, externalId, aliases } = bundle
  const tabs = tabsOf({ urls, urlMetadata })
  return {
    ...eachScalar((name) => bundle[name]),
    tabs,
    variables,
    resolutionPolicy,
    externalId,
    metadata: ownMetadata(bundle),
    aliases,
  }
}

/** A bundle’s metadata without the label of the client that created it, which cannot be changed; null for none. */
export function ownMetadata({ metadata }: Pick<Bundle, 'metadata'>): Record<string, string> | null {
  const { client: _, ...own } = metadata ?? {}
  return Object.keys(own).length === 0 ? null : own
}

/** URLs with their metadata, as the tabs of a document. */
export function tabsOf({ urls, urlMetadata }: Pick<Bundle, 'urls' | 'urlMetadata'>): EditDocument['tabs'] {
  return urls.map((url, index) => ({ url, ...urlMetadata[index] }))
}

/**
 * Checks the structure of an edited document; the service validates its fields.
 * @param which begins an error message where there are several documents.
 * @throws UsageError.
 */
export function readDocument(value: unknown, which = ''): Partial<EditDocument> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new UsageError(
      `${which}the document must be a JSON object with ${FIELDS.slice(0, -1).join(', ')} or ${FIELDS.at(-1)}`,
    )
  }
  const unknown = Object.keys(value).find((name) => !FIELDS.includes(name))
  if (unknown !== undefined) {
    throw new UsageError(`${which}${unknown} is not a field of the document: it has ${FIELDS.join(', ')}`)
  }
  const { tabs } = value as { tabs?: unknown }
  if (tabs === undefined) return value
  const isTab = (tab: unknown) => tab !== null && typeof tab === 'object' && 'url' in tab
  if (!Array.isArray(tabs) || !tabs.every(isTab)) {
    throw new UsageError(`${which}tabs must be a list of objects with a url`)
  }
  return value
}

/** The fields in which a document differs from a bundle, as input of `update_bundle`. */
export function changesOf(document: Partial<EditDocument>, bundle: Bundle): Changes {
  const before = documentOf(bundle)
  const isChanged = ([name, value]: [string, unknown]) => !isDeepStrictEqual(value, before[name as keyof EditDocument])
  return inputOf(Object.fromEntries(Object.entries(document).filter(isChanged)))
}

/**
 * The changes of unversioned fields, in the form of a difference's fields.
 * @param before null for a new bundle.
 */
export function unversionedChanges(before: Bundle | null, { externalId, metadata, aliases }: Partial<EditDocument>) {
  const texts = (
    id: Bundle['externalId'],
    entries: Bundle['metadata'],
    slugs: Bundle['aliases'],
  ): Record<string, string> => ({
    ...(id ? { externalId: id } : {}),
    ...(slugs.length === 0 ? {} : { aliases: slugs.join(', ') }),
    ...Object.fromEntries(Object.entries(entries ?? {}).map(([key, value]) => [`metadata.${key}`, value])),
  })
  const [id, entries] = [before?.externalId ?? null, before && ownMetadata(before)]
  const slugs = before?.aliases ?? []
  const from = texts(id, entries, slugs)
  const to = texts(
    externalId === undefined ? id : externalId,
    metadata === undefined ? entries : metadata,
    aliases ?? slugs,
  )
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((name) => from[name] !== to[name])
  return Object.fromEntries(names.map((name) => [name, { from: from[name] ?? '', to: to[name] ?? '' }]))
}

/** A document’s fields as input of `update_bundle`. */
export function inputOf({ tabs, ...fields }: Partial<EditDocument>): Changes {
  if (tabs === undefined) return fields as Changes
  const [urls, urlMetadata] = [tabs.map(({ url }) => url), tabs.map(({ url: _, ...metadata }) => metadata)]
  return { ...fields, urls, urlMetadata } as Changes
}
