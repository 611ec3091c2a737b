/** @jsxImportSource @kitajs/html */

import { formFor } from '../../../src/audience/negotiation.ts'
import { isFree } from '../../../src/bundles/edit/dry-run.ts'
import { isDated } from '../../../src/core/dates.js'
import { checkLinks } from '../../../src/core/fixed-links.js'
import { unknownUrl } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { type Filling, isComplete } from '../../../src/core/template.js'
import { clientAddress, clientOrigin, inPlaceOf } from '../../../src/http/request.ts'
import { encode, encodingFor, HTML, headersWith, text } from '../../../src/http/respond.ts'
import { identify } from '../../../src/identity/caller.ts'
import {
  type AccessDecision,
  decideAccess,
  decideWithPassword,
  isOpenToAll,
  refused,
} from '../../../src/launcher/access.ts'
import type { Encoding, Launcher, Variant } from '../../../src/launcher/cached.ts'
import {
  type Asked,
  addressWith,
  askedOf,
  FREE,
  filledBundle,
  NOTHING_ASKED,
  type Other,
} from '../../../src/launcher/filling.ts'
import { CARRIED_MARK, markedFilling, PageTemplate } from '../../../src/launcher/page-template.ts'
import {
  accountOf,
  findLauncher,
  loadLauncher,
  maySignIn,
  missingBundle,
  needsSession,
  noBundle,
  ruleFor,
} from '../../../src/launcher/seen.ts'
import { type PublicBundle, publicBundle, type ServedBundle } from '../../../src/launcher/served.ts'
import type { Account } from '../../../src/policies/facts.ts'
import { attribute, Each } from '../../parts/layout.tsx'
import { headingOf, NoticePage } from '../../parts/notice.tsx'
import { plainSite, siteFor } from '../../parts/visitor.ts'
import { LauncherPage } from '../parts/launcher.tsx'
import { AT_LINK, NEGOTIATED } from './launcher-forms.ts'
import { ClosedPage } from './locked.tsx'
import { lockedPage, tryPassword, unlocked } from './unlocking.tsx'

/** Answers `/l/:slug`. */
export interface LauncherPages {
  /** The answer if it needs no read, else undefined. */
  cached(request: Request, slug: string): Response | undefined
  /**
   * The answer, read and rendered if necessary. Elysia passes null for an undecodable slug.
   * @param value of the first variable, from the rest of the address. At a gate, the answer does not reveal whether there are
   * variables.
   * @throws Problem NOT_FOUND for a value if the launcher has no variables.
   */
  answer(request: Request, slug: string | null, value?: string): Promise<Response>
  /**
   * Answers the form with a bundle’s password: with the launcher if the password is right. Null if there is no bundle.
   * @param value of the first variable, from the rest of the address.
   * @throws Problem FORBIDDEN from another site, which could make its visitors guess; NOT_FOUND for a value without variables.
   */
  unlock(request: Request, slug: string | null, value?: string | null): Promise<Response | null>
}

/**
 * The hot path: a view of a cached launcher neither reads nor renders. It is the only page that bypasses `execute`, because its
 * only input is the slug, and it has no rate limit and no authorisation.
 */
