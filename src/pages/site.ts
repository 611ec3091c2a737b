import type { Site, Viewer } from '../../views/parts/layout.tsx'
import { listClaimable } from '../bundles/claims.ts'
import type { Session } from '../identity/caller.ts'
import { organizationsOf } from '../identity/members.ts'
import { isRecent } from '../identity/proof.ts'
import type { Service } from '../service.ts'

/** What a page is told of the service, and of who looks at it. */
export async function siteFor({ headers }: Request, service: Service): Promise<Site> {
  const { name, origin } = service.config
  const session = headers.has('cookie') ? await service.readSession(headers) : null
  return { name, origin, viewer: session === null ? null : await viewerOf(session, service) }
}

/** What a page is told of somebody who is signed in. */
export async function viewerOf(session: Session, { store }: Pick<Service, 'store'>): Promise<Viewer> {
  const { userId, name, email, emailVerified, signedInAt, organizationId, role } = session
  const signedInLately = isRecent(signedInAt)
  const [claimable, organizations] = await Promise.all([listClaimable(store, session), organizationsOf(store, userId)])
  const acting = organizations.find(({ id }) => id === organizationId) ?? null
  return {
    userId,
    name,
    email,
    emailVerified,
    signedInLately,
    acting,
    role,
    organizations,
    claimable: claimable.length,
  }
}
