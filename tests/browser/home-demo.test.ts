import { expect, test } from 'bun:test'
import { eventually } from '../eventually.ts'
import { setStage } from './stage.ts'

const stage = setStage()

test('the launcher on the home page opens its tabs by the code of launchers, loads nothing before, and tells nobody', async () => {
  const { page } = await stage.open('/', null, {})
  const [own, elsewhere]: [string[], string[]] = [[], []]
  const context = page.context()
  await context.route(
    (url) => url.origin !== stage.server.origin,
    (route) => {
      elsewhere.push(route.request().url())
      return route.fulfill({ body: '' })
    },
  )
  page.on('request', (request) => own.push(new URL(request.url()).pathname))
  const demo = page.frameLocator('iframe[title="A launcher to press"]')
  await page.locator('iframe.demo').scrollIntoViewIfNeeded()
  await demo.locator('#open').waitFor()
  const links = await demo.locator('a.tab').evaluateAll((tabs) => (tabs as HTMLAnchorElement[]).map(({ href }) => href))
  expect(elsewhere).toEqual([])
  await demo.locator('#open').click()
  await demo.getByRole('button', { name: `All ${links.length} tabs are open.` }).waitFor()
  await eventually(() => links.every((link) => elsewhere.includes(link)), 'every tab asks its site')
  // When a launcher tells which tabs were opened.
  await demo.locator('body').evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  expect(own.filter((path) => path.startsWith('/api/'))).toEqual([])
})

test.each([1280, 390])(
  'the launcher on the home page is whole at %i pixels, before and after a press',
  async (width) => {
    const { page } = await stage.open('/', null, { viewport: { width, height: 860 } })
    await page.locator('iframe.demo').scrollIntoViewIfNeeded()
    const demo = page.frameLocator('iframe.demo')
    const hidden = () => demo.locator('html').evaluate((html) => html.scrollHeight - html.clientHeight)
    await demo.locator('#open').waitFor()
    expect(await hidden()).toBe(0)
    await demo.locator('#open').click()
    await demo.locator('.opened').first().waitFor()
    expect(await hidden()).toBe(0)
  },
)

test('what leads away from the launcher on the home page leads the whole page', async () => {
  const { page } = await stage.open('/', null, {})
  await page.locator('iframe.demo').scrollIntoViewIfNeeded()
  const footer = page.frameLocator('iframe.demo').getByRole('link', { name: 'Made with' })
  await Promise.all([page.waitForEvent('load'), footer.click()])
  expect(page.frames().filter((frame) => frame.url().startsWith('chrome-error'))).toEqual([])
})

test('the command to run the service is that of README', async () => {
  const { page } = await stage.open('/', null, { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.locator('.shell button').click()
  await page.getByText('Copied').first().waitFor()
  const command = await page.evaluate(() => navigator.clipboard.readText())
  expect(await Bun.file(`${import.meta.dir}/../../README.md`).text()).toContain(`\n${command}\n`)
})
