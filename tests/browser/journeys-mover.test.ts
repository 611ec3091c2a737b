import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import type { Server } from '../server.ts'
import { startDestinations } from './destinations.ts'
import { kindsOfWay } from './engines.ts'
import { type At, button, link, signedIn, tab } from './journey.ts'
import { becomes, expectEachOnce, pressUntilDone } from './launching.ts'

// Somebody who moves in with 400 bookmarks, and takes two of their folders.

// Only guards against hanging; generous, because the machine may be busy.
setDefaultTimeout(300_000)

const FOLDERS = Array.from({ length: 16 }, (_, at) => `Folder ${at + 1}`)

const folder = (name: string, urls: readonly string[]) =>
  `<DT><H3>${name}</H3>\n<DL><p>\n${urls.map(bookmark).join('\n')}\n</DL><p>`
const bookmark = (url: string, at: number) => `<DT><A HREF="${url}">Page ${at + 1}</A>`
const pages = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => `https://${name.replace(' ', '-').toLowerCase()}.example/${at}`)

let server: Server
beforeAll(async () => {
  server = await startInProcess()
})
afterAll(() => server.stop())

describe.each(kindsOfWay('Chromium'))('$name', (kind) => {
  let at: At
  let person: Awaited<ReturnType<typeof signedIn>>
  let destinations: ReturnType<typeof startDestinations>
  beforeAll(async () => {
    destinations = startDestinations()
    person = await signedIn(kind, server, 'mover')
    at = person.at
  })
  afterAll(async () => {
    await person?.leave()
    destinations.stop()
  })

  test('400 bookmarks are lines in the order of the file; two are taken, and the tabs of one open', async () => {
    const file = [
      '<!DOCTYPE NETSCAPE-Bookmark-file-1>',
      '<TITLE>Bookmarks</TITLE>\n<H1>Bookmarks</H1>\n<DL><p>',
      ...pages('loose', 13).map(bookmark),
      folder('Daily', destinations.urls(3)),
      ...FOLDERS.map((name) => folder(name, pages(name, 24))),
      '</DL>',
    ].join('\n')
    await at.open('/dashboard')
    await at.click(link('New bundle'))
    await at.has('#urls')
    await at.click(link('Import instead'))
    await at.paste('#text', file)
    await at.click(button('Preview'))
    await at.sees('18 bundles with 400 links')
    expect(await at.values('.plan [id^=title-]')).toEqual(['', 'Daily', ...FOLDERS])
    // Too many for the sections of one bundle.
    expect(await at.texts('[value=sections]')).toEqual([])
    await at.click(button('Select none'))
    await at.has(button('Select all'))
    await at.click('[aria-label="Create bundle 2"]')
    await at.click('[aria-label="Create bundle 3"]')
    await at.click(button('Create 2 bundles'))
    await at.has(link('Folder 1'))
    await at.click(link('Daily'))
    await at.has(tab('Insights'))
    const slug = (await at.path()).split('/').at(-1) ?? ''
    const { body } = await person.owner.api<{ bundles: { title: string }[] }>('GET', '/api/me/links')
    expect(body.bundles.map(({ title }) => title).sort()).toEqual(['Daily', 'Folder 1'])
    await at.open(`/l/${slug}`)
    await at.click('#open')
    const first = Math.min(3, kind.perPress)
    await becomes(() => destinations.visits.length, first)
    await pressUntilDone({ viewer: at.viewer, destinations, slug }, 3, kind.perPress, first)
    expectEachOnce({ viewer: at.viewer, destinations, slug }, 3)
    await at.expectQuiet()
  })
})
