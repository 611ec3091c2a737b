import { eachText } from '../bundles/content.ts'
import type { Found, FoundLink } from '../bundles/found.ts'
import { parseJson } from '../core/json.ts'
import { asList, asObject, asText, isObject } from '../core/untyped.ts'

type Json = Record<string, unknown>

/**
 * Bundles in this service's own JSON: an export, a list, one bundle, or an array of any. A link's line is its number, for
 * such a text may be one line.
 * @returns null for a text that is no JSON, is nested too deeply, or holds no bundle.
 */
export function readJson(text: string): Found[] | null {
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
  // An export has deleted bundles too; to bring them back is for their owner to ask by name.
  return entries.filter(isObject).filter(({ urls, deletedAt }) => Array.isArray(urls) && typeof deletedAt !== 'string')
}

function toFound(bundle: Json, nextLine: () => number): Found {
  const metadata = asList(bundle.urlMetadata)
  return {
    ...eachText((name) => asText(bundle[name])),
    links: asList(bundle.urls).map((url, index) => toLink(url, metadata[index], nextLine())),
    ...(isObject(bundle.resolutionPolicy) ? { resolutionPolicy: withoutIds(bundle.resolutionPolicy) } : {}),
  }
}

function toLink(url: unknown, metadata: unknown, line: number): FoundLink {
  const { note, tags, openPolicy } = asObject(metadata)
  return {
    line,
    url: asText(url),
    note: asText(note),
    tags: asList(tags).filter((tag) => typeof tag === 'string'),
    ...(openPolicy === 'manual' ? { openPolicy } : {}),
  }
}

/** A new bundle's rules get ids of their own. */
function withoutIds(policy: Json): Json {
  if (!Array.isArray(policy.rules)) return policy
  const rules = policy.rules.map((rule: unknown) => {
    if (!isObject(rule)) return rule
    const { id: _, ...rest } = rule
    return rest
  })
  return { ...policy, rules }
}
