import { beforeAll, expect, test } from 'bun:test'
import { onEveryTarget } from '../targets.ts'
import { type ApiKey, ask, type Minted, mint, newOrganization, newPerson, type Person, revoke } from './people.ts'
import { START_MS } from './support.ts'

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

onEveryTarget({}, (server) => {
  let person: Person
  beforeAll(async () => {
    person = await newPerson(server())
  }, START_MS)
  const keysOf = async ({ cookie }: Person) => (await ask(server(), 'GET /api/me/keys', { cookie })).body.apiKeys

  test('a key is minted with its fields, and its text is <keyPrefix>.<secret>', async () => {
    const { cookie } = person
    const body = { name: 'nightly', scopes: ['links:read', 'links:read'], rateLimitPerHour: 7 }
    const answer = await ask(server(), 'POST /api/me/keys', { cookie, body })
    expect(answer.status).toBe(201)
    expect(Object.keys(answer.body).sort()).toEqual(['apiKey', 'rawKey', 'warning'])
    const { apiKey, rawKey } = answer.body
    expect(apiKey).toEqual({
      id: expect.any(Number),
      name: 'nightly',
      scope: 'user',
      scopes: ['links:read'],
      keyPrefix: expect.stringMatching(/^oa_[0-9A-Za-z]{12}$/),
      rateLimitPerHour: 7,
      createdAt: expect.stringMatching(ISO),
      lastUsedAt: null,
      revokedAt: null,
    })
    expect(rawKey).toMatch(new RegExp(`^${apiKey.keyPrefix}\\.[0-9A-Za-z]{38}$`))
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('the defaults are links:write and 1000 per hour', async () => {
    const { apiKey } = await mint(server(), person)
    expect([apiKey.scopes, apiKey.rateLimitPerHour]).toEqual([['links:write'], 1000])
  })

  test('every bound of the fields is enforced, and the error names the field', async () => {
    const { cookie } = person
    const cases: [body: unknown, status: number, named: string][] = [
      [{}, 400, 'name'],
      [{ name: '' }, 400, 'name'],
      [{ name: '  ' }, 400, 'name'],
      [{ name: 'a\nb' }, 400, 'name'],
      [{ name: '😀'.repeat(100) }, 201, ''],
      [{ name: '😀'.repeat(101) }, 400, 'name'],
      [{ name: 7 }, 400, 'name'],
      [{ name: 'n', scopes: [] }, 400, 'scopes'],
      [{ name: 'n', scopes: ['links:admin'] }, 400, 'scopes[0]'],
      [{ name: 'n', scopes: 'links:read' }, 400, 'scopes'],
      [{ name: 'n', scopes: ['links:read', 'links:write', 'keys:admin'] }, 201, ''],
      [{ name: 'n', scopes: ['links:read', 'links:propose', 'links:write', 'webhooks:write', 'keys:admin'] }, 201, ''],
      [{ name: 'n', scopes: ['webhooks:write'] }, 201, ''],
      [{ name: 'n', rateLimitPerHour: 0 }, 201, ''],
      [{ name: 'n', rateLimitPerHour: 100_000 }, 201, ''],
      [{ name: 'n', rateLimitPerHour: 100_001 }, 400, 'rateLimitPerHour'],
      [{ name: 'n', rateLimitPerHour: -1 }, 400, 'rateLimitPerHour'],
      [{ name: 'n', rateLimitPerHour: 1.5 }, 400, 'rateLimitPerHour'],
      [{ name: 'n', rateLimitPerHour: '10' }, 400, 'rateLimitPerHour'],
      [{ name: 'n', rateLimit: 10 }, 400, 'rateLimit'],
    ]
    for (const [body, status, named] of cases) {
      const answer = await ask(server(), 'POST /api/me/keys', { cookie, body })
      expect([body, answer.status]).toEqual([body, status])
      if (status === 400)
        expect([answer.body.code, answer.body.error]).toEqual(['BAD_REQUEST', expect.stringContaining(named)])
    }
  })

  test('the list has every key of the subject, newest first, revoked ones too, and no secret', async () => {
    const owner = await newPerson(server())
    const made: Minted[] = []
    for (const name of ['first', 'second', 'third']) made.push(await mint(server(), owner, { name }))
    await revoke(server(), owner, made[1]!.apiKey.id)
    const { status, body } = await ask(server(), 'GET /api/me/keys', { cookie: owner.cookie })
    expect([status, body.subject]).toEqual([200, { type: 'user', userId: owner.userId }])
    expect(body.apiKeys.map(({ name, revokedAt }) => [name, revokedAt !== null])).toEqual([
      ['third', false],
      ['second', true],
      ['first', false],
    ])
    expect(Object.keys(body.apiKeys[0]!).sort()).toEqual(Object.keys(made[0]!.apiKey).sort())
    const text = JSON.stringify(body)
    expect(made.filter(({ rawKey }) => text.includes(rawKey.slice(-38)))).toEqual([])
  })

  test('revoking answers with its time, and revoking again with the same', async () => {
    const { apiKey } = await mint(server(), person)
    const first = await revoke(server(), person, apiKey.id)
    expect(first).toEqual({ apiKey: { ...apiKey, revokedAt: expect.stringMatching(ISO) } } as never)
    await Bun.sleep(5)
    expect(await revoke(server(), person, apiKey.id)).toEqual(first)
  })

  test('only a valid id is accepted, and another subject’s key is as unknown as a missing one', async () => {
    const { apiKey } = await mint(server(), await newPerson(server()))
    const cases: [query: string, status: number][] = [
      ['', 400],
      ['?id=', 400],
      ['?id=abc', 400],
      ['?id=0', 400],
      ['?id=-1', 400],
      ['?id=1.5', 400],
      ['?id=99999999999999999999', 400],
      ['?id=1&force=true', 400],
      ['?id=999999999', 404],
      [`?id=${apiKey.id}`, 404],
    ]
    for (const [query, status] of cases) {
      const answer = await ask(server(), `DELETE /api/me/keys${query}`, { cookie: person.cookie })
      expect([query, answer.status]).toEqual([query, status])
    }
  })

  test('an organisation’s keys are its own: the same person acting for themselves neither sees nor revokes them', async () => {
    const owner = await newPerson(server())
    const own = await mint(server(), owner)
    const { id } = await newOrganization(server(), owner)
    const organizations = await mint(server(), owner)
    expect(organizations.apiKey.scope).toBe('organization')
    expect((await keysOf(owner)).map(({ id }: ApiKey) => id)).toEqual([organizations.apiKey.id])
    const whose = await ask(server(), 'GET /api/me', { key: organizations.rawKey })
    expect(whose.body).toEqual({
      subject: { type: 'organization', organizationId: id },
      role: 'admin',
      scopes: ['links:write'],
    } as never)
    const remove = (id: number) => ask(server(), `DELETE /api/me/keys?id=${id}`, { cookie: owner.cookie })
    expect((await remove(own.apiKey.id)).status).toBe(404)
    await ask(server(), 'POST /api/auth/organization/set-active', {
      cookie: owner.cookie,
      body: { organizationId: null },
    })
    expect((await keysOf(owner)).map(({ id }: ApiKey) => id)).toEqual([own.apiKey.id])
    expect((await remove(organizations.apiKey.id)).status).toBe(404)
    expect((await ask(server(), 'GET /api/me', { key: organizations.rawKey })).status).toBe(200)
  })

  test('ten simultaneous mints without one make ten different keys', async () => {
    const owner = await newPerson(server())
    const made = await Promise.all(Array.from({ length: 10 }, () => mint(server(), owner)))
    expect(new Set(made.map(({ apiKey }) => apiKey.id)).size).toBe(10)
    expect(new Set(made.map(({ apiKey }) => apiKey.keyPrefix)).size).toBe(10)
    expect(await keysOf(owner)).toHaveLength(10)
  })
})
