import { Problem } from '../core/problem.ts'
import { CONTROLS, hasLink, MAX_EMAIL, unfit } from '../core/text.ts'

const MAX_METADATA = 2048

/** Maximum lengths in characters: these texts are read with every session, shown and mailed. */
const BOUNDS = { name: 100, slug: 100, image: 2048, logo: 2048, email: MAX_EMAIL }

/**
 * Refuses texts that better-auth would store at any length.
 * @throws Problem BAD_REQUEST.
 */
export function refuseUnfit(sent: unknown): void {
  const { data, metadata, ...fields } = (sent ?? {}) as Record<string, unknown>
  for (const [field, max] of Object.entries(BOUNDS)) {
    const text = fields[field]
    const reason = typeof text === 'string' ? unfit(text, max, CONTROLS) : null
    if (reason !== null) throw new Problem('BAD_REQUEST', `${field} must be ${reason}`)
    if (field === 'name' && typeof text === 'string' && hasLink(text)) {
      throw new Problem('BAD_REQUEST', 'name must not contain a web address')
    }
  }
  if (metadata !== undefined && JSON.stringify(metadata).length > MAX_METADATA) {
    throw new Problem('BAD_REQUEST', `metadata must be at most ${MAX_METADATA} characters of JSON`)
  }
  // Updates of an organisation have the fields in `data`.
  if (data !== null && typeof data === 'object') refuseUnfit({ ...data, data: undefined })
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
