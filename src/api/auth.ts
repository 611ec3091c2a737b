import { Elysia } from 'elysia'
import pLimit from 'p-limit'
import { accountDisabled } from '../accounts/disabling.ts'
import { noNewAccount, refuseSwitchedOff } from '../accounts/sign-up-policy.ts'
import type { Issue } from '../core/issue.ts'
import { invalid, Problem, unknownUrl } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { CONTROLS, MAX_EMAIL, unfit } from '../core/text.ts'
import { joinList } from '../core/words.ts'
import { readPlainJson } from '../http/body.ts'
import { refuseOtherSites } from '../http/client.ts'
import { deviceOf } from '../identity/devices.ts'
import { countForPerson } from '../limits/count-requests.ts'
import { toServiceResponse } from './auth-answer.ts'
import { countCall, withinLimits } from './auth-limits.ts'
import { SIGN_IN, SIGN_UP, signIn, signUp } from './auth-password.ts'
import { sender } from './auth-send.ts'
import { refuseMethod } from './json.ts'

const MAX_METADATA = 2048

/** Maximum lengths in characters: these texts are read with every session, shown and mailed. */
const BOUNDS = { name: 100, slug: 100, image: 2048, logo: 2048, email: MAX_EMAIL }

/** Null takes them away. */
const NULLABLE = ['image', 'logo']

/**
 * Refuses texts that better-auth would store at any length.
 * @throws Problem BAD_REQUEST.
 */
export function refuseUnfit(sent: unknown): void {
  const { data, ...fields } = (sent ?? {}) as Record<string, unknown>
  // Updates of an organisation have the fields in `data`.
  const issues = [...issuesIn(fields), ...issuesIn((data ?? {}) as Record<string, unknown>)]
  if (issues.length > 0) throw invalid(issues)
}

function issuesIn({ metadata, ...fields }: Record<string, unknown>): Issue[] {
  const issues = Object.entries(BOUNDS).flatMap(([field, max]): Issue[] => {
    const text = fields[field]
    if (typeof text !== 'string') {
      // better-auth stores a number in their place, and fails for anything else.
      const isRefused = text !== undefined && field !== 'email' && !(text === null && NULLABLE.includes(field))
      return isRefused ? [{ path: [field], reason: { code: 'type', expected: 'a string' } }] : []
    }
    const isLink = field === 'name' && hasLink(text)
    const reason = unfit(text, max, CONTROLS) ?? (isLink ? ({ code: 'link_in_name' } as const) : null)
    return reason === null ? [] : [{ path: [field], reason }]
  })
  if (metadata === undefined || JSON.stringify(metadata).length <= MAX_METADATA) return issues
  return [...issues, { path: ['metadata'], reason: { code: 'metadata_too_large', max: MAX_METADATA } }]
}

/**
 * Refuses a provider's token from the client: it may have been issued to another client or for another purpose. Sign-in
 * only goes by the provider's redirect.
 * @throws Problem BAD_REQUEST.
 */
function refuseIdToken(sent: unknown): void {
  if ((sent as { idToken?: unknown } | null | undefined)?.idToken === undefined) return
  throw new Problem('BAD_REQUEST', 'idToken is not accepted: send people to the `url` of the answer instead')
}

const LIST_MEMBERS = '/organization/list-members'
const MEMBER_FIELDS = ['id', 'userId', 'organizationId', 'role', 'createdAt']

/** Refuses columns that members do not have: better-auth passes any name to the database. @throws Problem BAD_REQUEST. */
function refuseUnknownColumns(query: URLSearchParams): void {
  const issues = ['sortBy', 'filterField'].flatMap((field): Issue[] => {
    const column = query.get(field)
    if (column === null || MEMBER_FIELDS.includes(column)) return []
    return [{ path: [field], reason: { code: 'type', expected: joinList(MEMBER_FIELDS, 'or') } }]
  })
  if (issues.length > 0) throw invalid(issues)
}

const UPDATE_ORGANIZATION = '/organization/update'
const ORGANIZATION_FIELDS = ['name', 'slug', 'logo', 'metadata']

/** Refuses an update without a field, for which better-auth writes SQL without a value. @throws Problem BAD_REQUEST. */
function refuseNoChange(sent: unknown): void {
  const { data } = (sent ?? {}) as { data?: unknown }
  const isChange = ORGANIZATION_FIELDS.some((field) => Object.hasOwn(Object(data), field))
  if (!isChange) throw invalid([{ path: ['data'], reason: { code: 'no_change' } }])
}

/** Calls that count as writes of the signed-in person. Switching the organisation does not. */
const WRITES = /^\/(organization\/(?!set-active(\/|$))|update-user(\/|$))/

const CREATE_ORGANIZATION = '/organization/create'
/** Serialised: better-auth counts a person's organisations before it inserts one more. */
const founding = pLimit(1)

const CHANGES_MEMBERS = /^\/(organization|delete-user)(\/|$)/

/**
 * The routes of better-auth that are served. Omits those that nothing uses, and those that change something by GET
 * (`/verify-email`, `/magic-link/verify`), which our pages do by POST.
 */
