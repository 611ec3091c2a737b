import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { actFor, newOrganization, newPerson, type Person } from '../people.ts'
import type { Server } from '../server.ts'
import { startDestinations } from './destinations.ts'
import { KINDS } from './engines.ts'
import { becomes, expectEachOnce, expectNoOpeners, type Scene } from './launching.ts'
import type { Conditions, Engine } from './viewer.ts'

// Open all on a row of a start page, in every browser on the machine.

// Only guards against hanging; generous, because the machine may be busy.
setDefaultTimeout(300_000)

const TABS = 3
/** Whether the tabs of a row that was pointed at are known. */
const KNOWS = "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('.json'))"
const SAID = "document.querySelector('.said')?.textContent ?? ''"
const FOCUSED = "document.activeElement.closest('li')?.querySelector('.name').textContent.trim() ?? ''"

let server: Server
let admin: Person
beforeAll(async () => {
  server = await startInProcess({ SERVICE_COUNT_FLUSH_MS: '100' })
  admin = await newPerson(server)
})
afterAll(() => server.stop())

/** Views, clicks on Open all, and openings of each tab of a bundle. */
async function counts(slug: string): Promise<number[]> {
  const { body } = await admin.api<{ totals: { views: number; openAllClicks: number }; tabs: { opens: number }[] }>(
    'GET',
    `/api/links/${slug}/insights`,
  )
  return [body.totals.views, body.totals.openAllClicks, ...body.tabs.map(({ opens }) => opens)]
}

describe.each(KINDS.filter((kind) => kind.isThere()))('$name', (kind) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await kind.start()
  })
  afterAll(() => engine?.stop())

  /** Opens the start page of a new organisation with a bundle that asks for a value and one that opens at once. */
  async function visit(conditions: Conditions, look: (scene: Scene & { asking: string }) => Promise<void>) {
    const destinations = startDestinations()
    const { id } = await newOrganization(admin)
    await actFor(admin, id)
    const handle = `team-${id.toLowerCase().replace(/[^a-z0-9]/g, '')}`.slice(0, 40)
    await admin.api('PATCH', `/api/organizations/${id}`, { handle })
    const made = (fields: object) => admin.makeBundle({ listed: true, ...fields })
    const { slug } = await made({ title: 'Lunch list', urls: destinations.urls(TABS) })
    const asked = { title: 'Checkout is down', urls: ['https://a.example/{service}'], variables: [{ name: 'service' }] }
    const { slug: asking } = await made(asked)
    const viewer = await engine.open(`${server.origin}/o/${handle}`, conditions)
    try {
      await look({ viewer, destinations, slug, asking })
    } finally {
      await viewer.close()
      destinations.stop()
    }
  }
  const button = (slug: string) => `button[data-slug="${slug}"]`
  const popups = kind.perPress === 1 ? 'allowed' : 'as-is'

  test('the keyboard alone finds a bundle and opens all its tabs, counted as a view, a click and openings of it', async () => {
    await visit({ popups }, async (scene) => {
      const { viewer, slug } = scene
      await viewer.press('/')
      await viewer.type('lunch')
      await viewer.press('Enter')
      await becomes(() => viewer.read<string>(`location.search + ${FOCUSED}`).catch(() => ''), '?q=lunchLunch list')
      await becomes(() => viewer.read(KNOWS), true)
      await viewer.press('o')
      await becomes(() => scene.destinations.visits.length, TABS)
      await becomes(() => viewer.read(SAID), `Opened ${TABS}`)
      expectEachOnce(scene, TABS)
      await expectNoOpeners(scene, TABS)
      expect(scene.destinations.visits.every(({ referrer }) => referrer === null)).toBe(true)
      await becomes(() => counts(slug), [1, 1, 1, 1, 1])
    })
  })

  test.if(kind.perPress === 1)(
    'while pop-ups are blocked, the row says so and leads to the launcher; what opened counts',
    async () => {
      await visit({ popups: 'as-is' }, async ({ viewer, destinations, slug }) => {
        // The newest row comes first.
        for (const key of ['j', 'j']) await viewer.press(key)
        await becomes(() => viewer.read(FOCUSED), 'Lunch list')
        await becomes(() => viewer.read(KNOWS), true)
        await viewer.click(button(slug))
        await becomes(() => destinations.visits.length, 1)
        await becomes(() => viewer.read(SAID), `${TABS - 1} of ${TABS} blocked. Open its page`)
        await becomes(() => counts(slug), [1, 1, 1, 0, 0])
        await viewer.click('.said')
        await becomes(() => viewer.read<string>('location.pathname').catch(() => ''), `/l/${slug}`)
      })
    },
  )

  test('what needs a value leads to its launcher, by the key too', async () => {
    await visit({ popups }, async ({ viewer, asking, destinations }) => {
      await viewer.press('j')
      await becomes(() => viewer.read(FOCUSED), 'Checkout is down')
      await viewer.press('k')
      await viewer.press('o')
      await becomes(() => viewer.read<string>('location.pathname').catch(() => ''), `/l/${asking}`)
      expect(destinations.visits).toEqual([])
    })
  })

  test('without a script, each row is a link to its launcher', async () => {
    await visit({ popups: 'as-is', scripts: 'off' }, async ({ viewer, slug }) => {
      await viewer.click(`.name[href="/l/${slug}"]`)
      await becomes(async () => (await counts(slug))[0], 1)
    })
  })
})
