import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'
import { type InProcess, startInProcess } from '../in-process.ts'
import { need } from '../needs.ts'
import { linkIn, mailTo, newEmail, PASSWORD } from '../people.ts'
import { freePort } from '../ports.ts'
import { openChromium } from './chromium.ts'
import { startDestinations } from './destinations.ts'

// Debian's nginx with `auth_basic`, as companies put it before a service: it passes on the credential that it asked for.

setDefaultTimeout(180_000)

const folder = mkdtempSync(join(tmpdir(), 'openall-nginx-'))
const port = freePort()
const origin = `http://localhost:${port}`
let server: InProcess
let nginx: Bun.Subprocess
beforeAll(async () => {
  need('nginx')
  const upstream = freePort()
  server = await startInProcess({ PORT: String(upstream), SERVICE_BASE_URL: origin })
  writeFileSync(join(folder, 'people'), 'ada:{PLAIN}sesame\n')
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/pid;
error_log ${folder}/errors;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    auth_basic "Staff only";
    auth_basic_user_file ${folder}/people;
    location / {
      proxy_pass http://localhost:${upstream};
      proxy_set_header Host $http_host;
    }
  }
}
`,
  )
  nginx = Bun.spawn(['nginx', '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'errors')], {
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  await eventually(async () => (await fetch(origin).catch(() => null))?.status === 401, 'nginx asks for a sign-in')
})
afterAll(async () => {
  nginx?.kill()
  await nginx?.exited
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
