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

  test('nearly half of the habits are right at once', () => {
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
