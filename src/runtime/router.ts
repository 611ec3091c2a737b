import { RAW } from '../http/body.ts'
import '../core/schemas.ts'
import { type AnyElysia, Elysia } from 'elysia'
import { authRoutes } from '../api/auth.ts'
import { operations } from '../api/implementations.ts'
import { api, type Failed, methodsAt, refuseMethod } from '../api/json.ts'
import { reference, referenceOf } from '../api/reference.tsx'
import { wellKnown } from '../api/well-known.ts'
import { lazy } from '../core/lazy.ts'
import type { Service } from '../core/service.ts'
import { dashboard } from '../dashboard/app.ts'
import { health } from '../http/health.ts'
import { inPlaceOf, withoutId } from '../http/observe.ts'
import { pageApp } from '../http/page.ts'
import { commonPasswords } from '../identity/password-rules.ts'
import { mcp } from '../mcp/http.ts'
import { mcpServer } from '../mcp/server.ts'
import { consentPages, oauth } from '../oauth/routes.ts'
import { accountPages } from '../pages/account-pages.tsx'
import { askedFor } from '../pages/asked-form.ts'
import { claimPages } from '../pages/claim-pages.tsx'
import { copyPages } from '../pages/copy-pages.tsx'
import { guidePages } from '../pages/guide-pages.tsx'
import { homePages } from '../pages/home-pages.tsx'
import { iconPages } from '../pages/icon-pages.ts'
import { invitationPages } from '../pages/invitation-pages.tsx'
import { launcherPages } from '../pages/launcher.tsx'
import { launcherAs } from '../pages/launcher-forms.ts'
import { linkPages } from '../pages/link-pages.tsx'
import { pages } from '../pages/pages.ts'
import { reportPages } from '../pages/report-pages.tsx'
import { resultPages } from '../pages/result-pages.tsx'
import { titlePages } from '../pages/title-pages.ts'
import { unsubscribePages } from '../pages/unsubscribe-pages.tsx'
import { webhooks } from '../provider-events/routes.ts'

/**
 * All routes. They are here before the service listens: what the first request for them loaded would hold up all others.
 * @param failed answers a request whose handler threw.
 * @param later is given what takes long to make and few ask for (the documents, the tools). It is made in small pieces: after the
 * start, or for the first request that needs it.
 */
export function createRouter(service: Service, failed: Failed, later?: (work: () => Promise<unknown>) => void) {
  const launchers = launcherPages(service)
  const tools = lazy(() => mcpServer(operations, service))
  const documents = lazy(() => referenceOf(operations, service))
  later?.(documents)
  later?.(tools)
  later?.(commonPasswords)
  // Finds the path behind `http://` and hosts of any length; by default Elysia takes them to have four characters or more.
  const handler = { standardHostname: false }
  /** Routes of all methods that refuse some by themselves. */
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
    .onError(({ error, request }) => failed(request, error))
    .get('/l/:slug', ({ request, params }) => {
      const cached = request.method === 'GET' ? launchers.cached(request, params.slug) : undefined
      if (cached === undefined) return launcher(request, params.slug)
      withoutId(request)
      return cached
    })
  const launcher = (request: Request, part: string) => {
    const { form, slug, isNegotiated } = askedFor(part, request.headers)
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
    .all('/dashboard', toDashboard, RAW)
    .all('/dashboard/*', toDashboard, RAW)
  app.use(
    pageApp()
      .use(reference(documents))
      .use(guidePages(service))
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
  return app.compile()
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
    app.all(path, ({ params }: { params?: Record<string, string> }) => refuseMethod(methodsAt(allow, params)), RAW)
  }
}
