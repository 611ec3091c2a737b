import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { operations } from '../../src/api/implementations.ts'
import { scopeOf } from '../../src/operations/operation.ts'
import { callOf, send } from '../mcp/support.ts'
import { challengeOf } from '../oauth.ts'
import { NOWHERE } from '../parity/world.ts'
import { addMember, type CreatedBody, newEmail, newPerson, URL_A, Visitor } from '../people.ts'
import { RUNTIMES, type Server } from '../server.ts'
import { startOn } from '../targets.ts'
import { type Caller, type Cast, gather, newAddress, WITHOUT_LIMITS } from './callers.ts'

setDefaultTimeout(180_000)

/**
 * Who may do what: the status of each operation for each caller. Present and former members of the
 * organisation request its data (viewer, editor and admin act for it), all others the owner's. `r`, `p`, `w`
 * and `k` are the owner's keys with links:read, links:propose, links:write and keys:admin; `or`, `op`, `ow` and `ok` those of
 * the organisation's admin. `vk` has
 * keys:admin but a minter who is now a viewer, `lk` one who was removed, `xk` is revoked. `·`: tested elsewhere. What may be done
 * to each of several bundles is in the results, not in the status: tests/contract/bulk.test.ts.
 */
const MATRIX = `
                    anonymous stranger unverified owner r   p   w   h   k   viewer editor admin removed or  op  ow  ok  vk  lk  xk
create_bundle       201       201      201        201   403 403 201 403 201 403    201    201   201     403 403 201 201 403 401 401
create_bundles      401       200      200        200   403 403 200 403 200 200    200    200   200     403 403 200 200 200 401 401
get_bundle          401       403      403        200   200 200 200 403 200 200    200    200   403     200 200 200 200 200 401 401
update_bundle       401       403      403        200   403 403 200 403 200 403    200    200   403     403 403 200 200 403 401 401
put_bundle          401       201      201        201   403 403 201 403 201 403    201    201   201     403 403 201 201 403 401 401
update_bundles      401       200      200        200   403 403 200 403 200 200    200    200   200     403 403 200 200 200 401 401
delete_bundle       401       403      403        200   403 403 200 403 200 403    403    200   403     403 403 200 200 403 401 401
restore_bundle      401       403      403        200   403 403 200 403 200 403    403    200   403     403 403 200 200 403 401 401
duplicate_bundle    401       403      403        201   403 403 201 403 201 403    201    201   403     403 403 201 201 403 401 401
rename_bundle       401       403      403        200   403 403 200 403 200 403    403    200   403     403 403 200 200 403 401 401
transfer_bundle     401       403      403        200   403 403 200 403 200 403    403    200   403     403 403 200 200 403 401 401
inspect_urls        401       200      200        200   200 200 200 403 200 200    200    200   200     200 200 200 200 200 401 401
list_bundles        401       200      200        200   200 200 200 403 200 200    200    200   200     200 200 200 200 200 401 401
replace_url         401       200      200        200   403 403 200 403 200 403    200    200   200     403 403 200 200 403 401 401
pin_bundle          401       403      403        200   200 200 200 403 200 200    200    200   403     200 200 200 200 200 401 401
unpin_bundle        401       403      403        200   200 200 200 403 200 200    200    200   403     200 200 200 200 200 401 401
list_versions       401       403      403        200   200 200 200 403 200 200    200    200   403     200 200 200 200 200 401 401
restore_version     401       403      403        200   403 403 200 403 200 403    200    200   403     403 403 200 200 403 401 401
propose_edit        401       403      403        201   403 201 201 403 201 201    201    201   403     403 201 201 201 201 401 401
list_proposals      401       403      403        200   200 200 200 403 200 200    200    200   403     200 200 200 200 200 401 401
list_open_proposals 401       200      200        200   200 200 200 403 200 200    200    200   200     200 200 200 200 200 401 401
get_proposal        401       403      403        200   200 200 200 403 200 200    200    200   403     200 200 200 200 200 401 401
accept_proposal     401       403      403        200   403 403 200 403 200 403    200    200   403     403 403 200 200 403 401 401
reject_proposal     401       403      403        200   403 403 200 403 200 403    200    200   403     403 403 200 200 403 401 401
withdraw_proposal   401       403      403        200   403 200 200 403 200 200    200    200   403     403 200 200 200 200 401 401
preview_policy      401       403      403        200   200 200 200 403 200 200    200    200   403     200 200 200 200 200 401 401
claim_bundle        401       200      200        200   403 403 200 403 200 403    200    200   200     403 403 200 200 403 401 401
list_claims         401       200      200        200   200 200 200 403 200 200    200    200   200     200 200 200 200 200 401 401
get_tabs            200       200      200        200   200 200 200 200 200 200    200    200   200     200 200 200 200 200 401 401
get_insights        401       403      403        200   200 200 200 403 200 200    200    200   403     200 200 200 200 200 401 401
record_event        204       204      204        204   204 204 204 204 204 204    204    204   204     204 204 204 204 204 401 401
report_bundle       204       204      204        204   204 204 204 204 204 204    204    204   204     204 204 204 204 204 401 401
who_am_i            401       200      200        200   200 200 200 200 200 200    200    200   200     200 200 200 200 200 401 401
get_overview        401       200      200        200   200 200 200 403 200 200    200    200   200     200 200 200 200 200 401 401
list_events         401       200      200        200   200 200 200 403 200 200    200    200   200     200 200 200 200 200 401 401
export_data         401       200      200        200   403 403 403 403 200 200    200    200   200     403 403 403 200 403 401 401
list_members        401       404      404        200   403 403 403 403 404 200    200    200   404     403 403 403 200 200 401 401
invite_member       401       404      ·          201   403 403 403 403 404 403    403    201   404     403 403 403 201 403 401 401
revoke_invitation   401       404      404        200   403 403 403 403 404 403    403    200   404     403 403 403 200 403 401 401
update_member       401       404      404        200   403 403 403 403 404 403    403    200   404     403 403 403 200 403 401 401
remove_member       401       404      404        200   403 403 403 403 404 403    403    200   404     403 403 403 200 403 401 401
update_organization 401       404      404        200   403 403 403 403 404 403    403    200   404     403 403 403 200 403 401 401
list_listed         404       404      404        404   404 404 404 404 404 404    404    404   404     404 404 404 404 404 401 401
create_key          401       201      ·          201   403 403 403 403 201 403    403    201   201     403 403 403 201 403 401 401
list_keys           401       200      200        200   403 403 403 403 200 403    403    200   200     403 403 403 200 403 401 401
revoke_key          401       404      404        200   403 403 403 403 200 403    403    200   404     403 403 403 200 403 401 401
rotate_key          401       404      ·          201   403 403 403 403 201 403    403    201   404     403 403 403 201 403 401 401
create_webhook      401       201      ·          201   403 403 403 201 201 403    403    201   201     403 403 403 201 403 401 401
list_webhooks       401       200      200        200   403 403 403 200 200 403    403    200   200     403 403 403 200 403 401 401
update_webhook      401       404      ·          200   403 403 403 200 200 403    403    200   404     403 403 403 200 403 401 401
rotate_webhook_secret 401     404      ·          200   403 403 403 200 200 403    403    200   404     403 403 403 200 403 401 401
delete_webhook      401       404      404        200   403 403 403 200 200 403    403    200   404     403 403 403 200 403 401 401
test_webhook        401       404      404        200   403 403 403 200 200 403    403    200   404     403 403 403 200 403 401 401
list_deliveries     401       404      404        200   403 403 403 200 200 403    403    200   404     403 403 403 200 403 401 401
redeliver           401       404      404        200   403 403 403 200 200 403    403    200   404     403 403 403 200 403 401 401
`

