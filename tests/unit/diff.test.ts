import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { UrlMetadata } from '../../db/schema.ts'
import {
  CHOICE_NAMES,
  CONTENT,
  each,
  eachScalar,
  eachValue,
  NOTHING,
  SWITCH_NAMES,
  textOf,
} from '../../src/bundles/content/content.ts'
import { type BundleDiff, type Content, diff, diffLinks, type Entry, isSame } from '../../src/bundles/content/diff.ts'
import type { Link } from '../../src/bundles/links/link-fields.ts'
import { prng } from '../prng.ts'
import { workRatio } from '../work.ts'

setDefaultTimeout(180_000)

const [A, B, C, D, E] = ['a', 'b', 'c', 'd', 'e'].map((name) => `https://${name}.example/`) as [
  string,
  string,
  string,
  string,
  string,
]

/** A bundle of URLs, some with metadata. */
function bundle(...links: (string | ({ url: string } & UrlMetadata))[]): Content {
  const whole = links.map((link) => (typeof link === 'string' ? { url: link } : link))
  return {
    ...NOTHING,
    urls: whole.map(({ url }) => url),
    urlMetadata: whole.map(({ url: _, ...metadata }) => metadata),
  }
}

/** An entry as a sentence. */
function said(entry: Entry<Link>): string {
  if (entry.kind === 'added') return `+${entry.to} ${entry.value.url}`
  if (entry.kind === 'removed') return `-${entry.from} ${entry.value.url}`
  const move = entry.isMoved ? `${entry.from}>${entry.to}` : String(entry.to)
  return [`=${move} ${entry.value.url}`, ...Object.keys(entry.changes)].join(' ')
}

const links = (before: Content, after: Content) => diff(before, after).links.map(said)

describe('links', () => {
  test('that are equal have no differences', () => {
    const same = bundle(A, { url: B, note: 'x', tags: ['t'], openPolicy: 'manual' })
    expect(isSame(diff(same, structuredClone(same)))).toBe(true)
  })

  test('without metadata are the same as with empty metadata', () => {
    expect(links(bundle(A), bundle({ url: A, note: '', tags: [], openPolicy: 'auto' }))).toEqual([])
  })

  test('that are added and removed are listed in their order', () => {
    expect(links(bundle(A, B, C), bundle(A, D, C, E))).toEqual([`-1 ${B}`, `+1 ${D}`, `+3 ${E}`])
    expect(links(bundle(A, B), bundle(C))).toEqual([`-0 ${A}`, `-1 ${B}`, `+0 ${C}`])
  })

  test('that are moved are found with as few moves as possible', () => {
    expect(links(bundle(A, B, C, D, E), bundle(E, A, B, C, D))).toEqual([`=4>0 ${E}`])
    expect(links(bundle(A, B, C, D, E), bundle(B, C, D, A, E))).toEqual([`=0>3 ${A}`])
  })

  test('are not called moved because of links added or removed above them', () => {
    expect(links(bundle(A, B, C), bundle(D, E, B, C))).toEqual([`-0 ${A}`, `+0 ${D}`, `+1 ${E}`])
  })

  test('say which of their fields changed', () => {
    const before = bundle({ url: A, note: 'one', tags: ['x'] }, B)
    const after = bundle({ url: A, note: 'two', openPolicy: 'manual' }, B)
    const [entry] = diff(before, after).links
    expect(entry).toMatchObject({
      kind: 'kept',
      isMoved: false,
      changes: {
        note: { from: 'one', to: 'two' },
        tags: { from: ['x'], to: [] },
        openPolicy: { from: 'auto', to: 'manual' },
      },
    })
  })

  test('are recognised after an edit in place, by their host or their note', () => {
    expect(links(bundle(A, `${B}old`, C), bundle(D, A, `${B}new`, C))).toEqual([`+0 ${D}`, `=2 ${B}new url`])
    expect(links(bundle(A, { url: B, note: 'Agenda' }, C), bundle(A, { url: D, note: 'Agenda' }, C))).toEqual([
      `=1 ${D} url`,
    ])
    // Elsewhere, a link with the same host is a different link.
    expect(links(bundle(`${A}1`, B, C), bundle(B, C, `${A}2`))).toEqual([`-0 ${A}1`, `+2 ${A}2`])
  })

  test('that occur twice are distinguished by their metadata', () => {
    const [one, two] = [
      { url: A, note: 'one' },
      { url: A, note: 'two' },
    ]
    expect(links(bundle(one, two), bundle(two))).toEqual([`-0 ${A}`])
    expect(links(bundle(one, B), bundle(one, B, one))).toEqual([`+2 ${A}`])
  })
})

