import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { runOperator } from '../operator.ts'
import { mailTo, newEmail, newOrganization, newPerson, PASSWORD, type Person, URL_A, Visitor } from '../people.ts'
import { furnish } from '../security/furnished.ts'
import { pagesFor } from '../security/routes.ts'
import type { Server } from '../server.ts'

setDefaultTimeout(180_000)

/** Characters that no text may contain: C1, DEL, and marks that change the direction of surrounding text. */
const UNFIT = [
  ...['\u007f', '\u0080', '\u0085', '\u009b', '\u009f'],
  ...['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'],
]
const points = (text: string) => [...text].map((point) => point.codePointAt(0)?.toString(16)).join(' ')

/** Ordinary texts in right-to-left scripts, or with invisible joiners. */
const FIT = ['جدول الأعمال: اليوم (١)', 'סדר היום, שלום', 'می‌خواهم', '👩‍👩‍👧‍👦', 'e\u0301', 'a\u00a0b']

let server: Server
let ann: Person
beforeAll(async () => {
  server = await startInProcess({ SERVICE_CLIENT_IP_HEADER: 'x-client' })
  ann = await newPerson(server)
})
afterAll(async () => {
  await server?.stop()
})

/** A new client address each time, because reports are limited by address. */
const elsewhere = () => ({ 'x-client': `10.0.0.${(addresses += 1)}` })
let addresses = 0

interface Refusal {
  error: string
  code: string
}

const rule = (name: string, note: string) => ({
  version: 1,
  rules: [{ name, when: { op: 'signedIn' }, tabs: [{ url: URL_A, note }] }],
})

describe('text with C1 controls or direction marks is refused', () => {
  const links: [string, (text: string) => Record<string, unknown>][] = [
    ['title', (title) => ({ title })],
    ['description', (description) => ({ description })],
    ['urlMetadata[0].note', (note) => ({ urlMetadata: [{ note }] })],
    ['urlMetadata[0].tags[0]', (tag) => ({ urlMetadata: [{ tags: [tag] }] })],
    ['resolutionPolicy.rules[0].name', (name) => ({ resolutionPolicy: rule(name, '') })],
    ['resolutionPolicy.rules[0].tabs[0].note', (note) => ({ resolutionPolicy: rule('r', note) })],
  ]
  test.each(links)('as %s', async (place, fields) => {
    const { slug } = await ann.makeBundle()
    for (const unfit of UNFIT) {
      const sent = fields(`a${unfit}b`)
      for (const [method, path, body] of [
        ['POST', '/api/links', { urls: [URL_A], ...sent }],
        ['PATCH', `/api/links/${slug}`, sent],
      ] as const) {
        const answer = await ann.api<Refusal>(method, path, body)
        expect([points(unfit), answer.status, answer.body.code]).toEqual([points(unfit), 400, 'BAD_REQUEST'])
        expect(answer.body.error).toStartWith(`${place} must be free of `)
      }
    }
    for (const text of FIT) {
      const { status } = await ann.api('POST', '/api/links', { urls: [URL_A], ...fields(text) })
      expect([text, status]).toEqual([text, 201])
    }
  })

  test('in the name of a key, a person or an organisation', async () => {
    const others = new Visitor(server)
    for (const unfit of UNFIT) {
      const name = `a${unfit}b`
      const answers = [
        await ann.api<Refusal>('POST', '/api/me/keys', { name }),
        await ann.api<Refusal>('POST', '/api/auth/update-user', { name }),
        await ann.api<Refusal>('POST', '/api/auth/organization/create', { name, slug: `of-${points(unfit)}` }),
        await others.api<Refusal>('POST', '/api/auth/sign-up/email', { name, email: newEmail(), password: PASSWORD }),
      ]
      expect([points(unfit), answers.map(({ status }) => status)]).toEqual([points(unfit), [400, 400, 400, 400]])
      for (const { body } of answers) expect(body.error).toStartWith('name must be free of ')
    }
    for (const name of FIT) expect((await ann.api('POST', '/api/me/keys', { name })).status).toBe(201)
  })
})

test('invisible characters in a copied title are removed from a pasted list', async () => {
  const urls = '\u200f[\u202bסדר היום\u202c](https://a.example/x)\n\u200ehttps://b.example/\u200e'
  const page = await ann.publish({ urls, idempotencyKey: 'pasted with marks' })
  expect(page.status).toBe(303)
  const { body } = await ann.api<{ bundles: { urls: string[]; urlMetadata: unknown[] }[] }>(
    'GET',
    '/api/me/links?limit=1',
  )
  expect(body.bundles[0]).toMatchObject({
    urls: ['https://a.example/x', 'https://b.example/'],
    urlMetadata: [{ note: 'סדר היום' }, {}],
  })
})

test('a title of spaces is no title, and a description of spaces none', async () => {
  for (const blank of ['', ' ', '  \u00a0 ']) {
    const made = await ann.makeBundle({ title: blank, description: `${blank}\n\t` })
    const path = `/api/links/${made.slug}`
    expect((await ann.api('GET', path)).body).toMatchObject({ title: null, description: null })
    await ann.api('PATCH', path, { title: 'Named', description: 'Said' })
    const edited = await ann.api('PATCH', path, { title: blank, description: blank })
    expect([edited.status, edited.body]).toMatchObject([200, { title: null, description: null }])
    const dryRun = await ann.api<{ bundle: object }>('POST', '/api/links', {
      urls: [URL_A],
      title: blank,
      dryRun: true,
    })
    expect(dryRun.body.bundle).toMatchObject({ title: null })
  }
  const kept = await ann.makeBundle({ title: ' Mine ' })
  expect((await ann.api('GET', `/api/links/${kept.slug}`)).body).toMatchObject({ title: ' Mine ' })
})

