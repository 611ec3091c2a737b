import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Instance } from '../../extension/parts/instances.ts'
import { becomes } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import { startDestinations } from './destinations.ts'
import { setExtensionStage } from './extension.ts'
import { axeViolations, overflowOf } from './flaws.ts'
import { changeInstance, closeTabs, knowsExtension, tabsOf } from './opened-by-extension.ts'

const stage = setExtensionStage()

/** What the extension has stored, read in one of its pages. */
async function storedIn(options: Page) {
  const [local, session, refreshToken] = await options.evaluate(async (origin) => {
    const opening = indexedDB.open('openall', 1)
    await new Promise((resolve) => opening.addEventListener('success', resolve))
    const request = opening.result.transaction('private').objectStore('private').get(`token ${origin}`)
    await new Promise((resolve) => request.addEventListener('success', resolve))
    opening.result.close()
    return [await chrome.storage.local.get(), await chrome.storage.session.get(), request.result as string | undefined]
  }, stage.server.origin)
  const { instances = {} } = local as { instances?: Record<string, Instance> }
  return { local, session, refreshToken, instance: instances[stage.server.origin] }
}

/** Renews by a refresh token, as a thief would. @returns the status. */
async function renew(refreshToken: string, clientId: string): Promise<number> {
  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId })
  return (await fetch(`${stage.server.origin}/oauth/token`, { method: 'POST', body })).status
}

/** The person's connected apps that work. */
async function grantsOf(person: Person): Promise<number> {
  const { body } = await person.api<{ apiKeys: { revokedAt: string | null }[] }>('GET', '/api/me/keys')
  return body.apiKeys.filter(({ revokedAt }) => revokedAt === null).length
}

test('the page of options is for everybody: by keyboard alone, on a narrow window, light and dark', async () => {
  const options = await stage.open(`options.html?address=${encodeURIComponent(`${stage.server.origin}/l/some`)}`)
  const address = options.getByLabel('Address of the service')
  await becomes(() => address.inputValue(), stage.server.origin)
  expect(await address.evaluate((field) => field === document.activeElement)).toBe(true)
  // An error is beside its field, which has the focus.
  await options.keyboard.press('ControlOrMeta+A')
  await options.keyboard.type('http://openall.example')
  await options.keyboard.press('Enter')
  await options.getByText('Type https://openall.example').waitFor()
  expect(await axeViolations(options)).toEqual([])
  await options.keyboard.press('ControlOrMeta+A')
  await options.keyboard.type(stage.server.origin)
  for (const key of ['Tab', 'Tab', 'Enter']) await options.keyboard.press(key)
  await options.getByText('Connected to').waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await options.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const width of [1000, 320]) {
      await options.setViewportSize({ width, height: 700 })
      expect(await overflowOf(options)).toBeLessThanOrEqual(0)
      expect(await axeViolations(options)).toEqual([])
      expect(await axeViolations(options, { targetsAlone: true })).toEqual([])
    }
  }
  // The row that changes keeps the focus, and what is chosen stays chosen.
  const switches = options.getByRole('checkbox')
  for (const box of [switches.first(), switches.last()]) {
    await box.focus()
    await options.keyboard.press('Space')
    await options.waitForTimeout(200)
    expect(await box.evaluate((field) => field === document.activeElement)).toBe(true)
  }
  await options.reload()
  expect([await switches.first().isChecked(), await switches.last().isChecked()]).toEqual([true, true])
  await options.close()
})

test('a launcher that was open before its service was connected opens all by the extension too, each tab once', async () => {
  const destinations = startDestinations()
  const urls = destinations.urls(3)
  const { url } = await (await newPerson(stage.server)).makeBundle({ title: 'Before', urls })
  const own = await stage.open('options.html')
  await own.evaluate(() => chrome.storage.local.set({ instances: {}, chosen: null }))
  const registered = () => own.evaluate(async () => (await chrome.scripting.getRegisteredContentScripts()).length)
  await becomes(registered, 0)
  const launcher = await stage.context.newPage()
  await launcher.goto(url)
  await (await stage.connect(null)).close()
  // A second change comes to the page again.
  await changeInstance(own, stage.server.origin, { name: 'Changed' })
  await knowsExtension(launcher)
  await launcher.click('#open')
  await becomes(() => launcher.textContent('#open'), 'All 3 tabs are open.')
  const start = new URL(urls[0]!).origin
  expect((await tabsOf(own, start)).map(({ url, group }) => [url, group?.replace(/, .*/, '')])).toEqual(
    urls.map((url) => [url, 'Before']),
  )
  await closeTabs(own, start)
  // The group is forgotten once its tabs are closed.
  await becomes(() => own.evaluate(async () => (await chrome.storage.session.get('groups')).groups), [])
  await own.evaluate(() => chrome.storage.session.clear())
  await launcher.close()
  await own.close()
  await destinations.stop()
})

test('somebody signs in through the browser’s own window, and signs out again', async () => {
  const { server, context } = stage
  const person = await newPerson(server)
  const options = await stage.connect(person)
  await options.getByText('Signed in').waitFor()
  const { instance, refreshToken, local } = await storedIn(options)
  expect(instance).toMatchObject({ account: { hasEnded: false } })
  // Content scripts can read `storage.local` in Firefox.
  expect(JSON.stringify(local)).not.toContain(refreshToken!)
  expect(await grantsOf(person)).toBe(1)
  await options.getByRole('button', { name: 'Sign out' }).click()
  await options.getByText('Signed out of').waitFor()
  expect(await storedIn(options)).toEqual({
    // What its user chose for all instances stays.
    local: { instances: {}, chosen: null, settings: { sectionsAsGroups: true } },
    session: {},
    refreshToken: undefined,
    instance: undefined,
  })
  expect(await renew(refreshToken!, instance!.account!.clientId)).toBe(400)
  expect(await grantsOf(person)).toBe(0)
  expect(await options.evaluate(() => chrome.permissions.contains({ origins: ['http://localhost/*'] }))).toBe(false)
  await context.clearCookies()
})
