import type { LauncherViewer } from '../audience/user-agent.ts'
import { valuesIn } from '../bundles/variables/variables.ts'
import type { Config } from '../config/config.ts'
import { checkLinks } from '../core/fixed-links.js'
import type { LauncherLink } from '../core/launcher-link.ts'
import { Problem, unknownUrl } from '../core/problem.ts'
import { routes } from '../core/routes.ts'
import type { Service } from '../core/service.ts'
import type { Filling } from '../core/template.js'
import { roleIn } from '../identity/members.ts'
import type { ShownRule } from '../policies/base.ts'
import type { Account, ViewerRequest } from '../policies/facts.ts'
import { decideAccess, refused } from './access.ts'
import type { Launcher } from './cached.ts'
import { addValue, askedOf, FREE } from './filling.ts'
import { type PublicBundle, publicBundle } from './served.ts'

/** A bundle as one viewer sees it. */
export interface ViewerBundle {
  bundle: PublicBundle
  id: number
  launcher: Launcher
  /** Whether a cached copy could be seen by someone who may not see the bundle. */
  isGuarded: boolean
  /** The values; the bundle itself keeps its placeholders. */
  filling: Filling
}

/**
 * The bundle as this viewer sees it, for everything but its page; counts no view.
 * @throws Problem NOT_FOUND, BLOCKED; MEMBERS_ONLY, PASSWORD_REQUIRED, NOT_OPEN_YET, CLOSED.
 */
export async function seenBy(viewer: LauncherViewer, slug: string | null, service: Service): Promise<ViewerBundle> {
  const { config, launchers } = service
  const launcher = await loadLauncher(slug, service)
  const { refusal } = await decideAccess(launcher.gate, viewer.headers, service)
  if (refusal !== null) throw refused(refusal)
  const bundle = await launchers.bundleOf(launcher)
  if (bundle === null) return seenBy(viewer, slug, service)
  const account = await accountOf(viewer, launcher, service)
  const { filling } = askedOf(viewer, bundle.variables)
  const rule = ruleFor(asReferred(viewer, config.origin), launcher, account, config, filling)
  const seen = publicBundle(rule, bundle)
  const isGuarded = launcher.gate !== null
  return { bundle: seen, id: bundle.id, launcher, isGuarded, filling: checkLinks(filling, seen.urls) }
}

/**
 * The bundle as seen at a link to it, with the value of the link's path moved into its query.
 * @throws Problem as above; NOT_FOUND for a value if the bundle has no variables, which only viewers who may see it learn.
 */
export async function seenAt(
  { slug, value, query }: Pick<LauncherLink, 'slug' | 'value' | 'query'>,
  { headers, client }: Pick<LauncherViewer, 'headers' | 'client'>,
  service: Service,
): Promise<ViewerBundle> {
  const { variables } = await loadLauncher(slug, service)
  const hasPlace = value === null || addValue(query, variables ?? [], value)
  const viewer = {
    headers,
    url: `${routes.launcher.page.href({ slug })}?${query}`,
    ...(client === undefined ? {} : { client }),
  }
  const seen = await seenBy(viewer, slug, service)
  if (!hasPlace) throw unknownUrl()
  return seen
}

/** The launcher with a slug. @throws Problem NOT_FOUND, BLOCKED. */
export async function loadLauncher(slug: string | null, service: Pick<Service, 'launchers'>): Promise<Launcher> {
  return (await findLauncher(slug, service)) ?? noBundle()
}

/** The launcher with a slug, or null. @throws Problem BLOCKED. */
export async function findLauncher(
  slug: string | null,
  { launchers }: Pick<Service, 'launchers'>,
): Promise<Launcher | null> {
  return slug === null ? null : (launchers.peek(slug) ?? (await launchers.load(slug)))
}

/** Refuses an unknown slug. */
export function noBundle(): never {
  throw missingBundle()
}

/** The error for an unknown slug. */
export function missingBundle(): Problem {
  return new Problem(
    'NOT_FOUND',
    'There’s no bundle at this link. It may have been deleted, or the link may be mistyped.',
  )
}

/** The rule that a viewer matches, or null. */
export function ruleFor(
  { headers, url, client }: PolicyRequest,
  { policy }: Launcher,
  account: Account | null,
  { countryHeader }: Pick<Config, 'countryHeader'>,
  filling: Filling,
): ShownRule | null {
  if (policy === null) return null
  const values = filling === FREE ? undefined : valuesIn(filling)
  return policy.match({ headers, url, client, now: Date.now(), countryHeader, account, values })
}

/** Whether the session must be read: the policy depends on the account, and the request may have a session. */
export function needsSession({ headers }: LauncherViewer, { policy }: Launcher): boolean {
  if (policy === null || !headers.has('cookie')) return false
  return policy.needsAccount
}

/** Whether a viewer has no session although the rules ask for an account: signing in may show them more. */
export function maySignIn({ policy }: Pick<Launcher, 'policy'>, account: Account | null): boolean {
  return account === null && policy !== null && policy.needsAccount
}

/** A viewer’s account for rules; null if the rules need none, or there is none. */
export async function accountOf(viewer: LauncherViewer, launcher: Launcher, service: Service): Promise<Account | null> {
  if (!needsSession(viewer, launcher)) return null
  const session = await service.readSession(viewer.headers)
  if (session === null) return null
  const { organizationId } = launcher
  const needsRole = organizationId !== null && (launcher.policy?.needs('orgRole') ?? false)
  return {
    emailDomain: session.emailDomain,
    orgRole: needsRole ? await roleIn(service.store, session.userId, organizationId) : null,
  }
}

/** The part of a request that policies read. */
export type PolicyRequest = Pick<ViewerRequest, 'headers' | 'url' | 'client'>

/**
 * Requests from a launcher's page have no Referer of their own, so its script passes on the page's
 * (views/launcher/parts/open-all.js) to get the same tabs. Neither is trustworthy.
 */
function asReferred(viewer: LauncherViewer, origin: string): PolicyRequest {
  const { headers, url, client } = viewer
  const referrer = new URL(url, origin).searchParams.get('openall-referrer')
  return referrer === null ? viewer : { client, url, headers: withReferrer(headers, referrer) }
}

/** Headers with another Referer. */
export function withReferrer(headers: Headers, referrer: string | null): Pick<Headers, 'get'> {
  return { get: (name) => (name === 'referer' ? referrer : headers.get(name)) }
}
