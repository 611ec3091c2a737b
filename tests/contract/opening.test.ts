import { beforeAll, describe, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { fieldsIn, multipart } from '../form.ts'
import { type BundleBody, newOrganization, newPerson, type Person, URL_A, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { escapedText } from './html.ts'

interface Told extends BundleBody {
  opensAt: string | null
  closesAt: string | null
  closedNote: string | null
  error: string
  code: string
}

const SECRETS = { title: 'Very secret', description: 'Hidden words', urls: ['https://hidden.example/'] }
const TOLD = /Very secret|Hidden words|hidden\.example|ruled\.example|og:title/
const BROWSER = 'Mozilla/5.0 Firefox/153.0'
const HOUR_MS = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString()

const PHASES = [
  {
    phase: 'before',
    times: { opensAt: inHours(72), closedNote: 'Not yet for you' },
    status: 403,
    code: 'NOT_OPEN_YET',
  },
  {
    phase: 'after',
    times: { closesAt: inHours(-72), closedNote: 'See you <b>next year</b>' },
    status: 410,
    code: 'CLOSED',
  },
]

/** Every address of a launcher, and how it answers while the bundle is not open. */
const ADDRESSES = ['', '?x=1', '/qr.svg', '/picture.png', '/picture.png?v=1', '/bookmarks.html', '/remind']

onEveryTarget({ SERVICE_CLIENT_IP_HEADER: 'x-client' }, (at) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(at())
  })
  const read = async (slug: string) => (await owner.api<Told>('GET', `/api/links/${slug}`)).body
  const timesOf = ({ opensAt, closesAt, closedNote }: Told) => ({ opensAt, closesAt, closedNote })
  const patch = (slug: string, fields: object) => owner.api<Told>('PATCH', `/api/links/${slug}`, fields)

  test('times and note survive create, edit, copy and restore, in UTC', async () => {
    const sent = { opensAt: '2027-03-28T01:59:59.5+01:00', closesAt: '2028-02-29T23:30:00-05:00', closedNote: 'Bye' }
    const kept = { opensAt: '2027-03-28T00:59:59.500Z', closesAt: '2028-03-01T04:30:00.000Z', closedNote: 'Bye' }
    const { slug } = await owner.makeBundle(sent)
    expect(timesOf(await read(slug))).toEqual(kept)
    const edited = await patch(slug, { opensAt: null, closedNote: ' ' })
    expect(timesOf(edited.body)).toEqual({ ...kept, opensAt: null, closedNote: null })
    const copy = await owner.api<Told>('POST', `/api/links/${slug}/duplicate`, {})
    expect(timesOf(await read(copy.body.slug))).toEqual({ ...kept, opensAt: null, closedNote: null })
    await owner.api('POST', `/api/links/${slug}/versions/1/restore`)
    expect(timesOf(await read(slug))).toEqual(kept)
    const { bundles } = (await owner.api<{ bundles: Told[] }>('GET', '/api/me/links?q=bye')).body
    expect(bundles.map(timesOf)).toEqual([kept])
  })

  test('only instants are accepted, and a bundle closes after it opens', async () => {
    const { slug } = await owner.makeBundle({ opensAt: '2027-01-01T00:00:00Z' })
    const refused = async (fields: object) => {
      const { status, body } = await patch(slug, fields)
      return [status, body.code, body.error.split(' ')[0]]
    }
    const texts = ['', 'tomorrow', '2027-01-01', '2027-01-01T00:00', '2027-02-29T00:00:00Z', '2027-01-01T24:00:00Z']
    for (const opensAt of [...texts, '0001-01-01T00:00:00Z', '9999-12-31T23:59:00-23:00', 1, {}]) {
      expect(await refused({ opensAt })).toEqual([400, 'BAD_REQUEST', 'opensAt'])
    }
    expect(await refused({ closesAt: '2027-01-01T00:00:00Z' })).toEqual([400, 'BAD_REQUEST', 'closesAt'])
    expect(await refused({ closesAt: '2027-01-01T00:30:00+01:00' })).toEqual([400, 'BAD_REQUEST', 'closesAt'])
    expect(await refused({ closedNote: 'x'.repeat(501) })).toEqual([400, 'BAD_REQUEST', 'closedNote'])
    expect((await patch(slug, { closesAt: '2027-01-01T00:00:00.001Z' })).status).toBe(200)
  })

  describe.each(PHASES)('$phase its times', ({ phase, times, status, code }) => {
    const rules = [{ name: 'R', when: { op: 'signedIn' }, tabs: [{ url: 'https://ruled.example/' }] }]
    const policies = [{}, { resolutionPolicy: { version: 1, rules } }]

    test.each(ADDRESSES)('a bundle is told of to its owner alone: /l/<slug>%s', async (address) => {
      const stranger = await newPerson(at())
      for (const policy of policies) {
        // Cached while it was open, which nobody may notice afterwards.
        const { slug } = await owner.makeBundle({ ...SECRETS, ...policy })
        const visitor = new Visitor(at())
        expect((await visitor.fetch(`/l/${slug}${address}`)).status).toBe(200)
        await patch(slug, times)
        for (const viewer of [visitor, stranger]) {
          for (const method of ['GET', 'HEAD']) {
            const answer = await viewer.fetch(`/l/${slug}${address}`, { method })
            const text = await answer.text()
            expect([method, answer.status]).toEqual([method, status])
            expect(answer.headers.get('cache-control')).toMatch(/^no-store(?:, no-transform)?$/)
            expect(text).not.toMatch(TOLD)
            if (method === 'HEAD') expect(text).toBe('')
          }
        }
        const own = await owner.fetch(`/l/${slug}${address}`)
        expect(own.status).toBe(200)
        expect(own.headers.get('cache-control')).toMatch(/no-store/)
      }
    })

    test('its page says so, to people and to programs', async () => {
      const { slug } = await owner.makeBundle({ ...SECRETS, ...times })
      const html = await (await new Visitor(at()).fetch(`/l/${slug}`)).text()
      if (phase === 'before') {
        expect(html).toContain(`<time datetime="${times.opensAt}"`)
        expect(html).not.toContain('Not yet for you')
      } else expect(html).toMatch(escapedText('See you <b>next year'))
      const own = await (await owner.fetch(`/l/${slug}`)).text()
      expect(own).toContain('Very secret')
      expect(own).toContain(phase === 'before' ? 'Opens in 3 days' : 'Closed 3 days ago')
      const picture = await new Visitor(at()).fetch(`/l/${slug}/qr.svg`)
      expect(await picture.text()).toContain(phase === 'before' ? 'Not open yet' : 'Closed')
      expect(code).toBe(phase === 'before' ? 'NOT_OPEN_YET' : 'CLOSED')
    })

    test('every member of the organisation that owns it sees it, nobody else does', async () => {
      const [admin, member, former] = [await newPerson(at()), await newPerson(at()), await newPerson(at())]
      const { id } = await newOrganization(admin, [
        [member, 'viewer'],
        [former, 'viewer'],
      ])
      await admin.api('POST', '/api/auth/organization/set-active', { organizationId: id })
      const { slug } = await admin.makeBundle({ ...SECRETS, ...times })
      await admin.api('POST', '/api/auth/organization/remove-member', {
        memberIdOrEmail: former.email,
        organizationId: id,
      })
      const statuses = await Promise.all(
        [admin, member, former, owner].map(async (viewer) => (await viewer.fetch(`/l/${slug}`)).status),
      )
      expect(statuses).toEqual([200, 200, status, status])
    })

    test('events are accepted like for any slug; they and views count nothing', async () => {
      const { slug } = await owner.makeBundle({ ...SECRETS, ...times })
      const visitor = new Visitor(at(), { 'user-agent': BROWSER })
      const act = async (viewer: Visitor) => {
        await (await viewer.fetch(`/l/${slug}`)).text()
        const browser = { 'user-agent': BROWSER }
        return (await viewer.api('POST', `/api/links/${slug}/events`, { kind: 'open_all' }, browser)).status
      }
      expect([await act(visitor), await act(owner)]).toEqual([204, 204])
      await patch(slug, { opensAt: null, closesAt: null })
      expect(await act(visitor)).toBe(204)
      const totals = async () =>
        (await owner.api<{ totals: { views: number; openAllClicks: number } }>('GET', `/api/links/${slug}/insights`))
          .body.totals
      await becomes(
        async () => {
          const { views, openAllClicks } = await totals()
          return { views, openAllClicks }
        },
        { views: 1, openAllClicks: 1 },
      )
    })
  })

  test('a report stays possible, and tells nothing of the bundle', async () => {
    const { slug } = await owner.makeBundle({ ...SECRETS, closesAt: inHours(-1) })
    const visitor = new Visitor(at(), { 'x-client': '192.0.2.77' })
    const form = await visitor.fetch(`/l/${slug}/report`)
    expect(form.status).toBe(200)
    expect(await form.text()).not.toMatch(TOLD)
    expect((await visitor.api('POST', `/api/links/${slug}/reports`, { reason: 'spam' })).status).toBe(204)
  })

  test('it opens and closes at the very instant, from the cache too', async () => {
    const seen = new Set<number>()
    // On a busy machine a view may come too late for one of them: then once more, with longer ones.
    for (let lastsMs = 1500; seen.size < 3 && lastsMs <= 12_000; lastsMs *= 2) {
      seen.clear()
      const opens = Date.now() + lastsMs
      const closes = opens + lastsMs
      const at3 = (time: number) => new Date(time).toISOString()
      const { slug } = await owner.makeBundle({ opensAt: at3(opens), closesAt: at3(closes) })
      const visitor = new Visitor(at())
      for (let answered = 0; answered < closes + 200; ) {
        const asked = Date.now()
        const { status } = await visitor.fetch(`/l/${slug}`)
        answered = Date.now()
        const possible = new Set<number>([asked, answered].map((now) => (now < opens ? 403 : now < closes ? 200 : 410)))
        expect([...possible]).toContain(status)
        seen.add(status)
      }
    }
    expect([...seen]).toEqual([403, 200, 410])
  })

  test('its owner is told how far away it is in the largest unit that fits twice', async () => {
    for (const [days, away] of [
      [61, 'in 2 months'],
      [60, 'in 60 days'],
      [-3653, '10 years ago'],
    ] as const) {
      const { slug } = await owner.makeBundle({ [days > 0 ? 'opensAt' : 'closesAt']: inHours(24 * days) })
      expect(await (await owner.fetch(`/l/${slug}`)).text()).toContain(`${days > 0 ? 'Opens' : 'Closed'} ${away}`)
    }
  })

  test('the editor takes times in UTC without its script, instants with it, and names what is wrong', async () => {
    const { slug } = await owner.makeBundle({ opensAt: '2027-01-01T09:00:00.000Z' })
    const path = `/dashboard/links/${slug}`
    const html = await (await owner.fetch(path)).text()
    const fields = fieldsIn(html)
    expect(new Map(fields).get('opensAt')).toBe('2027-01-01T09:00')
    const send = async (changes: Record<string, string>) => {
      const shown = fieldsIn(await (await owner.fetch(path)).text())
      const sent = shown.map(([name, value]): [string, string] => [name, changes[name] ?? value])
      return owner.fetch(path, { method: 'POST', ...multipart([...sent, ['do', 'save']]) })
    }
    expect((await send({ closesAt: '2027-01-02T10:30', closedNote: 'Over' })).status).toBe(303)
    const kept = { opensAt: '2027-01-01T09:00:00.000Z', closesAt: '2027-01-02T10:30:00.000Z', closedNote: 'Over' }
    expect(timesOf(await read(slug))).toEqual(kept)
    expect((await send({ opensAt: '2027-01-01T23:00:00.000Z' })).status).toBe(303)
    expect((await read(slug)).opensAt).toBe('2027-01-01T23:00:00.000Z')
    const refused = await send({ opensAt: '2027-01-03T00:00' })
    expect(refused.status).toBe(400)
    const page = await refused.text()
    expect(page).toContain('This must be after the opening time.')
    expect(page).toContain('value="2027-01-03T00:00"')
    expect((await send({ opensAt: '', closesAt: '', closedNote: '' })).status).toBe(303)
    expect(timesOf(await read(slug))).toEqual({ opensAt: null, closesAt: null, closedNote: null })
  })

  test('an export keeps them, and an import brings them back', async () => {
    const times = { opensAt: '2027-01-01T09:00:00.000Z', closesAt: null, closedNote: 'Later' }
    const { slug } = await owner.makeBundle({ urls: [URL_A], ...times })
    const text = await (await owner.fetch(`/dashboard/links/${slug}/export.json`)).text()
    const first = await owner.form('/dashboard/links/import', { text })
    const made = await owner.form('/dashboard/links/import', {
      ...Object.fromEntries(fieldsIn(await first.text())),
      text,
      do: 'make',
    })
    const copied = /\/dashboard\/links\/([a-z0-9]{10})"/.exec(await made.text())?.[1] ?? ''
    expect(copied).not.toBe(slug)
    expect(timesOf(await read(copied))).toEqual(times)
  })
})
