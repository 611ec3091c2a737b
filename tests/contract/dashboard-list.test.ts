import { beforeAll, expect, test } from 'bun:test'
import { actFor, newOrganization, newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { elementsOf, unescaped } from './html.ts'

const DAY_MS = 86_400_000

/** The UTC day this many days ago. */
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

onEveryTarget({}, (at) => {
  let ann: Person
  beforeAll(async () => {
    ann = await newPerson(at())
  })

  const page = async (path: string, by = ann) => (await by.fetch(path)).text()
  /** The titles of the rows, in order. */
  const titles = (html: string) =>
    [...html.matchAll(/class="name" [^>]*>([^<]*)</g)].map(([, text = '']) => unescaped(text)).filter(isTitle)
  const isTitle = (text: string) => text.startsWith('Row ')
  /** The text of a bundle's figures. */
  const figures = (html: string, slug: string) =>
    elementsOf(html)
      .filter(({ attributes }) => attributes.href === `/dashboard/links/${slug}/insights`)
      .map(({ attributes }) => attributes['aria-label'])
  const count = (slug: string, day: string, views: number, clicks: number, rule = '') =>
    at().sql('INSERT INTO daily_counters SELECT id, ?, ?, ?, ? FROM bundles WHERE slug = ?', [
      day,
      rule,
      views,
      clicks,
      slug,
    ])

  test('a row says when its bundle was created until somebody edits it', async () => {
    const owner = await newPerson(at())
    const { slug } = await owner.makeBundle()
    const when = async () => {
      const cell = /<span class="when">(.*?<\/time>)/s.exec(await page('/dashboard', owner))?.[1] ?? ''
      return cell.replace(/<[^>]*>/g, '')
    }
    expect(await when()).toBe('created Now')
    await owner.api('PATCH', `/api/links/${slug}`, { title: 'Row edited' })
    expect(await when()).toBe('edited Now')
  })

  test('the navigation has no page that would refuse the visitor in their workspace', async () => {
    const [admin, editor, viewer] = [await newPerson(at()), await newPerson(at()), await newPerson(at())]
    const { id } = await newOrganization(admin, [
      [editor, 'editor'],
      [viewer, 'viewer'],
    ])
    const sections = async (by: Person) => {
      const nav = /<nav class="sections".*?<\/nav>/s.exec(await page('/dashboard', by))?.[0] ?? ''
      return elementsOf(nav).flatMap(({ attributes: { href } }) => (href === undefined ? [] : [href]))
    }
    const few = ['/dashboard', '/dashboard/overview', '/dashboard/organizations', '/dashboard/settings']
    expect(await sections(admin)).toEqual(few)
    await admin.mint()
    const all = await sections(admin)
    expect(all).toEqual([...few.slice(0, 2), '/dashboard/keys', '/dashboard/webhooks', ...few.slice(2)])
    for (const person of [editor, viewer]) {
      await actFor(person, id)
      const shown = await sections(person)
      expect(all.filter((path) => !shown.includes(path))).toEqual(['/dashboard/keys', '/dashboard/webhooks'])
      for (const path of shown) expect(await page(path, person)).not.toMatch(/ask an admin/i)
      await actFor(person, null)
      expect(await sections(person)).toEqual(few)
    }
  })

  test('a row shows the views and opens of the last 30 days, over all rules', async () => {
    const owner = await newPerson(at())
    const [busy, old, once] = [
      await owner.makeBundle({ title: 'Row busy' }),
      await owner.makeBundle({ title: 'Row old' }),
      await owner.makeBundle({ title: 'Row once' }),
    ]
    await count(busy.slug, ago(0), 1000, 20)
    await count(busy.slug, ago(0), 200, 3, 'r_a')
    await count(busy.slug, ago(29), 34, 1)
    await count(busy.slug, ago(30), 5000, 5000)
    await count(old.slug, ago(31), 7, 7)
    await count(once.slug, ago(3), 1, 1)
    const html = await page('/dashboard', owner)
    const says = (text: string, title: string) => [`${text} in the last 30 days: insights of ${title}`]
    expect(figures(html, busy.slug)).toEqual(says('1,234 views 24 opens', 'Row busy'))
    expect(figures(html, old.slug)).toEqual(says('0 views 0 opens', 'Row old'))
    expect(figures(html, once.slug)).toEqual(says('1 view 1 open', 'Row once'))
    expect(html).toContain('title="1,234 in the last 30 days"')
    // Their days as a line, oldest first; nothing is drawn where nothing was counted.
    const lines = [...html.matchAll(/<polyline points="([^"]*)"/g)].map(([, points = '']) => points.split(' '))
    const [ofOnce, ofBusy] = lines
    expect([lines.length, ofBusy?.length, ofOnce?.length]).toEqual([2, 30, 4])
    expect([ofBusy?.[0], ofBusy?.[1], ofBusy?.[29]]).toEqual(['0.0,18.5', '2.6,19.0', '74.0,3.0'])
    expect(ofOnce?.map((point) => point.split(',')[1])).toEqual(['3.0', '19.0', '19.0', '19.0'])
    await owner.api('DELETE', `/api/links/${busy.slug}`)
    expect(figures(await page('/dashboard?state=deleted', owner), busy.slug)).toEqual([])
  })

  test('a tag of a row leads to the bundles that have it, and the filter is kept by search, sort and pages', async () => {
    const owner = await newPerson(at())
    for (let n = 1; n <= 3; n += 1) {
      await owner.makeBundle({ title: `Row ${n}`, urlMetadata: [{ tags: ['a&b "c"', 'x'] }, { tags: ['x'] }] })
    }
    await owner.makeBundle({ title: 'Row many', urlMetadata: [{ tags: ['1', '2', '3', '4', '5', '6'] }] })
    const html = await page('/dashboard', owner)
    const tags = elementsOf(html).filter(({ tag, attributes }) => tag === 'a' && attributes.class === 'tag')
    expect(tags).toHaveLength(3 * 2 + 3)
    expect(html).toContain('and 3 more')
    const href = tags.find(({ attributes }) => attributes.href?.includes('%26'))?.attributes.href ?? ''
    expect(new URLSearchParams(href.split('?')[1]).get('tag')).toBe('a&b "c"')
    const found = await page(href, owner)
    expect(titles(found)).toEqual(['Row 3', 'Row 2', 'Row 1'])
    const kept = elementsOf(found).find(({ attributes }) => attributes.name === 'tag' && attributes.type === 'hidden')
    expect(kept?.attributes.value).toBe('a&b "c"')
    const second = await page(`${href}&limit=2&q=Row`, owner)
    expect(second).toContain('1 to 2 of 3')
    const next = elementsOf(second).find(({ attributes }) => attributes.rel === 'next')?.attributes.href ?? ''
    expect(Object.fromEntries(new URLSearchParams(next.split('?')[1]))).toEqual({
      q: 'Row',
      tag: 'a&b "c"',
      sort: 'updated',
      offset: '2',
    })
    expect(await page('/dashboard?tag=y', owner)).toContain('No bundle has a link with the tag “y”.')
  })

  test('the navigation has the tags of one’s bundles with their numbers, and marks the one that is shown', async () => {
    const [owner, other] = [await newPerson(at()), await newPerson(at())]
    await owner.makeBundle({ title: 'Row 1', urlMetadata: [{ tags: ['b&c', 'x'] }, { tags: ['x'] }] })
    await owner.makeBundle({ title: 'Row 2', urlMetadata: [{ tags: ['x'] }, {}] })
    const gone = await owner.makeBundle({ urlMetadata: [{ tags: ['x', 'gone'] }, {}] })
    await owner.api('DELETE', `/api/links/${gone.slug}`)
    const folders = async (path: string, by = owner) => {
      const nav = /<nav class="folders".*?<\/nav>/s.exec(await page(path, by))?.[0] ?? ''
      return [...nav.matchAll(/<a href="([^"]*)"( aria-current="page")?>(.*?)<\/a>/gs)].map(
        ([, href = '', current = '', text = '']) => [
          unescaped(href),
          current !== '',
          unescaped(text.replace(/<[^>]*>/g, '')),
        ],
      )
    }
    const [first, second] = ['/dashboard?tag=b%26c&sort=updated', '/dashboard?tag=x&sort=updated']
    expect(await folders('/dashboard')).toEqual([
      [first, false, 'b&c1 bundle'],
      [second, false, 'x2 bundles'],
    ])
    expect((await folders(second)).map(([, isCurrent]) => isCurrent)).toEqual([false, true])
    expect(titles(await page(second, owner))).toEqual(['Row 2', 'Row 1'])
    expect(await folders('/dashboard', other)).toEqual([])
    for (let n = 0; n < 15; n += 1) await other.makeBundle({ urlMetadata: [{ tags: [`t${n}`, 'most'] }, {}] })
    const shown = (await folders('/dashboard', other)).map(([, , text]) => text)
    expect([shown.length, shown[0]]).toEqual([12, 'most15 bundles'])
  })

  test('the tags in the navigation are read again only once a bundle was edited, came or went', async () => {
    const owner = await newPerson(at())
    const { slug } = await owner.makeBundle({ title: 'Row 1', urlMetadata: [{ tags: ['first'] }, {}] })
    const shown = async () => {
      const nav = /<nav class="folders".*?<\/nav>/s.exec(await page('/dashboard', owner))?.[0] ?? ''
      return [...nav.matchAll(/<span dir="auto">(.*?)<\/span>/g)].map(([, tag]) => tag)
    }
    expect(await shown()).toEqual(['first'])
    // Behind the service's back, without a new version.
    await at().sql('UPDATE bundles SET url_metadata = ? WHERE slug = ?', ['[{"tags":["unseen"]},{}]', slug])
    expect(await shown()).toEqual(['first'])
    await owner.api('PATCH', `/api/links/${slug}`, { urlMetadata: [{ tags: ['second'] }, {}] })
    expect(await shown()).toEqual(['second'])
    const other = await owner.makeBundle({ urlMetadata: [{ tags: ['third'] }, {}] })
    expect(await shown()).toEqual(['second', 'third'])
    await owner.api('DELETE', `/api/links/${other.slug}`)
    expect(await shown()).toEqual(['second'])
    await owner.api('POST', `/api/links/${other.slug}/restore`)
    expect(await shown()).toEqual(['second', 'third'])
  })

  test('a browser remembers a sort order sent as a form; a GET remembers nothing, and the address wins', async () => {
    const owner = await newPerson(at())
    for (const title of ['Row b', 'Row c', 'Row a']) await owner.makeBundle({ title })
    const edited = ['Row a', 'Row c', 'Row b']
    const sorted = ['Row a', 'Row b', 'Row c']
    const asked = await owner.fetch('/dashboard?sort=title')
    expect([titles(await asked.text()), asked.headers.getSetCookie()]).toEqual([sorted, []])
    expect(titles(await page('/dashboard', owner))).toEqual(edited)
    const sent = await owner.form('/dashboard/sort', { sort: 'title', q: 'Row' })
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '/dashboard?q=Row&sort=title'])
    expect(titles(await page('/dashboard', owner))).toEqual(sorted)
    expect(titles(await page('/dashboard?sort=updated', owner))).toEqual(edited)
    expect((await owner.form('/dashboard/sort', { sort: 'size' })).status).toBe(400)
    owner.cookies.set('list_sort', 'size')
    expect(titles(await page('/dashboard', owner))).toEqual(edited)
  })

  /** Sends the form for several bundles like a browser without JavaScript. */
  const bulk = async (by: Person, what: string, slugs: string[], more: Record<string, string> = {}) => {
    const body = new URLSearchParams({ do: what, back: 'sort=title&offset=20', ...more })
    for (const slug of slugs) body.append('slug', slug)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await by.fetch('/dashboard/bulk', { method: 'POST', body: body.toString(), headers })
    return {
      status: answer.status,
      to: answer.headers.get('location'),
      headers: answer.headers,
      text: await answer.text(),
    }
  }
  const tagsOf = async (slug: string) => {
    const { body } = await ann.api<{ urlMetadata: { tags?: string[] }[] }>('GET', `/api/links/${slug}`)
    return body.urlMetadata.map(({ tags }) => tags)
  }
  const versions = async (slug: string) =>
    (await ann.api<{ versions: unknown[] }>('GET', `/api/links/${slug}/versions`)).body.versions.length

  test('a tag is added to every link of the selected bundles, as a new version of each that lacks it', async () => {
    const [one, two] = [
      await ann.makeBundle({ urlMetadata: [{ tags: ['kept'] }, { note: 'Kept' }] }),
      await ann.makeBundle({ urlMetadata: [{ tags: ['new'] }, { tags: ['new'] }] }),
    ]
    const { status, to } = await bulk(ann, 'tag', [one.slug, two.slug], { tag: ' new ' })
    expect([status, to]).toEqual([
      303,
      `/dashboard?sort=title&offset=20&notice=taggedAll&slugs=${one.slug}%2C${two.slug}`,
    ])
    expect([await tagsOf(one.slug), await tagsOf(two.slug)]).toEqual([
      [['kept', 'new'], ['new']],
      [['new'], ['new']],
    ])
    expect([await versions(one.slug), await versions(two.slug)]).toEqual([2, 1])
    const full = await ann.makeBundle({ urlMetadata: [{}, { tags: [...'0123456789'] }] })
    const refused = await bulk(ann, 'tag', [full.slug, one.slug], { tag: 'more' })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Link 2 already has 10 tags.')])
    expect(refused.text).toContain('1 other bundle could.')
    expect(await tagsOf(one.slug)).toEqual([
      ['kept', 'new', 'more'],
      ['new', 'more'],
    ])
    for (const tag of ['', ' ', 'x'.repeat(41)]) expect((await bulk(ann, 'tag', [one.slug], { tag })).status).toBe(400)
  })

  test('selected bundles are deleted, the deletion is undone at once, and each failure is reported', async () => {
    const stranger = await newPerson(at())
    const [one, two, theirs] = [await ann.makeBundle(), await ann.makeBundle(), await stranger.makeBundle()]
    const deleted = await bulk(ann, 'delete', [one.slug, two.slug])
    expect([deleted.status, deleted.to]).toEqual([
      303,
      `/dashboard?sort=title&notice=deletedAll&slugs=${one.slug}%2C${two.slug}`,
    ])
    const launchers = async () =>
      Promise.all([one, two].map(async ({ slug }) => (await ann.fetch(`/l/${slug}`)).status))
    expect(await launchers()).toEqual([404, 404])
    const undo = elementsOf(await page(deleted.to ?? '')).filter(({ attributes }) => attributes.name === 'slug')
    const offered = undo
      .filter(({ attributes }) => attributes.type === 'hidden')
      .map(({ attributes }) => attributes.value)
    expect(offered).toEqual([one.slug, two.slug])
    expect((await bulk(ann, 'restore', [one.slug, two.slug])).status).toBe(303)
    expect(await launchers()).toEqual([200, 200])

    const some = await bulk(ann, 'delete', [theirs.slug, 'no-such-bundle', one.slug])
    expect([some.status, some.text]).toEqual([403, expect.stringContaining('This bundle belongs to another account.')])
    expect(some.text).toContain('This bundle doesn’t exist.')
    expect(some.text).toContain('2 bundles couldn’t be changed. 1 other bundle could.')
    expect(await launchers()).toEqual([404, 200])
    expect((await ann.fetch(`/l/${theirs.slug}`)).status).toBe(200)
  })

  test('selected bundles are exported as one file for Import; one that cannot be is named, and the others are one press away', async () => {
    const stranger = await newPerson(at())
    const [one, two] = [await ann.makeBundle({ title: 'Row one' }), await ann.makeBundle({ title: 'Row two' })]
    const { status, headers, text } = await bulk(ann, 'export', [one.slug, two.slug])
    expect([status, headers.get('content-disposition')]).toEqual([200, 'attachment; filename="bundles.json"'])
    expect(headers.get('cache-control')).toContain('no-store')
    const whole = await Promise.all(
      [one, two].map(async ({ slug }) => (await ann.api('GET', `/api/links/${slug}`)).body),
    )
    expect(JSON.parse(text)).toEqual({ bundles: whole })
    const foreign = await bulk(stranger, 'export', [one.slug])
    expect([foreign.status, foreign.text]).toEqual([403, expect.not.stringContaining('Row one')])
    const { slug: own } = await stranger.makeBundle()
    const some = await bulk(stranger, 'export', [one.slug, own, 'no-such-bundle'])
    expect([some.status, some.text]).toEqual([
      403,
      expect.stringContaining('2 bundles can’t be exported. 1 other bundle can.'),
    ])
    const offered = elementsOf(some.text).filter(({ attributes }) => attributes.name === 'slug')
    expect(offered.map(({ attributes }) => attributes.value)).toEqual([own])
    expect(JSON.parse((await bulk(stranger, 'export', [own])).text).bundles).toHaveLength(1)
    for (const [what, slugs] of [
      ['export', []],
      ['delete', Array.from({ length: 101 }, (_, n) => `bundle-${n}`)],
      ['burn', [one.slug]],
    ] as const) {
      expect((await bulk(ann, what, [...slugs])).status).toBe(400)
    }
  })

  test('a complete list says how many there are, and an empty dashboard offers each way to start once', async () => {
    const owner = await newPerson(at())
    const starts = (html: string): (string | undefined)[] =>
      elementsOf(html.split('<main')[1]?.split('</main')[0] ?? '')
        .map(({ attributes }) => attributes.href)
        .filter((href) => href === '/dashboard/links/new' || href === '/dashboard/links/import')
        .sort()
    const both = ['/dashboard/links/import', '/dashboard/links/new']
    expect(starts(await page('/dashboard', owner))).toEqual(both)
    for (const says of ['1 bundle', '2 bundles']) {
      await owner.makeBundle()
      const html = await page('/dashboard', owner)
      expect(html).toContain(`<span>${says}</span>`)
      expect(starts(html)).toEqual(both)
    }
    expect(await page('/dashboard?limit=1', owner)).toContain('<span>1 to 1 of 2</span>')
    expect(await page('/dashboard?limit=1&offset=1', owner)).toContain('<span>2 to 2 of 2</span>')
  })

  test('a bundle names its owner if that is not the current workspace', async () => {
    const owner = await newPerson(at())
    const personal = await owner.makeBundle()
    await newOrganization(owner)
    const shared = await owner.makeBundle()
    const lede = async ({ slug }: { slug: string }) =>
      /<p class="hint">([^<]*)<\/p><\/div><div class="actions">/.exec(
        await page(`/dashboard/links/${slug}`, owner),
      )?.[1]
    expect([await lede(personal), await lede(shared)]).toEqual(['Personal bundle', undefined])
    await actFor(owner, null)
    expect([await lede(personal), await lede(shared)]).toEqual([
      undefined,
      expect.stringMatching(/^Belongs to Organisation \d+$/),
    ])
  })

  test('the list offers only what the role allows', async () => {
    const [editor, viewer] = [await newPerson(at()), await newPerson(at())]
    const { id } = await newOrganization(ann, [
      [editor, 'editor'],
      [viewer, 'viewer'],
    ])
    const { slug } = await ann.makeBundle()
    const offered = async (by: Person) => {
      await actFor(by, id)
      const buttons = elementsOf(await page('/dashboard', by)).filter(({ attributes }) => attributes.name === 'do')
      return buttons.map(({ attributes }) => attributes.value)
    }
    expect([await offered(ann), await offered(editor), await offered(viewer)]).toEqual([
      ['tag', 'export', 'move', 'delete'],
      ['tag', 'export'],
      ['export'],
    ])
    expect((await bulk(viewer, 'tag', [slug], { tag: 'x' })).status).toBe(403)
    expect((await bulk(editor, 'delete', [slug])).status).toBe(403)
    await actFor(ann, null)
  })
})
