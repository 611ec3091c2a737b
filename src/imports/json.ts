import type { Content } from '../../db/schema.ts'
import { CONTENT, eachValue, pick, SETTING_NAMES, type SettingName } from '../bundles/content.ts'
import type { FoundGroup, FoundLink, Settings } from '../bundles/found.ts'
import { metadataInJson } from '../bundles/link-fields.ts'
import { NOTHING } from '../bundles/values.ts'
import { parseJson } from '../core/json.ts'
import { asList, asObject, asText, isObject } from '../core/untyped.ts'

type Json = Record<string, unknown>

/**
 * Bundles in this service's own JSON: an export, a list, one bundle, or an array of bundles. A link's `line` is its
 * number, because JSON may be a single line.
 * @returns null for a text that is not JSON, is nested too deeply, or contains no bundle.
 */
export function readJson(text: string): FoundGroup[] | null {
  if (!/^\s*[[{]/.test(text)) return null
  let json: unknown
  try {
    json = parseJson(text)
  } catch {
    return null
  }
  const bundles = bundlesIn(json)
  if (bundles.length === 0) return null
  let line = 0
  return bundles.map((bundle) => toFound(bundle, () => (line += 1)))
}

function bundlesIn(json: unknown): Json[] {
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
    ...(isObject(bundle.resolutionPolicy) ? { resolutionPolicy: withoutIds(bundle.resolutionPolicy) } : {}),
  }
}

function toLink(url: unknown, metadata: unknown, line: number): FoundLink {
  return { line, url: asText(url), ...metadataInJson(asObject(metadata)) }
}

/** What a bundle has of the fields that always have one of a few values. */
function settingsIn(bundle: Json): Settings {
  const isOther = (name: SettingName) => {
    const field = CONTENT[name]
    const words: readonly unknown[] = field.kind === 'choice' ? field.options : [true]
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
