import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { openChromium } from '../browser/chromium.ts'
import { arrive, type Person } from '../people.ts'
import { type Server, startServer } from '../server.ts'
import { installPackage, type Project } from './package.ts'

// tsc runs to make the package, on a machine that may be busy.
setDefaultTimeout(300_000)

let browser: Browser
let server: Server
let project: Project
let person: Person
beforeAll(async () => {
  project = await installPackage()
  server = await startServer()
  browser = await openChromium({ popups: 'blocked' })
  person = await arrive(server)
})
afterAll(async () => {
  await browser.close()
  await server.stop()
  project.remove()
})

/** A page of the service, which the package's own file is served to. */
async function visit(): Promise<Page> {
  const context = await browser.newContext({ bypassCSP: true, baseURL: server.origin })
  const page = await context.newPage()
  const path = join(project.folder, 'node_modules/openall/openall.js')
  await page.route('**/openall.js', (route) => route.fulfill({ path, contentType: 'text/javascript' }))
  await page.goto('/')
  return page
}

/** Runs the body of a function that has a client without a key, in the page; gives what it returns. */
const inPage = (page: Page, body: string): Promise<unknown> =>
  page.evaluate(`(async () => {
    const { createClient, OpenallError } = await import('/openall.js')
    const openall = createClient({ server: location.origin })
    ${body}
  })()`)

test('in a browser a client makes a bundle without an account, and has errors of its class', async () => {
  const page = await visit()
  const made = await inPage(page, `return openall.createBundle({ urls: ['https://a.example/'] })`)
  expect(made).toMatchObject({ url: expect.stringContaining(`${server.origin}/l/`), claimToken: expect.any(String) })
  const refused = `return openall.whoAmI().catch((error) => [error instanceof OpenallError, error.code, error.status])`
  expect(await inPage(page, refused)).toEqual([true, 'UNAUTHORIZED', 401])
  await page.context().close()
})

test('on the service’s own pages it acts for who is signed in', async () => {
  const page = await visit()
  const cookies = [...person.cookies].map(([name, value]) => ({ name, value, url: server.origin }))
  await page.context().addCookies(cookies)
  const body = `
    const { slug } = await openall.createBundle({ title: 'From a page', urls: ['https://a.example/'] })
    const { version } = await openall.updateBundle.answer({ slug, title: 'Edited' }, { expectedVersion: 1 })
    const titles = []
    for await (const { title } of openall.listBundles.each()) titles.push(title)
    return [version, titles]`
  expect(await inPage(page, body)).toEqual([2, ['Edited']])
  await page.context().close()
})
