import { describe, expect } from 'bun:test'
import { create, newSlug, sendEvent, URL_OK } from '../contract/support.ts'
import { eventually } from '../eventually.ts'
import { PASSWORD, type Person, signUp, Visitor } from '../people.ts'
import { RUNTIMES, type Runtime, type Server, startServer, type Target } from '../server.ts'
import { type Sqld, startSqld } from '../sqld.ts'
import { byMode, IS_FULL, reportFault } from './full.ts'
import { newLanes } from './lanes.ts'

/**
 * The promise: no request waits longer, whatever the database does. With other tests the machine itself may be slow, so
 * there it only guards against waiting for a database that never answers.
 */
const ANSWER_WITHIN_MS = IS_FULL ? 2_500 : 8_000
const PATIENCE_MS = 180_000

const STORES: readonly Target['store'][] = ['http', 'ws']
/** Deno has its own sockets, so it is tested too; in the quick run only with the plainest store. */
const CASES = RUNTIMES.flatMap((runtime) => STORES.map((store) => ({ runtime, store }))).filter(
  ({ runtime, store }) => IS_FULL || runtime === 'bun' || store === 'http',
)

async function start(runtime: Runtime, store: Target['store'], sqld: Sqld): Promise<Server> {
  const env = {
    DATABASE_URL: store === 'ws' ? sqld.url.replace('http:', 'ws:') : sqld.url,
    DATABASE_AUTH_TOKEN: sqld.token,
    SERVICE_SECRET: 'a secret of the tests, forty characters long',
    LOG_LEVEL: 'silent',
  }
  return startServer({ runtime, env, database: sqld.url, token: sqld.token })
}

const newLane = newLanes(4 * PATIENCE_MS)

