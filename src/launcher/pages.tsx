/** @jsxImportSource @kitajs/html */

import type { Rule } from '../../db/policy.ts'
import { ClosedPage } from '../../views/launcher/closed.tsx'
import { LauncherPage } from '../../views/launcher/launcher.tsx'
import { formFor } from '../audience/form.ts'
import { Problem } from '../core/problem.ts'
import { clientAddress } from '../http/client.ts'
import { encode, encodingFor, HTML, headersWith, text } from '../http/respond.ts'
import { roleIn } from '../identity/sessions.ts'
import type { Account } from '../policies/facts.ts'
import type { Service } from '../service.ts'
import { isOpenToAll } from './door.ts'
import { type Entry, entryAt, entryWithPassword, refused } from './entry.ts'
import { AT_LINK, NEGOTIATED } from './forms.ts'
import type { Encoding, Launcher } from './launchers.ts'
import { asReferred, type LauncherViewer, type PolicyRequest } from './referred.ts'
import { type PublicBundle, publicBundle, type ServedBundle } from './served.ts'

/** Answers `/l/:slug`, for the front door and the router. */
export interface LauncherPages {
  /** The answer if it needs no read, else undefined. The slug starts at `from` in `url`. */
  cached(request: Request, url: string, from: number, address: string): Response | undefined
  /** The answer, read and rendered if necessary. Elysia passes null for an undecodable slug. */
  answer(request: Request, slug: string | null): Promise<Response>
  /**
   * The bundle as this viewer sees it, for other formats; counts no view.
   * @throws Problem MEMBERS_ONLY, PASSWORD_REQUIRED, NOT_OPEN_YET, CLOSED.
   */
  bundleFor(viewer: LauncherViewer, slug: string | null): Promise<ViewerBundle>
  /** Answers the form with a bundle’s password: with the launcher if it is right. Null if there is no bundle. */
  unlock(request: Request, slug: string | null): Promise<Response | null>
}

/** A bundle as one viewer sees it. */
export interface ViewerBundle {
  bundle: PublicBundle
  id: number
  versionNumber: number
  /** Whether a copy that is kept could be seen by someone who may not see the bundle. */
  isGuarded: boolean
}

/**
 * The hot path: a view of a cached launcher neither reads nor renders. The only page that bypasses `execute`, because it
 * has no input beyond its slug, no rate limit and no authorisation.
 */
