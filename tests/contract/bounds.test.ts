import { expect, setDefaultTimeout, test } from 'bun:test'
import { becomes, eventually } from '../eventually.ts'
import { arriveByMail, newOrganization, newPerson, type Person, URL_A, type Visitor } from '../people.ts'
import { startReceiver } from '../receiver.ts'
import { onEveryTarget } from '../targets.ts'

setDefaultTimeout(180_000)

const MIB = 2 ** 20
const FULL = { status: 403, body: { code: 'PLAN_LIMIT' } }
const HISTORY_MB = 1
let made = 0

/** Changes of about 140 KB that were never proposed before. */
function largeChanges() {
  made += 1
  return {
    urls: Array.from({ length: 25 }, (_, n) => `https://large.example/${n}/${String(made).padEnd(1990, 'x')}`),
    urlMetadata: Array.from({ length: 25 }, () => ({ note: '𝄞'.repeat(500) })),
    description: '𝄞'.repeat(2000),
  }
}

onEveryTarget(
  { SERVICE_PLAN_FREE_MAX_HISTORY_MB: String(HISTORY_MB), SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' },
  (at) => {
    const sql = (text: string, args: unknown[] = []) => at().sql(text, args as never)
    /** The rows 1 to `count`, as `n.i`. */
    const numbers = (count: number) =>
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`
    const ownerOf = async ({ userId }: Person) => {
      const [row] = await sql('SELECT id, answer_bytes, proposal_bytes, history_bytes FROM owners WHERE user_id = ?', [
        userId,
      ])
      return row as { id: number; answer_bytes: number; proposal_bytes: number; history_bytes: number }
    }
    const count = async (text: string, args: unknown[] = []) => Number((await sql(text, args))[0]?.n)
    /** The size of the database without free pages. */
    const size = async () => {
      const [pages, free] = await Promise.all(['page_count', 'freelist_count'].map((name) => sql(`PRAGMA ${name}`)))
      return 4096 * (Number(pages?.[0]?.page_count) - Number(free?.[0]?.freelist_count))
    }
    const withWebhook = async (
      person: Visitor,
      { url = 'http://127.0.0.1:9999/', events = ['bundle.updated'] }: { url?: string; events?: string[] } = {},
    ) => {
      const wish = { url, events }
      const { body } = await person.api<{ webhook: { id: string }; secret: string }>('POST', '/api/me/webhooks', wish)
      return { ...body, id: body.webhook.id }
    }
    /** Events that wait for a webhook, of one bundle, the first due in a day. */
    const seedWaiting = async (webhookId: string, bundleId: number, rows: number) => {
      // As sent at first: the bound looks at each one that is added unsent.
      const seeded = `${numbers(rows)} INSERT INTO outbox (webhook_id, bundle_id, message_id, event, version_number, at, due_at, sent_at)
        SELECT ?1, ?2, 'msg_' || lower(hex(randomblob(16))), 'bundle.updated', 1, ?3, CASE i WHEN 1 THEN ?3 + 86400000 END, ?3 FROM n RETURNING 1`
      await sql(seeded, [webhookId, bundleId, Date.now()])
      await sql('UPDATE outbox SET sent_at = NULL WHERE webhook_id = ?1 RETURNING 1', [webhookId])
    }
    const idOf = (slug: string) => count('SELECT id AS n FROM bundles WHERE slug = ?', [slug])

    test('10 000 events wait for a webhook at most: the oldest goes, and the newest comes', async () => {
      const ann = await newPerson(at())
      const { slug } = await ann.makeBundle()
      const { id } = await withWebhook(ann)
      await seedWaiting(id, await idOf(slug), 9_998)
      const oldest = await count('SELECT min(id) AS n FROM outbox WHERE webhook_id = ?', [id])
      const waiting = () => count('SELECT count(*) AS n FROM outbox WHERE webhook_id = ? AND sent_at IS NULL', [id])
      for (let edit = 1; edit <= 5; edit += 1) {
        expect((await ann.api('PATCH', `/api/links/${slug}`, { title: `edit ${edit}` })).status).toBe(200)
        expect(await waiting()).toBeLessThanOrEqual(10_000)
      }
      expect(await waiting()).toBeGreaterThanOrEqual(9_998)
      expect(await count('SELECT min(id) AS n FROM outbox WHERE webhook_id = ?', [id])).toBeGreaterThan(oldest)
      const kept = 'SELECT count(*) AS n FROM outbox WHERE webhook_id = ? AND version_number = 6'
      expect(await count(kept, [id])).toBe(1)
      // The next one of the bundle took the place of the one that went.
      expect(await count('SELECT count(*) AS n FROM outbox WHERE webhook_id = ? AND due_at > 0', [id])).toBe(1)
    })

    test('1 000 deliveries of a webhook are listed at most: the oldest goes', async () => {
      const ann = await newPerson(at())
      const receiver = startReceiver()
      const { slug } = await ann.makeBundle()
      const { id } = await withWebhook(ann, { url: receiver.url })
      const seeded = `${numbers(1_000)} INSERT INTO outbox (webhook_id, bundle_id, message_id, event, version_number, at, sent_at)
        SELECT ?1, ?2, 'msg_' || i, 'bundle.updated', 1, ?3, ?3 FROM n RETURNING 1`
      await sql(seeded, [id, await idOf(slug), Date.now()])
      await ann.api('PATCH', `/api/links/${slug}`, { title: 'sent' })
      const sent = () => count('SELECT count(*) AS n FROM outbox WHERE webhook_id = ? AND sent_at IS NOT NULL', [id])
      await eventually(() => receiver.received.length === 1, 'the delivery')
      await becomes(async () => (await sent()) <= 1_000, true)
      await becomes(() => count("SELECT count(*) AS n FROM outbox WHERE message_id = 'msg_1'"), 0)
      await receiver.stop()
    })

    test('answers kept for idempotency keys take 8 MiB of an account at most: the oldest go, and then a key is new', async () => {
      const ann = await newPerson(at())
      const send = (key: string) =>
        ann.api<{ slug: string }>('POST', '/api/links', { urls: [URL_A] }, { 'idempotency-key': key })
      const first = await send('the first')
      const { id } = await ownerOf(ann)
      const rows = Math.floor((8 * MIB) / (600 + 256)) - 2
      const seeded = `${numbers(rows)} INSERT INTO idempotency_answers (key_hash, owner_id, request_hash, answer, created_at)
        SELECT ?1 || i, ?1, 'r', randomblob(600), ?2 FROM n RETURNING 1`
      await sql(seeded, [id, Date.now()])
      expect((await send('the first')).body).toEqual(first.body)
      for (let call = 0; call < 20; call += 1) expect((await send(`more ${call}`)).status).toBe(201)
      const { answer_bytes: bytes } = await ownerOf(ann)
      expect(bytes).toBeLessThanOrEqual(8 * MIB)
      expect(bytes).toBeGreaterThan(7.5 * MIB)
      const real = 'SELECT sum(length(answer) + 256) AS n FROM idempotency_answers WHERE owner_id = ?'
      expect(await count(real, [id])).toBe(bytes)
      expect((await send('more 19')).headers.get('idempotency-replayed')).toBe('true')
      const again = await send('the first')
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, null])
      expect(again.body.slug).not.toBe(first.body.slug)
    })

    test('the answer kept of a large proposal is small, and is repeated in full', async () => {
      const ann = await newPerson(at())
      const { slug } = await ann.makeBundle()
      const body = largeChanges()
      const send = () =>
        ann.api<{ changes: object }>('POST', `/api/links/${slug}/proposals`, body, { 'idempotency-key': 'large' })
      const first = await send()
      expect(first.status).toBe(201)
      expect(JSON.stringify(first.body).length).toBeGreaterThan(70_000)
      const again = await send()
      expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', first.body])
      expect((await ownerOf(ann)).answer_bytes).toBeLessThan(1_000)
    })

    test('proposals take 16 MiB of an account at most: decided ones go, even if a webhook was not told; open ones are refused', async () => {
      const ann = await newPerson(at())
      await withWebhook(ann, { events: ['proposal.opened'] })
      const slugs = await Promise.all(Array.from({ length: 8 }, async () => (await ann.makeBundle()).slug))
      const propose = (slug: string) => ann.api<{ id: string }>('POST', `/api/links/${slug}/proposals`, largeChanges())
      for (let n = 0; n < 160; n += 1) {
        const { status, body } = await propose(slugs[0]!)
        expect(status).toBe(201)
        expect((await ann.api('POST', `/api/links/${slugs[0]}/proposals/${body.id}/withdraw`)).status).toBe(200)
      }
      const bytes = async () => (await ownerOf(ann)).proposal_bytes
      expect(await bytes()).toBeLessThanOrEqual(16 * MIB)
      expect(await bytes()).toBeGreaterThan(15 * MIB)
      const statuses = []
      for (let n = 0; n < 160; n += 1) {
        const answer = await propose(slugs[n % 8]!)
        statuses.push(answer.status)
        if (answer.status !== 201) expect(answer).toMatchObject(FULL)
      }
      expect(await bytes()).toBeLessThanOrEqual(16 * MIB)
      expect(new Set(statuses)).toEqual(new Set([201, 403]))
      expect((await propose((await ann.makeBundle()).slug)).body).toMatchObject({
        error: expect.stringContaining('16 MiB'),
      })
      const real = 'SELECT sum(length(CAST(changes AS BLOB)) + 512) AS n FROM proposals WHERE owner_id = ?'
      expect(await count(real, [(await ownerOf(ann)).id])).toBe(await bytes())
    })

    test('200 proposals for all bundles of a subject may be open, and 20 for one of them', async () => {
      const ann = await newPerson(at())
      const slugs = await Promise.all(Array.from({ length: 11 }, async () => (await ann.makeBundle()).slug))
      const propose = (slug: string, title: string) =>
        ann.api<{ id: string }>('POST', `/api/links/${slug}/proposals`, { title })
      let id = ''
      for (const slug of slugs.slice(0, 10)) {
        for (let n = 0; n < 20; n += 1) {
          const { status, body } = await propose(slug, `${n}`)
          expect(status).toBe(201)
          id = body.id
        }
      }
      expect(await propose(slugs[0]!, 'twenty-first')).toMatchObject(FULL)
      expect(await propose(slugs[10]!, 'the 201st')).toMatchObject(FULL)
      await ann.api('POST', `/api/links/${slugs[9]}/proposals/${id}/withdraw`)
      const both = await Promise.all(['one', 'more'].map((title) => propose(slugs[10]!, title)))
      expect(both.map(({ status }) => status).sort()).toEqual([201, 403])
    })

    test('100 keys of a subject may work, and the newest 100 ended ones are listed', async () => {
      const ann = await newPerson(at())
      const mint = () => ann.api<{ apiKey: { id: number } }>('POST', '/api/me/keys', { name: 'one more' })
      const first = await mint()
      const { id } = await ownerOf(ann)
      const seeded = (rows: number, revokedAt: string) =>
        sql(
          `${numbers(rows)} INSERT INTO api_keys (owner_id, minted_by, name, key_prefix, secret_hash, scopes, created_at, revoked_at)
            SELECT ?1, ?2, 'key', 'oa_${revokedAt}' || ?1 || '_' || i, zeroblob(32), '["links:read"]', 1, ${revokedAt} FROM n RETURNING 1`,
          [id, ann.userId],
        )
      await seeded(150, '1')
      await seeded(98, 'NULL')
      expect((await mint()).status).toBe(201)
      const keys = () => count('SELECT count(*) AS n FROM api_keys WHERE owner_id = ?', [id])
      expect(await keys()).toBe(200)
      const refused = await mint()
      expect(refused).toMatchObject(FULL)
      expect((refused.body as unknown as { error: string }).error).toContain('revoke one')
      await ann.api('DELETE', `/api/me/keys?id=${first.body.apiKey.id}`)
      expect((await mint()).status).toBe(201)
      expect(await keys()).toBe(200)
      const both = await Promise.all([mint(), mint()])
      expect(both.map(({ status }) => status)).toEqual([403, 403])
    })

    test('100 sessions of a person are kept, and the newest 100 closed invitations of an organisation', async () => {
      const ann = await newPerson(at())
      const session = `${numbers(150)} INSERT INTO session (id, token, user_id, expires_at, created_at, updated_at)
        SELECT ?1 || i, ?1 || i, ?1, 9000000000000, i, i FROM n RETURNING 1`
      await sql(session, [ann.userId])
      const sessions = () => count('SELECT count(*) AS n FROM session WHERE user_id = ?', [ann.userId])
      expect(await sessions()).toBe(100)
      const again = await arriveByMail(at(), ann.email)
      expect(await sessions()).toBe(100)
      for (const each of [ann, again]) expect((await each.api('GET', '/api/me')).status).toBe(200)

      const { id } = await newOrganization(ann)
      const closed = `${numbers(150)} INSERT INTO invitation (id, organization_id, email, role, status, inviter_id, expires_at, created_at)
        SELECT ?1 || i, ?1, i || '@people.example', 'viewer', 'canceled', ?2, 1, i FROM n RETURNING 1`
      await sql(closed, [id, ann.userId])
      const invite = { email: 'bea@people.example', role: 'viewer', organizationId: id }
      expect((await ann.api('POST', '/api/auth/organization/invite-member', invite)).status).toBe(200)
      expect(await count('SELECT count(*) AS n FROM invitation WHERE organization_id = ?', [id])).toBe(101)
    })

    test('small bundles and versions are not free: they take no more of the disk than is counted against the plan', async () => {
      const ann = await newPerson(at())
      const before = await size()
      const rules = {
        version: 1,
        rules: [
          { name: 'phones', when: { field: 'device', op: 'equals', value: 'mobile' }, tabs: [{ url: 'http://a.b' }] },
        ],
      }
      const loops = [
        async () => {
          const answer = await ann.api<{ slug: string }>('POST', '/api/links', { urls: ['http://a.b'] })
          if (answer.status === 201) await ann.api('DELETE', `/api/links/${answer.body.slug}`)
          return answer.status
        },
        async (slug: string, n: number) =>
          (
            await ann.api('PATCH', `/api/links/${slug}`, {
              title: String(n % 2),
              resolutionPolicy: n % 2 === 0 ? rules : null,
            })
          ).status,
        async (slug: string, n: number) =>
          (await ann.api('POST', `/api/links/${slug}/versions/${1 + (n % 2)}/restore`)).status,
      ]
      const { slug } = await ann.makeBundle({ urls: ['http://a.b'] })
      const statuses = new Set<number>()
      for (let n = 0; n < 300; n += 1) statuses.add(await loops[n % 3]!(slug, n))
      expect([...statuses].sort()).toEqual([200, 201])
      // Besides, every change is noted for an hour, and logged; the log has a bound of its own.
      await sql('DELETE FROM bundle_changes RETURNING 1')
      await sql('DELETE FROM events RETURNING 1')
      expect((await size()) - before).toBeLessThan((await ownerOf(ann)).history_bytes)
    })

    test('one free account’s rows over all tables stay below its history and 64 MiB', async () => {
      const before = await size()
      const ann = await newPerson(at())
      // Its history is full already: the test above.
      const { slug } = await ann.makeBundle()
      const bundleId = await idOf(slug)
      for (let n = 0; n < 10; n += 1) {
        const { id } = await withWebhook(ann)
        await seedWaiting(id, bundleId, 10_000)
        await sql(
          `${numbers(1_000)} INSERT INTO outbox (webhook_id, bundle_id, message_id, event, version_number, at, sent_at, attempted_at, status, attempts)
            SELECT ?1, ?2, 'msg_' || lower(hex(randomblob(16))), 'bundle.updated', 1, ?3, ?3, ?3, 204, 1 FROM n RETURNING 1`,
          [id, bundleId, Date.now()],
        )
      }
      await ann.api('PATCH', `/api/links/${slug}`, { title: 'told to all' })
      const { id } = await ownerOf(ann)
      await sql(
        `${numbers(Math.floor((8 * MIB) / 456))} INSERT INTO idempotency_answers (key_hash, owner_id, request_hash, answer, created_at)
          SELECT lower(hex(randomblob(16))) || '0123456789a', ?1, lower(hex(randomblob(16))) || '0123456789a', randomblob(200), ?2 FROM n RETURNING 1`,
        [id, Date.now()],
      )
      await sql(
        `${numbers(Math.floor((16 * MIB) / 525))} INSERT INTO proposals (id, bundle_id, owner_id, base_version, changes, proposed_by, created_at, state, decided_by, decided_at)
          SELECT 'p_' || lower(hex(randomblob(5))), ?1, ?2, 1, '{"title":"x"}', ?3, ?4, 'withdrawn', ?3, ?4 FROM n RETURNING 1`,
        [bundleId, id, ann.userId, Date.now()],
      )
      await sql(
        `${numbers(200)} INSERT INTO api_keys (owner_id, minted_by, name, key_prefix, secret_hash, scopes, created_at, revoked_at)
          SELECT ?1, ?2, printf('%.100c', 'x'), 'oa_' || lower(hex(randomblob(6))), zeroblob(32), '["links:read"]', 1, CASE WHEN i > 100 THEN 1 END FROM n RETURNING 1`,
        [id, ann.userId],
      )
      await sql(
        `INSERT INTO app_grants (key_id, client_hash, host, audience, scopes, redirect_uri, code_hash, code_challenge, code_expires_at, ends_at)
          SELECT id, zeroblob(32), 'app.example', 'mcp', '[]', 'https://app.example/', randomblob(32), 'c', 1, 9000000000000 FROM api_keys WHERE owner_id = ?1 AND revoked_at IS NULL RETURNING 1`,
        [id],
      )
      await sql(
        `${numbers(1_500)} INSERT INTO app_refresh_tokens (hash, key_id, created_at, used_at)
          SELECT randomblob(32), id, ?2, ?2 FROM n JOIN api_keys ON owner_id = ?1 AND revoked_at IS NULL RETURNING 1`,
        [id, Date.now()],
      )
      const added = (await size()) - before
      expect(
        await count('SELECT count(*) AS n FROM outbox WHERE sent_at IS NULL AND bundle_id = ?', [bundleId]),
      ).toBeGreaterThan(99_000)
      expect(added).toBeLessThan(64 * MIB)
    })
  },
)
