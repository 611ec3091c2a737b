import { readFileSync } from 'node:fs'
import { createClient, type InStatement, LibsqlError } from '@libsql/client/sqlite3'
import { Elysia } from 'elysia'
import type { Recorded } from './recorded.ts'

// Elysia and `@libsql/client`, with nothing in between: replays the SQL recorded from the service, one call per request.
// Arguments: the port; the database file; the recording (`recorded.ts`).
const [port = '', store = '', file = ''] = process.argv.slice(2)

const recorded = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Recorded>
const client = createClient({ url: `file:${store}`, concurrency: 1 })
await client.executeMultiple('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')

const MAX_TRIES = 50

async function replay(operation: string, slug: string): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await replayOnce(operation, slug)
    } catch (error) {
      // Another request edited the same bundle in between.
      if (tries === MAX_TRIES || !(error instanceof LibsqlError)) throw error
    }
  }
}

async function replayOnce(operation: string, slug: string): Promise<unknown> {
  const { steps, ...recording } = recorded[operation]!
  const substitutes = new Map<unknown, unknown>([[recording.slug, slug]])
  let answer: unknown = { slug }
  for (const { isWrite, statements } of steps) {
    const batch = statements.map(({ sql, args }) => ({
      sql,
      args: args.map((value) => substitutes.get(value) ?? value),
    })) as InStatement[]
    if (isWrite) await client.batch(batch, 'write')
    else if (batch.length > 1) answer = (await client.batch(batch, 'deferred')).map(({ rows }) => rows)
    else answer = learn(await client.execute(batch[0]!))
  }
  return answer

  function learn({ rows }: { rows: { [column: string]: unknown }[] }) {
    const [row] = rows
    if (typeof row?.id === 'number' && row.slug === slug) substitutes.set(recording.id, row.id)
    if (typeof row?.version_number === 'number' && row.slug === slug) {
      substitutes.set(recording.version, row.version_number)
      substitutes.set(recording.version + 1, row.version_number + 1)
    }
    return rows
  }
}

let created = 0
new Elysia()
  .post('/api/links', ({ body }) => replay('create', `${(body as { title: string }).title.length}-${(created += 1)}`))
  .patch('/api/links/:slug', ({ params, body }) => replay('edit', body === null ? '' : params.slug))
  .get('/api/links/:slug', ({ params }) => replay('get', params.slug))
  .get('/api/links/:slug/insights', ({ params }) => replay('insights', params.slug))
  .get('/api/me/links', () => replay('list', ''))
  .get('/', () => '')
  .listen({ port: Number(port), hostname: 'localhost' })
