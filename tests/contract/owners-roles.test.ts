import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  actFor,
  arriveByMail,
  type CreatedBody,
  newOrganization,
  newPerson,
  type Person,
  URL_A,
  Visitor,
} from '../people.ts'
import { onEveryTarget } from '../targets.ts'

/**
 * Who may do what, one test per cell. The bundle belongs to an organisation, and viewer, editor and
 * admin are members who act for it. `owner` has their own bundle, `removed` was an editor of the organisation, and
 * `unclaimed` is a signed-in person with an anonymous bundle.
 */
const MATRIX = `
                                         anonymous  stranger  viewer  editor  admin  owner  removed  unclaimed
POST   /api/links                        201        201       403     201     201    201    201      201
GET    /api/links/:slug                  401        403       200     200     200    200    403      403
PATCH  /api/links/:slug                  401        403       403     200     200    200    403      403
DELETE /api/links/:slug                  401        403       403     403     200    200    403      403
POST   /api/links/:slug/restore          401        403       403     403     200    200    403      403
GET    /api/links/:slug/versions         401        403       200     200     200    200    403      403
POST   /api/links/:slug/versions/1/restore  401     403       403     200     200    200    403      403
POST   /api/links/:slug/events           204        204       204     204     204    204    204      204
GET    /l/:slug                          200        200       200     200     200    200    200      200
GET    /api/me                           401        200       200     200     200    200    200      200
GET    /api/me/links                     401        200       200     200     200    200    200      200
GET    /api/me/claims                    401        200       200     200     200    200    200      200
POST   /api/claims                       401        200       403     200     200    200    200      200
GET    /claim/:token                     200        200       200     200     200    200    200      200
POST   /claim/:token                     401        303       403     303     303    303    303      303
GET    /claims                           303        200       200     200     200    200    200      200
POST   /claims                           401        404       404     404     404    404    404      404
`

/** Members keep these rights while they act for themselves: the organisation's bundles stay in reach. */
const WHICHEVER_SUBJECT_IS_ACTIVE = `
                                         viewer  editor  admin
GET    /api/links/:slug                  200     200     200
PATCH  /api/links/:slug                  403     200     200
DELETE /api/links/:slug                  403     403     200
POST   /api/links/:slug/restore          403     403     200
GET    /api/links/:slug/versions         200     200     200
POST   /api/links/:slug/versions/1/restore  403  200     200
POST   /api/links                        201     201     201
POST   /api/claims                       200     200     200
`

interface Cell {
  method: string
  path: string
  who: string
  status: number
}

function cells(table: string): Cell[] {
  const [head = '', ...rows] = table.trim().split('\n')
  const people = head.trim().split(/\s+/)
  return rows.flatMap((row) => {
    const [method = '', path = '', ...statuses] = row.trim().split(/\s+/)
    return people.map((who, index) => ({ method, path, who, status: Number(statuses[index]) }))
  })
}

/** What a refusal must mention, by who is refused. */
const MISSING: Record<string, RegExp> = {
  stranger: /you do not own this bundle/,
  removed: /you do not own this bundle/,
  unclaimed: /claim it first/,
  viewer: /needs role (editor|admin) \(you are viewer\)/,
  editor: /needs role admin \(you are editor\)/,
}

const BODIES: Record<string, (made: { slug: string; token: string }) => unknown> = {
  'POST /api/links': () => ({ urls: [URL_A] }),
  'PATCH /api/links/:slug': () => ({ title: 'changed' }),
  'POST /api/links/:slug/events': () => ({ kind: 'open_all' }),
  'POST /api/claims': ({ token }) => ({ token }),
}

let counted = 0
afterAll(() => console.log(`role matrix: ${counted} cells`))

onEveryTarget({ SERVICE_PLAN_FREE_MAX_BUNDLES: '100000' }, (at) => {
  const people = new Map<string, Visitor>()
  let organizationId: string
  /** The admin in another browser, who creates the organisation's bundles independently of the first browser's subject. */
  let makes: Visitor

  beforeAll(async () => {
    const server = at()
    people.set('anonymous', new Visitor(server))
    const names = ['stranger', 'viewer', 'editor', 'admin', 'owner', 'removed', 'unclaimed']
    await Promise.all(names.map(async (name) => people.set(name, await newPerson(server))))
    const person = (name: string) => people.get(name) as Person
    const members = (['viewer', 'editor'] as const).map((role) => [person(role), role] as const)
    const { id, memberIds } = await newOrganization(person('admin'), [...members, [person('removed'), 'editor']])
    organizationId = id
    makes = await arriveByMail(server, person('admin').email)
    await actFor(makes, id)
    await actFor(person('removed'), id)
    await person('admin').api('POST', '/api/auth/organization/remove-member', {
      memberIdOrEmail: memberIds.get(person('removed')),
      organizationId,
    })
  })

  const who = (name: string) => people.get(name) as Person

  async function act({ method, path, who: name }: Cell) {
    const maker = { owner: who('owner'), unclaimed: who('anonymous') }[name] ?? makes
    const { slug } = await maker.makeBundle({ title: 'before' })
    if (path.endsWith('/:slug/restore') && name !== 'unclaimed') await maker.api('DELETE', `/api/links/${slug}`)
    const unclaimed: CreatedBody = await who('anonymous').makeBundle()
    const route = path.replace(':slug', slug).replace(':token', unclaimed.claimToken)
    const isForm = method === 'POST' && !path.startsWith('/api/')
    const body = BODIES[`${method} ${path}`]?.({ slug, token: unclaimed.claimToken })
    const response = isForm
      ? await who(name).form(route, { slug: unclaimed.slug })
      : await who(name).fetch(route, {
          method,
          ...(body === undefined
            ? {}
            : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
        })
    return { status: response.status, text: await response.text(), slug, maker }
  }

  async function check(cell: Cell) {
    counted += 1
    const { status, text, slug, maker } = await act(cell)
    expect(status).toBe(cell.status)
    if (!cell.path.startsWith('/api/')) return
    if (status === 401) expect(JSON.parse(text).code).toBe('UNAUTHORIZED')
    if (status !== 403) return
    expect(JSON.parse(text).code).toBe('FORBIDDEN')
    expect(JSON.parse(text).error).toMatch(MISSING[cell.who] ?? /never/)
    // A refused request has changed nothing.
    if (cell.path.endsWith('/:slug/restore') || cell.who === 'unclaimed') return
    const { headers, body } = await maker.api('GET', `/api/links/${slug}`)
    expect([headers.get('etag'), body.title]).toEqual(['"v1"', 'before'])
  }

  describe('acting for the organisation', () => {
    beforeAll(async () => {
      for (const role of ['viewer', 'editor', 'admin']) await actFor(who(role), organizationId)
    })
    for (const cell of cells(MATRIX)) {
      test(`${cell.method} ${cell.path} by ${cell.who} is ${cell.status}`, () => check(cell))
    }
  })

  describe('acting for themselves', () => {
    beforeAll(async () => {
      for (const role of ['viewer', 'editor', 'admin']) await actFor(who(role), null)
    })
    for (const cell of cells(WHICHEVER_SUBJECT_IS_ACTIVE)) {
      test(`${cell.method} ${cell.path} by ${cell.who} is ${cell.status}`, () => check(cell))
    }
  })
})
