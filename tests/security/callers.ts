import { actFor, newOrganization, newPerson, type Person, signUp, Visitor } from '../people.ts'
import type { Server } from '../server.ts'

/** Lifts limits that these tests would reach, and which other tests cover. */
export const WITHOUT_LIMITS = {
  SERVICE_PLAN_FREE_MAX_BUNDLES: '100000',
  SERVICE_WRITES_PER_MINUTE: '0',
  SERVICE_WRITES_PER_HOUR: '0',
  SERVICE_READS_PER_MINUTE: '0',
  SERVICE_CLIENT_IP_HEADER: 'x-client',
  SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true',
}

let addresses = 0

/** An unused client address, for limits by address. */
export function newAddress(): string {
  addresses += 1
  return `198.18.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`
}

/** A person or program that sends requests with a session cookie, a key, or nothing. */
export interface Caller {
  name: string
  visitor: Visitor
  /** Whose data it requests. */
  aims: 'owner' | 'organization'
  /** The text of its key, if it has one. */
  key?: string
}

/** Callers with every role, scope and credential, lost ones included. `owner` and `admin` create the requested data. */
export interface Cast {
  callers: ReadonlyMap<string, Caller>
  /** Who creates the data for each aim. */
  makers: Readonly<Record<Caller['aims'], Visitor>>
  organizationId: string
}

/** Creates a key for the subject that `by` acts for. */
async function mint(by: Visitor, scope: string): Promise<string> {
  return (await by.mint({ scopes: [scope], rateLimitPerHour: 0 })).rawKey
}

/** Creates a key of an organisation with every scope, through an admin who otherwise acts for themselves. */
async function mintFor(by: Visitor, organizationId: string): Promise<string> {
  await actFor(by, organizationId)
  const key = await mint(by, 'keys:admin')
  await actFor(by, null)
  return key
}

/** Creates all callers on a server. */
export async function gather(server: Server): Promise<Cast> {
  const [stranger, owner, viewer, editor, admin, removed, demoted] = (await Promise.all(
    Array.from({ length: 7 }, () => newPerson(server)),
  )) as [Person, Person, Person, Person, Person, Person, Person]
  const unverified = await signUp(server)
  const { id: organizationId, memberIds } = await newOrganization(admin, [
    [viewer, 'viewer'],
    [editor, 'editor'],
    [removed, 'admin'],
    [demoted, 'admin'],
    // The owner is also an admin of the organisation, so that keys can be shown not to reach all that their minter does.
    [owner, 'admin'],
  ])
  for (const member of [viewer, editor, admin, removed, demoted]) await actFor(member, organizationId)
  const keys = {
    'key:read': await mint(owner, 'links:read'),
    'key:propose': await mint(owner, 'links:propose'),
    'key:write': await mint(owner, 'links:write'),
    'key:webhooks': await mint(owner, 'webhooks:write'),
    'key:admin': await mint(owner, 'keys:admin'),
    'org key:read': await mint(admin, 'links:read'),
    'org key:propose': await mint(admin, 'links:propose'),
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
    organizationId,
  }
}
