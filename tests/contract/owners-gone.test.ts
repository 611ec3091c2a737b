import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { addMember, newOrganization, newPerson, URL_A, Visitor } from '../people.ts'
import { type Server, startServer } from '../server.ts'
import { onEveryTarget } from '../targets.ts'

onEveryTarget({}, (at) => {
  test('nobody can take the slug of a bundle that was deleted with its account or organisation', async () => {
    const [ann, bob] = [await newPerson(at()), await newPerson(at())]
    const { id } = await newOrganization(ann)
    const slugs = [`shared-${ann.userId.toLowerCase()}`, `own-${ann.userId.toLowerCase()}`]
    await ann.makeBundle({ slug: slugs[0] })
    await ann.api('POST', '/api/auth/organization/delete', { organizationId: id })
    await ann.api('POST', '/api/auth/organization/set-active', { organizationId: null })
    await ann.makeBundle({ slug: slugs[1] })
    expect((await ann.api('POST', '/api/auth/delete-user', {})).status).toBe(200)
    for (const slug of slugs) {
      const taken = { status: 409, body: { code: 'SLUG_TAKEN' } }
      expect(await bob.api('POST', '/api/links', { urls: [URL_A], slug })).toMatchObject(taken)
      expect(await bob.api('POST', '/api/links', { urls: [URL_A], slug, dryRun: true })).toMatchObject(taken)
      expect((await fetch(`${at().origin}/l/${slug}`)).status).toBe(404)
    }
    await bob.makeBundle({ slug: `${slugs[0]}-2` })
  })

  test('a key whose minter left is shown as ended, does not count, and stays dead when they come back', async () => {
    const [ann, bob] = [await newPerson(at()), await newPerson(at())]
    const { id, memberIds } = await newOrganization(ann, [[bob, 'admin']])
    await bob.api('POST', '/api/auth/organization/set-active', { organizationId: id })
    const mint = async () =>
      (await bob.api<{ rawKey: string }>('POST', '/api/me/keys', { name: 'Bob’s key' })).body.rawKey
    const rawKey = await mint()
    const status = async (key: string) =>
      (await fetch(`${at().origin}/api/me`, { headers: { authorization: `Bearer ${key}` } })).status
    expect(await status(rawKey)).toBe(200)
    const asked = async (path: string) => (await ann.fetch(`/dashboard/organizations/${id}${path}`)).text()
    expect(await asked(`/members/${memberIds.get(bob)}/remove`)).toContain('1 API key')

    const removed = { memberIdOrEmail: memberIds.get(bob), organizationId: id }
    expect((await ann.api('POST', '/api/auth/organization/remove-member', removed)).status).toBe(200)
    expect(await status(rawKey)).toBe(401)
    const memberId = await addMember(ann, id, bob, 'admin')
    expect(await status(rawKey)).toBe(401)

    const html = await (await ann.fetch('/dashboard/keys')).text()
    expect(html).toContain('Ended when its creator left')
    expect(html).not.toContain('/revoke')
    expect(await asked(`/members/${memberId}/remove`)).not.toContain('1 API key')
    expect(await asked('/delete')).not.toContain('1 API key')
    // The fields of a key in the API follow the specification.
    const { apiKeys } = (await ann.api<{ apiKeys: object[] }>('GET', '/api/me/keys')).body
    expect(Object.keys(apiKeys[0] ?? {})).not.toContain('minterLeftAt')

    await bob.api('POST', '/api/auth/organization/set-active', { organizationId: id })
    expect(await status(await mint())).toBe(200)
  })
})

describe('an account deleted in another process', () => {
  let here: Server
  let there: Server
  beforeAll(async () => {
    there = await startServer()
    here = await startServer({ database: there.database })
  })
  afterAll(async () => {
    await here.stop()
    await there.stop()
  })

  /** A person known to both processes, by session and by key, who then deletes their account in the other one. */
  async function deleted() {
    const ann = await newPerson(there)
    const { rawKey } = (
      await ann.api<{ rawKey: string }>('POST', '/api/me/keys', { name: 'k', scopes: ['keys:admin'] })
    ).body
    const { slug } = await ann.makeBundle()
    const agent = new Visitor(here, { authorization: `Bearer ${rawKey}` })
    const browser = new Visitor(here)
    for (const [name, value] of ann.cookies) browser.cookies.set(name, value)
    for (const caller of [agent, browser]) expect((await caller.api('GET', '/api/me')).status).toBe(200)
    expect((await ann.api('POST', '/api/auth/delete-user', {})).status).toBe(200)
    return { agent, browser, slug }
  }

  const writes = (slug: string): [string, string, object?][] => [
    ['POST', '/api/links', { urls: [URL_A] }],
    ['POST', '/api/links', { urls: [URL_A], slug: 'chosen-by-nobody' }],
    ['POST', '/api/me/keys', { name: 'one more' }],
    ['POST', '/api/claims', { token: 'none' }],
    ['PATCH', `/api/links/${slug}`, { title: 'New' }],
    ['DELETE', `/api/links/${slug}`],
    ['POST', `/api/links/${slug}/restore`],
    ['POST', `/api/links/${slug}/versions/1/restore`],
    ['DELETE', '/api/me/keys?id=1'],
  ]
  const reads = (slug: string): [string, string, object?][] => [
    ['GET', '/api/me'],
    ['GET', '/api/me/links'],
    ['GET', '/api/me/keys'],
    ['GET', '/api/me/claims'],
    ['GET', '/api/me/export'],
    ['GET', `/api/links/${slug}`],
    ['GET', `/api/links/${slug}/versions`],
    ['GET', `/api/links/${slug}/insights`],
    ['POST', `/api/links/${slug}/policy/preview`, { viewer: {} }],
    ['POST', '/api/links', { urls: [URL_A], dryRun: true }],
  ]

  test('is 401 to its session, for every request', async () => {
    const { browser, slug } = await deleted()
    for (const [method, path, body] of [...writes(slug), ...reads(slug)].filter(([, path]) => path !== '/api/links')) {
      const { status } = await browser.api(method, path, body)
      expect([method, path, status]).toEqual([method, path, 401])
    }
    for (const path of ['organization/create', 'organization/set-active', 'update-user', 'delete-user']) {
      const { status } = await browser.api('POST', `/api/auth/${path}`, { name: 'n', slug: 'nobodys' })
      expect([path, status]).toEqual([path, 401])
    }
    expect((await browser.fetch('/dashboard')).status).toBe(303)
    expect((await browser.form('/dashboard/links/new', { url: URL_A })).status).toBe(401)
  })

  test('creates nothing with its key: each write is 401, or 404', async () => {
    const { agent, slug } = await deleted()
    for (const [method, path, body] of writes(slug).slice(0, 3)) {
      const answer = await agent.api(method, path, body, { 'idempotency-key': `${method} ${path}` })
      expect([method, path, answer.status, answer.body.code]).toEqual([method, path, 401, 'UNAUTHORIZED'])
    }
    for (const [method, path, body] of [...writes(slug), ...reads(slug)]) {
      const { status } = await agent.api(method, path, body)
      expect([method, path, status < 500]).toEqual([method, path, true])
    }
  })

  test('is soon 401 to its key on every route', async () => {
    const { agent, slug } = await deleted()
    await becomes(async () => (await agent.api('GET', '/api/me')).status, 401)
    for (const [method, path, body] of [...writes(slug), ...reads(slug)]) {
      expect([method, path, (await agent.api(method, path, body)).status]).toEqual([method, path, 401])
    }
  })
})
