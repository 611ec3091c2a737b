import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import pino from 'pino'
import { openStore } from '../../db/client.ts'
import { Checker } from '../../src/checks/checker.ts'
import type { CheckResult } from '../../src/checks/findings.ts'
import { SharedHosts } from '../../src/checks/hosts.ts'
import { type Clock, type NoTurn, type Places, Turns, takeTurn } from '../../src/outgoing/turns.ts'

// How many looks are made, and when, by a clock that these tests set.

setDefaultTimeout(240_000)

const DAY_MS = 86_400_000
const SITE = { origin: 'https://openall.example', outgoingPrivateNetworks: false }
const LOG = pino({ level: 'silent' })
const THERE: CheckResult = { kind: 'there', movedTo: null }

/** A clock that jumps to whatever is waited for. */
class SetClock implements Clock {
  readonly waitedUntil: number[] = []
  constructor(public time: number) {}
  now = () => this.time
  async until(time: number): Promise<void> {
    this.waitedUntil.push(time)
    this.time = Math.max(this.time, time)
  }
}

async function withStore(run: (store: Awaited<ReturnType<typeof openStore>>) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'openall-'))
  const store = await openStore({ url: `file:${join(folder, 'test.db')}`, authToken: undefined })
  try {
    await run(store)
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Links all due at once, of so many hosts, each host of one of so many owners. */
async function seed(
  store: Awaited<ReturnType<typeof openStore>>,
  links: number,
  hosts: number,
  owners = 1,
): Promise<void> {
  const n = (rows: number) =>
    sql.raw(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows - 1})`)
  await store.write([
    sql`INSERT INTO user (id, name, email, email_verified, created_at, updated_at)
      ${n(owners)} SELECT 'u' || i, 'Ada', 'u' || i || '@people.example', 1, 1, 1 FROM n`,
    sql`INSERT INTO owners (id, user_id) ${n(owners)} SELECT i + 1, 'u' || i FROM n`,
    sql`INSERT INTO checked_links (owner_id, host, hash, url, since, due_at)
      ${n(links)} SELECT 1 + (i % ${hosts}) % ${owners}, 'h' || (i % ${hosts}) || '.example', 'h' || i, 'https://h' || (i % ${hosts}) || '.example/' || i, 0, 1 FROM n`,
    sql`INSERT INTO checked_hosts (host, due_at) SELECT DISTINCT host, 1 FROM checked_links`,
  ])
}

/** When the turns come for which each of two processes asks in turn, by clocks that do not wait. */
async function turnsOf(store: Awaited<ReturnType<typeof openStore>>, places: Places[]): Promise<number[]> {
  const clocks = [new SetClock(1_000), new SetClock(1_000)]
  for (const [at, place] of places.entries()) expect(await takeTurn(store, place, clocks[at % 2]!)).toBe(true)
  return clocks.flatMap(({ waitedUntil }) => waitedUntil).sort((one, other) => one - other)
}

test('a site gets a request a second of those that nobody waits for, whichever process sends it', () =>
  withStore(async (store) => {
    const sent = await turnsOf(store, Array(10).fill({ site: 'site.example', blocks: ['192.0.2.0/24'] }))
    expect(sent).toEqual(Array.from({ length: 10 }, (_, at) => 1_000 + at * 1_000))
  }))

test('a block of addresses gets four a second, by whatever names, and a site that is behind delays none beside it', () =>
  withStore(async (store) => {
    const blocks = ['192.0.2.0/24', '2001:db8:0:0::/64']
    const clock = new SetClock(1_000)
    clock.until = async (time) => void clock.waitedUntil.push(time)
    for (let at = 0; at < 12; at += 1) await takeTurn(store, { site: `name-${at}.example`, blocks }, clock)
    expect(clock.waitedUntil).toEqual(Array.from({ length: 12 }, (_, at) => 1_000 + at * 250))
    const other = { site: 'slow.example', blocks: ['198.51.100.0/24'] }
    for (let at = 0; at < 16; at += 1) expect(await takeTurn(store, other, clock)).toBe(true)
    expect(await takeTurn(store, other, clock)).toBe(false)
    expect(await takeTurn(store, { ...other, site: 'quick.example' }, clock)).toBe(true)
    expect(clock.waitedUntil.at(-1)).toBe(1_000 + 16 * 250)
  }))

describe('what one process sends', () => {
  const place = (site: string, block = '192.0.2.0/24'): Places => ({ site, blocks: [block] })
  /** Turns by a clock that stands still, and what each waited. */
  const standing = () => {
    const waits: number[] = []
    const clock = { time: 1_000, now: () => clock.time, wait: async (ms: number) => void waits.push(ms) }
    return { turns: new Turns(clock), waits, clock }
  }

  test('to one site is at once twenty requests, then ten a second; more than is waited for is refused', async () => {
    const { turns, waits } = standing()
    for (let at = 0; at < 45; at += 1) await turns.take(place('site.example'), null, 2_500)
    expect(waits).toEqual(Array.from({ length: 25 }, (_, at) => (at + 1) * 100))
    const refused = turns.take(place('site.example'), null, 2_500).catch((error) => error)
    expect(await refused).toMatchObject({ whose: 'site' })
    await turns.take(place('other.example', '198.51.100.0/24'), null, 0)
  })

  test('to one address is at once forty requests, then twenty a second, by whatever names', async () => {
    const { turns, waits } = standing()
    for (let at = 0; at < 50; at += 1) await turns.take(place(`name-${at}.example`), null, 2_500)
    expect(waits).toEqual(Array.from({ length: 10 }, (_, at) => (at + 1) * 50))
  })

  test('for one account is 600 requests and 16 MiB within a minute, wherever they go', async () => {
    const { turns, clock } = standing()
    const take = (account: string, at: number) =>
      turns.take(place(`${account}-${at}.example`, `${account}-${at}`), account, 0).then(
        () => null,
        ({ whose }: NoTurn) => whose,
      )
    for (let at = 0; at < 600; at += 1) expect(await take('ada', at)).toBeNull()
    expect([await take('ada', 600), await take('ben', 0)]).toEqual(['account', null])
    const piece = 2 ** 20
    const received = Array.from({ length: 17 }, () => turns.receive('ben', piece))
    expect(received).toEqual([...Array(16).fill(true), false])
    expect([await take('ben', 1), turns.receive('eve', piece)]).toEqual(['account', true])
    clock.time += 60_001
    expect([await take('ada', 601), await take('ben', 2)]).toEqual([null, null])
  })
})

test('a link that cannot be looked at for whatever reason holds up no other of its host', () =>
  withStore(async (store) => {
    await seed(store, 3, 1)
    const clock = new SetClock(DAY_MS)
    const looked: string[] = []
    const probe = async (url: string): Promise<CheckResult> => {
      looked.push(url)
      if (looked.length === 1) throw new TypeError('no such thing was thought of')
      return THERE
    }
    const checker = new Checker(store, SITE, LOG, clock, probe)
    for (let step = 0; step < 4; step += 1) {
      await checker.begin()
      await checker.settled()
      clock.time += 1_000
    }
    expect(looked.toSorted()).toEqual([0, 1, 2].map((at) => `https://h0.0.example/${at}`))
  }))

