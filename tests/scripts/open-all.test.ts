import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createBundle } from '../browser/service.ts'
import { becomes, eventually } from '../eventually.ts'
import { type InProcess, startInProcess } from '../in-process.ts'
import { newPerson, type Person } from '../people.ts'
import { openScripted, type ScriptedPage } from './page.ts'

// What Open all does and says, whichever browser lets it; browser/engines.test.ts has their own blockers.

let server: InProcess
let page: ScriptedPage
beforeAll(async () => {
  server = await startInProcess()
})
afterEach(() => page.close())
afterAll(() => server.stop())

const urlsOf = (count: number) => Array.from({ length: count }, (_, at) => `https://a.example/${at + 1}`)

interface Launched {
  perPress?: number
  byHand?: number[]
  at?: InProcess
}

/** Opens a launcher of this many links. */
async function launcher(count: number, { perPress, byHand = [], at = server }: Launched = {}) {
  const urls = urlsOf(count)
  const urlMetadata = urls.map((_, at) => ({ openPolicy: byHand.includes(at) ? 'manual' : 'auto' }) as const)
  const { url, slug } = await createBundle(at.origin, { urls, urlMetadata })
  page = await openScripted(url, perPress === undefined ? {} : { perPress })
  return { urls, slug }
}

const sumOf = async (column: string, table: string, slug: string) =>
  (
    await server.sql(
      `SELECT sum(${column}) AS sum FROM ${table} JOIN bundles ON bundles.id = bundle_id WHERE slug = ?`,
      [slug],
    )
  )[0]?.sum

describe('with a pop-up blocker', () => {
  test('opens one tab, says that the rest were blocked, then one more with each press, each exactly once', async () => {
    const { urls } = await launcher(7, { perPress: 1 })
    page.press('#open')
    expect(page.text('#status')).toBe('1 of 7 open. Your browser blocked the rest: press “Open next” for each tab.')
    await eventually(() => page.count('#how') === 1, 'the page explains')
    expect(page.text('#how')).toContain('Always allow pop-ups and redirects from')
    for (let next = 2; next <= 7; next += 1) {
      expect([page.text('#open'), page.one('#open').dataset.count]).toEqual(['Open next', `${next} of 7`])
      expect(page.count('li.opened')).toBe(next - 1)
      page.press('#open')
      expect(page.opened).toEqual(urls.slice(0, next))
    }
    expect([page.text('#status'), page.text('#open')]).toEqual(Array(2).fill('All 7 tabs are open.'))
    expect(page.one('#blocked').hidden).toBe(true)
  })

  test('counts one click and each tab once, however many presses it takes', async () => {
    const { slug } = await launcher(4, { perPress: 1 })
    for (let count = 1; count <= 4; count += 1) page.press('#open')
    page.leave()
    await becomes(() => sumOf('opens', 'daily_opens', slug), 4)
    await becomes(() => sumOf('open_all_clicks', 'daily_counters', slug), 1)
  })

  test('marks the tab that the next press opens, and continues after one that was opened by hand', async () => {
    const { urls } = await launcher(3, { perPress: 1 })
    page.press('#open')
    expect(page.one<HTMLAnchorElement>('li.next a.tab').href).toBe(urls[1] as string)
    page.press('li.next a.tab')
    expect(page.one('#open').dataset.count).toBe('3 of 3')
    page.press('#open')
    expect(page.opened).toEqual(urls)
  })
})

describe('without one', () => {
  test('opens seven tabs in one press, ticks them, and counts one click', async () => {
    const { urls, slug } = await launcher(7)
    page.press('#open')
    expect(page.opened).toEqual(urls)
    expect([page.text('#status'), page.count('li.opened')]).toEqual(['All 7 tabs are open.', 7])
    page.leave()
    await becomes(() => sumOf('open_all_clicks', 'daily_counters', slug), 1)
  })

  test('after all are open, opens them again only with the button for that, as another click', async () => {
    const { urls, slug } = await launcher(3)
    page.press('#open')
    page.press('#open')
    expect([page.opened, page.text('#open')]).toEqual([urls, 'All 3 tabs are open.'])
    page.press('#again')
    expect(page.opened).toEqual([...urls, ...urls])
    page.leave()
    await becomes(() => sumOf('open_all_clicks', 'daily_counters', slug), 2)
  })

  test('labels the button of a single link “Open”', async () => {
    await launcher(1)
    expect(page.text('#open')).toBe('Open')
    page.press('#open')
    expect(page.text('#open')).toBe('The tab is open.')
  })

  test('leaves out tabs that open manually, and says so beforehand', async () => {
    const { urls } = await launcher(4, { byHand: [1, 3] })
    expect(page.text('#open')).toBe('Open 2 of 4')
    expect(page.text('#status')).toContain('2 to open manually')
    page.press('#open')
    expect(page.opened).toEqual([urls[0] as string, urls[2] as string])
    expect(page.text('#status')).toBe('All 2 tabs are open. 2 to open manually.')
  })
})

describe('what follows', () => {
  const EXTENSION = 'https://extensions.example/openall?from="&to=<b>'
  const offers = () => [...page.one('.line').children].flatMap((one) => (one.id === 'status' ? [] : one.textContent))
  let owner: Person
  let named: InProcess
  beforeAll(async () => {
    owner = await newPerson(server)
    named = await startInProcess({ SERVICE_EXTENSION_URL: EXTENSION })
  })
  afterAll(() => named.stop())

  test('once all tabs are open: open again, a bookmark, and a copy where that is allowed', async () => {
    for (const [copyable, last] of [
      [true, ['Make a copy']],
      [false, []],
    ] as const) {
      const { slug } = await owner.makeBundle({ urls: urlsOf(2), copyable })
      page = await openScripted(`${server.origin}/l/${slug}`)
      expect(offers()).toEqual([''])
      page.press('#open')
      expect(offers()).toEqual(['Open again', 'Bookmark this page', ...last])
      page.press('#mark')
      expect([page.text('#mark'), page.text('#status')]).toEqual(Array(2).fill('Press Ctrl+D'))
      expect(page.count('footer #own-copy')).toBe(0)
      if (copyable) await page.close()
    }
  })

  test('the instance’s extension is named to whoever has blocked tabs or has opened them, and only where it is set', async () => {
    const link = () => page.window.document.querySelector<HTMLAnchorElement>('#extension')
    await launcher(2, { perPress: 1, at: named })
    expect(link()).toBeNull()
    page.press('#open')
    await eventually(() => page.count('#how') === 1, 'the page explains')
    expect([link()?.href, link()?.target, link()?.parentElement?.id]).toEqual([
      new URL(EXTENSION).href,
      '_blank',
      'blocked',
    ])
    page.press('#open')
    expect(offers()).toEqual(['Open again', 'Bookmark this page', 'Get the extension that opens all at once'])
    await page.close()
    await launcher(2, { perPress: 1 })
    page.press('#open')
    expect([link(), page.window.document.body.textContent.includes('extension')]).toEqual([null, false])
  })

  test('without a script, nothing names it', async () => {
    const { url } = await createBundle(named.origin, { urls: urlsOf(2) })
    expect(await (await fetch(url)).text()).toMatch(/<a id="extension" href="[^"]+" [^>]* hidden>/)
  })
})
