import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'
import { type InProcess, startInProcess } from '../in-process.ts'
import { startNginx } from '../nginx.ts'
import { linkIn, mailTo, newEmail, PASSWORD } from '../people.ts'
import { freePort } from '../ports.ts'
import { openChromium } from './chromium.ts'
import { startDestinations } from './destinations.ts'

// Debian's nginx with `auth_basic`, as companies put it before a service: it passes on the credential that it asked for.

setDefaultTimeout(180_000)

const folder = mkdtempSync(join(tmpdir(), 'openall-staff-'))
const port = freePort()
const origin = `http://localhost:${port}`
let server: InProcess
let nginx: Awaited<ReturnType<typeof startNginx>>
beforeAll(async () => {
  const upstream = freePort()
  server = await startInProcess({ PORT: String(upstream), SERVICE_BASE_URL: origin })
  writeFileSync(join(folder, 'people'), 'ada:{PLAIN}sesame\n')
  const basic = `auth_basic "Staff only"; auth_basic_user_file ${folder}/people;`
  nginx = await startNginx(origin, upstream, basic)
})
afterAll(async () => {
  await nginx?.stop()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('behind it, a person signs up, confirms, makes a bundle and opens it, and the click is counted', async () => {
  const destinations = startDestinations()
  const browser = await openChromium({ popups: 'allowed' })
  const context = await browser.newContext({ httpCredentials: { username: 'ada', password: 'sesame' } })
  try {
    const page = await context.newPage()
    const email = newEmail()
    await page.goto(`${origin}/sign-up`)
    await page.fill('#email', email)
    await page.fill('#password', PASSWORD)
    await page.press('#password', 'Enter')
    await page.waitForURL('**/dashboard**')
    await page.goto(linkIn(await mailTo(server, email, 'Confirm your address')))
    await page.locator('main form button').first().click()
    await page.goto(`${origin}/dashboard`)
    expect(await page.locator('h1').textContent()).toContain('Bundles')
    const made = await page.evaluate(async (urls) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch('/api/links', { method: 'POST', headers, body: JSON.stringify({ urls }) })
      return [answer.status, await answer.json()]
    }, destinations.urls(2))
    expect(made[0]).toBe(201)
    const { slug } = made[1] as { slug: string }
    await page.goto(`${origin}/l/${slug}`)
    await page.locator('#open').click()
    await eventually(() => destinations.visits.length === 2, 'both tabs are open')
    const clicks = async () => {
      const answer = await page.request.get(`${origin}/api/links/${slug}/insights`)
      return ((await answer.json()) as { totals: { openAllClicks: number } }).totals.openAllClicks
    }
    await eventually(async () => (await clicks()) === 1, 'the click is counted')
  } finally {
    await context.close()
    destinations.stop()
  }
})
