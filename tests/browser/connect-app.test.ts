import { expect, test } from 'bun:test'
import { OAuthTokensSchema } from '@modelcontextprotocol/sdk/shared/auth.js'
import type { BrowserContext } from 'playwright-core'
import { eventually } from '../eventually.ts'
import { Keeper, legacyOAuthAgent, modernOAuthAgent, type OAuthAgent } from '../mcp/oauth-clients.ts'
import { reach } from '../oauth.ts'
import { newOrganization, newPerson } from '../people.ts'
import { axeViolations, overflowOf } from './flaws.ts'
import { addSession } from './people.ts'
import { setStage } from './stage.ts'

const stage = setStage()

/** The agent's own server, to which the browser comes back. */
function openCallback() {
  const seen: URL[] = []
  const listener = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url }) {
      if (new URL(url).pathname === '/callback') seen.push(new URL(url))
      return new Response('You can go back to your agent.', { headers: { 'content-type': 'text/plain' } })
    },
  })
  return { seen, url: `http://127.0.0.1:${listener.port}/callback`, stop: () => listener.stop(true) }
}

const connects = (agent: OAuthAgent) =>
  agent.connect().then(
    () => true,
    () => false,
  )

test.each([
  ['1.x', legacyOAuthAgent],
  ['2.x', modernOAuthAgent],
] as const)(
  'an agent with the official client %s connects by a page in the browser, without a key or JavaScript',
  async (line, agentOf) => {
    const callback = openCallback()
    const person = await newPerson(stage.server)
    const keeper = new Keeper(`Agent ${line}`, callback.url)
    const agent = agentOf(`${stage.server.origin}/api/mcp`, keeper)
    expect(await connects(agent)).toBe(false)
    const { page, complaints } = await stage.open(keeper.asked?.href ?? '', person, { javaScriptEnabled: false })
    expect(await page.locator('main').innerText()).toContain(`Agent ${line}`)
    expect(await page.locator('main').innerText()).toContain('an app on this computer')
    expect(await overflowOf(page)).toBe(0)
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.waitForURL(/^http:\/\/127\.0\.0\.1/)
    expect(callback.seen).toHaveLength(1)
    expect(callback.seen[0]?.searchParams.get('state')).toBe('state-of-the-agent')
    await agent.finish(callback.seen[0]!)
    expect(await agent.connect()).toContain('create_bundle')
    const first = OAuthTokensSchema.parse(keeper.kept)
    expect(first.scope).toBe('links:read links:write')
    expect(await agent.renew()).toBe('AUTHORIZED')
    expect(OAuthTokensSchema.parse(keeper.kept).access_token).not.toBe(first.access_token)
    expect(await agent.connect()).toContain('list_bundles')
    expect(await reach(stage.server, first.access_token)).toMatchObject({ mcp: 401 })

    await page.goto(`${stage.server.origin}/dashboard/keys`)
    expect(await page.locator('main').innerText()).toContain(`Agent ${line}`)
    await page.getByRole('link', { name: `Revoke Agent ${line}` }).click()
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.waitForURL(/\/dashboard\/keys/)
    expect(complaints).toEqual([])
    keeper.asked = undefined
    expect(await connects(agent)).toBe(false)
    expect(keeper.asked).toBeDefined()
    await callback.stop()
  },
)

test('the page asks for an organisation by name, and has no axe violations in light and dark', async () => {
  const person = await newPerson(stage.server)
  await newOrganization(person)
  const keeper = new Keeper(
    'A very long name of an app that somebody typed'.repeat(2),
    'https://agent.example/callback',
  )
  await modernOAuthAgent(`${stage.server.origin}/api/mcp`, keeper)
    .connect()
    .catch(() => {})
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await stage.browser.newContext({
      colorScheme,
      viewport: { width: 320, height: 800 },
      bypassCSP: true,
    })
    await addSession(context, person)
    const page = await context.newPage()
    await page.goto(keeper.asked?.href ?? '')
    expect(await page.getByRole('radio').count()).toBe(2)
    expect([colorScheme, await axeViolations(page), await overflowOf(page)]).toEqual([colorScheme, [], 0])
    if (process.env.PICTURES !== undefined)
      await page.screenshot({ path: `${process.env.PICTURES}/consent-${colorScheme}.png`, fullPage: true })
  }
})

/** The page that asks a new person about an app, with this done in it before anything else. */
async function openConsent(before: (context: BrowserContext) => Promise<unknown>) {
  const person = await newPerson(stage.server)
  const keeper = new Keeper('Pressed', 'https://agent.example/callback')
  await connects(modernOAuthAgent(`${stage.server.origin}/api/mcp`, keeper))
  const context = await stage.browser.newContext()
  await addSession(context, person)
  await before(context)
  const page = await context.newPage()
  await page.goto(keeper.asked?.href ?? '')
  return page
}

test('no pointer reaches Connect in the first second, even without scripts: a double click begins on another site', async () => {
  const page = await openConsent((context) =>
    context.addInitScript(() => {
      document.addEventListener('DOMContentLoaded', () => {
        for (const animation of document.getAnimations()) animation.pause()
      })
    }),
  )
  const isReached = () =>
    page.evaluate(() => {
      const button = document.querySelector('button[value="connect"]')!
      button.scrollIntoView()
      const { x, y, width, height } = button.getBoundingClientRect()
      return document.elementFromPoint(x + width / 2, y + height / 2) === button
    })
  const animations = await page.evaluate(() =>
    document.getAnimations().map((animation) => Number(animation.effect?.getComputedTiming().endTime)),
  )
  expect([animations, await isReached()]).toEqual([[1000], false])
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) animation.finish()
  })
  expect(await isReached()).toBe(true)
})

test('Connect does nothing in the second after the page is seen again, by any way of pressing it', async () => {
  const page = await openConsent((context) => context.clock.install())
  await page.clock.pauseAt(Date.now() + 60_000)
  const press = () => page.locator('button[value="connect"]').press('Enter')
  const isHere = async () => (await page.getByRole('heading', { name: 'Connect Pressed?' }).count()) === 1
  for (const [target, name] of [
    ['window', 'focus'],
    ['window', 'pageshow'],
    ['document', 'visibilitychange'],
  ] as const) {
    await page.evaluate(
      ([target, name]) =>
        (target === 'window' ? window : document).dispatchEvent(
          name === 'pageshow' ? new PageTransitionEvent(name, { persisted: true }) : new Event(name),
        ),
      [target, name] as const,
    )
    await page.clock.runFor(900)
    await press()
    expect([name, await isHere()]).toEqual([name, true])
    expect(await page.locator('#live').innerText()).toContain('press again')
  }
  // A late focus of the browser’s own begins the second anew.
  await eventually(async () => {
    await page.clock.runFor(1_000)
    if (await isHere()) await press().catch(() => {})
    return !(await isHere())
  }, 'the way back to the app')
})

test('no page of another site can show it in a frame', async () => {
  const person = await newPerson(stage.server)
  const keeper = new Keeper('Framed', 'https://agent.example/callback')
  await modernOAuthAgent(`${stage.server.origin}/api/mcp`, keeper)
    .connect()
    .catch(() => {})
  const context = await stage.browser.newContext()
  await addSession(context, person)
  const page = await context.newPage()
  const src = keeper.asked?.href.replaceAll('&', '&amp;')
  const evil = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(`<iframe src="${src}"></iframe>`, { headers: { 'content-type': 'text/html' } }),
  })
  await page.goto(evil.url.href)
  await eventually(() => page.frames()[1]?.url().startsWith('chrome-error:') ?? false, 'a refused frame')
  await evil.stop(true)
})