test('a hundred thousand links of which one in a step, two processes never look at one twice, and nobody takes much at once', () =>
  withStore(async (store) => {
    await seed(store, 100_000, 2_000, 20)
    const looked = new Map<string, number>()
    let together = 0
    let most = 0
    const probe = async (url: string): Promise<CheckResult> => {
      together += 1
      most = Math.max(most, together)
      looked.set(url, (looked.get(url) ?? 0) + 1)
      await new Promise((next) => setImmediate(next))
      together -= 1
      return THERE
    }
    const clock = new SetClock(DAY_MS)
    const [one, other] = [0, 1].map(() => new Checker(store, SITE, LOG, clock, probe)) as [Checker, Checker]
    for (let step = 0; step < 40; step += 1) {
      await Promise.all([one.begin(), other.begin()])
      await Promise.all([one.settled(), other.settled()])
    }
    expect([...looked.values()].filter((times) => times > 1)).toEqual([])
    expect(looked.size).toBe(one.probes + other.probes)
    // Sixteen hosts at a time for each, and of each host one.
    expect(most).toBeLessThanOrEqual(32)
    expect(looked.size).toBe(40 * 32)
    const hosts = new Set([...looked.keys()].map((url) => new URL(url).host))
    expect(hosts.size).toBe(looked.size)
    // What a stopped process had begun is begun anew by another.
    const stuck = new Checker(store, SITE, LOG, clock, () => new Promise(() => {}))
    expect(await stuck.begin()).toBe(16)
    await stuck.stop(0)
    const [left] = await store.db
      .select({ leased: sql<number>`count(*)` })
      .from(sql`checked_hosts WHERE lease IS NOT NULL`)
    expect(left).toEqual({ leased: 0 })
  }))

