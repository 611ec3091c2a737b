import { type AnyElysia, Elysia, NotFoundError } from 'elysia'
import {
  launcherAs,
  NEGOTIATED,
  negotiatedAt,
  negotiatedFor,
  type OtherForm,
} from '../../views/launcher/launcher/launcher-forms.ts'
import { FORM_TYPES } from '../../views/launcher/parts/forms.ts'
import { inline, lines } from '../../views/parts/markdown.ts'
import { headingOf, problemPage } from '../../views/parts/notice.tsx'
import type { Config } from '../config/config.ts'
import { OWN_PATHS } from '../core/launcher-link.ts'
import { type Met, Problem, toProblem, unknownUrl } from '../core/problem.ts'
import { routes } from '../core/routes.ts'
import type { Service } from '../core/service.ts'
import { afterBody, RAW } from '../http/body.ts'
import { draining, type Handle, health } from '../http/health.ts'
import {
  addressIn,
  fromOtherSite,
  inPlaceOf,
  isFromOwnPage,
  observed,
  pathIn,
  plainAddress,
  requestId,
  setClientAddress,
  skipId,
} from '../http/request.ts'
import { headersWith, jsonProblem, pageApp, text } from '../http/respond.ts'
import { audienceAt, challenge } from '../oauth/resources.ts'
import '../core/schemas.ts'
import { claimPages } from '../../views/account/claim/routes.tsx'
import { invitationPages } from '../../views/account/invitation/routes.tsx'
import { linkPages } from '../../views/account/mailed-link/routes.tsx'
import { accountPages } from '../../views/account/sign-in/routes.tsx'
import { unsubscribePages } from '../../views/account/unsubscribe/routes.tsx'
import { dashboard } from '../../views/dashboard/app.ts'
import { guidePages } from '../../views/docs/guide/routes.tsx'
import { reference, referenceOf } from '../../views/docs/reference/routes.tsx'
import { homePages, titlePages } from '../../views/home/home/routes.tsx'
import { resultPages } from '../../views/home/result/routes.tsx'
import { wellKnown } from '../../views/home/well-known/routes.ts'
import { copyPages } from '../../views/launcher/copy/routes.tsx'
import { iconPages } from '../../views/launcher/icons/routes.ts'
import { ledOn } from '../../views/launcher/launcher/led-on.ts'
import { launcherPages } from '../../views/launcher/launcher/page.tsx'
import { pages } from '../../views/launcher/launcher/routes.ts'
import { remindPages } from '../../views/launcher/remind/routes.tsx'
import { reportPages } from '../../views/launcher/report/routes.tsx'
import { startPages } from '../../views/launcher/start/routes.tsx'
import { authRoutes } from '../api/auth.ts'
import { operations } from '../api/implementations.ts'
import { api, type Failed, methodsAt, refuseMethod } from '../api/json.ts'
import { lazy } from '../core/lazy.ts'
import { commonPasswords } from '../identity/password-rules.ts'
import { mcp } from '../mcp/http.ts'
import { mcpServer } from '../mcp/server.ts'
import { consentPages, oauth } from '../oauth/routes.ts'
import { webhooks } from '../provider-events/routes.ts'

/**
 * The whole server as a function of a request, the same on every runtime.
 * @param later receives work to be done after the start, so that no request has to wait for it; see `createRouter`.
 */
