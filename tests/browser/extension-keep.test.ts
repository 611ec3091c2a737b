import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { becomes, eventually } from '../eventually.ts'
import { actFor, newOrganization, newPerson, type Person } from '../people.ts'
import { startDestinations } from './destinations.ts'
import { pressConnect, setExtensionStage } from './extension.ts'
import { axeViolations } from './flaws.ts'
import { closeTabs, openKnown, tabsOf } from './opened-by-extension.ts'
import { addSession } from './people.ts'

// A group that was opened from a bundle: what is new there, and the group saved back.

const stage = setExtensionStage()
const destinations = startDestinations()
const start = destinations.urls(1)[0]!.slice(0, -1)
const at = (...numbers: number[]) => numbers.map((number) => `${start}${number}`)

let owner: Person
let own: Page
beforeAll(async () => {
  owner = await newPerson(stage.server)
  own = await stage.connect(owner)
})
afterEach(async () => {
  await closeTabs(own, start)
  for (const page of stage.context.pages()) if (page !== own) await page.close()
})
afterAll(() => destinations.stop())

const addresses = async () => (await tabsOf(own, start)).map(({ url }) => url)

/** Opens all tabs of a bundle by its launcher's button. @returns their group. */
async function openGroup(url: string, urls: readonly string[]): Promise<number> {
  const page = await openKnown(stage.context, url)
  await page.click('#open')
  await becomes(addresses, [...urls])
  await becomes(async () => (await tabsOf(own, start)).every(({ group }) => group !== null), true)
  await page.close()
  return own.evaluate(
    async (url) => (await chrome.tabs.query({})).find((tab) => (tab.pendingUrl || tab.url) === url)!.groupId,
    urls[0]!,
  )
}

/** The popup as it opens on the first tab of a group, in a tab of its own in another window. */
async function popupOn(groupId: number): Promise<Page> {
  const windowId = await own.evaluate(async (groupId) => {
    const [tab] = await chrome.tabs.query({ groupId })
    await chrome.tabs.update(tab!.id!, { active: true })
    return tab!.windowId
  }, groupId)
  await own.evaluate(
    (windowId) =>
      chrome.windows.create({ url: `popup.html?window=${windowId}`, type: 'popup', width: 400, height: 640 }),
    windowId,
  )
  const opened = () => stage.context.pages().find((page) => page.url().includes('popup.html'))
  await eventually(() => opened() !== undefined, 'the popup')
  const popup = opened()!
  await popup.locator('#group .hint').waitFor()
  return popup
}

/** Opens a tab in a group, and closes others there, as its user does. */
function changeGroup(
  groupId: number,
  { opens = [], closes = [] }: { opens?: string[]; closes?: string[] },
): Promise<void> {
  return own.evaluate(
    async ([groupId, opens, closes]) => {
      for (const url of opens) {
        const tab = await chrome.tabs.create({ url, active: false })
        await chrome.tabs.group({ tabIds: [tab.id!], groupId })
      }
      const tabs = await chrome.tabs.query({ groupId })
      await chrome.tabs.remove(tabs.flatMap(({ id, url }) => (closes.includes(url ?? '') ? (id ?? []) : [])))
    },
    [groupId, opens, closes] as const,
  )
}

test('the popup says what is new in the bundle, opens it in the group, and has nothing to say after that', async () => {
  const { url, slug } = await owner.makeBundle({ title: 'Weekly review', urls: at(1, 2) })
  const groupId = await openGroup(url, at(1, 2))
  const before = await popupOn(groupId)
  expect(await before.locator('#group').innerText()).toBe(
    'Opened from Weekly review\n\nNothing new since you opened it.',
  )
  await before.close()
  await owner.api('PATCH', `/api/links/${slug}`, { addUrls: at(3, 4).map((url) => ({ url })) })
  const popup = await popupOn(groupId)
  expect(await popup.locator('#group').innerText()).toContain('2 new links since you opened it')
  expect(await axeViolations(popup)).toEqual([])
  await popup.click('#open-fresh')
  await becomes(addresses, at(1, 2, 3, 4))
  await becomes(
    async () => (await tabsOf(own, start)).map(({ group }) => group?.replace(/, \w+$/, '')),
    [...Array(4).fill('Weekly review')],
  )
  await popup.close()
  const after = await popupOn(groupId)
  expect(await after.locator('#group').innerText()).toContain('Nothing new since you opened it.')
})

