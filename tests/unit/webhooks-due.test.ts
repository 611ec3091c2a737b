import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { openStore, type Store } from '../../db/client.ts'
import { outbox } from '../../db/schema.ts'
import { dueEvents } from '../../src/webhooks/due.ts'

const folder = mkdtempSync(join(tmpdir(), 'openall-'))
let store: Store
beforeAll(async () => {
  store = await openStore({ url: `file:${join(folder, 'test.db')}`, authToken: undefined })
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const OWNERS = 10
const EACH = 8

test('owners take turns: one whose events came last has as many sent as those before', async () => {
  const run = (query: string) => store.write([sql.raw(query)])
  for (let owner = 1; owner <= OWNERS; owner += 1) {
    const name = `owner${owner}`
    await run(
      `INSERT INTO user (id, name, email, email_verified, created_at, updated_at) VALUES ('${name}', '${name}', '${name}@people.example', 1, 1, 1)`,
    )
    await run(`INSERT INTO owners (id, user_id) VALUES (${owner}, '${name}')`)
    for (const webhook of [`${name}-a`, `${name}-b`]) {
      await run(`INSERT INTO webhooks (id, owner_id, created_by, url, events, secret, created_at)
        VALUES ('${webhook}', ${owner}, '${name}', 'https://a.example/', '["*"]', x'00', 1)`)
      await run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${EACH})
        INSERT INTO outbox (webhook_id, message_id, event, at, due_at)
        SELECT '${webhook}', '${webhook}-' || i, 'test', 1, ${owner * 100} + i FROM n`)
    }
  }
  const ids = await dueEvents(store, new Map(), [])
  expect(ids).toHaveLength(64)
  const rows = await store.db.select({ id: outbox.id, webhook: outbox.webhookId }).from(outbox)
  const ownerOf = new Map(rows.map(({ id, webhook }) => [id, webhook.split('-')[0]]))
  const counts = Object.values(Object.groupBy(ids, (id) => ownerOf.get(id) ?? '')).map((own) => own?.length ?? 0)
  expect([counts.length, Math.min(...counts), Math.max(...counts)]).toEqual([OWNERS, 6, 7])
})