test('a body cannot name another bundle or version than its path', async () => {
  const { slug } = await ann.makeBundle()
  const path = `/api/links/${slug}`
  const calls: [string, string, Record<string, unknown>][] = [
    ['PATCH', path, { title: 'x' }],
    ['PATCH', path, { title: 'x', dryRun: true }],
    ['POST', `${path}/restore`, {}],
    ['POST', `${path}/versions/1/restore`, {}],
    ['POST', `${path}/policy/preview`, { viewer: {} }],
    ['POST', `${path}/reports`, { reason: 'spam' }],
    ['POST', `${path}/events`, { kind: 'open_all' }],
  ]
  for (const [method, at, body] of calls) {
    for (const other of ['another', '', 1, null, [slug]]) {
      const answer = await ann.api<Refusal>(method, at, { ...body, slug: other }, elsewhere())
      expect([method, at, other, answer.status, answer.body.code]).toEqual([method, at, other, 400, 'BAD_REQUEST'])
      expect(answer.body.error).toStartWith('slug must be')
    }
    const same = await ann.api(method, at, { ...body, slug }, elsewhere())
    expect([method, at, same.status < 300]).toEqual([method, at, true])
  }
  const restored = `${path}/versions/1/restore`
  for (const versionNumber of [2, '1', null]) {
    const answer = await ann.api<Refusal>('POST', restored, { versionNumber })
    expect([versionNumber, answer.status, answer.body.code]).toEqual([versionNumber, 400, 'BAD_REQUEST'])
  }
  expect((await ann.api('POST', restored, { versionNumber: 1, slug })).status).toBe(200)
  for (const at of [path, `${path}/versions`, `${path}/insights`]) {
    expect([at, (await ann.api('GET', `${at}?slug=another`)).status]).toEqual([at, 400])
  }
  expect((await ann.api('DELETE', `${path}?slug=another`)).status).toBe(400)
  expect((await ann.api('GET', path)).status).toBe(200)
})

test('fields that are irrelevant to a page or to GET /api/me are ignored; one that could matter is refused', async () => {
  const { slug } = await ann.makeBundle()
  const stray = 'utm_source=mail&error=INVALID_TOKEN&fbclid=x&utm_source=again&__proto__=x&%00=%ff'
  const { person, values } = await furnish(server)
  for (const path of await pagesFor(server, person, values))
    expect([path, (await person.fetch(`${path}?${stray}`)).status]).toEqual([path, 200])
  const files = ['/llms.txt', `/l/${slug}/qr.svg`, `/dashboard/links/${slug}/export.csv`]
  for (const path of [...files, '/api/me', '/api/openapi.json', '/healthz'])
    expect([path, (await ann.fetch(`${path}?${stray}`)).status]).toEqual([path, 200])
  expect(await (await ann.fetch(`/dashboard?${stray}&q=nothing+like+it`)).text()).toContain('nothing like it')
  const api = ['/api/me/links', '/api/me/keys', '/api/me/claims', '/api/me/export', `/api/links/${slug}`]
  for (const path of [...api, `/api/links/${slug}/versions`, `/api/links/${slug}/insights`]) {
    const { status, body } = await ann.api<Refusal>('GET', `${path}?utm_source=mail`)
    expect([path, status, body.error]).toEqual([path, 400, 'utm_source is not a field of this request: remove it'])
  }
})

test('user text is escaped in the operator’s output', async () => {
  const { slug } = await ann.makeBundle()
  await ann.api('POST', `/api/links/${slug}/reports`, { reason: 'spam', detail: 'plain' }, elsewhere())
  // Such a text may have been stored before it was refused.
  await server.sql('UPDATE reports SET detail = ?', ['a\u009b31mb\u202ec\u007f\u0085 שלום'])
  const printed = await operatorPrints(server, 'reports')
  expect(printed).toContain('a\\u009b31mb\\u202ec\\u007f\\u0085 שלום')
  expect(await operatorPrints(server, 'plan', 'x\u202e\u009by', 'pro')).toContain('x\\u202e\\u009by')
  const read = await runOperator<{ reports: { detail: string }[] }[]>(server, ['reports'])
  expect(read[0]?.reports[0]?.detail).toBe('a\u009b31mb\u202ec\u007f\u0085 שלום')
})

test('user text is escaped in the log', async () => {
  const admin = await newPerson(server)
  const { id } = await newOrganization(admin)
  await server.sql('UPDATE organization SET name = ? WHERE id = ?', ['Ac\u009bme\u202e', id])
  const email = newEmail()
  await admin.api('POST', '/api/auth/organization/invite-member', { email, role: 'viewer', organizationId: id })
  const { text } = await mailTo(server, email, '')
  // A mail leaves them out.
  expect(text).toContain('“Ac me”')
  expect(server.output()).not.toMatch(/[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/)
})

test('logged request data is escaped', async () => {
  const logs = `import { openLog } from './src/runtime/log.ts'; openLog('info').info({ text: 'Ac\\u009bme\\u202e' }, 'a line')`
  const child = Bun.spawn([process.execPath, '-e', logs], { stdout: 'pipe', stderr: 'inherit' })
  const line = await new Response(child.stdout).text()
  expect(line).toContain('Ac\\u009bme\\u202e')
  expect(line).not.toMatch(/[\u007f-\u009f\u202e]/)
})

/** The raw output of an operator's command. */
async function operatorPrints({ database }: Server, ...words: string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, 'src/main.ts', ...words], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: `file:${database}` },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  return (await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])).join('')
}
