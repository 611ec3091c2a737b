import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { NewBundle } from '../../src/bundles/content/shapes.ts'
import { startInProcess } from '../in-process.ts'
import { IS_WHOLE_MATRIX, type Server } from '../server.ts'
import { startDestinations } from './destinations.ts'
import { KINDS } from './engines.ts'
import { becomes, expectEachOnce, expectNoOpeners, pressUntilDone, type Scene, statusOf, WATCH } from './launching.ts'
import { leadsNowhereElse, leavesNoOpener, visitPlainly } from './plain-http.ts'
import { createBundle } from './service.ts'
import { deskAt, sentAt } from './variables.ts'
import { type Conditions, type Engine, PageCrash } from './viewer.ts'

// One description of what a launcher does, for every browser on the machine. Chromium has more tests of its own in
// open-all.test.ts.

/** Of the table's sizes, those between the least and the most are left to the whole matrix. */
const SIZES = IS_WHOLE_MATRIX ? [1, 3, 7, 21, 25] : [1, 25]
const TABLE = readFileSync(new URL('../../docs/browsers.md', import.meta.url), 'utf8')

let server: Server

// Only guards against hanging; generous, because the machine may be busy.
setDefaultTimeout(300_000)

beforeAll(async () => {
  server = await startInProcess({ SERVICE_COUNT_FLUSH_MS: '100' })
})
afterAll(() => server.stop())

