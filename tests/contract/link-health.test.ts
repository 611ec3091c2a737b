import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { startMailSink } from '../mail-sink.ts'
import { actFor, newEmail, newOrganization, type Person, signUp } from '../people.ts'
import { freePort } from '../ports.ts'
import { type Server, TARGETS } from '../server.ts'
import { startOn } from '../targets.ts'

// Who is told of what was found of links, and where. The findings are put into the store.

setDefaultTimeout(300_000)
/** Mails are looked for every ten seconds. */
const PATIENCE_MS = 120_000
const DAY_MS = 86_400_000

let sink: Awaited<ReturnType<typeof startMailSink>>
let server: Server
beforeAll(async () => {
  sink = await startMailSink(freePort())
  server = await startOn(TARGETS[0]!, { SMTP_URL: sink.url, SERVICE_MAIL_FROM: 'service@openall.example' })
})
afterAll(async () => {
  await server?.stop()
  await sink?.stop()
})

async function newPerson(): Promise<Person> {
  const person = await signUp(server, newEmail('health'))
  await server.sql('UPDATE user SET email_verified = 1 WHERE id = ? RETURNING 1', [person.userId])
  return person
}
async function newBundle(person: Person, title: string, urls: string[]): Promise<string> {
  const made = await person.api<{ slug: string }>('POST', '/api/links', { title, urls })
  expect(made.status).toBe(201)
  await becomes(() => server.sql('SELECT 1 FROM bundle_changes WHERE for_links = 1'), [], PATIENCE_MS)
  return made.body.slug
}
async function find(url: string, state: string, since: number): Promise<void> {
  await server.sql(
    `UPDATE checked_links SET state = ?, since = ?, told_up_to = 0,
       final_url = CASE ?1 WHEN 'moved' THEN 'https://new.example/' END WHERE url = ? RETURNING 1`,
    [state, since, url],
  )
  await becomes(() => server.sql('SELECT 1 FROM checked_links WHERE told_up_to IS NOT NULL'), [], PATIENCE_MS)
}
const to = ({ email }: Person) =>
  sink.mails.filter(({ recipients, subject }) => recipients.includes(email) && /are broken/.test(subject))
/** Lets an hour pass for what is to be mailed, and sends it. */
async function mailed(): Promise<void> {
  await server.sql('UPDATE notices SET due_at = 1 WHERE due_at <= ? RETURNING 1', [Date.now() + DAY_MS])
  await becomes(() => server.sql('SELECT 1 FROM notices WHERE due_at = 1 OR lease IS NOT NULL'), [], PATIENCE_MS)
}

test('lists, the editor and a filter say what is broken and what has moved', async () => {
  const person = await newPerson()
  const [gone, moved] = ['https://gone-1.example/page', 'https://moved-1.example/']
  const broken = await newBundle(person, 'Old', [gone, 'https://gone-2.example/', 'https://fine.example/'])
  const led = await newBundle(person, 'Led', [moved])
  await newBundle(person, 'Fine', ['https://fine.example/'])
  await find(gone, 'broken', Date.now() - 3 * DAY_MS)
  await find('https://gone-2.example/', 'broken', Date.now() - DAY_MS)
  await find(moved, 'moved', Date.UTC(2020, 10, 2))
  const exported = await person.api<{ bundles: { slug: string; health?: { url: string; state: string }[] }[] }>(
    'GET',
    '/api/me/export',
  )
  const health = exported.body.bundles.find(({ slug }) => slug === led)?.health
  expect(health).toMatchObject([{ url: moved, state: 'moved', finalUrl: 'https://new.example/' }])
  const slugs = async (query: string) =>
    (await person.api<{ bundles: { slug: string }[] }>('GET', `/api/me/links?${query}`)).body.bundles.map(
      ({ slug }) => slug,
    )
  expect(await slugs('health=broken')).toEqual([broken])
  expect(await slugs('health=moved')).toEqual([led])
  expect(await slugs('health=broken&q=fine')).toEqual([broken])
  expect(await slugs('health=moved&q=fine')).toEqual([])
  expect((await person.api('GET', '/api/me/links?health=ill')).status).toBe(400)
  const day = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' }).format(Date.now() - 3 * DAY_MS)
  const list = await (await person.fetch('/dashboard')).text()
  expect(list).toContain(`2 broken since ${day}`)
  expect(list).toContain('/dashboard?health=broken')
  const filtered = await (await person.fetch('/dashboard?health=broken')).text()
  expect([filtered.includes('Old'), filtered.includes('>Led<'), filtered.includes('With broken links')]).toEqual([
    ...[true, false, true],
  ])
  const editor = await (await person.fetch(`/dashboard/links/${broken}`)).text()
  expect(editor).toContain('2 links broken.')
  expect(editor).toContain(`gone-1.example/page</bdi><span>: broken since ${day}`)
  expect(await (await person.fetch(`/dashboard/links/${led}`)).text()).toMatch(
    /moved-1\.example\/?<\/bdi><span>: moved since 2 Nov 2020<\/span>, now at <bdi dir="ltr">new\.example/,
  )
})

