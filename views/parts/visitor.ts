import { countClaimable } from '../../src/bundles/claims/claims.ts'
import type { StoredBundle } from '../../src/bundles/edit/bundles.ts'
import { getBundle } from '../../src/bundles/edit/operations.ts'
import { proposedSlug } from '../../src/bundles/edit/rename.ts'
import type { Config } from '../../src/config/config.ts'
import { Problem } from '../../src/core/problem.ts'
import type { Service } from '../../src/core/service.ts'
import { callContext } from '../../src/http/request.ts'
import { allowsRole, type Role, type Session } from '../../src/identity/caller.ts'
import { organizationsOf } from '../../src/identity/members.ts'
import { isRecent } from '../../src/identity/proof.ts'
import { execute } from '../../src/operations/execute.ts'
import type { SignedInUser, Site } from './layout.tsx'

/** The service and the signed-in user, as pages need them. */
export async function siteFor({ headers }: Request, service: Service): Promise<Site> {
  const session = headers.has('cookie') ? await service.readSession(headers) : null
  return session === null ? { ...plainSite(service.config), user: null } : signedInSite(session, service)
}

/** The same for a session. */
export async function signedInSite(session: Session, service: Service): Promise<Site & { user: SignedInUser }> {
  const [user, claimable] = await Promise.all([signedInUser(session, service), countClaimable(service.store, session)])
  return { ...plainSite(service.config), user, claimable }
}

/** The same without the user, for pages that do not depend on one. */
export function plainSite({
  name,
  origin,
  shortPaths,
  sourceUrl,
  extensionUrl,
}: Pick<Config, 'name' | 'origin' | 'shortPaths' | 'sourceUrl' | 'extensionUrl'>): Site {
  return {
    name,
    origin,
    shortPaths,
    ...(sourceUrl === undefined ? {} : { sourceUrl }),
    ...(extensionUrl === undefined ? {} : { extensionUrl }),
  }
}

/** The sign-in methods that the operator has enabled. */
export interface SignInMethods {
  /** Whether an OIDC provider is configured. */
  hasOidc: boolean
  hasPasswords: boolean
  /** Who may create an account. */
  signUp: Config['signUp']
  /** Whether there is a sign-up page; otherwise the first sign-in creates the account. */
  hasSignUpPage: boolean
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

/** The signed-in user, as pages need it. */
export async function signedInUser(session: Session, { store }: Pick<Service, 'store'>): Promise<SignedInUser> {
  const { userId, name, email, emailVerified, signedInAt, organizationId, role } = session
  const hasRecentSignIn = isRecent(signedInAt)
  const organizations = await organizationsOf(store, userId)
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
  }
}

/** A visitor's role in a bundle that they can see, whichever subject they act for. */
export function roleOver(bundle: Pick<StoredBundle, 'owner'>, user: SignedInUser): Role {
  return bundle.owner.type === 'user' ? 'admin' : (ownerAmong(bundle, user)?.role ?? 'viewer')
}

/** The organisation of the visitor that owns a bundle; undefined for a personal bundle. */
export function ownerAmong({ owner }: Pick<StoredBundle, 'owner'>, { organizations }: SignedInUser) {
  return owner.type === 'user' ? undefined : organizations.find(({ id }) => id === owner.organizationId)
}

/** A bundle whose link the visitor may change. */
export interface Nameable {
  bundle: StoredBundle
  /** A free slug from its title; null for none. */
  proposed: string | null
}

/** The bundle with this slug, if the visitor may change its link; null for everybody else. */
export async function nameable(request: Request, service: Service, user: SignedInUser, slug: string) {
  try {
    const { output } = await execute(getBundle, () => ({ slug }), await callContext(request, service), service)
    return nameableOf(output, user, service)
  } catch (error) {
    if (error instanceof Problem) return null
    throw error
  }
}

/** The same for a bundle that the visitor can see. */
export async function nameableOf(
  bundle: StoredBundle,
  user: SignedInUser,
  { store }: Pick<Service, 'store'>,
): Promise<Nameable | null> {
  if (!allowsRole(roleOver(bundle, user), 'admin')) return null
  return { bundle, proposed: await proposedSlug(store, bundle) }
}
