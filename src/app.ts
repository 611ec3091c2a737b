import { Elysia, type ErrorHandler } from 'elysia'
import { operations } from './operations.ts'
import { Problem, toProblem } from './problem.ts'
import type { Service } from './service.ts'
import { accountPages } from './transports/account-pages.tsx'
import { api, refuseMethod } from './transports/api.ts'
import { authRoutes } from './transports/auth.ts'
import { claimPages } from './transports/claim-pages.tsx'
import { frontDoor, type Handle, type Refuse } from './transports/front-door.ts'
import { launcherPages } from './transports/launcher.tsx'
import { lazily } from './transports/lazily.ts'
import { mcp } from './transports/mcp.ts'
import { logged, observed, requestIds } from './transports/observe.ts'
import { operating } from './transports/operating.ts'
import { pages, problemPage } from './transports/pages.tsx'
import { reportPages } from './transports/report-pages.tsx'
import { jsonProblem } from './transports/respond.ts'
import { webhooks } from './transports/webhooks.ts'

/** The whole server as one function of a request, the same on every runtime. */
export function createApp(service: Service): Handle {
  const refuse: Refuse = (request, problem) =>
    isApi(request) ? jsonProblem(problem) : problemPage(request, problem, service)
  const onError: ErrorHandler = ({ code, error, request }) => {
    // Elysia reads the code off the error, so a Problem of ours may bear the router's own name for a missing route.
    const problem = code === 'NOT_FOUND' && !(error instanceof Problem) ? nothingHere() : toProblem(error)
    if (problem.code === 'INTERNAL_ERROR')
      service.log.error({ err: error, id: requestIds.get(request), method: request.method }, 'a request failed')
    return refuse(request, problem)
  }
  const launchers = launcherPages(service)
  const loadDashboard = lazily(async () => {
    const { dashboard } = await import('./transports/dashboard/app.ts')
    return new Elysia().onError(onError).use(dashboard(service)).compile()
  })
  const toDashboard = async ({ request }: { request: Request }) => (await loadDashboard()).handle(request)
  const loadReference = lazily(async () => {
    const { reference } = await import('./transports/reference.tsx')
    return new Elysia().onError(onError).use(reference(operations, service)).compile()
  })
  const toReference = async ({ request }: { request: Request }) => (await loadReference()).handle(request)
  const app = new Elysia()
    .onError(onError)
    .use(api(operations, service))
    .use(mcp(operations, service))
    .use(authRoutes(service))
    .use(webhooks(service))
    .use(operating(service))
    .use(pages(service, launchers))
    .use(accountPages(service))
    .use(claimPages(service))
    .get('/docs', toReference)
    .get('/llms.txt', toReference)
    .get('/api/openapi.json', toReference)
    .all('/docs', () => refuseMethod(['GET', 'HEAD']), { parse: 'none' })
    .all('/llms.txt', () => refuseMethod(['GET', 'HEAD']), { parse: 'none' })
    .all('/api/openapi.json', () => refuseMethod(['GET', 'HEAD']), { parse: 'none' })
    .use(reportPages(service))
    .all('/dashboard', toDashboard, { parse: 'none' })
    .all('/dashboard/*', toDashboard, { parse: 'none' })
    .compile()
  return logged(frontDoor(observed(app, service), launchers, service.config, service.tally, refuse), app, service)
}

function nothingHere(): Problem {
  return new Problem('NOT_FOUND', 'There is nothing at this address.')
}

/** By the text: the address of a request with a strange Host need not parse, and on Bun without one is only a path. */
function isApi({ url }: Request): boolean {
  return /^(?:\w+:\/\/[^/]*)?\/api(?:[/?#]|$)/.test(url)
}
