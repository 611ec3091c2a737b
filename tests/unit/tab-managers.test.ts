import { describe, expect, test } from 'bun:test'
import { type } from 'arktype'
import { NewBundle } from '../../src/bundles/content/shapes.ts'
import { readImport, readList, readSections, toNewBundle } from '../../src/imports/import.ts'
import { IMPORT_BOUNDS } from '../../src/imports/plan.ts'

/** Each bundle's title, and its links as URL, note, section and tags. */
function read(json: unknown): unknown[] {
  const { format, bundles } = readImport(JSON.stringify(json))
  for (const bundle of bundles) expect(NewBundle(toNewBundle(bundle))).not.toBeInstanceOf(type.errors)
  return [
    format,
    ...bundles.map(({ title, links }) => [
      title,
      ...links.map(({ url, metadata: { note = '', section = '', tags = [] } }) =>
        [url, note, section, tags.join(' ')].filter((text) => text !== '').join(' · '),
      ),
    ]),
  ]
}

const A = 'https://a.example/'
const B = 'https://b.example/'

test('Toby: a bundle of each collection, with its labels as tags', () => {
  const card = { title: 'A', url: A, customTitle: 'The plan', customDescription: 'Read first' }
  const lists = [
    {
      title: 'Work',
      labels: ['now', 7],
      cards: [card, { title: B, url: B }, { title: 'Settings', url: 'chrome://x' }],
    },
    { title: 'Empty', cards: [] },
    { title: 'Home', cards: [{ url: B }] },
  ]
  const expected = ['toby', ['Work', `${A} · The plan\nRead first · now`, `${B} · now`], ['Home', B]]
  expect(read({ version: 3, lists })).toEqual(expected)
  expect(read({ lists })).toEqual(expected)
})

test('Workona: a bundle of each workspace, whose resources keep their sections', () => {
  const workspace = {
    title: 'Launch',
    resources: { r: { title: 'Before', resources: { 1: { title: 'Plan', url: A, description: 'Read first' } } } },
    tabs: { t: { title: 'News', url: B } },
    notes: { n: { title: 'x', notes: { 1: { title: 'y', description: { lines: [] } } } } },
  }
  const json = {
    User: {},
    Workspaces: {
      s: { title: 'Acme', workspaces: { w: workspace, v: { title: 'Only tabs', resources: {}, tabs: [{ url: B }] } } },
    },
    'Archived Workspaces': {
      s: { title: '', workspaces: { w: { title: 'Old', tabs: { t: { title: 'A', url: A } } } } },
    },
    'My Tasks': {},
  }
  expect(read(json)).toEqual([
    'workona',
    ['Acme / Launch', `${A} · Plan\nRead first · Before`, `${B} · News · Tabs`],
    ['Acme / Only tabs', B],
    ['Old', `${A} · A`],
  ])
})

test('Session Buddy: collections of version 4 and sessions of version 3; its history only if there is nothing else', () => {
  const links = [{ url: A, title: 'A', favIconUrl: 'data:image/png;base64,x' }]
  const tabs = [{ url: B, title: 'B' }]
  const history = [
    { id: 2, windows: [{ tabs }] },
    { id: 1, windows: [{ tabs: [{ url: A }] }] },
  ]
  const collections = [{ title: 'Work', folders: [{ title: 'First', links }, { links: tabs }] }]
  expect(read({ format: 'nxs.json.v2', collections, history })).toEqual([
    'session-buddy',
    ['Work', `${A} · A · First`, `${B} · B · Window 2`],
  ])
  expect(read({ format: 'nxs.json.v2', collections: [], history })).toEqual(['session-buddy', [null, `${B} · B`]])
  const sessions = [{ name: 'Monday', generated: 'x', windows: [{ tabs: links }, { tabs }] }, { windows: [{ tabs }] }]
  expect(read({ sessions })).toEqual([
    'session-buddy',
    ['Monday', `${A} · A · Window 1`, `${B} · B · Window 2`],
    [null, `${B} · B`],
  ])
})

test('Tab Session Manager: tabs in the order of their windows, with the tags that somebody gave', () => {
  const tab = (index: number, url: string) => ({ index, url, title: `Tab ${index}`, favIconUrl: '', lastAccessed: 1 })
  const session = { name: 'Monday', date: 1, tag: ['regular', 'work', '_x'], windowsNumber: 1 }
  expect(read([{ ...session, windows: { 1: { 5: tab(1, B), 9: tab(0, A) } } }])).toEqual([
    'tab-session-manager',
    ['Monday', `${A} · Tab 0 · work`, `${B} · Tab 1 · work`],
  ])
  const two = { ...session, tag: [], windows: { 1: { 5: tab(0, A) }, 2: { 6: tab(0, B) } } }
  expect(read(two)).toEqual(['tab-session-manager', ['Monday', `${A} · Tab 0 · Window 1`, `${B} · Tab 0 · Window 2`]])
})

test('as one list, the collections are its sections', () => {
  const lists = ['One', 'Two'].map((title) => ({ title, cards: [{ title: 'x', url: `https://${title}.example/` }] }))
  const [bundle] = readSections(JSON.stringify({ version: 3, lists })).bundles
  expect(bundle?.links.map(({ metadata }) => metadata.section)).toEqual(['One', 'Two'])
  expect(readList(JSON.stringify({ version: 3, lists })).format).toBe('toby')
})

describe('a file that is wrong', () => {
  const lists = (links: number) => [
    { title: 'x', cards: Array.from({ length: links }, (_, at) => ({ title: 'y', url: `https://a.example/${at}` })) },
  ]

  test('has no bundles, is cut off, or holds other values than it should', () => {
    for (const json of [{ version: 3, lists: [] }, { format: 'nxs.json.v2' }, { Workspaces: {} }]) {
      expect(read(json)).toHaveLength(1)
    }
    const whole = JSON.stringify({ version: 3, lists: lists(3) }, null, 2)
    for (const readAs of [readImport, readSections]) {
      expect(() => readAs(whole.slice(0, -20))).toThrow('cut off or damaged')
      expect(() => readAs(`{"collections":[{"folders":${'['.repeat(200)}`)).toThrow('cut off or damaged')
    }
    for (const odd of [7, null, 'x', [], {}, [null], [[]], { length: 1 }, { url: {} }]) {
      for (const json of [
        { version: 3, lists: [{ title: odd, labels: odd, cards: odd }, odd] },
        { Workspaces: { s: { title: odd, workspaces: { w: { title: odd, tabs: odd, resources: { r: odd } } } } } },
        { format: 'nxs.json.v2', collections: [{ title: odd, folders: [{ links: odd }, odd] }, odd], history: odd },
        [{ date: odd, name: odd, tag: odd, windows: { 1: odd } }],
      ]) {
        expect(read(json)[0]).not.toBe('list')
      }
    }
  })

  test('is taken up to the bounds of an import', () => {
    const { bundles, counts } = readImport(JSON.stringify({ version: 3, lists: lists(IMPORT_BOUNDS.links + 10) }))
    expect(bundles).toHaveLength(IMPORT_BOUNDS.links / 25)
    expect(counts.skipped).toBe(10)
  })
})
