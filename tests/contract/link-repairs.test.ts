import { beforeAll, describe, expect, test } from 'bun:test'
import { becomes, eventually } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import type { Server } from '../server.ts'
import { onEveryTarget } from '../targets.ts'

// What the service proposes for links that have moved or are broken. The findings are put into the store: how they are made is in
// link-checks.test.ts.

const PATIENCE_MS = 60_000
const GONE = 'https://gone.example/page'
const OLD = 'https://moved.example/old'
const NEW = 'https://moved.example/new'
const FINE = 'https://fine.example/'
/** The 2nd of November 2026. */
const SINCE = Date.UTC(2026, 10, 2)

interface Proposal {
  id: string
  state: string
  reason: string
  proposedBy: unknown
  changes: { urls: string[] }
}

/** Resolves once the links of all changed bundles are followed. */
const followed = (server: Server) =>
  becomes(() => server.sql('SELECT 1 FROM bundle_changes WHERE for_links = 1'), [], PATIENCE_MS)

async function newBundle(server: Server, person: Person, urls: string[]): Promise<string> {
  const { body } = await person.api<{ slug: string }>('POST', '/api/links', { urls })
  await followed(server)
  return body.slug
}

/** Edits a bundle, and resolves once its links are followed. */
async function changed(server: Server, person: Person, slug: string, edit: object): Promise<void> {
  expect((await person.api('PATCH', `/api/links/${slug}`, edit)).status).toBe(200)
  await followed(server)
}

/** Puts a finding of a person’s links into the store. @param url in which a percent sign is anything. */
async function find(server: Server, person: Person, url: string, finding: object): Promise<void> {
  const fields = Object.entries({ told_up_to: 0, since: SINCE, ...finding })
  await server.sql(
    `UPDATE checked_links SET ${fields.map(([name]) => `${name} = ?`).join(', ')}
     WHERE url LIKE ? AND owner_id = (SELECT id FROM owners WHERE user_id = ?) RETURNING 1`,
    [...fields.map(([, value]) => value), url, person.userId] as never[],
  )
  await becomes(() => server.sql('SELECT 1 FROM checked_links WHERE told_up_to IS NOT NULL'), [], PATIENCE_MS)
}
const BROKEN = { state: 'broken', final_url: null }
const MOVED = { state: 'moved', final_url: NEW }

const proposalsOf = async (person: Person, slug: string, state = 'open') => {
  const { body } = await person.api<{ proposals: { id: string }[] }>(
    'GET',
    `/api/links/${slug}/proposals?state=${state}`,
  )
  const each = body.proposals.map(({ id }) => person.api<Proposal>('GET', `/api/links/${slug}/proposals/${id}`))
  return (await Promise.all(each)).map(({ body }) => body)
}
const urlsOf = async (person: Person, slug: string) =>
  (await person.api<{ urls: string[] }>('GET', `/api/links/${slug}`)).body.urls

