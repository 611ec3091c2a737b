import { createHmac } from 'node:crypto'
import { Elysia } from 'elysia'
import pLimit from 'p-limit'
import { Problem } from '../core/problem.ts'
import { CONTROLS, hasLink, MAX_EMAIL, unfit } from '../core/text.ts'
import { readJson } from '../http/body.ts'
import { refuseOtherSites } from '../http/client.ts'
import { headersWith, jsonProblem } from '../http/respond.ts'
import { cookieLine, deviceOf, rememberedBy } from '../identity/devices.ts'
import { overhearHash, passwordOf } from '../identity/passwords.ts'
import { endSession, SESSION_SECONDS, sessionCookieName, sessionSecret } from '../identity/sessions.ts'
import { placeholderFor, signUpWithTaken, withShownEmails } from '../identity/taken.ts'
import { chargeWrite } from '../limits/charge.ts'
import type { Service } from '../service.ts'
import { chargeCall, withinLimits } from './auth-limits.ts'
import { refuseMethod } from './json.ts'

const SIGN_UP = '/sign-up/email'
const SIGN_IN = '/sign-in/email'
/** What counts as a change by whoever is signed in, beside operations: whom one acts for is none. */
const WRITES = /^\/(organization\/(?!set-active(\/|$))|update-user(\/|$))/

const CREATE_ORGANIZATION = '/organization/create'
/** One at a time: better-auth counts a person's before it makes one more. */
const founding = pLimit(1)

const CHANGES_MEMBERS = /^\/(organization|delete-user)(\/|$)/

/**
 * The routes of better-auth that are served. Others are not there: those that act by GET (`/verify-email`,
 * `/magic-link/verify`: the pages of mailed links do that by POST), and what nothing here needs.
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

/** better-auth's own routes, with the service's error shape, limits and headers (decisions 9). */
export function authRoutes(service: Service) {
  return new Elysia().all(
    '/api/auth/*',
    async ({ request }) => {
      const { pathname, search } = new URL(request.url)
      const path = pathname.slice('/api/auth'.length)
      const method = SERVED.get(path)
      if (method === undefined) throw new Problem('NOT_FOUND', 'There is nothing at this address.')
      if (request.method !== method) refuseMethod([method])
      return authenticate(request, service, path + search, () => readAuthBody(request))
    },
    { parse: 'none' },
  )
}

/**
 * One call of better-auth on behalf of a request; the pages sign people in by it as well.
 * @param to the path and query below `/api/auth`.
 * @returns its answer; errors are `{ error, code }`.
 * @throws Problem RATE_LIMITED; FORBIDDEN for a browser sent by another site.
 */
export async function authenticate(
  request: Request,
  service: Service,
  to: string,
  body: () => unknown,
): Promise<Response> {
  const { config } = service
  const [path = ''] = to.split('?')
  const isUnsafe = request.method === 'POST'
  if (isUnsafe) refuseOtherSites(request, config)
  await chargeCall(path, request, service)
  if (isUnsafe && WRITES.test(path)) {
    const session = await service.readSession(request.headers)
    if (session !== null) await chargeWrite(service, session.userId)
  }
  const sent = isUnsafe ? await body() : undefined
  if (isUnsafe) refuseUnfit(sent)
  if (path === '/sign-in/social') refuseIdToken(sent)
  const send = await sender(request, service)
  const make = () =>
    path === SIGN_UP
      ? signUp(send, sent, request, service)
      : path === SIGN_IN
        ? signIn(send, sent, service, (email) => deviceOf(request.headers, email, config)?.isOwners === false)
        : send(isUnsafe ? 'POST' : 'GET', to, sent)
  const inTurn = () => (path === CREATE_ORGANIZATION ? founding(make) : make())
  const response = await withinLimits({ path, sent, request, service }, async () => tidy(await inTurn(), service))
  // Keys act with their minter's current role, which this may have changed.
  if (isUnsafe && response.ok && CHANGES_MEMBERS.test(path)) await service.keyRing.forget()
  return response
}

