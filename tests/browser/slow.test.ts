import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { type Server, startServer } from '../server.ts'
import { openChromium } from './chromium.ts'
import { prepareWorld, scenes } from './scenes.ts'

setDefaultTimeout(60_000)

const PIECES = 30
const BETWEEN_MS = 20

let server: Server
let browser: Browser
let world: Awaited<ReturnType<typeof prepareWorld>>
let slow: ReturnType<typeof slowly>

beforeAll(async () => {
  server = await startServer()
  browser = await openChromium({ popups: 'blocked' })
  world = await prepareWorld(server)
  slow = slowly(server.origin)
})

afterAll(async () => {
  await browser.close()
  await slow.stop(true)
  await server.stop()
})

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
      const context = await browser.newContext({ viewport: { width, height: 844 } })
      const page = await context.newPage()
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
      await context.close()
    }
  },
)
