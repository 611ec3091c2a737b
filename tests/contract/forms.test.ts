import { beforeAll, expect, test } from 'bun:test'
import { marked } from 'marked'
import { eventually } from '../eventually.ts'
import { newPerson, type Person, URL_A, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { ERROR_FIELDS } from '../told.ts'
import { elementsOf, unescaped } from './html.ts'

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0'
const BROWSERS_ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const MARKDOWN = 'text/markdown; charset=utf-8'
const HTML = 'text/html; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'
const CONTENT = {
  urls: ['https://a.example/one', 'https://b.example/(two)?x=`1`&copy;2', 'https://c.example/'],
  urlMetadata: [
    { note: 'The first\nRead it slowly', tags: ['red', 'two words'] },
    { section: 'Later', openPolicy: 'manual' },
    { section: 'Later', note: 'Third' },
  ],
  title: 'Launch day',
  description: 'Everything for Friday.\n\nIn reading order.',
}

interface Tabs {
  title: string
  matchedRule: { id: string; name: string | null } | null
  tabs: { url: string }[]
  error: string
  code: string
}

onEveryTarget({ SERVICE_WRITES_PER_MINUTE: '0', SERVICE_WRITES_PER_HOUR: '0' }, (at) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(at())
  })
  const ask = (path: string, accept = '*/*', headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${at().origin}/l/${path}`, { method, headers: { accept, 'user-agent': BROWSER, ...headers } })
  const jsonOf = async (path: string, headers: Record<string, string> = {}) =>
    (await (await ask(path, 'application/json', headers)).json()) as Tabs
  const edit = async (slug: string, fields: object) => {
    const { status, body } = await owner.api('PATCH', `/api/links/${slug}`, fields)
    if (status !== 200) throw new Error(JSON.stringify(body))
  }

  test('one link answers in the form that its reader prefers', async () => {
    const { slug } = await owner.makeBundle(CONTENT)
    const cases: [string, string][] = [
      [BROWSERS_ACCEPT, HTML],
      ['*/*', HTML],
      ['', HTML],
      ['image/avif,image/webp,*/*;q=0.8', HTML],
      ['text/*', HTML],
      ['text/markdown', MARKDOWN],
      ['TEXT/Markdown;charset=utf-8', MARKDOWN],
      ['text/markdown, text/html, */*', MARKDOWN],
      ['text/html, text/markdown', HTML],
      ['text/html;q=0.5, text/markdown', MARKDOWN],
      ['text/markdown;q=0.5, */*', HTML],
      ['text/markdown;q=0, text/html;q=0.1', HTML],
      ['application/json', JSON_TYPE],
      ['application/json, text/plain, */*', JSON_TYPE],
      ['application/pdf', HTML],
      ['nonsense;;,,=', HTML],
    ]
    // Cached and not.
    for (const [accept, type] of [...cases, ...cases.toReversed()]) {
      const answer = await ask(slug, accept)
      expect([accept, answer.status, answer.headers.get('content-type')]).toEqual([accept, 200, type])
      expect(answer.headers.get('vary')).toBe('Accept, Accept-Encoding')
      expect(answer.headers.get('x-robots-tag')).toBe('noindex')
      expect((await answer.text()).length).toBeGreaterThan(100)
    }
    for (const [path, type] of [
      [`${slug}.md`, MARKDOWN],
      [`${slug}.json`, JSON_TYPE],
      [`${slug}/feed`, 'application/atom+xml; charset=utf-8'],
    ] as const) {
      const answer = await ask(path, BROWSERS_ACCEPT)
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, type])
      expect(answer.headers.get('vary')).toBe('Accept-Encoding')
      const asked = await ask(path, BROWSERS_ACCEPT, { 'accept-encoding': 'identity' }, 'HEAD')
      const whole = await ask(path, BROWSERS_ACCEPT, { 'accept-encoding': 'identity' })
      expect(asked.headers.get('content-length')).toBe(String((await whole.arrayBuffer()).byteLength))
      expect((await ask(path, '*/*', {}, 'POST')).status).toBe(405)
    }
    const links = elementsOf(await (await ask(slug, BROWSERS_ACCEPT)).text())
      .filter(({ attributes }) => attributes.rel === 'alternate')
      .map(({ attributes }) => attributes.href)
    expect(links).toEqual([`/l/${slug}.md`, `/l/${slug}.json`, `/l/${slug}/feed`])
  })

  test('the page of a bundle that not everyone may see offers no feed, because a reader cannot enter', async () => {
    for (const door of [{ access: 'members' }, { access: 'password', password: 'correct horse battery' }] as const) {
      const { slug } = await owner.makeBundle(door)
      const page = await owner.fetch(`/l/${slug}`, { headers: { accept: BROWSERS_ACCEPT } })
      expect([door.access, page.status, (await page.text()).includes('/feed')]).toEqual([door.access, 200, false])
      const locked = await ask(slug, BROWSERS_ACCEPT)
      expect([door.access, locked.status, (await locked.text()).includes('/feed')]).toEqual([door.access, 401, false])
    }
  })

  test('as JSON it is the tabs of the viewer, every field of each', async () => {
    const { slug } = await owner.makeBundle(CONTENT)
    const { tabs, ...rest } = await jsonOf(slug)
    expect<object>(rest).toEqual({
      slug,
      url: `${at().origin}/l/${slug}`,
      title: CONTENT.title,
      description: CONTENT.description,
      matchedRule: null,
      variables: [],
      values: {},
      missing: [],
      invalid: [],
    })
    expect<object[]>(tabs).toEqual([
      {
        url: CONTENT.urls[0],
        note: 'The first\nRead it slowly',
        tags: ['red', 'two words'],
        section: null,
        openPolicy: 'auto',
      },
      { url: CONTENT.urls[1], note: null, tags: [], section: 'Later', openPolicy: 'manual' },
      { url: CONTENT.urls[2], note: 'Third', tags: [], section: 'Later', openPolicy: 'auto' },
    ])
  })

  test('as Markdown it has everything that the page shows', async () => {
    const { slug } = await owner.makeBundle(CONTENT)
    expect(await (await ask(`${slug}.md`)).text()).toBe(`# Launch day

Everything for Friday.  
In reading order.

- [a.example](https://a.example/one): The first  
  Read it slowly  
  Tags: red, two words

## Later

- [b.example](<https://b.example/(two)?x=\\\`1\\\`\\&copy;2>)  
  Open manually.
- [c.example](https://c.example/): Third

The page of this list: <${at().origin}/l/${slug}>
`)
    const { slug: unclaimed } = await new Visitor(at()).makeBundle({ urls: [URL_A] })
    expect(await (await ask(`${unclaimed}.md`)).text()).toContain('Made without an account')
  })

  test('no title, note or tag can become anything but text, save words that a note or description stresses', async () => {
    const texts = [
      '# heading',
      '## heading',
      '- item',
      '+ item',
      '1. item',
      '12) item',
      '> quote',
      '---',
      '===',
      '~~~',
      '```js',
      '| a | b |',
      '*all* _of_ `it` ~~gone~~',
      '[x](https://evil.example/)',
      '![x](https://evil.example/x.png)',
      '[x]: https://evil.example/',
      '<b>bold</b><!-- x --><script>alert(1)</script>',
      '<https://evil.example/>',
      '&lt;b&gt; &#60; &amp; &',
      '\\*not\\* \\',
      '](https://evil.example/) [',
      'a | b',
      '--- | ---',
      ':-- | --:',
      '    code',
      '- [ ] task',
    ]
    const { slug } = await owner.makeBundle({
      urls: texts.map((_, at) => `https://n${at}.example/`).slice(0, 25),
      urlMetadata: texts.slice(0, 25).map((note, at) => ({
        note: `${note}\n${note}`,
        tags: [note.trim().slice(0, 40)],
        section: texts[(at + 1) % 26]!.trim(),
      })),
      title: texts[16],
      description: texts.flatMap((text) => [text, text]).join('\n'),
    })
    const markdown = await (await ask(`${slug}.md`)).text()
    const html = marked.parse(markdown, { async: false, gfm: true })
    const found = elementsOf(html)
    expect([...new Set(found.map(({ tag }) => tag))].sort()).toEqual(['a', 'br', 'em', 'h1', 'h2', 'li', 'p', 'ul'])
    // Twice in the description and twice in the note; neither in the section nor in the tag of the same text.
    expect(html.split('<em>all</em>')).toHaveLength(5)
    expect(html.split('<em>')).toHaveLength(5)
    expect(html).not.toMatch(/<h\d>[^\n]*<em>|Tags: [^\n]*<em>/)
    const targets = found.flatMap(({ attributes }) => attributes.href ?? [])
    expect(targets.filter((href) => !/^https:\/\/n\d+\.example\/$/.test(href))).toEqual([`${at().origin}/l/${slug}`])
    const lines = unescaped(html.replace(/<[^>]*>/g, '\n'))
      .split('\n')
      .map((line) => line.trim().replace(/^: /, ''))
    for (const text of texts) expect([text, lines.includes(text.trim())]).toEqual([text, true])
  })

  test('a reader that asks again is told that nothing changed, until an edit', async () => {
    const { slug } = await owner.makeBundle(CONTENT)
    for (const path of [slug, `${slug}.md`, `${slug}.json`, `${slug}/feed`]) {
      const first = await ask(path, 'text/markdown')
      const etag = first.headers.get('etag') ?? ''
      expect(first.headers.get('cache-control')).toBe('no-cache')
      for (const method of ['GET', 'HEAD']) {
        const again = await ask(path, 'text/markdown', { 'if-none-match': etag }, method)
        expect([path, again.status, again.headers.get('etag'), await again.text()]).toEqual([path, 304, etag, ''])
        expect(again.headers.get('vary')).toBe(first.headers.get('vary'))
      }
      await edit(slug, { urls: [...CONTENT.urls, `https://d.example/${encodeURIComponent(path)}`] })
      const changed = await ask(path, 'text/markdown', { 'if-none-match': etag })
      expect([path, changed.status, changed.headers.get('etag') === etag]).toEqual([path, 200, false])
    }
    // Pages have none: a view could not be counted.
    expect((await ask(slug, BROWSERS_ACCEPT)).headers.get('etag')).toBeNull()
  })

  test('what a program reads is not a view', async () => {
    const { slug } = await owner.makeBundle(CONTENT)
    for (const path of [slug, `${slug}.md`, `${slug}.json`, `${slug}/feed`]) await ask(path, 'text/markdown')
    await ask(slug, BROWSERS_ACCEPT)
    const views = async () =>
      (await owner.api<{ totals: { views: number } }>('GET', `/api/links/${slug}/insights`)).body.totals.views
    await eventually(async () => (await views()) > 0, 'a view')
    expect(await views()).toBe(1)
  })

  test('an error has the form that was asked for', async () => {
    const hour = 3_600_000
    const inHours = (hours: number) => new Date(Date.now() + hours * hour).toISOString()
    const made = async (fields: object) => (await owner.makeBundle({ ...CONTENT, ...fields })).slug
    const gone = await made({})
    await owner.api('DELETE', `/api/links/${gone}`)
    const cases: [string, number, string, RegExp][] = [
      ['nothing-here', 404, 'NOT_FOUND', /no bundle at this link/],
      [gone, 404, 'NOT_FOUND', /no bundle at this link/],
      [await made({ opensAt: inHours(30) }), 403, 'NOT_OPEN_YET', /opens at 20/],
      [
        await made({ closesAt: inHours(-1), closedNote: 'See you *next* year' }),
        410,
        'CLOSED',
        /See you \\?\*next\\?\* year/,
      ],
    ]
    for (const [slug, status, code, text] of cases) {
      const page = await ask(slug, BROWSERS_ACCEPT)
      expect([slug, page.status, page.headers.get('content-type')]).toEqual([slug, status, HTML])
      for (const [path, accept, type] of [
        [slug, 'text/markdown', MARKDOWN],
        [`${slug}.md`, '*/*', MARKDOWN],
        [slug, 'application/json', JSON_TYPE],
        [`${slug}.json`, '*/*', JSON_TYPE],
        [`${slug}/feed`, '*/*', 'text/plain; charset=utf-8'],
      ] as const) {
        const answer = await ask(path, accept)
        expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, status, type])
        expect([path, answer.headers.get('vary') === 'Accept, Accept-Encoding']).toEqual([path, path === slug])
        const said = await answer.text()
        expect([path, said]).toEqual([path, expect.stringMatching(text)])
        expect(said).not.toMatch(/Launch day|a\.example|Friday/)
        if (type === JSON_TYPE)
          expect([JSON.parse(said).code, Object.keys(JSON.parse(said))]).toEqual([code, ERROR_FIELDS])
        else expect(said).toStartWith('# ')
      }
    }
    expect((await ask(`${gone}.xml`)).headers.get('content-type')).toBe(HTML)
  })

  test('its owner reads a bundle that is not open, and nobody keeps it', async () => {
    const { slug } = await owner.makeBundle({ ...CONTENT, opensAt: new Date(Date.now() + 36e5).toISOString() })
    for (const path of [`${slug}.md`, `${slug}.json`, `${slug}/feed`]) {
      const answer = await owner.fetch(`/l/${path}`)
      expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([path, 200, 'private, no-store'])
      expect(await answer.text()).toContain('a.example')
      const { status } = await ask(path, '*/*', { 'if-none-match': answer.headers.get('etag') ?? '*' })
      expect([path, status]).toEqual([path, 403])
    }
  })

  test('rules decide what a reader gets, also by what kind of reader it is', async () => {
    const rule = (client: string, showBadge: boolean) => ({
      name: `For ${client}`,
      showBadge,
      when: { op: 'equals', field: 'client', value: client },
      tabs: [{ url: `https://${client}.example/`, note: `Only ${client}` }],
    })
    const { slug } = await owner.makeBundle({
      ...CONTENT,
      resolutionPolicy: { version: 1, rules: [rule('agent', true), rule('script', false)] },
    })
    const cases: [string, Record<string, string>, string][] = [
      [BROWSERS_ACCEPT, {}, 'a'],
      ['*/*', { 'user-agent': 'curl/8.14' }, 'script'],
      ['*/*', { 'user-agent': 'python-requests/2.32' }, 'script'],
      ['*/*', { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' }, 'script'],
      ['*/*', { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' }, 'script'],
      [
        BROWSERS_ACCEPT,
        { 'user-agent': 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0' },
        'agent',
      ],
      ['*/*', { 'user-agent': 'Claude-User (claude-code/2.1; +https://support.anthropic.com/)' }, 'agent'],
      ['text/markdown', { 'user-agent': 'curl/8.14' }, 'agent'],
      ['text/markdown, */*', {}, 'agent'],
    ]
    for (const [accept, headers, host] of cases) {
      for (const path of [slug, `${slug}.md`, `${slug}.json`]) {
        const text = await (await ask(path, accept, headers)).text()
        const hosts = ['a', 'agent', 'script'].filter((name) => text.includes(`https://${name}.example/`))
        expect([path, accept, headers, hosts]).toEqual([path, accept, headers, [host]])
      }
    }
    const agent = await jsonOf(`${slug}.json`, { 'user-agent': 'GPTBot/1.2' })
    expect(agent.matchedRule).toEqual({ id: expect.stringMatching(/^r_/), name: 'For agent' })
    expect((await jsonOf(`${slug}.json`, { 'user-agent': 'curl/8' })).matchedRule?.name).toBeNull()
    expect(await (await ask(`${slug}.md`, 'text/markdown')).text()).toContain('For: For agent')
    expect((await ask(slug, 'text/markdown')).headers.get('cache-control')).toBe('private, no-store')
    const previewed = await owner.api<{ matchedRuleName: string | null }>('POST', `/api/links/${slug}/policy/preview`, {
      viewer: { client: 'script' },
    })
    expect(previewed.body.matchedRuleName).toBe('For script')
    const wrong = await owner.api<Tabs>('POST', `/api/links/${slug}/policy/preview`, { viewer: { client: 'robot' } })
    expect([wrong.status, wrong.body.error]).toEqual([400, expect.stringContaining('viewer.client')])
  })

  test('the feed tells what changed in the tabs, newest first, and only of tabs that are there', async () => {
    const { slug } = await owner.makeBundle({ ...CONTENT, title: 'A <b>&amp; B\uffff' })
    await edit(slug, { urls: [CONTENT.urls[0]!, 'https://mistake.example/secret'] })
    await edit(slug, { title: 'Only the title' })
    await edit(slug, { urls: ['https://new.example/', CONTENT.urls[0]!], urlMetadata: [{ note: '<i>New</i>' }, {}] })
    await edit(slug, { urls: [CONTENT.urls[0]!, 'https://new.example/'] })
    await edit(slug, { title: 'A <b>&amp; B\uffff' })
    const xml = await (await ask(`${slug}/feed`)).text()
    const textsOf = (tag: string) =>
      Array.from(xml.matchAll(new RegExp(`<${tag}\\b[^>]*>([^<]*)</${tag}>`, 'g')), ([, text = '']) => unescaped(text))
    expect(textsOf('title')).toEqual([
      'A <b>&amp; B',
      'Order changed',
      '1 link added, 1 link removed, 1 link changed',
      '1 link added, 2 links removed',
      'Created with 3 links',
    ])
    expect(xml).not.toMatch(/mistake|secret|c\.example|Third/)
    expect(xml).toContain('new.example')
    expect(unescaped(textsOf('content')[1] ?? '')).toContain('<i>New</i>')
    expect(textsOf('content')[1]).not.toContain('<i>')
    const times = textsOf('updated')
    expect([times.length, times[0], times.toSorted().toReversed()]).toEqual([5, times[1]!, times])
    expect(new Set(textsOf('id')).size).toBe(5)
    expect(xml).toContain(`<link rel="self" type="application/atom+xml" href="${at().origin}/l/${slug}/feed"/>`)
  })

  test('the feed does not tell its readers of edits that they cannot see', async () => {
    const { slug } = await owner.makeBundle(CONTENT)
    const etag = (await ask(`${slug}/feed`)).headers.get('etag') ?? ''
    await edit(slug, { externalId: 'hidden', metadata: { of: 'the owner' } })
    await edit(slug, { closedNote: 'Only later' })
    expect((await ask(`${slug}/feed`, '*/*', { 'if-none-match': etag })).status).toBe(304)
  })

  test('of a bundle with rules, the feed follows the tabs of its reader', async () => {
    const policy = (url: string) => ({
      version: 1,
      rules: [{ name: 'Agents', when: { op: 'equals', field: 'client', value: 'agent' }, tabs: [{ url }] }],
    })
    const { slug } = await owner.makeBundle({ urls: [URL_A], resolutionPolicy: policy('https://inner.example/1') })
    await edit(slug, { resolutionPolicy: policy('https://inner.example/2') })
    await edit(slug, { urls: [URL_A, 'https://outer.example/'] })
    const read = async (userAgent: string) => (await ask(`${slug}/feed`, '*/*', { 'user-agent': userAgent })).text()
    const [person, agent] = [await read(BROWSER), await read('Claude-User/1.0')]
    expect(person).not.toContain('inner.example')
    expect([person.includes('outer.example'), person.split('<entry>').length - 1]).toEqual([true, 2])
    expect(agent).not.toMatch(/outer\.example|inner\.example\/1/)
    expect([agent.includes('inner.example/2'), agent.split('<entry>').length - 1]).toEqual([true, 2])
  })

  test('the feed of a bundle that is open compares only its open versions', async () => {
    const open = { access: 'link', title: 'open' }
    const { slug } = await owner.makeBundle({ urls: [URL_A], access: 'password', password: 'four stairs down' })
    await edit(slug, { ...open, urls: [URL_A, 'https://second.example/'] })
    await edit(slug, { access: 'password', password: 'four stairs down', urls: ['https://hidden.example/'] })
    await edit(slug, { ...open, urls: ['https://second.example/', 'https://third.example/'] })
    const xml = await (await ask(`${slug}/feed`)).text()
    const ids = Array.from(xml.matchAll(/feed#v(\d+)</g), ([, number]) => Number(number))
    expect([ids, xml.includes('hidden.example'), xml.includes('1 link added, 1 link removed')]).toEqual([
      [4, 2],
      false,
      true,
    ])
  })

  test('an edit makes a feed anew', async () => {
    const { slug } = await owner.makeBundle({ urls: [URL_A] })
    const entries = async () => (await (await ask(`${slug}/feed`)).text()).split('<entry>').length - 1
    const before = [await entries(), await entries()]
    await edit(slug, { urls: [URL_A, 'https://second.example/'] })
    expect([...before, await entries()]).toEqual([1, 1, 2])
  })

  test('the feed has the newest fifty changes', async () => {
    const { slug } = await owner.makeBundle({ urls: [URL_A] })
    for (let number = 2; number <= 55; number += 1) {
      await edit(slug, { urls: [URL_A, `https://n${number}.example/`] })
    }
    const xml = await (await ask(`${slug}/feed`)).text()
    const ids = Array.from(xml.matchAll(/feed#v(\d+)</g), ([, number]) => Number(number))
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([50, 55, 6])
  })
})
