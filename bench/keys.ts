import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type } from 'arktype'
import { pino } from 'pino'
import { apiKeys, user } from '../db/schema.ts'
import { api } from '../src/api/json.ts'
import { readConfig } from '../src/config/config.ts'
import { toProblem } from '../src/core/problem.ts'
import { sha256 } from '../src/core/secrets.ts'
import { requestId } from '../src/http/request.ts'
import { jsonProblem } from '../src/http/respond.ts'
import { newKeyToken } from '../src/keys/key-ring.ts'
import type { Operation } from '../src/operations/operation.ts'
import { ensureOwner, ownerId } from '../src/plans/owners.ts'
import { startService } from '../src/runtime/service.ts'

// `bun run bench:keys`: what a key adds to a request. In process, because the time of a socket varies by more than that.
// Variants alternate in random order, so that other load on the machine affects all of them alike.

const ROUNDS = 400
const REQUESTS = 50
const GOALS = { 'valid key': 25, 'wrong checksum': 10 }

const directory = mkdtempSync(join(tmpdir(), 'openall-bench-'))
const config = readConfig({ DATABASE_URL: `file:${join(directory, 'bench.db')}`, LOG_LEVEL: 'silent' })
const service = await startService(config, pino({ level: 'silent' }))

const bare: Operation = {
  name: 'bare',
  summary: 'Nothing',
  description: 'Nothing',
  route: 'GET /bare',
  auth: 'public',
  input: type({ '+': 'reject' }),
  run: async () => ({ ok: true }),
}
const app = api([bare], service, (request, error) =>
  jsonProblem(toProblem(error), { requestId: requestId(request), origin: config.origin }),
).compile()

const limited = await newKey(100_000)
const unlimited = await newKey(0)
const wrong = `${limited.slice(0, -1)}${limited.endsWith('A') ? 'B' : 'A'}`
const variants = [
  { name: 'bare route', key: null, status: 200 },
  { name: 'valid key', key: unlimited, status: 200 },
  { name: 'valid key with an hourly limit', key: limited, status: 200 },
  { name: 'wrong checksum', key: wrong, status: 401 },
].map((variant) => ({ ...variant, micros: [] as number[] }))

for (let round = -50; round < ROUNDS; round += 1) {
  for (const { key, status, micros } of shuffled(variants)) {
    const init = key === null ? {} : { headers: { authorization: `Bearer ${key}` } }
    const from = performance.now()
    for (let sent = 0; sent < REQUESTS; sent += 1) {
      const answer = await app.fetch(new Request(`${config.origin}/api/bare`, init))
      if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}`)
    }
    if (round >= 0) micros.push(((performance.now() - from) * 1000) / REQUESTS)
  }
}

const medians = variants.map(({ micros }) => micros.sort((a, b) => a - b)[ROUNDS >> 1]!)
for (const [index, { name }] of variants.entries()) {
  const added = medians[index]! - medians[0]!
  const goal = GOALS[name as keyof typeof GOALS]
  const verdict = goal === undefined ? '' : `  (goal: at most ${goal} µs: ${added <= goal ? 'pass' : 'FAIL'})`
  console.log(`${name.padEnd(34)}${medians[index]!.toFixed(1).padStart(7)} µs  +${added.toFixed(1)} µs${verdict}`)
}

await service.stop()
rmSync(directory, { recursive: true })

/** Inserts a key with this limit into the database. @returns its text. */
async function newKey(rateLimitPerHour: number): Promise<string> {
  const { keyPrefix, secret, text } = newKeyToken()
  const now = new Date()
  const subject = { type: 'user', userId: 'u' } as const
  const { db } = service.store
  await service.store.write([
    db
      .insert(user)
      .values({ id: 'u', name: 'U', email: 'u@a.example', emailVerified: true, createdAt: now, updatedAt: now })
      .onConflictDoNothing(),
    ensureOwner(subject),
    db.insert(apiKeys).values({
      ownerId: ownerId(subject),
      mintedBy: 'u',
      name: 'bench',
      keyPrefix,
      secretHash: sha256(secret),
      scopes: ['links:read'],
      rateLimitPerHour,
      createdAt: now.getTime(),
    }),
  ])
  return text
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => [Math.random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)
}