export function createApp(service: Service, later?: (work: () => Promise<unknown>) => void): Handle {
  const { config } = service
  const { authority, origin, clientIpHeader, shortPaths } = config
  const refuse = (request: Request, problem: Problem) => {
    const met = { requestId: requestId(request), origin }
    if (isForMachines(request)) {
      const said = problem.headers['www-authenticate']
      if (said?.startsWith('Bearer'))
        problem.headers['www-authenticate'] = challenge(said, origin, audienceAt(request.url))
      return jsonProblem(problem, met)
    }
    const { method, url, headers } = request
    const asked = method === 'GET' || method === 'HEAD' ? negotiatedAt(url, headers) : null
    if (asked === null) return problemPage(request, problem, service)
    const { form, isNegotiated } = asked
    const answer = form === 'html' ? problemPage(request, problem, service) : problemAs(form, request, problem, met)
    if (isNegotiated) answer.headers.set('vary', NEGOTIATED)
    return answer
  }
  const failed = (request: Request, error: unknown) => {
    const problem = error instanceof NotFoundError ? unknownUrl() : toProblem(error)
    const { log, store } = service
    const context = { id: requestId(request), method: request.method }
    if (problem.code === 'INTERNAL_ERROR') log.error({ err: error, ...context }, 'a request failed')
    if (problem.code === 'STORE_UNAVAILABLE') {
      const { writesFailSince } = store
      log.warn({ err: problem.cause, ...context, writesFailSince }, 'a request was refused: the store does not answer')
    }
    return refuse(request, problem)
  }
  const app = createRouter(service, failed, later)
  // Nearly every URL starts with exactly this, which saves parsing it. Whatever the scheme of the base address, requests arrive
  // in plain HTTP: TLS ends at a proxy.
  const start = `http://${authority}/`
  const names = [authority, `${authority}:${origin.startsWith('https:') ? 443 : 80}`]
  const isOurs = (host: string) => names.includes(host) || names.includes(host.toLowerCase())
  const answer = (sent: Request) => {
    const { url } = sent
    const host = sent.headers.get('host') ?? ''
    let request = sent
    if (host !== authority || !url.startsWith(start)) {
      const path = pathIn(url)
      // Probes use an address, or their cluster's name for this process.
      const isProbe = /^\/(?:healthz|readyz)(?:\?|$)/.test(path)
      // A target in absolute form (`GET http://x/…`) has its own host besides the header.
      if (!isProbe && !(isOurs(host) && isOurs(hostIn(url))))
        return ledHome(sent, host, path, config) ?? afterBody(sent, refuse(sent, misdirected(authority)))
      // Elysia looks for the path from the seventh character on, which is right only for `http://`.
      if (isProbe || !url.startsWith('http://')) request = inPlaceOf(sent, new Request(start + path.slice(1), sent))
    }
    const refusal = refusalOf(request, config)
    return afterBody(request, refusal === null ? app.fetch(request) : failed(request, refusal))
  }
  const answerObserved = observed(answer, app, service)
  const handle: Handle = (request, socketAddress) => {
    // Proxies append, so the last address is the one that the trusted proxy saw.
    const forwarded = clientIpHeader === undefined ? null : request.headers.get(clientIpHeader)
    const address = forwarded && addressIn(forwarded.slice(forwarded.lastIndexOf(',') + 1))
    setClientAddress(request, address || plainAddress(socketAddress()))
    return answerObserved(request)
  }
  if (!shortPaths) return draining(handle, service.stopping)
  // A request for another name of the service is redirected to the same path.
  const path = (request: Request) =>
    config.aliases.length > 0 && isAlias(request.headers.get('host') ?? '', config) ? request : atLauncher(request)
  return draining((request, socketAddress) => handle(path(request), socketAddress), service.stopping)
}

/** The redirect of a visit at another name of the service to the same path at the origin; null for any other request. */
function ledHome({ method, url }: Request, host: string, path: string, config: Config): Response | null {
  if (method !== 'GET' && method !== 'HEAD') return null
  const location = `${config.origin}${path}`
  if (!isAlias(host, config) || !isAlias(hostIn(url), config) || !URL.canParse(location)) return null
  return new Response(null, { status: 308, headers: headersWith({ location, 'cache-control': 'no-store' }) })
}

/** Whether a host, on any port, is another name of the service. */
function isAlias(host: string, { aliases }: Pick<Config, 'aliases'>): boolean {
  return aliases.includes(host.replace(/:\d{1,5}$/, '').toLowerCase())
}

