import type { WaysIn } from '../../views/account/sign-in.tsx'
import type { Site, Viewer } from '../../views/parts/layout.tsx'
import { listClaimable } from '../bundles/claims.ts'
import type { Config } from '../config.ts'
import type { Session } from '../identity/caller.ts'
import { organizationsOf } from '../identity/members.ts'
import { isRecent } from '../identity/proof.ts'
import type { Service } from '../service.ts'

/** What pages need to know about the service and the signed-in user. */
export async function siteFor({ headers }: Request, service: Service): Promise<Site> {
  const session = headers.has('cookie') ? await service.readSession(headers) : null
  return { ...plainSite(service.config), viewer: session === null ? null : await viewerOf(session, service) }
}

/** The same without the user, for pages that do not depend on one. */
export function plainSite({ name, origin, sourceUrl }: Pick<Config, 'name' | 'origin' | 'sourceUrl'>): Site {
  return { name, origin, ...(sourceUrl === undefined ? {} : { sourceUrl }) }
}

/** The ways of signing in that pages offer. */
export function waysIn({ oidc, passwordSignIn, signUp }: Pick<Config, 'oidc' | 'passwordSignIn' | 'signUp'>): WaysIn {
  return {
    hasOidc: oidc !== null,
    hasPasswords: passwordSignIn,
    signUp,
    hasSignUpPage: passwordSignIn && signUp === 'open',
  }
}

/** What pages need to know about a signed-in user. */
export async function viewerOf(
  session: Session,
  { store, accountStore }: Pick<Service, 'store' | 'accountStore'>,
): Promise<Viewer> {
  const { userId, name, email, emailVerified, signedInAt, organizationId, role } = session
  const signedInLately = isRecent(signedInAt)
  const [claimable, organizations] = await Promise.all([
    listClaimable(store, session),
    organizationsOf(accountStore, userId),
  ])
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