export function launcherPages(service: Service): LauncherPages {
  const { config, launchers, recorder } = service
  const site = { name: config.name, origin: config.origin }
  const match = (request: PolicyRequest, { policy }: Launcher, account: Account | null): Rule | null => {
    if (policy === null) return null
    const { headers, url, client } = request
    return policy.match({ headers, url, client, now: Date.now(), countryHeader: config.countryHeader, account })
  }

  /** The answer, rendered from `bundle` if the page is not cached; undefined if there is no bundle to render. */
  const respond = (
    request: Request,
    launcher: Launcher,
    { account, address, bundle }: { account: Account | null; address: string; bundle: ServedBundle | null },
  ) => {
    const rule = match(request, launcher, account)
    const variant = launchers.variant(launcher, rule)
    const encoding = encodingFor(request)
    let body = variant[encoding]
    if (body === undefined) {
      if (bundle === null) return undefined
      const view = <LauncherPage site={site} bundle={publicBundle(rule, bundle)} />
      launchers.addPage(launcher, variant, encoding, (body = encode(view as string, encoding, 'cached')))
    }
    if (isView(request)) recorder.view(variant, address, request.headers)
    return new Response(body, (isShared(launcher) ? SHARED : PRIVATE)[encoding])
  }
  const find = async (slug: string | null) =>
    slug === null ? null : (launchers.peek(slug) ?? (await launchers.load(slug)))
  const load = async (slug: string | null) => (await find(slug)) ?? noBundle()
  const bundleOf = async (launcher: Launcher) => (await launchers.bundleOf(launcher)) ?? noBundle()

  /** What a viewer gets who is in front of a door and not of a launcher that is open to all. */
  const respondAtDoor = async (request: Request, launcher: Launcher, { refusal, outside }: Entry) => {
    if (refusal === null) {
      // Of a launcher that is not open, to its owner: neither cached nor counted.
      const rule = match(request, launcher, await accountOf(request, launcher, service))
      const view = <LauncherPage site={site} bundle={publicBundle(rule, await bundleOf(launcher))} outside={outside} />
      return text(request, view as string, { type: HTML, headers: AT_LINK })
    }
    if (refusal.kind === 'members' || refusal.kind === 'password') {
      return (await import('./locked.tsx')).lockedPage(request, launcher.slug, refusal, service)
    }
    const view = <ClosedPage site={site} outside={refusal} />
    return text(request, view as string, { type: HTML, status: refused(refusal).status, headers: AT_LINK })
  }
  return {
    cached(request, url, from, address) {
      const query = url.indexOf('?', from)
      const launcher = launchers.peek(url, from, query === -1 ? url.length : query)
      // Most bundles have no door, and then this costs one comparison.
      return launcher === undefined ||
        needsSession(request, launcher) ||
        formFor(request.headers) !== 'html' ||
        (launcher.door !== null && !isOpenToAll(launcher.door, Date.now()))
        ? undefined
        : respond(request, launcher, { account: null, address, bundle: launcher.bundle })
    },
    async answer(request, slug) {
      const address = clientAddress(request)
      const launcher = await load(slug)
      const entry = await entryAt(launcher.door, request.headers, service)
      if (entry.refusal !== null || entry.outside !== null) return respondAtDoor(request, launcher, entry)
      const account = await accountOf(request, launcher, service)
      const cached = respond(request, launcher, { account, address, bundle: launcher.bundle })
      if (cached !== undefined) return cached
      const bundle = await launchers.bundleOf(launcher)
      return respond(request, launcher, { account, address, bundle }) ?? noBundle()
    },
    async bundleFor(viewer, slug) {
      const launcher = await load(slug)
      const { refusal } = await entryAt(launcher.door, viewer.headers, service)
      if (refusal !== null) throw refused(refusal)
      const account = await accountOf(viewer, launcher, service)
      const rule = match(asReferred(viewer, config.origin), launcher, account)
      const bundle = await bundleOf(launcher)
      const { id, versionNumber } = bundle
      return { bundle: publicBundle(rule, bundle), id, versionNumber, isGuarded: launcher.door !== null }
    },
    async unlock(request, slug) {
      const locked = await find(slug)
      if (locked === null) return null
      const { tryPassword, unlocked } = await import('./locked.tsx')
      const tried = await tryPassword(request, locked, service)
      if (tried instanceof Response) return tried
      // Read again, because hashing takes long enough for the bundle to be edited.
      const launcher = await load(locked.slug)
      const entry = entryWithPassword(launcher.door)
      if (entry.refusal !== null) return respondAtDoor(request, launcher, entry)
      const rule = match(tried, launcher, await accountOf(request, launcher, service))
      const bundle = publicBundle(rule, await bundleOf(launcher))
      const view = <LauncherPage site={site} bundle={bundle} unlocked={unlocked(bundle, config)} />
      recorder.view(launchers.variant(launcher, rule), clientAddress(request), tried.headers)
      return text(request, view as string, { type: HTML, headers: AT_LINK })
    },
  }
}

/** Whether all viewers may see the same page: not with rules, or a door that only some pass. */
function isShared({ policy, door }: Launcher): boolean {
  return policy === null && (door === null || door.access === 'link')
}

/** Refuses an unknown slug. */
export function noBundle(): never {
  throw new Problem(
    'NOT_FOUND',
    'There’s no bundle at this link. It may have been deleted, or the link may be mistyped.',
  )
}

/** Whether the session must be read: the policy depends on the account, and there may be one. */
function needsSession({ headers }: LauncherViewer, { policy }: Launcher): boolean {
  if (policy === null || !headers.has('cookie')) return false
  return policy.needsAccount
}

async function accountOf(viewer: LauncherViewer, launcher: Launcher, service: Service): Promise<Account | null> {
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

/** Built once: building headers costs more than the rest of a cached view. */
const SHARED = responseInits('no-cache')
/** With rules, a shared cache must not serve one viewer's page to another (decisions 5). */
const PRIVATE = responseInits('private, no-store')

function responseInits(cacheControl: string): Record<Encoding, ResponseInit> {
  const head = (encoding: Encoding) => ({
    headers: headersWith({
      'content-type': HTML,
      'cache-control': cacheControl,
      'x-robots-tag': 'noindex',
      vary: NEGOTIATED,
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    }),
  })
  return { br: head('br'), gzip: head('gzip'), identity: head('identity') }
}

/** Whether a request counts as a view: not a HEAD or a prefetch (decisions 5). */
function isView({ method, headers }: Request): boolean {
  const purpose = headers.get('sec-purpose') ?? headers.get('purpose')
  return method === 'GET' && (purpose === null || !/prefetch|prerender|preview/i.test(purpose))
}
