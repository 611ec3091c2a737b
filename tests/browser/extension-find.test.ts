import { afterEach, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { newPerson } from '../people.ts'
import { pressConnect, setExtensionStage } from './extension.ts'
import { openOmnibox } from './omnibox.ts'

const stage = setExtensionStage()

afterEach(async () => {
  for (const page of stage.context.pages().slice(1)) await page.close()
  await stage.context.clearCookies()
})

/** Types into the address bar. @returns reads the rows that it shows: what the extension says. */
async function typing(text: string): Promise<() => Promise<string[]>> {
  const bar = await openOmnibox(stage.context)
  await bar.type(`oa ${text}`)
  return async () => {
    const last = (await bar.read()).split('cursor position').at(-1) ?? ''
    const rows = last.replace(/\s+/g, ' ').matchAll(/search-other-engine \d+ (.*?) (?:Openall )?chrome-extension:/g)
    return [...new Set([...rows].map(([, said = '']) => said))]
  }
}

test('who is not connected or not signed in is led to the page of options', async () => {
  await becomes(await typing('launch'), ['Connect Openall to your service first: press Enter'])
  await stage.connect(null)
  await becomes(await typing('launch'), ['Sign in to Openall to find your bundles: press Enter'])
})

test('somebody finds their bundles by words, with titles as they are; a stopped worker finds them too', async () => {
  const person = await newPerson(stage.server)
  await person.makeBundle({ title: 'Launch <b>&amp; "day"</b>', urls: ['https://a.example/', 'https://b.example/'] })
  await person.makeBundle({ title: 'Launch two', urls: ['https://a.example/'] })
  await person.makeBundle({ title: 'Other', urls: ['https://a.example/'] })
  await stage.connect(person)
  const found = ['Open all: Launch two (1 link)', 'Open all: Launch <b>&amp; "day"</b> (2 links)']
  await becomes(await typing('launch'), found)
  await stage.stopWorker()
  await becomes(await typing('laun'), found)
  await becomes(await typing('nothing at all'), ['No bundle in Openall has these words'])
})

test('a sign-in that the service has ended is marked; nothing is lost, and signing in again leaves no other behind', async () => {
  const { server } = stage
  const person = await newPerson(server)
  const keys = async () => {
    const { body } = await person.api<{ apiKeys: { id: number; revokedAt: string | null }[] }>('GET', '/api/me/keys')
    return body.apiKeys.filter(({ revokedAt }) => revokedAt === null).map(({ id }) => id)
  }
  const options = await stage.connect(person)
  await options.getByRole('checkbox', { name: 'Open without asking' }).check()
  expect((await person.api('DELETE', `/api/me/keys?id=${(await keys())[0]}`)).status).toBe(200)
  // The address bar is the first to notice: its token looks valid for an hour.
  await becomes(await typing('launch'), ['Sign in again to Openall: press Enter'])
  await options.getByText('Signed out', { exact: true }).waitFor()
  expect(await options.getByRole('checkbox', { name: 'Open without asking' }).isChecked()).toBe(true)
  await options.getByRole('button', { name: 'Sign in again' }).click()
  await pressConnect(await stage.signIn())
  await options.getByText('Signed in', { exact: true }).waitFor()
  expect(await options.getByRole('checkbox', { name: 'Open without asking' }).isChecked()).toBe(true)
  expect(await keys()).toHaveLength(1)
  await stage.connect(person)
  expect(await keys()).toHaveLength(1)
})
