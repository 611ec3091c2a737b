/** @jsxImportSource @kitajs/html */

import type { Rule } from '../../db/policy.ts'
import { LauncherPage } from '../../views/launcher/launcher.tsx'
import { Problem } from '../core/problem.ts'
import { clientAddress } from '../http/client.ts'
import { encode, encodingFor, HTML, headersWith } from '../http/respond.ts'
import { roleIn } from '../identity/sessions.ts'
import type { Account, ViewerRequest } from '../policies/facts.ts'
import type { Service } from '../service.ts'
import type { Encoding, Launcher } from './launchers.ts'
import { type PublicBundle, type ServedBundle, shownTo } from './served.ts'

/** The launcher at `/l/:slug`, as the front door and the router ask for it. */
export interface LauncherPages {
  /** The answer where nothing needs to be read for it; else undefined. The slug begins at `from` in the request's `url`. */
  kept(request: Request, url: string, from: number, address: string): Response | undefined
  /** The answer to whatever reaches the router, whatever it takes. Elysia makes null of a slug that encodes nothing. */
  answer(request: Request, slug: string | null): Promise<Response>
  /** What the viewer is shown, for another way of showing it; no view is counted. */
  shown(request: Request, slug: string | null): Promise<PublicBundle>
}

/**
 * The hot path: a view of a bundle that was viewed lately neither reads nor renders; its policy was compiled
 * with it. It is the one page that goes round `execute`, for it takes no input beyond its slug, and has no
 * limit and no refusal.
 */
export function launcherPages(service: Service): LauncherPages {
  const { config, launchers, recorder } = service
  const site = { name: config.name, origin: config.origin }
  const match = (sent: Sent, { policy }: Launcher, account: Account | null): Rule | null => {
    if (policy === null) return null
    const { headers, url } = sent
    return policy.match({ headers, url, now: Date.now(), countryHeader: config.countryHeader, account })
  }

  /** The answer, its page made of `bundle` where it is not kept; undefined where there is no bundle to make it of. */
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
      const view = <LauncherPage site={site} bundle={shownTo(rule, bundle)} />
      launchers.keep(launcher, variant, encoding, (body = encode(view as string, encoding, 'kept')))
    }
    if (isView(request)) recorder.view(variant, address, request.headers.get('user-agent') ?? '')
    return new Response(body, (launcher.policy === null ? SHARED : PRIVATE)[encoding])
  }
  const load = async (slug: string | null) => {
    if (slug === null) return noBundle()
    return launchers.peek(slug) ?? (await launchers.load(slug)) ?? noBundle()
  }
  return {
    kept(request, url, from, address) {
      const query = url.indexOf('?', from)
      const launcher = launchers.peek(url, from, query === -1 ? url.length : query)
      return launcher === undefined || asksWho(request, launcher)
        ? undefined
        : respond(request, launcher, { account: null, address, bundle: launcher.bundle })
    },
    async answer(request, slug) {
      const address = clientAddress(request)
      const launcher = await load(slug)
      const account = await accountOf(request, launcher, service)
      const kept = respond(request, launcher, { account, address, bundle: launcher.bundle })
      if (kept !== undefined) return kept
      const bundle = await launchers.bundleOf(launcher)
      return respond(request, launcher, { account, address, bundle }) ?? noBundle()
    },
    async shown(request, slug) {
      const launcher = await load(slug)
      const account = await accountOf(request, launcher, service)
      const bundle = (await launchers.bundleOf(launcher)) ?? noBundle()
      return shownTo(match(asReferred(request, config.origin), launcher, account), bundle)
    },
  }
}

/** What a policy is asked with. */
type Sent = Pick<ViewerRequest, 'headers' | 'url'>

/**
 * What a launcher leads to is asked for without a Referer; its script tells whose link led to the page
 * (views/launcher/launcher.js), so that both show the same tabs. Either is no more than what the browser says.
 */
function asReferred({ headers, url }: Request, origin: string): Sent {
  const referrer = new URL(url, origin).searchParams.get('openall-referrer')
  if (referrer === null) return { headers, url }
  return { headers: { get: (name) => (name === 'referer' ? referrer : headers.get(name)) }, url }
}

/** Refuses a slug that no bundle is served under. */
export function noBundle(): never {
  throw new Problem('NOT_FOUND', 'This link leads to no bundle. It may have been deleted, or a letter may be wrong.')
}

/** Whether a session must be read: only where the policy asks who looks and somebody may be signed in. */
function asksWho({ headers }: Request, { policy }: Launcher): boolean {
  if (policy === null || !headers.has('cookie')) return false
  return policy.needsAccount
}

async function accountOf(request: Request, launcher: Launcher, service: Service): Promise<Account | null> {
  if (!asksWho(request, launcher)) return null
  const session = await service.readSession(request.headers)
  if (session === null) return null
  const { organizationId } = launcher
  const asksRole = organizationId !== null && (launcher.policy?.needs('orgRole') ?? false)
  return {
    emailDomain: session.emailDomain,
    orgRole: asksRole ? await roleIn(service.store, session.userId, organizationId) : null,
  }
}

/** Made once: building headers costs more than everything else a kept page needs. */
const SHARED = heads('no-cache')
/** What one viewer sees must not be kept for the next (decisions 5). */
const PRIVATE = heads('private, no-store')

function heads(cacheControl: string): Record<Encoding, ResponseInit> {
  const head = (encoding: Encoding) => ({
    headers: headersWith({
      'content-type': HTML,
      'cache-control': cacheControl,
      'x-robots-tag': 'noindex',
      vary: 'Accept-Encoding',
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    }),
  })
  return { br: head('br'), gzip: head('gzip'), identity: head('identity') }
}

/** Whether a request is somebody looking: not a HEAD, nor a browser fetching ahead (decisions 5). */
function isView({ method, headers }: Request): boolean {
  const purpose = headers.get('sec-purpose') ?? headers.get('purpose')
  return method === 'GET' && (purpose === null || !/prefetch|prerender|preview/i.test(purpose))
}
