import { createHmac, randomBytes } from 'node:crypto'
import { Elysia } from 'elysia'
import { amongHashers } from '../identity/passwords.ts'
import { SESSION_SECONDS, sessionCookieName, sessionSecret } from '../identity/sessions.ts'
import { charge } from '../operation.ts'
import { Problem } from '../problem.ts'
import type { Service } from '../service.ts'
import { CONTROLS, unfit } from '../text.ts'
import { refuseMethod } from './api.ts'
import { readJson } from './body.ts'
import { clientNetwork, refuseOtherSites } from './client.ts'
import { headersWith, jsonProblem } from './respond.ts'

const SIGN_UP = '/sign-up/email'
const SIGN_IN = '/sign-in/email'
/** What proves who somebody is, or sends mail: drawn from a bucket of the client's address. */
const LIMITED =
  /^\/(sign-in|sign-up|magic-link|email-verification|send-verification-email|request-password-reset|reset-password|change-password|verify-password|delete-user|organization\/invite-member)(\/|$)/

const CHANGES_MEMBERS = /^\/(organization|delete-user)(\/|$)/

/** better-auth's own routes, with the service's error shape, limits and headers (decisions 9). */
export function authRoutes(service: Service) {
  return new Elysia().all(
    '/api/auth/*',
    async ({ request }) => {
      // HEAD too: it must not use up the link of a mail that a mail server only looks at.
      if (request.method !== 'GET' && request.method !== 'POST') refuseMethod(['GET', 'POST'])
      const { pathname, search } = new URL(request.url)
      const path = pathname.slice('/api/auth'.length)
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
  const isLimited = LIMITED.test(path)
  if (isLimited) await charge(service.bucket, service.limits.signIn, clientNetwork(request), 'from your address')
  const sent = isUnsafe ? await body() : undefined
  if (isLimited) await chargeAccount(sent, service)
  if (isUnsafe) refuseUnfit(sent)
  const { handler } = await service.auth()
  const send = (path: string, sent: unknown) => {
    const headers = new Headers({ 'content-type': 'application/json' })
    for (const name of ['cookie', 'user-agent', 'accept']) {
      const value = request.headers.get(name)
      if (value !== null) headers.set(name, value)
    }
    const method = isUnsafe ? 'POST' : 'GET'
    return handler(
      new Request(`${config.origin}/api/auth${path}`, {
        method,
        headers,
        ...(isUnsafe ? { body: JSON.stringify(sent) } : {}),
      }),
    )
  }
  const isSignUp = path === SIGN_UP
  const answer = () => (isSignUp ? signUp(send, sent, config) : send(to, sent))
  // A sign-up is followed by a sign-in.
  const response = await tidy(isLimited ? await amongHashers(isSignUp ? 2 : 1, answer) : await answer())
  // Keys act with their minter's current role, which this may have changed.
  if (isUnsafe && response.ok && CHANGES_MEMBERS.test(path)) service.keyRing.forget()
  return response
}

/** An account that is tried from many addresses is defended too. */
async function chargeAccount(sent: unknown, { bucket, limits }: Service): Promise<void> {
  const account = (sent as { email?: unknown } | null | undefined)?.email
  if (typeof account === 'string') {
    await charge(bucket, limits.account, account.trim().toLowerCase().slice(0, 254), 'for this account')
  }
}

/** What people call themselves and their organisations is read with every session, shown and mailed: in characters. */
const BOUNDS = { name: 100, slug: 100, image: 2048, logo: 2048 }

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
  }
  if (metadata !== undefined && JSON.stringify(metadata).length > MAX_METADATA) {
    throw new Problem('BAD_REQUEST', `metadata must be at most ${MAX_METADATA} characters of JSON`)
  }
  // Where an update of an organisation has them.
  if (data !== null && typeof data === 'object') refuseUnfit({ ...data, data: undefined })
}

const MAX_METADATA = 2048

async function readAuthBody(request: Request): Promise<unknown> {
  const isEmpty = request.body === null || request.headers.get('content-length') === '0'
  return isEmpty ? {} : readJson(request, ['application/json'])
}

/**
 * Signs up, and then in with the same words. better-auth answers a sign-up for a known address like one for a
 * new one, and the sign-in is what tells them apart: where it fails, an answer of the same make is given, whose
 * session leads nowhere. So the answer tells nothing about which addresses exist.
 */
async function signUp(
  send: (path: string, body: unknown) => Promise<Response>,
  body: unknown,
  config: Service['config'],
): Promise<Response> {
  const { name = '', ...words } = (body ?? {}) as { name?: string; email?: string; password?: string }
  const attempt = () => send(SIGN_UP, { name, ...words })
  let signedUp = await attempt()
  // Another sign-up for the address was faster in making it known: by now it is.
  if (signedUp.status === 422) signedUp = await attempt()
  if (!signedUp.ok || config.requireVerifiedEmail) return signedUp
  const { user } = await signedUp.json()
  const signedIn = await send(SIGN_IN, { email: words.email, password: words.password })
  const { token, cookie } = signedIn.ok
    ? { token: (await signedIn.json()).token, cookie: signedIn.headers.getSetCookie()[0] ?? '' }
    : decoy(config)
  const headers = new Headers({ 'content-type': 'application/json', 'set-cookie': cookie })
  // A new account's two times may differ by a millisecond, those of a made-up one never.
  return new Response(JSON.stringify({ token, user: { ...user, updatedAt: user.createdAt } }), { headers })
}

/** A session like any other to look at, which no store knows. */
function decoy(config: Service['config']): { token: string; cookie: string } {
  const token = randomBytes(48).toString('base64').replace(/[+/]/g, '').slice(0, 32)
  const signature = createHmac('sha256', sessionSecret(config)).update(token).digest('base64')
  const secure = config.origin.startsWith('https:') ? ' Secure;' : ''
  const value = encodeURIComponent(`${token}.${signature}`)
  return {
    token,
    cookie: `${sessionCookieName(config)}=${value}; Max-Age=${SESSION_SECONDS}; Path=/; HttpOnly;${secure} SameSite=Lax`,
  }
}

/** The answer as the service gives answers: its headers, and errors in the one shape. */
async function tidy(response: Response): Promise<Response> {
  if (response.status >= 400) return jsonProblem(await toProblem(response))
  const headers = headersWith({ 'cache-control': 'no-store' })
  response.headers.forEach((value, name) => {
    if (name !== 'set-cookie') headers.set(name, value)
  })
  for (const cookie of response.headers.getSetCookie()) headers.append('set-cookie', cookie)
  return new Response(response.body, { status: response.status, headers })
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