const NAMES: Record<string, string> = {
  r: 'key:read',
  p: 'key:propose',
  w: 'key:write',
  h: 'key:webhooks',
  k: 'key:admin',
  or: 'org key:read',
  op: 'org key:propose',
  ow: 'org key:write',
  ok: 'org key:admin',
  vk: "viewer's key",
  lk: "leaver's key",
  xk: 'revoked key',
}

/** A link that is not looked at, so that nobody waits. */
const UNFIT = 'http://localhost:22/'

/** The data that a caller requests, created anew after each call that may have changed it. */
interface Aim {
  slug: string
  /** Whom the bundle belongs to already, so that only its own side decides: tests/contract/transfers.test.ts has the other. */
  to: object
  token: string
  keyId: number
  /** An open proposal for the bundle, by its maker; to withdraw, by the caller if they may propose. */
  proposalId: string
  webhookId: string
  deliveryId: number
  /** Of the organisation, whoever asks. */
  organizationId: string
  memberId: string
  invitationId: string
}

const NO_AIM: Aim = {
  slug: '',
  to: { type: 'user', userId: 'nobody' },
  token: '',
  keyId: 0,
  proposalId: 'p_0000000000',
  webhookId: '',
  deliveryId: 0,
  organizationId: 'none',
  memberId: 'none',
  invitationId: 'none',
}

