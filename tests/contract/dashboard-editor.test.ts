import { beforeAll, describe, expect, test } from 'bun:test'
import { fieldsIn, fieldsOf, multipart } from '../form.ts'
import { actFor, newOrganization, newPerson, type Person, URL_A, URL_B } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { countBundles } from './support.ts'

interface Saved {
  versionNumber: number
  title: string | null
  urls: string[]
  urlMetadata: { note?: string; tags?: string[] }[]
}

const FORM = 'application/x-www-form-urlencoded'

/** Sends a form whose fields may occur several times. */
async function send(person: Person, path: string, fields: [string, string][], headers: Record<string, string> = {}) {
  const answer = await person.fetch(path, {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': FORM, ...headers },
  })
  return { status: answer.status, headers: answer.headers, html: await answer.text() }
}

const link = (url: string, note = ''): [string, string][] => [
  ['url', url],
  ['note', note],
  ['tags', ''],
  ['openPolicy', 'auto'],
]

onEveryTarget({ SERVICE_PLAN_FREE_MAX_BUNDLES: '40' }, (server) => {
  let admin: Person
  let editor: Person
  let viewer: Person
  let stranger: Person
  let organizationId: string
  /** The slug of the bundle that is copied. */
  let original: string
  beforeAll(async () => {
    ;[admin, editor, viewer, stranger] = [
      await newPerson(server()),
      await newPerson(server()),
      await newPerson(server()),
      await newPerson(server()),
    ]
    organizationId = (
      await newOrganization(admin, [
        [editor, 'editor'],
        [viewer, 'viewer'],
      ])
    ).id
    await actFor(admin, organizationId)
    original = (await admin.makeBundle({ urls: [URL_A] })).slug
  })

  const saved = async (slug: string) => (await admin.api<Saved>('GET', `/api/links/${slug}`)).body

  /** Sends the editor of a copy. */
  const sendCopy = (fields: [string, string][]) => send(admin, '/dashboard/links/new', [['from', original], ...fields])

  describe('the form of a bundle', () => {
    test('makes one bundle per key, however often it is sent', async () => {
      const fields: [string, string][] = [['idempotencyKey', 'one-form'], ['title', 'Once'], ...link('a.example')]
      const first = await sendCopy(fields)
      expect(first.status).toBe(303)
      const to = first.headers.get('location') ?? ''
      expect(to).toMatch(/^\/dashboard\/links\/[a-z0-9]{10}\?notice=created$/)
      expect((await sendCopy(fields)).headers.get('location')).toBe(to)
      expect(await saved(to.split(/[/?]/)[3] ?? '')).toMatchObject({ title: 'Once', urls: ['https://a.example'] })
      const other = await sendCopy([...fields, ...link('https://b.example/')])
      expect(other.status).toBe(409)
      expect(other.html).toContain('This form already created a bundle')
      expect(other.html).not.toContain('value="one-form"')
    })

    test.each([
      ['a URL that is none', link('ftp://a.example/'), 400, 'This doesn’t look like a web address.'],
      ['no link', [['title', 'Empty']], 400, 'Add at least one link.'],
      [
        'a slug that cannot be',
        [['slug', 'No'], ...link(URL_A)],
        400,
        'Not allowed: it must be letters from a to z and digits',
      ],
      ['a slug that is taken', [['slug', 'import'], ...link(URL_A)], 409, 'Taken. Choose another.'],
      ['a note that is too long', link(URL_A, 'n'.repeat(501)), 400, 'This must be at most 500 characters.'],
    ] as [string, [string, string][], number, string][])(
      'refuses %s, and comes back',
      async (_, fields, status, says) => {
        const answer = await sendCopy([['title', 'Kept & <kept>'], ...fields])
        expect(answer.status).toBe(status)
        expect(answer.html).toContain(says)
        expect(answer.html).toContain('value="Kept &amp; <kept>"')
      },
    )

    test('accepts no more links than a page can show', async () => {
      const links = Array.from({ length: 201 }, (_, n) => link(`https://a.example/${n}`)).flat()
      const answer = await sendCopy(links)
      expect(answer.status).toBe(400)
      expect(answer.html).toContain('up to 200 links')
      const more = Array.from({ length: 201 }, (_, n) => `https://a.example/${n}`).join('\n')
      expect(
        (
          await sendCopy([
            ['more', more],
            ['do', 'paste'],
          ])
        ).status,
      ).toBe(400)
    })

    test('after a button the form alone comes back, after a pause in typing those of its parts that have changed', async () => {
      const steps = { 'hx-request': 'true', 'hx-request-type': 'partial', 'hx-target': 'form#editor' }
      const step = async (fields: [string, string][]) => {
        const sent = multipart([['from', original], ...fields])
        const answer = await admin.fetch('/dashboard/links/new', {
          ...sent,
          method: 'POST',
          headers: { ...sent.headers, ...steps },
        })
        const isCheck = fields.some(([name, value]) => name === 'do' && value === 'check')
        const into = ['hx-retarget', 'hx-reswap', 'hx-push-url'].map((name) => answer.headers.get(name))
        const swap = isCheck ? 'none show:none' : 'outerMorph show:none'
        expect([answer.status, into]).toEqual([200, ['#editor', swap, 'false']])
        const html = await answer.text()
        expect(html).toMatch(isCheck ? /^(<hx-partial .*?<\/hx-partial>)*$/s : /^<form [^>]*id="editor".*<\/form>$/s)
        return html
      }
      const rows = await step([
        ['more', 'A | https://a.example/\n<script>x'],
        ['do', 'paste'],
      ])
      // Text that is not a link makes no row; text without any link makes one, to show its error.
      expect(rows.match(/<li class="link-row"/g)).toHaveLength(1)
      const none = await step([
        ['more', '<script>x'],
        ['do', 'paste'],
      ])
      expect(none.match(/<li class="link-row"/g)).toHaveLength(1)
      expect(none).toContain('value="<script>x"')
      const typed: [string, string][] = [
        ['slug', 'x'],
        ['idempotencyKey', 'one'],
        ...link(''),
        ...link('b'),
        ...link(URL_B),
        ['do', 'check'],
      ]
      const check = await step(typed)
      expect(check).toContain('2 links')
      const wrong = [...check.matchAll(/id="([\w-]+)"[^>]*aria-invalid/g)].map(([, id]) => id)
      expect(wrong).toEqual(['link-2-url', 'slug'])
      const has = [...check.matchAll(/ data-has="([^"]+)"/g)].map(([, part]): [string, string] => ['has', part ?? ''])
      expect(has.length).toBeGreaterThan(5)
      expect(await step([...typed, ...has])).toBe('')
      expect((await step([...typed, ...has, ['title', 'x']])).match(/hx-target="[^"]+"/g)).toEqual([
        'hx-target="#named"',
        'hx-target="#unsaved"',
      ])
    })

    test('saves against the version that was read; a later one is shown next to what was typed', async () => {
      const { slug } = await admin.makeBundle({ title: 'One' })
      const path = `/dashboard/links/${slug}`
      const fields: [string, string][] = [['version', '1'], ['title', 'Mine'], ...link(URL_B, 'Mine, too')]
      const to = (await send(admin, path, fields)).headers.get('location') ?? ''
      expect(to).toBe(`${path}?notice=saved&slug=${slug}&version=2`)
      expect(await (await admin.fetch(to)).text()).toMatch(
        new RegExp(`>\\s*Saved · <a href="${path}/versions\\?version=2">View version 2</a>`),
      )
      const late = await send(admin, path, [['version', '1'], ['title', 'Late'], ...link(URL_A)])
      expect(late.status).toBe(412)
      expect(late.html).toContain('You saved a newer version in another tab')
      const other = await send(editor, path, [['version', '1'], ['title', 'Late'], ...link(URL_A)])
      expect(other.html).toContain('Someone else saved first')
      expect(late.html).toContain('<input type="hidden" name="version" value="2"')
      expect(late.html).toContain('value="Late"')
      expect(await saved(slug)).toMatchObject({ title: 'Mine', urls: [URL_B] })
      // An extra button press makes clear that another person's version would be replaced.
      const again: [string, string][] = [
        ['do', 'add'],
        ['version', '2'],
        ['over', '1'],
        ['title', 'Late'],
      ]
      const between = await send(admin, path, [...again, ...link(URL_A)])
      expect(between.status).toBe(200)
      expect(between.html).toContain('You saved a newer version in another tab')
      expect(between.html).toContain('<input type="hidden" name="over" value="1"')
      const unread = await send(admin, path, [...again, ...link('no link')])
      expect(unread.html).toContain('Version 2 was saved while you were editing.')
      expect((await send(admin, path, [['title', 'No version'], ...link(URL_A)])).status).toBe(400)
    })

    test('takes pasted links in place of empty rows, and each button means the row that it stands in', async () => {
      const pressed = async (button: string) => {
        const rows = ['', 'https://a.example/', 'https://b.example/'].flatMap((url) => link(url))
        const sent: [string, string][] = [['do', button], ['more', 'https://c.example/'], ...rows]
        const { html } = await sendCopy(sent)
        return fieldsIn(html).flatMap(([name, value]) => (name === 'url' ? [value] : []))
      }
      const [a, b, c] = ['https://a.example/', 'https://b.example/', 'https://c.example/']
      expect(await pressed('paste')).toEqual([a, b, c])
      expect(await pressed('remove-2')).toEqual(['', b, c])
      expect(await pressed('up-3')).toEqual(['', b, a, c])
    })

    test('what was removed is put back where it was, and says so, without a script too', async () => {
      const urls = ['a', 'b', 'c'].map((name) => `https://${name}.example/`)
      const { slug } = await admin.makeBundle({ urls, urlMetadata: [{}, { note: 'Two\nlines & "quotes"' }, {}] })
      const path = `/dashboard/links/${slug}`
      let html = await (await admin.fetch(path)).text()
      const press = async (
        button: string,
        changed: (fields: [string, string][]) => [string, string][] = (all) => all,
      ) => {
        ;({ html } = await send(admin, path, [...changed(fieldsOf(html, 'editor')), ['do', button]]))
        const shown = fieldsOf(html, 'editor').flatMap(([name, value]) => (name === 'url' ? [value] : []))
        return [shown, /data-announcement="([^"]*)"/.exec(html)?.[1]]
      }
      const [a, b, c] = urls as [string, string, string]
      expect(await press('remove-2')).toEqual([[a, c], 'Link removed. It can be put back.'])
      expect(html).toMatch(/value="back-2"[^>]* autofocus/)
      expect(await press('remove-1')).toEqual([[c], 'Link removed. It can be put back.'])
      expect(await press('remove-3')).toEqual([[], 'Link removed. It can be put back.'])
      expect(await press('back-3')).toEqual([[c], 'Put back as link 1 of 1'])
      expect(await press('back-2')).toEqual([[b, c], 'Put back as link 1 of 2'])
      expect(await press('back-1')).toEqual([[a, b, c], 'Put back as link 1 of 3'])
      expect(fieldsOf(html, 'editor')).toContainEqual(['note', 'Two\r\nlines & "quotes"'])
      expect(await press('up-1')).toEqual([[a, b, c], 'It is the first link already'])
      // What is removed is not saved.
      await press('remove-2')
      expect((await send(admin, path, fieldsOf(html, 'editor'))).status).toBe(303)
      expect((await saved(slug)).urls).toEqual([a, c])
    })

    test('pasted links are listed before anything is saved', async () => {
      const before = await countBundles(server())
      const more = 'Reading for Monday:\nAgenda | https://a.example/\nhttps://b.example/\nhttps://a.example/'
      const list = await sendCopy([['title', 'Reading'], ...link(''), ['more', more], ['do', 'save']])
      const shown = fieldsIn(list.html).filter(
        ([name, value]) => ['url', 'note', 'title'].includes(name) && value !== '',
      )
      expect([list.status, shown]).toEqual([
        200,
        [
          ['title', 'Reading'],
          ['url', 'https://a.example/'],
          ['note', 'Agenda'],
          ['url', 'https://b.example/'],
        ],
      ])
      expect(list.html).toContain('2 links added, 1 duplicate left out')
      expect(list.html).toContain('Nothing is saved yet')
      expect(await countBundles(server())).toBe(before)
      const made = await send(admin, '/dashboard/links/new', [...fieldsIn(list.html), ['do', 'save']])
      const slug = /links\/([\w-]+)/.exec(made.headers.get('location') ?? '')?.[1] ?? ''
      const { title, urls, versionNumber } = await saved(slug)
      expect([title, urls, versionNumber]).toEqual(['Reading', ['https://a.example/', 'https://b.example/'], 1])
      const path = `/dashboard/links/${slug}`
      const edited = await send(admin, path, [['version', '1'], ...link(URL_A), ['more', 'https://c.example/']])
      expect([edited.status, (await saved(slug)).versionNumber]).toEqual([200, 1])
      const again = await send(admin, path, fieldsIn(edited.html))
      expect([again.status, (await saved(slug)).urls]).toEqual([303, [URL_A, 'https://c.example/']])
    })

    test('writes no version if nothing changed', async () => {
      const { slug } = await admin.makeBundle({ title: 'Same' })
      const path = `/dashboard/links/${slug}`
      const answer = await send(admin, path, [['version', '1'], ['title', ' Same '], ...link(URL_A), ...link(URL_B)])
      expect(answer.headers.get('location')).toBe(`${path}?notice=unchanged`)
      expect((await admin.api('GET', `/api/links/${slug}`)).headers.get('etag')).toBe('"v1"')
    })
  })

  describe('roles', () => {
    test('a viewer may read but forced edits are refused; an editor may save; a stranger sees nothing', async () => {
      const { slug } = await admin.makeBundle({ title: 'Ours' })
      const path = `/dashboard/links/${slug}`
      const look = await viewer.fetch(path)
      expect(look.status).toBe(200)
      const page = await look.text()
      expect(page).toContain('You’re a viewer here')
      expect(page).not.toContain('name="url"')
      for (const button of ['save', 'check']) {
        const fields: [string, string][] = [['version', '1'], ['title', 'Forced'], ['do', button], ...link(URL_A)]
        const forced = await send(viewer, path, fields)
        expect(forced.status).toBe(403)
        expect(forced.html).toContain('You need the editor role to do this.')
      }
      expect((await send(editor, path, [['version', '1'], ['title', 'Edited'], ...link(URL_A)])).status).toBe(303)
      expect((await saved(slug)).title).toBe('Edited')
      for (const one of [
        path,
        `${path}/export.json`,
        `${path}/export.csv`,
        `${path}/export.html`,
        `/dashboard/links/new?from=${slug}`,
      ]) {
        expect([one, (await stranger.fetch(one)).status]).toEqual([one, 403])
        expect((await stranger.fetch(one.replace(slug, 'no-such-one'))).status).toBe(404)
      }
      expect((await send(stranger, '/dashboard/links/new', [['from', slug], ...link(URL_A)])).status).toBe(403)
    })

    test('a viewer acting for an organisation makes and imports nothing there', async () => {
      await actFor(viewer, organizationId)
      for (const path of ['/dashboard/links/new', '/dashboard/links/import']) {
        expect([path, (await viewer.fetch(path)).status]).toEqual([path, 403])
        const forced = await send(viewer, path, [['do', 'make'], ['text', URL_A], ...link(URL_A)])
        expect([path, forced.status]).toEqual([path, 403])
      }
      await actFor(viewer, null)
    })

    test('signed-out people are sent to sign in', async () => {
      for (const path of [
        '/dashboard/links/new',
        '/dashboard/links/import',
        '/dashboard/links/abc',
        '/dashboard/links/abc/export.csv',
      ]) {
        const answer = await fetch(server().origin + path, { redirect: 'manual' })
        expect([path, answer.status]).toEqual([path, 303])
      }
    })
  })

  test('exports are the bundle as JSON, a CSV safe for spreadsheets, and bookmarks', async () => {
    const { slug } = await admin.makeBundle({
      title: 'Files',
      urlMetadata: [
        { note: '=1+1', tags: ['a,b', 'c'] },
        { note: 'two\nlines', openPolicy: 'manual' },
      ],
    })
    const get = async (extension: string) => {
      const answer = await admin.fetch(`/dashboard/links/${slug}/export.${extension}`)
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${slug}.${extension}"`)
      expect(answer.headers.get('cache-control')).toBe(
        `private, no-store${extension === 'html' ? ', no-transform' : ''}`,
      )
      return { type: answer.headers.get('content-type'), text: await answer.text() }
    }
    const json = await get('json')
    expect(json.type).toBe('application/json; charset=utf-8')
    expect(JSON.parse(json.text)).toEqual((await admin.api('GET', `/api/links/${slug}`)).body)
    const csv = await get('csv')
    expect(csv.type).toBe('text/csv; charset=utf-8')
    expect(csv.text).toBe(
      `url,note,tags,openPolicy,section,check\r\n${URL_A},"'=1+1","""a,b"", c",auto,,yes\r\n${URL_B},"two\nlines",,manual,,yes\r\n`,
    )
    const html = await get('html')
    expect(html.type).toBe('text/html; charset=utf-8')
    expect(html.text).toContain(`<DT><A HREF="${URL_B}">two</A>\n    <DD>lines`)
  })

  describe('the import', () => {
    const PATH = '/dashboard/links/import'
    const hidden = (html: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? ''

    test('accepts a bundle as this service exports it, with its rules', async () => {
      const rule = { name: 'Team', when: { op: 'signedIn' }, tabs: [{ url: 'https://team.example/' }] }
      const sent = { title: 'Moved here', resolutionPolicy: { version: 1, rules: [rule] } }
      const { slug } = await admin.makeBundle(sent)
      const text = await (await admin.fetch(`/dashboard/links/${slug}/export.json`)).text()
      const plan = await send(stranger, PATH, [
        ['do', 'read'],
        ['text', text],
      ])
      const ticks = fieldsIn(plan.html).filter(([name]) => /^(?:text|reading|idempotencyKey|title-\d+)$/.test(name))
      const made = await send(stranger, PATH, [
        ...ticks,
        ['do', 'make'],
        ['bundle', '0'],
        ['link', '0.0'],
        ['link', '0.1'],
      ])
      expect(made.status).toBe(200)
      const list = await stranger.api<{ bundles: { slug: string }[] }>('GET', '/api/me/links?q=moved')
      const copy = await stranger.api('GET', `/api/links/${list.body.bundles[0]?.slug}`)
      expect(copy.body).toMatchObject(sent)
    })

    test('reads text that nests too deeply as a list, and loses nothing', async () => {
      const deep = 30_000
      const text = `{"urls":["${URL_A}"],"resolutionPolicy":{"version":1,"rules":${'['.repeat(deep)}${']'.repeat(deep)}}}`
      const plan = await send(stranger, PATH, [
        ['do', 'read'],
        ['text', text],
      ])
      expect(plan.status).toBe(200)
      expect(hidden(plan.html, 'reading')).not.toBe('')
    })

    test('makes nothing until confirmed, and nothing twice', async () => {
      const text = '# A\nhttps://a.example/\n# B\nhttps://b.example/'
      const before = (await stranger.api<{ bundles: unknown[] }>('GET', '/api/me/links')).body.bundles.length
      const plan = await send(stranger, PATH, [
        ['do', 'read'],
        ['text', text],
      ])
      expect(plan.status).toBe(200)
      const count = async () => (await stranger.api<{ bundles: unknown[] }>('GET', '/api/me/links')).body.bundles.length
      expect(await count()).toBe(before)
      const ticks: [string, string][] = [
        ['do', 'make'],
        ['text', text.replaceAll('\n', '\r\n')],
        ['reading', hidden(plan.html, 'reading')],
        ['idempotencyKey', hidden(plan.html, 'idempotencyKey')],
        ['bundle', '0'],
        ['link', '0.0'],
        ['bundle', '1'],
        ['link', '1.0'],
      ]
      for (const _ of ['once', 'again']) {
        const made = await send(stranger, PATH, ticks)
        expect(made.status).toBe(200)
        expect(made.html).toContain('2 bundles created')
        expect(await count()).toBe(before + 2)
      }
    })

    test('previews a text again if it changed since its links were selected', async () => {
      const fields: [string, string][] = [
        ['do', 'make'],
        ['text', URL_A],
        ['reading', 'another'],
        ['bundle', '0'],
        ['link', '0.0'],
      ]
      const answer = await send(stranger, PATH, fields)
      expect(answer.status).toBe(200)
      expect(answer.html).toContain('Nothing has been created yet.')
    })

    test('says what it cannot accept: nothing selected, no links, too much at once', async () => {
      const plan = await send(stranger, PATH, [
        ['do', 'read'],
        ['text', URL_A],
      ])
      const reading: [string, string] = ['reading', hidden(plan.html, 'reading')]
      const none = await send(stranger, PATH, [['do', 'make'], ['text', URL_A], reading])
      expect([none.status, none.html]).toEqual([400, expect.stringContaining('Tick at least one bundle.')])
      const noLink = await send(stranger, PATH, [['do', 'make'], ['text', URL_A], reading, ['bundle', '0']])
      expect([noLink.status, noLink.html.includes('Tick at least one of its links')]).toEqual([400, true])
      expect((await send(stranger, PATH, [['text', 'nothing']])).status).toBe(400)
      const inParts = async (text: string) => {
        const body = new FormData()
        body.set('text', text)
        const answer = await stranger.fetch(PATH, { method: 'POST', body })
        return { status: answer.status, html: await answer.text() }
      }
      expect((await inParts('x'.repeat(500 * 1024))).html).toContain('We found no links in this')
      const long = 'x'.repeat(520 * 1024)
      const tooLong = await inParts(long)
      expect([tooLong.status, tooLong.html.includes('too long to read at once')]).toEqual([400, true])
      expect(tooLong.html).toContain(long)
      expect((await inParts('x'.repeat(1100 * 1024))).status).toBe(413)
      expect((await send(stranger, PATH, [['text', 'x'.repeat(300 * 1024)]])).status).toBe(413)
    })

    test('the largest accepted text can be selected and imported', async () => {
      const person = await newPerson(server())
      const text = Array.from({ length: 2600 }, (_, n) => `https://example.com/${n}?and=something`).join('\n')
      const plan = await send(person, PATH, [
        ['do', 'read'],
        ['text', text],
      ])
      expect(plan.status).toBe(200)
      const values = (name: string) =>
        [...plan.html.matchAll(new RegExp(`name="${name}" value="([^"]*)"`, 'g'))].map(
          (m) => [name, m[1] ?? ''] as [string, string],
        )
      const titles = [...plan.html.matchAll(/name="(title-\d+)"/g)].map(([, name = '']): [string, string] => [
        name,
        'T'.repeat(60),
      ])
      const sent = await send(person, PATH, [
        ['do', 'make'],
        ['text', text],
        ...values('reading'),
        ...values('idempotencyKey'),
        ...values('bundle'),
        ...values('link'),
        ...titles,
      ])
      expect(sent.status).toBe(200)
      expect(sent.html).toContain('40 bundles created')
      expect(sent.html).toContain('the Free plan’s limit of 40 bundles')
    })
  })
})
