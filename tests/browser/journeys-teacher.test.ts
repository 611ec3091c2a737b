import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import type { Server } from '../server.ts'
import { startDestinations } from './destinations.ts'
import { kindsOfWay } from './engines.ts'
import { At, button } from './journey.ts'
import { becomes, expectEachOnce, pressUntilDone } from './launching.ts'
import type { Engine } from './viewer.ts'

// A teacher without an account, with as many links as a bundle holds, under a heading for each week.

// Only guards against hanging; generous, because the machine may be busy.
setDefaultTimeout(300_000)

const WEEKS = [1, 2, 3, 4, 5].map((week) => `Week ${week}`)

let server: Server
beforeAll(async () => {
  server = await startInProcess()
})
afterAll(() => server.stop())

describe.each(kindsOfWay('Chromium'))('$name', (kind) => {
  let engine: Engine
  let at: At
  let destinations: ReturnType<typeof startDestinations>
  beforeAll(async () => {
    destinations = startDestinations()
    engine = await kind.start()
    at = new At(server.origin, await engine.open(`${server.origin}/`, { popups: 'as-is' }))
  })
  afterAll(async () => {
    await at?.viewer.close()
    await engine?.stop()
    destinations.stop()
  })

  test('a syllabus becomes a link whose sections are the weeks, and every tab opens', async () => {
    const urls = destinations.urls(25)
    const lines = WEEKS.map((week, at) => {
      const links = urls.slice(at * 5, at * 5 + 5).map((url, of) => `reading ${at * 5 + of + 1} ${url}`)
      return [week, ...links].join('\n')
    })
    await at.paste('#urls', `Coral reefs\n\n${lines.join('\n\n')}`)
    await at.sees('25 links found')
    await at.sees('25 / 25')
    expect(await at.values('[name=title]')).toEqual(['Coral reefs'])
    expect(await at.texts('.found-part h3')).toEqual(WEEKS)
    const titles = await at.values('[aria-label^="Title of link"]')
    expect([titles.length, titles[0], titles[24]]).toEqual([25, 'Reading 1', 'Reading 25'])
    await at.click(button('Get the link'))
    await at.sees('Your link is ready.')
    const url = await at.viewer.read<string>("document.querySelector('a.shared').href")
    const slug = url.split('/').at(-1) ?? ''
    await at.open(`/l/${slug}`)
    for (const week of WEEKS) await at.sees(week)
    await at.click('#open')
    const first = Math.min(25, kind.perPress)
    await becomes(() => destinations.visits.length, first)
    await pressUntilDone({ viewer: at.viewer, destinations, slug }, 25, kind.perPress, first)
    expectEachOnce({ viewer: at.viewer, destinations, slug }, 25)
    await at.expectQuiet()
  })
})