describe.each(KINDS.filter((kind) => kind.isThere()))('$name', (kind) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await kind.start()
  })
  afterAll(() => engine?.stop())

  const rows = SIZES.flatMap((size) => (['as it is', 'allowed'] as const).map((blocker) => ({ size, blocker })))
  // Nothing is to be allowed where nothing is blocked.
  test.each(rows.filter(({ size, blocker }) => blocker === 'as it is' || size >= kind.perPress))(
    'opens $size links, each once, without an opener or a referrer, as one click; the blocker is $blocker',
    async ({ size, blocker }) => {
      const popups = blocker === 'allowed' ? 'allowed' : 'as-is'
      await visit(engine, size, { popups }, async (scene) => {
        const presses = await pressUntilDone(scene, size, popups === 'allowed' ? size : kind.perPress)
        expect(await statusOf(scene)).toBe(size === 1 ? 'The tab is open.' : `All ${size} tabs are open.`)
        expectEachOnce(scene, size)
        await expectNoOpeners(scene, size)
        expect(scene.destinations.visits.every(({ referrer }) => referrer === null)).toBe(true)
        await becomes(() => clicksOf(scene), 1)
        await becomes(() => opensOf(scene), Array(size).fill(1))
        expect(tableRows()).toContainEqual([kind.name, blocker, ...[size, size, presses, 1].map(String)])
      })
    },
  )

  for (const blocker of ['as it is', 'allowed'] as const) {
    test.if(blocker === 'allowed' ? kind.perPress === 1 : true)(
      `opens the links that somebody fills in with Enter, each once, as one click; the blocker is ${blocker}`,
      async () => {
        const popups = blocker === 'allowed' ? 'allowed' : 'as-is'
        const look = async (scene: Scene) => {
          const { viewer, destinations } = scene
          await viewer.fill('#value-customer', '47 11')
          await viewer.press('Enter')
          const done = popups === 'allowed' ? 3 : Math.min(3, kind.perPress)
          await becomes(() => destinations.visits.length, done)
          const presses = 1 + (await pressUntilDone(scene, 3, kind.perPress, done))
          expect(await statusOf(scene)).toBe('All 3 tabs are open.')
          expect(destinations.addresses.toSorted()).toEqual(sentAt('47%2011'))
          await expectNoOpeners(scene, 3)
          expect(destinations.visits.every(({ referrer }) => referrer === null)).toBe(true)
          await becomes(() => clicksOf(scene), 1)
          await becomes(() => opensOf(scene), [1, 1, 1])
          expect(tableRows()).toContainEqual([kind.name, blocker, '3, filled in', ...[3, presses, 1].map(String)])
          // Other values are other tabs.
          await viewer.click('.ask:not(.folded) #value-customer, .pick')
          await viewer.fill('#value-customer', '5')
          expect(await viewer.read<number>("document.querySelectorAll('.opened').length")).toBe(0)
          expect(await viewer.read<string>("document.querySelector('#open').textContent")).toBe('Open all')
        }
        await visit(engine, 3, { popups }, look, deskAt)
      },
    )
  }

  test.if(kind.name === 'Firefox')(
    'says what Firefox’s own bar says, and does not open again what it opens',
    async () => {
      await visit(engine, 7, { popups: 'as-is' }, async (scene) => {
        await scene.viewer.click('#open')
        await becomes(() => scene.destinations.visits.length, 1)
        const [button = '', item = ''] = (await scene.viewer.allowInBar?.()) ?? []
        const says = await scene.viewer.read<string>("document.querySelector('#how').textContent")
        // Newer versions also name redirects in the middle.
        const [, starts = '', ends = ''] = /“(.+) … (.+)”/.exec(says) ?? []
        expect(says).toContain(`choose ${button}, then`)
        expect(item).toMatch(new RegExp(`^${starts} .*\\b${ends}$`))
        await becomes(() => scene.destinations.visits.length, 7)
        await scene.viewer.click('#rest')
        expect(await statusOf(scene)).toBe('All 7 tabs are open.')
        expectEachOnce(scene, 7)
        await expectNoOpeners(scene, 7)
        await becomes(() => clicksOf(scene), 1)
        await becomes(() => opensOf(scene), Array(7).fill(1))
      })
    },
  )

  const inFirefox = test.if(kind.name === 'Firefox')

  inFirefox('leaves no opener to what Firefox opens by itself on plain http', () =>
    visitPlainly(engine, 'as-is', leavesNoOpener),
  )

  inFirefox('on plain http leads only to links of the launcher, whoever writes the address or opens it', () =>
    visitPlainly(engine, 'allowed', leadsNowhereElse),
  )

  test('works by keyboard alone', async () => {
    await visit(engine, 3, { popups: 'as-is' }, async (scene) => {
      await scene.viewer.press('Tab')
      expect(await scene.viewer.read<string>('document.activeElement.id')).toBe('open')
      for (let done = 0; done < 3; ) {
        await scene.viewer.press('Enter')
        done = Math.min(3, done + kind.perPress)
        await becomes(() => scene.destinations.visits.length, done)
      }
      expectEachOnce(scene, 3)
      await becomes(() => opensOf(scene), [1, 1, 1])
    })
  })

  test('opens each link by hand without JavaScript', async () => {
    await visit(engine, 3, { popups: 'as-is', scripts: 'off' }, async (scene) => {
      for (const at of [1, 2, 3]) {
        await scene.viewer.click(`.tabs > li:nth-child(${at}) .tab`)
        await becomes(() => scene.destinations.visits.length, at)
      }
      expectEachOnce(scene, 3)
      expect(scene.destinations.visits.every(({ referrer }) => referrer === null)).toBe(true)
    })
  })

  test('opens each link once in a private window', async () => {
    await visit(engine, 3, { popups: 'as-is', window: 'private' }, async (scene) => {
      await pressUntilDone(scene, 3, kind.perPress)
      expectEachOnce(scene, 3)
    })
  })

  test('does not open again what was opened with the middle button or with Ctrl', async () => {
    await visit(engine, 4, { popups: 'as-is' }, async (scene) => {
      await scene.viewer.click('.tabs > li:nth-child(2) .tab', 'middle')
      await becomes(() => scene.destinations.visits.length, 1)
      await scene.viewer.click('.tabs > li:nth-child(3) .tab', 'with Ctrl')
      await becomes(() => scene.destinations.visits.length, 2)
      await pressUntilDone(scene, 4, kind.perPress, 2)
      expectEachOnce(scene, 4)
      await becomes(() => opensOf(scene), [1, 1, 1, 1])
    })
  })

  test('keeps its progress through a reload, and when the browser unloads it', async () => {
    await visit(engine, 7, { popups: 'as-is' }, async (scene) => {
      await scene.viewer.click('.tabs > li:nth-child(3) .tab')
      await becomes(() => scene.destinations.visits.length, 1)
      await scene.viewer.reload()
      await scene.viewer.click('#open')
      const done = Math.min(7, 1 + kind.perPress)
      await becomes(() => scene.destinations.visits.length, done)
      await scene.viewer.unload()
      const progress = done === 7 ? 'All 7 tabs are open.' : '2 of 7 open. Press “Open next” for each tab.'
      await becomes(() => statusOf(scene), progress)
      await pressUntilDone(scene, 7, kind.perPress, done)
      expectEachOnce(scene, 7)
      await becomes(() => clicksOf(scene), 1)
    })
  })

  test('keeps its progress when the viewer leaves it and goes back', async () => {
    await visit(engine, 7, { popups: 'as-is' }, async (scene) => {
      await scene.viewer.read(WATCH)
      await scene.viewer.click('#open')
      const done = Math.min(7, kind.perPress)
      await becomes(() => scene.destinations.visits.length, done)
      // Firefox opens tabs in front of the launcher. Whether the launcher learns of it depends on who comes back first.
      await becomes(() => scene.viewer.read('document.visibilityState'), 'visible')
      // Firefox does not keep a page while a tab that it opened waits for its own.
      await expectNoOpeners(scene, done)
      await scene.viewer.leaveAndReturn()
      // The page as it was, or a new one.
      await becomes(() => scene.viewer.read('self.seen?.includes("kept") ?? false'), kind.keepsPages)
      await pressUntilDone(scene, 7, kind.perPress, done)
      expectEachOnce(scene, 7)
      await becomes(() => clicksOf(scene), 1)
    })
  })

  test('opens each link once, however fast one taps', async () => {
    await visit(engine, 7, { popups: 'as-is' }, async (scene) => {
      await scene.viewer.tap('#open', 3)
      const opened = await scene.viewer.read<number>("document.querySelectorAll('.opened').length")
      await becomes(() => scene.destinations.visits.length, opened)
      await pressUntilDone(scene, 7, kind.perPress, opened)
      expectEachOnce(scene, 7)
      await becomes(() => clicksOf(scene), 1)
    })
  })
})

