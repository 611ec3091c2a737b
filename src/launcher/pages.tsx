/** @jsxImportSource @kitajs/html */

import type { Rule } from '../../db/policy.ts'
import { ClosedPage } from '../../views/launcher/closed.tsx'
import { LauncherPage } from '../../views/launcher/launcher.tsx'
import type { Client } from '../audience/client.ts'
import { formFor } from '../audience/form.ts'
import { Problem } from '../core/problem.ts'
import { clientAddress } from '../http/client.ts'
import { encode, encodingFor, HTML, headersWith, text } from '../http/respond.ts'
import { roleIn } from '../identity/sessions.ts'
import type { Account, ViewerRequest } from '../policies/facts.ts'
import type { Service } from '../service.ts'
import { NEGOTIATED } from './forms.ts'
import type { Encoding, Launcher } from './launchers.ts'
import { type PublicBundle, publicBundle, type ServedBundle } from './served.ts'
import { isOpen, notOpen, type Outside, outsideOf } from './times.ts'

/** Answers `/l/:slug`, for the front door and the router. */
export interface LauncherPages {
  /** The answer if it needs no read, else undefined. The slug starts at `from` in `url`. */
  cached(request: Request, url: string, from: number, address: string): Response | undefined
  /** The answer, read and rendered if necessary. Elysia passes null for an undecodable slug. */
  answer(request: Request, slug: string | null): Promise<Response>
  /**
   * The bundle as this viewer sees it, for other formats; counts no view.
   * @throws Problem NOT_OPEN_YET, CLOSED.
   */
  bundleFor(viewer: LauncherViewer, slug: string | null): Promise<ViewerBundle>
}

/** Who asks for another format of a launcher: a request, or what stands for one. */
interface LauncherViewer extends Pick<Request, 'headers' | 'url'> {
  /** The kind of client, where it is known from elsewhere than the headers. */
  client?: Client
}

/** A bundle as one viewer sees it. */
export interface ViewerBundle {
  bundle: PublicBundle
  id: number
  versionNumber: number
  /** Whether a copy that is kept may outlive its times. */
  isTimed: boolean
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
    return new Response(body, (launcher.policy === null ? SHARED : PRIVATE)[encoding])
  }
  const load = async (slug: string | null) => {
    if (slug === null) return noBundle()
    return launchers.peek(slug) ?? (await launchers.load(slug)) ?? noBundle()
  }
  const bundleOf = async (launcher: Launcher) => (await launchers.bundleOf(launcher)) ?? noBundle()

  /** Whether a viewer is signed in as the owner of a bundle, or as a member of the organisation that owns it. */
  const isOwner = async ({ headers }: LauncherViewer, launcher: Launcher) => {
    const session = headers.has('cookie') ? await service.readSession(headers) : null
    if (session === null) return false
    const { userId, organizationId } = await bundleOf(launcher)
    if (organizationId === null) return session.userId === userId
    return (await roleIn(service.store, session.userId, organizationId)) !== null
  }

  /** The answer of a bundle that is not open. Its owner sees the launcher, which is neither cached nor counted. */
  const respondOutside = async (request: Request, launcher: Launcher, outside: Outside) => {
    const headers = { 'x-robots-tag': 'noindex', vary: NEGOTIATED }
    if (!(await isOwner(request, launcher))) {
      const view = <ClosedPage site={site} outside={outside} />
      return text(request, view as string, { type: HTML, status: notOpen(outside).status, headers })
    }
    const rule = match(request, launcher, await accountOf(request, launcher, service))
    const view = <LauncherPage site={site} bundle={publicBundle(rule, await bundleOf(launcher))} outside={outside} />
    return text(request, view as string, { type: HTML, headers })
  }
  return {
    cached(request, url, from, address) {
      const query = url.indexOf('?', from)
      const launcher = launchers.peek(url, from, query === -1 ? url.length : query)
      // Most bundles have no times, and then this costs one comparison.
      return launcher === undefined ||
        needsSession(request, launcher) ||
        formFor(request.headers) !== 'html' ||
        (launcher.times !== null && !isOpen(launcher.times, Date.now()))
        ? undefined
        : respond(request, launcher, { account: null, address, bundle: launcher.bundle })
    },
    async answer(request, slug) {
      const address = clientAddress(request)
      const launcher = await load(slug)
      const outside = outsideOf(launcher.times, Date.now())
      if (outside !== null) return respondOutside(request, launcher, outside)
      const account = await accountOf(request, launcher, service)
      const cached = respond(request, launcher, { account, address, bundle: launcher.bundle })
      if (cached !== undefined) return cached
      const bundle = await launchers.bundleOf(launcher)
      return respond(request, launcher, { account, address, bundle }) ?? noBundle()
    },
    async bundleFor(viewer, slug) {
      const launcher = await load(slug)
      const outside = outsideOf(launcher.times, Date.now())
      if (outside !== null && !(await isOwner(viewer, launcher))) throw notOpen(outside)
      const account = await accountOf(viewer, launcher, service)
      const rule = match(asReferred(viewer, config.origin), launcher, account)
      const bundle = await bundleOf(launcher)
      const { id, versionNumber } = bundle
      return { bundle: publicBundle(rule, bundle), id, versionNumber, isTimed: launcher.times !== null }
    },
  }
}

/** The part of a request that policies read. */
type PolicyRequest = Pick<ViewerRequest, 'headers' | 'url' | 'client'>

/**
 * Requests from a launcher's page have no Referer of their own, so its script passes on the page's
 * (views/launcher/open-all.js) to get the same tabs. Neither is trustworthy.
 */
function asReferred(viewer: LauncherViewer, origin: string): PolicyRequest {
  const { headers, url, client } = viewer
  const referrer = new URL(url, origin).searchParams.get('openall-referrer')
  if (referrer === null) return viewer
  return { client, url, headers: { get: (name) => (name === 'referer' ? referrer : headers.get(name)) } }
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
