/** @jsxImportSource @kitajs/html */

import { Carried } from '../../views/launcher/carried.tsx'
import { ClosedPage } from '../../views/launcher/closed.tsx'
import { LauncherPage } from '../../views/launcher/launcher.tsx'
import { formFor } from '../audience/form.ts'
import { checkLinks } from '../core/fixed-links.js'
import { unknownUrl } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { type Filling, isComplete } from '../core/template.js'
import { clientAddress } from '../http/client.ts'
import { encode, encodingFor } from '../http/encoding.ts'
import { inPlaceOf } from '../http/observe.ts'
import { HTML, headersWith, text } from '../http/respond.ts'
import { type AccessDecision, decideAccess, decideWithPassword, refused } from '../launcher/access-decision.ts'
import { isOpenToAll } from '../launcher/access-gate.ts'
import type { Encoding, Launcher, Variant } from '../launcher/cached.ts'
import { type Asked, addressWith, askedOf, FREE, filledBundle, NOTHING_ASKED } from '../launcher/filling.ts'
import { CARRIED_MARK, markedFilling, PageTemplate } from '../launcher/page-template.ts'
import { accountOf, findLauncher, loadLauncher, needsSession, noBundle, ruleFor } from '../launcher/seen.ts'
import { type PublicBundle, publicBundle, type ServedBundle } from '../launcher/served.ts'
import type { Account } from '../policies/facts.ts'
import { AT_LINK, NEGOTIATED } from './asked-form.ts'
import { freeSlugPage } from './free-slug.tsx'
import { lockedPage, tryPassword, unlocked } from './locked.tsx'

/** Answers `/l/:slug`. */
export interface LauncherPages {
  /** The answer if it needs no read, else undefined. */
  cached(request: Request, slug: string): Response | undefined
  /**
   * The answer, read and rendered if necessary. Elysia passes null for an undecodable slug.
   * @param value of the first variable, as the rest of the address. Whoever is in front of a gate does not learn from it
   * whether there are variables.
   * @throws Problem NOT_FOUND for a value if it has none.
   */
  answer(request: Request, slug: string | null, value?: string): Promise<Response>
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
    const { filling, others } = launcher.variables === null ? NOTHING_ASKED : askedOf(request, launcher.variables)
    const rule = ruleFor(request, launcher, account, config, filling)
    const variant = launchers.variant(launcher, rule)
    // One comparison for most launchers; without a query, the page is the same for everybody like theirs.
    if (filling !== FREE && !(others.length === 0 && isBlank(filling))) {
      const html = filledPage({ launcher, variant, filling, others }, () => bundle && publicBundle(rule, bundle))
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
  /** A page with values, or whose form carries something; undefined if there is no bundle to render it from. */
  const filledPage = (
    { launcher, variant, filling, others }: Asked & { launcher: Launcher; variant: Variant },
    bundleOf: () => PublicBundle | null,
  ) => {
    const { deciding } = launcher
    const kept = isBlank(filling) ? 'blank' : 'template'
    let template = variant[kept]
    if (template === undefined) {
      const bundle = bundleOf()
      if (bundle === null) return undefined
      const { variables, urls } = bundle
      const shown = kept === 'blank' ? filling : markedFilling(variables)
      const slots = { filling: shown, deciding, carried: CARRIED_MARK }
      const view = <LauncherPage site={site} bundle={bundle} {...slots} />
      template = new PageTemplate(view as string, variables, urls)
      launchers.addPage(launcher, variant, { [kept]: template })
    }
    const carried = <Carried others={others} />
    if (kept === 'blank') return template.fill({}, carried as string)
    const checked = checkLinks(filling, template.links)
    if (isComplete(checked)) return template.fill(checked.values, carried as string)
    const bundle = bundleOf()
    if (bundle === null) return undefined
    const filled = { bundle, filling: checked, deciding, carried }
    return (<LauncherPage site={site} {...filled} />) as string
  }
  const load = (slug: string | null) => loadLauncher(slug, service)
  const missing = async (request: Request, slug: string | null) => {
    if (slug === null || !request.headers.has('cookie')) noBundle()
    return freeSlugPage(request, slug, service)
  }

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
      const { filling, others } = askedOf(request, bundle.variables)
      const rule = ruleFor(request, launcher, await accountOf(request, launcher, service), config, filling)
      const seen = publicBundle(rule, bundle)
      const filled = { bundle: seen, filling: checkLinks(filling, seen.urls), deciding: launcher.deciding }
      const view = <LauncherPage site={site} {...filled} carried={<Carried others={others} />} outside={outside} />
      return text(request, view as string, { type: HTML, headers: AT_LINK })
    }
    if (refusal.kind === 'members' || refusal.kind === 'password') {
      return lockedPage(request, launcher.slug, refusal, service)
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
    async answer(request, slug, value) {
      const address = clientAddress(request)
      const launcher = await findLauncher(slug, service)
      if (launcher === null) return value === undefined ? missing(request, slug) : noBundle()
      const decision = await decideAccess(launcher.gate, request.headers, service)
      if (decision.refusal !== null) return respondAtGate(request, launcher, decision)
      const asked = value === undefined ? request : withValue(request, launcher, value)
      if (decision.outside !== null) return respondAtGate(asked, launcher, decision)
      const account = await accountOf(asked, launcher, service)
      const cached = respond(asked, launcher, { account, address, bundle: launcher.bundle })
      if (cached !== undefined) return cached
      const bundle = await launchers.bundleOf(launcher)
      if (bundle === null) return pages.answer(asked, slug)
      return respond(asked, launcher, { account, address, bundle }) ?? noBundle()
    },
    async unlock(request, slug, value) {
      const locked = await findLauncher(slug, service)
      if (locked === null) return null
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
        const asked = askedOf(viewer, served.variables)
        const rule = ruleFor(viewer, launcher, await accountOf(request, launcher, service), config, asked.filling)
        const bundle = publicBundle(rule, served)
        const filling = checkLinks(asked.filling, bundle.urls)
        const { outside } = decision
        const within = unlocked(filledBundle(bundle, filling), filling, config)
        const filled = { bundle, filling, deciding, carried: <Carried others={asked.others} /> }
        const view = <LauncherPage site={site} {...filled} outside={outside} unlocked={within} />
        if (outside === null) recorder.view(launchers.variant(launcher, rule), clientAddress(request), tried.headers)
        return text(request, view as string, { type: HTML, headers: AT_LINK })
      }
    },
  }
  return pages
}

/** A request for `/l/<slug>/<value>` as one with the value in its query. @throws Problem NOT_FOUND without variables. */
function withValue(request: Request, { variables }: Launcher, value: string): Request {
  const address = addressWith(request.url, variables ?? [], value)
  if (address === null) throw unknownUrl()
  return inPlaceOf(request, new Request(address, request))
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
