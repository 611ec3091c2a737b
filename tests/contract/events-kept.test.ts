import { expect, setDefaultTimeout, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { newOrganization, newPerson, type Person, URL_A } from '../people.ts'
import type { Server } from '../server.ts'
import { onEveryProcess, onEveryTarget } from '../targets.ts'

// For how long events are kept, and how many; and that reading few of very many finds them by an index.

setDefaultTimeout(180_000)

const DAY_MS = 86_400_000

interface Told {
  events: { type: string; target: { id: string | null }; changes?: object[] }[]
  nextCursor?: string
}

const read = async (by: Person, query = '') =>
  (await by.api<Told>('GET', `/api/me/events?limit=100${query}`)).body.events

const ownerOf = async (server: Server, { userId }: Person) =>
  Number((await server.sql('SELECT id FROM owners WHERE user_id = ?', [userId]))[0]?.id)

/** Copies the newest event of an owner, as if it had happened so often. */
async function repeat(server: Server, owner: number, times: number): Promise<void> {
  const columns = 'owner_id, kind, type, actor_type, actor_user_id, bundle_id, at, expires_at'
  await server.sql(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2),
        last AS (SELECT * FROM events WHERE owner_id = ?1 AND kind = 'bundle' ORDER BY id DESC LIMIT 1)
      INSERT INTO events (public_id, nth, ${columns}) SELECT 'evt_' || i, nth + i, ${columns} FROM last, n RETURNING 1`,
    [owner, times],
  )
}

const countOf = async (server: Server, owner: number, kind: string) =>
  Number((await server.sql('SELECT count(*) AS n FROM events WHERE owner_id = ? AND kind = ?', [owner, kind]))[0]?.n)

onEveryTarget({}, (at) => {
  test('of each kind an owner has the newest 2,000, on Pro 10,000; the oldest go, and no others', async () => {
    const person = await newPerson(at())
    await person.makeBundle()
    const owner = await ownerOf(at(), person)
    const others = await countOf(at(), owner, 'account')
    await repeat(at(), owner, 2500)
    expect([await countOf(at(), owner, 'bundle'), await countOf(at(), owner, 'account')]).toEqual([2000, others])
    await at().sql("UPDATE owners SET plan = 'pro' WHERE id = ? RETURNING 1", [owner])
    await repeat(at(), owner, 500)
    expect(await countOf(at(), owner, 'bundle')).toBe(2500)
    // After the plan, two go with each that is added.
    await at().sql("UPDATE owners SET plan = 'free' WHERE id = ? RETURNING 1", [owner])
    await person.makeBundle()
    expect(await countOf(at(), owner, 'bundle')).toBe(2499)
    await repeat(at(), owner, 1000)
    expect(await countOf(at(), owner, 'bundle')).toBe(2000)
    expect((await read(person))[0]?.type).toBe('bundle.created')
  })

  test('of 100 000 events every list reads its own alone', async () => {
    const person = await newPerson(at())
    const { slug } = await person.makeBundle()
    const owner = await ownerOf(at(), person)
    await at().sql("UPDATE owners SET plan = 'pro' WHERE id = ? RETURNING 1", [owner])
    await repeat(at(), owner, 9_000)
    await at().sql(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10)
        INSERT INTO events (public_id, nth, owner_id, kind, type, actor_type, at, expires_at)
        SELECT public_id || '-' || i, 1, 1000000 + i, kind, type, actor_type, at, expires_at
        FROM events, n WHERE owner_id = ? RETURNING 1`,
      [owner],
    )
    for (const query of ['', '&type=bundle', '&type=bundle.created', `&target=${slug}`, `&actor=${person.userId}`]) {
      expect([query, (await read(person, query)).length]).toEqual([query, 100])
    }
    const plans = await Promise.all(
      [
        'owner_id = 1 AND kind = 1 AND id < 9 ORDER BY id DESC',
        'owner_id = 1 AND actor_user_id = 1 AND +kind IN (1, 2) ORDER BY id DESC',
        "owner_id = 1 AND target = '1' AND +kind IN (1, 2) ORDER BY id DESC",
        'owner_id = 1 AND bundle_id = 1 AND +kind IN (1, 2) ORDER BY id DESC',
        'expires_at <= 1 ORDER BY expires_at',
      ].map((where) => at().sql(`EXPLAIN QUERY PLAN SELECT id FROM events WHERE ${where} LIMIT 51`)),
    )
    for (const plan of plans) {
      const said = plan.map(({ detail }) => detail).join('; ')
      expect(said).toMatch(/^SEARCH events USING (?:COVERING )?INDEX events_\w+ \([^)]*\)$/)
    }
    const csv = await (await person.fetch('/api/me/events.csv?type=bundle')).text()
    expect(csv.trimEnd().split('\r\n')).toHaveLength(9_002)
  })
})

onEveryProcess({ SERVICE_KEEP_DELETED_DAYS: '3' }, (at) => {
  const sweep = async () => {
    await at().kill()
    await at().restart()
  }

  test('events end after their time, with their account, and lose what an erased bundle was', async () => {
    const [person, gone] = [await newPerson(at()), await newPerson(at())]
    const { id } = await newOrganization(person)
    const { slug } = await person.makeBundle({ title: 'Secret plan' })
    await person.api('PATCH', `/api/links/${slug}`, { title: 'Secret plan B', urls: [URL_A] })
    await person.api('DELETE', `/api/links/${slug}`)
    const days = await at().sql(
      `SELECT DISTINCT (expires_at - at) / ${DAY_MS} AS days, organization_id IS NULL AS personal
        FROM events JOIN owners ON owners.id = owner_id WHERE user_id = ? OR organization_id = ? ORDER BY 1`,
      [person.userId, id],
    )
    expect(days).toEqual([
      { days: 90, personal: 1 },
      { days: 400, personal: 0 },
    ])
    await gone.makeBundle({ title: 'Gone' })
    const owner = await ownerOf(at(), gone)
    expect((await gone.api('POST', '/api/auth/delete-user', {})).status).toBe(200)
    await at().sql("UPDATE events SET expires_at = 1 WHERE type = 'account.signed_in' RETURNING 1")
    await at().sql('UPDATE bundles SET deleted_at = ? WHERE slug = ? RETURNING 1', [Date.now() - 4 * DAY_MS, slug])
    await sweep()
    const left = async () => ({
      gone: await at().sql('SELECT type FROM events WHERE owner_id = ? UNION ALL SELECT id FROM gone_owners', [owner]),
      old: await at().sql("SELECT type FROM events WHERE type = 'account.signed_in'"),
      bundles: (await at().sql('SELECT id FROM bundles WHERE slug = ?', [slug])).length,
    })
    await becomes(left, { gone: [], old: [], bundles: 0 })
    const mine = (await read(person, '&type=bundle')).map(({ type, target, changes }) => [type, target, changes])
    const erased = { type: 'bundle', id: null }
    expect(mine).toEqual([
      ['bundle.deleted', erased, undefined],
      ['bundle.updated', erased, undefined],
      ['bundle.created', erased, undefined],
    ])
    expect(JSON.stringify(await at().sql('SELECT * FROM events'))).not.toMatch(/Secret plan|Gone/)
  })
})
