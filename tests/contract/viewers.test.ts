import { expect, test } from 'bun:test'
import { becomes, eventually } from '../eventually.ts'
import { newPerson } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { readRow } from './support.ts'

/** How many viewers of one network are counted one by one. */
const EXACT = 512

onEveryTarget({}, (at) => {
  async function look(slug: string, from: number, to: number) {
    const browsers = Array.from(
      { length: to - from },
      (_, index) => `Mozilla/5.0 (Windows NT 10.0) Colleague/${from + index}`,
    )
    while (browsers.length > 0) {
      const some = browsers.splice(0, 50)
      await Promise.all(
        some.map(async (agent) =>
          (await fetch(`${at().origin}/l/${slug}`, { headers: { 'user-agent': agent } })).text(),
        ),
      )
    }
  }

  test('the viewers of one network are counted exactly up to 512, beyond that nearly, and in few rows', async () => {
    const ann = await newPerson(at())
    const { slug } = await ann.makeBundle()
    const total = async () => {
      type Told = { totals: { views: number; uniqueViewerDays: number } }
      return (await ann.api<Told>('GET', `/api/links/${slug}/insights`)).body.totals
    }
    await look(slug, 0, EXACT)
    await becomes(async () => (await total()).uniqueViewerDays, EXACT)
    // An eighth of them again: nobody counts twice.
    await look(slug, 0, EXACT / 8)
    await look(slug, EXACT, 4 * EXACT)
    await look(slug, 3 * EXACT, 4 * EXACT)
    await eventually(async () => (await total()).views === 4 * EXACT + EXACT / 8 + EXACT, 'all views are counted')
    // Views and viewers are written in batches of their own.
    await eventually(async () => (await total()).uniqueViewerDays >= 3.5 * EXACT, 'nearly all viewers are counted')
    // Five standard deviations: of the viewers past 512 one in two has a code, past 1536 one in four.
    expect((await total()).uniqueViewerDays).toBeWithin(3.5 * EXACT, 4.5 * EXACT)
    const stored = await readRow<{ hashes: number }>(
      at(),
      'SELECT count(*) AS hashes FROM viewer_hashes JOIN bundles ON bundles.id = bundle_id WHERE slug = ?',
      slug,
    )
    expect(stored.hashes).toBeWithin(2 * EXACT, 3 * EXACT)
  })
})