/** Opens a launcher of some links, and closes it afterwards; anew, with another launcher, if the browser crashes. */
async function visit(...visited: Parameters<typeof visitOnce>): Promise<void> {
  for (let crashes = 0; ; crashes += 1) {
    try {
      return await visitOnce(...visited)
    } catch (error) {
      if (!(error instanceof PageCrash) || crashes === 2) throw error
      console.warn(error.message)
    }
  }
}

async function visitOnce(
  engine: Engine,
  count: number,
  conditions: Conditions,
  look: (scene: Scene) => Promise<void>,
  bundleOf: (urls: string[]) => NewBundle = (urls) => ({ urls }),
): Promise<void> {
  const destinations = startDestinations()
  const { url, slug } = await createBundle(server.origin, bundleOf(destinations.urls(count)))
  const viewer = await engine.open(url, conditions)
  try {
    await look({ viewer, destinations, slug })
  } finally {
    await viewer.close()
    destinations.stop()
  }
}

async function clicksOf({ slug }: Scene): Promise<number> {
  const sum = `SELECT coalesce(sum(open_all_clicks), 0) AS clicks FROM daily_counters
    JOIN bundles ON bundles.id = bundle_id WHERE slug = ?`
  const [row] = await server.sql(sum, [slug])
  return Number(row?.clicks)
}

/** How often each link that was opened was counted. */
async function opensOf({ slug }: Scene): Promise<number[]> {
  const rows = await server.sql('SELECT opens FROM daily_opens JOIN bundles ON bundles.id = bundle_id WHERE slug = ?', [
    slug,
  ])
  return rows.map(({ opens }) => Number(opens))
}

/** The cells of the rows in docs/browsers.md. */
function tableRows(): string[][] {
  return TABLE.split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}
