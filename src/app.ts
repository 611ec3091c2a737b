import { lazy } from './core/lazy.ts'
import { toProblem } from './core/problem.ts'
import { logged, observed, requestId, wordsOf } from './http/observe.ts'
import { jsonProblem } from './http/respond.ts'
import { frontDoor, type Handle, type Refuse } from './launcher/front-door.ts'
import { launcherPages } from './launcher/pages.tsx'
import { problemPage } from './pages/problem-page.tsx'
import type { createRouter } from './router.ts'
import type { Service } from './service.ts'

/**
 * The whole server as one function of a request, the same on every runtime. Launchers are answered from the start; the
 * router and all behind it, which takes as long to load as everything before it, with the first request for it.
 */
export function createApp(service: Service): Handle {
  const refuse: Refuse = (request, problem) =>
    isApi(request) ? jsonProblem(problem) : problemPage(request, problem, service)
  const failed = (request: Request, error: unknown) => {
    const problem = toProblem(error)
    if (problem.code === 'INTERNAL_ERROR')
      service.log.error({ err: error, id: requestId(request), method: request.method }, 'a request failed')
    return refuse(request, problem)
  }
  const launchers = launcherPages(service)
  const words = new Set(['l'])
  let router: ReturnType<typeof createRouter> | undefined
  const load = lazy(async () => {
    const { createRouter } = await import('./router.ts')
    router = createRouter(service, launchers, failed)
    for (const word of wordsOf(router.routes)) words.add(word)
    return router
  })
  const beforeRouter = async (request: Request) => {
    const [, slug] = /^GET \w+:\/\/[^/]+\/l\/([\w-]+)(?:\?|$)/.exec(`${request.method} ${request.url}`) ?? []
    try {
      return slug === undefined ? await (await load()).fetch(request) : await launchers.answer(request, slug)
    } catch (error) {
      return failed(request, error)
    }
  }
  const app = {
    words,
    fetch: (request: Request) => router?.fetch(request) ?? beforeRouter(request),
  }
  return logged(frontDoor(observed(app, service), launchers, service.config, service.tally, refuse), app, service)
}

/** By the text: the address of a request with a strange Host need not parse, and on Bun without one is only a path. */
function isApi({ url }: Request): boolean {
  return /^(?:\w+:\/\/[^/]*)?\/api(?:[/?#]|$)/.test(url)
}
