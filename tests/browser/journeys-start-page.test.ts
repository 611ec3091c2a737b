import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { actFor, addMember, confirm, newOrganization, type Person } from '../people.ts'
import type { Server } from '../server.ts'
import { startDestinations } from './destinations.ts'
import { kindsOfWay } from './engines.ts'
import { At, button, link, signedIn } from './journey.ts'
import { becomes } from './launching.ts'
import type { Engine } from './viewer.ts'

// A team's start page: an admin makes it, a stranger finds the lunch list there, and somebody on call opens what they need.

// Only guards against hanging; generous, because the machine may be busy.
setDefaultTimeout(300_000)

/** The title of the row with the focus. */
const ROW = "document.activeElement.closest('li')?.querySelector('.name').textContent.trim() ?? ''"

let server: Server
beforeAll(async () => {
  server = await startInProcess({ SERVICE_COUNT_FLUSH_MS: '100' })
})
afterAll(() => server.stop())

describe.each(kindsOfWay('Firefox'))('$name', (kind) => {
  const handle = `northwind-${kind.name.toLowerCase()}`
  const destinations = startDestinations()
  const leaves: (() => Promise<void>)[] = []
  let admin: At
  let owner: Person
  let id: string
  const slugs: Record<string, string> = {}
  beforeAll(async () => {
    const signed = await signedIn(kind, server, 'admin')
    leaves.push(signed.leave)
    ;({ at: admin, owner } = signed)
    await confirm(server, owner)
    ;({ id } = await newOrganization(owner))
    await actFor(owner, id)
    const [menu = '', orders = '', logs = ''] = destinations.urls(3)
    slugs.lunch = (await owner.makeBundle({ title: 'Lunch list', urls: [menu, orders] })).slug
    const variables = [{ name: 'service', label: 'Service' }]
    const urls = [`${logs}?of={service}`]
    slugs.checkout = (await owner.makeBundle({ title: 'Checkout is down', urls, variables, access: 'members' })).slug
  })
  afterAll(async () => {
    for (const leave of leaves) await leave()
    destinations.stop()
  })
  /** A browser of somebody who has not signed in. */
  const opened = async (path: string) => {
    const engine: Engine = await kind.start()
    const viewer = await engine.open(`${server.origin}${path}`, { popups: kind.perPress === 1 ? 'allowed' : 'as-is' })
    leaves.push(() => viewer.close().then(() => engine.stop()))
    return new At(server.origin, viewer)
  }
  const rows = (at: At) => at.texts('main li .name')

  test('the admin chooses its address, finds it empty, lists two bundles and pins one', async () => {
    await admin.open(`/dashboard/organizations/${id}`)
    await admin.fill('#handle', handle)
    await admin.click('//form[.//*[@id="handle"]]//button[@type="submit"]')
    await admin.click(`a[href="/o/${handle}"]`)
    await admin.sees('Nothing is listed yet')
    for (const slug of Object.values(slugs)) {
      await admin.open(`/dashboard/links/${slug}`)
      await admin.click('details:has([name=listed]) > summary')
      await admin.click('input[type=checkbox][name=listed]')
      await admin.click(button('Save'))
      await admin.hears('Saved')
    }
    await admin.open(`/o/${handle}`)
    expect(await rows(admin)).toEqual(['Checkout is down', 'Lunch list'])
    await admin.open(`/dashboard/links/${slugs.lunch}/insights`)
    await admin.click('summary[aria-label^="More for"]')
    await admin.click(button('Pin to top of the start page'))
    await admin.lacks('#pin-for-everyone[action$="/pin"]')
    await admin.open(`/o/${handle}`)
    await admin.sees('Pinned')
    expect(await rows(admin)).toEqual(['Lunch list', 'Checkout is down'])
  })

  test('a stranger finds the lunch list and opens it, and sees nothing that is for members', async () => {
    const stranger = await opened(`/o/${handle}`)
    await becomes(() => rows(stranger), ['Lunch list'])
    await stranger.viewer.press('/')
    await stranger.viewer.type('LUNCH')
    await stranger.viewer.press('Enter')
    await becomes(() => stranger.viewer.read<string>(ROW).catch(() => ''), 'Lunch list')
    await stranger.viewer.press('Enter')
    await stranger.has('#open')
    expect(await stranger.path()).toBe(`/l/${slugs.lunch}`)
    await stranger.click('#open')
    await becomes(() => destinations.addresses.toSorted(), ['/1', '/2'])
  })

  test('somebody on call presses `o` on “Checkout is down”, says which service, and has its tabs', async () => {
    const { at: caller, owner: colleague, leave } = await signedIn(kind, server, 'sam')
    leaves.push(leave)
    await confirm(server, colleague)
    await addMember(owner, id, colleague, 'viewer')
    await caller.open(`/o/${handle}`)
    await caller.has(link('Checkout is down'))
    for (const key of ['j', 'j']) await caller.viewer.press(key)
    await becomes(() => caller.viewer.read<string>(ROW), 'Checkout is down')
    await caller.viewer.press('o')
    await caller.has('#value-service')
    expect(await caller.path()).toBe(`/l/${slugs.checkout}`)
    await caller.fill('#value-service', 'payments')
    await caller.viewer.press('Enter')
    await becomes(() => destinations.addresses.at(-1), '/3?of=payments')
  })
})
