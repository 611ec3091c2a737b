import type { AccountForm } from '../../views/account/sign-in.tsx'
import { authenticate } from '../api/auth.ts'
import { besideField } from '../core/field-words.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { clientAddress, setClientAddress } from '../http/client.ts'
import { type Page, page } from '../http/page.ts'
import { besidePassword } from '../identity/password-rules.ts'
import { endSession } from '../identity/sessions.ts'

// Helpers of account pages: calling better-auth and showing its errors in forms.

/** Calls better-auth for a form. A refusal by our own checks is returned like one of its own. */
export async function callAuth(
  request: Request,
  service: Service,
  to: string,
  body: unknown,
): Promise<Response | Problem> {
  return orRefusal(() => authenticate(request, service, to, () => body))
}

/** Returns a refusal that a form explains, instead of throwing it. */
export async function orRefusal<Result>(call: () => Promise<Result>): Promise<Result | Problem> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof Problem && (error.code === 'BAD_REQUEST' || error.code === 'RATE_LIMITED')) return error
    throw error
  }
}

/** Whether a sign-in was to another account, which signed up with the address while it was taken; then it is ended. */
export async function endIfOther(answer: Response, userId: string, { store }: Service): Promise<boolean> {
  const { user, token } = await answer.clone().json()
  if (user.id === userId) return false
  await endSession(store, token)
  return true
}

/** The form that a browser would send after an answer that sets cookies, from the same client. */
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

/** A form again, with its errors. */
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

/** A refusal by form field. */
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
