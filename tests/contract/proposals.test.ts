import { beforeAll, describe, expect, test } from 'bun:test'
import { actFor, newOrganization, newPerson, type Person, URL_A, URL_B, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

interface ProposalBody {
  id: string
  slug: string
  baseVersion: number
  state: string
  note?: string
  decidedBy?: string | null
  changes: Record<string, unknown>
  reason: string | null
  proposedBy: string | null
  createdAt: string
  code: string
  error: string
  conflicts: { path: string; base: string | null; newest: string | null; proposed: string | null }[]
  difference: { fields: Record<string, { from: string; to: string }>; links: { kind: string }[]; rules: unknown[] }
}

interface BundleBody {
  versionNumber: number
  title: string | null
  urls: string[]
  urlMetadata: Record<string, unknown>[]
  resolutionPolicy: { rules: { id: string; name: string; tabs: { url: string }[] }[] } | null
  code: string
  error: string
}

const URL_C = 'https://c.example/'
const URL_D = 'https://d.example/'

onEveryTarget({ SERVICE_WRITES_PER_MINUTE: '0', SERVICE_WRITES_PER_HOUR: '0' }, (server) => {
  let owner: Person
  let agent: Visitor
  let other: Visitor

  const keyOf = (person: Visitor, scope: string) => person.program({ scopes: [scope], rateLimitPerHour: 0 })

  beforeAll(async () => {
    owner = await newPerson(server())
    agent = await keyOf(owner, 'links:propose')
    other = await keyOf(owner, 'links:propose')
  })

  const propose = (slug: string, body: object, by: Visitor = agent) =>
    by.api<ProposalBody>('POST', `/api/links/${slug}/proposals`, body)
  const proposed = async (slug: string, body: object, by: Visitor = agent) => {
    const answer = await propose(slug, body, by)
    expect(answer.status).toBe(201)
    return answer.body
  }
  const decide = (
    { slug, id }: Pick<ProposalBody, 'slug' | 'id'>,
    how: 'accept' | 'reject' | 'withdraw',
    { by = owner, body, headers }: { by?: Visitor; body?: object; headers?: Record<string, string> } = {},
  ) => by.api<BundleBody & ProposalBody>('POST', `/api/links/${slug}/proposals/${id}/${how}`, body, headers)
  const read = async ({ slug, id }: Pick<ProposalBody, 'slug' | 'id'>, by: Visitor = owner) =>
    (await by.api<ProposalBody>('GET', `/api/links/${slug}/proposals/${id}`)).body
  const edit = async (slug: string, changes: object) => {
    expect((await owner.api('PATCH', `/api/links/${slug}`, changes)).status).toBe(200)
  }
  const bundle = async (slug: string) => (await owner.api<BundleBody>('GET', `/api/links/${slug}`)).body
  const versions = async (slug: string) =>
    (await owner.api<{ versions: Record<string, unknown>[] }>('GET', `/api/links/${slug}/versions`)).body.versions

  describe('proposing', () => {
    test('changes nothing, and answers with the proposal', async () => {
      const { slug } = await owner.makeBundle({ title: 'Launch day' })
      const before = await bundle(slug)
      const { status, body, headers } = await propose(slug, { title: 'Launch week', reason: 'It takes longer.' })
      expect(status).toBe(201)
      expect(body as unknown).toEqual({
        id: expect.stringMatching(/^p_\w{10}$/),
        slug,
        baseVersion: 1,
        state: 'open',
        changes: { title: 'Launch week' },
        reason: 'It takes longer.',
        proposedBy: owner.userId,
        createdAt: expect.any(String),
      })
      expect(headers.get('location')).toBe(`/api/links/${slug}/proposals/${body.id}`)
      expect(await bundle(slug)).toEqual(before)
      const full = await read(body)
      expect(full.difference.fields).toEqual({ title: { from: 'Launch day', to: 'Launch week' } })
      expect(full.conflicts).toEqual([])
      const { body: list } = await owner.api<{ proposals: ProposalBody[] }>('GET', `/api/links/${slug}/proposals`)
      expect(list.proposals.map(({ id }) => id)).toEqual([body.id])
      expect(list.proposals[0]).not.toHaveProperty('changes')
    })

    test('a former member’s own data has their proposals as they made them, not what became of them since', async () => {
      const member = await newPerson(server())
      const { memberIds } = await newOrganization(owner, [[member, 'viewer']])
      const { slug } = await owner.makeBundle({ title: 'Launch day' })
      const [early, late] = [
        await proposed(slug, { title: 'early' }, member),
        await proposed(slug, { title: 'late' }, member),
      ]
      await decide(early, 'reject', { body: { note: 'not yet' } })
      const exported = async () =>
        (await member.api<{ proposals: ProposalBody[] }>('GET', '/api/me/export')).body.proposals.map(
          ({ id, state, note, decidedBy }) => [id, state, note, decidedBy],
        )
      const asMade = [late.id, 'open', undefined, undefined]
      expect(await exported()).toEqual([asMade, [early.id, 'rejected', 'not yet', owner.userId]])
      await owner.api('POST', '/api/auth/organization/remove-member', { memberIdOrEmail: memberIds.get(member) })
      await decide(late, 'reject', { body: { note: 'secret' } })
      expect(await exported()).toEqual([asMade, [early.id, 'open', undefined, undefined]])
      await actFor(owner, null)
    })

    test('what could not be saved, or changes nothing, is refused', async () => {
      const { slug } = await owner.makeBundle({ title: 'Launch day' })
      const policy = (id: string) => ({
        version: 1,
        rules: [{ id, name: 'x', when: { op: 'signedIn' }, tabs: [{ url: URL_A }] }],
      })
      for (const [body, code] of [
        [{}, 'BAD_REQUEST'],
        [{ reason: 'nothing' }, 'BAD_REQUEST'],
        [{ title: 'Launch day' }, 'BAD_REQUEST'],
        [{ title: 'x', baseVersion: 2 }, 'BAD_REQUEST'],
        [{ title: 'x', baseVersion: 0 }, 'BAD_REQUEST'],
        [{ title: 'x', reason: 'x'.repeat(501) }, 'BAD_REQUEST'],
        [{ urls: [] }, 'INVALID_URLS'],
        [{ urls: Array(26).fill(URL_A) }, 'INVALID_URLS'],
        [{ urls: ['javascript:alert(1)'] }, 'INVALID_URLS'],
        [{ urlMetadata: [{}, {}, {}] }, 'BAD_REQUEST'],
        [{ opensAt: '2030-01-02T00:00:00Z', closesAt: '2030-01-01T00:00:00Z' }, 'BAD_REQUEST'],
        [{ resolutionPolicy: policy('r_0000000000') }, 'BAD_REQUEST'],
        [{ title: 'x', state: 'accepted' }, 'BAD_REQUEST'],
        [{ title: 'x', owner: { type: 'user' } }, 'BAD_REQUEST'],
        [{ title: 'x', access: 'members' }, 'BAD_REQUEST'],
        [{ title: 'x', deletedAt: null }, 'BAD_REQUEST'],
        [{ title: 'x', slug: 'another' }, 'BAD_REQUEST'],
      ] as const) {
        const { status, body: answer } = await propose(slug, body)
        expect([body, status, answer.code]).toEqual([body, 400, code])
      }
      expect((await propose(slug, { description: 'x'.repeat(300_000) })).body.code).toBe('PAYLOAD_TOO_LARGE')
      expect((await propose('there-is-none', { title: 'x' })).status).toBe(404)
      expect(
        (await owner.api<{ proposals: unknown[] }>('GET', `/api/links/${slug}/proposals?state=all`)).body.proposals,
      ).toEqual([])
    })
  })

  describe('accepting', () => {
    test('makes one version by who accepts, which keeps who proposed it', async () => {
      const member = await newPerson(server())
      await newOrganization(owner, [[member, 'viewer']])
      const { slug } = await owner.makeBundle({ title: 'Launch day' })
      const proposal = await proposed(slug, { title: 'Launch week' }, member)
      const { status, body, headers } = await decide(proposal, 'accept')
      expect([status, body.versionNumber, body.title]).toEqual([200, 2, 'Launch week'])
      expect(headers.get('etag')).toBe('"v2"')
      const [newest, first] = await versions(slug)
      expect(newest).toMatchObject({
        versionNumber: 2,
        editedByIdentityUserId: owner.userId,
        proposedBy: member.userId,
      })
      expect(first).toHaveProperty('proposedBy', null)
      expect(await read(proposal)).toMatchObject({ state: 'accepted', versionNumber: 2, decidedBy: owner.userId })
      expect(await (await new Visitor(server()).fetch(`/l/${slug}`)).text()).toContain('Launch week')
      await actFor(owner, null)
    })

    test('merges link by link and field by field onto what others edited meanwhile', async () => {
      const { slug } = await owner.makeBundle({
        title: 'Launch day',
        urls: [URL_A, URL_B, URL_C],
        urlMetadata: [{ note: 'first' }, { note: 'second' }, {}],
      })
      const proposal = await proposed(slug, {
        baseVersion: 1,
        urls: [URL_D, URL_A, URL_B],
        urlMetadata: [{ note: 'new' }, { note: 'first', tags: ['live'] }, { note: 'second' }],
        description: 'What to open.',
      })
      await edit(slug, {
        title: 'Launch week',
        urls: [URL_A, 'https://e.example/', URL_B, URL_C],
        urlMetadata: [{ note: 'Read this first' }, {}, { note: 'second', openPolicy: 'manual' }, {}],
      })
      const full = await read(proposal)
      expect(full.conflicts).toEqual([])
      expect((await decide(proposal, 'accept')).status).toBe(200)
      expect(await bundle(slug)).toMatchObject({
        versionNumber: 3,
        title: 'Launch week',
        description: 'What to open.',
        urls: [URL_D, URL_A, 'https://e.example/', URL_B],
        urlMetadata: [
          { note: 'new' },
          { note: 'Read this first', tags: ['live'] },
          {},
          { note: 'second', openPolicy: 'manual' },
        ],
      })
    })

    test('rules keep their ids, and merge by rule and field', async () => {
      const rule = (name: string, domain: string, urls: string[]) => ({
        name,
        when: { op: 'equals', field: 'emailDomain', value: domain },
        tabs: urls.map((url) => ({ url })),
      })
      const { slug } = await owner.makeBundle({
        resolutionPolicy: { version: 1, rules: [rule('Acme', 'acme.com', [URL_A]), rule('Beta', 'beta.com', [URL_B])] },
      })
      const ids = (await bundle(slug)).resolutionPolicy?.rules.map(({ id }) => id) ?? []
      const proposal = await proposed(slug, {
        resolutionPolicy: {
          version: 1,
          rules: [
            rule('Acme', 'acme.com', [URL_A, URL_C]),
            rule('Beta', 'beta.com', [URL_B]),
            rule('New', 'new.com', [URL_D]),
          ],
        },
      })
      await edit(slug, {
        resolutionPolicy: {
          version: 1,
          rules: [
            { ...rule('Acme', 'acme.example', [URL_D, URL_A]), id: ids[0] },
            { ...rule('Beta 2', 'beta.com', [URL_B]), id: ids[1] },
          ],
        },
      })
      expect((await decide(proposal, 'accept')).status).toBe(200)
      const { resolutionPolicy } = await bundle(slug)
      expect(resolutionPolicy?.rules.slice(0, 2).map(({ id }) => id)).toEqual(ids)
      expect(resolutionPolicy?.rules.map(({ name, tabs }) => [name, tabs.map(({ url }) => url)])).toEqual([
        ['Acme', [URL_D, URL_A, URL_C]],
        ['Beta 2', [URL_B]],
        ['New', [URL_D]],
      ])
    })

    test('what both changed is a conflict that names it, and that sending the field decides', async () => {
      const { slug } = await owner.makeBundle({ title: 'Launch day', urlMetadata: [{ note: 'first' }] })
      const proposal = await proposed(slug, { title: 'Launch week', urlMetadata: [{ note: 'Start here' }] })
      await edit(slug, { title: 'Launch eve', urlMetadata: [{ note: 'Read me' }] })
      const refused = await decide(proposal, 'accept')
      expect([refused.status, refused.body.code]).toEqual([409, 'PROPOSAL_CONFLICT'])
      expect(refused.body.error).toContain(`Title and Links › ${URL_A} › note`)
      expect((await read(proposal)).conflicts).toEqual([
        { path: 'Title', base: 'Launch day', newest: 'Launch eve', proposed: 'Launch week' },
        { path: `Links › ${URL_A} › note`, base: 'first', newest: 'Read me', proposed: 'Start here' },
      ])
      expect((await decide(proposal, 'accept', { body: { title: 'Launch month' } })).status).toBe(409)
      expect((await bundle(slug)).versionNumber).toBe(2)
      const instead = { title: 'Launch month', urls: [URL_A, URL_B], urlMetadata: [{ note: 'Start here' }] }
      const { urls: _, ...unplaced } = instead
      expect((await decide(proposal, 'accept', { body: unplaced })).status).toBe(400)
      const accepted = await decide(proposal, 'accept', { body: instead })
      expect(accepted.body).toMatchObject({ versionNumber: 3, ...instead, urlMetadata: [{ note: 'Start here' }, {}] })
    })

    test('removed by one and changed by the other is a conflict; so is what does not fit together', async () => {
      const cases: [proposal: object, edit: object, path: RegExp][] = [
        [{ urls: [URL_B] }, { urlMetadata: [{ note: 'changed' }] }, /Links › https:\/\/a\.example\//],
        [{ urlMetadata: [{ note: 'changed' }] }, { urls: [URL_B] }, /Links › https:\/\/a\.example\//],
        [{ urls: [URL_A] }, { urls: [URL_B] }, /0 together/],
        [{ opensAt: '2030-01-02T00:00:00Z' }, { closesAt: '2030-01-01T00:00:00Z' }, /Opening time/],
        [
          { urls: [URL_A, URL_B, ...Array.from({ length: 20 }, (_, at) => `${URL_C}${at}`)] },
          { urls: [URL_A, URL_B, ...Array.from({ length: 20 }, (_, at) => `${URL_D}${at}`)] },
          /42 together/,
        ],
      ]
      for (const [wanted, saved, path] of cases) {
        const { slug } = await owner.makeBundle()
        const proposal = await proposed(slug, wanted)
        await edit(slug, saved)
        const refused = await decide(proposal, 'accept')
        expect([wanted, refused.status, refused.body.code]).toEqual([wanted, 409, 'PROPOSAL_CONFLICT'])
        expect(refused.body.error).toMatch(path)
      }
    })

    test('what both did alike is no conflict', async () => {
      const { slug } = await owner.makeBundle({ title: 'Launch day' })
      const proposal = await proposed(slug, { title: 'Launch week', urls: [URL_B, URL_A, URL_C] })
      await edit(slug, { title: 'Launch week', urls: [URL_B, URL_A, URL_C] })
      const accepted = await decide(proposal, 'accept')
      expect(accepted.body).toMatchObject({ versionNumber: 3, title: 'Launch week', urls: [URL_B, URL_A, URL_C] })
    })
  })

  describe('rejecting and withdrawing', () => {
    test('a rejection keeps the bundle as it is, and tells why', async () => {
      const { slug } = await owner.makeBundle({ title: 'Launch day' })
      const proposal = await proposed(slug, { title: 'x' })
      const { status, body } = await decide(proposal, 'reject', { body: { note: 'Not yet.' } })
      expect([status, body]).toMatchObject([200, { state: 'rejected', note: 'Not yet.', decidedBy: owner.userId }])
      expect(await bundle(slug)).toMatchObject({ title: 'Launch day', versionNumber: 1 })
      const list = await owner.api<{ proposals: ProposalBody[] }>('GET', `/api/links/${slug}/proposals?state=rejected`)
      expect(list.body.proposals.map(({ id }) => id)).toEqual([proposal.id])
    })

    test('a key withdraws only what was proposed with it; a person, all of their own', async () => {
      const { slug } = await owner.makeBundle()
      const one = await proposed(slug, { title: 'one' })
      const two = await proposed(slug, { title: 'two' }, owner)
      const three = await proposed(slug, { title: 'three' })
      expect((await decide(one, 'withdraw', { by: other })).status).toBe(403)
      expect((await decide(two, 'withdraw', { by: agent })).status).toBe(403)
      expect((await decide(one, 'withdraw', { by: agent })).body.state).toBe('withdrawn')
      expect((await decide(three, 'withdraw', { by: owner })).body.state).toBe('withdrawn')
    })

    test('what is decided stays so', async () => {
      const { slug } = await owner.makeBundle()
      for (const first of ['accept', 'reject', 'withdraw'] as const) {
        const proposal = await proposed(slug, { title: first })
        expect((await decide(proposal, first)).status).toBe(200)
        for (const next of ['accept', 'reject', 'withdraw'] as const) {
          const { status, body } = await decide(proposal, next)
          expect([first, next, status, body.code]).toEqual([first, next, 409, 'PROPOSAL_CONFLICT'])
        }
      }
      expect((await bundle(slug)).versionNumber).toBe(2)
    })

    test('the newest 20 decided ones of a bundle are kept', async () => {
      const { slug } = await owner.makeBundle()
      for (let at = 0; at < 22; at += 1) await decide(await proposed(slug, { title: `${at}` }), 'reject')
      const { body } = await owner.api<{ proposals: unknown[] }>('GET', `/api/links/${slug}/proposals?state=all`)
      expect(body.proposals).toHaveLength(20)
    })
  })

  describe('at once', () => {
    test('of several decisions one wins, and the bundle agrees with it', async () => {
      const { slug } = await owner.makeBundle({ title: 'before' })
      for (let round = 0; round < 4; round += 1) {
        const before = (await bundle(slug)).versionNumber
        const proposal = await proposed(slug, { title: `round ${round}` })
        const ways = ['accept', 'reject', 'accept', 'withdraw', 'accept', 'reject'] as const
        const answers = await Promise.all(ways.map((how) => decide(proposal, how)))
        const won = ways.filter((_, at) => answers[at]!.status === 200)
        expect(won).toHaveLength(1)
        for (const { status, body } of answers) if (status !== 200) expect(body.code).toBe('PROPOSAL_CONFLICT')
        const isAccepted = won[0] === 'accept'
        const { versionNumber, title } = await bundle(slug)
        expect([versionNumber, title === `round ${round}`]).toEqual([before + (isAccepted ? 1 : 0), isAccepted])
        expect((await read(proposal)).state).toBe(
          { accept: 'accepted', reject: 'rejected', withdraw: 'withdrawn' }[won[0]!],
        )
      }
    })

    test('an accepted proposal and edits lose nothing of each other', async () => {
      const { slug } = await owner.makeBundle({ title: 'before', description: 'before' })
      const proposal = await proposed(slug, { urls: [URL_A, URL_B, URL_C] })
      const [accepted] = await Promise.all([
        decide(proposal, 'accept'),
        ...['one', 'two', 'three'].map((description) => edit(slug, { description })),
        edit(slug, { title: 'after' }),
      ])
      expect(accepted.status).toBe(200)
      expect(await bundle(slug)).toMatchObject({ versionNumber: 6, title: 'after', urls: [URL_A, URL_B, URL_C] })
      expect((await versions(slug)).filter(({ proposedBy }) => proposedBy !== null)).toHaveLength(1)
    })

    test('two proposals for different fields are both accepted; for the same, one', async () => {
      const { slug } = await owner.makeBundle({ title: 'before' })
      const [title, text] = [await proposed(slug, { title: 'x' }), await proposed(slug, { description: 'y' })]
      const clash = await proposed(slug, { title: 'z' })
      const answers = await Promise.all([title, text, clash].map((proposal) => decide(proposal, 'accept')))
      expect(answers[1]!.status).toBe(200)
      expect([answers[0]!.status, answers[2]!.status].sort()).toEqual([200, 409])
      const saved = await bundle(slug)
      expect([saved.versionNumber, saved.title]).toEqual([3, answers[0]!.status === 200 ? 'x' : 'z'])
    })
  })

  describe('with what surrounds them', () => {
    test('a deleted bundle hides its proposals until it is restored', async () => {
      const { slug } = await owner.makeBundle()
      const proposal = await proposed(slug, { title: 'x' })
      await owner.api('DELETE', `/api/links/${slug}`)
      const inbox = async () =>
        (await owner.api<{ proposals: ProposalBody[] }>('GET', '/api/me/proposals')).body.proposals.map(({ id }) => id)
      expect(await inbox()).not.toContain(proposal.id)
      for (const how of ['accept', 'reject', 'withdraw'] as const)
        expect((await decide(proposal, how)).status).toBe(404)
      expect((await propose(slug, { title: 'y' })).status).toBe(404)
      await owner.api('POST', `/api/links/${slug}/restore`)
      expect(await inbox()).toContain(proposal.id)
      expect((await decide(proposal, 'accept')).status).toBe(200)
    })

    test('a deleted account leaves no open proposal, and no name or reason in a decided one', async () => {
      const admin = await newPerson(server())
      const viewer = await newPerson(server())
      const { id } = await newOrganization(admin, [[viewer, 'viewer']])
      await actFor(admin, id)
      const { slug } = await admin.makeBundle()
      const open = await proposed(slug, { title: 'open', reason: 'mine' }, viewer)
      const rejected = await proposed(slug, { title: 'rejected', reason: 'mine' }, viewer)
      expect((await decide(rejected, 'reject', { by: admin })).status).toBe(200)
      expect((await viewer.api('POST', '/api/auth/delete-user', {})).status).toBe(200)
      const { body } = await admin.api<{ proposals: ProposalBody[] }>('GET', `/api/links/${slug}/proposals?state=all`)
      expect(body.proposals).toMatchObject([{ id: rejected.id, proposedBy: null, reason: null }])
      expect(body.proposals.map((proposal) => proposal.id)).not.toContain(open.id)
    })

    test('exports have them: of a bundle in full, of a person those that they made', async () => {
      const admin = await newPerson(server())
      const viewer = await newPerson(server())
      const { id } = await newOrganization(admin, [[viewer, 'viewer']])
      await actFor(admin, id)
      const { slug } = await admin.makeBundle()
      const made = await proposed(slug, { title: 'x', reason: 'why' }, viewer)
      const { body: whole } = await admin.api<{ bundles: { slug: string; proposals: unknown[] }[] }>(
        'GET',
        `/api/me/export?organizationId=${id}`,
      )
      expect<unknown>(whole.bundles[0]?.proposals).toEqual([made])
      const { changes: _, ...listed } = made
      const { body: own } = await viewer.api<{ proposals: unknown[] }>('GET', '/api/me/export')
      expect<unknown>(own.proposals).toEqual([listed])
    })
  })

  describe('an agent with only links:propose, and a viewer', () => {
    test('can change nothing that a viewer of the launcher, or its owner, sees', async () => {
      const admin = await newPerson(server())
      const viewer = await newPerson(server())
      const { id } = await newOrganization(admin, [[viewer, 'viewer']])
      await actFor(admin, id)
      await actFor(viewer, id)
      const key = await keyOf(admin, 'links:propose')
      const { slug } = await admin.makeBundle({ title: 'before' })
      const state = async () => [
        (await admin.api('GET', `/api/links/${slug}`)).body,
        (await admin.api('GET', `/api/links/${slug}/versions`)).body,
        await (await new Visitor(server()).fetch(`/l/${slug}`)).text(),
      ]
      const before = await state()
      for (const by of [key, viewer]) {
        const mine = await proposed(slug, { title: 'mine' }, by)
        for (const [method, path, body] of [
          ['PATCH', '', { title: 'x' }],
          ['DELETE', '', undefined],
          ['POST', '/restore', undefined],
          ['POST', '/versions/1/restore', undefined],
          ['POST', `/proposals/${mine.id}/accept`, undefined],
          ['POST', `/proposals/${mine.id}/accept`, { title: 'x' }],
          ['POST', `/proposals/${mine.id}/reject`, undefined],
        ] as const) {
          const { status } = await by.api(method, `/api/links/${slug}${path}`, body)
          expect([method, path, status]).toEqual([method, path, 403])
        }
      }
      expect((await key.api('POST', '/api/links', { urls: [URL_A] })).status).toBe(403)
      expect((await key.api('POST', '/api/me/keys', { name: 'x' })).status).toBe(403)
      expect((await key.api('GET', '/api/me/export')).status).toBe(403)
      expect(await state()).toEqual(before)
    })

    test('an outsider reaches no proposal: not by its id under another slug, and not by guessing', async () => {
      const stranger = await newPerson(server())
      const { slug } = await owner.makeBundle()
      const { slug: theirs } = await stranger.makeBundle({ title: 'theirs' })
      const proposal = await proposed(slug, { title: 'secret plan' })
      for (const how of ['accept', 'reject', 'withdraw'] as const) {
        expect((await decide(proposal, how, { by: stranger })).status).toBe(403)
        expect((await decide({ ...proposal, slug: theirs }, how, { by: stranger })).status).toBe(404)
        expect((await decide(proposal, how, { by: new Visitor(server()) })).status).toBe(401)
      }
      expect((await stranger.api('GET', `/api/links/${slug}/proposals/${proposal.id}`)).status).toBe(403)
      expect((await stranger.api('GET', `/api/links/${theirs}/proposals/${proposal.id}`)).status).toBe(404)
      expect((await stranger.api('GET', `/api/links/${slug}/proposals`)).status).toBe(403)
      expect((await propose(slug, { title: 'x' }, stranger)).status).toBe(403)
      const { body } = await stranger.api<{ proposals: unknown[] }>('GET', '/api/me/proposals')
      expect(body.proposals).toEqual([])
      expect((await read(proposal)).state).toBe('open')
    })

    test('a rule id of another bundle is refused in a proposal', async () => {
      const rules = [{ name: 'x', when: { op: 'signedIn' }, tabs: [{ url: URL_A }] }]
      const { slug: one } = await owner.makeBundle({ resolutionPolicy: { version: 1, rules } })
      const { slug: two } = await owner.makeBundle()
      const id = (await bundle(one)).resolutionPolicy?.rules[0]?.id
      const answer = await propose(two, { resolutionPolicy: { version: 1, rules: [{ ...rules[0], id }] } })
      expect(answer.status).toBe(400)
    })
  })
})
