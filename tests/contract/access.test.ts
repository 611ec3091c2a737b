import { beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../eventually.ts'
import { fieldsIn, multipart } from '../form.ts'
import { signInApp } from '../oauth.ts'
import { type BundleBody, newOrganization, newPerson, type Person, URL_A, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

type Told = BundleBody & { access: string; code: string; error: string }

const PASSWORD = 'four stairs down'
const SECRETS = {
  title: 'Very secret',
  description: 'Hidden words',
  urls: ['https://hidden.example/'],
  urlMetadata: [{ note: 'Whispered note', tags: ['privy'], section: 'Inner part' }],
  closedNote: 'Parting words',
}
const RULES = [{ name: 'Ruled', when: { op: 'exists', field: 'query.vip' }, tabs: [{ url: 'https://ruled.example/' }] }]
const TOLD = /Very secret|Hidden words|hidden\.example|Whispered|privy|Inner part|Parting|ruled\.example|Ruled|og:/
const BROWSER = 'Mozilla/5.0 Firefox/153.0'
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

/** Every address of a launcher that tells something of its bundle. */
const ADDRESSES = [
  '',
  '?vip=1',
  '/qr.svg',
  '/picture.png',
  '/picture.png?v=1',
  '/bookmarks.html',
  '/bookmarks.html?vip=1',
  '.md',
  '.json?vip=1',
  '/feed',
  '/remind',
]
/** The forms that programs ask for at the launcher’s own address. */
const ACCEPTS = ['*/*', 'text/markdown', 'application/json', 'text/html']

const PROTECTED = [
  { access: 'members', sent: { access: 'members' }, code: 'MEMBERS_ONLY' },
  { access: 'password', sent: { access: 'password', password: PASSWORD }, code: 'PASSWORD_REQUIRED' },
]

onEveryTarget({ SERVICE_CLIENT_IP_HEADER: 'x-client' }, (at) => {
  let owner: Person
  let networks = 0
  beforeAll(async () => {
    owner = await newPerson(at())
  })
  const patch = (slug: string, fields: object) => owner.api<Told>('PATCH', `/api/links/${slug}`, fields)
  const read = async (slug: string) => (await owner.api<Told>('GET', `/api/links/${slug}`)).body
  const stranger = (more: Record<string, string> = {}) => {
    networks += 1
    return new Visitor(at(), { 'x-client': `198.51.100.${networks}`, 'user-agent': BROWSER, ...more })
  }
  const open = (visitor: Visitor, slug: string, password = PASSWORD, headers: Record<string, string> = {}) =>
    visitor.form(`/l/${slug}`, { password }, headers)

  describe.each(PROTECTED)('a bundle for $access', ({ access, sent, code }) => {
    test('is told of to nobody else, at any address, cached before or not', async () => {
      const { keyed, apps } = await viewersOf(owner)
      const foreign = await newPerson(at())
      for (const resolutionPolicy of [null, { version: 1, rules: RULES }]) {
        const { slug } = await owner.makeBundle({ ...SECRETS, ...(resolutionPolicy && { resolutionPolicy }) })
        // Kept by the service while it was open to all, which must not help anyone.
        const kept = stranger()
        for (const address of ADDRESSES) expect((await kept.fetch(`/l/${slug}${address}`)).status).toBe(200)
        const etag = (await kept.fetch(`/l/${slug}`)).headers.get('etag')
        expect(etag).toBeNull()
        expect((await patch(slug, sent)).status).toBe(200)
        const hers = stranger()
        for (const address of ADDRESSES) {
          for (const viewer of [kept, hers, foreign, ...keyed, ...apps]) {
            for (const method of ['GET', 'HEAD']) {
              const headers = { 'if-none-match': '*', 'if-modified-since': new Date().toUTCString() }
              const answer = await viewer.fetch(`/l/${slug}${address}`, { method, headers })
              const text = await answer.text()
              expect([address, method, answer.status]).toEqual([address, method, 401])
              expect(answer.headers.get('cache-control')).toMatch(/^no-store(?:, no-transform)?$/)
              expect(answer.headers.get('www-authenticate')).not.toBeNull()
              expect(text + JSON.stringify([...answer.headers])).not.toMatch(TOLD)
            }
          }
          const own = await owner.fetch(`/l/${slug}${address}`)
          expect([address, own.status]).toEqual([address, 200])
          expect(own.headers.get('cache-control')).toMatch(/^private, no-store(?:, no-transform)?$/)
        }
        for (const accept of ACCEPTS) {
          const answer = await hers.fetch(`/l/${slug}`, { headers: { accept } })
          expect([accept, answer.status]).toEqual([accept, 401])
          expect(await answer.text()).not.toMatch(TOLD)
        }
        const asked = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: `openall://l/${slug}` } }
        for (const agent of [...keyed, ...apps]) {
          const { body } = await agent.api('POST', '/api/mcp', asked, { accept: 'application/json, text/event-stream' })
          expect(JSON.stringify(body)).toMatch(code)
          expect(JSON.stringify(body)).not.toMatch(TOLD)
        }
        expect(await (await owner.fetch(`/l/${slug}`)).text()).toMatch(TOLD)
        // And open again for everyone.
        await patch(slug, { access: 'link' })
        expect((await hers.fetch(`/l/${slug}`)).status).toBe(200)
      }
    })

    test('keeps what its tabs were meanwhile out of the feed that is open to all afterwards', async () => {
      const { slug } = await owner.makeBundle({ urls: [URL_A] })
      await patch(slug, { ...sent, ...SECRETS })
      await patch(slug, { urls: [URL_A, 'https://later.example/'], urlMetadata: [], title: null, access: 'link' })
      const feed = await (await stranger().fetch(`/l/${slug}/feed`)).text()
      expect(feed).toContain('https://later.example/')
      expect(feed).not.toMatch(/hidden\.example|Whispered|privy|Inner part/)
    })

    test('is seen by every member of the organisation that owns it, and by no former one', async () => {
      const [admin, editor, viewer, former] = await Promise.all(Array.from({ length: 4 }, () => newPerson(at())))
      const { id } = await newOrganization(admin!, [
        [editor!, 'editor'],
        [viewer!, 'viewer'],
        [former!, 'viewer'],
      ])
      await admin!.api('POST', '/api/auth/organization/set-active', { organizationId: id })
      const { slug } = await admin!.makeBundle({ ...SECRETS, ...sent })
      const everyone = [admin!, editor!, viewer!, former!, owner, stranger()]
      const statuses = () => Promise.all(everyone.map(async (person) => (await person.fetch(`/l/${slug}`)).status))
      expect(await statuses()).toEqual([200, 200, 200, 200, 401, 401])
      await admin!.api('POST', '/api/auth/organization/remove-member', {
        memberIdOrEmail: former!.email,
        organizationId: id,
      })
      expect(await statuses()).toEqual([200, 200, 200, 401, 401, 401])
      for (const address of ADDRESSES) {
        expect((await viewer!.fetch(`/l/${slug}${address}`)).status).toBe(200)
        expect((await former!.fetch(`/l/${slug}${address}`)).status).toBe(401)
      }
    })

    test('does not say when it opens or closes either; its members see that', async () => {
      for (const times of [{ opensAt: inHours(72) }, { closesAt: inHours(-72) }]) {
        const { slug } = await owner.makeBundle({ ...SECRETS, ...sent, ...times })
        const answer = await stranger().fetch(`/l/${slug}`)
        const html = await answer.text()
        expect([answer.status, TOLD.test(html), html.includes('<time')]).toEqual([401, false, false])
        const own = await (await owner.fetch(`/l/${slug}`)).text()
        expect(own).toMatch(/Opens in 3 days|Closed 3 days ago/)
      }
    })

    test('stays what it is through copy, versions, export and import, which hold no password', async () => {
      const { slug } = await owner.makeBundle({ ...SECRETS, ...sent })
      await patch(slug, { title: 'Other', access: 'link' })
      await owner.api('POST', `/api/links/${slug}/versions/1/restore`)
      expect((await read(slug)).access).toBe(access)
      expect((await stranger().fetch(`/l/${slug}`)).status).toBe(401)
      const copy = await owner.api<{ slug: string }>('POST', `/api/links/${slug}/duplicate`, {})
      expect((await read(copy.body.slug)).access).toBe(access)
      if (access === 'password') {
        for (const one of [slug, copy.body.slug]) expect((await open(stranger(), one)).status).toBe(200)
      }
      const versions = await (await owner.fetch(`/api/links/${slug}/versions`)).text()
      const file = await (await owner.fetch(`/dashboard/links/${slug}/export.json`)).text()
      const all = await (await owner.fetch('/api/me/export')).text()
      for (const text of [versions, file, all]) {
        expect(text).toMatch(new RegExp(`"access": ?"${access}"`))
        expect(text).not.toContain(PASSWORD)
        expect(text).not.toContain('password":')
      }
      const first = await owner.form('/dashboard/links/import', { text: file })
      const made = await owner.form('/dashboard/links/import', {
        ...Object.fromEntries(fieldsIn(await first.text())),
        text: file,
        do: 'make',
      })
      const imported = /\/dashboard\/links\/([a-z0-9]{10})"/.exec(await made.text())?.[1] ?? ''
      expect(imported).not.toBe(slug)
      expect((await read(imported)).access).toBe('members')
    })

    test('can be reported, and events are accepted as for any slug', async () => {
      const { slug } = await owner.makeBundle({ ...SECRETS, ...sent })
      const visitor = stranger()
      const form = await visitor.fetch(`/l/${slug}/report`)
      expect([form.status, TOLD.test(await form.text())]).toEqual([200, false])
      expect((await visitor.api('POST', `/api/links/${slug}/reports`, { reason: 'spam' })).status).toBe(204)
      const event = (of: string) => visitor.api('POST', `/api/links/${of}/events`, { kind: 'open_all' })
      const [known, unknown] = [await event(slug), await event('no-such-bundle')]
      const told = ({ status, body, headers }: typeof known) => [status, body, [...headers.keys()].sort()]
      expect(told(known)).toEqual(told(unknown))
    })

    test('shows its creator, and no one else, a result that is someone else’s now', async () => {
      const visitor = stranger()
      const made = await visitor.publish({ urls: URL_A })
      const result = made.headers.get('location') ?? ''
      const page = await (await visitor.fetch(result)).text()
      const [, token = ''] = /\/claim\/([\w-]{43})/.exec(page) ?? []
      const claimed = await owner.api<Told>('POST', '/api/claims', { token })
      expect(claimed.status).toBe(200)
      await patch(claimed.body.slug, { ...SECRETS, ...sent })
      expect(await (await visitor.fetch(result)).text()).not.toMatch(TOLD)
      expect(await (await owner.fetch(result)).text()).toContain('Very secret')
    })
  })

  describe('a password', () => {
    test('is needed when access becomes password, and is 8 to 128 characters that are hard to guess', async () => {
      const refused = async (answer: Promise<{ status: number; body: { code?: string; error?: string } }>) => {
        const { status, body } = await answer
        return [status, body.code, body.error?.split(' ')[0]]
      }
      const { slug } = await owner.makeBundle()
      const wrong = [400, 'BAD_REQUEST', 'password']
      expect(await refused(patch(slug, { access: 'password' }))).toEqual(wrong)
      expect(await refused(patch(slug, { password: PASSWORD }))).toEqual(wrong)
      for (const password of ['', 'short', 'x'.repeat(129), 'tab\tis no password', 'password1', 1, null]) {
        const { body, status } = await patch(slug, { access: 'password', password })
        expect([password, status, body.code]).toEqual([password, 400, 'BAD_REQUEST'])
        expect(body.error).toStartWith('password ')
        if (typeof password === 'string' && password.length > 4) expect(body.error).not.toContain(password)
      }
      expect(await refused(patch(slug, { access: 'everyone' }))).toEqual([400, 'BAD_REQUEST', 'access'])
      expect(await refused(owner.api('POST', '/api/links', { urls: [URL_A], access: 'password' }))).toEqual(wrong)
      const trial = await patch(slug, { access: 'password', dryRun: true })
      expect(trial.status).toBe(400)
      expect((await read(slug)).access).toBe('link')
      const long = '𝒶'.repeat(128)
      const answer = await patch(slug, { access: 'password', password: long })
      expect([answer.status, answer.body.access]).toEqual([200, 'password'])
      expect(JSON.stringify(answer.body)).not.toContain(long)
      expect((await open(stranger(), slug, long)).status).toBe(200)
      // Kept by an edit that does not send one, and needed anew after another access.
      await patch(slug, { title: 'Edited', access: 'password' })
      expect((await open(stranger(), slug, long)).status).toBe(200)
      await patch(slug, { access: 'link' })
      expect(await refused(patch(slug, { access: 'password' }))).toEqual(wrong)
    })

    test('gets the launcher itself, without a cookie or a kept copy; all of it works from the page', async () => {
      const { slug } = await owner.makeBundle({ ...SECRETS, access: 'password', password: PASSWORD })
      const visitor = stranger()
      const asked = await visitor.fetch(`/l/${slug}?vip=1`)
      const form = await asked.text()
      expect(form).toContain('autocomplete="current-password"')
      expect(form).toContain(`action="/l/${slug}?vip=1"`)
      expect(form).toContain('aren’t protected')
      const answer = await open(visitor, slug)
      const html = await answer.text()
      expect(answer.status).toBe(200)
      expect(answer.headers.get('cache-control')).toBe('no-store, no-transform')
      expect(answer.headers.getSetCookie()).toEqual([])
      expect(html).toMatch(/Very secret/)
      expect(html).toContain('aren’t protected')
      expect(html).not.toContain(PASSWORD)
      const [, file = ''] = /href="data:text\/html;charset=utf-8;base64,([\w+/=]+)"/.exec(html) ?? []
      expect(Buffer.from(file, 'base64').toString()).toContain('https://hidden.example/')
      expect(html).toContain('<svg')
      // The next request needs it again.
      expect((await visitor.fetch(`/l/${slug}`)).status).toBe(401)
      expect((await visitor.fetch(`/l/${slug}?password=${encodeURIComponent(PASSWORD)}`)).status).toBe(401)
      const leaked = await (await visitor.fetch(`/l/${slug}?password=${encodeURIComponent(PASSWORD)}&vip=1`)).text()
      expect(leaked).toContain(`action="/l/${slug}?vip=1"`)
      expect(leaked).not.toContain(PASSWORD)
      expect(at().output()).not.toContain(PASSWORD)
      const rows = await at().sql('SELECT hash FROM bundle_passwords')
      expect(JSON.stringify(rows)).not.toContain(PASSWORD)
    })

    test('is followed by the rules: those of the query, and of where the viewer came from', async () => {
      const rules = [
        ...RULES,
        {
          name: 'From',
          when: { op: 'equals', field: 'referrerDomain', value: 'news.example' },
          tabs: [{ url: URL_A }],
        },
      ]
      const resolutionPolicy = { version: 1, rules }
      const { slug } = await owner.makeBundle({ ...SECRETS, resolutionPolicy, access: 'password', password: PASSWORD })
      const visitor = stranger()
      const asked = await visitor.fetch(`/l/${slug}`, { headers: { referer: 'https://news.example/today?x=1' } })
      const fields = Object.fromEntries(fieldsIn(await asked.text()))
      expect(fields.referrer).toBe('https://news.example')
      const headers = { referer: `${at().origin}/l/${slug}` }
      const from = await visitor.form(`/l/${slug}`, { ...fields, password: PASSWORD }, headers)
      expect(await from.text()).toContain(`href="${URL_A}"`)
      const vip = await visitor.form(`/l/${slug}?vip=1`, { password: PASSWORD }, headers)
      expect(await vip.text()).toContain('https://ruled.example/')
    })

    test('that is wrong is said, counted, and after ten of a network waited for, right or not', async () => {
      const { slug } = await owner.makeBundle({ ...SECRETS, access: 'password', password: PASSWORD })
      const other = await owner.makeBundle({ access: 'password', password: PASSWORD })
      const inNetwork = (end: string) => stranger({ 'x-client': `2001:db8:7:1::${end}` })
      for (let tries = 0; tries < 10; tries += 1) {
        // The right one counts for nothing, whoever sends it; an empty one is no try.
        expect((await open(inNetwork('a'), other.slug)).status).toBe(200)
        expect((await open(inNetwork('a'), slug, '')).status).toBe(401)
        const answer = await open(inNetwork(String(tries)), tries % 2 === 0 ? slug : other.slug, `wrong ${tries}`)
        const html = await answer.text()
        expect([tries, answer.status]).toEqual([tries, 401])
        expect(html).toMatch(/aria-invalid="true"[^>]*aria-describedby="password-error"/)
        expect(html).toContain('This isn’t the password. Check it, or ask whoever sent you the link.')
        expect(html).not.toMatch(TOLD)
        expect(html).not.toContain(`wrong ${tries}`)
      }
      for (const password of [PASSWORD, 'wrong']) {
        const answer = await open(inNetwork('b'), slug, password)
        expect(answer.status).toBe(429)
        expect(Number(answer.headers.get('retry-after'))).toBeWithin(1, 920)
        expect(await answer.text()).not.toMatch(TOLD)
      }
      expect((await open(stranger({ 'x-client': '2001:db8:8:1::1' }), slug)).status).toBe(200)
    })

    test('is tried ten times at once, not more; and many with the right one all get in', async () => {
      const { slug } = await owner.makeBundle({ access: 'password', password: PASSWORD })
      const guesser = stranger()
      const guesses = await Promise.all(Array.from({ length: 18 }, (_, index) => open(guesser, slug, `wrong ${index}`)))
      expect(guesses.filter(({ status }) => status === 401)).toHaveLength(10)
      expect(guesses.filter(({ status }) => status === 429)).toHaveLength(8)
      const office = stranger()
      const entered = await Promise.all(Array.from({ length: 18 }, () => open(office, slug)))
      expect(entered.map(({ status }) => status)).toEqual(Array(18).fill(200))
    })

    test('is guessed at a thousand times a day from all networks together; its owner still gets in', async () => {
      const { slug } = await owner.makeBundle({ access: 'password', password: PASSWORD })
      let heard = 0
      for (let block = 0; block < 30 && heard < 1000; block += 1) {
        const statuses = await Promise.all(
          Array.from({ length: 40 }, async (_, index) => {
            const visitor = stranger({ 'x-client': `203.0.${block}.${index}` })
            return (await open(visitor, slug, 'x'.repeat(300))).status
          }),
        )
        heard += statuses.filter((status) => status === 401).length
      }
      expect(heard).toBe(1000)
      expect((await open(stranger(), slug)).status).toBe(429)
      expect((await owner.fetch(`/l/${slug}`)).status).toBe(200)
    })

    test('that was changed opens nothing from then on', async () => {
      const { slug } = await owner.makeBundle({ ...SECRETS, access: 'password', password: PASSWORD })
      expect((await open(stranger(), slug)).status).toBe(200)
      expect((await patch(slug, { password: 'five stairs up' })).status).toBe(200)
      expect((await open(stranger(), slug)).status).toBe(401)
      expect((await open(stranger(), slug, 'five stairs up')).status).toBe(200)
    })

    test('is not taken from another site, nor after the bundle has another access', async () => {
      const { slug } = await owner.makeBundle({ ...SECRETS, access: 'password', password: PASSWORD })
      const foreign: Record<string, string>[] = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]
      for (const headers of foreign) {
        const answer = await open(stranger(), slug, PASSWORD, headers)
        expect([answer.status, TOLD.test(await answer.text())]).toEqual([403, false])
      }
      for (const access of ['link', 'members']) {
        await patch(slug, { access })
        const answer = await stranger().form(`/l/${slug}?vip=1`, { password: PASSWORD })
        expect([answer.status, answer.headers.get('location')]).toEqual([303, `/l/${slug}?vip=1`])
      }
      expect((await stranger().form('/l/no-such-bundle', { password: PASSWORD })).status).toBe(405)
    })

    test('opens nothing before or after its times, but then says when', async () => {
      for (const [times, status] of [
        [{ opensAt: inHours(72) }, 403],
        [{ closesAt: inHours(-72) }, 410],
      ] as const) {
        const { slug } = await owner.makeBundle({ ...SECRETS, ...times, access: 'password', password: PASSWORD })
        const answer = await open(stranger(), slug)
        expect([answer.status, (await answer.text()).includes('Very secret')]).toEqual([status, false])
      }
    })

    test('can be given to a bundle without an account; members need one', async () => {
      const visitor = stranger()
      const { slug } = await visitor.makeBundle({
        ...SECRETS,
        closedNote: null,
        access: 'password',
        password: PASSWORD,
      })
      expect((await visitor.fetch(`/l/${slug}`)).status).toBe(401)
      expect(await (await open(visitor, slug)).text()).toContain('Made without an account')
      const refused = await visitor.api<Told>('POST', '/api/links', { urls: [URL_A], access: 'members' })
      expect([refused.status, refused.body.error.split(' ')[0]]).toEqual([400, 'access'])
    })
  })

  test('only unlocked views count, and clicks from those who may have seen the page', async () => {
    const secret = await owner.makeBundle({ access: 'password', password: PASSWORD })
    const inner = await owner.makeBundle({ access: 'members' })
    const visitor = stranger()
    const click = (who: Visitor, slug: string) =>
      who.api('POST', `/api/links/${slug}/events`, { kind: 'open_all' }, { 'user-agent': BROWSER })
    for (const { slug } of [secret, inner]) {
      await visitor.fetch(`/l/${slug}`)
      await visitor.fetch(`/l/${slug}`, { method: 'HEAD' })
      await open(visitor, slug, 'not the password')
    }
    await click(visitor, inner.slug)
    expect((await open(visitor, secret.slug)).status).toBe(200)
    expect((await click(visitor, secret.slug)).status).toBe(204)
    const browser = { 'user-agent': BROWSER }
    expect((await owner.fetch(`/l/${inner.slug}`, { headers: browser })).status).toBe(200)
    expect((await click(owner, inner.slug)).status).toBe(204)
    const totals = async (slug: string) => {
      const { body } = await owner.api<{ totals: object }>('GET', `/api/links/${slug}/insights`)
      return body.totals
    }
    const once = { views: 1, openAllClicks: 1 }
    // Views and clicks are written one after the other.
    const isCounted = (totals: object) => Object.keys(once).every((name) => Number(Reflect.get(totals, name)) > 0)
    for (const { slug } of [secret, inner]) {
      await eventually(async () => isCounted(await totals(slug)), 'the view and the click are counted')
      expect(await totals(slug)).toMatchObject(once)
    }
  })

  test('a proposal says nothing of who sees it, and holds no password', async () => {
    const { slug } = await owner.makeBundle({ ...SECRETS, access: 'members' })
    const propose = (fields: object) => owner.api<Told & { id: string }>('POST', `/api/links/${slug}/proposals`, fields)
    for (const fields of [{ access: 'link' }, { access: 'password', password: PASSWORD }, { password: PASSWORD }]) {
      const { status, body } = await propose({ title: 'Other', ...fields })
      expect([status, body.code, body.error.includes(PASSWORD)]).toEqual([400, 'BAD_REQUEST', false])
    }
    const { body } = await propose({ title: 'Other' })
    const accepted = await owner.api<Told>('POST', `/api/links/${slug}/proposals/${body.id}/accept`, {})
    expect([accepted.status, accepted.body.title, accepted.body.access]).toEqual([200, 'Other', 'members'])
  })

  test('the editor asks who may see it, keeps a password that is left empty, and never shows one', async () => {
    const { slug } = await owner.makeBundle(SECRETS)
    const path = `/dashboard/links/${slug}`
    const send = async (changes: Record<string, string>) => {
      const shown = fieldsIn(await (await owner.fetch(path)).text())
      const sent = shown.map(([name, value]): [string, string] => [name, changes[name] ?? value])
      return owner.fetch(path, { method: 'POST', ...multipart([...sent, ['do', 'save']]) })
    }
    const refused = await send({ access: 'password' })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('Choose a password.')
    expect((await send({ access: 'password', password: PASSWORD })).status).toBe(303)
    expect((await open(stranger(), slug)).status).toBe(200)
    expect(await (await owner.fetch(path)).text()).not.toContain(PASSWORD)
    expect((await send({ title: 'Renamed' })).status).toBe(303)
    expect((await open(stranger(), slug)).status).toBe(200)
    expect((await send({ password: 'five stairs up' })).status).toBe(303)
    expect((await open(stranger(), slug, 'five stairs up')).status).toBe(200)
    expect((await send({ access: 'members' })).status).toBe(303)
    expect((await read(slug)).access).toBe('members')
    const versions = await (await owner.fetch(`${path}/versions`)).text()
    expect(versions).toContain('Who can see it changed')
  })

  /** Keys of each scope, and an app’s token: read by the API, never by a launcher. */
  async function viewersOf(person: Person) {
    const bearer = (rawKey: string) => stranger({ authorization: `Bearer ${rawKey}` })
    const keyed: Visitor[] = []
    for (const scope of ['links:read', 'links:write', 'keys:admin']) {
      const { body } = await person.api<{ rawKey: string }>('POST', '/api/me/keys', { name: scope, scopes: [scope] })
      keyed.push(bearer(body.rawKey))
    }
    return { keyed, apps: [bearer((await signInApp(at(), person)).accessToken)] }
  }
})