/** The input of each operation. A new operation needs a line here, and the test says so. */
const INPUTS: Record<string, (aim: Aim) => Record<string, unknown>> = {
  create_bundle: () => ({ urls: [URL_A] }),
  create_bundles: () => ({ bundles: [{ urls: [URL_A] }] }),
  get_bundle: ({ slug }) => ({ slug }),
  update_bundle: ({ slug }) => ({ slug, title: 'after' }),
  put_bundle: ({ slug }) => ({ externalId: `id of ${slug}`, urls: [URL_A] }),
  update_bundles: ({ slug }) => ({ edits: [{ slug, title: 'after' }] }),
  delete_bundle: ({ slug }) => ({ slug }),
  restore_bundle: ({ slug }) => ({ slug }),
  duplicate_bundle: ({ slug }) => ({ slug }),
  rename_bundle: ({ slug }) => ({ slug, newSlug: `renamed-${slug}` }),
  transfer_bundle: ({ slug, to }) => ({ slug, to }),
  inspect_urls: () => ({ urls: [UNFIT] }),
  list_bundles: () => ({}),
  replace_url: () => ({ from: UNFIT, to: URL_A }),
  pin_bundle: ({ slug }) => ({ slug }),
  unpin_bundle: ({ slug }) => ({ slug }),
  list_versions: ({ slug }) => ({ slug }),
  restore_version: ({ slug }) => ({ slug, versionNumber: 1 }),
  propose_edit: ({ slug }) => ({ slug, title: 'proposed' }),
  list_proposals: ({ slug }) => ({ slug }),
  list_open_proposals: () => ({}),
  get_proposal: ({ slug, proposalId }) => ({ slug, id: proposalId }),
  accept_proposal: ({ slug, proposalId }) => ({ slug, id: proposalId }),
  reject_proposal: ({ slug, proposalId }) => ({ slug, id: proposalId, note: 'no' }),
  withdraw_proposal: ({ slug, proposalId }) => ({ slug, id: proposalId }),
  preview_policy: ({ slug }) => ({ slug, viewer: {} }),
  claim_bundle: ({ token }) => ({ token }),
  list_claims: () => ({}),
  get_tabs: ({ slug }) => ({ slug }),
  get_insights: ({ slug }) => ({ slug }),
  record_event: ({ slug }) => ({ slug, kind: 'open_all' }),
  report_bundle: ({ slug }) => ({ slug, reason: 'phishing' }),
  who_am_i: () => ({}),
  get_overview: () => ({}),
  list_events: () => ({}),
  export_data: () => ({}),
  list_members: ({ organizationId }) => ({ organizationId }),
  invite_member: ({ organizationId }) => ({ organizationId, email: newEmail('invited'), role: 'viewer' }),
  revoke_invitation: ({ organizationId, invitationId }) => ({ organizationId, invitationId }),
  update_member: ({ organizationId, memberId }) => ({ organizationId, userId: memberId, role: 'editor' }),
  remove_member: ({ organizationId, memberId }) => ({ organizationId, userId: memberId }),
  update_organization: ({ organizationId }) => ({ organizationId, name: 'Renamed' }),
  // No start page has this handle: tests/contract/start-page.test.ts says who sees what on one.
  list_listed: ({ organizationId }) => ({ organizationId }),
  create_key: () => ({ name: 'made', scopes: ['links:read'] }),
  list_keys: () => ({}),
  revoke_key: ({ keyId }) => ({ id: keyId }),
  rotate_key: ({ keyId }) => ({ id: keyId }),
  create_webhook: () => ({ url: NOWHERE, events: ['bundle.claimed'] }),
  list_webhooks: () => ({}),
  update_webhook: ({ webhookId }) => ({ webhookId, events: ['bundle.deleted'] }),
  rotate_webhook_secret: ({ webhookId }) => ({ webhookId }),
  delete_webhook: ({ webhookId }) => ({ webhookId }),
  test_webhook: ({ webhookId }) => ({ webhookId }),
  list_deliveries: ({ webhookId }) => ({ webhookId }),
  redeliver: ({ webhookId, deliveryId }) => ({ webhookId, deliveryId }),
}

