import { afterEach, beforeEach, expect, test } from 'bun:test'
import { linksIn } from '../../src/launcher/cached.ts'
import { MAX_LINKS_A_DAY } from '../../src/launcher/opens.ts'
import { Recorder } from '../../src/launcher/recorder.ts'
import { type Fixture, log, newFixture, rows, through, VIEWER } from './support.ts'

// A lost answer, the end of a day and a flood of made-up links cannot be caused from outside.

const DAY = '2026-11-20'
let fixture: Fixture

beforeEach(async () => {
  fixture = await newFixture(`${DAY}T12:00:00Z`)
})
afterEach(() => fixture.close())

const linksOf = (id: number, urls: string[]) => linksIn({ id, urls, resolutionPolicy: null })
const stored = () =>
  rows(
    fixture.store,
    `SELECT daily_opens.bundle_id, day, url, opens FROM daily_opens
      JOIN opened_links ON opened_links.bundle_id = daily_opens.bundle_id AND opened_links.link = daily_opens.link ORDER BY 2, 1, 3`,
  )

test('an open in the last millisecond of a day belongs to it, and a lost answer counts nothing twice', async () => {
  let losses = 0
  const lossy = through(fixture.store, async (write) => {
    const result = await write()
    if (losses++ < 2) throw new Error('the answer was lost')
    return result
  })
  const recorder = await Recorder.start(lossy, log, fixture.now)
  const [one, two] = [linksOf(1, ['https://a.example/']), linksOf(2, ['https://a.example/'])]
  const open = (bundleId: number, links: ReadonlyMap<string, string>) =>
    recorder.openTabs(bundleId, links, ['https://a.example/'], VIEWER)
  fixture.set(`${DAY}T23:59:59.999Z`)
  open(1, one)
  open(1, one)
  fixture.set('2026-11-21T00:00:00.000Z')
  open(1, one)
  open(2, two)
  await recorder.stop()
  expect(losses).toBe(2)
  expect(await stored()).toEqual([
    [1, DAY, 'https://a.example/', 2],
    [1, '2026-11-21', 'https://a.example/', 1],
    [2, '2026-11-21', 'https://a.example/', 1],
  ])
})

test('whoever makes up links fills neither the memory nor the store; those that are gone count while a day has room', async () => {
  const recorder = await Recorder.start(fixture.store, log, fixture.now)
  const links = linksOf(1, ['https://a.example/'])
  for (let made = 0; made < 60_000; made += 20) {
    recorder.openTabs(
      1,
      links,
      Array.from({ length: 20 }, (_, at) => `https://made-up-${made + at}.example/`),
      VIEWER,
    )
  }
  recorder.openTabs(1, links, ['https://a.example/'], VIEWER)
  await recorder.flush()
  recorder.openTabs(1, links, ['https://a.example/'], VIEWER)
  await recorder.flush()
  expect(await stored()).toEqual([[1, DAY, 'https://a.example/', 2]])
  expect(recorder.dropped).toBe(0)

  const urls = Array.from({ length: 2 * MAX_LINKS_A_DAY }, (_, at) => `https://was-${at}.example/`)
  const before = linksOf(2, urls)
  // In several writes, or all in one.
  for (const [day, each] of [
    [DAY, 500],
    ['2026-11-21', Number.POSITIVE_INFINITY],
  ] as const) {
    fixture.set(`${day}T12:00:00Z`)
    for (let at = 0; at < urls.length; at += 20) {
      recorder.openTabs(2, before, urls.slice(at, at + 20), VIEWER)
      if (at % each === 0 && at > 0) await recorder.flush()
    }
    await recorder.flush()
    const counted = () =>
      rows(fixture.store, `SELECT count(*), sum(opens) FROM daily_opens WHERE day = '${day}' AND bundle_id = 2`)
    expect(await counted()).toEqual([[MAX_LINKS_A_DAY, MAX_LINKS_A_DAY]])
    // Of a full day, what it has goes on counting.
    for (let at = 0; at < urls.length; at += 20) recorder.openTabs(2, before, urls.slice(at, at + 20), VIEWER)
    await recorder.flush()
    expect(await counted()).toEqual([[MAX_LINKS_A_DAY, 2 * MAX_LINKS_A_DAY]])
  }
  await recorder.stop()
})

test('a link that is added while its opens wait to be written counts from then on, with those', async () => {
  const recorder = await Recorder.start(fixture.store, log, fixture.now)
  const url = 'https://new.example/'
  recorder.openTabs(1, linksOf(1, ['https://a.example/']), [url], VIEWER)
  recorder.openTabs(1, linksOf(1, ['https://a.example/', url]), [url], VIEWER)
  await recorder.stop()
  expect(await stored()).toEqual([[1, DAY, url, 2]])
})

test('while a day has little room, links that are in their bundle come before those that are gone', async () => {
  const recorder = await Recorder.start(fixture.store, log, fixture.now)
  const urls = Array.from({ length: MAX_LINKS_A_DAY + 20 }, (_, at) => `https://was-${at}.example/`)
  for (let at = 0; at < urls.length; at += 20) recorder.openTabs(1, linksOf(1, urls), urls.slice(at, at + 20), VIEWER)
  await recorder.flush()
  fixture.set('2026-11-21T12:00:00Z')
  const now = linksOf(1, ['https://a.example/', 'https://z.example/'])
  for (let at = 0; at < urls.length; at += 20) recorder.openTabs(1, now, urls.slice(at, at + 20), VIEWER)
  recorder.openTabs(1, now, [...now.keys()], VIEWER)
  await recorder.stop()
  expect((await stored()).filter(([, , url]) => now.has(String(url)))).toEqual(
    [...now.keys()].map((url) => [1, '2026-11-21', url, 1]),
  )
})
