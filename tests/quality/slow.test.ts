import { afterAll, beforeAll, expect, test } from 'bun:test'
import { prepareWorld, scenes, type World } from '../browser/scenes.ts'
import { setStage } from '../browser/stage.ts'

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

/** A proxy in front of the server that sends pages in pieces, like a slow connection. */
function slowly(to: string) {
  return Bun.serve({
    port: 0,
    async fetch(request) {
      const headers = new Headers(request.headers)
      headers.set('host', new URL(to).host)
      headers.set('accept-encoding', 'identity')
      const { method } = request
      const body = method === 'POST' ? await request.bytes() : null
      const url = request.url.replace(new URL(request.url).origin, to)
      const answer = await fetch(url, { method, body, headers, redirect: 'manual' })
      const bytes = await answer.bytes()
      if (!(answer.headers.get('content-type') ?? '').startsWith('text/html')) {
        return new Response(bytes, { status: answer.status, headers: answer.headers })
      }
      const size = Math.ceil(bytes.length / PIECES)
      let at = 0
      const pieces = new ReadableStream({
        async pull(controller) {
          if (at > 0) await Bun.sleep(BETWEEN_MS)
          controller.enqueue(bytes.subarray(at, at + size))
          at += size
          if (at >= bytes.length) controller.close()
        },
      })
      return new Response(pieces, { status: answer.status, headers: answer.headers })
    },
  })
}

test.each(['home', 'launcher', 'dashboard', 'bundle', 'bundle-new'] as const)(
  'nothing moves on the page %s while it loads slowly',
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
      // Only guards against hanging.
      await page.waitForLoadState('networkidle', { timeout: 120_000 })
      expect(await page.evaluate(() => (globalThis as unknown as { moved: unknown[] }).moved.length)).toBe(0)
    }
  },
)
