import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import pino from 'pino'
import { openStore } from '../../db/client.ts'
import { Checker } from '../../src/checks/checker.ts'
import type { Seen } from '../../src/checks/findings.ts'
import { SharedHosts } from '../../src/checks/hosts.ts'
import type { Clock } from '../../src/outgoing/turns.ts'

// How many looks are made, and when, by a clock that these tests set.

setDefaultTimeout(240_000)

const DAY_MS = 86_400_000
const SITE = { origin: 'https://openall.example', outgoingPrivateNetworks: false }
const LOG = pino({ level: 'silent' })
const THERE: Seen = { kind: 'there', movedTo: null }

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

/** Links of one owner, all due at once, of so many hosts. */
async function seed(store: Awaited<ReturnType<typeof openStore>>, links: number, hosts: number): Promise<void> {
  const n = sql.raw(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${links - 1})`)
  await store.write([
    sql`INSERT INTO user (id, name, email, email_verified, created_at, updated_at) VALUES ('ada', 'Ada', 'ada@people.example', 1, 1, 1)`,
    sql`INSERT INTO owners (id, user_id) VALUES (1, 'ada')`,
    sql`INSERT INTO checked_links (owner_id, host, hash, url, since, due_at)
      ${n} SELECT 1, 'h' || (i % ${hosts}) || '.example', 'h' || i, 'https://h' || (i % ${hosts}) || '.example/' || i, 0, 1 FROM n`,
    sql`INSERT INTO checked_hosts (host, due_at, used_at) SELECT DISTINCT host, 1, 1 FROM checked_links`,
  ])
}

test('a host gets a request a second, whichever process sends it', () =>
  withStore(async (store) => {
    const clocks = [new SetClock(1_000), new SetClock(1_000)]
    const turns = clocks.map((clock) => new SharedHosts(store, clock).forLookAt('other.example'))
    for (let round = 0; round < 5; round += 1) {
      for (const { turn } of turns) expect(await turn('site.example')).toBe(true)
    }
    const sent = clocks.flatMap(({ waitedUntil }) => waitedUntil).sort((one, other) => one - other)
    expect(sent).toEqual(Array.from({ length: 10 }, (_, at) => 1_000 + at * 1_000))
  }))

test('a link that cannot be looked at for whatever reason holds up no other of its host', () =>
  withStore(async (store) => {
    await seed(store, 3, 1)
    const clock = new SetClock(DAY_MS)
    const looked: string[] = []
    const look = async (url: string): Promise<Seen> => {
      looked.push(url)
      if (looked.length === 1) throw new TypeError('no such thing was thought of')
      return THERE
    }
    const checker = new Checker(store, SITE, LOG, clock, look)
    for (let step = 0; step < 4; step += 1) {
      await checker.begin()
      await checker.settled()
      clock.time += 1_000
    }
    expect(looked.toSorted()).toEqual([0, 1, 2].map((at) => `https://h0.0.example/${at}`))
  }))

test('a hundred thousand links of which one in a step, two processes never look at one twice, and nobody takes much at once', () =>
  withStore(async (store) => {
    await seed(store, 100_000, 2_000)
    const looked = new Map<string, number>()
    let together = 0
    let most = 0
    const look = async (url: string): Promise<Seen> => {
      together += 1
      most = Math.max(most, together)
      looked.set(url, (looked.get(url) ?? 0) + 1)
      await new Promise((next) => setImmediate(next))
      together -= 1
      return THERE
    }
    const clock = new SetClock(DAY_MS)
    const [one, other] = [0, 1].map(() => new Checker(store, SITE, LOG, clock, look)) as [Checker, Checker]
    for (let step = 0; step < 40; step += 1) {
      await Promise.all([one.begin(), other.begin()])
      await Promise.all([one.settled(), other.settled()])
    }
    expect([...looked.values()].filter((times) => times > 1)).toEqual([])
    expect(looked.size).toBe(one.looks + other.looks)
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
