import { expect, test } from 'bun:test'
import type { Instance } from '../../extension/parts/instances.ts'
import { newPerson } from '../people.ts'
import { setExtensionStage } from './extension.ts'
import { addSession } from './people.ts'

const stage = setExtensionStage()

test('somebody signs in through the browser’s own window, and signs out again', async () => {
  const { server, context } = stage
  await addSession(context, await newPerson(server))
  const options = await stage.open('options.html')
  await options.getByLabel('Address').fill(`${server.origin}/dashboard`)
  const opening = context.waitForEvent('page')
  await options.getByRole('button', { name: 'Sign in' }).click()
  const consent = await opening
  expect(await consent.locator('main').innerText()).toContain('Openall extension')
  await consent.getByRole('button', { name: 'Connect' }).click()
  await options.getByText('signed in').waitFor()
  const stored = () => options.evaluate(() => chrome.storage.local.get<{ instances: Record<string, Instance> }>())
  const { clientId, refreshToken } = (await stored()).instances[server.origin]!.account!
  const renew = async () => {
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId })
    return (await fetch(`${server.origin}/oauth/token`, { method: 'POST', body })).status
  }
  await options.getByRole('button', { name: 'Sign out' }).click()
  await options.getByText('signed in').waitFor({ state: 'detached' })
  expect((await stored()).instances).toEqual({})
  expect(await options.evaluate(() => chrome.storage.session.get())).toEqual({})
  expect(await renew()).toBe(400)
})
