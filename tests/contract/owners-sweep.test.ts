import { expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { newEmail, newPerson, Visitor } from '../people.ts'
import { onEveryProcess } from '../targets.ts'

const DAY_MS = 24 * 3_600_000

onEveryProcess({}, (at) => {
  test('expired data is deleted: claims with their addresses, hashed addresses, sessions, old changes and webhooks', async () => {
    const server = at()
    const visitor = new Visitor(server)
    const [lapsed, open] = [await visitor.makeBundle({ email: newEmail() }), await visitor.makeBundle()]
    const [gone, stays] = [await newPerson(server), await newPerson(server)]
    await stays.api('PATCH', `/api/links/${(await stays.makeBundle()).slug}`, { title: 'a change' })
    // Only changes that the search index and others have read are deleted, and one sweep is all that this test waits for.
    const unread = 'SELECT 1 FROM bundle_changes WHERE for_search + for_sites + for_links > 0'
    await becomes(() => server.sql(unread), [])
    const now = Date.now()
    const lapsedId = '(SELECT id FROM bundles WHERE slug = ?)'
    await server.sql(`UPDATE claims SET expires_at = ? WHERE bundle_id = ${lapsedId} RETURNING 1`, [
      now - 1,
      lapsed.slug,
    ])
    await server.sql('UPDATE bundles SET created_at = ? WHERE slug = ? RETURNING 1', [now - 31 * DAY_MS, lapsed.slug])
    await server.sql('UPDATE session SET expires_at = ? WHERE user_id = ? RETURNING 1', [now - 1, gone.userId])
    await server.sql('UPDATE bundle_changes SET at = ? RETURNING 1', [now - DAY_MS])
    const [old, young] = [now - 31 * DAY_MS, now - 29 * DAY_MS]
    await server.sql("INSERT INTO provider_events VALUES ('payment', 'old', ?), ('payment', 'young', ?) RETURNING 1", [
      old,
      young,
    ])
    await server.sql(
      `INSERT INTO provider_entities VALUES ('payment', 'old', ?, NULL), ('payment', 'young', ?, NULL),
        ('identity', 'linked', ?, ?) RETURNING 1`,
      [old, young, old, stays.userId],
    )
    const left = async () => ({
      claims: (await server.sql('SELECT slug FROM claims JOIN bundles ON bundles.id = bundle_id')).map(
        ({ slug }) => slug,
      ),
      hashed: (await server.sql('SELECT slug FROM bundles WHERE address_hash IS NOT NULL')).map(({ slug }) => slug),
      sessions: (await server.sql('SELECT user_id FROM session')).map((row) => row.user_id),
      // Indexing may note another one after those were made old.
      changes: await server.sql('SELECT 1 FROM bundle_changes WHERE at <= ?', [now - DAY_MS]),
      deliveries: (await server.sql('SELECT event_id FROM provider_events')).map((row) => row.event_id),
      entities: (await server.sql('SELECT entity FROM provider_entities ORDER BY 1')).map(({ entity }) => entity),
    })
    expect((await left()).changes).not.toEqual([])
    await server.kill()
    await server.restart()
    await becomes(left, {
      claims: [open.slug],
      hashed: [open.slug],
      sessions: [stays.userId],
      changes: [],
      deliveries: ['young'],
      entities: ['linked', 'young'],
    })
    // A bundle whose claim has expired is still served, and an edit after the sweep still shows.
    expect((await visitor.fetch(lapsed.url)).status).toBe(200)
    expect((await stays.api('GET', '/api/me')).status).toBe(200)
  })
})
