import { expect, test } from 'bun:test'
import { bundlesOf, newDraft } from '../../extension/parts/draft.ts'
import {
  bookmarksFound,
  leftOutWords,
  listOf,
  MAX_LINKS,
  proposedTitle,
  tabsFound,
} from '../../extension/parts/tab-list.ts'

const HERE = 'https://openall.example'
const NOW = new Date('2026-11-30T12:00:00Z')

const tab = (index: number, url: string, more: Partial<chrome.tabs.Tab> = {}) => ({
  index,
  url,
  title: `Page ${index}`,
  pinned: false,
  groupId: -1,
  ...more,
})

const list = (...urls: string[]) =>
  listOf(
    urls.map((url) => ({ url, title: 'T', section: '' })),
    [HERE],
  )

test('tabs are listed in their order, pinned ones first, under the names of their groups', () => {
  const found = tabsFound(
    [
      tab(0, 'https://a.example/', { groupId: 7 }),
      tab(1, 'https://b.example/', { groupId: 7 }),
      tab(2, 'https://c.example/', { groupId: 8 }),
      tab(3, '', { pendingUrl: 'https://d.example/' }),
      tab(4, 'https://pinned.example/', { pinned: true }),
    ],
    [{ id: 7, title: 'Design' }, { id: 8 }],
  )
  const { links } = listOf(found, [])
  expect(links.map(({ url, title, section }) => [url, title, section])).toEqual([
    ['https://pinned.example/', 'Page 4', ''],
    ['https://a.example/', 'Page 0', 'Design'],
    ['https://b.example/', 'Page 1', 'Design'],
    ['https://c.example/', 'Page 2', ''],
    ['https://d.example/', 'Page 3', ''],
  ])
})

test('a group around all links is the title, not a section', () => {
  const found = ['https://a.example/', 'https://b.example/'].map((url) => ({ url, title: '', section: 'Design' }))
  expect(listOf(found, []).links.map(({ section }) => section)).toEqual(['', ''])
})

test('what can’t be opened elsewhere is left out, and said by its kind', () => {
  const found = list(
    'https://kept.example/',
    'about:blank',
    'chrome://newtab/',
    'edge://settings/',
    'moz-extension://4f/page.html',
    'chrome-extension://ab/page.html',
    'file:///home/a/notes.txt',
    `${HERE}/l/launch-day`,
    'javascript:alert(1)',
    'data:text/html,hi',
    `https://long.example/${'a'.repeat(2048)}`,
    'https://kept.example',
    '',
  )
  expect(found.links.map(({ url }) => url)).toEqual(['https://kept.example/'])
  expect(leftOutWords(found)).toBe(
    '12 left out: 4 browser pages, 2 extension pages, 1 local file, 1 launcher, 2 addresses that can’t be shared, 1 address that is too long and 1 duplicate',
  )
})

test('other pages of an instance, and launchers of others, are links', () => {
  expect(list(`${HERE}/docs`, 'https://other.example/l/launch-day').links).toHaveLength(2)
})

test('wrapped addresses are unwrapped as in a pasted text, and what they hold is said', () => {
  const { links } = list(
    'chrome-extension://klbibkeccnjlkjkiokjodocebajanakg/suspended.html#ttl=Board&uri=https://board.example/?a=1&b=2',
    'about:reader?url=https%3A%2F%2Fnews.example%2Fstory',
    'https://dana:secret@files.example/',
  )
  expect(links.map(({ url, said }) => [url, said.map(({ reason }) => reason)])).toEqual([
    ['https://board.example/?a=1&b=2', ['unwrapped']],
    ['https://news.example/story', ['unwrapped']],
    ['https://dana:secret@files.example/', ['password']],
  ])
})

test('a title is one line of what a bundle takes; an address is none', () => {
  const found = [' A\n\u202eB ', 'https://a.example/x', 'y'.repeat(600)].map((title, at) => {
    return { url: `https://a.example/${at}`, title, section: '' }
  })
  expect(listOf(found, []).links.map(({ title }) => title)).toEqual(['A B', '', `${'y'.repeat(499)}…`])
})

test('a folder of bookmarks has those of the folders in it under their names', () => {
  const folder = {
    title: 'Work',
    children: [
      { title: 'Wiki', url: 'https://wiki.example/' },
      { title: 'Tools', children: [{ title: 'CI', url: 'https://ci.example/' }] },
      { title: 'Board', url: 'https://board.example/' },
    ],
  }
  expect(listOf(bookmarksFound(folder), []).links.map(({ title, section }) => [title, section])).toEqual([
    ['Wiki', ''],
    ['Board', ''],
    ['CI', 'Tools'],
  ])
})

test('the title is that of the groups, of the only link, of the site of most, or of the day', () => {
  const at = (url: string, section = '', title = '') => ({ url, title, section })
  expect(proposedTitle([at('https://a.example/', '', 'Plan')], NOW)).toBe('Plan')
  expect(proposedTitle([at('https://www.a.example/')], NOW)).toBe('a.example')
  expect(proposedTitle([at('https://a.example/', 'Design'), at('https://b.example/', 'Code')], NOW)).toBe(
    'Design and Code',
  )
  const shops = [1, 2, 3].map((n) => at(`https://shop.example/${n}`))
  expect(proposedTitle([...shops, at('https://b.example/')], NOW)).toBe('shop.example, 30 November 2026')
  expect(proposedTitle([at('https://a.example/'), at('https://b.example/')], NOW)).toBe('Tabs of 30 November 2026')
  expect(proposedTitle([], NOW)).toBe('Tabs of 30 November 2026')
})

test('more than 25 links become several bundles, numbered; braces in addresses stay text', () => {
  const urls = Array.from({ length: 60 }, (_, at) => `https://a.example/{team}/${at}`)
  const draft = newDraft({ kind: 'window', id: 1 }, list(...urls), 'Reading')
  const bundles = bundlesOf(draft)
  expect(bundles.map(({ title, urls, variables }) => [title, urls.length, variables])).toEqual([
    ['Reading (1 of 3)', 25, []],
    ['Reading (2 of 3)', 25, []],
    ['Reading (3 of 3)', 10, []],
  ])
  const some = { ...draft, links: draft.links.map((link, at) => ({ ...link, isRemoved: at >= 25 })) }
  expect(bundlesOf(some).map(({ title, urls }) => [title, urls.length])).toEqual([['Reading', 25]])
})

test('a list of thousands is cut, and the rest is said', () => {
  const urls = Array.from({ length: 6_000 }, (_, at) => `https://a.example/${at}`)
  const long = list(...urls)
  expect(long.links).toHaveLength(MAX_LINKS)
  expect(leftOutWords(long)).toBe('5750 left out: 5750 after the first 250 links')
})