/**
 * Signs in by a mailed link, whose page the browser has shown; the address is proven by it.
 * @returns better-auth's answer, or null where the link works no longer.
 * @throws Problem RATE_LIMITED; FORBIDDEN for a browser sent by another site.
 */
export async function signInByLink(request: Request, service: Service, token: string): Promise<Response | null> {
  refuseOtherSites(request, service.config)
  await chargeCall('/magic-link/verify', request, service)
  const send = await sender(request, service)
  const response = await send('GET', `/magic-link/verify?${new URLSearchParams({ token })}`)
  // It answers with JSON where it is told of no page to go to, and leads elsewhere only with an error.
  return response.ok ? tidy(response, service) : null
}

type Send = (method: 'GET' | 'POST', to: string, body?: unknown) => Promise<Response>

/** Calls of better-auth with what it may know of a request. */
async function sender(request: Request, { auth, config }: Service): Promise<Send> {
  const { handler } = await auth()
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const name of ['cookie', 'user-agent', 'accept']) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  return (method, to, body) => {
    const sent = method === 'POST' ? { body: JSON.stringify(body) } : {}
    return handler(new Request(`${config.origin}/api/auth${to}`, { method, headers, ...sent }))
  }
}

/** What people call themselves and their organisations is read with every session, shown and mailed: in characters. */
const BOUNDS = { name: 100, slug: 100, image: 2048, logo: 2048, email: MAX_EMAIL }

/**
 * Refuses texts that better-auth would keep at any length.
 * @throws Problem BAD_REQUEST.
 */
function refuseUnfit(sent: unknown): void {
  const { data, metadata, ...fields } = (sent ?? {}) as Record<string, unknown>
  for (const [field, max] of Object.entries(BOUNDS)) {
    const text = fields[field]
    const reason = typeof text === 'string' ? unfit(text, max, CONTROLS) : null
    if (reason !== null) throw new Problem('BAD_REQUEST', `${field} must be ${reason}`)
    if (field === 'name' && typeof text === 'string' && hasLink(text)) {
      throw new Problem('BAD_REQUEST', 'name must be free of web addresses')
    }
  }
  if (metadata !== undefined && JSON.stringify(metadata).length > MAX_METADATA) {
    throw new Problem('BAD_REQUEST', `metadata must be at most ${MAX_METADATA} characters of JSON`)
  }
  // Where an update of an organisation has them.
  if (data !== null && typeof data === 'object') refuseUnfit({ ...data, data: undefined })
}

/**
 * Refuses to sign in by a provider's token that the client brings: it may have been issued to another client, or for
 * another purpose. People come back from the provider by its redirect alone.
 * @throws Problem BAD_REQUEST.
 */
function refuseIdToken(sent: unknown): void {
  if ((sent as { idToken?: unknown } | null | undefined)?.idToken === undefined) return
  throw new Problem('BAD_REQUEST', 'idToken is not taken here: send people to the url of the answer instead')
}

const MAX_METADATA = 2048

async function readAuthBody(request: Request): Promise<unknown> {
  const isEmpty = request.body === null || request.headers.get('content-length') === '0'
  return isEmpty ? {} : readJson(request, ['application/json'])
}

/**
 * Signs in with a password. One that was changed, or ended, while it was compared opens nothing any more. One password is
 * compared, whether the address has an account, and whether one was signed up with it while it was taken.
 * @param isKnownTo whether the caller may have one of those. Nobody else is let in to one: an owner who types an old password
 * that a stranger knows would be in an account of the stranger's.
 */
async function signIn(
  send: Send,
  body: unknown,
  { config, store }: Service,
  isKnownTo: (email: string) => boolean,
): Promise<Response> {
  const { email, password, ...words } = (body ?? {}) as { email?: unknown; password?: unknown }
  const attempt = async (email: unknown) => {
    const before = await passwordOf(store, email)
    const answer = await send('POST', SIGN_IN, { ...words, password, email })
    if (!answer.ok || before === (await passwordOf(store, email))) return answer
    await endSession(store, (await answer.json()).token)
    return new Response(JSON.stringify(WRONG_PASSWORD), { status: 401 })
  }
  if (typeof email === 'string' && typeof password === 'string' && isKnownTo(email)) {
    const placeholder = await placeholderFor(store, config, email.toLowerCase(), password)
    const answer = placeholder === null ? null : await attempt(placeholder)
    if (answer?.ok) return answer
  }
  return attempt(email)
}