test('an owner whose sites are silent holds up a quarter of all looks, and nobody else’s', () =>
  withStore(async (store) => {
    await seed(store, 200, 200, 2)
    // All of the silent one's are due first.
    await store.write([
      sql`UPDATE checked_hosts SET due_at = 0 WHERE host IN (SELECT host FROM checked_links WHERE owner_id = 1)`,
    ])
    const { promise: silence, resolve: answer } = Promise.withResolvers<CheckResult>()
    const looked: string[] = []
    const probe = async (_: string, { account }: { account: string }) => {
      looked.push(account)
      return account === 'u0' ? silence : THERE
    }
    const clock = new SetClock(DAY_MS)
    const checker = new Checker(store, SITE, LOG, clock, probe)
    for (let step = 0; looked.length < 104; step += 1) {
      expect(step).toBeLessThan(60)
      await checker.begin()
      await Bun.sleep(5)
    }
    expect(looked.filter((account) => account === 'u0').length).toBe(4)
    answer(THERE)
    await checker.settled()
  }))

test('what robots.txt files say takes a MiB for an owner, the newest of them, and costs nobody else theirs', () =>
  withStore(async (store) => {
    const hosts = new SharedHosts(store, new SetClock(DAY_MS))
    const rules = [[0, `/${'x'.repeat(8_000)}`]] as const
    await hosts.forLooksOf(2).keepRobots('of-the-other.example', [[0, '/']])
    for (let at = 0; at < 150; at += 1)
      await hosts.forLooksOf(1).keepRobots(
        `h${at}.example`,
        rules.map(([is, path]) => [is, path]),
      )
    const [kept] = await store.db
      .select({ bytes: sql<number>`sum(bytes)`, rows: sql<number>`count(*)` })
      .from(sql`robots WHERE owner_id = 1`)
    expect(kept?.bytes).toBeLessThanOrEqual(2 ** 20)
    expect(kept?.rows).toBeGreaterThan(100)
    await store.write([
      sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2040)
        INSERT INTO robots (authority, owner_id, rules, bytes, at) SELECT 'n' || i, 3, '[]', 100, i FROM n`,
    ])
    await hosts.forLooksOf(3).keepRobots('newest.example', [])
    const [many] = await store.db
      .select({ rows: sql<number>`count(*)`, oldest: sql<number>`min(at)` })
      .from(sql`robots WHERE owner_id = 3`)
    expect(many).toEqual({ rows: 2_000, oldest: 42 })
    expect(await hosts.forLooksOf(1).robotsOf('h149.example')).toEqual([[0, `/${'x'.repeat(8_000)}`]])
    expect(await hosts.forLooksOf(1).robotsOf('of-the-other.example')).toEqual([[0, '/']])
  }))