const SERVED = new Map<string, 'GET' | 'POST'>([
  ...[
    ...['/get-session', '/list-sessions', '/list-accounts', '/callback/oidc', '/error'],
    ...[
      'list',
      'get-organization',
      'get-full-organization',
      'get-invitation',
      'list-invitations',
      'list-user-invitations',
    ]
      .concat('list-members', 'get-active-member', 'get-active-member-role')
      .map((name) => `/organization/${name}`),
  ].map((path) => [path, 'GET'] as const),
  ...[
    ...[SIGN_UP, SIGN_IN, '/sign-in/magic-link', '/sign-in/social', '/sign-out', '/send-verification-email'],
    ...[
      '/request-password-reset',
      '/reset-password',
      '/change-password',
      '/verify-password',
      '/update-user',
      '/delete-user',
    ],
    ...['/revoke-session', '/revoke-sessions', '/revoke-other-sessions'],
    ...['create', 'update', 'delete', 'set-active', 'leave', 'remove-member', 'update-member-role', 'check-slug']
      .concat('invite-member', 'cancel-invitation', 'accept-invitation', 'reject-invitation')
      .map((name) => `/organization/${name}`),
  ].map((path) => [path, 'POST'] as const),
])

/** better-auth's routes with our error format, limits and headers. */
export function authRoutes(service: Service) {
  return new Elysia().all(
    '/api/auth/*',
    async ({ request }) => {
      const { pathname, search } = new URL(request.url)
      const path = pathname.slice('/api/auth'.length)
      const method = SERVED.get(path)
      if (method === undefined) throw unknownUrl()
      if (request.method !== method) refuseMethod([method])
      const answer = await authenticate(request, service, path + search, () => readAuthBody(request))
      if (answer instanceof Problem) throw answer
      return answer
    },
    { parse: 'none' },
  )
}

/**
 * Makes one call of better-auth for a request; pages use it too.
 * @param to the path and query below `/api/auth`.
 * @returns the answer, or better-auth’s refusal.
 * @throws Problem RATE_LIMITED; FORBIDDEN for a cross-site request; what `refuseSwitchedOff` throws.
 */
export async function authenticate(
  request: Request,
  service: Service,
  to: string,
  body: () => unknown,
): Promise<Response | Problem> {
  const { config } = service
  const [path = ''] = to.split('?')
  const isUnsafe = request.method === 'POST'
  if (isUnsafe) refuseOtherSites(request, config)
  await countCall(path, request, service)
  refuseSwitchedOff(path, config)
  if (isUnsafe && WRITES.test(path)) {
    const session = await service.readSession(request.headers)
    if (session !== null) await countForPerson(service, 'writes', session.userId)
  }
  const sent = isUnsafe ? await body() : undefined
  if (isUnsafe) refuseUnfit(sent)
  if (path === '/sign-in/social') refuseIdToken(sent)
  if (path === UPDATE_ORGANIZATION) refuseNoChange(sent)
  if (path === LIST_MEMBERS) refuseUnknownColumns(new URLSearchParams(to.slice(path.length)))
  const send = await sender(request, service)
  const make = () =>
    path === SIGN_UP
      ? signUp(send, sent, request, service)
      : path === SIGN_IN
        ? signIn(send, sent, service, (email) => deviceOf(request.headers, email, config)?.isOwners === false)
        : send(isUnsafe ? 'POST' : 'GET', to, sent)
  const inTurn = () => (path === CREATE_ORGANIZATION ? founding(make) : make())
  const response = await withinLimits({ path, sent, request, service }, inTurn)
  // Keys act with their minter's current role, which may just have changed.
  if (isUnsafe && response.ok && CHANGES_MEMBERS.test(path)) await service.keyRing.forget()
  return toServiceResponse(response, service)
}

/**
 * Signs in by a mailed link, which also verifies the address.
 * @returns the answer, or null if the link no longer works.
 * @throws Problem RATE_LIMITED; ACCOUNT_DISABLED; SIGN_UP_CLOSED or INVITATION_REQUIRED if the link would create an account
 * and sign-up has been restricted since.
 */
export async function signInByLink(request: Request, service: Service, token: string): Promise<Response | null> {
  await countCall('/magic-link/verify', request, service)
  const send = await sender(request, service)
  const response = await send('GET', `/magic-link/verify?${new URLSearchParams({ token })}`)
  // Without a callback URL it answers with JSON, and redirects only on errors.
  if (response.ok) return (await toServiceResponse(response, service)) as Response
  // Refused by our own check of whoever the link signs in, as opposed to the link.
  if (response.status === 403) throw accountDisabled()
  const { signUp } = service.config
  const error = new URL(response.headers.get('location') ?? '/', service.config.origin).searchParams.get('error')
  if (signUp !== 'open' && error === noNewAccount(signUp).code) throw noNewAccount(signUp)
  return null
}

async function readAuthBody(request: Request): Promise<unknown> {
  const isEmpty = request.body === null || request.headers.get('content-length') === '0'
  return isEmpty ? {} : readPlainJson(request)
}

/**
 * Text that mail programs turn into a link. Names of people and organisations must not contain it, because mails quote
 * them.
 */
const LINK = /:\/\/|\bwww\.|[\p{L}\p{N}-]\.\p{L}{2,}(?:[/?#]|:\d)/iu

/** Whether a mail program would turn part of a name into a link. A plain `Example.com` may be an organisation’s name. */
function hasLink(name: string): boolean {
  return LINK.test(name.normalize('NFKC'))
}