/** The error codes allowed for each status. */
const CODES: Record<number, string> = { 401: 'UNAUTHORIZED', 403: 'FORBIDDEN', 404: 'NOT_FOUND' }

type Row = Record<string, string>

const [HEAD = '', ...LINES] = MATRIX.trim().split('\n')
const COLUMNS = HEAD.trim()
  .split(/\s+/)
  .map((short) => NAMES[short] ?? short)
const EXPECTED = new Map<string, Row>(
  LINES.map((line) => {
    const [operation = '', ...statuses] = line.trim().split(/\s+/)
    return [operation, Object.fromEntries(COLUMNS.map((name, index) => [name, statuses[index] ?? 'none']))]
  }),
)

/** The row of an operation, without cells that other tests cover. */
function rowOf(operation: string): Row {
  const row = EXPECTED.get(operation)
  if (row === undefined) throw new Error(`${operation} is new: say in the matrix who may call it, and with what`)
  return Object.fromEntries(Object.entries(row).filter(([, status]) => status !== '·'))
}

/** Whether it is open to whoever has a bundle’s link. */
function isForViewers(name: string): boolean {
  return EXPECTED.get(name)?.anonymous?.startsWith('20') === true
}

async function makeAim(
  server: Server,
  { makers, organizationId }: Cast,
  { aims, visitor }: Pick<Caller, 'aims' | 'visitor'>,
  operation: string,
): Promise<Aim> {
  const maker = makers[aims]
  const { slug } = await maker.makeBundle({ title: 'before' })
  const { body } = await maker.api<{ owner: object }>('GET', `/api/links/${slug}`)
  if (operation === 'restore_bundle') await maker.api('DELETE', `/api/links/${slug}`)
  const unclaimed: CreatedBody | null = operation === 'claim_bundle' ? await new Visitor(server).makeBundle() : null
  const spare = /^(?:revoke|rotate)_key$/.test(operation)
    ? await maker.api<{ apiKey: { id: number } }>('POST', '/api/me/keys', { name: 'spare' })
    : null
  const propose = (by: Visitor) =>
    by.api<{ id: string }>('POST', `/api/links/${slug}/proposals`, { title: 'proposed' }, { 'x-client': newAddress() })
  const needsProposal = /^(get|accept|reject|withdraw)_proposal$/.test(operation)
  // Who may propose withdraws their own.
  const own = operation === 'withdraw_proposal' ? await propose(visitor) : null
  const proposal = own?.status === 201 ? own : needsProposal ? await propose(maker) : null
  return {
    slug,
    to: body.owner,
    token: unclaimed?.claimToken ?? '',
    keyId: spare?.body.apiKey.id ?? 0,
    proposalId: proposal?.body.id ?? NO_AIM.proposalId,
    ...(/webhook|deliver/.test(operation) ? await makeWebhook(server, maker) : { webhookId: '', deliveryId: 0 }),
    organizationId,
    ...(await makeMember(server, makers.organization, organizationId, operation)),
  }
}

