import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Visitor } from '../people.ts'
import { RUNTIMES, type Server } from '../server.ts'
import { startOn } from '../targets.ts'
import { WITHOUT_LIMITS } from './callers.ts'
import { type Furnished, furnish } from './furnished.ts'
import { type FoundRoute, fill, routesOf } from './routes.ts'

/** Requests of htmx, for a part of a page and for all of it, and a browser's own. */
const WAYS: Record<string, string>[] = [
  { 'hx-request': 'true', 'hx-request-type': 'partial', 'hx-target': 'main#page' },
  { 'hx-request': 'true', 'hx-request-type': 'full' },
  {},
]

for (const runtime of RUNTIMES) {
  describe(`on ${runtime}`, () => {
    let server: Server
    let ann: Furnished
    let routes: FoundRoute[]
    beforeAll(async () => {
      server = await startOn({ name: runtime, runtime, store: 'file' }, WITHOUT_LIMITS)
      ann = await furnish(server)
      routes = await routesOf(server)
    })
    afterAll(async () => {
      await server?.stop()
    })

    test('every answer of every route has its security headers and says who may keep it, also for htmx', async () => {
      const stranger = new Visitor(server)
      const missing: unknown[] = []
      for (const { method, template } of routes) {
        const isUnsafe = method !== 'GET' && method !== 'HEAD'
        const path = fill(template, ann.values)
        for (const headers of WAYS) {
          // Signed in, nothing is changed here: the forms are another site's.
          const asOwner = isUnsafe ? { ...headers, 'sec-fetch-site': 'cross-site' } : headers
          for (const [who, sent] of [
            [stranger, headers],
            [ann.person, asOwner],
          ] as const) {
            const answer = await who.fetch(path, { method, headers: sent })
            await answer.arrayBuffer()
            const has = (name: string, value: RegExp) => value.test(answer.headers.get(name) ?? '')
            const isSafe =
              has('content-security-policy', /default-src 'none'.*frame-ancestors 'none'/) &&
              has('x-content-type-options', /^nosniff$/) &&
              has('referrer-policy', /./) &&
              has('cache-control', /./)
            if (!isSafe) missing.push([method, template, answer.status, headers['hx-request-type'], who === stranger])
          }
        }
      }
      expect(missing).toEqual([])
    })

    test('htmx sends signed-out people to sign in, with the same headers', async () => {
      const { headers, status } = await new Visitor(server).fetch('/dashboard/keys?a=1', { headers: WAYS[0] ?? {} })
      expect([status, headers.get('hx-redirect')]).toEqual([200, '/sign-in?next=%2Fdashboard%2Fkeys%3Fa%3D1'])
    })
  })
}