describe('rules', () => {
  const rule = (name: string, more: object = {}) => ({
    name,
    when: { op: 'signedIn' } as const,
    tabs: [{ url: A }],
    ...more,
  })
  const ruled = (...rules: ReturnType<typeof rule>[]): Content => ({ ...bundle(A), resolutionPolicy: { rules } })

  test('no policy is the same as one without rules', () => {
    expect(isSame(diff(bundle(A), ruled()))).toBe(true)
  })

  test('are recognised by their id, then by their name', () => {
    const one = rule('one', { id: 'r_0000000001' })
    expect(diff(ruled(one), ruled({ ...one, name: 'uno' })).rules).toMatchObject([
      { kind: 'kept', changes: { name: { from: 'one', to: 'uno' } } },
    ])
    const draft = diff(ruled(one), ruled(rule('one', { tabs: [{ url: B }] }))).rules
    expect(draft).toMatchObject([{ kind: 'kept', changes: { id: { from: 'r_0000000001', to: '' } } }])
    const [entry] = draft
    const tabs = entry?.kind === 'kept' ? entry.changes.tabs : undefined
    expect(diffLinks(tabs?.from ?? [], tabs?.to ?? []).map(said)).toEqual([`-0 ${A}`, `+0 ${B}`])
  })

  test('that swap places are moved, because the first match wins', () => {
    expect(diff(ruled(rule('one'), rule('two')), ruled(rule('two'), rule('one'))).rules).toMatchObject([
      { kind: 'kept', isMoved: true, value: { name: 'two' }, changes: {} },
    ])
  })
})

