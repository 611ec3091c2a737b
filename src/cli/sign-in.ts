import { createHash, randomBytes } from 'node:crypto'
import { routes } from '../core/routes.ts'
import { OpenallError } from '../sdk/openall.ts'
import { hasBrowser, openInBrowser } from './browser.ts'
import { listen } from './loopback.ts'
import { note } from './output.ts'

// Sign-in with the browser: OAuth 2.1 with PKCE; the answer returns to a port of this computer (RFC 8252).

/** The result of a sign-in: tokens and their client. */
export interface SignIn {
  /** The client id, registered anew for each sign-in with the browser. */
  clientId: string
  accessToken: string
  refreshToken: string
  /** When the access token expires, in milliseconds since 1970. */
  expiresAt: number
}

const TIMEOUT_MS = 30_000
/** Timeout for a person's decision. */
const PATIENCE_MS = 300_000

/**
 * Signs in with the browser.
 * @throws OpenallError, also if the person declines.
 */
export async function signInWithBrowser(server: string, scope: string): Promise<SignIn> {
  const [verifier, state] = [randomBytes(32).toString('base64url'), randomBytes(16).toString('base64url')]
  const callback = await listen(state, PATIENCE_MS)
  try {
    const { client_id: clientId } = await post<{ client_id: string }>(server, 'register', {
      client_name: 'Openall command line',
      redirect_uris: [callback.url],
    })
    const asked = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: callback.url,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state,
      scope,
      resource: `${server}/api`,
    })
    await show(`${server}${routes.account.authorize.href()}?${asked}`)
    const code = codeIn(await callback.answer, server)
    const fields = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: callback.url }
    return signInOf(clientId, await post(server, 'token', new URLSearchParams({ ...fields, client_id: clientId })))
  } finally {
    callback.stop()
  }
}

async function show(url: string): Promise<void> {
  const isShown =
    hasBrowser() &&
    (await openInBrowser(url).then(
      () => true,
      () => false,
    ))
  if (isShown) note('Continue in your browser. If it did not open, open this link there:')
  else note('Open this link in a browser on this computer. Without one: openall login --device')
  note(url)
}

/** The code in the browser's answer. */
function codeIn(answer: URLSearchParams, server: string): string {
  // Another server may have been made to return a code of its own (RFC 9207).
  if (answer.get('iss') !== new URL(server).origin)
    throw refused('The answer did not come from the service. Try again.')
  const code = answer.get('code')
  if (code === null) throw refused(answer.get('error_description') ?? 'You did not connect the command line.')
  return code
}

/** The error after a person declined. */
export function refused(message: string): OpenallError {
  return new OpenallError('FORBIDDEN', message, { status: 403 })
}

interface Tokens {
  access_token: string
  refresh_token: string
  expires_in: number
}

/** The sign-in for tokens. */
export function signInOf(clientId: string, { access_token, refresh_token, expires_in }: Tokens): SignIn {
  const expiresAt = Date.now() + expires_in * 1000
  return { clientId, accessToken: access_token, refreshToken: refresh_token, expiresAt }
}

/**
 * Posts to one of the service’s OAuth endpoints.
 * @throws OpenallError; with UNEXPECTED_ANSWER, its `cause` is the protocol's error code.
 */
export async function post<T = Tokens>(server: string, path: string, fields: object | URLSearchParams): Promise<T> {
  const isForm = fields instanceof URLSearchParams
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
  let response: Response
  try {
    response = await fetch(`${server}/oauth/${path}`, {
      method: 'POST',
      headers: { 'content-type': type, accept: 'application/json' },
      body: isForm ? fields.toString() : JSON.stringify(fields),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  } catch (cause) {
    const message = `${server} cannot be reached. Check the address and the network.`
    throw new OpenallError('NETWORK_ERROR', message, { cause })
  }
  const body = (await response.json().catch(() => ({}))) as T & { error?: string; error_description?: string }
  if (response.ok) return body
  if (body.error === 'invalid_grant') {
    throw new OpenallError('UNAUTHORIZED', 'Your sign-in has ended. Sign in again.', { status: 401 })
  }
  const message = body.error_description ?? `${server} does not offer sign-in with the browser. Use openall login --key`
  throw new OpenallError('UNEXPECTED_ANSWER', message, { status: response.status, cause: body.error })
}
