import { Elysia } from 'elysia'
import { unknownUrl } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { text } from './respond.ts'
import { scraped } from './scrape.ts'

/** For the operator: liveness, readiness and metrics. */
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
