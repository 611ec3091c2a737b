import type { AccountForm } from '../../views/account/sign-in.tsx'
import { authenticate } from '../api/auth.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { besideField } from '../core/words.ts'
import { type Page, page } from '../http/page.ts'
import { jsonProblem } from '../http/respond.ts'

// Helpers of account pages: calling better-auth and showing its errors in forms.

/** Calls better-auth for a form. A refusal by our own checks is returned like one of its errors. */
export async function callAuth(request: Request, service: Service, to: string, body: unknown): Promise<Response> {
  try {
    return await authenticate(request, service, to, () => body)
  } catch (error) {
    const isExplained = error instanceof Problem && (error.code === 'BAD_REQUEST' || error.code === 'RATE_LIMITED')
    if (isExplained) return jsonProblem(error)
    throw error
  }
}

/** A form again, with its errors. */
export function refused(view: JSX.Element, { status, headers }: Response): Page {
  const wait = headers.get('retry-after')
  return page(view, status, wait === null ? {} : { 'retry-after': wait })
}

/** The error for a sign-in that requires a confirmed address. */
export const EMAIL_NOT_CONFIRMED = 'Confirm your address first: open the link we emailed you.'

/** An error of better-auth, by form field. */
export async function explain(answer: Response): Promise<AccountForm['errors']> {
  const { error, code } = (await answer.clone().json()) as { error: string; code: string }
  if (code === 'INVALID_EMAIL' || /\[body\.email\]/.test(error)) return { email: 'Enter a valid email address.' }
  if (code.startsWith('PASSWORD_')) return { password: besideField(error) }
  const field = /^(email|name) must /.exec(error)?.[1]
  if (code === 'BAD_REQUEST' && field !== undefined) return { [field]: besideField(error) }
  if (code === 'INVALID_TOKEN') return { form: 'This link has expired. Ask for a new one in your settings.' }
  if (code === 'INVALID_EMAIL_OR_PASSWORD') return { form: 'Wrong email or password.' }
  if (code === 'EMAIL_NOT_VERIFIED') return { form: EMAIL_NOT_CONFIRMED }
  return { form: error }
}
