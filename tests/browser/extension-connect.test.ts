import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Instance } from '../../extension/parts/instances.ts'
import { newPerson, type Person } from '../people.ts'
import { setExtensionStage } from './extension.ts'

const stage = setExtensionStage()

/** What the extension has stored, read in one of its pages. */
async function storedIn(options: Page) {
  const [local, session, refreshToken] = await options.evaluate(async (origin) => {
    const opening = indexedDB.open('openall', 1)
    await new Promise((resolve) => opening.addEventListener('success', resolve))
    const request = opening.result.transaction('tokens').objectStore('tokens').get(origin)
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

test('somebody signs in through the browser’s own window, and signs out again', async () => {
  const { server, context } = stage
  const person = await newPerson(server)
  const options = await stage.connect(person)
  await options.getByText('Signed in').waitFor()
  const { instance, refreshToken, local } = await storedIn(options)
  expect(instance).toMatchObject({ account: { hasEnded: false }, opensAtOnce: false })
  // Content scripts can read `storage.local` in Firefox.
  expect(JSON.stringify(local)).not.toContain(refreshToken!)
  expect(await grantsOf(person)).toBe(1)
  await options.getByRole('button', { name: 'Sign out' }).click()
  await options.getByText('Signed out of').waitFor()
  expect(await storedIn(options)).toEqual({
    local: { instances: {}, chosen: null },
    session: {},
    refreshToken: undefined,
    instance: undefined,
  })
  expect(await renew(refreshToken!, instance!.account!.clientId)).toBe(400)
  expect(await grantsOf(person)).toBe(0)
  expect(await options.evaluate(() => chrome.permissions.contains({ origins: ['http://localhost/*'] }))).toBe(false)
  await context.clearCookies()
})
