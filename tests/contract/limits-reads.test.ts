import { expect, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { arriveByMail, newPerson, URL_A, Visitor } from '../people.ts'

// Who signs in by a mailed link reads once, who they are.

test('a person’s seventh read in a minute is refused, in any session, as JSON and as a page, with when to try again', async () => {
  const server = await startInProcess({ SERVICE_READS_PER_MINUTE: String(6 + 1) })
  const ann = await newPerson(server)
  const { slug } = await ann.makeBundle()
  const key = (await ann.api<{ rawKey: string }>('POST', '/api/me/keys', { name: 'key' })).body.rawKey
  const other = await arriveByMail(server, ann.email)
  for (const [method, path, body] of [
    ['GET', '/api/me/links?q=anything', undefined],
    ['GET', `/api/links/${slug}`, undefined],
    ['GET', `/api/links/${slug}/versions`, undefined],
    ['POST', `/api/links/${slug}/policy/preview`, { viewer: {} }],
    ['POST', '/api/links', { urls: [URL_A], dryRun: true }],
    ['GET', '/api/me/links', undefined],
  ] as const) {
    expect([path, (await ann.api(method, path, body)).status]).toEqual([path, 200])
  }
  for (const by of [ann, other]) {
    const refused = await by.api<{ retryAfterSeconds: number }>('GET', '/api/me/links')
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
    expect(refused.body.retryAfterSeconds).toBeGreaterThan(0)
    expect(refused.body.retryAfterSeconds).toBeLessThanOrEqual(61)
    expect(refused.headers.get('retry-after')).toBe(String(refused.body.retryAfterSeconds))
  }
  const page = await ann.fetch('/dashboard')
  expect(page.status).toBe(429)
  expect(await page.text()).toMatch(/Try again in \d+ seconds?\./)

  // Writes, what viewers do, keys and everybody else have limits of their own.
  expect((await ann.api('PATCH', `/api/links/${slug}`, { title: 'Edited' })).status).toBe(200)
  expect((await ann.api('POST', `/api/links/${slug}/events`, { kind: 'open_all' })).status).toBe(204)
  expect((await ann.fetch(`/l/${slug}`)).status).toBe(200)
  const agent = new Visitor(server, { authorization: `Bearer ${key}` })
  for (let n = 0; n < 8; n += 1) expect((await agent.api('GET', '/api/me/links')).status).toBe(200)
  const bob = await newPerson(server)
  expect((await bob.api('GET', '/api/me/links')).status).toBe(200)
  await server.stop()
})

test('six hundred reads a minute by default, and 0 is no limit', async () => {
  for (const [setting, last] of [
    // Unset.
    ['', 429],
    ['0', 200],
  ] as const) {
    const server = await startInProcess({ SERVICE_READS_PER_MINUTE: setting })
    const ann = await newPerson(server)
    const answers = []
    for (let n = 0; n < 601; n += 1) answers.push((await ann.api('GET', '/api/me/links')).status)
    expect([new Set(answers.slice(0, 600)), answers.at(-1)]).toEqual([new Set([200]), last])
    await server.stop()
  }
})

test('a network reads 120 feeds a minute, of all bundles together, made once for everybody; then it waits, and nobody else', async () => {
  const server = await startInProcess({ SERVICE_CLIENT_IP_HEADER: 'x-client' })
  const ann = await newPerson(server)
  const [one, other] = [await ann.makeBundle({ title: 'First' }), await ann.makeBundle()]
  const reader = new Visitor(server, { 'x-client': '192.0.2.1' })
  const strangers = ['192.0.2.2', '2001:db8::1'].map((at) => new Visitor(server, { 'x-client': at }))
  const first = await (await reader.fetch(`/l/${one.slug}/feed`)).text()
  // What is kept does not ask the store again.
  await server.sql('UPDATE bundle_versions SET edited_at = edited_at + 86400000')
  const statuses: number[] = []
  for (let read = 1; read < 120; read += 1) {
    const answer = await reader.fetch(`/l/${one.slug}/feed`, read % 2 ? { headers: { 'if-none-match': '*' } } : {})
    if (answer.status === 200) expect(await answer.text()).toBe(first)
    statuses.push(answer.status)
  }
  expect(statuses).toEqual(statuses.map((_, at) => (at % 2 ? 200 : 304)))
  for (const { slug } of [one, other]) {
    const refused = await reader.fetch(`/l/${slug}/feed`)
    expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'text/plain; charset=utf-8'])
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
    expect(await refused.text()).toContain('Too many requests from your network.')
    expect((await reader.fetch(`/l/${slug}`)).status).toBe(200)
  }
  for (const who of strangers) expect((await who.fetch(`/l/${other.slug}/feed`)).status).toBe(200)
  await server.stop()
})
