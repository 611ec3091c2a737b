import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { becomes, eventually } from '../eventually.ts'
import { runOperator } from '../operator.ts'
import { newOrganization, newPerson, Visitor } from '../people.ts'
import { type Server, startServer, TARGETS } from '../server.ts'
import { startOn } from '../targets.ts'

const START_MS = 180_000
// Only guards against hanging.
setDefaultTimeout(START_MS)
/** A block takes effect within a second (docs/self-hosting.md), files are checked once a second; the machine may be busy. */
const SEEN_MS = 1_000 + 3_000

const until = (holds: () => Promise<boolean>) => eventually(holds, 'it has come to hold', SEEN_MS)

interface Reported {
  slug: string
  isBlocked: boolean
  reports: { reason: string; detail: string | null }[]
}

const TEXT = 'The operator of this service has taken this bundle down'

for (const target of TARGETS) {
  describe(target.name, () => {
    const folder = mkdtempSync(join(tmpdir(), 'openall-hosts-'))
    const file = join(folder, 'hosts.txt')
    let server: Server
    beforeAll(async () => {
      writeFileSync(
        file,
        '# what we do not serve\r\nbad.example # for good\r\n0.0.0.0 listed.example\n*.star.example\n127.0.0.9\n::ffff:203.0.113.7\n2001:db8::bad\nmünchen.example\n',
      )
      server = await startOn(target, { SERVICE_BLOCKED_HOSTS_FILE: file, SERVICE_CLIENT_IP_HEADER: 'x-client' })
    }, START_MS)
    afterAll(async () => {
      await server?.stop()
      rmSync(folder, { recursive: true, force: true })
    })
    const operate = <T = unknown>(...words: string[]) =>
      runOperator<T>(server, words, { env: { SERVICE_BLOCKED_HOSTS_FILE: file }, runtime: target.runtime })
    const statusOf = (path: string) => fetch(`${server.origin}${path}`).then(({ status }) => status)

    test('a bundle that leads to a blocked host is refused when it is made, and the error names the place', async () => {
      const visitor = new Visitor(server)
      const make = (body: Record<string, unknown>) =>
        visitor.api<{ code: string; error: string }>('POST', '/api/links', body)
      for (const host of [
        'bad.example',
        'BAD.example.',
        'deep.below.bad.example:8443',
        'user:word@bad.example',
        'listed.example',
        'x.star.example',
        'star.example',
        '0x7f.9',
        'bad.example..',
        'xn--mnchen-3ya.example',
        'münchen.example',
      ]) {
        const { status, body } = await make({ urls: ['https://good.example', `http://${host}/path`] })
        expect([host, status, body.code]).toEqual([host, 400, 'INVALID_URLS'])
        expect(body.error).toStartWith('urls[1] links to ')
      }
      for (const host of ['notbad.example', 'bad.example.com', 'example', 'good.example']) {
        expect([host, (await make({ urls: [`http://${host}/bad.example`] })).status]).toEqual([host, 201])
      }
      const rule = {
        name: 'r',
        when: { op: 'signedIn' },
        tabs: [{ url: 'https://a.example' }, { url: 'https://bad.example' }],
      }
      const policy = await make({ urls: ['https://good.example'], resolutionPolicy: { version: 1, rules: [rule] } })
      expect([policy.status, policy.body.code]).toEqual([400, 'BAD_REQUEST'])
      expect(policy.body.error).toStartWith('resolutionPolicy.rules[0].tabs[1].url links to bad.example')
      const page = await visitor.publish({ urls: 'https://good.example\nhttps://bad.example/x', title: 'kept' })
      expect(page.status).toBe(400)
      expect(await page.text()).toContain('links to bad.example')
    })

    test('an address is blocked however it is written, in any IPv6 form', async () => {
      const visitor = new Visitor(server)
      const make = (host: string) => visitor.api<{ code: string }>('POST', '/api/links', { urls: [`http://${host}/`] })
      for (const host of [
        '127.0.0.9.',
        '2130706441',
        '0177.0.0.011',
        '[::ffff:127.0.0.9]',
        '[::ffff:7f00:9]',
        '[0:0:0:0:0:FFFF:7F00:0009]',
        '[::7f00:9]',
        '[64:ff9b::127.0.0.9]',
        '[64:ff9b:1::7f00:9]',
        '[2002:7f00:9::1]',
        '203.0.113.7',
        '[2001:db8::bad]:8080',
        '[2001:DB8:0:0::0bad]',
      ]) {
        const { status, body } = await make(host)
        expect([host, status, body.code]).toEqual([host, 400, 'INVALID_URLS'])
      }
      for (const host of ['[::ffff:127.0.0.8]', '[2001:db8::ba]', '[2003:7f00:9::1]', '[::1:7f00:9]']) {
        expect([host, (await make(host)).status]).toEqual([host, 201])
      }
    })

    test('edits, dry runs and restored versions that lead there are refused too', async () => {
      const person = await newPerson(server)
      const { slug } = await person.makeBundle({ urls: ['https://soon.example/'] })
      const edit = (body: Record<string, unknown>) => person.api<{ code: string }>('PATCH', `/api/links/${slug}`, body)
      expect((await edit({ urls: ['https://bad.example'] })).body.code).toBe('INVALID_URLS')
      expect((await edit({ urls: ['https://bad.example'], dryRun: true })).body.code).toBe('INVALID_URLS')
      await edit({ urls: ['https://fine.example'] })
      expect(await operate('block-host', 'https://Soon.example/path')).toEqual({ host: 'soon.example' })
      const dryRun = { urls: ['https://soon.example'], dryRun: true }
      await until(async () => (await person.api('POST', '/api/links', dryRun)).status === 400)
      const restored = await person.api<{ code: string }>('POST', `/api/links/${slug}/versions/1/restore`)
      expect(restored.body.code).toBe('INVALID_URLS')
      expect((await edit({ title: 'Another' })).status).toBe(200)
    })

    test('a launcher disappears while a host of it or of its rules is blocked', async () => {
      const person = await newPerson(server)
      const plain = (await person.makeBundle({ urls: ['https://a.example', 'https://later.example/x'] })).slug
      const rule = { name: 'r', when: { op: 'signedIn' }, tabs: [{ url: 'https://sub.later.example' }] }
      const ruled = (await person.makeBundle({ resolutionPolicy: { version: 1, rules: [rule] } })).slug
      const other = (await person.makeBundle()).slug
      const all = () => Promise.all([plain, ruled, other].map((slug) => statusOf(`/l/${slug}`)))
      expect([await all(), await all()]).toEqual([
        [200, 200, 200],
        [200, 200, 200],
      ])
      await operate('block-host', 'later.example')
      await until(async () => (await statusOf(`/l/${plain}`)) === 451)
      expect(await all()).toEqual([451, 451, 200])
      const page = await (await fetch(`${server.origin}/l/${plain}`)).text()
      expect(page).toContain(TEXT)
      expect(page).not.toContain('later.example')
      expect(await statusOf(`/l/${plain}/bookmarks.html`)).toBe(451)
      expect((await person.api('POST', `/api/links/${plain}/events`, { kind: 'open_all' })).status).toBe(204)
      // Its owner can still open it, to fix it.
      expect((await person.api('PATCH', `/api/links/${plain}`, { urls: ['https://a.example'] })).status).toBe(200)
      expect(await statusOf(`/l/${plain}`)).toBe(200)
      await operate('unblock-host', 'later.example')
      await until(async () => (await statusOf(`/l/${ruled}`)) === 200)
    })

    test('while the file is missing or invalid, blocked hosts stay blocked', async () => {
      const refused = async (host: string) =>
        (await new Visitor(server).api('POST', '/api/links', { urls: [`https://${host}`] })).status === 400
      renameSync(file, `${file}.away`)
      await Bun.sleep(1_500)
      expect(await refused('bad.example')).toBeTrue()
      writeFileSync(file, 'not a host at all /\nbad.example\nhttp://[\nnew.example\n')
      await until(() => refused('new.example'))
      expect([await refused('bad.example'), await refused('listed.example')]).toEqual([true, false])
      expect(server.output()).toContain('"lines":[1,3]')
    }, 180_000)

    test('a bundle that is taken down is not shown by its maker’s page or its claim link either', async () => {
      const maker = new Visitor(server)
      const made = (await maker.publish({ urls: 'https://a.example/', title: 'Gone soon' })).headers.get('location')
      const html = await (await maker.fetch(made ?? '')).text()
      const paths = [made ?? '', /\/claim\/[\w-]+/.exec(html)?.[0] ?? '']
      const slug = /\/l\/(\w+)/.exec(html)?.[1] ?? ''
      expect(await Promise.all(paths.map(statusOf))).toEqual([200, 200])
      await operate('block', slug, 'a court order')
      await until(async () => (await statusOf(`/l/${slug}`)) === 451)
      expect(await Promise.all(paths.map(statusOf))).toEqual([451, 451])
    })

    test('the operator takes a bundle down, even while it is cached, and puts it up again', async () => {
      const person = await newPerson(server)
      const { slug } = await person.makeBundle()
      expect([await statusOf(`/l/${slug}`), await statusOf(`/l/${slug}`)]).toEqual([200, 200])
      await operate('block', slug, 'a court order')
      await until(async () => (await statusOf(`/l/${slug}`)) === 451)
      await person.api('PATCH', `/api/links/${slug}`, { title: 'An edit brings nothing back' })
      expect(await statusOf(`/l/${slug}`)).toBe(451)
      const page = await (await fetch(`${server.origin}/l/${slug}`)).text()
      expect([page.includes(TEXT), page.includes('court')]).toEqual([true, false])
      expect(await operate('unblock', slug)).toEqual({ unblocked: true })
      await until(async () => (await statusOf(`/l/${slug}`)) === 200)
      expect(await operate('unblock', slug)).toEqual({ unblocked: false })
      expect(await operate('block', 'nothing-here', 'x')).toEqual({
        error: 'there is no bundle with the slug nothing-here.',
      })
    })

    test('viewers report a bundle, by page or API, five times an hour, and the operator reads the reports', async () => {
      const { slug } = await new Visitor(server).makeBundle()
      const viewer = new Visitor(server, { 'x-client': `192.0.2.${TARGETS.indexOf(target) + 1}` })
      expect(await (await viewer.fetch(`/l/${slug}`)).text()).toContain(`href="/l/${slug}/report"`)
      expect((await viewer.fetch(`/l/${slug}/report`)).status).toBe(200)
      const wrong = await viewer.form(`/l/${slug}/report`, { reason: '', detail: 'a <b>detail</b> typed' })
      expect(wrong.status).toBe(400)
      const again = await wrong.text()
      expect(again).toContain('Choose what’s wrong with it.')
      expect(again).toMatch(/a &lt;b(>|&gt;)detail/)
      expect((await viewer.form(`/l/${slug}/report`, { reason: 'phishing', detail: 'third\r\nlink' })).status).toBe(200)
      expect((await viewer.api('POST', `/api/links/${slug}/reports`, { reason: 'spam' })).status).toBe(204)
      expect((await viewer.api('POST', '/api/links/nothing-here/reports', { reason: 'spam' })).status).toBe(404)
      expect((await viewer.api('POST', `/api/links/${slug}/reports`, { reason: 'dull' })).status).toBe(400)
      const late = await viewer.form(`/l/${slug}/report`, { reason: 'spam', detail: 'typed with care' })
      expect([late.status, (await late.text()).includes('typed with care')]).toEqual([429, true])
      const [first] = (await operate<Reported[]>('reports')).filter((one) => one.slug === slug)
      expect(first?.reports.map(({ reason, detail }) => [reason, detail])).toEqual([
        ['spam', null],
        ['phishing', 'third\nlink'],
      ])
      expect(first?.isBlocked).toBeFalse()
      expect(await operate('dismiss', slug)).toEqual({ dismissed: 2 })
      expect((await operate<Reported[]>('reports')).filter((one) => one.slug === slug)).toEqual([])
    })

    test('signing in gives an address no more reports', async () => {
      const { slug } = await new Visitor(server).makeBundle()
      const from = { 'x-client': `198.51.100.${TARGETS.indexOf(target) + 1}` }
      const person = await newPerson(server)
      const report = (by: Visitor) => by.api('POST', `/api/links/${slug}/reports`, { reason: 'spam' }, from)
      const statuses = []
      for (const by of [person, person, new Visitor(server), person, person, person, new Visitor(server)])
        statuses.push((await report(by)).status)
      expect(statuses).toEqual([204, 204, 204, 204, 204, 429, 429])
    })

    test('at most a hundred reports per bundle are kept', async () => {
      const { slug } = await new Visitor(server).makeBundle()
      for (let sent = 0; sent < 103; sent += 1) {
        const viewer = new Visitor(server, { 'x-client': `10.0.${TARGETS.indexOf(target)}.${sent}` })
        expect((await viewer.api('POST', `/api/links/${slug}/reports`, { reason: 'other' })).status).toBe(204)
      }
      const [row] = await server.sql(
        'SELECT count(*) AS n FROM reports JOIN bundles ON bundles.id = bundle_id WHERE slug = ?',
        [slug],
      )
      expect(row).toEqual({ n: 100 })
    })

    test('the operator sets plans, by address or by subject', async () => {
      const person = await newPerson(server)
      const { id } = await newOrganization(person)
      const planOf = async (column: string, id: string) =>
        (await server.sql(`SELECT plan FROM owners WHERE ${column} = ?`, [id]))[0]?.plan
      expect(await operate('plan', person.email.toUpperCase(), 'pro')).toEqual({
        type: 'user',
        userId: person.userId,
      })
      const acme = { type: 'organization', organizationId: id }
      expect(await operate('plan', `organization:${id}`, 'pro')).toEqual(acme)
      expect([await planOf('user_id', person.userId), await planOf('organization_id', id)]).toEqual(['pro', 'pro'])
      const own = { type: 'user', userId: person.userId }
      expect(await operate('plan', `user:${person.userId}`, 'free')).toEqual(own)
      expect(await planOf('user_id', person.userId)).toBe('free')
      for (const nobody of ['nobody@people.example', 'user:nobody', 'organization:nobody']) {
        expect((await operate<{ error: string }>('plan', nobody, 'pro')).error).toStartWith('there is no account')
      }
    })

    test('an unclaimed bundle names every host before it opens; a claimed one does not', async () => {
      const person = await newPerson(server)
      const urls = [
        'https://one.example/a',
        'https://one.example/b',
        'https://two.example:8080',
        'https://аpple.example/',
      ]
      const { slug, claimToken } = await new Visitor(server).makeBundle({
        urls,
        urlMetadata: urls.map(() => ({ note: 'Named' })),
      })
      const html = async () => (await fetch(`${server.origin}/l/${slug}`)).text()
      const before = await html()
      const said = before.slice(before.indexOf('class="unclaimed"'), before.indexOf('id="open"'))
      expect([...said.matchAll(/<strong dir="ltr">([^<]+)<\/strong>/g)].map(([, host]) => host)).toEqual([
        'one.example',
        'two.example:8080',
        'xn--pple-43d.example',
      ])
      await person.api('POST', '/api/claims', { token: claimToken })
      const after = await html()
      expect([after.includes('class="unclaimed"'), after.includes(`/l/${slug}/report`)]).toEqual([false, false])
      // A host that resembles another is shown only in punycode; what the page reports as opened is as the bundle has it.
      const shown = after.replaceAll(/ data-link="[^"]*"/g, '')
      expect(shown).toContain('xn--pple-43d.example')
      expect(shown).not.toContain('аpple')
    })
  })
}

