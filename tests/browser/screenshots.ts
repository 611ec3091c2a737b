import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from '../server.ts'
import { openChromium } from './chromium.ts'
import { prepareWorld, scenes } from './scenes.ts'
import { watchRequests } from './waiting.ts'

// `bun run screenshots`: takes a screenshot of every scene, in two widths, light and dark.
const FOLDER = join(import.meta.dir, '../../screenshots')
const HEIGHTS = { 1280: 860, 390: 844 }

const server = await startServer()
const world = await prepareWorld(server)
const browser = await openChromium({ popups: 'blocked' })
mkdirSync(FOLDER, { recursive: true })
for (const [width, height] of Object.entries(HEIGHTS)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport: { width: Number(width), height }, colorScheme })
    for (const [name, scene] of Object.entries(scenes)) {
      const page = await context.newPage()
      await context.clearCookies()
      const quiet = watchRequests(page)
      await scene(page, world)
      await quiet()
      await page.screenshot({ path: join(FOLDER, `${name}-${width}-${colorScheme}.png`) })
      for (const other of context.pages()) await other.close()
    }
    await context.close()
  }
}
await browser.close()
await server.stop()
