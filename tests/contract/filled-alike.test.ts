import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { checkLinks } from '../../src/core/fixed-links.js'
import { fillLink, isComplete, readValues } from '../../src/core/template.js'
import { type InProcess, startInProcess } from '../in-process.ts'
import { newPerson, type Person } from '../people.ts'
import { fieldsOf, type Seeded, seeded } from '../seeded-bundles.ts'
import { elementsOf } from './html.ts'

setDefaultTimeout(180_000)

// Whoever asks, and by whatever way, gets the same tabs of a filled launcher: 2,000 bundles with variables and rules, the
// same in each run, are read through every door and compared with a reading of a line.

const BUNDLES = 2000
const AT_ONCE = 8
const CLIENT = { 'user-agent': 'Mozilla/5.0 Firefox/153.0', accept: 'text/html' }

interface Told {
  tabs: { url: string }[]
  missing: string[]
  invalid: { name: string; message: string }[]
}

let server: InProcess
let owner: Person
beforeAll(async () => {
  server = await startInProcess({
    SERVICE_PLAN_FREE_MAX_BUNDLES: String(BUNDLES),
    SERVICE_CLIENT_IP_HEADER: 'x-client',
  })
  owner = await newPerson(server)
})
afterAll(() => server?.stop())

/** The tabs by a naive reading: the first rule that matches, and each link with its values, encoded. */
function expected({ urls, variables, rules, sent }: Seeded): { urls: string[]; isWhole: boolean } {
  const given = new Map(sent.map(([name, text]) => [name, text.trim()]))
  const values = new Map<string, string>()
  for (const { name, default: fallback, options } of variables) {
    const value = given.get(name) || fallback
    if (value !== undefined && value.length <= 200 && !value.includes('\n') && (options?.includes(value) ?? true))
      values.set(name, value)
  }
  const rule = rules.find(({ when: { op, field, value } }) => {
    const own = values.get(field.slice('query.'.length))
    return op === 'equals' ? own === value : own?.startsWith(value)
  })
  const links = rule?.tabs.map(({ url }) => url) ?? urls
  const fill = (link: string) =>
    link.replace(/\{(\w+)\}/g, (place, name) =>
      values.has(name) ? encodeURIComponent(values.get(name)!).replace(/'/g, '%27') : place,
    )
  // A step up or nowhere: of a value between slashes only.
  const isWhole =
    values.size === variables.length &&
    links.every((link) => !/\/\.{1,2}(?:\/|$)/.test(fill(link).split(/[?#]/)[0]!.slice(8)))
  return { urls: isWhole ? links.map(fill) : links, isWhole }
}

/** What a launcher’s page has for its script and without it. */
function pageOf(html: string, variables: Seeded['variables'], sent: Seeded['sent']) {
  const tabs = elementsOf(html).filter(({ tag, attributes }) => tag === 'a' && attributes.class === 'tab')
  const templates = tabs.map(({ attributes }) => attributes['data-link'] ?? attributes.href ?? '')
  const given = new Map(sent)
  const filling = checkLinks(
    readValues(variables, (name) => given.get(name)),
    templates,
  )
  const isWhole = isComplete(filling)
  return {
    served: tabs.map(({ attributes }) => attributes.href ?? attributes['data-link'] ?? ''),
    byScript: templates.map((template) => (isWhole ? fillLink(template, filling.values) : template)),
  }
}

function linksIn(markdown: string): string[] {
  return [...markdown.matchAll(/^(?:\d+\.|-) .*?\]\(<?(https:[^)>\s]+)>?\)/gm)].map(([, url = '']) => url)
}

test('2,000 bundles with variables and rules are filled alike by every door', async () => {
  const wrong: unknown[] = []
  let whole = 0
  const one = async (seed: number) => {
    const bundle = seeded(seed)
    const { variables, sent } = bundle
    const made = await server.ask('/api/links', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        cookie: [...owner.cookies].map((pair) => pair.join('=')).join('; '),
      },
      body: JSON.stringify(fieldsOf(bundle)),
    })
    const { slug, error } = (await made.json()) as { slug: string; error?: string }
    if (made.status !== 201) throw new Error(`${seed}: ${error}`)
    const query = new URLSearchParams(sent)
    const read = async (path: string) => {
      const answer = await server.ask(`${path}?${query}`, {
        headers: { ...CLIENT, 'x-client': `10.0.${seed >> 8}.${seed & 255}` },
      })
      return answer.text()
    }
    const should = expected(bundle)
    if (should.isWhole) whole += 1
    const json = JSON.parse(await read(`/l/${slug}.json`)) as Told
    const api = JSON.parse(await read(`/api/links/${slug}/tabs`)) as Told
    const { served, byScript } = pageOf(await read(`/l/${slug}`), variables, sent)
    const markdown = await read(`/l/${slug}.md`)
    const bookmarks = elementsOf(await read(`/l/${slug}/bookmarks.html`)).flatMap(({ tag, attributes }) =>
      tag === 'a' ? [attributes.href ?? ''] : [],
    )
    const doors = {
      // While something is missing, the page fills what it can; then nothing opens.
      ...(should.isWhole ? { page: served, script: byScript, markdown: linksIn(markdown) } : {}),
      json: json.tabs.map(({ url }) => url),
      api: api.tabs.map(({ url }) => url),
      bookmarks,
    }
    for (const [door, links] of Object.entries(doors)) {
      const [found, right] = [links, should.urls].map((urls) => urls.map((url) => new URL(url).href))
      if (JSON.stringify(found) !== JSON.stringify(right)) wrong.push({ seed, door, links, right, sent })
    }
    const isWhole = json.missing.length + json.invalid.length === 0
    if (isWhole !== should.isWhole) wrong.push({ seed, json, sent })
  }
  for (let seed = 0; seed < BUNDLES; seed += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => one(seed + at)))
    if (wrong.length > 5) break
  }
  expect(wrong).toEqual([])
  expect(whole).toBeGreaterThan(BUNDLES / 5)
})