describe('the service proposes', () => {
  onEveryTarget({}, (server) => {
    let person: Person
    beforeAll(async () => {
      person = await newPerson(server())
    })

    test('where a link has moved to, which one press accepts, and then to replace it everywhere', async () => {
      const slug = await newBundle(server(), person, [FINE, OLD])
      await find(server(), person, OLD, MOVED)
      const [proposal, ...others] = await proposalsOf(person, slug)
      expect(others).toEqual([])
      expect(proposal).toMatchObject({ proposedBy: { type: 'service' }, changes: { urls: [FINE, NEW] } })
      expect(proposal?.reason).toContain(`${OLD} is now at ${NEW}`)
      // Never by itself.
      expect(await urlsOf(person, slug)).toEqual([FINE, OLD])
      const path = `/dashboard/links/${slug}/proposals/${proposal?.id}`
      const page = await (await person.fetch(path)).text()
      expect(page).toContain('Openall suggests')
      expect(page).not.toContain('Leave the link out')
      const accepted = await person.form(`${path}/accept`, { version: '1', after: 'replace' })
      expect([accepted.status, await urlsOf(person, slug)]).toEqual([303, [FINE, NEW]])
      const after = await (await person.fetch(accepted.headers.get('location') ?? '')).text()
      const offer = /href="(\/dashboard\/replace\?[^"]*)"/.exec(after)?.[1]?.replaceAll('&amp;', '&') ?? ''
      expect(Object.fromEntries(new URLSearchParams(offer.split('?')[1]))).toEqual({ from: OLD, to: NEW })
      const form = await (await person.fetch(offer)).text()
      expect(form).toContain(`value="${OLD}"`)
      expect(form).toContain(`value="${NEW}"`)
    })

    test('with the end of a long host, which says whose it is, and without what only looks like a host', async () => {
      const hosts = ['moved.example.', 'a'.repeat(60), '.', 'b'.repeat(60), '.', 'c'.repeat(50), '.evil.example'].join(
        '',
      )
      const old = 'https://long.example/old'
      const slug = await newBundle(server(), person, [FINE, old])
      await find(server(), person, old, {
        ...MOVED,
        final_url: `https://moved.example:x@${hosts}/new?${'q'.repeat(300)}`,
      })
      const [proposal] = await proposalsOf(person, slug)
      expect(proposal?.reason).toContain('.evil.example/new')
      expect(proposal?.reason).not.toContain('moved.example')
    })

    test('at most 200 of an owner, and the others as these are decided', async () => {
      const busy = await newPerson(server())
      const bundles: string[] = []
      for (let at = 0; at < 9; at += 1) {
        const urls = Array.from({ length: 24 }, (_, link) => `https://lots-${at}.example/${link}`)
        bundles.push(await newBundle(server(), busy, urls))
      }
      await find(server(), busy, 'https://lots-%', BROKEN)
      const open = async () =>
        await server().sql("SELECT 1 FROM proposals WHERE state = 'open' AND repairs LIKE 'https://lots-%'")
      expect((await open()).length).toBe(200)
      const [first] = await proposalsOf(busy, bundles[0]!)
      await busy.api('POST', `/api/links/${bundles[0]}/proposals/${first?.id}/reject`, {})
      expect((await open()).length).toBe(199)
      await find(server(), busy, 'https://lots-%', BROKEN)
      expect((await open()).length).toBe(200)
    })

    test('for a broken link the copy of an archive, or to leave it out', async () => {
      const slug = await newBundle(server(), person, [FINE, GONE])
      await find(server(), person, GONE, BROKEN)
      const [proposal] = await proposalsOf(person, slug)
      expect(proposal?.changes.urls).toEqual([FINE, `https://web.archive.org/web/2026/${GONE}`])
      const path = `/dashboard/links/${slug}/proposals/${proposal?.id}`
      expect(await (await person.fetch(path)).text()).toContain('Leave the link out')
      const accepted = await person.form(`${path}/accept`, { version: '1', instead: 'leave-out' })
      expect([accepted.status, await urlsOf(person, slug)]).toEqual([303, [FINE]])
      expect((await proposalsOf(person, slug, 'accepted')).length).toBe(1)
    })

    test('nothing twice for one finding, whatever became of it', async () => {
      const slug = await newBundle(server(), person, [FINE, 'https://twice.example/'])
      await find(server(), person, 'https://twice.example/', BROKEN)
      const [proposal] = await proposalsOf(person, slug)
      await find(server(), person, 'https://twice.example/', BROKEN)
      expect((await proposalsOf(person, slug)).length).toBe(1)
      await person.api('POST', `/api/links/${slug}/proposals/${proposal?.id}/reject`, {})
      await find(server(), person, 'https://twice.example/', BROKEN)
      expect(await proposalsOf(person, slug)).toEqual([])
      // Broken anew, it is another finding.
      await find(server(), person, 'https://twice.example/', { ...BROKEN, since: SINCE + 1 })
      const [anew, ...others] = await proposalsOf(person, slug)
      expect([anew?.state, others]).toEqual(['open', []])
      const events = await server().sql(
        `SELECT count(*) AS told FROM events WHERE type = 'bundle.links_broken'
         AND bundle_id = (SELECT id FROM bundles WHERE slug = ?)`,
        [slug],
      )
      expect(events).toEqual([{ told: 2 }])
      // Left out and put back, its finding is the same.
      await person.api('POST', `/api/links/${slug}/proposals/${anew?.id}/reject`, {})
      await changed(server(), person, slug, { removeUrls: ['https://twice.example/'] })
      await changed(server(), person, slug, { addUrls: [{ url: 'https://twice.example/' }] })
      await find(server(), person, 'https://twice.example/', { ...BROKEN, since: SINCE + 1 })
      expect(await proposalsOf(person, slug)).toEqual([])
    })

    test('nothing any more once the link is left out', async () => {
      const slug = await newBundle(server(), person, [FINE, 'https://left.example/'])
      await find(server(), person, 'https://left.example/', BROKEN)
      expect((await proposalsOf(person, slug)).length).toBe(1)
      await person.api('PATCH', `/api/links/${slug}`, { removeUrls: ['https://left.example/'] })
      await eventually(
        async () => (await proposalsOf(person, slug)).length === 0,
        'its repair is withdrawn',
        PATIENCE_MS,
      )
      const [withdrawn] = await proposalsOf(person, slug, 'withdrawn')
      expect(withdrawn).toMatchObject({ proposedBy: { type: 'service' } })
      const page = await (await person.fetch(`/dashboard/links/${slug}/proposals/${withdrawn?.id}`)).text()
      expect(page).toMatch(/Withdrawn by <\/span><bdi>Openall/)
    })

    test('beside the twenty that people may have open, at most one for a link', async () => {
      const urls = Array.from({ length: 25 }, (_, at) => `https://many.example/${at}`)
      const slug = await newBundle(server(), person, urls)
      await find(server(), person, 'https://many.example/%', BROKEN)
      expect((await proposalsOf(person, slug)).length).toBe(25)
      const made = await person.api('POST', `/api/links/${slug}/proposals`, { title: 'Mine' })
      expect(made.status).toBe(201)
    })
  })
})
