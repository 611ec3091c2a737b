import { afterAll, describe, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import type { Server } from '../server.ts'
import { onEveryTarget } from '../targets.ts'
import { startChecked } from './checked-sites.ts'

// What the service finds of links, with real sites on this machine. What is concluded from it: tests/unit/link-findings.test.ts.

interface Health {
  url: string
  state: string
  since: string
  finalUrl?: string
}

const DAY_MS = 86_400_000
/** A site gets a request a second, and is asked up to three times; generous, because the machine may be busy. */
const PATIENCE_MS = 60_000

const sites = startChecked()
afterAll(() => sites.stop())

async function newBundle(person: Person, urls: string[], more: object = {}): Promise<string> {
  const made = await person.api<{ slug: string }>('POST', '/api/links', { urls, ...more })
  expect(made.status).toBe(201)
  return made.body.slug
}
const healthOf = async (person: Person, slug: string) =>
  (await person.api<{ health?: Health[] }>('GET', `/api/links/${slug}`)).body.health
const statesOf = async (person: Person, slug: string) =>
  (await healthOf(person, slug))?.map(({ url, state }) => [url, state])

/** Lets days pass for links, and resolves once all that are due then have been looked at. */
async function pass(server: Server, days: number): Promise<void> {
  await becomes(() => server.sql('SELECT 1 FROM bundle_changes WHERE for_links = 1'), [], PATIENCE_MS)
  const shift = (columns: string[]) => columns.map((name) => `${name} = ${name} - ${days * DAY_MS}`).join(', ')
  await server.sql(`UPDATE checked_links SET ${shift(['since', 'first_at', 'due_at'])} RETURNING 1`)
  await server.sql(`UPDATE checked_hosts SET ${shift(['due_at'])} RETURNING 1`)
  await server.sql(`UPDATE robots SET ${shift(['at'])} RETURNING 1`)
  await becomes(() => server.sql('SELECT url FROM checked_links WHERE due_at <= ?', [Date.now()]), [], PATIENCE_MS)
}

describe('links', () => {
  onEveryTarget({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true', SERVICE_LINK_CHECKS: 'on' }, (server) => {
    test('lead somewhere, have moved, or are broken, which whoever may read the bundle in full sees', async () => {
      const person = await newPerson(server())
      const names = [
        'fine',
        'gone',
        'moved',
        'wandering',
        'headless',
        'forbidden',
        'busy',
        'walled',
        'mailing',
        'kept-out',
        'down',
        'removed',
        'robots-down',
      ]
      const urls = names.map(sites.at)
      const [fine, gone, moved, wandering, headless, forbidden, busy, walled, mailing, keptOut, down] = urls
      const secret = sites.at('secret')
      const slug = await newBundle(person, [...urls, secret, `${sites.at('fine')}?{who}`], {
        urlMetadata: [...urls.map(() => ({})), { check: false }],
        variables: [{ name: 'who' }],
      })
      expect(await healthOf(person, slug)).toBeUndefined()
      for (const days of [1, 3, 3]) await pass(server(), days)
      expect(await statesOf(person, slug)).toEqual([
        [fine!, 'ok'],
        [gone!, 'broken'],
        [moved!, 'moved'],
        [wandering!, 'ok'],
        [headless!, 'ok'],
        [forbidden!, 'ok'],
        [busy!, 'ok'],
        [walled!, 'ok'],
        [mailing!, 'ok'],
        [keptOut!, 'unknown'],
        [down!, 'broken'],
        [sites.at('removed'), 'broken'],
        [sites.at('robots-down'), 'unknown'],
      ])
      const health = await healthOf(person, slug)
      expect(health?.[2]).toEqual({ ...health![2]!, finalUrl: sites.at('new') })
      expect(Date.now() - Date.parse(health![1]!.since)).toBeGreaterThan(5 * DAY_MS)
      // Neither viewers nor their programs are told of it.
      const shown = await (await person.fetch(`/l/${slug}.json?who=x`)).text()
      expect(shown).not.toMatch(/health|broken|"check"/)
      // Nor was anything asked for that is kept out.
      expect(sites.asked('secret')).toEqual([])
      expect(sites.asked('kept-out').map(({ path }) => path)).not.toContain('/kept-out')
      // Nor of a site that cannot say what it forbids.
      expect(sites.asked('robots-down').filter(({ path }) => path !== '/robots.txt')).toEqual([])
      const looked = ['GET /robots.txt', 'HEAD /forbidden']
      expect(sites.asked('forbidden').map(({ method, path }) => `${method} ${path}`)).toEqual([
        ...[...looked, ...looked, ...looked],
      ])
      const [request] = sites.asked('headless').filter(({ path, method }) => path === '/headless' && method === 'GET')
      expect(request?.agent).toMatch(new RegExp(`^Openall/[\\d.]+ \\(\\+${server().origin}/docs/checks\\)$`))
      expect(request?.range).toBe('bytes=0-1023')
    })

    test('of a bundle follow its edits, and are forgotten with it', async () => {
      const person = await newPerson(server())
      const slug = await newBundle(person, [sites.at('fine'), sites.at('gone')])
      await pass(server(), 1)
      expect(await statesOf(person, slug)).toEqual([
        [sites.at('fine'), 'ok'],
        [sites.at('gone'), 'unknown'],
      ])
      await person.api('PATCH', `/api/links/${slug}`, { setMetadata: { [sites.at('gone')]: { check: false } } })
      await becomes(() => statesOf(person, slug), [[sites.at('fine'), 'ok']])
      await person.api('DELETE', `/api/links/${slug}`)
      const left = () =>
        server().sql('SELECT 1 FROM bundle_links WHERE bundle_id = (SELECT id FROM bundles WHERE slug = ?)', [slug])
      await becomes(left, [])
      await person.api('POST', `/api/links/${slug}/restore`)
      await becomes(() => statesOf(person, slug), [[sites.at('fine'), 'ok']])
    })

    test('of one host are looked at one after the other, whatever their ports', async () => {
      const person = await newPerson(server())
      const ports = Array.from({ length: 25 }, (_, at) => 2_000 + at)
      const slug = await newBundle(
        person,
        ports.map((port) => `http://ports.localhost:${port}/`),
      )
      const hosts = () =>
        server().sql("SELECT host FROM checked_hosts WHERE host LIKE 'ports.%' AND due_at IS NOT NULL")
      await becomes(async () => (await hosts()).length, 1)
      await becomes(() => server().sql('SELECT 1 FROM bundle_changes WHERE for_links = 1'), [])
      expect(await hosts()).toEqual([{ host: 'ports.localhost' }])
      await person.api('DELETE', `/api/links/${slug}`)
      // A host goes with its last link.
      await becomes(hosts, [])
    })

    test('that have moved are said to have the same title only where it was seen, by no more requests', async () => {
      const person = await newPerson(server())
      const suggested = async (url: string, note: string) => {
        const slug = await newBundle(person, [sites.at('fine'), url], { urlMetadata: [{}, { note }] })
        return async () => {
          const { body } = await person.api<{ proposals: { reason: string }[] }>('GET', `/api/links/${slug}/proposals`)
          return body.proposals.map(({ reason }) => reason.split('. ')[1] ?? '')
        }
      }
      const same = await suggested(sites.at('renamed'), 'A page')
      const other = await suggested(sites.at('renamed'), 'The plan')
      const without = await suggested(sites.at('renamed'), '')
      const unseen = await suggested(sites.at('moved-behind-a-wall'), 'A page')
      for (const days of [1, 3, 3]) await pass(server(), days)
      await becomes(same, ['The page there has the title that the link has here: “A page”'], PATIENCE_MS)
      await becomes(other, ['The page there has the title “A page”, the link here “The plan”'], PATIENCE_MS)
      await becomes(without, ['The page there has the title “A page”'], PATIENCE_MS)
      await becomes(unseen, [''], PATIENCE_MS)
      expect(sites.asked('name').map(({ method, path }) => `${method} ${path}`)).toEqual([
        ...['GET /robots.txt', 'HEAD /name', 'GET /robots.txt', 'HEAD /name', 'GET /robots.txt', 'GET /name'],
      ])
    })

    test('that are back withdraw what was suggested for them', async () => {
      const person = await newPerson(server())
      const lost = sites.at('lost')
      const slug = await newBundle(person, [sites.at('fine'), lost])
      const proposals = async (state: string) =>
        (await person.api<{ proposals: unknown[] }>('GET', `/api/links/${slug}/proposals?state=${state}`)).body
          .proposals.length
      for (const days of [1, 3, 3]) await pass(server(), days)
      await becomes(() => proposals('open'), 1, PATIENCE_MS)
      sites.find('lost')
      await pass(server(), 3)
      expect(await statesOf(person, slug)).toEqual([
        [sites.at('fine'), 'ok'],
        [lost, 'ok'],
      ])
      expect([await proposals('open'), await proposals('withdrawn')]).toEqual([0, 1])
    })

    test('are looked at for those who want it', async () => {
      const [wanting, other] = [await newPerson(server()), await newPerson(server())]
      const keptOut = await newPerson(server())
      await newBundle(keptOut, [sites.at('new')])
      await server().sql('UPDATE user SET disabled_at = 1 WHERE id = ? RETURNING 1', [keptOut.userId])
      await server().sql(
        'INSERT INTO owners (user_id, check_links) VALUES (?1, 0) ON CONFLICT (user_id) DO UPDATE SET check_links = 0 RETURNING 1',
        [other.userId],
      )
      const slugs = [await newBundle(wanting, [sites.at('fine')]), await newBundle(other, [sites.at('fine')])]
      await pass(server(), 1)
      expect(await statesOf(wanting, slugs[0]!)).toEqual([[sites.at('fine'), 'ok']])
      expect(await healthOf(other, slugs[1]!)).toBeUndefined()
      const found = await server().sql(
        "SELECT 1 FROM checked_links JOIN owners ON owners.id = owner_id WHERE user_id IN (?, ?) AND state <> 'unknown'",
        [other.userId, keptOut.userId],
      )
      expect(found).toEqual([])
    })
  })
})
