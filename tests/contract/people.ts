import { randomUUID } from 'node:crypto'
import { newPerson as arrive, linkIn, mailTo } from '../people.ts'
import type { Server } from '../server.ts'

type Scope = 'links:read' | 'links:propose' | 'links:write' | 'webhooks:write' | 'keys:admin'
export type Role = 'viewer' | 'editor' | 'admin'

/** A key in the API. */
export interface ApiKey {
  id: number
  name: string
  scope: string
  scopes: Scope[]
  keyPrefix: string
  rateLimitPerHour: number
  createdAt: string
  lastUsedAt: string | null
  revokedAt: string | null
  expiresAt?: string
  allowedNetworks?: string[]
  replacedBy?: number
}

/** Fields that an answer's JSON may have; a missing one reads as undefined. */
interface Reply {
  error: string
  code: string
  retryAfterSeconds: number
  slug: string
  range: { from: string; to: string }
  apiKey: ApiKey
  apiKeys: ApiKey[]
  rawKey: string
  warning: string
  subject: { type: string; userId?: string; organizationId?: string }
  role: Role
  scopes: Scope[]
  user: { id: string }
  id: string
  invitation: { id: string }
  members: { id: string; userId: string }[]
}

export interface Answered {
  status: number
  headers: Headers
  body: Reply
}

interface Sending {
  cookie?: string
  key?: string
  body?: unknown
  headers?: Record<string, string>
}

/** One request such as `POST /api/links`, with a session's cookie, a key, or neither. */
export async function ask({ origin }: Server, line: string, sending: Sending = {}): Promise<Answered> {
  const [method = 'GET', path = '/'] = line.split(' ')
  const { cookie, key, body, headers = {} } = sending
  const answer = await fetch(origin + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(cookie === undefined ? {} : { cookie }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false
  return { status: answer.status, headers: answer.headers, body: (isJson ? JSON.parse(text) : {}) as Reply }
}

/** `ask` for a request that must succeed. @returns the body. */
async function askOk(server: Server, line: string, sending: Sending): Promise<Reply> {
  const { status, body } = await ask(server, line, sending)
  if (status >= 300) throw new Error(`${line} gave ${status} ${JSON.stringify(body)}`)
  return body
}

export interface Person {
  userId: string
  email: string
  cookie: string
}

export const PASSWORD = 'correct horse battery'

/** A new person, signed in. */
export async function newPerson(server: Server): Promise<Person> {
  const { userId, email, cookies } = await arrive(server)
  return { userId, email, cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
}

/** A new person with a password, signed in. */
export async function signUp(server: Server, headers: Record<string, string> = {}): Promise<Person> {
  const email = `${randomUUID()}@people.example`
  const {
    status,
    headers: sent,
    body,
  } = await ask(server, 'POST /api/auth/sign-up/email', {
    headers,
    body: { email, password: PASSWORD },
  })
  if (status !== 200) throw new Error(`sign-up gave ${status} ${JSON.stringify(body)}`)
  return {
    userId: body.user.id,
    email,
    cookie: sent
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; '),
  }
}

/** Confirms the address of a person who signed up, like the button of the mailed page. */
export async function confirm(server: Server, { email, cookie }: Person): Promise<void> {
  const link = linkIn(await mailTo(server, email, 'Confirm your address'))
  const { status } = await fetch(link, { method: 'POST', headers: { cookie }, body: new URLSearchParams() })
  if (status !== 200) throw new Error(`an address was not confirmed: ${status}`)
}

export interface Minted {
  apiKey: ApiKey
  rawKey: string
}

/** Creates a key for the subject that `by` acts for. */
export async function mint(server: Server, by: { cookie: string }, wishes: Partial<ApiKey> = {}): Promise<Minted> {
  return askOk(server, 'POST /api/me/keys', { cookie: by.cookie, body: { name: 'a key', ...wishes } })
}

export function revoke(server: Server, by: { cookie: string }, id: number): Promise<Reply> {
  return askOk(server, `DELETE /api/me/keys?id=${id}`, { cookie: by.cookie })
}

/** Creates a bundle for the subject that the credential acts for. @returns its slug. */
export async function newBundle(server: Server, credential: { cookie?: string; key?: string }): Promise<string> {
  const body = { urls: ['https://a.example/'] }
  return (await askOk(server, 'POST /api/links', { ...credential, body })).slug
}

export interface Organization {
  id: string
  /** Makes a person a member, who then acts for the organisation. */
  join(person: Person, role: Role): Promise<void>
  change(person: Person, role: Role): Promise<void>
  remove(person: Person): Promise<void>
}

/** Creates an organisation, for which its founder acts from now on. */
export async function newOrganization(server: Server, founder: Person): Promise<Organization> {
  const by = (line: string, body: unknown) => askOk(server, line, { cookie: founder.cookie, body })
  const { id } = await by('POST /api/auth/organization/create', { name: 'Acme', slug: `acme-${randomUUID()}` })
  const activate = (cookie: string) =>
    askOk(server, 'POST /api/auth/organization/set-active', { cookie, body: { organizationId: id } })
  await activate(founder.cookie)
  const idOf = async ({ userId }: Person) => {
    const line = `GET /api/auth/organization/get-full-organization?organizationId=${id}`
    const { members } = await askOk(server, line, { cookie: founder.cookie })
    return members.find((member) => member.userId === userId)?.id
  }
  return {
    id,
    async join({ email, cookie }, role) {
      const invited = await by('POST /api/auth/organization/invite-member', { email, role, organizationId: id })
      await askOk(server, 'POST /api/auth/organization/accept-invitation', {
        cookie,
        body: { invitationId: invited.id },
      })
      await activate(cookie)
    },
    async change(person, role) {
      const body = { memberId: await idOf(person), role, organizationId: id }
      await by('POST /api/auth/organization/update-member-role', body)
    },
    async remove(person) {
      const body = { memberIdOrEmail: await idOf(person), organizationId: id }
      await by('POST /api/auth/organization/remove-member', body)
    },
  }
}
