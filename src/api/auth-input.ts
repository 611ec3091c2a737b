import { Problem } from '../core/problem.ts'
import { CONTROLS, hasLink, MAX_EMAIL, unfit } from '../core/text.ts'

const MAX_METADATA = 2048

/** What people call themselves and their organisations is read with every session, shown and mailed: in characters. */
const BOUNDS = { name: 100, slug: 100, image: 2048, logo: 2048, email: MAX_EMAIL }

/**
 * Refuses texts that better-auth would keep at any length.
 * @throws Problem BAD_REQUEST.
 */
export function refuseUnfit(sent: unknown): void {
  const { data, metadata, ...fields } = (sent ?? {}) as Record<string, unknown>
  for (const [field, max] of Object.entries(BOUNDS)) {
    const text = fields[field]
    const reason = typeof text === 'string' ? unfit(text, max, CONTROLS) : null
    if (reason !== null) throw new Problem('BAD_REQUEST', `${field} must be ${reason}`)
    if (field === 'name' && typeof text === 'string' && hasLink(text)) {
      throw new Problem('BAD_REQUEST', 'name must be free of web addresses')
    }
  }
  if (metadata !== undefined && JSON.stringify(metadata).length > MAX_METADATA) {
    throw new Problem('BAD_REQUEST', `metadata must be at most ${MAX_METADATA} characters of JSON`)
  }
  // Where an update of an organisation has them.
  if (data !== null && typeof data === 'object') refuseUnfit({ ...data, data: undefined })
}

/**
 * Refuses to sign in by a provider's token that the client brings: it may have been issued to another client, or for
 * another purpose. People come back from the provider by its redirect alone.
 * @throws Problem BAD_REQUEST.
 */
export function refuseIdToken(sent: unknown): void {
  if ((sent as { idToken?: unknown } | null | undefined)?.idToken === undefined) return
  throw new Problem('BAD_REQUEST', 'idToken is not taken here: send people to the url of the answer instead')
}
