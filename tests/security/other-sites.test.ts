import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { linkIn, mailTo, newEmail, signUp, Visitor } from '../people.ts'
import { RUNTIMES, type Server } from '../server.ts'
import { startOn } from '../targets.ts'
import { newAddress, WITHOUT_LIMITS } from './callers.ts'
import { type Furnished, furnish } from './furnished.ts'
import { type FoundRoute, fill, routesOf } from './routes.ts'

/** Routes where a cookie is no credential: they need a signature or a key. */
const NOT_BY_COOKIE = /^POST \/api\/(webhooks\/\w+|mcp)$/

/** Routes that apps call from anywhere, without a cookie: what they need is in the body, which is wrong here. */
const BY_BODY = /^POST \/oauth\/(register|token|revoke|introspect|device_authorization)$/

/** What is answered alike whoever sends it, and then dropped: contract/clicks.test.ts. */
const DROPPED = 'POST /api/links/:slug/events'

/** Headers of a browser's request that another site caused, older browsers included. */
const FOREIGN: Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', origin: 'own' },
  { 'sec-fetch-site': 'something-new' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
]

/** The tables that count views, the only ones that a GET may change. */
const COUNTERS = ['daily_counters', 'daily_viewers', 'daily_breakdowns', 'viewer_hashes', 'counter_batches', 'salts']

/** Routes that do not succeed for an owner's browser: they need a token, an app, a provider's answer, or something that is used up. */
const NOT_FOR_OWNERS = /^\/(metrics|oauth\/authorize|api\/auth\/.*)$|^\/(dev\/mailbox|\.well-known\/security\.txt)$/

/** Tables that follow edits in the background: the index for search. */
const INDEX = ['bundle_index', 'bundle_index_data', 'bundle_index_idx', 'bundle_index_docsize']

