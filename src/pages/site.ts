import type { SignInMethods } from '../../views/account/sign-in.tsx'
import type { SignedInUser, Site } from '../../views/parts/layout.tsx'
import { countClaimable } from '../bundles/claims.ts'
import type { Config } from '../config/config.ts'
import type { Service } from '../core/service.ts'
import type { Session } from '../identity/caller.ts'
import { organizationsOf } from '../identity/members.ts'
import { isRecent } from '../identity/proof.ts'

/** What pages need to know about the service and the signed-in user. */
export async function siteFor({ headers }: Request, service: Service): Promise<Site> {
  const session = headers.has('cookie') ? await service.readSession(headers) : null
  return { ...plainSite(service.config), user: session === null ? null : await signedInUser(session, service) }
}

/** The same without the user, for pages that do not depend on one. */
export function plainSite({
  name,
  origin,
  shortPaths,
  sourceUrl,
}: Pick<Config, 'name' | 'origin' | 'shortPaths' | 'sourceUrl'>): Site {
  return { name, origin, shortPaths, ...(sourceUrl === undefined ? {} : { sourceUrl }) }
}

/** The sign-in methods that pages offer. */
export function signInMethods({
  oidc,
  passwordSignIn,
  signUp,
}: Pick<Config, 'oidc' | 'passwordSignIn' | 'signUp'>): SignInMethods {
  return {
    hasOidc: oidc !== null,
    hasPasswords: passwordSignIn,
    signUp,
    hasSignUpPage: passwordSignIn && signUp === 'open',
  }
}

/** What pages need to know about a signed-in user. */
export async function signedInUser(session: Session, { store }: Pick<Service, 'store'>): Promise<SignedInUser> {
  const { userId, name, email, emailVerified, signedInAt, organizationId, role } = session
  const hasRecentSignIn = isRecent(signedInAt)
  const [claimable, organizations] = await Promise.all([countClaimable(store, session), organizationsOf(store, userId)])
  const acting = organizations.find(({ id }) => id === organizationId) ?? null
  return {
    userId,
    name,
    email,
    emailVerified,
    hasRecentSignIn,
    acting,
    role,
    organizations,
    claimable,
  }
}
