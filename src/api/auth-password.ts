import { createHmac } from 'node:crypto'
import { cookieLine, rememberedBy } from '../identity/devices.ts'
import { overhearHash, passwordOf } from '../identity/passwords.ts'
import { endSession, SESSION_SECONDS, sessionCookieName, sessionSecret } from '../identity/sessions.ts'
import { placeholderFor, signUpWithTaken } from '../identity/taken.ts'
import type { Service } from '../service.ts'
import type { Send } from './auth-send.ts'

export const SIGN_UP = '/sign-up/email'
export const SIGN_IN = '/sign-in/email'

/**
 * Signs in with a password. One that was changed, or ended, while it was compared opens nothing any more. One password is
 * compared, whether the address has an account, and whether one was signed up with it while it was taken.
 * @param isKnownTo whether the caller may have one of those. Nobody else is let in to one: an owner who types an old password
 * that a stranger knows would be in an account of the stranger's.
 */
export async function signIn(
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
export async function signUp(send: Send, body: unknown, request: Request, service: Service): Promise<Response> {
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