test('a missing file of blocked hosts is an empty list and a warning, until block-host makes it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'openall-no-hosts-'))
  const env = { SERVICE_BLOCKED_HOSTS_FILE: join(folder, 'blocked-hosts.txt') }
  // Two processes, which read one file.
  const servers = await Promise.all([startServer({ env }), startServer({ env })])
  for (const server of servers) expect(server.output()).toContain('there is no file of blocked hosts')
  const visitors = servers.map((server) => new Visitor(server))
  const make = () =>
    Promise.all(visitors.map((visitor) => visitor.api('POST', '/api/links', { urls: ['https://bad.example/'] })))
  expect((await make()).map(({ status }) => status)).toEqual([201, 201])
  await runOperator(servers[0]!, ['block-host', 'bad.example'], { env })
  await becomes(async () => (await make()).map(({ status }) => status), [400, 400])
  for (const server of servers) {
    expect(server.output()).not.toContain('cannot read the file of blocked hosts')
    await server.stop()
  }
  // What is there, but no list, is no empty list.
  const env2 = { SERVICE_BLOCKED_HOSTS_FILE: folder }
  await expect(startServer({ env: env2 })).rejects.toThrow(
    `SERVICE_BLOCKED_HOSTS_FILE cannot be used: ${folder} is a folder, where a file is expected`,
  )
  rmSync(folder, { recursive: true })
})
