import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type } from 'arktype'
import { count } from 'drizzle-orm'
import { pino } from 'pino'
import { retiredSlugs } from '../../db/schema.ts'
import { readConfig } from '../../src/config/config.ts'
import { execute, respond } from '../../src/operations/execute.ts'
import { type CallContext, implement, type Operation } from '../../src/operations/operation.ts'

import { startService } from '../../src/runtime/service.ts'

const directory = mkdtempSync(join(tmpdir(), 'openall-operation-'))
let service: Awaited<ReturnType<typeof startService>>

beforeAll(async () => {
  const config = readConfig({ DATABASE_URL: `file:${join(directory, 'test.db')}`, LOG_LEVEL: 'silent' })
  service = await startService(config, pino({ level: 'silent' }))
})
afterAll(async () => {
  await service.stop()
  rmSync(directory, { recursive: true })
})

const words = { summary: '', description: '', input: type({ '+': 'reject' }) }

function context(idempotencyKey: string | null): CallContext {
  return {
    caller: { kind: 'anonymous', address: '192.0.2.1' },
    client: null,
    source: 'api',
    viewer: { headers: new Headers(), url: 'http://localhost/' },
    conditions: () => ({ idempotencyKey, expectedVersion: null }),
  }
}

const retire = (slugHash: string) => service.store.db.insert(retiredSlugs).values({ slugHash })

async function retired(): Promise<number> {
  const [row] = await service.store.db.select({ number: count() }).from(retiredSlugs)
  return row?.number ?? 0
}

/** A mistake in a feature: a write that a second call with the same key would repeat. */
const pastCommit: Operation = {
  ...words,
  name: 'past_commit',
  route: 'POST /past-commit',
  auth: 'public',
  idempotent: true,
  async run(_, { service: { store } }) {
    await store.write([retire('past')])
  },
  async dryRun(_, { service: { store } }) {
    await store.write([retire('past')])
    return { bundle: null, warnings: [] }
  },
}

for (const key of ['a key', null]) {
  test(`an idempotent operation cannot write outside its commit, called with ${key ?? 'no key'}`, async () => {
    await expect(execute(pastCommit, () => ({}), context(key), service)).rejects.toThrow('must write through commit')
    expect(await retired()).toBe(0)
  })
}

test('a dry run cannot write', async () => {
  const called = respond(pastCommit, () => ({ dryRun: true }), context(null), service)
  await expect(called).rejects.toThrow('dry runs must not write')
  expect(await retired()).toBe(0)
})

test('an idempotent operation’s commit is written once per key, and reads work as usual', async () => {
  const committing: Operation = {
    ...pastCommit,
    name: 'committing',
    async run(_, { commit }) {
      await commit([retire(`slug ${await retired()}`)], { number: await retired() })
      return { number: await retired() }
    },
  }
  const before = await retired()
  await execute(committing, () => ({}), context('another key'), service)
  const { headers } = await execute(committing, () => ({}), context('another key'), service)
  expect(headers).toEqual({ 'idempotency-replayed': 'true' })
  expect(await retired()).toBe(before + 1)
  await execute(committing, () => ({}), context(null), service)
  expect(await retired()).toBe(before + 2)
})

test('tsc checks an implementation against its row of the table', () => {
  const made = [
    // @ts-expect-error its row says that it has a dry run
    implement('create_bundle', { ...words, run: () => null }),
    // @ts-expect-error its row does not say that it has a dry run
    implement('get_bundle', { ...words, run: () => null, dryRun: async () => ({ bundle: null, warnings: [] }) }),
    // @ts-expect-error its row says that it has comma-separated values
    implement('get_insights', { ...words, run: () => null }),
    // @ts-expect-error only an idempotent operation has a commit
    implement('get_bundle', { ...words, run: (_, { commit }) => commit([], null) }),
    // @ts-expect-error a launcher is dropped by the slug of the answer
    implement('delete_bundle', { ...words, run: () => ({ deletedAt: '' }) }),
    implement('create_key', { ...words, run: (_, { commit }) => commit([], null) }),
    implement('delete_bundle', { ...words, run: () => ({ slug: '' }) }),
  ]
  expect(made.map(({ name }) => name as string)).toContain('delete_bundle')
})
