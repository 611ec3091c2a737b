import { expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { createBundle } from './service.ts'
import { setStage } from './stage.ts'
import { DESK } from './variables.ts'

const stage = setStage({ env: { SERVICE_SHORT_PATHS: 'on' } })

test('whoever fills in a launcher at its short path stays at it, and copies it', async () => {
  const { slug } = await createBundle(stage.server.origin, DESK)
  const permissions = ['clipboard-read', 'clipboard-write']
  for (const path of [`/${slug}`, `/l/${slug}`, `/${slug}/42`]) {
    const { page } = await stage.open(path, null, { permissions })
    // Filled already, the fields are folded.
    if (path.endsWith('/42')) await page.click('.pick >> nth=0')
    await page.fill('#value-customer', '4711')
    await page.click('#copy-values')
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    const expected = new URL(`${stage.server.origin}${path.replace('/42', '')}?customer=4711&range=7d`)
    await becomes(async () => (await copied()).split('&')[0], expected.href.split('&')[0])
    await becomes(() => page.url().split('&')[0], expected.href.split('&')[0])
    await page.reload()
    expect(await page.inputValue('#value-customer')).toBe('4711')
  }
})
