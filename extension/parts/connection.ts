import about from '../../package.json' with { type: 'json' }
import { type Client, createClient, OpenallError } from '../../src/sdk/openall.ts'
import {
  type Account,
  changeInstance,
  dropInstance,
  hostPattern,
  type Instance,
  instanceOf,
  keepInstance,
} from './instances.ts'

/** What the metadata of an instance says that the extension uses (RFC 8414). */
interface Endpoints {
  authorization_endpoint: string
  token_endpoint: string
  registration_endpoint: string
  revocation_endpoint: string
}

/** An instance that can't be connected, or a sign-in that came to nothing; the message is for its user. */
export class NotConnected extends Error {
  constructor(
    message: string,
    /** Whether the instance refused; else it did not answer. */
    readonly isRefused = true,
  ) {
    super(message)
  }
}

const SCOPE = 'links:write'
/** Renewed a little early, so that no request is on its way with an expired token. */
const EARLY_MS = 60_000

/**
 * The permissions for an instance: to reach it, and to speak with its launchers. Ask for them in the handler of a press, before
 * anything else: browsers refuse later.
 */
export function askForInstance(origin: string): Promise<boolean> {
  return chrome.permissions.request({ permissions: ['scripting'], origins: [hostPattern(origin)] })
}

/**
 * The origin of an instance that somebody typed or pasted: `openall.example`, or the address of any of its pages.
 * @throws NotConnected.
 */
