import { afterAll, beforeAll, expect, test } from 'bun:test'
import { GUIDES } from '../../src/api/guides.ts'
import { startInProcess } from '../in-process.ts'
import { newPerson, type Person } from '../people.ts'
import { RUNTIMES, type Server } from '../server.ts'
import { startOn } from '../targets.ts'
import { blocksOf, pageOf } from './run.ts'

let server: Server
let person: Person
beforeAll(async () => {
  server = await startInProcess()
  person = await newPerson(server)
})
afterAll(() => server.stop())

const get = async (path: string) => (await fetch(server.origin + path)).text()

test.each(RUNTIMES)('on %s guides are pages, and Markdown with .md', async (runtime) => {
  const own = await startOn({ name: runtime, runtime, store: 'file' })
  for (const [path, type] of [
    ['/docs/quick-start', 'text/html; charset=utf-8'],
    ['/docs/quick-start.md', 'text/markdown; charset=utf-8'],
  ] as const) {
    const answer = await fetch(own.origin + path)
    expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, type])
    expect(await answer.text()).toContain('Bring your team')
    expect((await fetch(own.origin + path, { method: 'HEAD' })).status).toBe(200)
    expect((await fetch(own.origin + path, { method: 'POST' })).status).toBe(405)
  }
  for (const path of [
    '/docs/decisions',
    '/docs/decisions/launcher',
    '/docs/..%2fREADME',
    '/docs/constructor',
    '/docs/editor.png',
  ]) {
    expect([path, (await fetch(own.origin + path)).status]).toEqual([path, 404])
  }
  await own.stop()
})

test('every link of every guide leads to an existing page and heading of the service', async () => {
  const pages = new Map<string, string>(
    await Promise.all(GUIDES.map(async (name) => [`/docs/${name}`, await get(`/docs/${name}`)] as const)),
  )
  const broken: string[] = []
  for (const [path, html] of pages) {
    const ids = Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id]) => id)
    expect([path, ids.length]).toEqual([path, new Set(ids).size])
    for (const [, href = ''] of html.matchAll(/<a [^>]*href="([^"]+)"/g)) {
      const [, place = '', anchor] = /^([^#]*)(?:#(.*))?$/.exec(href) ?? []
      if (/^\w+:/.test(place) || ['/', '/docs', '/dashboard'].includes(place)) continue
      const target = place === '' ? html : pages.get(place)
      if (target === undefined || (anchor !== undefined && !target.includes(`id="${anchor}"`)))
        broken.push(`${path}: ${href}`)
    }
  }
  expect(broken).toEqual([])
})

test('guides show their pictures, and no other file of the folder is served', async () => {
  const html = (await Promise.all(GUIDES.map((guide) => get(`/docs/${guide}`)))).join('')
  const shown = Array.from(html.matchAll(/<img src="(\/docs\/[^"]+)" alt="([^"]+)"/g))
  expect(shown.length).toBeGreaterThanOrEqual(3)
  for (const [, path = ''] of shown) {
    const answer = await fetch(server.origin + path)
    expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, 'image/png'])
    const picture = await answer.bytes()
    expect([path, new TextDecoder('latin1').decode(picture.subarray(1, 4))]).toEqual([path, 'PNG'])
    expect(picture.length).toBeLessThan(100_000)
  }
  for (const path of ['/docs/pictures/nothing.png', '/docs/pictures/..%2feditor.png', '/docs/pictures/constructor'])
    expect([path, (await fetch(server.origin + path)).status]).toEqual([path, 404])
})

test('the guides are linked from the home page, the reference, the dashboard and the text for agents', async () => {
  const dashboard = await (await person.fetch('/dashboard')).text()
  for (const html of [await get('/'), await get('/docs'), dashboard]) expect(html).toContain('href="/docs/quick-start"')
  const agents = await get('/llms.txt')
  for (const name of GUIDES) expect(agents).toContain(`${server.origin}/docs/${name}.md`)
})

