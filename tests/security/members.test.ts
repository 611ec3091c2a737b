import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newEmail, newOrganization, newPerson, type Person, Visitor } from '../people.ts'
import { RUNTIMES, type Server } from '../server.ts'
import { startOn } from '../targets.ts'
import { newAddress, WITHOUT_LIMITS } from './callers.ts'
import { type FoundRoute, routesOf } from './routes.ts'

/**
 * Who may do what with an organisation through better-auth's routes: 1 succeeds, 0 is refused with a 4xx and
 * changes nothing. `key` is an admin's key of the organisation with every scope: these routes accept only sessions. All
 * rows use one organisation, in this order, so destructive ones come last.
 */
const MATRIX = `
                             anonymous stranger viewer editor admin removed key
GET get-organization         0         0        1      1      1     0       0
GET list-members             0         0        1      1      1     0       0
GET get-active-member-role   0         0        1      1      1     0       0
POST set-active              0         0        1      1      1     0       0
POST update                  0         0        0      0      1     0       0
POST invite-member           0         0        0      0      1     0       0
GET get-invitation           0         0        0      0      0     0       0
POST accept-invitation       0         0        0      0      0     0       0
POST reject-invitation       0         0        0      0      0     0       0
POST cancel-invitation       0         0        0      0      1     0       0
POST update-member-role      0         0        0      0      1     0       0
POST remove-member           0         0        0      0      1     0       0
POST delete                  0         0        0      0      1     0       0
`

/** Routes that concern only the caller, or that the tests of invitations and leaving cover. */
const ELSEWHERE =
  /^(create|list|check-slug|has-permission|leave|list-user-invitations|list-invitations|get-full-organization|get-active-member)$/

const PREFIX = '/api/auth/organization/'
const [HEAD = '', ...LINES] = MATRIX.trim().split('\n')
const WHO = HEAD.trim().split(/\s+/)
const ROWS = LINES.map((line) => {
  const [method = '', name = '', ...cells] = line.trim().split(/\s+/)
  return { method, name, expected: Object.fromEntries(WHO.map((who, index) => [who, cells[index]])) }
})

/** Addresses that lead to other sites, in many notations. */
const AWAY = ['https://evil.example/', '//evil.example/', '/\\evil.example/', '\\\\evil.example', 'javascript:pwn()']
const LEADING = ['callbackURL', 'errorCallbackURL', 'newUserCallbackURL', 'redirectTo', 'error', 'error_description']

interface Made {
  id: string
  /** A member who is none of the callers. */
  memberId: string
  userId: string
  invitationId: string
}

