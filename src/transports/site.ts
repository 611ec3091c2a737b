import type { Site } from '../../views/layout.tsx'
import { listClaimable } from '../bundles/claims.ts'
import type { Service } from '../service.ts'

/** What a page is told of the service, and of who looks at it. */
export async function siteFor({ headers }: Request, { config, store, readSession }: Service): Promise<Site> {
  const { name, origin } = config
  const session = headers.has('cookie') ? await readSession(headers) : null
  if (session === null) return { name, origin, viewer: null }
  const claimable = (await listClaimable(store, session)).length
  const subject = session.organizationId === null ? 'user' : 'organization'
  return { name, origin, viewer: { email: session.email, subject, claimable } }
}
