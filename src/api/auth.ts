import { Elysia } from 'elysia'
import pLimit from 'p-limit'
import { type Attempt, withGuessLimit } from '../accounts/brute-force.ts'
import { accountDisabled } from '../accounts/disabling.ts'
import { MAX_NAME, unfitName } from '../accounts/operations.ts'
import { refusalOf } from '../accounts/refusals.ts'
import { noNewAccount, refuseSwitchedOff } from '../accounts/sign-up-policy.ts'
import type { Issue } from '../core/issue.ts'
import { invalid, Problem, unknownUrl } from '../core/problem.ts'
import { routes } from '../core/routes.ts'
import type { Service } from '../core/service.ts'
import { CONTROLS, MAX_EMAIL, unfit } from '../core/text.ts'
import { joinList } from '../core/words.ts'
import { readPlainJson } from '../http/body.ts'
import { clientAddress, clientNetwork, refuseOtherSites } from '../http/request.ts'
import { headersWith, JSON_TYPE } from '../http/respond.ts'
import { fromZod } from '../http/zod-issues.ts'
import { deviceOf } from '../identity/devices.ts'
import { withRealEmails } from '../identity/enumeration.ts'
import { withHashQueue } from '../identity/passwords.ts'
import { countForAddress, countForPerson, network, widerNetwork } from '../limits/rate-limits.ts'
import { MAILS, withMailCounted } from '../mail/limits.ts'
import { SIGN_IN, SIGN_UP, sender, signIn, signUp } from './auth-password.ts'
import { refuseMethod } from './json.ts'

const MAX_METADATA = 2048

/** Maximum lengths in characters: these texts are read with every session, shown and mailed. */
const BOUNDS = { name: MAX_NAME, slug: 100, image: 2048, logo: 2048, email: MAX_EMAIL }

/** Fields that null removes. */
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
      // better-auth would store a number, and fail for anything else.
      const isRefused = text !== undefined && field !== 'email' && !(text === null && NULLABLE.includes(field))
      return isRefused ? [{ path: [field], reason: { code: 'type', expected: 'a string' } }] : []
    }
    const reason = field === 'name' ? unfitName(text) : unfit(text, max, CONTROLS)
    return reason === null ? [] : [{ path: [field], reason }]
  })
  if (metadata === undefined || JSON.stringify(metadata).length <= MAX_METADATA) return issues
  return [...issues, { path: ['metadata'], reason: { code: 'metadata_too_large', max: MAX_METADATA } }]
}

/**
 * Refuses a provider's token from the client: it may have been issued to another client or for another purpose. Sign-in only
 * works through the provider's redirect.
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

/** Calls that count as writes of the signed-in person. Switching the organisation is not one. */
const WRITES = /^\/(organization\/(?!set-active(\/|$))|update-user(\/|$))/

const CREATE_ORGANIZATION = '/organization/create'
/** Serialised: better-auth counts a person's organisations before it inserts one more. */
const founding = pLimit(1)

const CHANGES_MEMBERS = /^\/(organization|delete-user)(\/|$)/

/**
 * The routes of better-auth that are served. Omits those that nothing uses, and those that change something by GET
 * (`/verify-email`, `/magic-link/verify`), which the service’s pages do by POST.
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
    ...[
      SIGN_UP,
      SIGN_IN,
      '/sign-in/magic-link',
      '/sign-in/social',
      routes.account.signOut.href(),
      '/send-verification-email',
    ],
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

/** better-auth's routes with the service's error format, limits and headers. */
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
 * Makes one call to better-auth for a request; pages use it too.
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
  // Refused by the check of the account, not of the link.
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

// Limits on better-auth’s routes: requests per address, mails to an address, guesses at an account, and concurrent
// hashes.

/**
 * Routes that prove an identity or send mail, by purpose. Each purpose has its own bucket per client address, so that
 * using one up leaves the others to everyone who shares the address.
 */
const PURPOSES: readonly (readonly [purpose: string, paths: RegExp])[] = [
  ['magic link', /^\/(sign-in\/magic-link|magic-link)(\/|$)/],
  ['reset', /^\/(request-password-reset|reset-password)(\/|$)/],
  [MAILS, /^\/(email-verification|send-verification-email|organization\/invite-member)(\/|$)/],
  ['password', /^\/(sign-in|sign-up|change-password|verify-password|delete-user)(\/|$)/],
]

/** Password hashes that a call computes; a sign-up also signs in. */
const HASHES: Record<string, number> = {
  '/sign-up/email': 2,
  '/sign-in/email': 1,
  '/change-password': 2,
  '/verify-password': 1,
  '/delete-user': 1,
  '/reset-password': 1,
}

/** The same if accounts need a confirmed address first. */
const HASHES_IF_VERIFIED: typeof HASHES = { ...HASHES, '/sign-up/email': 1, '/sign-in/email': 2 }

/** Routes that send a mail to the `email` in their body. */
const MAILING = new Set([
  '/sign-up/email',
  '/sign-in/magic-link',
  '/request-password-reset',
  '/send-verification-email',
  '/organization/invite-member',
])