/** A possible launcher at a short path, with the rest of the path. */
const SHORT = /^(https?:\/\/[^/?#]+)\/(([a-z0-9-]{3,64})(?:\.(?:json|md))?(?:[/?#].*)?)$/i

/** Rewrites a request for a launcher's short path to its long path; returns any other unchanged. */
function atLauncher(request: Request): Request {
  const [, origin, path = '', slug = ''] = SHORT.exec(request.url) ?? []
  if (origin === undefined || OWN_PATHS.includes(slug.toLowerCase()) || !URL.canParse(request.url)) return request
  const { method, headers, body, signal } = request
  const to = `${origin}${routes.launcher.page.start}${path}`
  if (body === null) return new Request(to, request)
  // Bun's copy of a request would leave the original all of the body, unread, in memory.
  const sent = { method, headers, body, signal, duplex: 'half' }
  return new Request(to, sent)
}

/**
 * The refusal of a request for another host, usually because the service's own proxy has changed the header. Does not repeat the
 * other host.
 */
function misdirected(authority: string): Problem {
  return new Problem(
    'MISDIRECTED_REQUEST',
    `This server answers for ${authority} only. A proxy before it must pass on the Host header that it was sent (nginx: proxy_set_header Host $host;), and SERVICE_BASE_URL must be the address that people open.`,
  )
}

/** Refuses requests by rules for all routes. */
function refusalOf(request: Request, config: Config): Problem | null {
  if (!isDecodable(request.url)) return unknownUrl()
  const { method } = request
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || isForMachines(request)) return null
  // Forms, signed in or not: a page of another site could use up its visitor's limits, or sign them in as itself.
  return isFromOwnPage(request, config) ? null : fromOtherSite(config)
}

/** Whether every escape in the path of a URL is UTF-8. For a parameter with any other, Elysia passes null to the handler. */
function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true
  const [path = ''] = url.split('?', 1)
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

function hostIn(url: string): string {
  const from = url.indexOf('//') + 2
  return url.slice(from, url.indexOf('/', from))
}

/**
 * Whether a URL is read only by programs. Works on the text, because the URL may not parse with a malformed Host header, and
 * without one it may be only a path.
 */
function isForMachines({ url }: Pick<Request, 'url'>): boolean {
  return /^(?:\w+:\/\/[^/]*)?\/(?:(?:api|register|oauth\/(?:register|token|revoke|introspect|device_authorization))(?:[/?#]|$)|\.well-known\/)/.test(
    url,
  )
}

/** An error in the requested form of a launcher or a start page. */
function problemAs(form: OtherForm | 'calendar', request: Request, problem: Problem, met: Met): Response {
  if (form === 'json') return jsonProblem(problem, met)
  const { status, headers, message } = problem
  // Feed readers and calendars show the text of an error, if anything.
  const type = form === 'markdown' ? FORM_TYPES.markdown : 'text/plain; charset=utf-8'
  const body = `# ${inline(headingOf(problem))}\n\n${lines(message).join('  \n')}\n`
  return text(request, body, { type, status, headers })
}

/**
 * All routes. They exist before the service listens, because loading them with a first request would hold up all others.
 * @param failed answers a request whose handler threw.
 * @param later receives what takes long to make and is rarely requested (the documents, the tools). It is made in small pieces,
 * after the start or for the first request that needs it.
 */
export function createRouter(service: Service, failed: Failed, later?: (work: () => Promise<unknown>) => void) {
  const launchers = launcherPages(service)
  const tools = lazy(() => mcpServer(operations, service))
  const documents = lazy(() => referenceOf(operations, service))
  later?.(documents)
  later?.(tools)
  later?.(commonPasswords)
  // Finds the path after `http://` and hosts of any length; by default Elysia assumes at least four characters.
  const handler = { standardHostname: false }
  /** Routes for all methods, whose handlers refuse some themselves. */
  const mounted = (routes: AnyElysia) => {
    const app = new Elysia({ handler })
      .onError(({ request, error }) => failed(request, error))
      .use(routes)
      .compile()
    return ({ request }: { request: Request }) => app.handle(asGet(request))
  }
  const toDashboard = mounted(dashboard(service))
  const app = new Elysia({ handler })
  app
    .onError(async ({ error, request }) => (await ledOn(error, request, service)) ?? failed(request, error))
    .get(routes.launcher.page.path, ({ request, params }) => {
      const cached = request.method === 'GET' ? launchers.cached(request, params.slug) : undefined
      if (cached === undefined) return launcher(request, params.slug)
      skipId(request)
      return cached
    })
  const launcher = (request: Request, part: string) => {
    const { form, slug, isNegotiated } = negotiatedFor(part, request.headers)
    return form === 'html'
      ? launchers.answer(request, part)
      : launcherAs({ form, slug, isNegotiated }, request, service)
  }
  app
    .use(api(operations, service, failed))
    .use(mcp(service, tools))
    .use(authRoutes(service))
    .use(webhooks(service))
    .use(health(service))
    .use(wellKnown(service))
    .use(oauth(service))
    .use(pages(service, launchers))
    .all(routes.bundles.list.path, toDashboard, RAW)
    .all(`${routes.bundles.list.path}/*`, toDashboard, RAW)
  const starts = startPages(service)
  app.use(
    pageApp()
      .use(reference(documents))
      .use(guidePages(service))
      .use(homePages(service, starts.asHome))
      .use(titlePages(service))
      .use(iconPages(service))
      .use(resultPages(service))
      .use(accountPages(service))
      .use(invitationPages(service))
      .use(linkPages(service))
      .use(unsubscribePages(service))
      .use(claimPages(service))
      .use(reportPages(service))
      .use(copyPages(service))
      .use(remindPages(service))
      .use(starts.app)
      .use(consentPages(service)),
  )
  refuseOtherMethods(app)
  return app.compile()
}

/** Turns a HEAD request into the corresponding GET: the outer router omits the body, and counts its bytes. */
function asGet(request: Request): Request {
  return request.method === 'HEAD' ? inPlaceOf(request, new Request(request, { method: 'GET' })) : request
}

/** Answers an unsupported method with 405 and `Allow`. */
function refuseOtherMethods(app: AnyElysia): void {
  const methodsOf = new Map<string, string[]>()
  for (const { method, path } of app.routes) methodsOf.set(path, [...(methodsOf.get(path) ?? []), method])
  for (const [path, methods] of methodsOf) {
    // Handlers of all methods refuse unsupported ones themselves.
    if (methods.includes('ALL')) continue
    const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    app.all(path, ({ params }: { params?: Record<string, string> }) => refuseMethod(methodsAt(allow, params)), RAW)
  }
}
