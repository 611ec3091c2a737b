import type { BrowserContext, Page } from 'playwright-core'
import { ODD, ONBOARDING } from './bundles.ts'
import { createBundle } from './service.ts'

type Scene = (page: Page) => Promise<unknown>

/** Every page that there is, and what is done to it before it is looked at. */
export async function scenes(origin: string) {
  const onboarding = await createBundle(origin, ONBOARDING)
  const odd = await createBundle(origin, ODD)
  const paste = async (page: Page, text: string) => {
    await page.goto(origin)
    await page.fill('#urls', text)
    await page.fill('#title', 'Team offsite')
    await page.click('button[type=submit]')
    await page.waitForLoadState()
  }
  return {
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
    home: (page) => page.goto(origin),
    'home-errors': (page) => paste(page, 'https://example.com/agenda\nftp://files.example.com\nnot a link at all'),
    'home-too-many': (page) => paste(page, Array.from({ length: 26 }, (_, n) => `https://example.com/${n}`).join('\n')),
    result: (page) => paste(page, 'https://example.com/agenda\nTeam notes | https://notes.example.com'),
    missing: (page) => page.goto(`${origin}/l/nothing-here`),
  } satisfies Record<string, Scene>
}

/** Keeps the destinations of the scenes off the network: only their tabs matter. */
export function keepHome(context: BrowserContext): Promise<unknown> {
  return context.route(/^(?!http:\/\/localhost)/, (route) => route.fulfill({ body: '' }))
}
