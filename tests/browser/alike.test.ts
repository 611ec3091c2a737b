import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { newPerson } from '../people.ts'
import type { Server } from '../server.ts'
import { differences, type Look, looksOf, shareUnlike } from './alike.ts'
import { ONBOARDING, RULES } from './bundles.ts'
import { startChromium } from './chromium-viewer.ts'
import { KINDS } from './engines.ts'
import { startFrames } from './frames.ts'

// What pages look like in the other browsers, compared with Chromium, where everything else about them is tested.

// Only guards against hanging; generous, because the machine may be busy.
setDefaultTimeout(300_000)

/** How much of a page may look different in Firefox, which draws the same font at the same places. */
const PICTURE_BUDGET = 0.01

let server: Server
/** The pages of somebody with a bundle of every kind, in frames. */
let frames: ReturnType<typeof startFrames>
let paths: string[]
let expected: Look[]
beforeAll(async () => {
  server = await startInProcess()
  const owner = await newPerson(server)
  const { slug } = await owner.makeBundle({ ...ONBOARDING, resolutionPolicy: RULES })
  await owner.api('PATCH', `/api/links/${slug}`, { title: 'Week one at Northwind' })
  // WebKit does not make a field as high as its text (`field-sizing`).
  const { slug: brief } = await owner.makeBundle({ ...ONBOARDING, description: 'From Monday to Friday.' })
  const bundle = `/dashboard/links/${slug}`
  paths = [`/l/${slug}`, '/dashboard', `/dashboard/links/${brief}`, `${bundle}/policy`, `${bundle}/versions`]
  frames = startFrames(owner)
  const engine = await startChromium()
  const viewer = await engine.open(frames.url, { popups: 'as-is' })
  expected = await looksOf(viewer, paths)
  await viewer.close()
})
afterAll(async () => {
  await frames?.stop()
  await server?.stop()
})

test.each(KINDS.filter((kind) => kind.name !== 'Chromium' && kind.isThere()))(
  'in $name pages look as they do in Chromium, on a desktop and on a phone',
  async (kind) => {
    const engine = await kind.start()
    const viewer = await engine.open(frames.url, { popups: 'as-is' })
    const isPictured = kind.name === 'Firefox'
    const looks = await looksOf(viewer, paths, isPictured ? undefined : async () => Buffer.alloc(0))
    // WebKit tells nothing of its console.
    const complaints = (await viewer.complaints?.()) ?? []
    await viewer.close()
    await engine.stop()
    expect(complaints).toEqual([])
    for (const [index, wanted] of expected.entries()) {
      const look = looks[index] as Look
      expect([look.name, differences(wanted, look)]).toEqual([wanted.name, []])
      if (isPictured) expect(await shareUnlike(wanted, look), look.name).toBeLessThan(PICTURE_BUDGET)
    }
  },
)
