import { Elysia } from 'elysia'
import { operations } from './operations.ts'
import { Problem, toProblem } from './problem.ts'
import type { Service } from './service.ts'
import { api } from './transports/api.ts'
import { frontDoor, type Handle } from './transports/front-door.ts'
import { launcherPages } from './transports/launcher.tsx'
import { pages, problemPage } from './transports/pages.tsx'
import { jsonProblem } from './transports/respond.ts'

/** The whole server as one function of a request, the same on every runtime. */
export function createApp(service: Service): Handle {
  const launchers = launcherPages(service)
  const app = new Elysia()
    .onError(({ code, error, request }) => {
      const problem = code === 'NOT_FOUND' ? nothingHere() : toProblem(error)
      if (problem.code === 'INTERNAL_ERROR')
        service.log.error({ err: error, method: request.method }, 'a request failed')
      return isApi(request) ? jsonProblem(problem) : problemPage(request, problem, service)
    })
    .use(api(operations, service))
    .use(pages(service, launchers))
    .compile()
  return frontDoor(app, launchers, service.config)
}

function nothingHere(): Problem {
  return new Problem('NOT_FOUND', 'There is nothing at this address.')
}

function isApi(request: Request): boolean {
  const { pathname } = new URL(request.url)
  return pathname === '/api' || pathname.startsWith('/api/')
}
