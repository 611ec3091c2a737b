import { actingAs } from '../../db/client.ts'
import type { Service } from '../core/service.ts'
import { withDevice } from '../identity/devices.ts'
import { hasAccount, NOBODY, placeholderFor, signUpWithTaken } from '../identity/enumeration.ts'
import { captureHash, passwordOf } from '../identity/passwords.ts'
import { cookieLine, endSession, replaceSession, sessionCookie, sessionToken } from '../identity/sessions.ts'

export const SIGN_UP = '/sign-up/email'
export const SIGN_IN = '/sign-in/email'

/**
 * Signs in with a password. If the password is changed or removed while it is compared, the session is ended again. One
 * comparison is made whether the address has an account, has none, or was taken when the account signed up with it; two for
 * one wrong password in 4096 (`placeholderFor`), if the address was taken.
 *
 * If accounts need a confirmed address first, a failed sign-in makes two: first for the account of the address, then for one
 * that signed up with it while it was taken, which is refused like any unconfirmed account. In this order, a stranger who knows
 * the second password cannot keep the owner out.
 * @param isKnownTo whether the browser may own such an account. Other browsers never get into one: an owner who types an old
 * password that a stranger knows would end up in the stranger’s account.
 */
export async function signIn(
  send: Send,
  body: unknown,
  { config, store }: Service,
  isKnownTo: (email: string) => boolean,
): Promise<Response> {
  const { email, password, ...rest } = (body ?? {}) as { email?: unknown; password?: unknown }
  const attempt = async (email: unknown) => {
    const before = await passwordOf(store, email)
    const answer = await send('POST', SIGN_IN, { ...rest, password, email })
    if (!answer.ok || before === (await passwordOf(store, email))) return answer
    await endSession(store, (await answer.json()).token)
    return new Response(JSON.stringify(WRONG_PASSWORD), { status: 401 })
  }
  if (typeof email !== 'string' || typeof password !== 'string') return attempt(email)
  const findPlaceholder = () => placeholderFor(store, config, email.toLowerCase(), password)
  if (config.requireVerifiedEmail) {
    const answer = await attempt(email)
    if (answer.ok || answer.status === 400) return answer
    const other = await attempt((await findPlaceholder()) ?? NOBODY)
    return answer.status === 401 && other.status === 403 ? other : answer
  }
  const placeholder = isKnownTo(email) ? await findPlaceholder() : null
  const answer = placeholder === null ? null : await attempt(placeholder)
  return answer?.ok ? answer : attempt(email)
}

/** better-auth's own answer. */
const WRONG_PASSWORD = { message: 'Invalid email or password', code: 'INVALID_EMAIL_OR_PASSWORD' }

/**
 * Signs up and then in. If the address is taken, it creates an account that looks the same and leads nowhere
 * (identity/enumeration.ts), so that neither the answer nor the session reveals which addresses have an account. Both ways
 * compute two hashes; one if accounts need a confirmed address first, because nobody is signed in then.
 */
export async function signUp(send: Send, body: unknown, request: Request, service: Service): Promise<Response> {
  const { config, store } = service
  const { name = '', ...rest } = (body ?? {}) as { name?: string; email?: string; password?: string; image?: unknown }
  const attempt = () => captureHash(() => send('POST', SIGN_UP, { name, ...rest }))
  let signedUp = await attempt()
  // A concurrent sign-up has just taken the address; the retry finds it taken.
  if (signedUp.result.status === 422) signedUp = await attempt()
  const { result, hash } = signedUp
  if (!result.ok) return result
  const { user } = await result.clone().json()
  const { email, password = '', image } = rest
  const makeOther = (isSignedIn: boolean) =>
    signUpWithTaken(store, config, {
      name,
      email: user.email,
      password,
      hash,
      image: typeof image === 'string' ? image : null,
      userAgent: request.headers.get('user-agent'),
      isSignedIn,
      at: Date.parse(user.createdAt),
    })
  if (config.requireVerifiedEmail) {
    // For a taken address, better-auth answers with a made-up id.
    if (!(await hasAccount(store, user.id))) await makeOther(false)
    return result
  }
  const signedIn = await signIn(send, { email, password }, service, () => true)
  const made = signedIn.ok ? await signedIn.json() : await makeOther(true)
  const former = sessionToken(request.headers, config)
  if (!signedIn.ok && former !== null) await replaceSession(store, former, made.token)
  const cookies = signedIn.ok
    ? signedIn.headers.getSetCookie()
    : [sessionCookie(made.token, config), withDevice(request.headers, user.email, false, config)].map(cookieLine)
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  // Equal times: those of a real account may differ by a millisecond, which would tell the two kinds apart.
  const answered = { ...user, id: made.user.id, updatedAt: user.createdAt }
  return new Response(JSON.stringify({ token: made.token, user: answered }), { headers })
}

/** Makes one call to better-auth; `to` is the path and query below `/api/auth`. */
type Send = (method: 'GET' | 'POST', to: string, body?: unknown) => Promise<Response>

/** Passes on only the headers that better-auth needs. Its writes are logged under the user of the session, if there is one. */
export async function sender(request: Request, { auth, config, readSession }: Service): Promise<Send> {
  const { handler } = await auth()
  const session = await readSession(request.headers)
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const name of ['cookie', 'user-agent', 'accept']) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  return (method, to, body) => {
    const sent = method === 'POST' ? { body: JSON.stringify(body) } : {}
    const call = () => handler(new Request(`${config.origin}/api/auth${to}`, { method, headers, ...sent }))
    return session === null ? call() : actingAs({ type: 'user', userId: session.userId, keyId: null }, call)
  }
}
