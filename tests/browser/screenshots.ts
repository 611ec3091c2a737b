import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startServer } from '../server.ts'
import { ODD, ONBOARDING } from './bundles.ts'
import { openChromium } from './chromium.ts'
import { createBundle } from './service.ts'

// Every page as people see it, for looking at: `bun run screenshots`, then open the folder.
const FOLDER = join(import.meta.dir, '../../screenshots')
const WIDTHS = { 1280: 860, 390: 844 }

const server = await startServer()
const onboarding = await createBundle(server.origin, ONBOARDING)
const odd = await createBundle(server.origin, ODD)

/** What is done to a page before its picture is taken. */
const SCENES: Record<string, (page: Page) => Promise<unknown>> = {
  launcher: (page) => page.goto(onboarding.url),
  'launcher-blocked': async (page) => {
    await page.goto(onboarding.url)
    await page.click('#open')
    await page.bringToFront()
  },
  'launcher-qr': async (page) => {
    await page.goto(onboarding.url)
    await page.click('.qr summary')
  },
  'launcher-odd': (page) => page.goto(odd.url),
  'launcher-odd-scrolled': async (page) => {
    await page.goto(odd.url)
    await page.mouse.wheel(0, 1200)
    await page.waitForFunction(() => scrollY > 600)
  },
  home: (page) => page.goto(server.origin),
  'home-errors': async (page) => {
    await page.goto(server.origin)
    await page.fill('#urls', 'https://example.com/agenda\nftp://files.example.com\nnot a link at all')
    await page.fill('#title', 'Team offsite')
    await page.click('button[type=submit]')
  },
  result: async (page) => {
    await page.goto(server.origin)
    await page.fill('#urls', 'https://example.com/agenda\nTeam notes | https://notes.example.com')
    await page.fill('#title', 'Team offsite')
    await page.click('button[type=submit]')
  },
  missing: (page) => page.goto(`${server.origin}/l/nothing-here`),
}

mkdirSync(FOLDER, { recursive: true })
const browser = await openChromium({ popups: 'blocked' })
for (const [width, height] of Object.entries(WIDTHS)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport: { width: Number(width), height }, colorScheme })
    // Destinations are not to be fetched: only their tabs matter here.
    await context.route(/^(?!http:\/\/localhost)/, (route) => route.fulfill({ body: '' }))
    for (const [name, prepare] of Object.entries(SCENES)) {
      const page = await context.newPage()
      await prepare(page)
      await page.waitForLoadState('networkidle')
      await page.screenshot({ path: join(FOLDER, `${name}-${width}-${colorScheme}.png`) })
      for (const other of context.pages()) await other.close()
    }
    await context.close()
  }
}
await browser.close()
await server.stop()
