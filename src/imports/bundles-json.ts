import type { Content } from '../../db/schema.ts'
import { CONTENT, eachValue, pick, SETTING_NAMES, type SettingName } from '../bundles/content.ts'
import type { FoundGroup, FoundLink, Settings } from '../bundles/found.ts'
import { metadataInJson } from '../bundles/link-fields.ts'
import { NOTHING } from '../bundles/values.ts'
import { asList, asObject, asText, isObject } from '../core/untyped.ts'

// This service's own JSON: its exports, and what its API answers.

type Json = Record<string, unknown>

/** This service's own JSON: a link's `line` is its number, because JSON may be a single line. */
export function inBundles(bundles: readonly Json[]): FoundGroup[] {
  let line = 0
  return bundles.map((bundle) => toFound(bundle, () => (line += 1)))
}

/** The bundles in an export, a list, one bundle, or an array of bundles. */
export function bundlesIn(json: unknown): Json[] {
  const entries: unknown[] = Array.isArray(json)
    ? json
    : isObject(json) && Array.isArray(json.bundles)
      ? json.bundles
      : [json]
  // An export includes deleted bundles, which an import must not bring back.
  return entries.filter(isObject).filter(({ urls, deletedAt }) => Array.isArray(urls) && typeof deletedAt !== 'string')
}

function toFound(bundle: Json, nextLine: () => number): FoundGroup {
  const metadata = asList(bundle.urlMetadata)
  return {
    ...eachValue((name) => asText(bundle[name])),
    links: asList(bundle.urls).map((url, index) => toLink(url, metadata[index], nextLine())),
    settings: settingsIn(bundle),
    ...(Array.isArray(bundle.variables) && bundle.variables.length > 0 ? { variables: bundle.variables } : {}),
    ...(isObject(bundle.resolutionPolicy) ? { resolutionPolicy: withoutIds(bundle.resolutionPolicy) } : {}),
    ...(typeof bundle.externalId === 'string' ? { externalId: bundle.externalId } : {}),
    ...metadataIn(bundle),
  }
}

/** The metadata of a bundle’s owner, without the label of what created it: the import is its own client. */
function metadataIn({ metadata }: Json): { metadata?: Json } {
  const { client: _, ...own } = asObject(metadata)
  return Object.keys(own).length === 0 ? {} : { metadata: own }
}

function toLink(url: unknown, metadata: unknown, line: number): FoundLink {
  return { line, url: asText(url), ...metadataInJson(asObject(metadata)) }
}

/** What a bundle has of the fields that always have one of a few values. */
function settingsIn(bundle: Json): Settings {
  const isOther = (name: SettingName) => {
    const field = CONTENT[name]
    const words: readonly unknown[] = field.kind === 'choice' ? field.options : [!field.isOn]
    return words.includes(bundle[name]) && bundle[name] !== NOTHING[name]
  }
  return pick(SETTING_NAMES.filter(isOther), bundle as Pick<Content, SettingName> & Json)
}

/** The rules without ids, because a new bundle's rules get new ones. */
function withoutIds(policy: Json): Json {
  if (!Array.isArray(policy.rules)) return policy
  const rules = policy.rules.map((rule: unknown) => {
    if (!isObject(rule)) return rule
    const { id: _, ...rest } = rule
    return rest
  })
  return { ...policy, rules }
}
