import { RAW } from '../http/body.ts'
import '../core/schemas.ts'
import { type AnyElysia, Elysia } from 'elysia'
import { authRoutes } from '../api/auth.ts'
import { operations } from '../api/implementations.ts'
import { api, type Failed, refuseMethod } from '../api/json.ts'
import { wellKnown } from '../api/well-known.ts'
import { lazy } from '../core/lazy.ts'
import type { Service } from '../core/service.ts'
import { health } from '../http/health.ts'
import { inPlaceOf } from '../http/observe.ts'
import { pageApp } from '../http/page.ts'
import { mcp } from '../mcp/http.ts'
import { consentPages, oauth } from '../oauth/routes.ts'
import { accountPages } from '../pages/account-pages.tsx'
import { claimPages } from '../pages/claim-pages.tsx'
import { copyPages } from '../pages/copy-pages.tsx'
import { homePages } from '../pages/home-pages.tsx'
import { iconPages } from '../pages/icon-pages.ts'
import { invitationPages } from '../pages/invitation-pages.tsx'
import type { LauncherPages } from '../pages/launcher.tsx'
import { linkPages } from '../pages/link-pages.tsx'
import { pages } from '../pages/pages.ts'
import { reportPages } from '../pages/report-pages.tsx'
import { resultPages } from '../pages/result-pages.tsx'
import { titlePages } from '../pages/title-pages.ts'
import { unsubscribePages } from '../pages/unsubscribe-pages.tsx'
import { webhooks } from '../provider-events/routes.ts'

/** Pages that document the service, generated from the table of operations. */
const REFERENCE = ['/docs', '/llms.txt', '/api/openapi.json']

/**
 * Adds all routes but the launchers' own, which is there already.
 * @param failed answers a request whose handler threw.
 */
export function addRoutes(app: Elysia, service: Service, launchers: LauncherPages, failed: Failed): void {
  /** Routes whose module is loaded on the first request for one of them. */
  const lazyRoutes = (load: () => Promise<AnyElysia>) => {
    const loaded = lazy(async () =>
      new Elysia({ handler: app.config.handler ?? {} })
        .onError(({ request, error }) => failed(request, error))
        .use(await load())
        .compile(),
    )
    return async ({ request }: { request: Request }) => (await loaded()).handle(asGet(request))
  }
  const toDashboard = lazyRoutes(async () => (await import('../dashboard/app.ts')).dashboard(service))
  const toReference = lazyRoutes(async () => (await import('../api/reference.tsx')).reference(operations, service))
  const toGuides = lazyRoutes(async () => (await import('../pages/guide-pages.tsx')).guidePages(service))
  app
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
  app.get('/docs/:guide', toGuides).get('/docs/pictures/:picture', toGuides)
  app.use(
    pageApp()
      .use(homePages(service))
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
      .use(consentPages(service)),
  )
  refuseOtherMethods(app)
  app.compile()
}

/** A HEAD request as the GET that it describes: the outer router omits the body, and counts its bytes. */
function asGet(request: Request): Request {
  return request.method === 'HEAD' ? inPlaceOf(request, new Request(request, { method: 'GET' })) : request
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