/** Routes that check the password of the session’s account. */
const CONFIRMING = new Set(['/change-password', '/verify-password', '/delete-user'])

/** Error codes that mean a wrong password. */
const WRONG = new Set(['INVALID_EMAIL_OR_PASSWORD', 'INVALID_PASSWORD'])

/**
 * Counts a request against its client address, before its body is read.
 * @throws Problem RATE_LIMITED.
 */
async function countCall(path: string, request: Request, service: Service): Promise<void> {
  const purpose = PURPOSES.find(([, paths]) => paths.test(path))?.[0]
  if (purpose === undefined) return
  await countForAddress(service, 'signIn', clientNetwork(request), `${purpose} `)
}

/** A call to better-auth that is about to be made. */
interface AuthCall {
  /** Below `/api/auth`, without its query. */
  path: string
  sent: unknown
  request: Request
  service: Service
}

/**
 * Makes a call within the limits on mails, guesses and hashes.
 * @throws Problem RATE_LIMITED, which does not reveal whether an address has an account.
 */
async function withinLimits(call: AuthCall, make: () => Promise<Response>): Promise<Response> {
  const { path, request, service } = call
  const hashes = (service.config.requireVerifiedEmail ? HASHES_IF_VERIFIED : HASHES)[path] ?? 0
  const limited = () => withinGuesses(call, make)
  return withinMails(call, () =>
    hashes === 0 ? limited() : withHashQueue(widerNetwork(clientAddress(request)), hashes, limited),
  )
}

async function withinMails({ path, sent, request, service }: AuthCall, make: () => Promise<Response>) {
  const to = emailIn(sent)
  if (to === null || !MAILING.has(path)) return make()
  return withMailCounted(service, to, deviceOf(request.headers, to, service.config), make, ({ ok }) => ok)
}

async function withinGuesses(call: AuthCall, make: () => Promise<Response>): Promise<Response> {
  const attempt = await attemptIn(call)
  if (attempt === null) return make()
  // The answer to a sign-up does not reveal whether the password matched, so this count must not either.
  const wasWrong = async (answer: Response) =>
    call.path === '/sign-up/email' ? answer.ok : !answer.ok && WRONG.has(await codeOf(answer))
  return withGuessLimit(attempt, call.service, make, wasWrong)
}

/** The attempt at a password that a call makes, if any. */
async function attemptIn({ path, sent, request, service }: AuthCall): Promise<Attempt | null> {
  const { headers } = request
  if (CONFIRMING.has(path)) {
    const session = await service.readSession(headers)
    const tooMany = 'Too many wrong passwords for your account.'
    return session === null ? null : { email: session.userId, headers, network: null, tooMany }
  }
  const email = emailIn(sent)
  if (email === null || (path !== '/sign-in/email' && path !== '/sign-up/email')) return null
  const tooMany =
    path === '/sign-in/email' ? 'Too many wrong passwords for this account.' : 'Too many sign-ups with this address.'
  return { email, headers, network: network(clientAddress(request)), tooMany }
}

/** The address in a call, if it may be valid: one that better-auth refuses outright need not be counted. */
function emailIn(sent: unknown): string | null {
  const email = (sent as { email?: unknown } | null | undefined)?.email
  return typeof email === 'string' && /^[^\s@]+@[^\s@]+$/.test(email) ? email : null
}

async function codeOf(answer: Response): Promise<string> {
  const { code } = (await answer
    .clone()
    .json()
    .catch(() => ({}))) as { code?: string }
  return code ?? ''
}

/** An answer from better-auth with the service’s headers and real addresses; a refusal as a Problem. */
async function toServiceResponse(response: Response, { store }: Service): Promise<Response | Problem> {
  if (response.status >= 400) return toProblem(response)
  const headers = headersWith({ 'cache-control': 'no-store' })
  response.headers.forEach((value, name) => {
    if (name !== 'set-cookie') headers.set(name, value)
  })
  if (headers.get('content-type') === 'application/json') headers.set('content-type', JSON_TYPE)
  for (const cookie of response.headers.getSetCookie()) headers.append('set-cookie', cookie)
  const body = response.body === null ? null : await withRealEmails(store, await response.text())
  return new Response(body, { status: response.status, headers })
}

async function toProblem(response: Response): Promise<Problem> {
  const refused = (await response.json().catch(() => ({}))) as { message?: string; code?: string }
  const isUnread = response.status < 500 && refused.code === 'VALIDATION_ERROR'
  return isUnread ? invalid(issuesSaid(refused.message ?? '')) : refusalOf(response.status, refused)
}

/** The issues in `[body.role] Invalid input: expected string, received undefined; [body.email] …`. */
function issuesSaid(message: string): Issue[] {
  return message.split(/; (?=\[(?:body|query)\b)/).map((part) => {
    const [, path = '', said = part] = /^\[(?:body|query)\.?([^\]]*)\] (.*)$/s.exec(part) ?? []
    return fromZod({ path: path === '' ? [] : path.split('.'), message: said })
  })
}
