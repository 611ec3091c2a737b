import { afterAll, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryProcess } from '../targets.ts'
import { plainPng } from './icon-files.ts'

// A site's icon through the months, with a real server on this machine. Starts of the service sweep.

const DAY_MS = 86_400_000

const [RED, BLUE] = [plainPng(32, 32, [200, 20, 10, 255]), plainPng(32, 32, [10, 20, 200, 255])]
let icon = RED
const site = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: ({ url }) =>
    new URL(url).pathname === '/favicon.ico'
      ? new Response(icon, { headers: { 'content-type': 'image/png' } })
      : new Response('<title>A page</title>', { headers: { 'content-type': 'text/html' } }),
})
afterAll(() => site.stop(true))
const url = `http://ages.localhost:${site.port}/`
const origin = new URL(url).origin

onEveryProcess({ SERVICE_ICONS: 'on', SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }, (server) => {
  /** The path of the icon that a launcher shows. */
  const shown = async (slug: string) =>
    /<img class="tile favicon[^"]*" src="([^"]*)"/.exec(
      await (await new Visitor(server()).fetch(`/l/${slug}`)).text(),
    )?.[1] ?? null
  const statusOf = async (path: string) => (await fetch(new URL(path, server().origin))).status
  const idOf = (path: string) => path.replace(/^.*\/|\.png$/g, '')
  const makeBundleOf = (person: Person, urls: string[]) => person.makeBundle({ urls })
  const sweep = async () => {
    await server().kill()
    await server().restart()
  }

  test('of a site without an icon nothing is kept once no bundle links to it', async () => {
    const person = await newPerson(server())
    const { slug } = await makeBundleOf(person, ['https://nothing-there.example/'])
    const rows = async () => (await server().sql("SELECT 1 FROM sites WHERE origin LIKE '%nothing-there%'")).length
    await becomes(rows, 1)
    await person.api('PATCH', `/api/links/${slug}`, { urls: ['https://other.example/'] })
    await becomes(rows, 0)
  })

  test('a site is asked for its icon again after a month, and an icon that no site has any longer is erased', async () => {
    icon = RED
    const person = await newPerson(server())
    const { slug } = await makeBundleOf(person, [url])
    await becomes(async () => (await shown(slug)) !== null, true)
    const first = (await shown(slug))!
    const [kept] = await server().sql('SELECT due_at FROM sites WHERE origin = ?', [origin])
    const days = (Number(kept?.due_at) - Date.now()) / DAY_MS
    expect(Math.round(days)).toBe(30)

    icon = BLUE
    await server().sql('UPDATE sites SET due_at = ? WHERE origin = ? RETURNING 1', [Date.now() - 1, origin])
    // Any edit has the service see which sites are due; so does a minute.
    await makeBundleOf(person, ['https://other.example/'])
    await becomes(async () => [null, first].includes(await shown(slug)), false)
    const second = (await shown(slug))!
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200])

    const forget = async (path: string) => {
      const since =
        'UPDATE icons SET unused_since = unused_since - ? WHERE id = ? AND unused_since IS NOT NULL RETURNING id'
      await becomes(async () => (await server().sql(since, [2 * DAY_MS, idOf(path)])).length, 1)
      await sweep()
      // Not asked for before: a process may keep what it has served.
      const rows = async () => (await server().sql('SELECT 1 FROM icons WHERE id = ?', [idOf(path)])).length
      await becomes(rows, 0)
      expect(await statusOf(path)).toBe(404)
    }
    await forget(first)
    expect(await statusOf(second)).toBe(200)

    await person.api('PATCH', `/api/links/${slug}`, { urls: ['https://other.example/'] })
    const left =
      'UPDATE sites SET unused_since = unused_since - ? WHERE origin = ? AND unused_since IS NOT NULL RETURNING origin'
    await becomes(async () => (await server().sql(left, [29 * DAY_MS, origin])).length, 1)
    await sweep()
    // Both are kept for 30 days after the last bundle that links to the site.
    expect(await statusOf(second)).toBe(200)
    await server().sql(left, [2 * DAY_MS, origin])
    await sweep()
    await becomes(async () => (await server().sql('SELECT 1 FROM sites WHERE origin = ?', [origin])).length, 0)
    await forget(second)
  })
})