export function originIn(typed: string): string {
  const text = typed.trim()
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`
  if (!URL.canParse(address) || /\s/.test(text)) throw new NotConnected('Type an address such as openall.example.')
  return new URL(address).origin
}

/**
 * Finds out whether an address is an instance.
 * @returns its name, for `keepInstance`.
 * @throws NotConnected.
 */
export async function nameOf(origin: string): Promise<string> {
  const { resource_name, resource } = await metadata(origin, '/.well-known/oauth-protected-resource/api')
  if (typeof resource_name !== 'string' || resource !== `${origin}/api`)
    throw new NotConnected(`${new URL(origin).host} is no instance of Openall.`)
  return resource_name
}

/**
 * Signs in through the browser's own window, and stores the account. For a page that stays open: the worker may end meanwhile.
 * @throws NotConnected.
 */
export async function signIn(origin: string): Promise<void> {
  const endpoints = await endpointsOf(origin)
  const redirectUri = chrome.identity.getRedirectURL()
  const registered = await ask(endpoints.registration_endpoint, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Openall extension', redirect_uris: [redirectUri] }),
  })
  const clientId = String(registered.client_id)
  const [verifier, state] = [randomText(), randomText()]
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: SCOPE,
    resource: `${origin}/api`,
    state,
    code_challenge: base64url(
      new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))),
    ),
    code_challenge_method: 'S256',
  })
  const url = `${endpoints.authorization_endpoint}?${query}`
  const back = await chrome.identity.launchWebAuthFlow({ url, interactive: true }).catch(() => undefined)
  if (back === undefined) throw new NotConnected('The sign-in was closed before its end.')
  const answer = new URL(back).searchParams
  if (answer.get('state') !== state || answer.get('iss') !== origin)
    throw new NotConnected('The answer to the sign-in is not for this request. Try again.')
  const code = answer.get('code')
  if (code === null) throw new NotConnected('You did not connect the extension.')
  await takeTokens(origin, clientId, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    resource: `${origin}/api`,
  })
}

/** Connects an instance without an account. */
export async function connectWithoutAccount(origin: string, name: string): Promise<void> {
  await keepInstance({ origin, name, account: null, opensAtOnce: false })
}

/** Signs out: revokes the tokens, forgets the instance, and gives its permission back. */
export async function disconnect({ origin, account }: Instance): Promise<void> {
  await dropInstance(origin)
  await chrome.storage.session.remove(tokenName(origin))
  if (account !== null) {
    const revoking = async () =>
      ask((await endpointsOf(origin)).revocation_endpoint, {
        body: new URLSearchParams({ token: account.refreshToken, client_id: account.clientId }),
      })
    // An instance that can't be reached keeps the tokens until they expire; its page of keys ends them too.
    await revoking().catch(() => {})
  }
  await chrome.permissions.remove({ origins: [hostPattern(origin)] })
}

/**
 * A client of an instance, for its account or anonymous.
 * @throws OpenallError from its methods; code UNAUTHORIZED where the sign-in has ended.
 */
export function clientOf({ origin }: Pick<Instance, 'origin'>): Client {
  return createClient({
    server: origin,
    source: 'extension',
    label: `extension/${about.version}`,
    fetch: (async (input: string, init: RequestInit) => {
      const token = await accessToken(origin)
      const headers = new Headers(init.headers)
      if (token !== null) headers.set('authorization', `Bearer ${token}`)
      // The cookies are those of its pages, whose rights are not ours.
      return fetch(input, { ...init, headers, credentials: 'omit' })
    }) as typeof fetch,
  })
}

const tokenName = (origin: string) => `token ${origin}`

/** A valid access token; null without an account. @throws OpenallError. */
async function accessToken(origin: string): Promise<string | null> {
  // One renewal at a time, of all pages and the worker: a refresh token works once.
  return navigator.locks.request(tokenName(origin), async () => {
    const instance = await instanceOf(origin)
    if (instance === null || instance.account === null) return null
    const name = tokenName(origin)
    const { [name]: kept } = await chrome.storage.session.get<Record<string, { token: string; until: number }>>(name)
    if (kept !== undefined && kept.until > Date.now() + EARLY_MS) return kept.token
    const { clientId, refreshToken } = instance.account
    const grant = { grant_type: 'refresh_token', refresh_token: refreshToken }
    return takeTokens(origin, clientId, grant).catch((error) => {
      if (!(error instanceof NotConnected)) throw error
      const { message } = error
      if (!error.isRefused) throw new OpenallError('NETWORK_ERROR', message, { cause: error })
      throw new OpenallError('UNAUTHORIZED', `Sign in again: ${message}`, { status: 401, cause: error })
    })
  }) as Promise<string | null>
}

/** Exchanges a code or a refresh token, and stores both new tokens. @returns the access token. */
async function takeTokens(origin: string, clientId: string, grant: Record<string, string>): Promise<string> {
  const { token_endpoint } = await endpointsOf(origin)
  const answer = await ask(token_endpoint, { body: new URLSearchParams({ ...grant, client_id: clientId }) })
  const { access_token: token, refresh_token: refreshToken, expires_in: seconds } = answer
  if (typeof token !== 'string' || typeof refreshToken !== 'string' || typeof seconds !== 'number')
    throw new NotConnected('The instance answered without a token.')
  // The refresh token first: without it, nothing could renew what a crash in between leaves.
  const before = await instanceOf(origin)
  const account: Account = { clientId, refreshToken }
  if (before === null) await keepInstance({ origin, name: await nameOf(origin), account, opensAtOnce: false })
  else await changeInstance(origin, { account })
  await chrome.storage.session.set({ [tokenName(origin)]: { token, until: Date.now() + seconds * 1000 } })
  return token
}

/** The endpoints of an instance. All are on its own origin: elsewhere they would get its codes and tokens. */
async function endpointsOf(origin: string): Promise<Endpoints> {
  const said = await metadata(origin, '/.well-known/oauth-authorization-server')
  const names = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'] as const
  for (const name of names) {
    const address = String(said[name])
    if (!URL.canParse(address) || new URL(address).origin !== origin)
      throw new NotConnected(`${new URL(origin).host} names an address for its sign-in that is not its own.`)
  }
  return said as unknown as Endpoints
}

async function metadata(origin: string, path: string): Promise<Record<string, unknown>> {
  try {
    const answer = await fetch(origin + path, { credentials: 'omit', redirect: 'error' })
    if (answer.ok) return await answer.json()
  } catch {
    throw new NotConnected(`${new URL(origin).host} can’t be reached.`, false)
  }
  throw new NotConnected(`${new URL(origin).host} is no instance of Openall.`)
}

/** Posts to an endpoint of OAuth. @throws NotConnected with its own sentence. */
async function ask(url: string, init: Pick<RequestInit, 'body' | 'headers'>): Promise<Record<string, unknown>> {
  const answer = await fetch(url, { ...init, method: 'POST', credentials: 'omit', redirect: 'error' }).catch(() => null)
  if (answer === null) throw new NotConnected(`${new URL(url).host} can’t be reached.`, false)
  const body = (await answer.json().catch(() => ({}))) as Record<string, unknown>
  if (answer.ok) return body
  const said = String(body.error_description ?? `${new URL(url).host} answered ${answer.status}.`)
  // A server in trouble and a limit of requests end no sign-in.
  throw new NotConnected(said, answer.status < 500 && answer.status !== 429)
}

function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)))
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}