describe.each(CASES)('$runtime over $store', ({ runtime, store }) => {
  let sqld: Sqld
  let server: Server
  let owner: Person
  let kept: string
  let unread: string[]
  const startAll = async () => {
    sqld = await startSqld()
    server = await start(runtime, store, sqld)
    owner = await signUp(server)
    kept = (await owner.makeBundle()).slug
    unread = await Promise.all(Array.from({ length: 6 }, () => newSlug(server)))
    await page(`/l/${kept}`)
    await Bun.sleep(300)
  }
  const stopAll = async () => {
    await server?.kill()
    await sqld?.stop()
  }
  const scenario = newLane(startAll, stopAll)

  const page = async (path: string) => {
    const answer = await fetch(`${server.origin}${path}`)
    await answer.arrayBuffer()
    return answer.status
  }
  const made = async (sent = {}) => {
    const { status, body, headers } = await create(server, { urls: [URL_OK] }, sent)
    if (status === 503) expect([body.code, headers.get('retry-after')]).toEqual(['STORE_UNAVAILABLE', '2'])
    return status
  }

  /** Sends every kind of read and write at once while the database is down. Resolves to the answers, and how late they were. */
  const askAll = async (passwordMs: number) => {
    const slowest = { ms: 0, what: '' }
    const ask = async (what: string, send: () => Promise<number>, ownMs = 0) => {
      const from = performance.now()
      const status = await send().catch((error: Error) => error.message)
      const ms = performance.now() - from - ownMs
      if (ms > slowest.ms) Object.assign(slowest, { ms, what })
      return [what, status] as const
    }
    const stranger = new Visitor(server)
    const fresh = unread.shift()!
    const signIn = { email: owner.email, password: PASSWORD }
    const status = async (sent: Promise<{ status: number }>) => (await sent).status
    const asked = await Promise.all([
      ask('alive', () => page('/healthz')),
      ask('ready', () => page('/readyz')),
      ask('home', () => page('/')),
      ask('a kept launcher', () => page(`/l/${kept}`)),
      ask('another launcher', () => page(`/l/${fresh}`)),
      ask('an event', () => status(sendEvent(server, kept))),
      ask('a create', () => made()),
      ask('a create with a key', () => made({ 'idempotency-key': fresh })),
      ask('an edit', () => status(owner.api('PATCH', `/api/links/${kept}`, { title: fresh }))),
      ask('a deletion', () => status(owner.api('DELETE', `/api/links/${fresh}`))),
      ask('a list', () => status(owner.api('GET', '/api/me/links'))),
      ask('insights', () => status(owner.api('GET', `/api/links/${kept}/insights`))),
      ask('dashboard', () => status(owner.fetch('/dashboard'))),
      // Password hashing is slow on purpose; what counts is the wait for the database.
      ask('a sign-in', () => status(stranger.api('POST', '/api/auth/sign-in/email', signIn)), passwordMs),
    ])
    return { answers: Object.fromEntries(asked), slowest }
  }

  const isWell = async () => {
    const answers = [await page('/readyz'), await page('/healthz'), await made().catch(() => 0)]
    return answers.join() === '200,200,201'
  }

  const expected = {
    alive: 200,
    ready: 503,
    home: 200,
    'a kept launcher': 200,
    'another launcher': 503,
    'an event': 204,
    'a create': 503,
    'a create with a key': 503,
    'an edit': 503,
    'a deletion': 503,
    'a list': 503,
    insights: 503,
    dashboard: 503,
    'a sign-in': 503,
  }

  for (const [how, away, back] of [
    ['is silent', async () => sqld.freeze(), async () => sqld.thaw()],
    ['is killed', () => sqld.kill(), () => sqld.restart()],
  ] as const) {
    scenario(
      `while sqld ${how} every request is answered in time and correctly, and then everything recovers by itself`,
      async () => {
        // An edit drops its launcher again when polling finds it, up to half a second later.
        await Bun.sleep(700)
        expect([await isWell(), await page(`/l/${kept}`)]).toEqual([true, 200])
        const from = performance.now()
        await new Visitor(server).api('POST', '/api/auth/sign-in/email', { email: owner.email, password: PASSWORD })
        const passwordMs = performance.now() - from
        await away()
        try {
          for (let round = 0; round < 2; round += 1) {
            const { answers, slowest } = await askAll(passwordMs)
            expect(answers).toEqual(expected)
            expect(slowest.ms < ANSWER_WITHIN_MS ? 'in time' : slowest).toBe('in time')
            // By now the service has tried to write counts.
            await Bun.sleep(1_200)
          }
        } finally {
          await back()
        }
        await eventually(isWell, 'the service is well again')
        expect(await page(`/l/${unread.pop()}`)).toBe(200)
        expect((await owner.api('PATCH', `/api/links/${kept}`, { title: 'again' })).status).toBe(200)
        expect((await owner.api('GET', `/api/links/${kept}`)).body).toMatchObject({ title: 'again' })
      },
    )
  }

  scenario(
    'a create retried with its key until it is answered is made once, however often sqld goes down',
    async () => {
      let isOver = false
      const answered = new Map<string, string>()
      const late: string[] = []
      const writer = async (_: unknown, worker: number) => {
        for (let sent = 0; !isOver; sent += 1) {
          const url = `https://a.example/${worker}/${sent}`
          for (;;) {
            const from = performance.now()
            const answer = await create(server, { urls: [url] }, { 'idempotency-key': url })
            if (performance.now() - from > ANSWER_WITHIN_MS) late.push(`${url}: ${performance.now() - from} ms`)
            if (answer.status === 201) {
              answered.set(url, answer.body.slug)
              break
            }
            if (answer.body.code !== 'STORE_UNAVAILABLE') throw new Error(JSON.stringify(answer.body))
            await Bun.sleep(20)
          }
        }
      }
      const writers = Promise.all(Array.from({ length: 6 }, writer))
      for (let round = 0; round < byMode({ quick: 2, full: 8 }); round += 1) {
        await Bun.sleep(300 + 70 * round)
        if (round % 2 === 0) {
          await sqld.freeze()
          // Longer than the timeout: the server will later execute what was given up.
          await Bun.sleep(2_300)
          sqld.thaw()
        } else {
          await sqld.kill()
          await Bun.sleep(round % 4 === 1 ? 20 : 400)
          await sqld.restart()
        }
      }
      await Bun.sleep(500)
      isOver = true
      await writers
      const rows = await server.sql("SELECT urls, slug FROM bundles WHERE urls LIKE '%https://a.example/_/%'")
      const stored = rows.map(({ urls, slug }) => [(JSON.parse(String(urls)) as string[])[0], slug])
      expect(late).toEqual([])
      expect(stored.sort()).toEqual([...answered].sort())
      reportFault(`${runtime} over ${store}, sqld frozen or killed without pause`, answered.size, 0)
      expect(stored.length).toBeGreaterThanOrEqual(12)
    },
  )

  // Heavy, so only once in the quick run.
  if (IS_FULL || (runtime === 'bun' && store === 'http')) {
    scenario(
      'more simultaneous writes than sqld can take exhaust nothing: what is answered is stored, and the next is written',
      async () => {
        const answered: string[] = []
        for (let burst = 0; burst < 3; burst += 1) {
          const answers = await Promise.all(
            Array.from({ length: 200 }, () => create(server, { urls: ['https://burst.example/'] })),
          )
          for (const { status, body } of answers) {
            if (status === 201) answered.push(body.slug)
            else expect(body.code).toBe('STORE_UNAVAILABLE')
          }
        }
        await eventually(async () => (await made()) === 201, 'a write is answered again')
        const rows = await server.sql("SELECT slug FROM bundles WHERE urls LIKE '%https://burst.example/%'")
        const stored = new Set(rows.map(({ slug }) => slug))
        expect(answered.filter((slug) => !stored.has(slug))).toEqual([])
        expect(answered.length).toBeGreaterThan(200)
      },
    )
  }
})
