import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { confirm, PASSWORD, type Person, signUp } from '../people.ts'
import type { Server } from '../server.ts'
import { startDestinations } from './destinations.ts'
import { kindsOfWay } from './engines.ts'
import { At, button } from './journey.ts'
import { becomes, expectEachOnce, pressUntilDone } from './launching.ts'
import { createBundle } from './service.ts'
import { deskAt, sentAt } from './variables.ts'
import { type Engine, PHONE } from './viewer.ts'

// Somebody who gets links to launchers on a phone.

// Only guards against hanging; generous, because the machine may be busy.
setDefaultTimeout(300_000)

const OPEN = '//main//button[starts-with(normalize-space(), "Open")]'
const SUBMIT = 'main form [type=submit]'

let server: Server
let owner: Person
beforeAll(async () => {
  server = await startInProcess()
  owner = await signUp(server)
  await confirm(server, owner)
})
afterAll(() => server.stop())

describe.each(kindsOfWay('Chromium'))('$name', (kind) => {
  let engine: Engine
  let at: At
  let destinations: ReturnType<typeof startDestinations>
  const complaints: string[] = []
  beforeAll(async () => {
    engine = await kind.start()
  })
  beforeEach(async () => {
    destinations = startDestinations()
    at = new At(server.origin, await engine.open(`${server.origin}/privacy`, { popups: 'as-is', screen: 'phone' }))
  })
  afterEach(async () => {
    complaints.push(...((await at.viewer.complaints?.()) ?? []))
    await at.viewer.close()
    destinations.stop()
  })
  afterAll(() => engine?.stop())

  /** Nothing is wider than a phone, or than a narrow one. */
  async function fits() {
    for (const width of [320, PHONE.width]) {
      await at.viewer.resize(width)
      // MiniBrowser's window is never as narrow as the first.
      const isWide = (width: number) => width === PHONE.width || kind.name !== 'WebKit'
      if (isWide(width)) await becomes(() => at.viewer.read('document.documentElement.clientWidth'), width)
      await becomes(
        () => at.viewer.read('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
        0,
      )
    }
  }

  async function openLauncher(slug: string, title: string) {
    await at.open(`/l/${slug}`)
    await at.has(`//h1[contains(., "${title}")]`)
    await fits()
  }

  /** Presses until every tab of three is open; where the browser lets one through, the button says that more come. */
  async function openAll(slug: string) {
    await at.click(OPEN)
    const first = Math.min(3, kind.perPress)
    await becomes(() => destinations.visits.length, first)
    if (first < 3) {
      await at.has('//main//button[starts-with(normalize-space(), "Open next")]')
      await fits()
    }
    await pressUntilDone({ viewer: at.viewer, destinations, slug }, 3, kind.perPress, first)
    await becomes(() => at.texts('main a[target=_blank]'), Array(3).fill(expect.stringContaining('(opened)')))
    await fits()
  }

  test('a launcher is opened, one tap for each tab if the browser blocks more', async () => {
    const { slug } = await owner.makeBundle({ title: 'Launch day', urls: destinations.urls(3) })
    await openLauncher(slug, 'Launch day')
    await openAll(slug)
    expectEachOnce({ viewer: at.viewer, destinations, slug }, 3)
  })

  test.if(kind.perPress === 1)('what is blocked is explained once; then the button is alone, in one line', async () => {
    const urls = destinations.urls(12)
    const { slug } = await owner.makeBundle({ title: 'Release notes', urls, copyable: true })
    await openLauncher(slug, 'Release notes')
    /** The texts of what can be pressed in the bar, and in how many lines they are. */
    const inBar = () =>
      at.viewer.read<[text: string, lines: number][]>(`[...document.querySelectorAll('.bar :is(a, button, summary)')]
        .filter((one) => one.checkVisibility())
        .map((one) => {
          const range = document.createRange()
          range.selectNodeContents(one)
          return [one.textContent.trim(), range.getClientRects().length]
        })`)
    const isNextSeen = () =>
      at.viewer.read<boolean>(`(() => {
        const { top, bottom } = document.querySelector('li.next').getBoundingClientRect()
        return top >= 0 && bottom <= document.querySelector('.bar').getBoundingClientRect().top
      })()`)
    await at.click(OPEN)
    await becomes(() => destinations.visits.length, 1)
    await at.has('#how')
    expect((await inBar()).map(([text]) => text)).toEqual(['Open next', 'Pop-ups allowed? Open the rest', 'Close'])
    for (const width of [320, PHONE.width]) {
      await at.viewer.resize(width)
      await becomes(isNextSeen, true)
    }
    await at.click(button('Close'))
    expect(await inBar()).toEqual([['Open next', 1]])
    await at.viewer.resize(320)
    for (let opened = 2; opened <= 11; opened += 1) {
      await at.click(OPEN)
      await becomes(() => destinations.visits.length, opened)
      expect(await inBar()).toEqual([['Open next', 1]])
      await becomes(isNextSeen, true)
    }
    await at.viewer.reload()
    await becomes(inBar, [['Open next', 1]])
    await at.viewer.resize(PHONE.width)
    await at.click(OPEN)
    await becomes(() => destinations.visits.length, 12)
    await becomes(
      async () => (await inBar()).map(([text]) => text),
      [
        'All 12 tabs are open.',
        'Copy links',
        'Bookmarks file',
        'QR code',
        'Open again',
        'Bookmark this page',
        'Make a copy',
      ],
    )
    await fits()
  })

  test('a launcher that asks for a value says beside the field what is wrong with one, and opens with another', async () => {
    const desk = deskAt(destinations.urls(3))
    const long = 'Everything since they came to us, with what they asked before'
    const team = { name: 'team', label: 'Team', options: [long, 'None'] }
    const { slug } = await owner.makeBundle({ ...desk, variables: [...(desk.variables ?? []), team] })
    await openLauncher(slug, 'Customer')
    const told = () =>
      at.viewer.read<string | null>(`(() => {
        const field = document.querySelector('[name=customer]')
        const [id] = field.getAttribute('aria-describedby').split(' ')
        return field.getAttribute('aria-invalid') === 'true' ? document.getElementById(id).textContent : null
      })()`)
    await at.click(OPEN)
    await becomes(told, 'Fill this in first.')
    await at.fill('[name=customer]', 'x'.repeat(201))
    await at.click(OPEN)
    await becomes(told, 'Use at most 200 characters.')
    await fits()
    expect(destinations.visits).toEqual([])
    await at.choose('[name=team]', long)
    await fits()
    await at.fill('[name=customer]', '47 11')
    await becomes(told, null)
    await openAll(slug)
    expect(destinations.addresses.toSorted()).toEqual(sentAt('47%2011'))
  })

  test('links are copied, and the launcher itself: the copy’s link is copied on', async () => {
    const { slug } = await owner.makeBundle({ title: 'First day', urls: destinations.urls(3), copyable: true })
    await openLauncher(slug, 'First day')
    await at.click(button('Copy links'))
    await becomes(() => at.texts('[role=status]'), expect.arrayContaining([expect.stringMatching(/cop(?:y|ied)/i)]))
    await at.click(`a[href*="/l/${slug}/copy"]`)
    await at.fill('[name=title]', 'My first day')
    await fits()
    await at.click(SUBMIT)
    await at.sees('My first day')
    await fits()
    await at.click(button('Copy'))
    await at.has(button('Copied'))
    const url = await at.viewer.read<string>("document.querySelector('a.shared').href")
    await openLauncher(url.split('/').at(-1) ?? '', 'My first day')
  })

  test('a launcher of members is shown after signing in, and nothing of it before', async () => {
    const { slug } = await owner.makeBundle({ title: 'Salaries', urls: destinations.urls(3), access: 'members' })
    await at.open(`/l/${slug}`)
    await at.has('a[href^="/sign-in"]')
    expect(await at.viewer.read<string>('document.documentElement.outerHTML')).not.toContain('Salaries')
    await fits()
    await at.click('main a[href^="/sign-in"]')
    await at.fill('[name=email]', owner.email)
    await at.click('.with-password summary')
    await at.fill('[name=password]', PASSWORD)
    await fits()
    await at.click(button('Sign in'))
    await at.has('//h1[contains(., "Salaries")]')
    expect(await at.path()).toBe(`/l/${slug}`)
    await fits()
  })

  test('titles are read from their own side', async () => {
    const notes = ['לוח זמנים של השבוע הראשון', 'Agenda', 'دليل الموظف الجديد']
    const { slug } = await owner.makeBundle({
      title: 'שבוע ראשון',
      urls: destinations.urls(3),
      urlMetadata: notes.map((note) => ({ note })),
    })
    await openLauncher(slug, 'שבוע ראשון')
    const directions = (selector: string) =>
      at.viewer.read(`[...document.querySelectorAll('${selector}')].map((one) => getComputedStyle(one).direction)`)
    expect(await directions('h1, main li .name')).toEqual(['rtl', 'rtl', 'ltr', 'rtl'])
    // The rows have one direction, so that their tiles stand below one another.
    expect(await directions('main li')).toEqual(['rtl', 'rtl', 'rtl'])
  })

  test('a bundle that nobody answers for is reported', async () => {
    const { slug } = await createBundle(server.origin, { title: 'Win a phone', urls: destinations.urls(3) })
    await openLauncher(slug, 'Win a phone')
    await at.click('a[href$="/report"]')
    await at.choose('[name=reason]', 'phishing')
    await at.fill('[name=detail]', 'It asks for my password.')
    await fits()
    await at.click(SUBMIT)
    await at.lacks('[name=reason]')
    await fits()
    expect(
      await server.sql('SELECT reason, detail FROM reports JOIN bundles ON bundles.id = bundle_id WHERE slug = ?', [
        slug,
      ]),
    ).toEqual([{ reason: 'phishing', detail: 'It asks for my password.' }])
  })

  test.if(kind.name !== 'WebKit')('no page has left an error or a warning in the console', () => {
    // Firefox says there itself that it has blocked a tab.
    expect(complaints.filter((text) => !text.startsWith('Opening multiple popups was blocked'))).toEqual([])
  })
})