/** The entire database, except counts and the index. */
async function contentOf(server: Server): Promise<Record<string, string>> {
  const tables = await server.sql(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN (${[...COUNTERS, ...INDEX].map((name) => `'${name}'`).join()})`,
  )
  const content: Record<string, string> = {}
  for (const { name } of tables) content[String(name)] = JSON.stringify(await server.sql(`SELECT * FROM "${name}"`))
  return content
}

for (const runtime of RUNTIMES) {
  describe(`on ${runtime}`, () => {
    let server: Server
    let ann: Furnished
    let routes: FoundRoute[]
    beforeAll(async () => {
      server = await startOn({ name: runtime, runtime, store: 'file' }, WITHOUT_LIMITS)
      ann = await furnish(server)
      // Links and sites of edited bundles are noted in the background, whatever else is asked for meanwhile.
      await becomes(
        () => server.sql('SELECT 1 FROM bundle_changes WHERE for_search OR for_sites OR for_links'),
        [],
        60_000,
      )
      routes = await routesOf(server)
    })
    afterAll(async () => {
      await server?.stop()
    })
    const isUnsafe = ({ method }: FoundRoute) => method !== 'GET' && method !== 'HEAD'

    test('the routes are those of the API, the pages, the dashboard and better-auth', () => {
      const lines = routes.map(({ method, template }) => `${method} ${template}`)
      for (const line of [
        'PATCH /api/links/:slug',
        'POST /claim/:token',
        'POST /dashboard/organizations/:id/members/:member/role',
        'GET /dashboard/links/:slug/policy',
        'POST /api/auth/organization/accept-invitation',
        'GET /api/auth/verify-email',
      ]) {
        expect(lines).toContain(line)
      }
      expect(routes.filter(isUnsafe).length).toBeGreaterThan(80)
    })

    test('no unsafe route does anything for a browser that another site sent', async () => {
      const before = await contentOf(server)
      const taken: unknown[] = []
      for (const { method, template } of routes.filter(isUnsafe)) {
        const line = `${method} ${template}`
        const isJson = template.startsWith('/api/')
        const body = method === 'DELETE' ? {} : { body: isJson ? '{}' : 'do=save' }
        for (const from of FOREIGN) {
          const { status } = await ann.person.fetch(fill(template, ann.values), {
            method,
            ...body,
            headers: {
              'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
              'x-client': newAddress(),
              ...from,
              ...(from.origin === 'own' ? { origin: server.origin } : {}),
            },
          })
          // Most of better-auth's own routes are disabled.
          const isAbsent = template.startsWith('/api/auth/') && (status === 404 || status === 405)
          // OPTIONS only says what a page may send without a cookie: see contract/http.test.ts.
          const expected =
            method === 'OPTIONS' || line === DROPPED
              ? [204]
              : BY_BODY.test(line)
                ? [400, 401, 415]
                : NOT_BY_COOKIE.test(line)
                  ? [401, 403]
                  : [403]
          if (!isAbsent && !expected.includes(status)) taken.push([line, from, status])
        }
      }
      expect(taken).toEqual([])
      expect(await contentOf(server)).toEqual(before)
    })

    test('no form does anything for a browser that another site sent, whoever is signed in', async () => {
      const before = await contentOf(server)
      const taken: unknown[] = []
      // An invalid form must not be explained either: reading it would be work, and the visitor's allowance.
      const forms: Record<string, string>[] = [
        { urls: 'https://a.example/', title: 'Any', reason: 'spam' },
        { urls: '' },
      ]
      for (const fields of forms) {
        for (const { method, template } of routes.filter(isUnsafe)) {
          if (method !== 'POST' || template.startsWith('/api/') || BY_BODY.test(`POST ${template}`)) continue
          for (const from of FOREIGN) {
            const headers = from.origin === 'own' ? { ...from, origin: server.origin } : from
            const visitor = new Visitor(server, { 'x-client': newAddress() })
            const { status } = await visitor.form(fill(template, ann.values), fields, headers)
            if (status !== 403) taken.push([template, from, status])
          }
        }
      }
      expect(taken).toEqual([])
      expect(await contentOf(server)).toEqual(before)
    })

    test('forms of the service’s own pages, and the JSON API, work without an account', async () => {
      const visitor = new Visitor(server, { 'x-client': newAddress() })
      const own: Record<string, string>[] = [{ 'sec-fetch-site': 'same-origin' }, { origin: server.origin }, {}]
      for (const from of own) {
        expect((await visitor.publish({ urls: 'https://a.example/' }, from)).status).toBe(303)
      }
      for (const from of FOREIGN) {
        const made = await visitor.api('POST', '/api/links', { urls: ['https://a.example/'] }, from)
        expect([from, made.status]).toEqual([from, 201])
      }
    })

    test('no GET and no HEAD changes anything, except counts of views and the log of exports', async () => {
      const before = await contentOf(server)
      const cookies = [...ann.person.cookies]
      const wrong: unknown[] = []
      const query = new URLSearchParams({
        slug: ann.slug,
        organizationId: ann.values['/dashboard/organizations/:id']!,
        id: ann.values['/dashboard/organizations/:invitation']!,
        invitationId: ann.values['/invitations/:id']!,
        token: ann.values['/password/:token']!,
        callbackURL: '/dashboard',
      })
      for (const { template } of routes.filter((route) => !isUnsafe(route))) {
        // A calendar is of days that its address must name.
        const days = template.endsWith('/calendar.ics') ? '?days=mon&at=09:00&zone=UTC' : ''
        const path = fill(template, ann.values) + days
        for (const method of ['GET', 'HEAD']) {
          for (const asked of template.startsWith('/api/auth/') ? [`${path}?${query}`] : [path, `${path}?do=save`]) {
            for (const visitor of [ann.person, new Visitor(server)]) {
              const response = await visitor.fetch(asked, { method })
              await response.arrayBuffer()
              const isPublic = response.ok || response.status === 303 || response.status === 302
              // A refused request changes nothing either, but would prove nothing here.
              const mayBeRefused = visitor !== ann.person || NOT_FOR_OWNERS.test(template) || asked !== path
              if (response.status >= 500 || !(isPublic || mayBeRefused)) wrong.push([method, asked, response.status])
            }
          }
        }
      }
      expect(wrong).toEqual([])
      expect([...ann.person.cookies]).toEqual(cookies)
      // Taking one's data away is a GET, and logged; nothing else is.
      await server.sql("DELETE FROM events WHERE type = 'data.exported' RETURNING 1")
      await server.sql(
        "UPDATE sqlite_sequence SET seq = (SELECT max(id) FROM events) WHERE name = 'events' RETURNING 1",
      )
      expect(await contentOf(server)).toEqual(before)
    })

    /** A mail scanner, a preview, a prefetch, another person's browser: anything that follows a link unintentionally. */
    async function follow(link: string, token: string, route: string): Promise<unknown[]> {
      const signedIn: unknown[] = []
      const callback = new URLSearchParams({ token, callbackURL: '/dashboard' })
      for (const address of [link, `${server.origin}${route}?${callback}`]) {
        for (const [method, headers] of [
          ['HEAD', {}],
          ['GET', { 'sec-purpose': 'prefetch' }],
          ['GET', {}],
        ] as const) {
          for (const visitor of [new Visitor(server), ann.person]) {
            const had = visitor.cookies.get('session')
            const { headers: answered } = await visitor.fetch(address, { method, headers })
            const set = answered.getSetCookie().find((cookie) => /session=[^;]/.test(cookie))
            if (set !== undefined) signedIn.push([method, address.replace(token, '<token>')])
            if (had !== undefined) visitor.cookies.set('session', had)
          }
        }
      }
      return signedIn
    }
    const tokenOf = (link: string) =>
      new URL(link).searchParams.get('token') ?? new URL(link).pathname.split('/').at(-1) ?? ''

    test('a mailed link that confirms an address does nothing by GET or HEAD', async () => {
      const { email } = await signUp(server)
      const link = linkIn(await mailTo(server, email, 'Confirm your address'))
      const before = await contentOf(server)
      expect(await follow(link, tokenOf(link), '/api/auth/verify-email')).toEqual([])
      expect(await contentOf(server)).toEqual(before)
    })

    test('a mailed sign-in link does nothing by GET or HEAD', async () => {
      const email = newEmail()
      const visitor = new Visitor(server)
      await visitor.api('POST', '/api/auth/sign-in/magic-link', { email, callbackURL: '/' })
      const link = linkIn(await mailTo(server, email, 'Your sign-in link'))
      const before = await contentOf(server)
      expect(await follow(link, tokenOf(link), '/api/auth/magic-link/verify')).toEqual([])
      expect(await contentOf(server)).toEqual(before)
    })
  })
}
