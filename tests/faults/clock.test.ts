import { describe, expect } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask, mint, newBundle, type Person, signUp } from '../contract/people.ts'
import { create, newSlug, sendEvent, URL_OK } from '../contract/support.ts'
import { eventually } from '../eventually.ts'
import { FAKETIME, isLeftOut } from '../needs.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'
import { newLanes } from './lanes.ts'

// The recorder's behaviour is tested in tests/insights.

const DAY_SECONDS = 86_400
const WINDOW_MS = 4_000
const PATIENCE_MS = 180_000

const newLane = newLanes(4 * PATIENCE_MS)

describe.skipIf(isLeftOut('faketime')).each(RUNTIMES.map((runtime) => ({ runtime })))('on $runtime', ({ runtime }) => {
  const folder = mkdtempSync(join(tmpdir(), 'openall-clock-'))
  const clock = join(folder, 'clock')
  const turn = (seconds: number) => writeFileSync(clock, `${seconds < 0 ? '' : '+'}${seconds}\n`)
  let server: Server
  let person: Person
  let owned: string
  const startOne = () =>
    startServer({
      runtime,
      database: join(folder, 'test.db'),
      env: {
        LD_PRELOAD: FAKETIME,
        FAKETIME_TIMESTAMP_FILE: clock,
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        SERVICE_RATE_LIMIT_WINDOW_MS: String(WINDOW_MS),
        SERVICE_RATE_LIMIT_MAX_REQUESTS: '3',
        SERVICE_CLIENT_IP_HEADER: 'x-client',
        LOG_LEVEL: 'error',
      },
    })
  const startAll = async () => {
    turn(0)
    server = await startOne()
    person = await signUp(server, { 'x-client': '192.0.2.200' })
    // Nothing is logged here, not even mails.
    await server.sql('UPDATE user SET email_verified = 1 WHERE id = ? RETURNING 1', [person.userId])
    owned = await newBundle(server, person)
  }
  const stopAll = async () => {
    await server?.kill()
    rmSync(folder, { recursive: true, force: true })
  }
  const scenario = newLane(startAll, stopAll)

  /** The day on the server's clock. Its `Date` header would not do: Deno's only continues from the last value. */
  const shownDay = async () =>
    (await ask(server, `GET /api/links/${owned}/insights`, { cookie: person.cookie })).body.range.to.slice(0, 10)
  const from = (address: string) => ({ 'x-client': address })
  const isFree = async (address: string) => (await sendEvent(server, 'unknown123', from(address))).status === 204

  scenario('a bundle opens and closes by the clock, at the very second, from the cache too', async () => {
    const now = Date.parse(
      (await ask(server, `GET /api/links/${owned}/insights`, { cookie: person.cookie })).body.range.to,
    )
    // Far from the seconds that pass during the test.
    const opens = now + 2 * DAY_SECONDS * 1000
    const closes = opens + DAY_SECONDS * 1000
    const body = { opensAt: new Date(opens).toISOString(), closesAt: new Date(closes).toISOString() }
    const { status } = await ask(server, `PATCH /api/links/${owned}`, { cookie: person.cookie, body })
    expect(status).toBe(200)
    const view = async () => {
      const page = await fetch(`${server.origin}/l/${owned}`)
      await page.arrayBuffer()
      return page.status
    }
    /** Moves the clock to some seconds from an instant. */
    const move = (instant: number, seconds: number) => turn(Math.round((instant - Date.now()) / 1000) + seconds)
    const seen: number[] = []
    const look = async (instant: number, seconds: number) => {
      move(instant, seconds)
      seen.push(await view(), await view())
    }
    for (const margin of [-30, 30]) await look(opens, margin)
    for (const margin of [-30, 30]) await look(closes, margin)
    await look(opens, 30)
    await look(opens, -30)
    expect(seen).toEqual([403, 403, 200, 200, 200, 200, 410, 410, 200, 200, 403, 403])

    // While the clock ticks over the instant, only the second of the change may have either answer.
    for (const [instant, before, after] of [
      [opens, 403, 200],
      [closes, 200, 410],
    ] as const) {
      move(instant, -3)
      const statuses: number[] = []
      await eventually(async () => {
        statuses.push(await view())
        return statuses.at(-1) === after
      }, 'the clock has passed the instant')
      expect(new Set(statuses)).toEqual(new Set([before, after]))
    }
    turn(0)
    const always = { opensAt: null, closesAt: null }
    await ask(server, `PATCH /api/links/${owned}`, { cookie: person.cookie, body: always })
  })

  scenario('two processes on one file open and close a bundle at the very second', async () => {
    const other = await startOne()
    try {
      const slug = await newBundle(server, person)
      const opens = Date.now() + 2 * DAY_SECONDS * 1000
      const closes = opens + DAY_SECONDS * 1000
      const body = { opensAt: new Date(opens).toISOString(), closesAt: new Date(closes).toISOString() }
      const { status } = await ask(server, `PATCH /api/links/${slug}`, { cookie: person.cookie, body })
      expect(status).toBe(200)
      for (const [instant, before, after] of [
        [opens, 403, 200],
        [closes, 200, 410],
      ] as const) {
        let ahead = 0
        /** Moves both clocks to some seconds before the instant. */
        const move = (seconds: number) => turn((ahead = Math.round((instant - Date.now()) / 1000) - seconds))
        /** What a process answers, and by its clock how long before the instant it was asked and had answered. */
        const view = async ({ origin }: Server) => {
          const left = () => instant - Date.now() - ahead * 1000
          const asked = left()
          const page = await fetch(`${origin}/l/${slug}`)
          await page.arrayBuffer()
          return { asked, answered: left(), status: page.status }
        }
        const both = () => Promise.all([server, other].map(view))
        move(30)
        await eventually(async () => (await both()).every((one) => one.status === before), 'both know the times')
        move(3)
        const seen: Awaited<ReturnType<typeof both>> = []
        await eventually(async () => {
          const now = await both()
          seen.push(...now)
          return now.every((one) => one.asked < -1000)
        }, 'a second has passed since the instant')
        expect(seen.filter((one) => one.answered > 1000 && one.status !== before)).toEqual([])
        expect(seen.filter((one) => one.asked < -1000 && one.status !== after)).toEqual([])
        expect(seen.filter((one) => one.status !== before && one.status !== after)).toEqual([])
      }
    } finally {
      turn(0)
      await other.stop()
    }
  })

  for (const [name, seconds] of [
    ['forth', DAY_SECONDS],
    ['back', -DAY_SECONDS],
  ] as const) {
    scenario(`a clock that jumps a day ${name} and back costs no session, key, answer or limit`, async () => {
      const slug = await newSlug(server)
      const { rawKey: key, apiKey } = await mint(server, person, { rateLimitPerHour: 0 })
      const send = () =>
        create(server, { urls: [URL_OK] }, { 'idempotency-key': `before ${name}`, ...from(`192.0.2.1${name.length}`) })
      const first = await send()
      expect(first.status).toBe(201)
      const isWell = async () => {
        const me = await ask(server, 'GET /api/me', { cookie: person.cookie })
        const keyed = await ask(server, 'GET /api/me', { key })
        const page = await fetch(`${server.origin}/l/${slug}`)
        await page.arrayBuffer()
        const ready = await fetch(`${server.origin}/readyz`)
        return [me.status, keyed.status, page.status, ready.status].join()
      }
      const today = await shownDay()
      expect(await isWell()).toBe('200,200,200,200')

      turn(seconds)
      await eventually(async () => (await shownDay()) !== today, 'the clock has jumped')
      expect(await isWell()).toBe('200,200,200,200')
      const address = `192.0.2.2${name.length}`
      expect([await isFree(address), await isFree(address), await isFree(address)]).toEqual([true, true, true])
      expect(await isFree(address)).toBe(false)

      turn(0)
      await eventually(async () => (await shownDay()) === today, 'the clock is back')
      expect(await isWell()).toBe('200,200,200,200')
      // A window lasts as long as it is, whatever the clock shows.
      expect(await isFree(address)).toBe(false)
      await eventually(() => isFree(address), 'the limit has let go', WINDOW_MS + 5_000)
      expect((await send()).body.slug).toBe(first.body.slug)
      // As another process would: the jump must not extend how long a key stays cached.
      await server.sql('UPDATE api_keys SET revoked_at = ? WHERE id = ?', [Date.now(), apiKey.id])
      const status = async () => (await ask(server, 'GET /api/me', { key })).status
      await eventually(async () => (await status()) === 401, 'the key has ended', 5_000)
    })
  }
})
