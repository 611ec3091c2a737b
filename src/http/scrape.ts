import { timingSafeEqual } from 'node:crypto'
import { sha256 } from '../core/hash.ts'
import { Problem, toProblem, unknownUrl } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { pathIn, requestId } from './observe.ts'
import { jsonProblem, text } from './respond.ts'

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
export async function scraped(
  request: Request,
  { config: { metricsToken: token }, metrics }: Service,
): Promise<Response> {
  if (token !== undefined && !isSame(request.headers.get('authorization') ?? '', `Bearer ${token}`)) {
    throw new Problem('UNAUTHORIZED', 'Send the metrics token as Authorization: Bearer <token>.', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
  if (metrics === null) throw unknownUrl()
  return text(request, await metrics.metrics(), { type: metrics.contentType })
}

/** In constant time, whatever the lengths. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(sha256(one), sha256(other))
}
