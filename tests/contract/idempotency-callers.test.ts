import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { unseal } from '../../src/core/secrets.ts'
import { actFor, type CreatedBody, newOrganization, newPerson, URL_A, URL_B, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const SECRET = 'a secret of the service that is long enough'
const IP = 'x-real-ip'
const FIRST = { 'user-agent': 'first/1', [IP]: '198.51.100.7' }
type Created = CreatedBody & { warning: string }

onEveryTarget({ SERVICE_SECRET: SECRET, SERVICE_CLIENT_IP_HEADER: IP }, (at) => {
  /** Creates a bundle with a key, as somebody at an address without an account. */
  const create = (key: string, headers: Record<string, string> = FIRST, body: object = { urls: [URL_A] }) =>
    new Visitor(at()).api<Created>('POST', '/api/links', body, { ...headers, 'idempotency-key': key })
  const replayed = (answer: { headers: Headers }) => answer.headers.get('idempotency-replayed')

  test('an anonymous key belongs to its address: elsewhere it is another key', async () => {
    const key = randomUUID()
    const first = await create(key)
    const other = await create(key, { ...FIRST, [IP]: '203.0.113.9' })
    expect([other.status, replayed(other)]).toEqual([201, null])
    expect(other.body.slug).not.toBe(first.body.slug)
    expect((await create(key)).body).toEqual(first.body)
  })

  test('the same body is the same in whatever order a program writes its fields', async () => {
    const key = randomUUID()
    const urlMetadata = [{ note: 'One', tags: ['a'] }]
    const first = await create(key, FIRST, { title: 'x', urls: [URL_A], urlMetadata })
    const again = await create(key, FIRST, {
      urlMetadata: [{ tags: ['a'], note: 'One' }],
      urls: [URL_A],
      title: 'x',
    })
    expect([first.status, again.status, again.body.slug]).toEqual([201, 201, first.body.slug])
  })

  test('a network shares an address: only who sends a key that nobody guesses, as the same program, gets the claim token again', async () => {
    const cases = [
      [randomUUID(), FIRST, true],
      ['a'.repeat(22), FIRST, true],
      ['a'.repeat(21), FIRST, false],
      ['launch-2026', FIRST, false],
      [randomUUID(), { ...FIRST, 'user-agent': 'second/1' }, false],
      [randomUUID(), { ...FIRST, 'user-agent': '' }, false],
    ] as const
    for (const [key, headers, isRepeated] of cases) {
      const first = await create(key)
      expect(first.body.claimToken).toBeString()
      const again = await create(key, headers)
      expect([again.status, replayed(again), again.headers.get('location')]).toEqual([
        201,
        'true',
        `/api/links/${first.body.slug}`,
      ])
      if (isRepeated) {
        expect(again.body).toEqual(first.body)
      } else {
        const { claimToken: _, claimUrl: __, ...rest } = first.body
        expect(again.body).toEqual({ ...rest, warning: expect.stringContaining('at least 22 characters') } as Created)
        expect(JSON.stringify(again.body)).not.toContain(first.body.claimToken)
      }
    }
  })

  test('of simultaneous calls with a short key exactly one gets the token', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create('short')))
    expect(answers.filter(({ body }) => body.claimToken !== undefined)).toHaveLength(1)
    expect(new Set(answers.map(({ body }) => body.slug)).size).toBe(1)
  })

  test('a copy made without an account is claimed by who made it, too', async () => {
    const { slug } = await (await newPerson(at())).makeBundle({ copyable: true })
    const copy = (key: string) =>
      new Visitor(at()).api<Created>('POST', `/api/links/${slug}/duplicate`, {}, { ...FIRST, 'idempotency-key': key })
    const first = await copy('short')
    const again = await copy('short')
    expect([first.status, again.status]).toEqual([201, 201])
    expect(first.body.claimToken).toBeString()
    expect([again.body.slug, again.body.claimToken]).toEqual([first.body.slug, undefined as never])
  })

  test('somebody with an account gets the first answer again, whatever the key and the program', async () => {
    const person = await newPerson(at())
    const send = (agent: string) =>
      person.api('POST', '/api/me/keys', { name: 'key' }, { 'user-agent': agent, 'idempotency-key': 'short' })
    const first = await send('first/1')
    const again = await send('second/1')
    expect([replayed(again), again.body]).toEqual(['true', first.body])
  })

  test('the same idempotency key is another one for each API key, and for each subject that a person acts for', async () => {
    const person = await newPerson(at())
    const { id } = await newOrganization(person)
    const withKey = () => person.program({ scopes: ['links:write'] })
    await actFor(person, null)
    const callers = [await withKey(), await withKey()]
    await actFor(person, id)
    callers.push(await withKey())
    const key = randomUUID()
    const send = (by: Visitor) => by.api<Created>('POST', '/api/links', { urls: [URL_A] }, { 'idempotency-key': key })
    const firsts = []
    for (const caller of callers) firsts.push(await send(caller))
    for (const subject of [null, id]) {
      await actFor(person, subject)
      firsts.push(await send(person))
    }
    expect(firsts.map((first) => [first.status, replayed(first)])).toEqual(firsts.map(() => [201, null]))
    expect(new Set(firsts.map(({ body }) => body.slug)).size).toBe(5)
    expect((await send(person)).body).toEqual(firsts[4]!.body)
  })

  test('an edit whose answer was lost is sent again: its links are added once, and what others edited meanwhile stays', async () => {
    const person = await newPerson(at())
    const { slug } = await person.makeBundle({ urls: [URL_A], metadata: { team: 'one' } })
    const add = () =>
      person.api(
        'PATCH',
        `/api/links/${slug}`,
        { addUrls: [{ url: URL_B }] },
        { 'idempotency-key': 'a', 'if-match': '"v1"' },
      )
    const first = await add()
    expect([first.status, first.body.urls, first.headers.get('etag')]).toEqual([200, [URL_A, URL_B], '"v2"'])
    await person.api('PATCH', `/api/links/${slug}`, { title: 'Of somebody else', removeUrls: [URL_A] })
    const again = await add()
    expect([again.status, replayed(again), again.headers.get('etag')]).toEqual([200, 'true', '"v2"'])
    expect(again.body).toEqual(first.body)
    const { body: now } = await person.api('GET', `/api/links/${slug}`)
    expect([now.versionNumber, now.title, now.urls]).toEqual([3, 'Of somebody else', [URL_B]])
    await person.api('DELETE', `/api/links/${slug}`)
    expect((await add()).status).toBe(404)
  })

  test('a bundle that was put and whose answer was lost is not put over what others edited meanwhile', async () => {
    const person = await newPerson(at())
    const put = (key: string, title = 'Put') =>
      person.api('PUT', '/api/links/ext:lost', { urls: [URL_A], title }, { 'idempotency-key': key })
    const made = await put('made')
    expect([made.status, replayed(made)]).toEqual([201, null])
    const unchanged = await put('unchanged')
    expect([unchanged.status, unchanged.body.versionNumber]).toEqual([200, 1])
    await person.api('PATCH', '/api/links/ext:lost', { title: 'Of somebody else' })
    for (const [key, first] of [
      ['made', made],
      ['unchanged', unchanged],
    ] as const) {
      const again = await put(key)
      expect([again.status, replayed(again), again.body]).toEqual([first.status, 'true', first.body])
    }
    expect((await put('made', 'Another')).status).toBe(409)
    expect((await person.api('GET', '/api/links/ext:lost')).body.title).toBe('Of somebody else')
  })

  test('an answer is not given again to who may no longer see the bundle', async () => {
    const [admin, member] = [await newPerson(at()), await newPerson(at())]
    const { id } = await newOrganization(admin, [[member, 'admin']])
    await actFor(admin, id)
    const { slug } = await admin.makeBundle()
    await actFor(member, id)
    const agent = await member.program({ scopes: ['links:write'] })
    const edit = (by: Visitor) =>
      by.api('PATCH', `/api/links/${slug}`, { title: 'Edited' }, { 'idempotency-key': 'leaving' })
    for (const by of [member, agent]) expect((await edit(by)).status).toBe(200)
    await member.api('POST', '/api/auth/organization/leave', { organizationId: id })
    expect([(await edit(member)).status, (await edit(agent)).status]).toEqual([403, 401])
  })

  test('who has the database and the service’s secret cannot read an answer without the key itself', async () => {
    const key = randomUUID()
    const { body } = await create(key)
    const [row] = await at().sql(
      'SELECT key_hash, request_hash, agent_hash, answer FROM idempotency_answers ORDER BY created_at DESC, rowid DESC LIMIT 1',
    )
    const answer = new Uint8Array(row?.answer as ArrayBuffer)
    const { key_hash, request_hash, agent_hash } = row as Record<string, string>
    expect(JSON.parse(unseal(SECRET, `${key_hash}\0${key}`, answer))).toEqual(body)
    const known = ['', key_hash, request_hash, agent_hash, 'create_bundle']
    for (const one of known) {
      for (const passphrase of [one, `${one}\0`, ...known.map((other) => `${one}\0${other}`)]) {
        expect(() => unseal(SECRET, passphrase ?? '', answer)).toThrow()
      }
    }
  })
})
