import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient, type InStatement } from '@libsql/client'
import { and, gte, isNotNull } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/libsql'
import { pino } from 'pino'
import { openStore, type Store } from '../../db/client.ts'
import * as schema from '../../db/schema.ts'
import { sha256 } from '../../src/core/secrets.ts'
import { KeyRing, newKeyToken } from '../../src/keys/key-ring.ts'
import { processorMs } from '../work.ts'

const silent = pino({ level: 'warn' })
let directory: string
let store: Store
let client: Client

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'openall-'))
  const url = `file:${join(directory, 'test.db')}`
  store = await openStore({ url })
  client = createClient({ url })
  const now = Date.now()
  await client.execute({
    sql: `INSERT INTO user (id, name, email, email_verified, created_at, updated_at) VALUES ('u', 'U', 'u@a.example', 1, ?, ?)`,
    args: [now, now],
  })
  await client.execute(`INSERT INTO owners (id, user_id) VALUES (1, 'u')`)
})
afterAll(() => {
  client.close()
  store.close()
  rmSync(directory, { recursive: true })
})

/** Inserts keys. Returns their Authorization headers, and the id of the first. */
async function newKeys(count: number): Promise<{ headers: string[]; first: number }> {
  const tokens = Array.from({ length: count }, newKeyToken)
  const made = await store.db
    .insert(schema.apiKeys)
    .values(
      tokens.map(({ keyPrefix, secret }) => ({
        ownerId: 1,
        mintedBy: 'u',
        name: 'n',
        keyPrefix,
        secretHash: sha256(secret),
        scopes: ['links:read' as const],
        createdAt: 1,
      })),
    )
    .returning({ id: schema.apiKeys.id })
  return { headers: tokens.map(({ text }) => `Bearer ${text}`), first: made[0]!.id }
}

/** A database whose driver reports each read and holds its answer back until `pass`. */
function watched(pass: () => Promise<unknown> = async () => {}) {
  const reads: InStatement[] = []
  const watching: Client = Object.create(client, {
    execute: {
      async value(statement: InStatement) {
        const answer = await client.execute(statement)
        reads.push(statement)
        await pass()
        return answer
      },
    },
  })
  const db = drizzle(watching)
  return { reads, ring: new KeyRing({ ...store, db }, silent) }
}

test('a key read before it was revoked is not cached if the answer comes after', async () => {
  const { headers, first } = await newKeys(1)
  const gate = Promise.withResolvers<void>()
  const { ring, reads } = watched(() => gate.promise)
  const early = ring.identify(headers[0]!, '')
  while (reads.length === 0) await Bun.sleep(1)
  await client.execute({ sql: 'UPDATE api_keys SET revoked_at = 1 WHERE id = ?', args: [first] })
  ring.forget()
  gate.resolve()
  expect(await early).not.toBeNull()
  expect(await ring.identify(headers[0]!, '')).toBeNull()
  await ring.stop()
})

test('a key costs one indexed read, and none while cached or if its checksum is wrong', async () => {
  const { headers } = await newKeys(1)
  const { ring, reads } = watched()
  const [header = ''] = headers
  for (let times = 0; times < 5; times += 1) expect(await ring.identify(header, '')).not.toBeNull()
  expect(reads).toHaveLength(1)
  expect(await ring.identify(`${header.slice(0, -1)}${header.endsWith('A') ? 'B' : 'A'}`, '')).toBeNull()
  expect(await ring.identify('Bearer nonsense', '')).toBeNull()
  expect(reads).toHaveLength(1)
  const { sql, args } = reads[0] as { sql: string; args: string[] }
  const plan = await client.execute({ sql: `EXPLAIN QUERY PLAN ${sql}`, args })
  const steps = plan.rows.map(({ detail }) => String(detail))
  expect(steps[0]).toContain('USING INDEX api_keys_prefix')
  expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual([])
  await ring.stop()
})

test('writing the uses of twenty times as many keys takes less than a hundred times the work', async () => {
  const work = async (count: number) => {
    const { headers, first } = await newKeys(count)
    const ring = new KeyRing(store, silent)
    for (const header of headers) await ring.identify(header, '')
    const took = await processorMs(() => ring.stop())
    const written = and(gte(schema.apiKeys.id, first), isNotNull(schema.apiKeys.lastUsedAt))
    expect(await store.db.$count(schema.apiKeys, written)).toBe(count)
    return took
  }
  await work(100)
  const [few, many] = [await work(200), await work(4000)]
  // Linear would be 25 times, a scan of the list per key 400.
  expect(many / few).toBeLessThan(100)
}, 180_000)
