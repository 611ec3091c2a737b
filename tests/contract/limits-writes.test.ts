import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { actFor, arriveByMail, newOrganization, newPerson, type Person, URL_A, URL_B, Visitor } from '../people.ts'
import type { Server } from '../server.ts'

/** Starts a server with limits on writes, for the tests of one block. */
function serverWith(env: Record<string, string>): () => Server {
  let server: Server
  beforeAll(async () => {
    server = await startInProcess(env)
  })
  afterAll(async () => {
    await server.stop()
  })
  return () => server
}

const edit = (by: Visitor, slug: string) => by.api('PATCH', `/api/links/${slug}`, { title: 'Edited' })
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).toSorted()

describe('at most six writes in a minute', () => {
  const at = serverWith({ SERVICE_WRITES_PER_MINUTE: '6', SERVICE_WRITES_PER_HOUR: '1000' })

  /** A person with a bundle who has used up their writes: the creation and five edits. */
  async function spent(): Promise<{ ann: Person; slug: string }> {
    const ann = await newPerson(at())
    const { slug } = await ann.makeBundle()
    for (let n = 0; n < 5; n += 1) expect((await edit(ann, slug)).status).toBe(200)
    return { ann, slug }
  }

  test('a person’s seventh write is refused, in any session and through any transport, with when to try again', async () => {
    const { ann, slug } = await spent()
    const other = await arriveByMail(at(), ann.email)
    for (const refused of [
      await edit(ann, slug),
      await edit(other, slug),
      await ann.api('DELETE', `/api/links/${slug}`),
      await ann.api('POST', `/api/links/${slug}/versions/1/restore`),
      await ann.api('POST', '/api/me/keys', { name: 'one more' }),
      await ann.api('POST', '/api/auth/organization/create', { name: 'One', slug: 'one-more' }),
    ]) {
      expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
      const { retryAfterSeconds } = refused.body as { retryAfterSeconds: number }
      expect(retryAfterSeconds).toBeGreaterThan(0)
      expect(retryAfterSeconds).toBeLessThanOrEqual(61)
      expect(refused.headers.get('retry-after')).toBe(String(retryAfterSeconds))
    }
  })

  test('reads, dry runs and switching the subject still work, and so does everybody else', async () => {
    const { ann, slug } = await spent()
    expect((await ann.api('GET', `/api/links/${slug}`)).status).toBe(200)
    const dryRun = await ann.api('PATCH', `/api/links/${slug}`, { title: 'Tried', dryRun: true })
    expect(dryRun).toMatchObject({ status: 200, body: { dryRun: true } })
    expect((await ann.api('POST', '/api/links', { urls: [URL_A], dryRun: true })).status).toBe(200)
    expect((await ann.api('POST', `/api/links/${slug}/policy/preview`, { viewer: {} })).status).toBe(200)
    const form = { title: 'Typed', url: URL_A, version: '6', do: 'check' }
    expect((await ann.form(`/dashboard/links/${slug}`, form)).status).toBe(200)
    expect((await ann.api('POST', `/api/links/${slug}/events`, { kind: 'open_all' })).status).toBe(204)
    await actFor(ann, null)
    const bob = await newPerson(at())
    await bob.makeBundle()
    await new Visitor(at()).makeBundle()
  })

  test('each bundle of one request counts; what is beyond the limit is not done', async () => {
    const ann = await newPerson(at())
    const bundles = Array(8).fill({ urls: [URL_A] })
    const { body } = await ann.api<{ results: { status: string; code?: string }[] }>('POST', '/api/links/bulk', {
      bundles,
    })
    expect(body.results.map(({ code }) => code)).toEqual([
      ...Array(6).fill(undefined),
      ...Array(2).fill('RATE_LIMITED'),
    ])
    expect((await ann.api<{ bundles: unknown[] }>('GET', '/api/me/links')).body.bundles).toHaveLength(6)
  })

  test('dry runs and checks use nothing up', async () => {
    const ann = await newPerson(at())
    const dry = () => ann.api('POST', '/api/links', { urls: [URL_A], dryRun: true })
    for (let n = 0; n < 10; n += 1) expect((await dry()).status).toBe(200)
    await ann.makeBundle()
  })

  test('refused writes use nothing up: of 20 at once exactly six pass, whatever subject they act for', async () => {
    const ann = await newPerson(at())
    const { id } = await newOrganization(ann)
    const own = await arriveByMail(at(), ann.email)
    await actFor(own, null)
    await actFor(ann, id)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? ann : own).api('POST', '/api/links', { urls: [URL_A] })),
    )
    // Creating the organisation was the first write.
    expect(statuses(answers)).toEqual([...Array(5).fill(201), ...Array(15).fill(429)])
  })

  test('a key has only its own hourly limit', async () => {
    const ann = await newPerson(at())
    const { rawKey } = (await ann.api<{ rawKey: string }>('POST', '/api/me/keys', { name: 'key' })).body
    const agent = new Visitor(at(), { authorization: `Bearer ${rawKey}` })
    for (let n = 0; n < 10; n += 1) await agent.makeBundle()
    for (let n = 0; n < 5; n += 1) await ann.makeBundle()
    expect((await ann.api('POST', '/api/links', { urls: [URL_A] })).status).toBe(429)
    await agent.makeBundle()
  })

  test('a refused form keeps what was typed, and says when to try again', async () => {
    const { ann, slug } = await spent()
    const answer = await ann.form(`/dashboard/links/${slug}`, {
      title: 'Typed and not lost',
      url: URL_B,
      note: '',
      tags: '',
      openPolicy: 'auto',
      version: '6',
      do: 'save',
    })
    const html = await answer.text()
    expect(answer.status).toBe(429)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(html).toContain('Typed and not lost')
    expect(html).toMatch(/Try again in \d+ seconds?\./)
  })

  test('an import counts each bundle it makes, and refunds the rest', async () => {
    const ann = await newPerson(at())
    const text = Array.from({ length: 8 }, (_, n) => `# Part ${n}\n- https://part.example/${n}\n`).join('\n')
    const page = await (await ann.form('/dashboard/links/import', { text })).text()
    const fields = [...page.matchAll(/<input[^>]*>/g)].map(([tag]) => ({
      name: /name="([^"]*)"/.exec(tag)?.[1] ?? '',
      value: /value="([^"]*)"/.exec(tag)?.[1] ?? '',
    }))
    const body = new URLSearchParams({ text, do: 'make' })
    for (const { name, value } of fields) {
      if (/^(title-\d+|bundle|link|idempotencyKey|reading)$/.test(name)) body.append(name, value)
    }
    const answer = await ann.fetch('/dashboard/links/import', {
      method: 'POST',
      body: body.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    const html = await answer.text()
    expect(html).toMatch(/Try again in \d+ seconds?\./)
    const { body: listed } = await ann.api<{ bundles: unknown[] }>('GET', '/api/me/links')
    expect(listed.bundles).toHaveLength(6)
    expect(html).toContain('https://part.example/7')
  })
})