/** A caller's request for data: the state of the bundle before it, and the answer. */
interface Asked<Answer> {
  readonly aim: Aim
  readonly before: Awaited<ReturnType<typeof stateOf>>
  readonly answer: Answer
}

/**
 * Has one caller after another request data of an operation. Whoever only reads, or is refused, leaves it as it is, which
 * the tests compare, so the next caller gets the same: to make it takes longer than to ask for it.
 */
function aimsOf(server: Server, cast: Cast, { name, route }: { name: string; route: string }) {
  const kept = new Map<Caller['aims'], Aim>()
  return async <Answer>(
    { aims, visitor }: Pick<Caller, 'aims' | 'visitor'>,
    ask: (aim: Aim) => Promise<Answer>,
    isRefused: (answer: Answer) => boolean,
  ): Promise<Asked<Answer>> => {
    const aim = kept.get(aims) ?? (await makeAim(server, cast, { aims, visitor }, name))
    const before = await stateOf(server, aim.slug)
    const answer = await ask(aim)
    const isUnchanged = route.startsWith('GET ') || isRefused(answer)
    // Who may propose withdraws their own proposal.
    if (isUnchanged && name !== 'withdraw_proposal') kept.set(aims, aim)
    else kept.delete(aims)
    return { aim, before, answer }
  }
}

/** A webhook and one of its deliveries. There are few at a time, because a subject may have only ten. */
async function makeWebhook(server: Server, maker: Visitor) {
  await server.sql('DELETE FROM webhooks')
  const events = ['bundle.restored']
  const { body } = await maker.api<{ webhook: { id: string } }>('POST', '/api/me/webhooks', { url: NOWHERE, events })
  const { id: webhookId } = body.webhook
  const tested = await maker.api<{ delivery: { id: number } }>('POST', `/api/me/webhooks/${webhookId}/test`)
  return { webhookId, deliveryId: tested.body.delivery.id }
}

/** Somebody in the organisation, or an invitation into it, for what is about one. */
async function makeMember(server: Server, admin: Visitor, organizationId: string, operation: string) {
  const { memberId, invitationId } = NO_AIM
  const path = `/api/organizations/${organizationId}`
  if (operation === 'revoke_invitation') {
    const invited = { email: newEmail('invited'), role: 'viewer' }
    const { body } = await admin.api<{ invitation: { invitationId: string } }>('POST', `${path}/invitations`, invited)
    return { memberId, invitationId: body.invitation.invitationId }
  }
  if (!/^(update|remove)_member$/.test(operation)) return { memberId, invitationId }
  const person = await newPerson(server)
  await addMember(admin, organizationId, person, 'viewer')
  return { memberId: person.userId, invitationId }
}

/** Calls an operation's route with a flat input. */
function callRoute(visitor: Visitor, route: string, input: Record<string, unknown>) {
  const [method = '', template = ''] = route.split(' ')
  const rest = { ...input }
  const path = template.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = String(rest[name])
    delete rest[name]
    return value
  })
  const hasBody = method !== 'GET' && method !== 'DELETE'
  const query = new URLSearchParams(Object.entries(rest).map(([name, value]) => [name, String(value)]))
  const address = `/api${path}${hasBody || query.size === 0 ? '' : `?${query}`}`
  return visitor.api<{ code?: string; error?: string }>(method, address, hasBody ? rest : undefined, {
    'x-client': newAddress(),
  })
}