export function launcherPages(service: Service): LauncherPages {
  const { config, launchers, recorder } = service
  const site = plainSite(config)
  /** The answer, rendered from `bundle` if the page is not cached; undefined if that needs a bundle and there is none. */
  const respond = (
    request: Request,
    launcher: Launcher,
    { account, address, bundle }: { account: Account | null; address: string; bundle: ServedBundle | null },
  ) => {
    const { filling, others } = launcher.variables === null ? NOTHING_ASKED : askedOf(request, launcher.variables)
    const rule = ruleFor(request, launcher, account, config, filling)
    const variant = launchers.variant(launcher, rule)
    const signsIn = maySignIn(launcher, account)
    const kept = signsIn ? launchers.signedOut(launcher, variant) : variant
    // One comparison for most launchers. Without a query, a page with variables is also the same for everybody.
    if (filling !== FREE && !(others.length === 0 && isBlank(filling, launcher))) {
      const html = filledPage(
        { launcher, variant: kept, signsIn, filling, others },
        () => bundle && publicBundle(rule, bundle),
      )
      if (html === undefined) return undefined
      if (isView(request)) recorder.view(variant, address, request.headers)
      const encoding = encodingFor(request)
      return new Response(encode(html, encoding, 'once'), PRIVATE[encoding])
    }
    const encoding = encodingFor(request)
    let body = kept[encoding]
    if (body === undefined) {
      if (bundle === null) return undefined
      const { deciding } = launcher
      const view = <LauncherPage {...{ site, filling, deciding, signsIn }} bundle={publicBundle(rule, bundle)} />
      body = encode(view as string, encoding, 'cached')
      launchers.addPage(launcher, kept, { [encoding]: body })
    }
    if (isView(request)) recorder.view(variant, address, request.headers)
    return new Response(body, (isShared(launcher) ? SHARED : PRIVATE)[encoding])
  }
  /** A page with values or with carried parameters; undefined if rendering needs a bundle and there is none. */
  const filledPage = (
    { launcher, variant, signsIn, filling, others }: Asked & { launcher: Launcher; variant: Variant; signsIn: boolean },
    bundleOf: () => PublicBundle | null,
  ) => {
    const { deciding } = launcher
    const kept = isBlank(filling, launcher) ? 'blank' : 'template'
    let template = variant[kept]
    if (template === undefined) {
      const bundle = bundleOf()
      if (bundle === null) return undefined
      const { variables, urls } = bundle
      const shown = kept === 'blank' ? filling : markedFilling(variables)
      const slots = { filling: shown, deciding, carried: CARRIED_MARK }
      const view = <LauncherPage {...{ site, bundle, signsIn }} {...slots} />
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
    return (<LauncherPage {...{ site, signsIn }} {...filled} />) as string
  }
  const load = (slug: string | null) => loadLauncher(slug, service)
  const missing = async (request: Request, slug: string | null) => {
    if (slug === null || !request.headers.has('cookie')) noBundle()
    return freeSlugPage(request, slug, service)
  }

  /** The answer at a gate: a refusal, or the launcher for those who pass. */
  const respondAtGate = async (
    request: Request,
    launcher: Launcher,
    { refusal, outside }: AccessDecision,
  ): Promise<Response> => {
    if (refusal === null) {
      // A closed launcher, for its owner: neither cached nor counted.
      const bundle = await launchers.bundleOf(launcher)
      if (bundle === null) return pages.answer(request, launcher.slug)
      const { filling, others } = askedOf(request, bundle.variables)
      const account = await accountOf(request, launcher, service)
      const rule = ruleFor(request, launcher, account, config, filling)
      const seen = publicBundle(rule, bundle)
      const signsIn = maySignIn(launcher, account)
      const filled = { bundle: seen, filling: checkLinks(filling, seen.urls), deciding: launcher.deciding, signsIn }
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
      // A viewer who has signed in since the form was served needs no password.
      const isInside = (await decideAccess(locked.gate, request.headers, service)).refusal === null
      const tried = await tryPassword(request, locked, isInside, service)
      if (tried instanceof Response) return tried
      for (;;) {
        // Loaded again, because the bundle can be edited while the password is hashed.
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
        const account = await accountOf(request, launcher, service)
        const rule = ruleFor(viewer, launcher, account, config, asked.filling)
        const bundle = publicBundle(rule, served)
        const filling = checkLinks(asked.filling, bundle.urls)
        const { outside } = decision
        const within = unlocked(filledBundle(bundle, filling), filling, config)
        const signsIn = maySignIn(launcher, account)
        const filled = { bundle, filling, deciding, signsIn, carried: <Carried others={asked.others} /> }
        const view = <LauncherPage site={site} {...filled} outside={outside} unlocked={within} />
        if (outside === null && isForPage(request.headers)) {
          recorder.view(launchers.variant(launcher, rule), clientAddress(request), tried.headers)
        }
        return text(request, view as string, { type: HTML, headers: AT_LINK })
      }
    },
  }
  return pages
}

/** Rewrites a request for `/l/<slug>/<value>` to one with the value in its query. @throws Problem NOT_FOUND without variables. */
function withValue(request: Request, { variables }: Launcher, value: string): Request {
  const address = addressWith(request.url, variables ?? [], value)
  if (address === null) throw unknownUrl()
  return inPlaceOf(request, new Request(address, request))
}

/** Whether all viewers may see the same page: not with rules, nor behind a gate that only some pass. */
function isShared({ policy, gate }: Launcher): boolean {
  return policy === null && (gate === null || gate.access === 'link')
}

/** Whether a launcher is opened without any value and some are missing. Not with a date, because its page is another tomorrow. */
function isBlank({ missing, invalid, sent }: Filling, { variables }: Launcher): boolean {
  if (missing.length === 0 || invalid.length > 0 || variables?.some(isDated)) return false
  for (const _ in sent) return false
  return true
}

/** Built once: building headers costs more than the rest of a cached view. */
const SHARED = responseInits('no-cache')
/** With rules or a gate, a shared cache must not serve one viewer's page to another. */
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

/** Whether a request counts as a view: a GET request for a page. */
function isView({ method, headers }: Request): boolean {
  return method === 'GET' && isForPage(headers)
}

/**
 * Whether a browser requests a page for somebody to see: neither a prefetch, nor a picture, script or frame on another page,
 * which may be anybody's. A request that names no destination counts.
 */
function isForPage(headers: Headers): boolean {
  const purpose = headers.get('sec-purpose') ?? headers.get('purpose')
  if (purpose !== null && /prefetch|prerender|preview/i.test(purpose)) return false
  return (headers.get('sec-fetch-dest') ?? 'document') === 'document'
}

/**
 * Other query parameters, which the form would lose. Only without a script: the page's own script keeps them, and a field with an
 * arbitrary name could shadow properties of the form that a script reads.
 */
function Carried({ others }: { others: readonly Other[] }): JSX.Element {
  if (others.length === 0) return ''
  return (
    <noscript>
      <Each
        of={others}
        show={({ name, value }) => <input type="hidden" name={withinText(name)} value={withinText(value)} />}
      />
    </noscript>
  )
}

/** An attribute value inside `noscript`, which browsers with scripts read as raw text up to its closing tag. */
function withinText(text: string): string {
  return attribute(text).replaceAll('<', '&lt;')
}

/**
 * The page of a link without a bundle, which offers to create it, for signed-in visitors who may.
 * @throws Problem NOT_FOUND for everybody else, so that they cannot tell a free slug from a taken one.
 */
async function freeSlugPage(request: Request, slug: string, service: Service): Promise<Response> {
  // Without an API key: keys are for programs, and an invalid one would be refused.
  const cookie = new Headers({ cookie: request.headers.get('cookie') ?? '' })
  const caller = await identify(cookie, clientOrigin(request), service)
  if (caller.kind !== 'session' || !(await isFree(slug, { ...service, caller }))) throw missingBundle()
  const next = {
    href: `${routes.newBundle.page.href()}?${new URLSearchParams({ slug })}`,
    label: `Create a bundle at /l/${slug}`,
  }
  const site = await siteFor(request, service)
  const problem = missingBundle()
  const { status, userMessage } = problem
  const view = (
    <NoticePage site={site} tab={String(status)} heading={headingOf(problem)} text={userMessage} next={next} />
  )
  return text(request, view as string, { type: HTML, status, headers: AT_LINK })
}
