import { timingSafeEqual } from 'node:crypto'
import { Elysia } from 'elysia'
import { Problem, toProblem, unknownUrl } from '../core/problem.ts'
import { sha256 } from '../core/secrets.ts'
import type { Service } from '../core/service.ts'
import { pathIn, requestId } from './request.ts'
import { jsonProblem, text } from './respond.ts'

/** Routes for the operator: liveness, readiness and metrics. */
export function health(service: Service) {
  const { store, config, log, stopping } = service
  const plain = { type: 'text/plain; charset=utf-8' }
  const no = (request: Request, reason: string) =>
    text(request, reason, { ...plain, status: 503, headers: { 'retry-after': '1' } })
  return new Elysia()
    .get('/healthz', ({ request }) => (stopping.aborted ? no(request, 'stopping') : text(request, 'ok', plain)))
    .get('/readyz', async ({ request }) => {
      if (stopping.aborted) return no(request, 'stopping')
      try {
        await store.reach()
        // Launchers are still served, so a load balancer must not take this process out.
        const status = store.writesFailSince === null ? 'ready' : 'ready, but the store takes no writes'
        return text(request, status, plain)
      } catch (error) {
        log.warn({ err: error }, 'not ready: the store does not answer')
        return no(request, 'the store does not answer')
      }
    })
    .get('/metrics', async ({ request }) => {
      if (config.metricsToken === undefined) throw unknownUrl()
      return scraped(request, service)
    })
}

declare module '../core/service.ts' {
  interface Service {
    /** Prometheus metrics; null if they are not exposed. */
    metrics: { contentType: string; metrics(): Promise<string> } | null
  }
}

/**
 * The handler of the separate metrics listener (SERVICE_METRICS_PORT), which serves only `/metrics`. Accepts any Host,
 * because scrapers use the process's address; the network decides who can reach it.
 */
export function metricsApp(service: Service): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      if (!/^\/metrics(?:\?|$)/.test(pathIn(request.url))) throw unknownUrl()
      if (request.method !== 'GET') {
        throw new Problem('METHOD_NOT_ALLOWED', 'Use GET to read metrics.', { headers: { allow: 'GET' } })
      }
      return await scraped(request, service)
    } catch (error) {
      return jsonProblem(toProblem(error), { requestId: requestId(request), origin: service.config.origin })
    }
  }
}

/**
 * The metrics in Prometheus' text format.
 * @throws Problem UNAUTHORIZED without the metrics token, if one is set.
 */
async function scraped(request: Request, { config: { metricsToken: token }, metrics }: Service): Promise<Response> {
  if (token !== undefined && !isSame(request.headers.get('authorization') ?? '', `Bearer ${token}`)) {
    throw new Problem('UNAUTHORIZED', 'Send the metrics token as Authorization: Bearer <token>.', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
  if (metrics === null) throw unknownUrl()
  return text(request, await metrics.metrics(), { type: metrics.contentType })
}

/** Compares in constant time, whatever the lengths. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(sha256(one), sha256(other))
}

/**
 * Answers a request. `socketAddress` returns the peer's address; called only if needed, because it costs as much as the
 * rest of a cached launcher.
 */
export type Handle = (request: Request, socketAddress: () => string) => Response | Promise<Response>

/**
 * Adds `Connection: close` to every answer once the service stops, so that proxies open their next connection elsewhere. Closing
 * an idle connection instead could lose a request that is already on its way.
 */
export function draining(handle: Handle, stopping: AbortSignal): Handle {
  let isDraining = false
  stopping.addEventListener('abort', () => {
    isDraining = true
  })
  return (request, socketAddress) => {
    const answer = handle(request, socketAddress)
    if (!isDraining) return answer
    return answer instanceof Promise ? answer.then(closing) : closing(answer)
  }
}

function closing(answer: Response): Response {
  answer.headers.set('connection', 'close')
  return answer
}
