import { isDeepStrictEqual } from 'node:util'
import type { Content } from '../../db/schema.ts'
import { eachScalar, SCALAR_NAMES, type ScalarName } from '../bundles/content.ts'
import type { Client } from '../sdk/openall.ts'
import type { Bundle } from './bundles.ts'
import { UsageError } from './exit.ts'

type Changes = Omit<Parameters<Client['updateBundle']>[0], 'slug'>
type Metadata = Bundle['urlMetadata'][number]

/** A bundle as `edit` shows it in an editor: each URL with its metadata. */
export interface EditDocument extends Record<ScalarName, string | boolean | null> {
  tabs: ({ url: string } & Metadata)[]
  variables: Bundle['variables']
  resolutionPolicy: Bundle['resolutionPolicy']
  externalId: Bundle['externalId']
  metadata: Bundle['metadata']
}

/** The fields that are no content: their owner’s alone, and in no version. */
const OWN = ['externalId', 'metadata'] as const satisfies readonly (keyof EditDocument)[]

/** The field of the document for each part of a bundle's content. */
const PLACES = {
  ...(Object.fromEntries(SCALAR_NAMES.map((name) => [name, name])) as { [Name in ScalarName]: Name }),
  urls: 'tabs',
  urlMetadata: 'tabs',
  variables: 'variables',
  resolutionPolicy: 'resolutionPolicy',
} as const satisfies Record<keyof Content, keyof EditDocument>

/** The fields of a document, in order. */
const FIELDS: readonly string[] = [...new Set(Object.values(PLACES)), ...OWN]

export function documentOf(bundle: Bundle): EditDocument {
  const { urls, urlMetadata, variables, resolutionPolicy, externalId } = bundle
  const tabs = tabsOf({ urls, urlMetadata })
  return {
    ...eachScalar((name) => bundle[name]),
    tabs,
    variables,
    resolutionPolicy,
    externalId,
    metadata: ownMetadata(bundle),
  }
}

/** A bundle’s metadata without the label of the client that made it, which cannot be changed; null for none. */
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
 * @param which begins an error where there are several documents.
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
 * How the fields change that are in no version, as those of a difference.
 * @param before null for a bundle that is new.
 */
export function ownChanges(before: Bundle | null, { externalId, metadata }: Partial<EditDocument>) {
  const texts = (id: Bundle['externalId'], entries: Bundle['metadata']): Record<string, string> => ({
    ...(id ? { externalId: id } : {}),
    ...Object.fromEntries(Object.entries(entries ?? {}).map(([key, value]) => [`metadata.${key}`, value])),
  })
  const [id, entries] = [before?.externalId ?? null, before && ownMetadata(before)]
  const from = texts(id, entries)
  const to = texts(externalId === undefined ? id : externalId, metadata === undefined ? entries : metadata)
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((name) => from[name] !== to[name])
  return Object.fromEntries(names.map((name) => [name, { from: from[name] ?? '', to: to[name] ?? '' }]))
}

/** A document’s fields as input of `update_bundle`. */
export function inputOf({ tabs, ...fields }: Partial<EditDocument>): Changes {
  if (tabs === undefined) return fields as Changes
  const [urls, urlMetadata] = [tabs.map(({ url }) => url), tabs.map(({ url: _, ...metadata }) => metadata)]
  return { ...fields, urls, urlMetadata } as Changes
}
