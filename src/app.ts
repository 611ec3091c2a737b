import { Elysia } from 'elysia'
import { operations } from './operations.ts'
import { Problem, toProblem } from './problem.ts'
import type { Service } from './service.ts'
import { accountPages } from './transports/account-pages.tsx'
import { api } from './transports/api.ts'
import { authRoutes } from './transports/auth.ts'
import { claimPages } from './transports/claim-pages.tsx'
import { frontDoor, type Handle, type Refuse } from './transports/front-door.ts'
import { launcherPages } from './transports/launcher.tsx'
import { pages, problemPage } from './transports/pages.tsx'
import { jsonProblem } from './transports/respond.ts'

/** The whole server as one function of a request, the same on every runtime. */
export function createApp(service: Service): Handle {
  const refuse: Refuse = (request, problem) =>
    isApi(request) ? jsonProblem(problem) : problemPage(request, problem, service)
  const launchers = launcherPages(service)
  const app = new Elysia()
    .onError(({ code, error, request }) => {
      // Elysia reads the code off the error, so a Problem of ours may bear the router's own name for a missing route.
      const problem = code === 'NOT_FOUND' && !(error instanceof Problem) ? nothingHere() : toProblem(error)
      if (problem.code === 'INTERNAL_ERROR')
        service.log.error({ err: error, method: request.method }, 'a request failed')
      return refuse(request, problem)
    })
    .use(api(operations, service))
    .use(authRoutes(service))
    .use(pages(service, launchers))
    .use(accountPages(service))
    .use(claimPages(service))
    .compile()
  return frontDoor(app, launchers, service.config, refuse)
}

function nothingHere(): Problem {
  return new Problem('NOT_FOUND', 'There is nothing at this address.')
}

/** By the text: the address of a request with a strange Host need not parse, and on Bun without one is only a path. */
function isApi({ url }: Request): boolean {
  return /^(?:\w+:\/\/[^/]*)?\/api(?:[/?#]|$)/.test(url)
}