test('guides are listed in four groups, each guide once', async () => {
  const html = await get('/docs/variables')
  const [, list = ''] = /<div class="beside">(.*?)<\/div>/s.exec(html) ?? []
  expect(Array.from(list.matchAll(/<p class="label">(\w+)<\/p>/g), ([, group]) => group)).toEqual([
    'Use',
    'Team',
    'Build',
    'Run',
  ])
  expect(Array.from(list.matchAll(/href="\/docs\/([\w-]+)"/g), ([, name = '']) => name)).toEqual([...GUIDES])
  const pages = [...new Bun.Glob('*.md').scanSync('docs')].map((file) => file.replace('.md', ''))
  expect(pages.sort()).toEqual([...GUIDES].sort())
})

test('the reference begins with a first call, and each dry run stands below its operation', async () => {
  const html = await get('/docs')
  const [main = ''] = /<main.*<\/main>/s.exec(html) ?? []
  expect(main.indexOf('<code>curl')).toBeLessThan(main.indexOf('Answers and errors are JSON'))
  const sections = Array.from(main.matchAll(/<section class="operation" id="(\w+)"/g), ([, id = '']) => id)
  const dry = sections.filter((id) => id.endsWith('_dry_run'))
  expect(dry.length).toBeGreaterThan(3)
  for (const id of dry) expect(`${sections[sections.indexOf(id) - 1]}_dry_run`).toBe(id)
  for (const id of dry) expect(html).toContain(`<a href="#${id}">Dry run</a>`)
})

test('code is shown as written, and tables have headings', async () => {
  const html = await get('/docs/cookbook')
  expect(html).toContain('<code>{\n  &quot;version&quot;: 1,')
  expect(html).toContain('<th scope="col">viewer</th>')
})

const recipes = pageOf('cookbook.md').split(/^## /m).slice(1)
test.each(recipes.map((recipe) => [recipe.split('\n', 1)[0] ?? '', recipe] as const))(
  'the recipe “%s” shows what its table says',
  async (_, recipe) => {
    const resolutionPolicy = JSON.parse(blocksOf(recipe, 'json')[0] ?? '')
    const { slug } = await person.makeBundle({ resolutionPolicy })
    const rows = [...recipe.matchAll(/^\| `(.*?)`\s*\| (.*?)\s*\|$/gm)]
    expect(rows.length).toBeGreaterThan(1)
    for (const [, viewer = '', gets] of rows) {
      const { body } = await person.api('POST', `/api/links/${slug}/policy/preview`, { viewer: JSON.parse(viewer) })
      expect([viewer, body.matchedRuleName ?? 'the default tabs', body.warnings]).toEqual([viewer, gets, []])
    }
  },
)

test('there are ten recipes', () => expect(recipes).toHaveLength(10))

const TAB_MANAGERS = ['OneTab', 'Toby', 'Workona', 'Session Buddy', 'Tab Session Manager']

test.each(['Linktree', 'Dub', 'Bitly', 'Shlink', ...TAB_MANAGERS])(
  'an export of %s is imported as the guide says',
  async (name) => {
    const own = await newPerson(server)
    const section =
      pageOf('moving.md')
        .split(/^## /m)
        .find((one) => one.startsWith(`${name}\n`)) ?? ''
    const [, sample = ''] = /^```\w+\n(.*?)^```$/ms.exec(section) ?? []
    if (TAB_MANAGERS.includes(name)) {
      const preview = await own.fetch('/dashboard/links/import', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({ do: 'read', text: sample }).toString(),
      })
      expect(await preview.text()).toContain(`Read as a ${name} export`)
    }
    const made = await own.publish({ urls: sample }, { 'sec-fetch-site': 'same-origin' })
    expect([made.status, made.status === 303 ? '' : await made.text()]).toEqual([303, ''])
    const { body } = await own.api<{
      bundles: { urls: string[]; urlMetadata: { note?: string; tags?: string[] }[] }[]
    }>('GET', '/api/me/links')
    const [bundle] = body.bundles
    expect(bundle?.urls.slice(0, 2).map((url) => url.replace(/\?.*/, ''))).toEqual([
      'https://acme.example/launch',
      'https://docs.acme.example/',
    ])
    expect(bundle?.urlMetadata[0]?.note).toStartWith('Launch page')
    if (['Dub', 'Bitly', 'Shlink', 'Toby', 'Tab Session Manager'].includes(name))
      expect(bundle?.urlMetadata[0]?.tags).toContain('launch')
  },
)