test('a group is saved back as one edit; an edit by somebody else in between is not lost', async () => {
  const { url, slug } = await owner.makeBundle({ title: 'Saved back', urls: at(11, 12, 13) })
  const groupId = await openGroup(url, at(11, 12, 13))
  await changeGroup(groupId, { opens: at(14), closes: at(12) })
  const popup = await popupOn(groupId)
  expect(await popup.locator('#group').innerText()).toContain('1 tab added and 1 closed')
  await owner.api('PATCH', `/api/links/${slug}`, { addUrls: at(15).map((url) => ({ url })) })
  await popup.getByRole('button', { name: 'Save this group back' }).click()
  await popup.getByText('Somebody has just changed it.').waitFor()
  await popup.close()
  // The worker is not needed: an ended one loses nothing.
  await stage.stopWorker()
  const again = await popupOn(groupId)
  await again.getByRole('button', { name: 'Save this group back' }).click()
  await again.getByText('Saved.').waitFor()
  const { body } = await owner.api<{ urls: string[]; versionNumber: number }>('GET', `/api/links/${slug}`)
  expect(body).toMatchObject({ urls: at(11, 13, 15, 14), versionNumber: 3 })
  await again.getByText('1 new link since you opened it').waitFor()
})

test('a group that somebody else’s bundle was opened in tells what is new, and saves nothing back; other groups show nothing', async () => {
  const other = await newPerson(stage.server)
  const { url } = await other.makeBundle({ title: 'Of another', urls: at(21, 22) })
  const groupId = await openGroup(url, at(21, 22))
  await changeGroup(groupId, { opens: at(23) })
  const popup = await popupOn(groupId)
  expect(await popup.locator('#group').innerText()).toBe('Opened from Of another\n\nNothing new since you opened it.')
  await popup.close()
  await own.evaluate(async (groupId) => {
    const tabs = await chrome.tabs.query({ groupId })
    await chrome.tabs.ungroup(tabs.map(({ id }) => id!) as [number, ...number[]])
    await chrome.tabs.group({ tabIds: tabs.map(({ id }) => id!) as [number, ...number[]] })
  }, groupId)
  const [tab] = await own.evaluate(async (url) => {
    const tabs = await chrome.tabs.query({})
    return tabs.filter((tab) => tab.url === url).map(({ windowId, id }) => ({ windowId, id: id! }))
  }, at(21)[0]!)
  await own.evaluate(({ id }) => chrome.tabs.update(id, { active: true }), tab!)
  const plain = await stage.open(`popup.html?window=${tab!.windowId}`)
  await plain.locator('#save').waitFor()
  expect(await plain.locator('#group').isHidden()).toBe(true)
})

test('who may only suggest suggests the change, once however often it is sent', async () => {
  const [admin, reader] = [await newPerson(stage.server), await newPerson(stage.server)]
  const { id, memberIds } = await newOrganization(admin, [[reader, 'admin']])
  await actFor(admin, id)
  const { url, slug } = await admin.makeBundle({ title: 'Team’s', urls: at(31, 32) })
  await addSession(stage.context, reader)
  await own.getByLabel('Address of the service').fill(stage.server.origin)
  await own.getByRole('button', { name: 'Sign in', exact: true }).click()
  const consent = await stage.signIn()
  await consent.getByRole('radio', { name: /^The organisation/ }).check()
  await pressConnect(consent)
  await own.getByText('Connected to').waitFor()
  const demotion = { organizationId: id, memberId: memberIds.get(reader)!, role: 'viewer' }
  await admin.api('POST', '/api/auth/organization/update-member-role', demotion)
  const groupId = await openGroup(url, at(31, 32))
  await changeGroup(groupId, { opens: at(33) })
  for (const press of [1, 2]) {
    const popup = await popupOn(groupId)
    await popup.getByRole('button', { name: 'Suggest this' }).click()
    await popup.getByText('Suggested.').waitFor()
    await popup.close()
    const { body } = await admin.api<{ proposals: { changes: object }[] }>('GET', `/api/links/${slug}/proposals`)
    expect([press, body.proposals.length]).toEqual([press, 1])
  }
})
