import { createHash, timingSafeEqual } from 'node:crypto'
import { Elysia } from 'elysia'
import { Problem } from '../core/problem.ts'
import type { Service } from '../service.ts'
import { text } from './respond.ts'

/** For whoever runs the service: liveness, readiness and metrics (decisions 11). */
export function health(service: Service) {
  const { store, config, metrics, log } = service
  const plain = { type: 'text/plain; charset=utf-8' }
  return new Elysia()
    .get('/healthz', ({ request }) => text(request, 'ok', plain))
    .get('/readyz', async ({ request }) => {
      try {
        await store.reach()
        return text(request, 'ready', plain)
      } catch (error) {
        log.warn({ err: error }, 'not ready: the store does not answer')
        return text(request, 'the store does not answer', { ...plain, status: 503, headers: { 'retry-after': '1' } })
      }
    })
    .get('/metrics', async ({ request }) => {
      const { metricsToken: token } = config
      if (token === undefined || metrics === null) throw new Problem('NOT_FOUND', 'There is nothing at this address.')
      if (!isSame(request.headers.get('authorization') ?? '', `Bearer ${token}`)) {
        throw new Problem('UNAUTHORIZED', 'Send the metrics token as Authorization: Bearer <token>.', {
          headers: { 'www-authenticate': 'Bearer' },
        })
      }
      return text(request, await metrics.metrics(), { type: metrics.contentType })
    })
}

/** In constant time, whatever the lengths. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
