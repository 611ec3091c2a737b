import type { Content, UrlMetadata } from '../../db/schema.ts'
import { invalid } from '../core/problem.ts'
import { eachScalar, type ScalarName } from './content.ts'
import type { SentOwn } from './own-fields.ts'
import type { BundleEdit } from './shapes.ts'
import { type Templates, unfitTemplates } from './templates.ts'
import { variableOf, wholeVariable } from './variables.ts'

/** The fields that an edit may send. */
export type SentChanges = Omit<BundleEdit, 'slug' | 'password' | keyof SentOwn>
/** The same with whole lists of links. */
type Changes = Omit<SentChanges, 'addUrls' | 'removeUrls' | 'setMetadata'>

/** The next content of a bundle, and the rule ids that it has not had before. */
export interface NextContent {
  content: Content
  newRuleIds: readonly string[]
}

/**
 * Applies changes to content, except the policy, whose rules get their ids from the store. A new bundle starts with
 * `NOTHING`.
 * @throws Problem BAD_REQUEST.
 */
export function merged(before: Content, changes: Changes): Content {
  const urls = changes.urls ?? before.urls
  if ((changes.urlMetadata?.length ?? 0) > urls.length) {
    throw invalid([{ path: ['urlMetadata'], reason: { code: 'more_metadata_than_urls', urls: urls.length } }])
  }
  const content = {
    urls,
    urlMetadata: changes.urlMetadata
      ? urls.map((_, index) => changes.urlMetadata?.[index] ?? {})
      : carryMetadata(before, urls),
    variables: changes.variables?.map((variable) => variableOf(wholeVariable(variable))) ?? before.variables,
    // A field that was not sent stays; null is a value.
    ...(eachScalar((name) => (changes[name] === undefined ? before[name] : changes[name])) as Pick<
      Content,
      ScalarName
    >),
    resolutionPolicy: before.resolutionPolicy,
  }
  refuseReversed(content)
  return content
}

/** Refuses placeholders that could lead elsewhere, and too many of them. @throws Problem INVALID_URLS, BAD_REQUEST. */
export function refuseUnfitTemplates(content: Templates): void {
  const issues = unfitTemplates(content)
  if (issues.length > 0) throw invalid(issues)
}

/** Times of a fixed length in UTC, so that their texts are in their order. */
function refuseReversed({ opensAt, closesAt }: Pick<Content, 'opensAt' | 'closesAt'>): void {
  if (opensAt === null || closesAt === null || opensAt < closesAt) return
  throw invalid([{ path: ['closesAt'], reason: { code: 'closes_before_it_opens' } }])
}

/** Remaining URLs keep their metadata wherever they move; duplicates of a URL keep their own. */
function carryMetadata(before: Content, urls: readonly string[]): UrlMetadata[] {
  const left = before.urls.map((url, index) => ({ url, metadata: before.urlMetadata[index] ?? {} }))
  return urls.map((url) => {
    const at = left.findIndex((entry) => entry.url === url)
    return at === -1 ? {} : (left.splice(at, 1)[0]?.metadata ?? {})
  })
}
