import { authenticate } from '../../../src/api/auth.ts'
import { claimBundle } from '../../../src/bundles/claims/claim-operations.ts'
import { besideField } from '../../../src/core/field-words.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { sha256 } from '../../../src/core/secrets.ts'
import type { Service } from '../../../src/core/service.ts'
import { callContext, clientAddress, setClientAddress } from '../../../src/http/request.ts'
import { type Page, page, seeOther } from '../../../src/http/respond.ts'
import { besidePassword } from '../../../src/identity/password-rules.ts'
import { cookieLine, cookieOf, endSession } from '../../../src/identity/sessions.ts'
import { execute } from '../../../src/operations/execute.ts'
import type { AccountForm } from './sign-in.tsx'

// Helpers of account pages: they call better-auth, and show its errors in forms.

/** Calls better-auth for a form. A refusal by the service's own checks is returned like one from better-auth. */
export async function callAuth(
  request: Request,
  service: Service,
  to: string,
  body: unknown,
): Promise<Response | Problem> {
  return orRefusal(() => authenticate(request, service, to, () => body))
}

/** Returns a refusal that a form can explain, instead of throwing it. */
export async function orRefusal<Result>(call: () => Promise<Result>): Promise<Result | Problem> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof Problem && (error.code === 'BAD_REQUEST' || error.code === 'RATE_LIMITED')) return error
    throw error
  }
}

/** Ends a session for another account than `userId`, which had signed up with the taken address. Returns whether it did. */
export async function endIfOther(answer: Response, userId: string, { store }: Service): Promise<boolean> {
  const { user, token } = await answer.clone().json()
  if (user.id === userId) return false
  await endSession(store, token)
  return true
}

/** The form request that the same browser would send after an answer that sets cookies. */
export function requestAfter(request: Request, answer: Response): Request {
  const nameOf = (pair: string) => pair.slice(0, pair.indexOf('='))
  const set = answer.headers.getSetCookie().map((line) => line.split(';', 1)[0] ?? '')
  const names = new Set(set.map(nameOf))
  const kept = (request.headers.get('cookie') ?? '').split('; ').filter((pair) => !names.has(nameOf(pair)))
  const headers = new Headers(request.headers)
  headers.set('cookie', [...kept, ...set].join('; '))
  const later = new Request(request.url, { method: 'POST', headers })
  setClientAddress(later, clientAddress(request))
  return later
}

/** A page with the refused form and its errors. */
export function refused(view: JSX.Element, { status, headers }: Problem): Page {
  const wait = headers['retry-after']
  return page(view, status, wait === undefined ? {} : { 'retry-after': wait })
}

/** The error for a sign-in that requires a confirmed address. */
export const EMAIL_NOT_CONFIRMED = 'Confirm your address first: open the link we emailed you.'

const FORM_WORDS: Partial<Record<Problem['code'], AccountForm['errors']>> = {
  INVALID_EMAIL: { email: besideField({ code: 'not_an_email_address' }) },
  INVALID_TOKEN: { form: 'This link has expired. Ask for a new one in your settings.' },
  INVALID_EMAIL_OR_PASSWORD: { form: 'Wrong email or password.' },
  EMAIL_NOT_VERIFIED: { form: EMAIL_NOT_CONFIRMED },
}

/** The errors of a refusal, by form field. */
export function explain(problem: Problem): AccountForm['errors'] {
  const errors: AccountForm['errors'] = {}
  for (const { path, reason } of problem.issues) {
    const [field] = path
    if (field === 'email' || field === 'name') errors[field] ??= besideField(reason)
  }
  if (Object.keys(errors).length > 0) return errors
  const password = besidePassword(problem)
  return FORM_WORDS[problem.code] ?? (password === null ? { form: problem.message } : { password })
}

/** The page after a claim. Unlike a claim link, it can be opened again. */
export const claimedPath = (slug: string) => `${routes.account.claims.href()}?claimed=${encodeURIComponent(slug)}`

/** The cookie that leads a browser from a used claim link to its bundle. It proves nothing. */
export const claimedCookie = (token: string) => `claimed-${sha256(token).toString('hex').slice(0, 12)}`

const COOKIE_SECONDS = 86_400

/** Claims a bundle by its link, and redirects to it. @throws Problem if the claim is refused. */
export async function claimByToken(request: Request, service: Service, token: string): Promise<Response> {
  const { output } = await execute(claimBundle, () => ({ token }), await callContext(request, service), service)
  const claimed = cookieOf(claimedCookie(token), output.slug, COOKIE_SECONDS, service.config, '/claim')
  return seeOther(claimedPath(output.slug), new Response(null, { headers: { 'set-cookie': cookieLine(claimed) } }))
}

/** The token of the claim link to which a path leads; null for another path. */
export function claimTokenIn(path: string): string | null {
  return /^\/claim\/([\w-]+)$/.exec(path)?.[1] ?? null
}

/**
 * Redirects after signing in or up. From a claim link, the visitor pressed “… and keep it”, so the bundle is claimed; if that is
 * refused, the claim page shows why.
 * @param signedIn better-auth’s answer, with the cookies of the new session.
 */
export async function leadOn(request: Request, service: Service, next: string, signedIn: Response): Promise<Response> {
  const token = claimTokenIn(next)
  if (token === null) return seeOther(next, signedIn)
  try {
    const answer = await claimByToken(requestAfter(request, signedIn), service, token)
    for (const cookie of signedIn.headers.getSetCookie()) answer.headers.append('set-cookie', cookie)
    return answer
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return seeOther(next, signedIn)
  }
}
