/** @jsxImportSource @kitajs/html */

import { ClosedPage } from '../../views/launcher/closed.tsx'
import { LauncherPage } from '../../views/launcher/launcher.tsx'
import { formFor } from '../audience/form.ts'
import { unknownUrl } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { checkLinks, type Filling, isComplete } from '../core/template.js'
import { clientAddress } from '../http/client.ts'
import { encode, encodingFor } from '../http/encoding.ts'
import { HTML, headersWith, text } from '../http/respond.ts'
import { type AccessDecision, decideAccess, decideWithPassword, refused } from '../launcher/access-decision.ts'
import { isOpenToAll } from '../launcher/access-gate.ts'
import { addressWith, FREE, filledBundle, fillingOf } from '../launcher/filling.ts'
import type { Encoding, Launcher, Variant } from '../launcher/launchers.ts'
import { markedFilling, PageTemplate } from '../launcher/page-template.ts'
import { accountOf, findLauncher, loadLauncher, needsSession, noBundle, ruleFor } from '../launcher/seen.ts'
import { type PublicBundle, publicBundle, type ServedBundle } from '../launcher/served.ts'
import type { Account } from '../policies/facts.ts'
import { AT_LINK, NEGOTIATED } from './asked-form.ts'

/** Answers `/l/:slug`. */
export interface LauncherPages {
  /** The answer if it needs no read, else undefined. */
  cached(request: Request, slug: string): Response | undefined
  /** The answer, read and rendered if necessary. Elysia passes null for an undecodable slug. */
  answer(request: Request, slug: string | null): Promise<Response>
  /**
   * Answers the form with a bundle’s password: with the launcher if it is right. Null if there is no bundle.
   * @param value of the first variable, as the rest of the address.
   * @throws Problem FORBIDDEN from another site, which could make its visitors guess; NOT_FOUND for a value if it has none.
   */
  unlock(request: Request, slug: string | null, value?: string | null): Promise<Response | null>
}

/**
 * The hot path: a view of a cached launcher neither reads nor renders. The only page that bypasses `execute`, because it
 * has no input beyond its slug, no rate limit and no authorisation.
 */
