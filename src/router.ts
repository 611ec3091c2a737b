import './core/schemas.ts'
import { type AnyElysia, Elysia, type ErrorHandler } from 'elysia'
import { authRoutes } from './api/auth.ts'
import { api, type Failed, refuseMethod } from './api/json.ts'
import type { Config } from './config.ts'
import { lazy } from './core/lazy.ts'
import { Problem, unknownUrl } from './core/problem.ts'
import { clientAddress, fromOtherSite, isFromOwnPage, setClientAddress } from './http/client.ts'
import { isForMachines } from './http/for-machines.ts'
import { health } from './http/health.ts'
import { requestId, setRequestId } from './http/observe.ts'
import { pageApp } from './http/page.ts'
import { wellKnown } from './http/well-known.ts'
import { operations } from './implementations.ts'
import { clicksAhead } from './launcher/clicks.ts'
import type { LauncherPages } from './launcher/pages.tsx'
import { mcp } from './mcp/http.ts'
import { consentPages, oauth } from './oauth/routes.ts'
import { accountPages } from './pages/account-pages.tsx'
import { claimPages } from './pages/claim-pages.tsx'
import { copyPages } from './pages/copy-pages.tsx'
import { homePages } from './pages/home-pages.tsx'
import { linkPages } from './pages/link-pages.tsx'
import { pages } from './pages/pages.ts'
import { reportPages } from './pages/report-pages.tsx'
import { resultPages } from './pages/result-pages.tsx'
import type { Service } from './service.ts'
import { webhooks } from './webhooks/routes.ts'

const RAW = { parse: 'none' } as const
/** Pages that document the service, generated from the table of operations. */
const REFERENCE = ['/docs', '/llms.txt', '/api/openapi.json']

/**
 * All routes.
 * @param failed answers a request whose handler threw.
 */
export function createRouter(service: Service, launchers: LauncherPages, failed: Failed) {
  const onError: ErrorHandler = ({ code, error, request }) =>
    // Elysia takes `code` from the error, so a Problem may have the code that the router uses for a missing route.
    failed(request, code === 'NOT_FOUND' && !(error instanceof Problem) ? unknownUrl() : error)
  /** Routes whose module is loaded on the first request for one of them. */
  const lazyRoutes = (load: () => Promise<AnyElysia>) => {
    const loaded = lazy(async () =>
      new Elysia()
        .onError(onError)
        .use(await load())
        .compile(),
    )
    return async ({ request }: { request: Request }) => (await loaded()).handle(asGet(request))
  }
  const toDashboard = lazyRoutes(async () => (await import('./dashboard/app.ts')).dashboard(service))
  const toReference = lazyRoutes(async () => (await import('./api/reference.tsx')).reference(operations, service))
  const toGuides = lazyRoutes(async () => (await import('./pages/guide-pages.tsx')).guidePages(service))
  const app = new Elysia()
    .onError(onError)
    .use(api(operations, service, failed))
    .use(mcp(operations, service))
    .use(authRoutes(service))
    .use(webhooks(service))
    .use(health(service))
    .use(wellKnown(service))
    .use(oauth(service))
    .use(pages(service, launchers))
    .all('/dashboard', toDashboard, RAW)
    .all('/dashboard/*', toDashboard, RAW)
  for (const path of REFERENCE) app.get(path, toReference)
  app.get('/docs/:guide', toGuides)
  app.use(
    pageApp()
      .use(homePages(service))
      .use(resultPages(service))
      .use(accountPages(service))
      .use(linkPages(service))
      .use(claimPages(service))
      .use(reportPages(service))
      .use(copyPages(service))
      .use(consentPages(service)),
  )
  refuseOtherMethods(app)
  app.compile()
  const click = clicksAhead(service, failed)
  const other = (request: Request) => {
    const refusal = refusalOf(request, service.config)
    return refusal === null ? app.fetch(request) : failed(request, refusal)
  }
  return { routes: app.routes, fetch: (request: Request) => click(request) ?? other(request) }
}

/** What holds for all routes alike. */
function refusalOf(request: Request, config: Config): Problem | null {
  if (!isDecodable(request.url)) return unknownUrl()
  const { method } = request
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || isForMachines(request)) return null
  // Forms, whoever is signed in: a page of another site could use up what its visitor may send, or sign them in as itself.
  return isFromOwnPage(request, config) ? null : fromOtherSite(config)
}

/** Whether every escape in the path of a URL is UTF-8. For a parameter with another, Elysia passes null to the handler. */
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

/** A HEAD request as the GET that it describes: the outer router omits the body, and counts its bytes. */
function asGet(request: Request): Request {
  if (request.method !== 'HEAD') return request
  const get = new Request(request, { method: 'GET' })
  setClientAddress(get, clientAddress(request))
  setRequestId(get, requestId(request))
  return get
}

/** Answers an unsupported method with 405 and `Allow`. */
function refuseOtherMethods(app: AnyElysia): void {
  const methodsOf = new Map<string, string[]>()
  for (const { method, path } of app.routes) methodsOf.set(path, [...(methodsOf.get(path) ?? []), method])
  for (const [path, methods] of methodsOf) {
    // Handlers of all methods refuse by themselves.
    if (methods.includes('ALL')) continue
    const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    app.all(path, () => refuseMethod(allow), RAW)
  }
}
