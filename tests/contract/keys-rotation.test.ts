import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { onEveryTarget } from '../targets.ts'
import { type Answered, ask, mint, newOrganization, newPerson, type Person, revoke } from './people.ts'

setDefaultTimeout(180_000)

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const after = (ms: number) => new Date(Date.now() + ms).toISOString()

onEveryTarget({ SERVICE_CLIENT_IP_HEADER: 'x-client' }, (server) => {
  let person: Person
  beforeAll(async () => {
    person = await newPerson(server())
  })
  type By = { cookie?: string; key?: string; headers?: Record<string, string> }
  const rotate = (id: number, body: object | undefined = {}, by: By = person) =>
    ask(server(), `POST /api/me/keys/${id}/rotate`, { ...by, body })
  const statusOf = async (key: string) => (await ask(server(), 'GET /api/me', { key })).status
  const keysOf = async ({ cookie }: Person) => (await ask(server(), 'GET /api/me/keys', { cookie })).body.apiKeys
  const listed = async (id: number, by = person) => (await keysOf(by)).find((key) => key.id === id)
  const outcomeOf = ({ status, body }: Answered) => (status === 201 ? 201 : body.code)

  test('a rotated key gets a successor that may do the same, and works on for the hours of grace', async () => {
    const wishes = {
      name: 'nightly',
      scopes: ['links:read' as const],
      rateLimitPerHour: 7,
      expiresAt: after(90 * DAY_MS),
    }
    const old = await mint(server(), person, { ...wishes, allowedNetworks: ['127.0.0.1', '::1', '192.0.2.0/24'] })
    const before = Date.now()
    const { status, body } = await rotate(old.apiKey.id, { graceHours: 2 })
    expect([status, Object.keys(body).sort()]).toEqual([201, ['apiKey', 'rawKey', 'warning']])
    const { id, keyPrefix, createdAt, ...same } = body.apiKey
    const { id: oldId, keyPrefix: oldPrefix, createdAt: _, ...was } = old.apiKey
    expect(same).toEqual(was)
    expect([id > oldId, keyPrefix === oldPrefix, Date.parse(createdAt) >= before]).toEqual([true, false, true])
    const from = { 'x-client': '192.0.2.1' }
    for (const key of [old.rawKey, body.rawKey])
      expect((await ask(server(), 'GET /api/me', { key, headers: from })).status).toBe(200)
    const end = Date.parse((await listed(oldId))?.expiresAt ?? '')
    expect(end).toBeWithin(before + 2 * HOUR_MS, Date.now() + 2 * HOUR_MS + 1)
    expect(await listed(oldId)).toMatchObject({ replacedBy: id, revokedAt: null })
    expect(body.warning).toContain('ends within 2 hours')
  })

  test('without a body the old key has a day, with none it ends at once', async () => {
    const [one, other] = [await mint(server(), person), await mint(server(), person)]
    const sent = await fetch(`${server().origin}/api/me/keys/${one.apiKey.id}/rotate`, {
      method: 'POST',
      headers: { cookie: person.cookie },
    })
    expect(sent.status).toBe(201)
    expect(Date.parse((await listed(one.apiKey.id))?.expiresAt ?? '')).toBeWithin(
      Date.now() + 23 * HOUR_MS,
      Date.now() + DAY_MS + 1,
    )
    expect(await statusOf(other.rawKey)).toBe(200)
    const { body } = await rotate(other.apiKey.id, { graceHours: 0 })
    expect([await statusOf(other.rawKey), await statusOf(body.rawKey)]).toEqual([401, 200])
  })

  test('a key that ends sooner than its grace keeps its end, and its successor may be given another', async () => {
    const expiresAt = after(HOUR_MS)
    const { apiKey } = await mint(server(), person, { expiresAt })
    const until = after(365 * DAY_MS)
    expect((await rotate(apiKey.id, { expiresAt: until })).body.apiKey.expiresAt).toBe(until)
    expect((await listed(apiKey.id))?.expiresAt).toBe(expiresAt)
    const again = await mint(server(), person, { expiresAt })
    expect((await rotate(again.apiKey.id)).body.apiKey.expiresAt).toBe(expiresAt)
  })

  test('every bound is enforced, and the error names the field', async () => {
    const { apiKey } = await mint(server(), person)
    const bad = [
      { graceHours: -1 },
      { graceHours: 25 },
      { graceHours: 1.5 },
      { graceHours: '2' },
      { expiresAt: after(-1000) },
      { grace: 2 },
    ]
    for (const body of bad) {
      const refused = await rotate(apiKey.id, body)
      expect([body, refused.status, refused.body.error]).toEqual([
        body,
        400,
        expect.stringContaining(Object.keys(body)[0]!),
      ])
    }
    expect((await ask(server(), 'POST /api/me/keys/x/rotate', { cookie: person.cookie, body: {} })).status).toBe(400)
    const stranger = await newPerson(server())
    for (const id of [999_999_999, apiKey.id]) expect((await rotate(id, {}, stranger)).status).toBe(404)
    expect(await listed(apiKey.id)).toEqual(apiKey)
  })

  test('a key that was revoked, has ended or was rotated has no further successor', async () => {
    const [revoked, ended, rotated] = await Promise.all([1, 2, 3].map(() => mint(server(), person)))
    await revoke(server(), person, revoked!.apiKey.id)
    await server().sql('UPDATE api_keys SET expires_at = 1 WHERE id = ? RETURNING 1', [ended!.apiKey.id])
    const { body } = await rotate(rotated!.apiKey.id)
    for (const { apiKey } of [revoked!, ended!, rotated!]) {
      const refused = await rotate(apiKey.id)
      expect([refused.status, refused.body.code]).toEqual([409, 'KEY_NOT_ROTATABLE'])
    }
    expect((await rotate(rotated!.apiKey.id)).body.error).toContain(`rotate key ${body.apiKey.id}`)
    expect((await rotate(body.apiKey.id)).status).toBe(201)
  })

  test('of rotating and revoking at once there is exactly one outcome, whatever the timing', async () => {
    for (let round = 0; round < 12; round += 1) {
      const { apiKey, rawKey } = await mint(server(), person)
      const [rotated, again, gone] = await Promise.all([
        rotate(apiKey.id),
        rotate(apiKey.id),
        ask(server(), `DELETE /api/me/keys?id=${apiKey.id}`, { cookie: person.cookie }),
      ])
      const made = [rotated!, again!].filter(({ status }) => status === 201)
      const others = [rotated!, again!].filter(({ status }) => status !== 201)
      expect(gone!.status).toBe(200)
      expect(new Set(others.map(outcomeOf))).toEqual(new Set(['KEY_NOT_ROTATABLE']))
      expect(made.length).toBeLessThanOrEqual(1)
      // The old key is revoked in any case; a successor there is if the rotation came first, and the old key names it.
      const old = await listed(apiKey.id)
      expect([old?.revokedAt === null, old?.replacedBy]).toEqual([false, made[0]?.body.apiKey.id])
      expect(await statusOf(rawKey)).toBe(401)
      for (const { body } of made) expect(await statusOf(body.rawKey)).toBe(200)
      const rows = await server().sql('SELECT id FROM api_keys WHERE id > ?', [apiKey.id])
      expect(rows.map(({ id }) => id)).toEqual(made.map(({ body }) => body.apiKey.id))
      for (const { body } of made) await revoke(server(), person, body.apiKey.id)
    }
  })

  test('a key rotates no key beyond its own end and networks, and itself within them', async () => {
    const expiresAt = after(30 * DAY_MS)
    const allowedNetworks = ['203.0.113.0/24']
    const admin = await mint(server(), person, { scopes: ['keys:admin'], expiresAt, allowedNetworks })
    const by = { key: admin.rawKey, headers: { 'x-client': '203.0.113.9' } }
    const [endless, far] = [
      await mint(server(), person, { allowedNetworks }),
      await mint(server(), person, { expiresAt }),
    ]
    const later = await mint(server(), person, { expiresAt: after(31 * DAY_MS), allowedNetworks })
    for (const { apiKey } of [endless, far, later]) {
      const refused = await rotate(apiKey.id, {}, by)
      expect([refused.status, refused.body.code, await listed(apiKey.id)]).toEqual([403, 'FORBIDDEN', apiKey])
    }
    expect((await rotate(later.apiKey.id, { expiresAt: after(DAY_MS) }, by)).status).toBe(201)
    expect((await rotate(admin.apiKey.id, { expiresAt: after(31 * DAY_MS) }, by)).status).toBe(403)
    const own = await rotate(admin.apiKey.id, {}, by)
    expect([own.status, own.body.apiKey.expiresAt, own.body.apiKey.allowedNetworks]).toEqual([
      201,
      expiresAt,
      allowedNetworks,
    ])
  })

  test('an organisation’s key is rotated by its admins, with the role of who rotates it', async () => {
    const [founder, admin, editor] = [await newPerson(server()), await newPerson(server()), await newPerson(server())]
    const team = await newOrganization(server(), founder)
    await team.join(admin, 'admin')
    await team.join(editor, 'editor')
    const { apiKey } = await mint(server(), admin, { scopes: ['links:write'] })
    expect((await rotate(apiKey.id, {}, editor)).status).toBe(403)
    const left = await mint(server(), admin, { scopes: ['links:write'] })
    const { body } = await rotate(apiKey.id, {}, founder)
    await team.remove(admin)
    // Whose maker has left has ended, and comes back by no rotation.
    expect([await statusOf(left.rawKey), outcomeOf(await rotate(left.apiKey.id, {}, founder))]).toEqual([
      401,
      'KEY_NOT_ROTATABLE',
    ])
    expect(await statusOf(body.rawKey)).toBe(200)
    const team401 = await rotate(apiKey.id, {}, founder)
    expect(team401.body.code).toBe('KEY_NOT_ROTATABLE')
  })

  test('as many rotated keys as others may work on, and no more', async () => {
    const owner = await newPerson(server())
    let { apiKey } = await mint(server(), owner)
    await server().sql(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
       INSERT INTO api_keys (owner_id, minted_by, name, key_prefix, secret_hash, scopes, created_at)
       SELECT owner_id, minted_by, 'n', 'full_' || ?2 || i, secret_hash, scopes, created_at FROM api_keys, n WHERE id = ?1 RETURNING 1`,
      [apiKey.id, owner.userId],
    )
    expect(
      (await ask(server(), 'POST /api/me/keys', { cookie: owner.cookie, body: { name: 'one more' } })).body.code,
    ).toBe('PLAN_LIMIT')
    for (let times = 0; times < 100; times += 1) {
      const { status, body } = await rotate(apiKey.id, {}, owner)
      expect([times, status]).toEqual([times, 201])
      apiKey = body.apiKey
    }
    expect((await rotate(apiKey.id, {}, owner)).body.code).toBe('PLAN_LIMIT')
  })
})