/** The state of a bundle that nobody was allowed to change. */
async function stateOf(server: Server, slug: string) {
  const [row] = await server.sql(
    `SELECT title, version_number AS version, deleted_at IS NOT NULL AS isDeleted,
       (SELECT count(*) FROM bundle_versions WHERE bundle_id = bundles.id) AS versions,
       (SELECT group_concat(state) FROM proposals WHERE bundle_id = bundles.id) AS proposals
     FROM bundles WHERE slug = ?`,
    [slug],
  )
  return row
}

test('the matrix has every operation and every caller', () => {
  const names = operations.map(({ name }) => name)
  expect([...EXPECTED.keys()]).toEqual(names)
  expect(Object.keys(INPUTS)).toEqual(names)
})

for (const runtime of RUNTIMES) {
  describe(`on ${runtime}`, () => {
    let server: Server
    let cast: Cast
    beforeAll(async () => {
      server = await startOn({ name: runtime, runtime, store: 'file' }, WITHOUT_LIMITS)
      cast = await gather(server)
    })
    afterAll(async () => {
      await server?.stop()
    })
    const caller = (name: string) => cast.callers.get(name)!

    test.each(operations.map(({ name, route }) => [name, route]))(
      '%s (%s) allows whom the matrix says',
      async (name, route) => {
        const expected = rowOf(name)
        const found: Row = {}
        const request = aimsOf(server, cast, { name, route })
        for (const who of Object.keys(expected)) {
          const { visitor, aims } = caller(who)
          const { aim, before, answer } = await request(
            { visitor, aims },
            (aim) => callRoute(visitor, route, INPUTS[name]!(aim)),
            ({ status }) => status >= 400,
          )
          const { status, body, headers } = answer
          found[who] = String(status)
          if (status < 400) continue
          const scope = scopeOf(operations.find((operation) => operation.name === name)!)
          if (status === 403 && /^key:/.test(who)) expect([who, body.error]).toEqual([who, `needs scope ${scope}`])
          const lacksScope = body.error === `needs scope ${scope}`
          const isInvalid = status === 401 && visitor.always.authorization !== undefined
          const asked = lacksScope
            ? ['error="insufficient_scope"', `error_description="needs scope ${scope}"`, `scope="${scope}"`]
            : isInvalid
              ? ['error="invalid_token"']
              : []
          expect([who, body.code, headers.get('www-authenticate')]).toEqual([
            who,
            CODES[status],
            status === 401 || lacksScope ? challengeOf(server, ...asked) : null,
          ])
          expect([who, await stateOf(server, aim.slug)]).toEqual([who, before])
        }
        expect(found).toEqual(expected)
      },
    )

    test('an invalid key is 401 everywhere, also on public routes, and a cookie sent along does not help', async () => {
      const [one, other] = [caller('key:admin').key!, caller('key:write').key!]
      const mistyped = one.slice(0, -1) + (one.endsWith('A') ? 'B' : 'A')
      const secretOfOther = one.split('.')[0] + other.slice(other.indexOf('.'))
      const owner = caller('owner').visitor
      const nothing = { ...NO_AIM, slug: 'nobody123', webhookId: 'wh_nothing', deliveryId: 1 }
      for (const key of [mistyped, secretOfOther, 'x']) {
        const visitor = new Visitor(server, { authorization: `Bearer ${key}` })
        for (const [name, value] of owner.cookies) visitor.cookies.set(name, value)
        for (const { name, route } of operations) {
          const { status, headers } = await callRoute(visitor, route, INPUTS[name]!(nothing))
          expect([name, status, headers.get('www-authenticate')]).toEqual([
            name,
            401,
            challengeOf(server, 'error="invalid_token"'),
          ])
        }
      }
    })

    test('a key reaches nothing of another subject, even if its minter may; nor does a caller without a role there', async () => {
      const others = { owner: 'organization', organization: 'owner' } as const
      for (const { name, route } of operations) {
        if (!/:slug/.test(route) || isForViewers(name)) continue
        const found: Row = {}
        const rule: Row = {}
        const request = aimsOf(server, cast, { name, route })
        for (const { name: who, aims, visitor } of cast.callers.values()) {
          // The owner is personally an admin of the organisation.
          if (who === 'owner') continue
          const { aim, before, answer } = await request(
            { aims: others[aims], visitor },
            (aim) => callRoute(visitor, route, INPUTS[name]!(aim)),
            ({ status }) => status >= 400,
          )
          found[who] = String(answer.status)
          rule[who] = /^(anonymous|leaver's key|revoked key)$/.test(who) ? '401' : '403'
          expect([name, who, await stateOf(server, aim.slug)]).toEqual([name, who, before])
        }
        expect([name, found]).toEqual([name, rule])
      }
    })

    test('an anonymous bundle must be claimed first: 403 for everybody with a credential', async () => {
      for (const { name, route } of operations) {
        if (!/:slug/.test(route) || isForViewers(name)) continue
        const { slug } = await new Visitor(server).makeBundle()
        for (const { name: who, visitor } of cast.callers.values()) {
          const { status } = await callRoute(visitor, route, INPUTS[name]!({ ...NO_AIM, slug }))
          expect([name, who, status]).toEqual([name, who, /^(anonymous|leaver's|revoked)/.test(who) ? 401 : 403])
        }
      }
    })

    if (runtime === 'bun') {
      /** The status of the route that corresponds to a tool's result. */
      const statusOf = ({ status, body }: Awaited<ReturnType<typeof send>>, success: string) => {
        if (status !== 200) return String(status)
        if (body.result.isError !== true) return success
        const code = String(body.result.structuredContent.code)
        return Object.keys(CODES).find((status) => CODES[Number(status)] === code) ?? code
      }

      const keys = COLUMNS.filter((name) => name.endsWith('key') || name.includes('key:'))

      test('a tool allows the same keys as its route', async () => {
        const all = (await listed('key:admin')).sort()
        expect(all).toEqual(
          [...EXPECTED.keys()]
            .filter((name) => !operations.find((operation) => operation.name === name)?.noTool)
            .filter((name) => !/^(record_event|report_bundle|export_data)$/.test(name))
            .sort(),
        )
        for (const name of all) {
          const row = rowOf(name)
          const expected = Object.fromEntries(keys.map((who) => [who, row[who]!]))
          const found: Row = {}
          const { route } = operations.find((operation) => operation.name === name)!
          const request = aimsOf(server, cast, { name, route })
          for (const who of keys) {
            const { key, aims, visitor } = caller(who)
            const headers = { authorization: `Bearer ${key}` }
            const { answer } = await request(
              { aims, visitor },
              async (aim) => statusOf(await send(server, callOf(name, INPUTS[name]!(aim)), headers), row['key:admin']!),
              (status) => Number(status) >= 400,
            )
            found[who] = answer
          }
          expect([name, found]).toEqual([name, expected])
        }
      })

      test('a key sees the tools that its scopes allow, and no others', async () => {
        // No role restricts the owner's keys, so the matrix's refusals come from their scopes.
        for (const who of ['key:read', 'key:propose', 'key:write', 'key:webhooks', 'key:admin']) {
          const allowed = (await listed('key:admin')).filter((name) => rowOf(name)[who] !== '403')
          expect([who, await listed(who)]).toEqual([who, allowed])
        }
      })

      const listed = async (who: string) => {
        const headers = { authorization: `Bearer ${caller(who).key}` }
        const { body } = await send(server, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)
        return body.result.tools.map(({ name }) => name)
      }
    }
  })
}
