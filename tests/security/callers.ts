import { actFor, arrive, organize, type Person, signUp, Visitor } from '../people.ts'
import type { Server } from '../server.ts'

/** Limits that other tests hold: whoever tries everything as everybody would meet them. */
export const WITHOUT_LIMITS = {
  SERVICE_PLAN_FREE_MAX_BUNDLES: '100000',
  SERVICE_WRITES_PER_MINUTE: '0',
  SERVICE_WRITES_PER_HOUR: '0',
  SERVICE_CLIENT_IP_HEADER: 'x-client',
}

let addresses = 0

/** A client address that nobody has used, for what is counted by address. */
export function newAddress(): string {
  addresses += 1
  return `198.18.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`
}

/** Somebody, or a program, that calls: with a session's cookie, a key, or nothing. */
export interface Caller {
  name: string
  visitor: Visitor
  /** Whose things it calls for: those of the owner or of the organisation. */
  aims: 'owner' | 'organization'
  /** Its key's text, where it has one. */
  key?: string
}

/** Roles, scopes and credentials, and who has lost theirs. `owner` and `admin` make what the others call for. */
export interface Cast {
  callers: ReadonlyMap<string, Caller>
  /** Makes things for those who aim at the owner's, and for those who aim at the organisation's. */
  makers: Readonly<Record<Caller['aims'], Visitor>>
}

/** A key of whomever somebody acts for. */
async function mint(by: Visitor, scope: string): Promise<string> {
  const wishes = { name: scope, scopes: [scope], rateLimitPerHour: 0 }
  const { status, body } = await by.api<{ rawKey: string }>('POST', '/api/me/keys', wishes)
  if (status !== 201) throw new Error(`no key was minted: ${status} ${JSON.stringify(body)}`)
  return body.rawKey
}

/** A key with every scope of an organisation, by an admin who acts for themselves otherwise. */
async function mintFor(by: Visitor, organizationId: string): Promise<string> {
  await actFor(by, organizationId)
  const key = await mint(by, 'keys:admin')
  await actFor(by, null)
  return key
}

/** Everybody there is to be, on one server. */
export async function gather(server: Server): Promise<Cast> {
  const [stranger, owner, viewer, editor, admin, removed, demoted] = (await Promise.all(
    Array.from({ length: 7 }, () => arrive(server)),
  )) as [Person, Person, Person, Person, Person, Person, Person]
  const unverified = await signUp(server)
  const { id: organizationId, memberIds } = await organize(admin, [
    [viewer, 'viewer'],
    [editor, 'editor'],
    [removed, 'admin'],
    [demoted, 'admin'],
    // So that a key must not reach all that its minter does: the owner's not the organisation's, nor the other way round.
    [owner, 'admin'],
  ])
  for (const member of [viewer, editor, admin, removed, demoted]) await actFor(member, organizationId)
  const keys = {
    'key:read': await mint(owner, 'links:read'),
    'key:write': await mint(owner, 'links:write'),
    'key:admin': await mint(owner, 'keys:admin'),
    'org key:read': await mint(admin, 'links:read'),
    'org key:write': await mint(admin, 'links:write'),
    'org key:admin': await mintFor(owner, organizationId),
    "viewer's key": await mint(demoted, 'keys:admin'),
    "leaver's key": await mint(removed, 'keys:admin'),
    'revoked key': await mint(owner, 'keys:admin'),
  }
  const { body } = await owner.api<{ apiKeys: { id: number }[] }>('GET', '/api/me/keys')
  await owner.api('DELETE', `/api/me/keys?id=${body.apiKeys[0]?.id}`)
  const change = (line: string, fields: object) =>
    admin.api('POST', `/api/auth/organization/${line}`, { ...fields, organizationId })
  await change('update-member-role', { memberId: memberIds.get(demoted), role: 'viewer' })
  await change('remove-member', { memberIdOrEmail: memberIds.get(removed) })

  const people: [string, Visitor, Caller['aims']][] = [
    ['anonymous', new Visitor(server), 'owner'],
    ['stranger', stranger, 'owner'],
    ['unverified', unverified, 'owner'],
    ['owner', owner, 'owner'],
    ['viewer', viewer, 'organization'],
    ['editor', editor, 'organization'],
    ['admin', admin, 'organization'],
    ['removed', removed, 'organization'],
  ]
  const callers: Caller[] = people.map(([name, visitor, aims]) => ({ name, visitor, aims }))
  for (const [name, key] of Object.entries(keys)) {
    const aims = /^(key|revoked)/.test(name) ? 'owner' : 'organization'
    callers.push({ name, aims, key, visitor: new Visitor(server, { authorization: `Bearer ${key}` }) })
  }
  return {
    callers: new Map(callers.map((caller) => [caller.name, caller])),
    makers: { owner, organization: admin },
  }
}