for (const runtime of RUNTIMES) {
  describe(`on ${runtime}`, () => {
    let server: Server
    let people: Map<string, Visitor>
    let routes: FoundRoute[]
    let made: Made
    beforeAll(async () => {
      server = await startOn({ name: runtime, runtime, store: 'file' }, WITHOUT_LIMITS)
      const names = ['stranger', 'viewer', 'editor', 'admin', 'removed']
      const arrived = await Promise.all(names.map(async (name) => [name, await newPerson(server)] as const))
      people = new Map<string, Visitor>([['anonymous', new Visitor(server)], ...arrived])
      routes = (await routesOf(server)).filter(({ template }) => template.startsWith('/api/auth/'))
      made = await setUp()
    })
    afterAll(async () => {
      await server?.stop()
    })
    const person = (name: string) => people.get(name) as Person

    /** Creates an organisation with every role, one more member, an invitation, and a key. */
    async function setUp(): Promise<Made> {
      const other = await newPerson(server)
      const admin = person('admin')
      const { id, memberIds } = await newOrganization(admin, [
        [person('viewer'), 'viewer'],
        [person('editor'), 'editor'],
        [person('removed'), 'admin'],
        [other, 'viewer'],
      ])
      const minted = await admin.api<{ rawKey: string }>('POST', '/api/me/keys', {
        name: 'all',
        scopes: ['keys:admin'],
      })
      people.set('key', new Visitor(server, { authorization: `Bearer ${minted.body.rawKey}` }))
      const by = (action: string, fields: object) =>
        admin.api<{ id: string }>('POST', PREFIX + action, { ...fields, organizationId: id })
      await by('remove-member', { memberIdOrEmail: memberIds.get(person('removed')) })
      const invited = await by('invite-member', { email: newEmail(), role: 'viewer' })
      return { id, memberId: memberIds.get(other) ?? '', invitationId: invited.body.id, userId: other.userId }
    }
    const stateOf = ({ id }: Made) =>
      Promise.all(
        [
          'SELECT name, slug FROM organization WHERE id = ?',
          'SELECT user_id, role FROM member WHERE organization_id = ? ORDER BY user_id',
          'SELECT id, status FROM invitation WHERE organization_id = ? ORDER BY id',
        ].map((query) => server.sql(query, [id])),
      )

    async function call(visitor: Visitor, method: string, name: string, made: Made): Promise<Response> {
      const organizationId = made.id
      const headers = { 'content-type': 'application/json', 'x-client': newAddress() }
      if (method === 'GET') {
        const query = new URLSearchParams({ organizationId, userId: made.userId, id: made.invitationId })
        return visitor.fetch(`${PREFIX}${name}?${query}`, { headers })
      }
      const fields: Record<string, object> = {
        update: { data: { name: 'Taken over' } },
        'invite-member': { email: newEmail(), role: 'admin' },
        'cancel-invitation': { invitationId: made.invitationId },
        'accept-invitation': { invitationId: made.invitationId },
        'reject-invitation': { invitationId: made.invitationId },
        'update-member-role': { memberId: made.memberId, role: 'admin' },
        'remove-member': { memberIdOrEmail: made.memberId },
      }
      const body = JSON.stringify({ organizationId, ...fields[name] })
      return visitor.fetch(PREFIX + name, { method, headers, body })
    }

    test('every route of organisations is in the matrix, or is tested elsewhere', () => {
      const names = routes
        .filter(({ template }) => template.startsWith(PREFIX))
        .map(({ method, template }) => ({ method, name: template.slice(PREFIX.length) }))
        .filter(({ name }) => !ELSEWHERE.test(name))
        .map(({ method, name }) => `${method} ${name}`)
      expect(names.sort()).toEqual(ROWS.map(({ method, name }) => `${method} ${name}`).sort())
    })

    test('nobody sees invitations to another address, with or without an account', async () => {
      const [invited] = await server.sql('SELECT email FROM invitation WHERE id = ?', [made.invitationId])
      const email = encodeURIComponent(String(invited?.email))
      for (const who of ['anonymous', 'stranger', 'admin', 'key']) {
        const response = await person(who).fetch(`${PREFIX}list-user-invitations?email=${email}`)
        const text = await response.text()
        expect([who, text.includes(made.invitationId), text.includes(made.id)]).toEqual([who, false, false])
      }
    })

    test('an organisation is visible to its members and changed by its admins', async () => {
      for (const { method, name, expected } of ROWS) {
        const found: Record<string, string> = {}
        for (const who of WHO) {
          const before = await stateOf(made)
          const { status } = await call(person(who), method, name, made)
          found[who] = status === 200 ? '1' : status >= 400 && status < 500 ? '0' : String(status)
          if (found[who] === '0') expect([name, who, await stateOf(made)]).toEqual([name, who, before])
        }
        expect([name, found]).toEqual([name, expected as Record<string, string>])
      }
    })

    test('no route of better-auth redirects to another site, whatever its query says', async () => {
      const led: unknown[] = []
      for (const { method, template } of routes) {
        if (method !== 'GET') continue
        for (const away of AWAY) {
          const query = new URLSearchParams(LEADING.map((name) => [name, away]))
          for (const extra of ['', '&token=x&code=x&state=x']) {
            const path = `${template.replaceAll(/:\w+/g, 'x')}?${query}${extra}`
            const { status, headers } = await person('stranger').fetch(path)
            const to = headers.get('location')
            const isHere = to === null || new URL(to, server.origin).origin === server.origin
            if (!isHere || status >= 500) led.push([path, status, to])
          }
        }
      }
      expect(led).toEqual([])
    })
  })
}
