import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { actFor, newOrganization, newPerson, type Person, URL_A, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const CAPS = {
  SERVICE_PLAN_ANONYMOUS_MAX_BUNDLES: '40',
  SERVICE_PLAN_FREE_MAX_BUNDLES: '3',
  SERVICE_PLAN_PRO_MAX_BUNDLES: '5',
}

onEveryTarget(CAPS, (at) => {
  let ann: Person
  beforeEach(async () => {
    ann = await newPerson(at())
  })
  afterEach(async () => {
    // The count that caps use is stored: whatever a test did, it must equal the real count.
    const counted = 'SELECT count(*) FROM bundles WHERE owner_id = owners.id AND deleted_at IS NULL'
    expect(await at().sql(`SELECT id FROM owners WHERE bundle_count <> (${counted})`)).toEqual([])
  })
  const create = (who: Visitor) => who.api('POST', '/api/links', { urls: [URL_A] })
  const statuses = async (calls: Promise<{ status: number }>[]) =>
    (await Promise.all(calls)).map(({ status }) => status).toSorted()
  const held = async (who: Visitor) =>
    (await who.api<{ bundles: { slug: string }[] }>('GET', '/api/me/links')).body.bundles.map(({ slug }) => slug)

  test('a full plan names its cap and how to raise it, and pro allows more', async () => {
    await Promise.all([create(ann), create(ann), create(ann)])
    const full = await create(ann)
    expect(full).toMatchObject({ status: 403, body: { code: 'PLAN_LIMIT' } })
    expect(full.body.error).toMatch(/\b3\b.*Pro.*\b5\b/)
    await at().sql(`UPDATE owners SET plan = 'pro' WHERE user_id = ? RETURNING 1`, [ann.userId])
    expect(await statuses([create(ann), create(ann)])).toEqual([201, 201])
    const fullAgain = await create(ann)
    expect(fullAgain).toMatchObject({ status: 403, body: { code: 'PLAN_LIMIT' } })
    expect(fullAgain.body.error).toMatch(/Pro.*\b5\b/)
  })

  test('after a downgrade nothing is deleted, everything is served and editable, and nothing can be added', async () => {
    await create(ann)
    await at().sql(`UPDATE owners SET plan = 'pro' WHERE user_id = ? RETURNING 1`, [ann.userId])
    await Promise.all([create(ann), create(ann), create(ann)])
    await at().sql(`UPDATE owners SET plan = 'free' WHERE user_id = ? RETURNING 1`, [ann.userId])
    const slugs = await held(ann)
    expect(slugs).toHaveLength(4)
    for (const slug of slugs) {
      expect((await ann.fetch(`/l/${slug}`)).status).toBe(200)
      expect((await ann.api('PATCH', `/api/links/${slug}`, { title: 'still' })).status).toBe(200)
    }
    expect((await create(ann)).status).toBe(403)
  })

  test('deleting a bundle makes room, and restoring it counts again', async () => {
    await Promise.all([create(ann), create(ann), create(ann)])
    const [slug] = await held(ann)
    await ann.api('DELETE', `/api/links/${slug}`)
    expect((await create(ann)).status).toBe(201)
    expect(await ann.api('POST', `/api/links/${slug}/restore`)).toMatchObject({
      status: 403,
      body: { code: 'PLAN_LIMIT' },
    })
    expect((await ann.api('GET', `/api/links/${slug}`)).status).toBe(404)
  })

  test('a claim that a full plan refuses leaves the bundle claimable', async () => {
    const { claimToken: token } = await new Visitor(at()).makeBundle()
    await Promise.all([create(ann), create(ann), create(ann)])
    expect(await ann.api('POST', '/api/claims', { token })).toMatchObject({ status: 403, body: { code: 'PLAN_LIMIT' } })
    expect((await (await newPerson(at())).api('POST', '/api/claims', { token })).status).toBe(200)
  })

  test('an organisation has its own cap, separate from its members’', async () => {
    await newOrganization(ann)
    const calls = Array.from({ length: 5 }, () => create(ann))
    expect(await statuses(calls)).toEqual([201, 201, 201, 403, 403])
    await actFor(ann, null)
    expect((await create(ann)).status).toBe(201)
  })
})

describe('without an account', () => {
  onEveryTarget({ ...CAPS, SERVICE_PLAN_ANONYMOUS_MAX_BUNDLES: '3' }, (at) => {
    test('a full address is told how to make room, and a claim makes it', async () => {
      const visitor = new Visitor(at())
      const make = () => visitor.api('POST', '/api/links', { urls: [URL_A] })
      const [first] = [await make(), await make(), await make()]
      expect((await make()).body.error).toMatch(/3.*claim/i)
      await (await newPerson(at())).api('POST', '/api/claims', { token: first.body.claimToken })
      expect([(await make()).status, (await make()).status]).toEqual([201, 403])
    })
  })
})
