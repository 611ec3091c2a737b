import { expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { becomes } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import type { Server } from '../server.ts'
import { onEveryProcess, onEveryTarget } from '../targets.ts'
import { processorMs } from '../work.ts'

setDefaultTimeout(180_000)

const WAITING = 200_000

/** A webhook with so many waiting events of one bundle, from before there was a bound. */
async function withEvents(server: Server, person: Person, rows: number): Promise<string> {
  const { slug } = await person.makeBundle()
  const wish = { url: 'http://127.0.0.1:9999/', events: ['bundle.updated'] }
  const { body } = await person.api<{ webhook: { id: string } }>('POST', '/api/me/webhooks', wish)
  const { id } = body.webhook
  // As sent at first: the bound looks at each one that is added unsent.
  const seeded = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows / 10})
    INSERT INTO outbox (webhook_id, bundle_id, message_id, event, version_number, at, sent_at)
    SELECT ?1, (SELECT id FROM bundles WHERE slug = ?2), ?3 || i, 'bundle.updated', 1, ?4, ?4 FROM n RETURNING 1`
  for (let part = 0; part < 10; part += 1) await server.sql(seeded, [id, slug, randomUUID(), Date.now()])
  await server.sql('UPDATE outbox SET sent_at = NULL WHERE webhook_id = ? RETURNING 1', [id])
  return id
}

const rowsOf = async (server: Server, id: string) =>
  Number((await server.sql('SELECT count(*) AS n FROM outbox WHERE webhook_id = ?', [id]))[0]?.n)

onEveryTarget({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }, (at) => {
  test('deleting a webhook, or an account, with 200 000 waiting events is little work, and it is gone at once', async () => {
    const ann = await newPerson(at())
    const id = await withEvents(at(), ann, WAITING)
    expect(await rowsOf(at(), id)).toBe(WAITING)
    const spent = await processorMs(async () => {
      expect((await ann.api('DELETE', `/api/me/webhooks/${id}`)).status).toBe(200)
    })
    expect(spent).toBeLessThan(250)
    expect((await ann.api('GET', '/api/me/webhooks')).body).toEqual({ webhooks: [] })
    expect((await ann.api('GET', `/api/me/webhooks/${id}/deliveries`)).status).toBe(404)
    expect((await ann.api('POST', `/api/me/webhooks/${id}/test`)).status).toBe(404)

    const ben = await newPerson(at())
    await withEvents(at(), ben, WAITING)
    const spentOnAccount = await processorMs(async () => {
      expect((await ben.api('POST', '/api/auth/delete-user', {})).status).toBe(200)
    })
    expect(spentOnAccount).toBeLessThan(500)
    expect((await ben.api('GET', '/api/me')).status).toBe(401)
  })
})

onEveryProcess({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }, (at) => {
  test('the events of deleted webhooks do not pile up until the sweep: for each that is added, two of them go', async () => {
    const ann = await newPerson(at())
    const gone = [await withEvents(at(), ann, 30), await withEvents(at(), ann, 10)]
    const kept = await withEvents(at(), ann, 10)
    for (const id of gone) await ann.api('DELETE', `/api/me/webhooks/${id}`)
    const { slug } = await ann.makeBundle()
    const left = async () => (await rowsOf(at(), gone[0]!)) + (await rowsOf(at(), gone[1]!))
    for (let edit = 1; edit <= 20; edit += 1) {
      expect((await ann.api('PATCH', `/api/links/${slug}`, { title: `edit ${edit}` })).status).toBe(200)
      expect(await left()).toBe(40 - 2 * edit)
    }
    expect(await at().sql('SELECT id FROM gone_webhooks')).toEqual([])
    expect(await rowsOf(at(), kept)).toBe(30)
  })

  test('the sweep erases the events of a deleted webhook, and nobody else’s', async () => {
    const ann = await newPerson(at())
    const [gone, kept] = [await withEvents(at(), ann, 9_000), await withEvents(at(), ann, 9_000)]
    await ann.api('DELETE', `/api/me/webhooks/${gone}`)
    expect(await rowsOf(at(), gone)).toBe(9_000)
    await at().kill()
    await at().restart()
    await becomes(() => rowsOf(at(), gone), 0)
    await becomes(() => at().sql('SELECT id FROM gone_webhooks'), [])
    expect(await rowsOf(at(), kept)).toBe(9_000)
  })
})
