import { beforeAll, expect, test } from 'bun:test'
import type { LauncherTabs } from '../../src/launcher/answers.ts'
import { newPerson, type Person, Visitor } from '../people.ts'
import { prng } from '../prng.ts'
import { onEveryTarget } from '../targets.ts'

interface Preview {
  matchedRuleId: string | null
  matchedRuleName: string | null
  tabs: { url: string; note?: string }[]
  warnings: { path: string; message: string }[]
  error?: string
}

const VALUES = ['', ' ', 'a', 'A b', 'eu-1', 'EU-2', '..', 'x/y?z', '\u202e', 'ü', 'x'.repeat(201), '{part}']
const NAMES = ['customer', 'part', 'region'] as const
const OPTIONS = ['EU', 'us', 'a']

/** Bundles with variables and rules on them, reproducible from a seed. */
class RandomBundles {
  constructor(readonly next: () => number) {}

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)]!
  }

  bundle() {
    const names = NAMES.slice(0, 1 + Math.floor(this.next() * NAMES.length))
    const variables = names.map((name) => {
      const hasDefault = this.next() < 0.5
      if (name === 'region') return { name, options: OPTIONS, ...(hasDefault ? { default: 'EU' } : {}) }
      return { name, ...(hasDefault ? { default: this.pick(['a', 'eu-0']) } : {}) }
    })
    const link = (at: number | string) =>
      `https://tab-${at}.example/${names.map((name) => `{${name}}`).join('/')}?q={part}`
    const rules = Array.from({ length: 1 + Math.floor(this.next() * 5) }, (_, at) => ({
      name: `rule ${at}`,
      showBadge: true,
      when: this.condition(2),
      tabs: [{ url: link(at), note: `Of {customer}, ${at}` }, { url: 'https://plain.example/' }],
    }))
    return { variables, urls: [link('own')], resolutionPolicy: { version: 1, rules } }
  }

  condition(depth: number): object {
    if (depth > 0 && this.next() < 0.4) {
      const op = this.pick(['and', 'or', 'not'])
      const of = Array.from({ length: op === 'not' ? 1 : 2 }, () => this.condition(depth - 1))
      return { op, of }
    }
    const field = `query.${this.pick([...NAMES, 'ref'])}`
    const op = this.pick(['exists', 'equals', 'in', 'startsWith', 'contains'])
    if (op === 'exists') return { op, field }
    const value = this.pick(['a', 'EU', 'eu-', 'us', 'x', 'Ü'])
    return op === 'in' ? { op, field, values: [value, 'a b'] } : { op, field, value }
  }

  query(): Record<string, string> {
    const names = [...NAMES, 'ref'].filter(() => this.next() < 0.7)
    return Object.fromEntries(
      names.map((name) => [name, this.pick(name === 'region' && this.next() < 0.7 ? OPTIONS : VALUES)]),
    )
  }
}

onEveryTarget({}, (server) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(server())
  })
  const preview = (slug: string, input: object) =>
    owner.api<Preview>('POST', `/api/links/${slug}/policy/preview`, input)

  test('the launcher chooses and fills as the preview says, by both forms of address', async () => {
    const random = new RandomBundles(prng(20261125))
    const { slug } = await owner.makeBundle()
    const viewer = new Visitor(server())
    const seen = { matched: 0, asked: 0, filled: 0 }
    for (let round = 0; round < 30; round += 1) {
      const bundle = random.bundle()
      expect((await owner.api('PATCH', `/api/links/${slug}`, { ...bundle, urlMetadata: [] })).status).toBe(200)
      for (let viewers = 0; viewers < 8; viewers += 1) {
        const query = random.query()
        const { status, body } = await preview(slug, { viewer: { query } })
        expect(status).toBe(200)
        for (const address of addressesOf(slug, query)) {
          const json = (await (
            await viewer.fetch(address, { headers: { accept: 'application/json' } })
          ).json()) as LauncherTabs
          const html = await (await viewer.fetch(address, { headers: { accept: 'text/html' } })).text()
          const tried = {
            rule: body.matchedRuleId,
            badge: body.matchedRuleName,
            tabs: body.tabs.map(({ url, note = null }) => ({ url, note })),
            refused: body.warnings.filter(({ path }) => path.startsWith('viewer.')).map(({ path }) => path),
          }
          expect({ address, ...tried }).toEqual({
            address,
            rule: json.matchedRule?.id ?? null,
            badge: /For: (rule \d)/.exec(html)?.[1] ?? null,
            tabs: json.tabs.map(({ url, note }) => ({ url, note })),
            refused: json.invalid.map(({ name }) => `viewer.query.${name}`),
          })
          const isFilled = json.missing.length + json.invalid.length === 0
          for (const { url } of isFilled ? body.tabs : []) {
            expect(html).toContain(`href="${new URL(url).href.replaceAll('&', '&amp;')}"`)
          }
          seen[isFilled ? 'filled' : 'asked'] += 1
          if (body.matchedRuleId !== null) seen.matched += 1
        }
      }
    }
    // Both happen often, so that the comparison means something.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(100)
  }, 180_000)

  test('a preview tells what is refused, and refuses a draft whose placeholders lead elsewhere', async () => {
    const { slug } = await owner.makeBundle({
      urls: ['https://crm.example/{customer}'],
      variables: [
        { name: 'customer', label: 'Customer number' },
        { name: 'region', options: ['eu', 'us'] },
      ],
    })
    const refused = await preview(slug, { viewer: { query: { customer: '..', region: 'asia' } } })
    expect(refused.body.warnings).toEqual([
      { path: 'viewer.query.region', message: 'is refused: choose one of: eu, us' },
      {
        path: 'viewer.query.customer',
        message: 'is refused: use another value: with this one, a link would lead elsewhere',
      },
    ])
    const elsewhere = await preview(slug, { viewer: { query: { customer: '..', region: 'eu' } } })
    expect(elsewhere.body.warnings.map(({ path }) => path)).toEqual(['viewer.query.customer'])
    expect(elsewhere.body.tabs).toEqual([{ url: 'https://crm.example/{customer}' }])
    const rule = (url: string, field = 'query.customer') => ({
      version: 1,
      rules: [{ name: 'EU', when: { op: 'exists', field }, tabs: [{ url }] }],
    })
    const draft = await preview(slug, { resolutionPolicy: rule('https://{customer}.example/') })
    expect([draft.status, draft.body.error]).toEqual([
      400,
      expect.stringMatching(/^resolutionPolicy\.rules\[0\]\.tabs\[0\]\.url has \{customer\} before its path/),
    ])
    const typo = { resolutionPolicy: rule('https://eu.example/{customer}', 'query.custmer') }
    const warnings = [
      { path: 'resolutionPolicy.rules[0].when', message: 'query.custmer: no such variable (customer?)' },
    ]
    expect((await preview(slug, typo)).body.warnings).toEqual(warnings)
    const dry = await owner.api<Preview>('PATCH', `/api/links/${slug}/dry-run`, typo)
    expect([dry.status, dry.body.warnings]).toEqual([200, warnings])
  })
})

/** The addresses that send a query: the first variable’s value may also stand in the path. */
function addressesOf(slug: string, { customer, ...rest }: Record<string, string>): string[] {
  const all = new URLSearchParams(customer === undefined ? rest : { customer, ...rest })
  const address = `/l/${slug}?${all}`
  // What browsers resolve as steps, or cannot be told from no value, has no form as a path.
  if (customer === undefined || customer.trim() === '' || customer === '..') return [address]
  return [address, `/l/${slug}/${encodeURIComponent(customer)}?${new URLSearchParams(rest)}`]
}
