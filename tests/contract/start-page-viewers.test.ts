import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { becomes } from '../eventually.ts'
import { runOperator } from '../operator.ts'
import { actFor, newOrganization, newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// Who sees which bundle on a start page, in every form of it; and that nobody learns more by asking.

const BLOCKED_HOSTS = join(mkdtempSync(join(tmpdir(), 'openall-hosts-')), 'blocked-hosts.txt')
writeFileSync(BLOCKED_HOSTS, '')

/** Every form, and what an answer of it says of bundles. */
const FORMS: readonly ((handle: string) => string)[] = [
  (handle) => `/o/${handle}`,
  (handle) => `/o/${handle}.json`,
  (handle) => `/o/${handle}.md`,
  (handle) => `/o/${handle}/feed`,
  (handle) => `/api/organizations/${handle}/links`,
]
const MEMBERS = ['after', 'before', 'members', 'open', 'password']
const OTHERS = ['open']
const REFUSED: string[] = []

onEveryTarget({ SERVICE_BLOCKED_HOSTS_FILE: BLOCKED_HOSTS, SERVICE_CLIENT_IP_HEADER: 'x-client' }, (at) => {
  let admin: Person
  let outsider: Person
  let id: string
  const handle = `viewers-${process.pid}`
  const slugs = new Map<string, string>()
  const viewers: [name: string, visitor: Visitor, sees: string[]][] = []
  /** An admin who acts for an organisation of their own, with a start page. */
  const ownerOf = async (handle: string) => {
    const owner = await newPerson(at())
    const { id } = await newOrganization(owner)
    await actFor(owner, id)
    await owner.api('PATCH', `/api/organizations/${id}`, { handle })
    return owner
  }
  let strangers = 0
  /** Somebody without an account, from an address of their own: each may read so often a minute. */
  const newStranger = () => {
    strangers += 1
    return new Visitor(at(), { 'x-client': `198.51.100.${strangers}` })
  }
  const hour = (by: number) => new Date(Date.now() + by * 3_600_000).toISOString()
  const make = async (kind: string, fields: object = {}, by: Visitor = admin) => {
    slugs.set(kind, (await by.makeBundle({ title: `It is ${kind}.`, listed: true, ...fields })).slug)
  }

  beforeAll(async () => {
    const [viewer, editor, former] = [await newPerson(at()), await newPerson(at()), await newPerson(at())]
    ;[admin, outsider] = [await newPerson(at()), await newPerson(at())]
    ;({ id } = await newOrganization(admin, [
      [viewer, 'viewer'],
      [editor, 'editor'],
      [former, 'admin'],
    ]))
    const { id: elsewhere } = await newOrganization(outsider, [[viewer, 'admin']])
    await actFor(admin, null)
    await make('personal')
    await actFor(admin, id)
    await admin.api('PATCH', `/api/organizations/${id}`, { handle })
    await make('open')
    await make('members', { access: 'members' })
    await make('password', { access: 'password', password: 'a good passphrase' })
    await make('before', { opensAt: hour(1) })
    await make('after', { closesAt: hour(1) })
    await at().sql("UPDATE bundles SET closes_at = '2026-01-01T00:00:00.000Z' WHERE slug = ? RETURNING 1", [
      slugs.get('after') ?? '',
    ])
    await make('unlisted', { listed: false })
    await make('deleted')
    await admin.api('DELETE', `/api/links/${slugs.get('deleted')}`)
    await make('blocked')
    await runOperator(at(), ['block', slugs.get('blocked') ?? '', 'phishing'])
    await make('host', { urls: ['https://host.blocked.example/'] })
    await runOperator(at(), ['block-host', 'blocked.example'], { env: { SERVICE_BLOCKED_HOSTS_FILE: BLOCKED_HOSTS } })
    await actFor(outsider, elsewhere)
    await make('elsewhere', {}, outsider)
    const readsNothing = await admin.program({ scopes: ['webhooks:write'] })
    const [key, theirs] = [await admin.program({ scopes: ['links:read'] }), await outsider.program()]
    const own = await viewer.program({ scopes: ['links:read'] })
    await actFor(viewer, elsewhere)
    await actFor(former, id)
    const stale = await former.program({ scopes: ['links:read'] })
    await former.form(`/dashboard/organizations/${id}/leave`, {})
    viewers.push(
      ['a stranger', newStranger(), OTHERS],
      ['a viewer who acts for another organisation', viewer, MEMBERS],
      ['an editor', editor, MEMBERS],
      ['an admin', admin, MEMBERS],
      ['a member who has left', former, OTHERS],
      ['a key of the organisation', key, MEMBERS],
      ['a key of the organisation that may not read bundles', readsNothing, OTHERS],
      ['a member’s own key', own, OTHERS],
      ['another organisation', outsider, OTHERS],
      ['a key of another organisation', theirs, OTHERS],
      ['a key whose member has left', stale, REFUSED],
    )
    await becomes(async () => (await read(FORMS[1]!(handle), admin)).includes('It is host.'), false)
  })
  const read = async (path: string, by: Visitor) => (await by.fetch(path)).text()
  /** The kinds of bundles that an answer tells of, by their titles or their links. */
  const told = (text: string) =>
    [...slugs]
      .filter(([kind, slug]) => text.includes(`It is ${kind}.`) || text.includes(slug))
      .map(([kind]) => kind)
      .toSorted()

  test('each viewer sees theirs in every form, whoever has read the page before them', async () => {
    const stranger = newStranger()
    for (const [name, visitor, sees] of viewers)
      for (const form of FORMS) {
        const path = form(handle)
        const answer = await visitor.fetch(path)
        const seen = [answer.status, told(await answer.text())]
        expect([name, path, ...seen]).toEqual([name, path, sees === REFUSED ? 401 : 200, sees])
        expect([name, path, told(await read(path, stranger))]).toEqual([name, path, OTHERS])
      }
  })

  test('a search and a tag find nothing else', async () => {
    for (const [name, visitor, sees] of viewers.slice(0, 5))
      for (const form of FORMS) {
        const path = `${form(handle)}?q=it+is`
        expect([name, path, told(await read(path, visitor))]).toEqual([name, path, sees])
      }
  })

  test('a stranger’s search reads nothing that they can’t see: links that a rule replaces, and the note for after closing', async () => {
    const searched = `searched-${process.pid}`
    const owner = await ownerOf(searched)
    const forStrangers = {
      name: 'everybody',
      when: { op: 'not', of: { op: 'signedIn' } },
      tabs: [{ url: 'https://lobby.example/' }],
    }
    const resolutionPolicy = { version: 1, rules: [forStrangers] }
    const urls = ['https://secret.example/?token=k3y', 'https://two.example/']
    const ruled = { title: 'Ärger', urls, urlMetadata: [{ note: 'a hidden note' }, {}], resolutionPolicy, listed: true }
    const { slug } = await owner.makeBundle(ruled)
    const closing = {
      title: 'Party',
      description: 'Bring cake',
      closedNote: 'The winner is Ada.',
      closesAt: hour(1),
      listed: true,
    }
    const { slug: party } = await owner.makeBundle(closing)
    const found = async (by: Visitor, form: (handle: string) => string, q: string) => {
      const text = await read(`${form(searched)}?${new URLSearchParams({ q })}`, by)
      return [slug, party].filter((one) => text.includes(one)).length
    }
    for (const form of FORMS) {
      const counts = async (by: Visitor, ...texts: string[]) => Promise.all(texts.map((q) => found(by, form, q)))
      expect(await counts(newStranger(), 'token=k', 'hidden note', 'winner is')).toEqual([0, 0, 0])
      expect(await counts(owner, 'token=k', 'hidden note', 'winner is')).toEqual([1, 1, 1])
      expect(await counts(newStranger(), 'Ärger', 'ärger', 'PARTY', 'bring CAKE', slug)).toEqual([1, 1, 1, 1, 1])
    }
  })

  test('of a bundle with rules, strangers see no tiles and no tags, and find it by none: its links may be for others', async () => {
    const ruled = `ruled-${process.pid}`
    const owner = await ownerOf(ruled)
    const rule = { name: 'all', when: { op: 'not', of: { op: 'signedIn' } }, tabs: [{ url: 'https://lobby.example/' }] }
    const { slug } = await owner.makeBundle({
      listed: true,
      urlMetadata: [{ tags: ['hush'] }, {}],
      resolutionPolicy: { version: 1, rules: [rule] },
    })
    for (const form of FORMS) {
      const path = form(ruled)
      const [theirs, ours] = [await read(path, newStranger()), await read(path, owner)]
      const hasTiles = (page: string) => /<span class="tiles"[^>]*><(?!span class="tile more")/.test(page)
      expect([path, theirs.includes(slug), theirs.includes('hush')]).toEqual([path, true, false])
      expect([path, ours.includes(slug), ours.includes('hush')]).toEqual([path, true, !path.endsWith('.md')])
      expect([path, hasTiles(theirs), hasTiles(ours)]).toEqual([path, false, path === FORMS[0]!(ruled)])
      const [byTag, oursByTag] = [await read(`${path}?tag=hush`, newStranger()), await read(`${path}?tag=hush`, owner)]
      expect([path, byTag.includes(slug), oursByTag.includes(slug)]).toEqual([path, false, true])
    }
  })

  test('a stranger’s search finds no bundle by an alias: only who was given it knows it', async () => {
    const searched = `aliases-${process.pid}`
    const owner = await ownerOf(searched)
    const { slug: former } = await owner.makeBundle({
      slug: `merger-${process.pid}`,
      title: 'Project',
      urlMetadata: [{ note: 'First step' }, {}],
      listed: true,
    })
    const slug = `renamed-${process.pid}`
    await owner.api('PATCH', `/api/links/${former}`, { aliases: [`acme-${process.pid}`] })
    await owner.api('POST', `/api/links/${former}/rename`, { slug })
    for (const form of FORMS) {
      const finds = async (by: Visitor, q: string) => (await read(`${form(searched)}?q=${q}`, by)).includes(slug)
      for (const q of ['merger', 'acme-'])
        expect([form(''), q, await finds(newStranger(), q), await finds(owner, q)]).toEqual([form(''), q, false, true])
      for (const q of ['renamed', 'project', 'first+step', 'a.example'])
        expect([form(''), q, await finds(newStranger(), q)]).toEqual([form(''), q, true])
    }
  })

  test('a cursor tells nobody how often a bundle is opened, and is of no use on another page', async () => {
    const [counted, other] = [`counted-${process.pid}`, `other-${process.pid}`]
    const [owner, theirs] = [await ownerOf(counted), await ownerOf(other)]
    for (let made = 0; made < 25; made += 1) await owner.makeBundle({ listed: true })
    const { slug: first } = await owner.makeBundle({ listed: true })
    for (let made = 0; made < 2; made += 1) await theirs.makeBundle({ listed: true })
    const stranger = newStranger()
    const list = async (handle: string, query: string) =>
      await stranger.api<{ bundles: { slug: string }[]; nextCursor: string }>(
        'GET',
        `/api/organizations/${handle}/links?${query}`,
      )
    const { nextCursor } = (await list(counted, '')).body
    expect(() => JSON.parse(Buffer.from(nextCursor, 'base64url').toString())).toThrow()
    // Nor by its length.
    await at().sql(
      'INSERT INTO daily_counters (bundle_id, day, open_all_clicks) SELECT id, ?, 12345 FROM bundles WHERE slug = ? RETURNING 1',
      [new Date().toISOString().slice(0, 10), first],
    )
    const ofMany = (await list(counted, 'limit=1')).body
    expect([ofMany.bundles[0]?.slug, ofMany.nextCursor.length]).toEqual([first, nextCursor.length])
    expect((await list(counted, `cursor=${nextCursor}`)).body.bundles).toHaveLength(1)
    const forged = Buffer.from(JSON.stringify([Number.MAX_SAFE_INTEGER, 1, 1])).toString('base64url')
    const elsewhere = (await list(other, 'limit=1')).body.nextCursor
    for (const cursor of [forged, elsewhere, nextCursor.slice(1), nextCursor.slice(0, 8)])
      expect([cursor, (await list(counted, `cursor=${cursor}`)).status]).toEqual([cursor, 400])
    for (const form of ['.json', '.md']) {
      const read = (headers: Record<string, string> = {}) => stranger.fetch(`/o/${counted}${form}`, { headers })
      const etag = (await read()).headers.get('etag') ?? ''
      expect([form, (await read({ 'if-none-match': etag })).status]).toEqual([form, 304])
    }
  })

  test('an ETag is of what its reader saw: a member’s is no one else’s, and an edit that shows nothing keeps it', async () => {
    const [stranger, member] = [newStranger(), admin]
    const [page, ...forms] = FORMS.slice(0, 4)
    expect((await stranger.fetch(page!(handle))).headers.get('etag')).toBeNull()
    for (const form of forms) {
      const path = form(handle)
      const [theirs, ours] = [(await member.fetch(path)).headers, (await stranger.fetch(path)).headers]
      expect([path, ours.get('cache-control'), theirs.get('cache-control')]).toEqual([
        path,
        'private, no-store',
        'private, no-store',
      ])
      const again = (headers: Headers, by: Visitor) =>
        by.fetch(path, { headers: { 'if-none-match': headers.get('etag') ?? '' } }).then(({ status }) => status)
      expect([await again(theirs, stranger), await again(ours, stranger), await again(theirs, member)]).toEqual([
        200, 304, 304,
      ])
      await admin.api('PATCH', `/api/links/${slugs.get('members')}`, { description: path })
      await admin.api('PATCH', `/api/links/${slugs.get('open')}`, { closedNote: path })
      expect([path, await again(ours, stranger)]).toEqual([path, 304])
    }
  })

  describe('a handle that shows a visitor nothing', () => {
    test('answers as one that nobody has, in every form', async () => {
      const owner = await newPerson(at())
      const closed = await newOrganization(owner)
      await actFor(owner, closed.id)
      const [first, second, unknown] = [`first-${process.pid}`, `second-${process.pid}`, `nobody-${process.pid}`]
      for (const next of [first, second]) await owner.api('PATCH', `/api/organizations/${closed.id}`, { handle: next })
      const empty = await newOrganization(outsider)
      const emptyHandle = `empty-${process.pid}`
      await outsider.api('PATCH', `/api/organizations/${empty.id}`, { handle: emptyHandle })
      await make('theirs', { access: 'members' }, owner)
      for (const form of FORMS) {
        const answered = async (asked: string, by: Visitor = newStranger()) => {
          const answer = await by.fetch(form(asked))
          const headers = Object.fromEntries(answer.headers)
          for (const own of ['date', 'x-request-id', 'content-length']) delete headers[own]
          const id = answer.headers.get('x-request-id') ?? ''
          return {
            status: answer.status,
            headers,
            body: (await answer.text()).replaceAll(id, '').replaceAll(asked, ''),
          }
        }
        for (const by of [newStranger(), await newPerson(at())]) {
          const nobody = await answered(unknown, by)
          expect(nobody.status).toBe(404)
          // A former handle leads nowhere either, to the page of which they would see nothing.
          for (const asked of [emptyHandle, second, first, closed.id]) expect(await answered(asked, by)).toEqual(nobody)
        }
      }
      expect((await owner.fetch(`/o/${first}`)).headers.get('location')).toBe(`/o/${second}`)
    })

    test('is what a kept page becomes when its bundle closes', async () => {
      const closing = `closing-${process.pid}`
      const owner = await ownerOf(closing)
      const closesAt = Date.now() + 4000
      await owner.makeBundle({ listed: true, closesAt: new Date(closesAt).toISOString() })
      const status = async () => (await newStranger().fetch(`/o/${closing}`)).status
      expect([await status(), await status()]).toEqual([200, 200])
      await Bun.sleep(closesAt - Date.now() + 100)
      expect(await status()).toBe(404)
    })

    test('is what a bundle that leaves was there for: at once, and in every form', async () => {
      const shown = `leaving-${process.pid}`
      const owner = await ownerOf(shown)
      const { slug } = await owner.makeBundle({ listed: true })
      const stranger = newStranger()
      const statuses = async () => {
        const found = new Set<number>()
        for (const form of FORMS) found.add((await stranger.fetch(form(shown))).status)
        return [...found]
      }
      const edit = (fields: object) => owner.api('PATCH', `/api/links/${slug}`, fields)
      for (const [leaves, returns] of [
        [{ access: 'members' }, { access: 'link' }],
        [{ listed: false }, { listed: true }],
        [{ opensAt: hour(1) }, { opensAt: null }],
        [
          { access: 'password', password: 'a good passphrase' },
          { access: 'link', password: null },
        ],
      ]) {
        expect(await statuses()).toEqual([200])
        await edit(leaves!)
        expect([leaves, await statuses()]).toEqual([leaves, [404]])
        await edit(returns!)
      }
      await owner.api('DELETE', `/api/links/${slug}`)
      expect(await statuses()).toEqual([404])
    })
  })
})
