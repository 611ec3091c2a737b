import { Problem, unknownUrl } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { headersWith, jsonProblem } from '../http/respond.ts'
import { withRealEmails } from '../identity/taken-addresses.ts'

/** Converts an answer of better-auth: our headers, our error format, real addresses. */
export async function toServiceResponse(response: Response, { store }: Service): Promise<Response> {
  if (response.status >= 400) return jsonProblem(await toProblem(response))
  const headers = headersWith({ 'cache-control': 'no-store' })
  response.headers.forEach((value, name) => {
    if (name !== 'set-cookie') headers.set(name, value)
  })
  for (const cookie of response.headers.getSetCookie()) headers.append('set-cookie', cookie)
  const body = response.body === null ? null : await withRealEmails(store, await response.text())
  return new Response(body, { status: response.status, headers })
}

async function toProblem(
  response: Response,
): Promise<{ status: number; headers: Record<string, string>; toJSON(): unknown }> {
  const { message, code } = (await response.json().catch(() => ({}))) as { message?: string; code?: string }
  if (response.status >= 500)
    return new Problem('INTERNAL_ERROR', 'Something went wrong on our side. It’s safe to try again.')
  if (response.status === 404 && code === undefined) return unknownUrl()
  const error = message ?? 'This was refused.'
  // better-auth also answers 401 if a member’s role is too low; a browser would go to sign in for nothing.
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
