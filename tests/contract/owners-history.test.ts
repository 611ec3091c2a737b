import { beforeEach, expect, test } from 'bun:test'
import { actFor, newOrganization, newPerson, type Person, URL_A, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const MIB = 2 ** 20
let made = 0
/** This many versions of 50 KB fit into a mebibyte, beside the bundle itself and its text for searches. */
const FIT = 18
/** 50 KB as stored. */
const LARGE = largeUrls()
const CAPS = { SERVICE_PLAN_FREE_MAX_HISTORY_MB: '1', SERVICE_PLAN_PRO_MAX_HISTORY_MB: '2' }
const FULL = { status: 403, body: { code: 'PLAN_LIMIT' } }

onEveryTarget(CAPS, (at) => {
  let ann: Person
  beforeEach(async () => {
    ann = await newPerson(at())
  })
  const plan = (name: string) =>
    at().sql('UPDATE owners SET plan = ? WHERE user_id = ? RETURNING 1', [name, ann.userId])
  /** An edit as large as `LARGE`, with content that no version had. */
  const edit = (slug: string, by: Visitor = ann) => by.api('PATCH', `/api/links/${slug}`, { urls: largeUrls() })
  const stored = async () =>
    (await at().sql('SELECT history_bytes AS bytes FROM owners WHERE user_id = ?', [ann.userId]))[0]?.bytes as number
  /** A bundle whose versions leave no room for another large one. */
  async function full(by: Visitor = ann): Promise<string> {
    const { slug } = await by.makeBundle({ urls: LARGE })
    for (let n = 1; n < FIT; n += 1) expect((await edit(slug, by)).status).toBe(200)
    return slug
  }

  test('versions past the plan’s cap are refused, with the cap and what to do, and pro keeps more', async () => {
    const slug = await full()
    const { status, body } = await ann.api('GET', `/api/links/${slug}`)
    const refused = await edit(slug)
    expect(refused).toMatchObject(FULL)
    expect(refused.body.error).toMatch(/Free.*\b1 MiB.*Pro.*\b2 MiB/)
    expect(await ann.api('PATCH', `/api/links/${slug}`, { urls: largeUrls(), dryRun: true })).toMatchObject(FULL)
    expect(await ann.api('POST', '/api/links', { urls: LARGE })).toMatchObject(FULL)
    expect(await ann.api('POST', '/api/links', { urls: LARGE, dryRun: true })).toMatchObject(FULL)
    const { claimToken } = await new Visitor(at()).makeBundle({ urls: LARGE })
    expect(await ann.api('POST', '/api/claims', { token: claimToken })).toMatchObject(FULL)
    expect(await ann.api('GET', `/api/links/${slug}`)).toMatchObject({ status, body })
    expect(status).toBe(200)
    expect((await ann.fetch(`/l/${slug}`)).status).toBe(200)
    // An edit that fits is still accepted.
    expect((await ann.api('PATCH', `/api/links/${slug}`, { urls: [URL_A] })).status).toBe(200)
    expect(await stored()).toBeLessThanOrEqual(MIB)

    await plan('pro')
    expect((await edit(slug)).status).toBe(200)
    expect((await ann.api('POST', '/api/claims', { token: claimToken })).status).toBe(200)
    await plan('free')
    expect(await ann.api('POST', `/api/links/${slug}/versions/1/restore`)).toMatchObject(FULL)
  })

  test('repeated content takes no more space: not when edited, restored or dry-run', async () => {
    const slug = await full()
    const before = await stored()
    const again = { urls: LARGE, title: 'again' }
    expect((await ann.api('PATCH', `/api/links/${slug}`, { ...again, dryRun: true })).status).toBe(200)
    expect((await ann.api('PATCH', `/api/links/${slug}`, again)).status).toBe(200)
    expect((await ann.api('POST', `/api/links/${slug}/versions/2/restore`)).status).toBe(200)
    expect((await stored()) - before).toBeLessThan(1000)
    // The same content in another bundle does not help.
    expect(await ann.api('POST', '/api/links', { urls: LARGE, dryRun: true })).toMatchObject(FULL)
    expect(await ann.api('POST', '/api/links', { urls: LARGE })).toMatchObject(FULL)
  })

  test('of 12 simultaneous edits where three fit, exactly three succeed', async () => {
    const { slug } = await ann.makeBundle({ urls: LARGE })
    for (let n = 1; n < FIT - 3; n += 1) await edit(slug)
    const answers = await Promise.all(Array.from({ length: 12 }, () => edit(slug)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, ...Array(9).fill(403)])
    expect(await stored()).toBeLessThanOrEqual(MIB)
  })

  test('the dashboard warns before the cap is reached, where bundles are listed and edited', async () => {
    const { slug } = await ann.makeBundle({ urls: LARGE })
    const pages = () =>
      Promise.all(['/dashboard', `/dashboard/links/${slug}`].map(async (path) => (await ann.fetch(path)).text()))
    for (let n = 1; n < FIT - 5; n += 1) await edit(slug)
    for (const html of await pages()) expect(html).not.toContain('version history')
    for (let n = FIT - 5; n < FIT - 2; n += 1) await edit(slug)
    for (const html of await pages()) expect(html).toMatch(/8\d% of the 1 MiB of version history/)
  })

  test('the dashboard’s forms say why nothing was saved, and keep what was typed', async () => {
    const slug = await full()
    await plan('pro')
    for (let n = FIT; n < FIT + 2; n += 1) expect((await edit(slug)).status).toBe(200)
    await plan('free')
    const { body } = await ann.api<{ versions: unknown[] }>('GET', `/api/links/${slug}/versions`)
    const version = String(body.versions.length)
    const restored = await ann.form(`/dashboard/links/${slug}/versions/1/restore`, { expectedVersion: version })
    expect([restored.status, await restored.text()]).toEqual([403, expect.stringContaining('1 MiB of version history')])
  })

  test('an organisation has its own cap', async () => {
    await full()
    const { id } = await newOrganization(ann)
    await actFor(ann, id)
    expect((await ann.api('POST', '/api/links', { urls: LARGE })).status).toBe(201)
  })
})

/** Unique URLs, 50 KB in total. */
function largeUrls(): string[] {
  made += 1
  return Array.from({ length: 25 }, (_, n) => `https://large.example/${n}/${String(made).padEnd(2000, 'x')}`)
}
