import { beforeAll, describe, expect, test } from 'bun:test'
import { createClient } from '../../src/sdk/openall.ts'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { A, type Given, HABITS, type Habit, SIBLINGS } from './habits.ts'
import { callOf, send } from './support.ts'

/** As many of the habits as are right at once. */
const RIGHT = 40

onEveryTarget({}, (at) => {
  let key: string
  let person: Person
  const begin = async () => {
    person = await newPerson(at())
    key = (await person.mint({ scopes: ['links:write', 'keys:admin', 'webhooks:write'], rateLimitPerHour: 0 })).rawKey
  }

  const claim = async () => {
    const { body } = await new Visitor(at()).api<{ claimUrl: string }>('POST', '/api/links', { urls: [A] })
    return body.claimUrl
  }

  /** What a habit is answered: a result, or the sentence of a refusal, with what else is wrong. */
  async function answered([, tool, sent]: Habit, given: Given): Promise<{ right?: object; says?: string }> {
    const args = typeof sent === 'function' ? await sent(given) : sent
    const { body } = await send(at(), callOf(tool, args as Record<string, unknown>), { authorization: `Bearer ${key}` })
    if (body.error !== undefined) return { says: body.error.message }
    const { isError, structuredContent } = body.result
    if (isError !== true) return { right: structuredContent }
    const errors = structuredContent.errors as { message: string }[] | undefined
    return { says: [structuredContent.error, ...(errors ?? []).map(({ message }) => message)].join('\n') }
  }

  describe.each([
    ['as models were seen to', HABITS],
    ['and in other ways', SIBLINGS],
  ] as const)('%s', (_, habits) => {
    // A plan has room for a hundred bundles.
    beforeAll(begin)

    test.each(habits.map((habit): [string, Habit] => [habit[0], habit]))('%s', async (_, habit) => {
      const { slug } = await person.makeBundle({ urls: [A], title: 'Habit' })
      const given = { slug, origin: at().origin, claim }
      const [, , , answer] = habit
      const { right, says } = await answered(habit, given)
      if ('right' in answer) {
        const expected = typeof answer.right === 'function' ? answer.right(given) : answer.right
        expect({ right, says }).toMatchObject({ right: expected })
      } else {
        expect(says ?? JSON.stringify(right)).toContain(answer.says)
      }
    })
  })

  test('nearly half of the 88 habits are right at once', () => {
    expect(HABITS).toHaveLength(88)
    expect(HABITS.filter(([, , , answer]) => 'right' in answer).length).toBeGreaterThanOrEqual(RIGHT)
  })

  test('a claim is found by its whole link in JSON too', async () => {
    expect((await person.api('POST', '/api/claims', { token: await claim() })).status).toBe(200)
  })

  test('null is left out of JSON over HTTP and of the SDK’s calls, where it has no other meaning', async () => {
    const { status, body } = await person.api('POST', '/api/links', {
      urls: [A],
      urlMetadata: [{ tags: null }],
      source: null,
    })
    expect([status, body.versionNumber]).toEqual([201, 1])
    const openall = createClient({ server: at().origin, key })
    const none = { q: null, tag: null, cursor: null } as object
    expect((await openall.listBundles({ ...none, limit: 1 })).bundles).toHaveLength(1)
  })

  test('what is wrong beside the input is told with what is wrong with it', async () => {
    const { slug } = await person.makeBundle()
    const wrong = { 'if-match': 'v1', 'idempotency-key': 'ä' }
    const { body } = await person.api<{ errors: { path: string }[] }>(
      'PATCH',
      `/api/links/${slug}`,
      { titel: 'x', dryRun: 1, expectedVersion: 1 },
      wrong,
    )
    expect(body.errors.map(({ path }) => path)).toEqual([
      'titel',
      'expectedVersion',
      'If-Match',
      'Idempotency-Key',
      'dryRun',
    ])
    expect(JSON.stringify(body)).toContain('send If-Match as a header instead')
    const called = await answered(
      ['', 'update_bundle', { slug, titel: 'x', dryRun: 'maybe', expectedVersion: 'newest' }, { says: '' }],
      { slug, origin: at().origin, claim },
    )
    for (const name of ['titel', 'dryRun', 'expectedVersion']) expect(called.says).toContain(`${name} `)
  })

  test('so is what is wrong with the query and the path, and beside a body that cannot be read', async () => {
    const { slug } = await person.makeBundle()
    const told = async (method: string, path: string, body: unknown, headers = {}) => {
      const { status, body: said } = await person.api<{ code: string; error: string; errors: { path: string }[] }>(
        method,
        path,
        body,
        headers,
      )
      return [status, said.code, said.errors.map((one) => one.path), said.error]
    }
    const wrong = { 'if-match': 'v1', 'idempotency-key': 'ä' }
    expect(await told('PATCH', `/api/links/${slug}`, { slug: 'another', titel: 'x', dryRun: 1 }, wrong)).toEqual([
      400,
      'BAD_REQUEST',
      ['titel', 'If-Match', 'Idempotency-Key', 'slug', 'dryRun'],
      expect.stringContaining('titel is not a field'),
    ])
    expect(await told('GET', `/api/links/${slug}/insights?breakdown=x&format=xml`, undefined)).toEqual([
      400,
      'BAD_REQUEST',
      ['breakdown', 'format'],
      expect.stringContaining('breakdown must be'),
    ])
    const sent = await person.fetch(`/api/links/${slug}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'if-match': 'v1' },
      body: '{"title": x}',
    })
    expect([sent.status, await sent.json()]).toMatchObject([
      400,
      {
        error: 'The body is not valid JSON.',
        code: 'INVALID_JSON',
        errors: [{ path: '', message: 'The body is not valid JSON.' }, { path: 'If-Match' }],
      },
    ])
    expect(await told('PATCH', `/api/links/${slug}`, [], wrong)).toEqual([
      400,
      'BAD_REQUEST',
      ['', 'If-Match', 'Idempotency-Key'],
      'The body must be a JSON object',
    ])
  })

  test('an entry of many calls says what belongs to the whole call, and the call what belongs to an entry', async () => {
    const { slug } = await person.makeBundle()
    type Result = { results: { error: string }[] }
    const many = async (method: string, body: object) =>
      (await person.api<Result>(method, '/api/links/bulk', body)).body
    const [edited] = (await many('PATCH', { edits: [{ slug, title: 'x', idempotencyKey: 'k' }] })).results
    const [made] = (await many('POST', { bundles: [{ urls: [A], idempotencyKey: 'k' }] })).results
    for (const one of [edited, made]) expect(one?.error).toContain('and send it once, for the whole call')
    expect(await many('PATCH', { edits: [{ slug, title: 'x' }], expectedVersion: 2 })).toMatchObject({
      error: expect.stringContaining('did you mean edits: [{"expectedVersion": 2}]?'),
    })
    expect(await many('POST', { bundles: [{ urls: [A] }], idempotencyKey: 'k' })).toMatchObject({
      error: expect.stringContaining('send Idempotency-Key as a header instead'),
    })
  })

  test('the SDK takes null for no version and no key', async () => {
    const openall = createClient({ server: at().origin, key })
    const { slug } = await openall.createBundle({ urls: [A] }, { idempotencyKey: null })
    const { versionNumber } = await openall.updateBundle(
      { slug, title: 'x' },
      { idempotencyKey: null, expectedVersion: null },
    )
    expect(versionNumber).toBe(2)
    expect((await openall.deleteBundle({ slug }, { expectedVersion: null })).slug).toBe(slug)
  })

  test('a path that takes no PUT does not say that it does', async () => {
    const methods = async (slug: string, method: string) =>
      (await fetch(`${at().origin}/api/links/${slug}`, { method })).headers.get('allow')?.includes('PUT')
    expect(await methods('launch-day', 'OPTIONS')).toBe(false)
    expect(await methods('ext:crm-1', 'OPTIONS')).toBe(true)
    expect(await methods('launch-day', 'POST')).toBe(false)
    expect(await methods('ext:crm-1', 'POST')).toBe(true)
    const { status, body } = await person.api('PUT', '/api/links/launch-day', { urls: [A] })
    expect([status, String(body.error)]).toEqual([400, expect.stringContaining('PUT takes a path that ends in ext:')])
  })
})