test('who may edit a bundle gets one mail a week, unless they want none', async () => {
  const [founder, editor, viewer] = [await newPerson(), await newPerson(), await newPerson()]
  const { id } = await newOrganization(founder, [
    [editor, 'editor'],
    [viewer, 'viewer'],
  ])
  await actFor(founder, id)
  const slug = await newBundle(founder, 'Of the team', ['https://gone-3.example/', 'https://gone-4.example/'])
  await find('https://gone-3.example/', 'broken', Date.now())
  await mailed()
  await becomes(() => [founder, editor].map((person) => to(person).length), [1, 1], PATIENCE_MS)
  expect(to(viewer)).toEqual([])
  const [mail] = to(editor)
  expect(mail?.text).toContain('1 broken link in')
  expect(mail?.text).toContain(`${server.origin}/dashboard/links/${slug}`)
  // Not before the week is over.
  await find('https://gone-4.example/', 'broken', Date.now())
  await mailed()
  expect([founder, editor].map((person) => to(person).length)).toEqual([1, 1])
  const isInAWeek = 'due_at = not_before AND due_at BETWEEN ?1 + 6.9 * 86400000 AND ?1 + 7 * 86400000'
  const waiting = await server.sql(`SELECT ${isInAWeek} AS week FROM notices WHERE due_at IS NOT NULL`, [Date.now()])
  expect(waiting).toEqual([{ week: 1 }, { week: 1 }])

  const stop = /^<(.*)>$/.exec(mail?.headers.get('list-unsubscribe') ?? '')?.[1] ?? ''
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
  const stopped = await fetch(stop, { method: 'POST', body })
  expect([stopped.status, await stopped.text()]).toEqual([200, expect.stringContaining('are broken')])
  expect(await (await editor.fetch('/dashboard/settings')).text()).toMatch(/name="linksBroken"(?![^>]*checked)/)
  await server.sql('UPDATE notices SET due_at = 1 WHERE due_at IS NOT NULL RETURNING 1')
  await becomes(() => to(founder).length, 2, PATIENCE_MS)
  expect(to(editor).length).toBe(1)
  expect(to(founder)[1]?.text).toContain('2 broken links in')
})

test('whoever wants no looks switches them off, in the settings or for an organisation, and hears of nothing', async () => {
  const [person, editor] = [await newPerson(), await newPerson()]
  const { id } = await newOrganization(person, [[editor, 'editor']])
  await actFor(person, null)
  const slug = await newBundle(person, 'Mine', ['https://gone-5.example/'])
  await find('https://gone-5.example/', 'broken', Date.now())
  const health = async () => (await person.api<{ health?: unknown[] }>('GET', `/api/links/${slug}`)).body.health?.length
  const isOn = async (path: string) =>
    / checked/.test(/<input[^>]*name="checkLinks"[^>]*>/.exec(await (await person.fetch(path)).text())![0])
  expect([await health(), await isOn('/dashboard/settings')]).toEqual([1, true])
  expect((await person.form('/dashboard/settings', { change: 'checks' })).status).toBe(303)
  expect([await health(), await isOn('/dashboard/settings')]).toEqual([undefined, false])
  expect(await (await person.fetch('/dashboard')).text()).not.toContain('1 broken')
  await person.form('/dashboard/settings', { change: 'checks', checkLinks: 'yes' })
  expect([await health(), await isOn('/dashboard/settings')]).toEqual([1, true])

  const page = `/dashboard/organizations/${id}`
  expect(await isOn(page)).toBe(true)
  expect((await editor.form(page, { change: 'checks' })).status).toBe(403)
  expect((await person.form(page, { change: 'checks' })).status).toBe(303)
  expect(await isOn(page)).toBe(false)
  // An admin decides it for all, so it is in their log; one’s own is in none.
  type Logged = { actor: { userId: string }; target: object; changes: object[] }
  const told = async (type: string) =>
    (await person.api<{ events: Logged[] }>('GET', `/api/me/events?type=${type}`)).body.events
  expect(await told('account.email_changed')).toEqual([])
  await actFor(person, id)
  expect(
    (await told('organization.updated')).map(({ actor, target, changes }) => [actor.userId, target, changes]),
  ).toEqual([
    [
      person.userId,
      { type: 'organization', id, name: expect.any(String) },
      [{ field: 'checkLinks', from: true, to: false }],
    ],
  ])
  expect(await (await person.fetch(`${page}/activity`)).text()).toContain('switched link checks off')
  expect(
    (await person.api<{ checkLinks: boolean }>('GET', `/api/me/export?organizationId=${id}`)).body.checkLinks,
  ).toBe(false)
  expect(await (await editor.fetch(page)).text()).not.toContain('name="checkLinks"')
})