/** Somebody's key, as a visitor. */
const keyOf = (person: Person, rateLimitPerHour: number) =>
  person.program({ scopes: ['links:write'], rateLimitPerHour })

describe('at most ten writes in an hour, and two in a minute', () => {
  const at = serverWith({ SERVICE_WRITES_PER_MINUTE: '2', SERVICE_WRITES_PER_HOUR: '10' })

  test('a key without a limit shares its person’s writes of an hour, but not of a minute; it reads as much as it likes', async () => {
    const ann = await newPerson(at())
    const [one, other] = [await keyOf(ann, 0), await keyOf(ann, 0)]
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? one : other).api('POST', '/api/links', { urls: [URL_A] })),
    )
    // The keys were the first two.
    expect(statuses(answers)).toEqual([...Array(8).fill(201), ...Array(4).fill(429)])
    expect(answers.find(({ status }) => status === 429)?.body).toMatchObject({ code: 'RATE_LIMITED' })
    expect((await one.api('POST', '/api/links', { urls: [URL_A], dryRun: true })).status).toBe(200)
    for (let n = 0; n < 20; n += 1) expect((await one.api('GET', '/api/me/links')).status).toBe(200)
  })

  test('a key with a limit has that and no other', async () => {
    const ann = await newPerson(at())
    const key = await keyOf(ann, 1000)
    for (let n = 0; n < 15; n += 1) await key.makeBundle()
  })
})

describe('at most four writes in an hour, and none counted by the minute', () => {
  const at = serverWith({ SERVICE_WRITES_PER_MINUTE: '0', SERVICE_WRITES_PER_HOUR: '4' })

  test('the fifth has to wait until the first is an hour old', async () => {
    const ann = await newPerson(at())
    const answers = await Promise.all(
      Array.from({ length: 9 }, () => ann.api<{ retryAfterSeconds: number }>('POST', '/api/links', { urls: [URL_A] })),
    )
    expect(statuses(answers)).toEqual([...Array(4).fill(201), ...Array(5).fill(429)])
    for (const { body } of answers.filter(({ status }) => status === 429)) {
      expect(body.retryAfterSeconds).toBeGreaterThan(3500)
      expect(body.retryAfterSeconds).toBeLessThanOrEqual(3600)
    }
  })
})

test('0 is no limit', async () => {
  const server = await startInProcess({ SERVICE_WRITES_PER_MINUTE: '0', SERVICE_WRITES_PER_HOUR: '0' })
  const ann = await newPerson(server)
  const { slug } = await ann.makeBundle()
  for (let n = 0; n < 130; n += 1) expect((await edit(ann, slug)).status).toBe(200)
  await server.stop()
})
