import { afterAll, beforeAll, expect, test } from 'bun:test'
import { prepareWorld, scenes, type World } from './scenes.ts'
import { setStage } from './stage.ts'

const PIECES = 30
const BETWEEN_MS = 20

const stage = setStage()
let world: World
let slow: ReturnType<typeof slowly>
beforeAll(async () => {
  world = await prepareWorld(stage.server)
  slow = slowly(stage.server.origin)
})
afterAll(() => slow?.stop(true))

/** A proxy before the server over which pages come in pieces, as over a bad line. */
function slowly(to: string) {
  return Bun.serve({
    port: 0,
    async fetch(request) {
      const headers = new Headers(request.headers)
      headers.set('host', new URL(to).host)
      headers.set('accept-encoding', 'identity')
      const answer = await fetch(request.url.replace(new URL(request.url).origin, to), { headers, redirect: 'manual' })
      const bytes = await answer.bytes()
      if (!(answer.headers.get('content-type') ?? '').startsWith('text/html')) {
        return new Response(bytes, { status: answer.status, headers: answer.headers })
      }
      const size = Math.ceil(bytes.length / PIECES)
      let at = 0
      const body = new ReadableStream({
        async pull(controller) {
          if (at > 0) await Bun.sleep(BETWEEN_MS)
          controller.enqueue(bytes.subarray(at, at + size))
          at += size
          if (at >= bytes.length) controller.close()
        },
      })
      return new Response(body, { status: answer.status, headers: answer.headers })
    },
  })
}

test.each(['home', 'launcher', 'dashboard', 'bundle', 'bundle-new'] as const)(
  'nothing moves on the page %s while it arrives piece by piece',
  async (name) => {
    for (const width of [390, 1280]) {
      const page = await stage.browser.newPage({ viewport: { width, height: 844 } })
      await page.addInitScript(() => {
        const moved: unknown[] = []
        Object.assign(globalThis, { moved })
        new PerformanceObserver((list) => moved.push(...list.getEntries())).observe({
          type: 'layout-shift',
          buffered: true,
        })
      })
      await scenes[name](page, { ...world, origin: slow.url.origin })
      await page.waitForLoadState('networkidle')
      expect(await page.evaluate(() => (globalThis as unknown as { moved: unknown[] }).moved.length)).toBe(0)
    }
  },
)
