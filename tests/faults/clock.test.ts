import { describe, expect } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask, bundleOf, mint, type Person, signUp } from '../contract/people.ts'
import { create, newSlug, sendEvent, URL_OK } from '../contract/support.ts'
import { eventually } from '../eventually.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'
import { newLanes } from './lanes.ts'

/** Debian's package `faketime`: a process whose wall clock a file turns. What the recorder does is in tests/insights. */
const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'
const hasClock = existsSync(FAKETIME)
if (!hasClock) console.warn('clock.test.ts is skipped: the package faketime is not installed')

const DAY_SECONDS = 86_400
const WINDOW_MS = 4_000
const PATIENCE_MS = 60_000

const newLane = newLanes(4 * PATIENCE_MS)

describe.skipIf(!hasClock).each(RUNTIMES.map((runtime) => ({ runtime })))('on $runtime', ({ runtime }) => {
  const folder = mkdtempSync(join(tmpdir(), 'openall-clock-'))
  const clock = join(folder, 'clock')
  const turn = (seconds: number) => writeFileSync(clock, `${seconds < 0 ? '' : '+'}${seconds}\n`)
  let server: Server
  let person: Person
  let owned: string
  const startAll = async () => {
    turn(0)
    server = await startServer({
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
    person = await signUp(server, { 'x-client': '192.0.2.200' })
    // Nothing is logged here, mails neither.
    await server.sql('UPDATE user SET email_verified = 1 WHERE id = ? RETURNING 1', [person.userId])
    owned = await bundleOf(server, person)
  }
  const stopAll = async () => {
    await server?.kill()
    rmSync(folder, { recursive: true, force: true })
  }
  const scenario = newLane(startAll, stopAll)

  /** The day as the server's clock shows it. Its `Date` header would not do: Deno's goes on only from where it was. */
  const shownDay = async () =>
    (await ask(server, `GET /api/links/${owned}/insights`, { cookie: person.cookie })).body.range.to.slice(0, 10)
  const from = (address: string) => ({ 'x-client': address })
  const isFree = async (address: string) => (await sendEvent(server, 'unknown123', from(address))).status === 204

  for (const [name, seconds] of [
    ['forth', DAY_SECONDS],
    ['back', -DAY_SECONDS],
  ] as const) {
    scenario(`a clock that jumps a day ${name} and returns costs no session, key, answer or limit`, async () => {
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
      // A window goes by as long as it is, whatever the clock shows.
      expect(await isFree(address)).toBe(false)
      await eventually(() => isFree(address), 'the limit has let go', WINDOW_MS + 5_000)
      expect((await send()).body.slug).toBe(first.body.slug)
      // As another process does it: what is known of a key is kept no longer for the jump.
      await server.sql('UPDATE api_keys SET revoked_at = ? WHERE id = ?', [Date.now(), apiKey.id])
      const status = async () => (await ask(server, 'GET /api/me', { key })).status
      await eventually(async () => (await status()) === 401, 'the key has ended', 5_000)
    })
  }
})
