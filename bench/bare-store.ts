import { readFileSync } from 'node:fs'
import { createClient, type InStatement, LibsqlError } from '@libsql/client/sqlite3'
import { Elysia } from 'elysia'
import type { Recorded } from './recorded.ts'

// Elysia and the client, with nothing between them: the SQL that the service was seen to ask for, a call at a time.
// Arguments: the port; the file of the store; the file of what was recorded.
const [port = '', store = '', file = ''] = process.argv.slice(2)

const recorded = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Recorded>
const client = createClient({ url: `file:${store}`, concurrency: 1 })
await client.executeMultiple('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')

const MOST_TRIES = 50

async function replay(work: string, slug: string): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await once(work, slug)
    } catch (error) {
      // Somebody else edited the same bundle in between.
      if (tries === MOST_TRIES || !(error instanceof LibsqlError)) throw error
    }
  }
}

async function once(work: string, slug: string): Promise<unknown> {
  const { steps, ...was } = recorded[work]!
  const is = new Map<unknown, unknown>([[was.slug, slug]])
  let answer: unknown = { slug }
  for (const { isWrite, statements } of steps) {
    const now = statements.map(({ sql, args }) => ({ sql, args: args.map((value) => is.get(value) ?? value) }))
    if (isWrite) await client.batch(now as InStatement[], 'write')
    else if (now.length > 1) answer = (await client.batch(now as InStatement[], 'deferred')).map(({ rows }) => rows)
    else answer = learn(await client.execute(now[0] as InStatement))
  }
  return answer

  function learn({ rows }: { rows: { [column: string]: unknown }[] }) {
    const [row] = rows
    if (typeof row?.id === 'number' && row.slug === slug) is.set(was.id, row.id)
    if (typeof row?.version_number === 'number' && row.slug === slug) {
      is.set(was.version, row.version_number)
      is.set(was.version + 1, row.version_number + 1)
    }
    return rows
  }
}

let made = 0
new Elysia()
  .post('/api/links', ({ body }) => replay('create', `${(body as { title: string }).title.length}-${(made += 1)}`))
  .patch('/api/links/:slug', ({ params, body }) => replay('edit', body === null ? '' : params.slug))
  .get('/api/links/:slug', ({ params }) => replay('get', params.slug))
  .get('/api/links/:slug/insights', ({ params }) => replay('insights', params.slug))
  .get('/api/me/links', () => replay('list', ''))
  .get('/', () => '')
  .listen({ port: Number(port), hostname: 'localhost' })