/** better-auth's own words for it. */
const WRONG_PASSWORD = { message: 'Invalid email or password', code: 'INVALID_EMAIL_OR_PASSWORD' }

/**
 * Signs up, and then in with the same words. With an address that has an account already it makes one that looks the same and
 * leads nowhere (identity/taken.ts), so that neither the answer nor the session tells which addresses have one. Either way
 * two hashes are made.
 */
async function signUp(send: Send, body: unknown, request: Request, service: Service): Promise<Response> {
  const { config, store } = service
  const { name = '', ...words } = (body ?? {}) as { name?: string; email?: string; password?: string; image?: unknown }
  const attempt = () => overhearHash(() => send('POST', SIGN_UP, { name, ...words }))
  let signedUp = await attempt()
  // Another sign-up for the address was faster in making it known: by now it is.
  if (signedUp.result.status === 422) signedUp = await attempt()
  const { result, hash } = signedUp
  if (!result.ok || config.requireVerifiedEmail) return result
  const { user } = await result.json()
  const { email, password = '', image } = words
  const signedIn = await signIn(send, { email, password }, service, () => true)
  const made = signedIn.ok
    ? await signedIn.json()
    : await signUpWithTaken(store, config, {
        name,
        email: user.email,
        password,
        hash,
        image: typeof image === 'string' ? image : null,
        userAgent: request.headers.get('user-agent'),
        at: Date.parse(user.createdAt),
      })
  const cookies = signedIn.ok
    ? signedIn.headers.getSetCookie()
    : [sessionCookie(config, made.token), cookieLine(rememberedBy(request.headers, user.email, false, config))]
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  // A new account's two times may differ by a millisecond, those of a made-up one never.
  const told = { ...user, id: made.user.id, updatedAt: user.createdAt }
  return new Response(JSON.stringify({ token: made.token, user: told }), { headers })
}

/** A session's cookie as better-auth writes it. */
function sessionCookie(config: Service['config'], token: string): string {
  const signature = createHmac('sha256', sessionSecret(config)).update(token).digest('base64')
  const secure = config.origin.startsWith('https:') ? ' Secure;' : ''
  const value = encodeURIComponent(`${token}.${signature}`)
  return `${sessionCookieName(config)}=${value}; Max-Age=${SESSION_SECONDS}; Path=/; HttpOnly;${secure} SameSite=Lax`
}

/** The answer as the service gives answers: its headers, and errors in the one shape. */
async function tidy(response: Response, { store }: Service): Promise<Response> {
  if (response.status >= 400) return jsonProblem(await toProblem(response))
  const headers = headersWith({ 'cache-control': 'no-store' })
  response.headers.forEach((value, name) => {
    if (name !== 'set-cookie') headers.set(name, value)
  })
  for (const cookie of response.headers.getSetCookie()) headers.append('set-cookie', cookie)
  const body = response.body === null ? null : await withShownEmails(store, await response.text())
  return new Response(body, { status: response.status, headers })
}

async function toProblem(
  response: Response,
): Promise<{ status: number; headers: Record<string, string>; toJSON(): unknown }> {
  const { message, code } = (await response.json().catch(() => ({}))) as { message?: string; code?: string }
  if (response.status >= 500)
    return new Problem('INTERNAL_ERROR', 'Something went wrong on our side. It is safe to try again.')
  if (response.status === 404 && code === undefined)
    return new Problem('NOT_FOUND', 'There is nothing at this address.')
  const error = message ?? 'This was refused.'
  // better-auth answers 401 also to a member whose role is too low, who would be sent to sign in for nothing.
  const status = code?.startsWith('YOU_ARE_NOT_ALLOWED') ? 403 : response.status
  return { status, headers: {}, toJSON: () => ({ error, code: code ?? CODES[status] ?? 'BAD_REQUEST' }) }
}

const CODES: Record<number, string> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  429: 'RATE_LIMITED',
}
