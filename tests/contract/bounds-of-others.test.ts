import { expect, setDefaultTimeout, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { actFor, newOrganization, newPerson, type Person, URL_A, type Visitor } from '../people.ts'
import { startReceiver } from '../receiver.ts'
import { onEveryTarget } from '../targets.ts'

setDefaultTimeout(180_000)

const MIB = 2 ** 20

// What is erased because one account has too much of it is its own, and older than anything of anybody else's here.
onEveryTarget({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }, (at) => {
  const sql = (text: string, args: unknown[] = []) => at().sql(text, args as never)
  const count = async (text: string, args: unknown[] = []) => Number((await sql(text, args))[0]?.n)
  /** The rows 1 to `count`, as `n.i`. */
  const numbers = (rows: number) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})`
  const ownerOf = ({ userId }: Person) => count('SELECT id AS n FROM owners WHERE user_id = ?', [userId])
  const idOf = (slug: string) => count('SELECT id AS n FROM bundles WHERE slug = ?', [slug])
  const both = async () => [await newPerson(at()), await newPerson(at())] as const
  const withWebhook = async (person: Visitor, url = 'http://127.0.0.1:9999/') => {
    const wish = { url, events: ['bundle.updated'] }
    const { body } = await person.api<{ webhook: { id: string } }>('POST', '/api/me/webhooks', wish)
    return body.webhook.id
  }
  /** Events that a webhook has been sent. */
  const seedEvents = async (webhookId: string, slug: string, rows: number) => {
    const seeded = `${numbers(rows)} INSERT INTO outbox (webhook_id, bundle_id, message_id, event, version_number, at, sent_at)
      SELECT ?1, ?2, 'msg_' || lower(hex(randomblob(16))), 'bundle.updated', 1, ?3, ?3 FROM n RETURNING 1`
    await sql(seeded, [webhookId, await idOf(slug), Date.now()])
  }
  const eventsOf = (webhookId: string) =>
    count('SELECT count(*) AS n FROM outbox WHERE webhook_id = ? AND version_number = 1', [webhookId])

  test('answers to idempotency keys that are too many cost neither the newest of them nor anybody else’s', async () => {
    const [ann, ben] = await both()
    const send = (person: Person, key: string) =>
      person.api<{ slug: string }>('POST', '/api/links', { urls: [URL_A] }, { 'idempotency-key': key })
    const bens = await send(ben, 'first')
    await send(ann, 'first')
    const seeded = `${numbers(57)} INSERT INTO idempotency_answers (key_hash, owner_id, request_hash, answer, created_at)
      SELECT 'large' || ?1 || i, ?1, 'r', randomblob(150000), ?2 FROM n RETURNING 1`
    await sql(seeded, [await ownerOf(ann), Date.now() - 1_000])
    const newest = await send(ann, 'newest')
    const bytes = 'SELECT answer_bytes AS n FROM owners WHERE user_id = ?'
    expect(await count(bytes, [ann.userId])).toBeLessThanOrEqual(8 * MIB)
    for (const [person, key, first] of [[ann, 'newest', newest] as const, [ben, 'first', bens] as const]) {
      const again = await send(person, key)
      expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', first.body])
    }
  })

  test('decided proposals that are too large cost nobody else theirs', async () => {
    const [ann, ben] = await both()
    const decided = async (person: Person) => {
      const { slug } = await person.makeBundle()
      const path = `/api/links/${slug}/proposals`
      const { body } = await person.api<{ id: string }>('POST', path, { title: 'new' })
      expect((await person.api('POST', `${path}/${body.id}/withdraw`)).status).toBe(200)
      return { slug, id: body.id }
    }
    const [bens, anns] = [await decided(ben), await decided(ann)]
    const seeded = `${numbers(120)} INSERT INTO proposals (id, bundle_id, owner_id, base_version, changes, proposed_by, created_at, state, decided_by, decided_at)
      SELECT 'p_' || ?2 || '_' || i, ?1, ?2, 1, printf('{"title":"%.140000c"}', 'x'), ?3, ?4, 'withdrawn', ?3, ?4 FROM n RETURNING 1`
    await sql(seeded, [await idOf(anns.slug), await ownerOf(ann), ann.userId, Date.now()])
    expect((await ann.api('POST', `/api/links/${anns.slug}/proposals`, { title: 'newest' })).status).toBe(201)
    const bytes = 'SELECT proposal_bytes AS n FROM owners WHERE user_id = ?'
    expect(await count(bytes, [ann.userId])).toBeLessThanOrEqual(16 * MIB)
    expect((await ann.api('GET', `/api/links/${anns.slug}/proposals/${anns.id}`)).status).toBe(404)
    expect((await ben.api('GET', `/api/links/${bens.slug}/proposals/${bens.id}`)).status).toBe(200)
  })

  test('events of a webhook that are too many, sent or waiting, cost no other webhook its own', async () => {
    const [ann, ben] = await both()
    const receiver = startReceiver()
    const [{ slug: anns }, { slug: bens }] = [await ann.makeBundle(), await ben.makeBundle()]
    const others = [await withWebhook(ben), await withWebhook(ben)] as const
    for (const other of others) await seedEvents(other, bens, 3)
    await sql('UPDATE outbox SET sent_at = NULL WHERE webhook_id = ? RETURNING 1', [others[0]])

    const told = await withWebhook(ann, receiver.url)
    await seedEvents(told, anns, 1_000)
    await ann.api('PATCH', `/api/links/${anns}`, { title: 'sent' })
    await becomes(async () => (await eventsOf(told)) < 1_000, true)
    await receiver.stop()

    const waiting = await withWebhook(ann)
    await seedEvents(waiting, anns, 10_000)
    await sql('UPDATE outbox SET sent_at = NULL WHERE webhook_id = ? RETURNING 1', [waiting])
    await ann.api('PATCH', `/api/links/${anns}`, { title: 'waits' })
    expect(await eventsOf(waiting)).toBeLessThan(10_000)
    expect(await Promise.all(others.map(eventsOf))).toEqual([3, 3])
  })

  test('sessions, closed invitations and ended keys that are too many end those of nobody else', async () => {
    const [ann, ben] = await both()
    const ours = [await newOrganization(ann), await newOrganization(ben)] as const
    const invitations = (organizationId: string, inviter: Person, rows: number) =>
      sql(
        `${numbers(rows)} INSERT INTO invitation (id, organization_id, email, role, status, inviter_id, expires_at, created_at)
          SELECT ?1 || i, ?1, i || '@people.example', 'viewer', 'canceled', ?2, 1, i FROM n RETURNING 1`,
        [organizationId, inviter.userId],
      )
    await invitations(ours[1].id, ben, 3)
    await invitations(ours[0].id, ann, 150)
    for (const person of [ben, ann]) await actFor(person, null)
    const endedKey = async (person: Person) => {
      const { body } = await person.api<{ apiKey: { id: number } }>('POST', '/api/me/keys', { name: 'ended' })
      await person.api('DELETE', `/api/me/keys?id=${body.apiKey.id}`)
      return body.apiKey.id
    }
    const [bens, anns] = [await endedKey(ben), await endedKey(ann)]
    await sql(
      `${numbers(150)} INSERT INTO api_keys (owner_id, minted_by, name, key_prefix, secret_hash, scopes, created_at, revoked_at)
        SELECT ?1, ?2, 'key', 'oa_' || ?1 || '_' || i, zeroblob(32), '["links:read"]', 1, 1 FROM n RETURNING 1`,
      [await ownerOf(ann), ann.userId],
    )
    expect((await ann.api('POST', '/api/me/keys', { name: 'one more' })).status).toBe(201)
    await sql(
      `${numbers(150)} INSERT INTO session (id, token, user_id, expires_at, created_at, updated_at)
        SELECT ?1 || i, ?1 || i, ?1, 9000000000000, 9000000000000, i FROM n RETURNING 1`,
      [ann.userId],
    )
    expect((await ann.api('GET', '/api/me')).status).toBe(401)
    expect((await ben.api('GET', '/api/me')).status).toBe(200)
    const left = (table: string, id: string | number) =>
      count(`SELECT count(*) AS n FROM ${table} WHERE ${table === 'invitation' ? 'organization_id' : 'id'} = ?`, [id])
    expect(await Promise.all(ours.map(({ id }) => left('invitation', id)))).toEqual([100, 3])
    expect([await left('api_keys', anns), await left('api_keys', bens)]).toEqual([0, 1])
  })
})
