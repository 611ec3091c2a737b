import { afterEach, beforeEach, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { actFor, newOrganization, newPerson, type Person, Visitor } from '../people.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { onEveryTarget } from '../targets.ts'
import { BROWSER } from './support.ts'

const CAPS = { SERVICE_PLAN_FREE_MAX_BUNDLES: '6', SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }
const RULES = {
  version: 1,
  rules: [
    { name: 'Phones', when: { op: 'equals', field: 'device', value: 'mobile' }, tabs: [{ url: 'https://m.example/' }] },
  ],
}

const receivers: Receiver[] = []
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.stop()
})

onEveryTarget(CAPS, (at) => {
  let [ann, editor, viewer]: Person[] = []
  let team: string
  beforeEach(async () => {
    ;[ann, editor, viewer] = await Promise.all(Array.from({ length: 3 }, () => newPerson(at())))
    team = (
      await newOrganization(ann!, [
        [editor!, 'editor'],
        [viewer!, 'viewer'],
      ])
    ).id
    await actFor(ann!, null)
  })
  const people = () => ({ ann: ann!, editor: editor!, viewer: viewer! })
  const toTeam = () => ({ to: { type: 'organization', organizationId: team } })
  const toSelf = ({ userId }: Person) => ({ to: { type: 'user', userId } })
  const move = (by: Visitor, slug: string, body: object = toTeam()) =>
    by.api('POST', `/api/links/${slug}/transfer`, body)
  const found = async (by: Visitor, q: string) =>
    (await by.api<{ bundles: { slug: string }[] }>('GET', `/api/me/links?q=${q}`)).body.bundles.map(({ slug }) => slug)
  /** Owners whose stored counts are not what they count. */
  const miscounted = () =>
    at().sql(`SELECT id FROM owners WHERE
      bundle_count <> (SELECT count(*) FROM bundles WHERE owner_id = owners.id AND deleted_at IS NULL) OR
      history_bytes <> (SELECT coalesce(sum(s.bytes), 0) FROM bundle_sizes s JOIN bundles b ON b.id = s.id WHERE b.owner_id = owners.id) OR
      proposal_bytes <> (SELECT coalesce(sum(bytes), 0) FROM proposals WHERE owner_id = owners.id)`)

  test('it keeps its link, versions, counts, rules and proposals, and belongs to the organisation alone', async () => {
    const { ann, editor } = people()
    const { slug, url } = await ann.makeBundle({ title: 'Wanderlust', resolutionPolicy: RULES })
    await ann.api('PATCH', `/api/links/${slug}`, { description: 'second' })
    await fetch(url, { headers: BROWSER })
    await ann.api('POST', `/api/links/${slug}/proposals`, { title: 'Proposed' })
    const counts = async (by: Visitor) =>
      (await by.api<{ totals: { views: number } }>('GET', `/api/links/${slug}/insights`)).body.totals
    await becomes(async () => (await counts(ann)).views, 1)
    const before = {
      bundle: (await ann.api<Record<string, unknown>>('GET', `/api/links/${slug}`)).body,
      versions: (await ann.api('GET', `/api/links/${slug}/versions`)).body,
      counts: await counts(ann),
    }
    const { status, headers, body } = await move(ann, slug)
    expect([status, headers.get('etag')]).toEqual([200, '"v2"'])
    const owner = { type: 'organization', organizationId: team }
    expect<unknown>(body).toEqual({ ...before.bundle, owner })
    await actFor(editor, team)
    expect<unknown>((await editor.api('GET', `/api/links/${slug}`)).body).toEqual({ ...before.bundle, owner })
    expect((await editor.api('GET', `/api/links/${slug}/versions`)).body).toEqual(before.versions)
    expect(await counts(editor)).toEqual(before.counts)
    expect((await fetch(url)).status).toBe(200)
    const inbox = (by: Visitor) => by.api<{ proposals: { slug: string }[] }>('GET', '/api/me/proposals')
    expect((await inbox(editor)).body.proposals.map((one) => one.slug)).toEqual([slug])
    expect((await inbox(ann)).body.proposals).toEqual([])
    expect([await found(editor, 'wanderlust'), await found(ann, 'wanderlust')]).toEqual([[slug], []])
    await becomes(
      async () => Number((await at().sql('SELECT count(*) AS n FROM bundle_changes WHERE for_search = 1'))[0]?.n),
      0,
    )
    expect([await found(editor, 'wanderlust'), await found(ann, 'wanderlust')]).toEqual([[slug], []])
    const exported = async (organizationId: string | null) => {
      await actFor(ann, organizationId)
      return JSON.stringify((await ann.api('GET', '/api/me/export')).body)
    }
    expect([(await exported(team)).includes(slug), (await exported(null)).includes('Wanderlust')]).toEqual([
      true,
      false,
    ])
    expect(await miscounted()).toEqual([])
  })

  test('an admin over the bundle who may create in the receiving organisation may move it, and nobody else', async () => {
    const { ann, editor, viewer } = people()
    const stranger = await newPerson(at())
    const own = await Promise.all([editor, viewer, stranger].map((by) => by.makeBundle()))
    const statuses = async (calls: [Visitor, string, object?][]) => {
      const all = []
      for (const [by, slug, body] of calls) all.push((await move(by, slug, body)).status)
      return all
    }
    expect(
      await statuses([
        [editor, own[0]!.slug],
        [viewer, own[1]!.slug],
        [stranger, own[2]!.slug],
      ]),
    ).toEqual([200, 403, 403])
    // Who is an editor there cannot take it out again, an admin can, and only for themselves.
    const { slug } = own[0]!
    expect(
      await statuses([
        [editor, slug, toSelf(editor)],
        [viewer, slug, toSelf(viewer)],
        [stranger, slug, toSelf(stranger)],
        [ann, slug, toSelf(editor)],
        [ann, slug, { to: { type: 'organization', organizationId: 'none' } }],
        [ann, 'there-is-none', toSelf(ann)],
        [ann, slug, { to: { type: 'team' } }],
        [new Visitor(at()), slug, toSelf(ann)],
        [ann, slug, toSelf(ann)],
      ]),
    ).toEqual([403, 403, 403, 403, 403, 404, 400, 401, 200])
    expect((await editor.api('GET', `/api/links/${slug}`)).status).toBe(403)
    await ann.api('DELETE', `/api/links/${slug}`)
    expect((await move(ann, slug)).status).toBe(404)
    const unclaimed = await new Visitor(at()).makeBundle()
    expect((await move(ann, unclaimed.slug)).status).toBe(403)
  })

  test('moving it to who has it changes nothing, however often', async () => {
    const { ann } = people()
    const { slug } = await ann.makeBundle()
    const [first, again] = [await move(ann, slug), await move(ann, slug)]
    expect([again.status, again.body]).toEqual([200, first.body])
    expect((await ann.api<{ versions: unknown[] }>('GET', `/api/links/${slug}/versions`)).body.versions).toHaveLength(1)
  })

  test('with a key of one’s own it moves to where its maker may create, and is then out of the key’s reach', async () => {
    const { ann } = people()
    const { slug } = await ann.makeBundle()
    const { rawKey } = await ann.mint({ scopes: ['links:write'] })
    const agent = new Visitor(at(), { authorization: `Bearer ${rawKey}` })
    expect((await move(agent, slug)).status).toBe(200)
    expect((await agent.api('GET', `/api/links/${slug}`)).status).toBe(403)
  })

  test('of more at once than the receiver has room for, as many move as fit', async () => {
    const { ann, editor } = people()
    const slugs: [Person, string][] = []
    for (const by of [ann, editor]) for (let n = 0; n < 5; n += 1) slugs.push([by, (await by.makeBundle()).slug])
    const answers = await Promise.all(slugs.map(([by, slug]) => move(by, slug)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(6)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.map(({ status, body }) => [status, (body as { code?: string }).code])).toEqual(
      Array(4).fill([403, 'PLAN_LIMIT']),
    )
    expect(await miscounted()).toEqual([])
  })

  test('nothing moves if its open proposals, or its versions, have no room there', async () => {
    const { ann, editor } = people()
    const { slug } = await ann.makeBundle()
    await ann.api('POST', `/api/links/${slug}/proposals`, { title: 'Proposed' })
    await actFor(editor, team)
    const { slug: theirs } = await editor.makeBundle()
    const many = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO proposals (id, bundle_id, owner_id, base_version, changes, created_at)
      SELECT 'p_' || slug || i, id, owner_id, 1, '{"title":"x"}', 1 FROM bundles, n WHERE slug = ?`
    await at().sql(many, [theirs])
    const refused = async () => {
      const { status, body } = await move(ann, slug)
      return [status, body.code, body.error]
    }
    expect(await refused()).toEqual([403, 'PLAN_LIMIT', expect.stringContaining('200 for all bundles of its owner')])
    await at().sql("DELETE FROM proposals WHERE id LIKE 'p_' || ? || '%'", [theirs])

    const grow = (bytes: number) =>
      at().sql('UPDATE owners SET history_bytes = history_bytes + ? WHERE organization_id = ?', [bytes, team])
    await grow(64 * 2 ** 20)
    expect(await refused()).toEqual([
      403,
      'PLAN_LIMIT',
      expect.stringContaining('The organisation has reached the Free plan’s limit of 64 MiB of version history.'),
    ])
    await grow(-64 * 2 ** 20)
    expect((await ann.api<{ owner: unknown }>('GET', `/api/links/${slug}`)).body.owner).toEqual(toSelf(ann).to)
    expect((await move(ann, slug)).status).toBe(200)
    expect(await miscounted()).toEqual([])
  })

  test('a proposal is decided by the editors of the new owner, and out of reach for a key that made it before', async () => {
    const { ann, editor } = people()
    const { slug } = await ann.makeBundle()
    const program = await ann.program({ scopes: ['links:propose'] })
    const path = `/api/links/${slug}/proposals`
    const { body } = await program.api<{ id: string }>('POST', path, { title: 'Proposed' })
    await move(ann, slug)
    expect((await program.api('POST', `${path}/${body.id}/withdraw`)).status).toBe(403)
    const accepted = await editor.api<{ versionNumber: number }>('POST', `${path}/${body.id}/accept`, {})
    expect([accepted.status, accepted.body.versionNumber]).toEqual([200, 2])
  })

  test('with a key of the organisation a bundle moves on to another, never into another person’s account', async () => {
    const { ann, editor } = people()
    const { slug } = await ann.makeBundle()
    await move(ann, slug)
    const { id: other } = await newOrganization(ann)
    await actFor(ann, team)
    const program = await ann.program({ scopes: ['links:write'] })
    expect((await program.api('GET', `/api/links/${slug}`)).status).toBe(200)
    expect((await move(program, slug, toSelf(editor))).status).toBe(403)
    expect((await move(program, slug, { to: { type: 'organization', organizationId: other } })).status).toBe(200)
    expect((await program.api('GET', `/api/links/${slug}`)).status).toBe(403)
    expect((await move(program, slug)).status).toBe(403)
  })

  test('a blocked bundle stays blocked, and cannot get out of a block by moving', async () => {
    const { ann } = people()
    const { slug, url } = await ann.makeBundle()
    const block = "INSERT INTO blocked_bundles (bundle_id, reason, at) SELECT id, 'spam', 1 FROM bundles WHERE slug = ?"
    await at().sql(block, [slug])
    await becomes(async () => (await fetch(url, { headers: BROWSER })).status, 451)
    expect((await move(ann, slug)).status).toBe(200)
    expect((await fetch(url, { headers: BROWSER })).status).toBe(451)
  })

  test('what is wrong with a receiver is told of the kind that was meant', async () => {
    const { ann } = people()
    const { slug } = await ann.makeBundle()
    const wrong: [unknown, string][] = [
      // By which schemas are loaded, arktype names the field that would say which it is, or not, and that it is missing, or not.
      [null, 'to(.type)? must be'],
      ['me', 'to(.type)? must be'],
      [{}, 'to.type (?:is missing|must be)'],
      [{ type: 'team', userId: 'x' }, 'to.type must be'],
      [{ type: 'user' }, 'to.userId is missing'],
      [{ type: 'user', userId: 7 }, 'to.userId must be a string'],
      [{ type: 'user', userId: ann.userId, organizationId: team }, 'to.organizationId'],
      [{ type: 'organization', organizationId: '' }, 'to.organizationId must'],
      [{ type: 'organization', organizationId: 'x'.repeat(65) }, 'to.organizationId must'],
    ]
    for (const [to, says] of wrong) {
      const { status, body } = await move(ann, slug, { to })
      expect([to, status, body.error]).toEqual([to, 400, expect.stringMatching(new RegExp(`^${says}`))])
    }
  })

  test('a dry run and unknown fields are refused', async () => {
    const { ann } = people()
    const { slug } = await ann.makeBundle()
    expect((await move(ann, slug, { ...toTeam(), dryRun: true })).status).toBe(400)
    expect((await move(ann, slug, { ...toTeam(), note: 'x' })).status).toBe(400)
    expect((await ann.api<{ owner: { type: string } }>('GET', `/api/links/${slug}`)).body.owner.type).toBe('user')
  })

  test('a launcher for members is for those of the new owner from the move on', async () => {
    const { ann, viewer } = people()
    const { slug, url } = await ann.makeBundle({ access: 'members', title: 'Inside only' })
    const sees = async (by: Visitor) => (await (await by.fetch(new URL(url).pathname)).text()).includes('Inside only')
    expect([await sees(ann), await sees(viewer)]).toEqual([true, false])
    await move(ann, slug)
    expect([await sees(ann), await sees(viewer)]).toEqual([true, true])
    await move(ann, slug, toSelf(ann))
    expect([await sees(ann), await sees(viewer)]).toEqual([true, false])
  })

  test('webhooks of both owners are told', async () => {
    const { ann } = people()
    const connected = async () => {
      const receiver = startReceiver()
      receivers.push(receiver)
      const events = ['bundle.updated', 'bundle.transferred']
      const made = await ann.api('POST', '/api/me/webhooks', { url: receiver.url, events })
      expect(made.status).toBe(201)
      return receiver
    }
    const { slug } = await ann.makeBundle()
    const mine = await connected()
    await ann.api('PATCH', `/api/links/${slug}`, { title: 'mine', externalId: 'mine', metadata: { of: 'ann' } })
    const told = ({ received }: Receiver) => received.map(({ type, data }) => [type, data.slug, data.title, data.owner])
    const own = ({ received }: Receiver) => received.map(({ data: { externalId, metadata } }) => [externalId, metadata])
    const self = { type: 'user', userId: ann.userId }
    const updated = ['bundle.updated', slug, 'mine', self]
    await becomes(() => told(mine), [updated])
    await actFor(ann, team)
    const theirs = await connected()
    await move(ann, slug)
    await ann.api('PATCH', `/api/links/${slug}`, {
      title: 'theirs',
      externalId: 'theirs',
      metadata: { of: 'the team' },
    })
    const owner = toTeam().to
    const transferred = ['bundle.transferred', slug, 'mine', owner]
    await becomes(() => told(theirs), [transferred, ['bundle.updated', slug, 'theirs', owner]])
    await becomes(() => told(mine), [updated, transferred])
    expect(own(mine)[0]).toEqual(['mine', { of: 'ann' }])
    expect(own(theirs)[1]).toEqual(['theirs', { of: 'the team' }])

    // Sent again, an event is what it was: nothing of the new owner is in the earlier one, nor of the next in the other.
    const { id } = await newOrganization(ann)
    expect((await move(ann, slug, { to: { type: 'organization', organizationId: id } })).status).toBe(200)
    await actFor(ann, null)
    const { body } = await ann.api<{ webhooks: { id: string }[] }>('GET', '/api/me/webhooks')
    const path = `/api/me/webhooks/${body.webhooks[0]!.id}/deliveries`
    const { body: sent } = await ann.api<{ deliveries: { id: number; event: string }[] }>('GET', path)
    for (const again of ['bundle.updated', 'bundle.transferred']) {
      const found = sent.deliveries.find(({ event }) => event === again)
      expect((await ann.api('POST', `${path}/${found?.id}/redeliver`)).status).toBeLessThan(300)
    }
    await becomes(() => told(mine), [updated, transferred, updated, transferred])
    expect(own(mine).slice(2)).toEqual([
      [null, null],
      [null, null],
    ])
  })
})
