import type { Issue } from '../core/issue.ts'
import { invalid, Problem } from '../core/problem.ts'
import { CONTROLS, hasLink, MAX_EMAIL, unfit } from '../core/text.ts'

const MAX_METADATA = 2048

/** Maximum lengths in characters: these texts are read with every session, shown and mailed. */
const BOUNDS = { name: 100, slug: 100, image: 2048, logo: 2048, email: MAX_EMAIL }

/**
 * Refuses texts that better-auth would store at any length.
 * @throws Problem BAD_REQUEST.
 */
export function refuseUnfit(sent: unknown): void {
  const { data, ...fields } = (sent ?? {}) as Record<string, unknown>
  // Updates of an organisation have the fields in `data`.
  const issues = [...issuesIn(fields), ...issuesIn((data ?? {}) as Record<string, unknown>)]
  if (issues.length > 0) throw invalid(issues)
}

function issuesIn({ metadata, ...fields }: Record<string, unknown>): Issue[] {
  const issues = Object.entries(BOUNDS).flatMap(([field, max]): Issue[] => {
    const text = fields[field]
    if (typeof text !== 'string') return []
    const isLink = field === 'name' && hasLink(text)
    const reason = unfit(text, max, CONTROLS) ?? (isLink ? ({ code: 'link_in_name' } as const) : null)
    return reason === null ? [] : [{ path: [field], reason }]
  })
  if (metadata === undefined || JSON.stringify(metadata).length <= MAX_METADATA) return issues
  return [...issues, { path: ['metadata'], reason: { code: 'metadata_too_large', max: MAX_METADATA } }]
}

/**
 * Refuses a provider's token from the client: it may have been issued to another client or for another purpose. Sign-in
 * only goes by the provider's redirect.
 * @throws Problem BAD_REQUEST.
 */
export function refuseIdToken(sent: unknown): void {
  if ((sent as { idToken?: unknown } | null | undefined)?.idToken === undefined) return
  throw new Problem('BAD_REQUEST', 'idToken is not accepted: send people to the `url` of the answer instead')
}
