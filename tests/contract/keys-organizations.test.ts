import { beforeAll, expect, test } from 'bun:test'
import { onEveryTarget } from '../targets.ts'
import { told } from '../told.ts'
import {
  ask,
  type Minted,
  mint,
  newBundle,
  newOrganization,
  newPerson,
  type Organization,
  type Person,
  type Role,
} from './people.ts'
import { START_MS, URL_OK } from './support.ts'

const WRITE = { urls: [URL_OK] }

onEveryTarget({}, (server) => {
  let founder: Person
  let member: Person
  let acme: Organization
  /** A key of the organisation, minted by the member while an admin. */
  let minted: Minted
  beforeAll(async () => {
    founder = await newPerson(server())
    member = await newPerson(server())
    acme = await newOrganization(server(), founder)
    await acme.join(member, 'admin')
    minted = await mint(server(), member, { scopes: ['keys:admin'] })
  }, START_MS)

  const byKey = (line: string, body?: unknown) => ask(server(), line, { key: minted.rawKey, body })
  const whoAmI = () => byKey('GET /api/me')

  /** What each role may do with a key that has every scope; null means allowed. */
  const RIGHTS: Record<Role, (null | 'editor' | 'admin')[]> = {
    viewer: [null, 'editor', 'editor', 'admin', 'admin', 'admin', 'admin'],
    editor: [null, null, null, 'admin', 'admin', 'admin', 'admin'],
    admin: [null, null, null, null, null, null, null],
  }

  test('an organisation’s key acts with its minter’s current role, from the next request on', async () => {
    for (const role of ['viewer', 'editor', 'admin', 'viewer', 'admin'] as const) {
      expect((await whoAmI()).status).toBe(200)
      await acme.change(member, role)
      expect((await whoAmI()).body.role).toBe(role)
      const slug = await newBundle(server(), founder)
      const spare = await mint(server(), founder)
      const answers = [
        await byKey(`GET /api/links/${slug}`),
        await byKey('POST /api/links', WRITE),
        await byKey(`PATCH /api/links/${slug}`, { title: 'by key' }),
        await byKey(`DELETE /api/links/${slug}`),
        await byKey('POST /api/me/keys', { name: 'child' }),
        await byKey('GET /api/me/keys'),
        await byKey(`DELETE /api/me/keys?id=${spare.apiKey.id}`),
      ]
      for (const [index, needed] of RIGHTS[role].entries()) {
        const { status, body } = answers[index]!
        if (needed === null) expect([role, index, status < 300]).toEqual([role, index, true])
        else {
          const error = `needs role ${needed} (you are ${role})`
          expect([role, index, status, body as object]).toEqual([
            role,
            index,
            403,
            { error, code: 'FORBIDDEN', ...told },
          ])
        }
      }
    }
  })

  test('when its minter leaves, the key is 401 at once, and stays in the list for others to revoke', async () => {
    const leaver = await newPerson(server())
    await acme.join(leaver, 'admin')
    const { apiKey, rawKey: key } = await mint(server(), leaver)
    expect((await ask(server(), 'GET /api/me', { key })).status).toBe(200)
    await acme.remove(leaver)
    expect((await ask(server(), 'GET /api/me', { key })).status).toBe(401)
    const { apiKeys } = (await ask(server(), 'GET /api/me/keys', { cookie: founder.cookie })).body
    expect(apiKeys.find(({ id }) => id === apiKey.id)?.revokedAt).toBeNull()
    const revoked = await ask(server(), `DELETE /api/me/keys?id=${apiKey.id}`, { cookie: founder.cookie })
    expect([revoked.status, revoked.body.apiKey.revokedAt === null]).toEqual([200, false])
    await acme.join(leaver, 'admin')
    expect((await ask(server(), 'GET /api/me', { key })).status).toBe(401)
  })
})