describe('for any change of a bundle', () => {
  const next = prng(20_26)
  const below = (most: number) => Math.floor(next() * most)
  const pick = <T>(from: readonly T[]) => from[below(from.length)] as T
  const URLS = [A, `${A}x`, `${A}y`, B, C, `${C}?q=1`, D]
  const NAMES = ['one', 'two', 'three', 'four']
  const VARIABLES = [{ name: 'id' }, { name: 'range', options: ['7d', '30d'] }, { name: 'region', label: 'Region' }]
  const NOTES = [undefined, '', 'Agenda', 'Notes']
  const link = () => ({
    url: pick(URLS),
    note: pick(NOTES),
    tags: pick([undefined, [], ['x'], ['x', 'y']]),
    openPolicy: pick([undefined, 'auto', 'manual'] as const),
  })
  const some = <T>(most: number, make: () => T) => Array.from({ length: below(most + 1) }, make)
  const content = (): Content => {
    const all = some(9, link)
    const names = some(4, () => pick(NAMES)).filter((name, at, every) => every.indexOf(name) === at)
    return {
      ...eachValue(() => pick([null, '', 'Plan', 'Plan B', 'More words'])),
      ...each(CHOICE_NAMES, (name) => pick([...CONTENT[name].options])),
      ...each(SWITCH_NAMES, () => pick([true, false])),
      urls: all.map(({ url }) => url),
      urlMetadata: all.map(({ url: _, ...metadata }) => JSON.parse(JSON.stringify(metadata))),
      variables: some(3, () => pick(VARIABLES)).filter((variable, at, every) => every.indexOf(variable) === at),
      resolutionPolicy: pick([
        null,
        {
          rules: names.map((name) => ({
            id: pick(['', `r_${name}`]),
            name,
            showBadge: pick([undefined, true]),
            when: pick([{ op: 'signedIn' }, { op: 'exists', field: 'country' }] as const),
            tabs: some(3, link).map(({ url, note }) => ({ url, note })),
          })),
        },
      ]),
    }
  }
  const edited = ({ urls, urlMetadata, ...rest }: Content): Content => {
    const all = urls.map((url, at) => ({ url, ...urlMetadata[at] }))
    for (let edits = below(4); edits > 0; edits -= 1) {
      const at = below(all.length + 1)
      if (next() < 0.4) all.splice(at, 0, ...(next() < 0.5 ? all.splice(below(all.length), 1) : [link()]))
      else if (next() < 0.5) all.splice(at, 1)
      else if (at < all.length) all[at] = { ...all[at]!, ...link() }
    }
    return { ...rest, urls: all.map(({ url }) => url), urlMetadata: all.map(({ url: _, ...metadata }) => metadata) }
  }

  test('the differences, applied to the old version, give the new one', () => {
    for (let round = 0; round < 5000; round += 1) {
      const before = content()
      const after = next() < 0.5 ? edited(before) : content()
      const [from, to] = [whole(before), whole(after)]
      expect(applied(from, diff(before, after))).toEqual(to)
      expect(isSame(diff(before, after))).toBe(Bun.deepEquals(from, to))
    }
  })

  test('nothing is reported that did not change', () => {
    for (let round = 0; round < 2000; round += 1) {
      const before = content()
      const after = edited(before)
      for (const entry of diff(before, after).links) {
        if (entry.kind !== 'added') expect(before.urls[entry.from]).toBeDefined()
        if (entry.kind === 'kept') {
          expect(entry.isMoved || Object.keys(entry.changes).length > 0).toBe(true)
          expect(entry.changes.url?.from ?? entry.value.url).toBe(before.urls[entry.from] ?? '')
        }
      }
    }
  })
})

test('comparing the longest lists takes time close to linear', async () => {
  const compare = (length: number) => () => {
    const many = Array.from({ length }, (_, at) => `https://example.com/${at % 50}`)
    diff(bundle(...many), bundle(...many.toReversed()))
  }
  // Linear would be 8 times, comparing every pair 64.
  expect(await workRatio(compare(4000), compare(500), 30)).toBeLessThan(30)
})

/** A complete bundle: the difference to nothing. */
function whole(content: Content) {
  const { fields, links, rules } = diff(NOTHING, content)
  return {
    texts: eachScalar((name) => fields[name]?.to ?? textOf(NOTHING[name])),
    links: links.map(({ value }) => value),
    rules: rules.map(({ value }) => value),
  }
}

function applied(before: ReturnType<typeof whole>, { fields, links, rules }: BundleDiff) {
  return {
    texts: eachScalar((name) => fields[name]?.to ?? before.texts[name]),
    links: appliedList(before.links, links),
    rules: appliedList(before.rules, rules),
  }
}

/** Puts every entry at its stated place; the rest fills the gaps in order. */
function appliedList<T extends object>(before: readonly T[], entries: readonly Entry<T>[]): T[] {
  const gone = new Set<number>()
  const placed = new Map<number, T>()
  for (const entry of entries) {
    if (entry.kind !== 'added') gone.add(entry.from)
    if (entry.kind === 'added') placed.set(entry.to, entry.value)
    if (entry.kind === 'kept') {
      const news = Object.entries(entry.changes).map(([field, change]) => [field, (change as { to: unknown }).to])
      placed.set(entry.to, { ...before[entry.from]!, ...Object.fromEntries(news) })
    }
  }
  const rest = before.filter((_, at) => !gone.has(at))
  return Array.from({ length: rest.length + placed.size }, (_, at) => placed.get(at) ?? rest.shift()!)
}
