import { formFor } from './audience/form.ts'
import { lazy } from './core/lazy.ts'
import { toProblem } from './core/problem.ts'
import type { Handle } from './http/draining.ts'
import { draining } from './http/draining.ts'
import { isForMachines } from './http/for-machines.ts'
import { fixedSegments, logged, observed, requestId } from './http/observe.ts'
import { jsonProblem } from './http/respond.ts'
import { askedAt, NEGOTIATED } from './launcher/forms.ts'
import { frontDoor, type Refuse } from './launcher/front-door.ts'
import { launcherPages } from './launcher/pages.tsx'
import { problemAs } from './pages/problem-form.ts'
import { problemPage } from './pages/problem-page.tsx'
import type { createRouter } from './router.ts'
import type { Service } from './service.ts'

/**
 * The whole server as a function of a request, the same on every runtime. Launchers are served without the router, which
 * takes as long to load as everything else and is loaded by the first request that needs it.
 */
export function createApp(service: Service): Handle {
  const refuse: Refuse = (request, problem) => {
    if (isForMachines(request)) return jsonProblem(problem)
    const { method, url, headers } = request
    const asked = method === 'GET' || method === 'HEAD' ? askedAt(url, headers) : null
    if (asked === null) return problemPage(request, problem, service)
    const { form, isNegotiated } = asked
    const answer = form === 'html' ? problemPage(request, problem, service) : problemAs(form, request, problem)
    if (isNegotiated) answer.headers.set('vary', NEGOTIATED)
    return answer
  }
  const failed = (request: Request, error: unknown) => {
    const problem = toProblem(error)
    const { log, store } = service
    const context = { id: requestId(request), method: request.method }
    if (problem.code === 'INTERNAL_ERROR') log.error({ err: error, ...context }, 'a request failed')
    if (problem.code === 'STORE_UNAVAILABLE') {
      const { writesFailSince } = store
      log.warn({ err: problem.cause, ...context, writesFailSince }, 'a request was refused: the store does not answer')
    }
    return refuse(request, problem)
  }
  const launchers = launcherPages(service)
  const segments = new Set(['l'])
  let router: ReturnType<typeof createRouter> | undefined
  const load = lazy(async () => {
    const { createRouter } = await import('./router.ts')
    router = createRouter(service, launchers, failed)
    for (const segment of fixedSegments(router.routes)) segments.add(segment)
    return router
  })
  const beforeRouter = async (request: Request) => {
    const [, slug] = /^GET \w+:\/\/[^/]+\/l\/([\w-]+)(?:\?|$)/.exec(`${request.method} ${request.url}`) ?? []
    try {
      return slug === undefined || formFor(request.headers) !== 'html'
        ? await (await load()).fetch(request)
        : await launchers.answer(request, slug)
    } catch (error) {
      return failed(request, error)
    }
  }
  const app = {
    segments,
    fetch: (request: Request) => router?.fetch(request) ?? beforeRouter(request),
  }
  const handle = frontDoor(observed(app, service), launchers, service.config, service.tally, refuse)
  return draining(logged(handle, app, service), service.stopping)
}
