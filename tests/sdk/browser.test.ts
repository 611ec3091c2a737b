import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { bundleClient } from '../../tools/bundle.ts'
import { setStage } from '../browser/stage.ts'
import { newPerson, type Visitor } from '../people.ts'

const folder = mkdtempSync(join(tmpdir(), 'openall-client-'))
const stage = setStage()
beforeAll(() => bundleClient(folder))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A page of the service, with the package's own file. */
async function visit(as: Visitor | null): Promise<Page> {
  const { page } = await stage.open('/', as, { bypassCSP: true })
  const path = join(folder, 'openall.js')
  await page.route('**/openall.js', (route) => route.fulfill({ path, contentType: 'text/javascript' }))
  return page
}

/** Runs a function body with an anonymous client in the page. Returns its result. */
const inPage = (page: Page, body: string): Promise<unknown> =>
  page.evaluate(`(async () => {
    const { createClient, OpenallError } = await import('/openall.js')
    const openall = createClient({ server: location.origin })
    ${body}
  })()`)

test('in a browser a client makes an anonymous bundle, and gets errors of its class', async () => {
  const page = await visit(null)
  const made = await inPage(page, `return openall.createBundle({ urls: ['https://a.example/'] })`)
  expect(made).toMatchObject({
    url: expect.stringContaining(`${stage.server.origin}/l/`),
    claimToken: expect.any(String),
  })
  const refused = `return openall.whoAmI().catch((error) => [error instanceof OpenallError, error.code, error.status])`
  expect(await inPage(page, refused)).toEqual([true, 'UNAUTHORIZED', 401])
})

test('on the service’s own pages it acts for the signed-in person', async () => {
  const page = await visit(await newPerson(stage.server))
  const body = `
    const { slug } = await openall.createBundle({ title: 'From a page', urls: ['https://a.example/'] })
    const { version } = await openall.updateBundle.answer({ slug, title: 'Edited' }, { expectedVersion: 1 })
    const titles = []
    for await (const { title } of openall.listBundles.each()) titles.push(title)
    return [version, titles]`
  expect(await inPage(page, body)).toEqual([2, ['Edited']])
})