export function launcherPages(service: Service): LauncherPages {
  const { config, launchers, recorder } = service
  const site = { name: config.name, origin: config.origin, shortPaths: config.shortPaths }
  /** The answer, rendered from `bundle` if the page is not cached; undefined if there is no bundle to render. */
  const respond = (
    request: Request,
    launcher: Launcher,
    { account, address, bundle }: { account: Account | null; address: string; bundle: ServedBundle | null },
  ) => {
    const filling = launcher.variables === null ? FREE : fillingOf(request, launcher.variables)
    const rule = ruleFor(request, launcher, account, config, filling)
    const variant = launchers.variant(launcher, rule)
    // One comparison for most launchers; without any value, the page is the same for everybody like theirs.
    if (filling !== FREE && !isBlank(filling)) {
      const html = filledPage({ launcher, variant, filling }, () => bundle && publicBundle(rule, bundle))
      if (html === undefined) return undefined
      if (isView(request)) recorder.view(variant, address, request.headers)
      const encoding = encodingFor(request)
      return new Response(encode(html, encoding, 'once'), PRIVATE[encoding])
    }
    const encoding = encodingFor(request)
    let body = variant[encoding]
    if (body === undefined) {
      if (bundle === null) return undefined
      const { deciding } = launcher
      const view = (
        <LauncherPage site={site} bundle={publicBundle(rule, bundle)} filling={filling} deciding={deciding} />
      )
      body = encode(view as string, encoding, 'cached')
      launchers.addPage(launcher, variant, { [encoding]: body })
    }
    if (isView(request)) recorder.view(variant, address, request.headers)
    return new Response(body, (isShared(launcher) ? SHARED : PRIVATE)[encoding])
  }
  /** A page with values; undefined if there is no bundle to render it from. */
  const filledPage = (
    { launcher, variant, filling }: { launcher: Launcher; variant: Variant; filling: Filling },
    bundleOf: () => PublicBundle | null,
  ) => {
    const { deciding } = launcher
    let { template } = variant
    if (template === undefined) {
      const bundle = bundleOf()
      if (bundle === null) return undefined
      const { variables, urls } = bundle
      const marked = markedFilling(variables)
      const view = <LauncherPage site={site} bundle={bundle} filling={marked} deciding={deciding} />
      template = new PageTemplate(view as string, variables, urls)
      launchers.addPage(launcher, variant, { template })
    }
    const checked = checkLinks(filling, template.links)
    if (isComplete(checked)) return template.fill(checked.values)
    const bundle = bundleOf()
    if (bundle === null) return undefined
    return (<LauncherPage site={site} bundle={bundle} filling={checked} deciding={deciding} />) as string
  }
  const load = (slug: string | null) => loadLauncher(slug, service)

  /** What a viewer gets who is in front of a gate and not of a launcher that is open to all. */
  const respondAtGate = async (
    request: Request,
    launcher: Launcher,
    { refusal, outside }: AccessDecision,
  ): Promise<Response> => {
    if (refusal === null) {
      // Of a launcher that is not open, to its owner: neither cached nor counted.
      const bundle = await launchers.bundleOf(launcher)
      if (bundle === null) return pages.answer(request, launcher.slug)
      const filling = fillingOf(request, bundle.variables)
      const rule = ruleFor(request, launcher, await accountOf(request, launcher, service), config, filling)
      const seen = publicBundle(rule, bundle)
      const filled = { bundle: seen, filling: checkLinks(filling, seen.urls), deciding: launcher.deciding }
      const view = <LauncherPage site={site} {...filled} outside={outside} />
      return text(request, view as string, { type: HTML, headers: AT_LINK })
    }
    if (refusal.kind === 'members' || refusal.kind === 'password') {
      return (await import('./locked.tsx')).lockedPage(request, launcher.slug, refusal, service)
    }
    const view = <ClosedPage site={site} outside={refusal} />
    return text(request, view as string, { type: HTML, status: refused(refusal).status, headers: AT_LINK })
  }
  const pages: LauncherPages = {
    cached(request, slug) {
      const launcher = launchers.peek(slug)
      // Most bundles have no gate, and then this costs one comparison.
      return launcher === undefined ||
        needsSession(request, launcher) ||
        formFor(request.headers) !== 'html' ||
        (launcher.gate !== null && !isOpenToAll(launcher.gate, Date.now()))
        ? undefined
        : respond(request, launcher, { account: null, address: clientAddress(request), bundle: launcher.bundle })
    },
    async answer(request, slug) {
      const address = clientAddress(request)
      const launcher = await load(slug)
      const decision = await decideAccess(launcher.gate, request.headers, service)
      if (decision.refusal !== null || decision.outside !== null) return respondAtGate(request, launcher, decision)
      const account = await accountOf(request, launcher, service)
      const cached = respond(request, launcher, { account, address, bundle: launcher.bundle })
      if (cached !== undefined) return cached
      const bundle = await launchers.bundleOf(launcher)
      if (bundle === null) return pages.answer(request, slug)
      return respond(request, launcher, { account, address, bundle }) ?? noBundle()
    },
    async unlock(request, slug, value) {
      const locked = await findLauncher(slug, service)
      if (locked === null) return null
      const { tryPassword, unlocked } = await import('./locked.tsx')
      // Whoever got the form before they signed in needs no password.
      const isInside = (await decideAccess(locked.gate, request.headers, service)).refusal === null
      const tried = await tryPassword(request, locked, isInside, service)
      if (tried instanceof Response) return tried
      for (;;) {
        // Read again, because hashing takes long enough for the bundle to be edited.
        const launcher = await load(locked.slug)
        const { gate, deciding } = launcher
        const decision = isInside ? await decideAccess(gate, request.headers, service) : decideWithPassword(gate)
        if (decision.refusal !== null) return respondAtGate(request, launcher, decision)
        const served = await launchers.bundleOf(launcher)
        if (served === null) continue
        const url = value == null ? tried.url : addressWith(tried.url, served.variables, value)
        if (url === null) throw unknownUrl()
        const viewer = { ...tried, url }
        const sent = fillingOf(viewer, served.variables)
        const rule = ruleFor(viewer, launcher, await accountOf(request, launcher, service), config, sent)
        const bundle = publicBundle(rule, served)
        const filling = checkLinks(sent, bundle.urls)
        const { outside } = decision
        const within = unlocked(filledBundle(bundle, filling), filling, config)
        const filled = { bundle, filling, deciding }
        const view = <LauncherPage site={site} {...filled} outside={outside} unlocked={within} />
        if (outside === null) recorder.view(launchers.variant(launcher, rule), clientAddress(request), tried.headers)
        return text(request, view as string, { type: HTML, headers: AT_LINK })
      }
    },
  }
  return pages
}

/** Whether all viewers may see the same page: not with rules, or a gate that only some pass. */
function isShared({ policy, gate }: Launcher): boolean {
  return policy === null && (gate === null || gate.access === 'link')
}

/** Whether a launcher is opened without any value and cannot be filled. */
function isBlank({ missing, invalid, sent }: Filling): boolean {
  if (missing.length === 0 || invalid.length > 0) return false
  for (const _ in sent) return false
  return true
}

/** Built once: building headers costs more than the rest of a cached view. */
const SHARED = responseInits('no-cache')
/** With rules, a shared cache must not serve one viewer's page to another. */
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

/** Whether a request counts as a view: not a HEAD or a prefetch. */
function isView({ method, headers }: Request): boolean {
  const purpose = headers.get('sec-purpose') ?? headers.get('purpose')
  return method === 'GET' && (purpose === null || !/prefetch|prerender|preview/i.test(purpose))
}
