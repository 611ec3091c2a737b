import about from '../../package.json' with { type: 'json' }
import { type Client, createClient, OpenallError } from '../../src/sdk/openall.ts'
import { NotConnected } from './address.ts'
import {
  changeInstance,
  dropInstance,
  hostPattern,
  type Instance,
  instanceOf,
  keepInstance,
  readInstances,
} from './instances.ts'
import { dropPrivate, keepPrivate, readPrivate } from './private-store.ts'
import { ask, bounded, endpointsOf, hostOf, LOST, MAX_API_BYTES } from './requests.ts'
import { inTurn } from './turns.ts'

const SCOPE = 'links:write'
/** Renewed a little early, so that no request is on its way with an expired token. */
const EARLY_MS = 60_000
/** However long a token is said to last: the browser's session may. */
const MAX_SECONDS = 24 * 60 * 60
/** What the protocol says of a sign-in that has ended. All else may pass: a limit, a proxy, a network with a page of its own. */
const ENDED: ReadonlySet<string | null> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client'])
const AGAIN = 'Sign in again: the service has ended this sign-in.'

/**
 * Asks for the permissions for an instance: to reach it, and to speak with its launchers. Call it in the handler of a press,
 * before anything else: browsers refuse later.
 */
export function askForInstance(origin: string): Promise<boolean> {
  return chrome.permissions.request({ permissions: ['scripting'], origins: [hostPattern(origin)] })
}

/**
 * Signs in through the browser's own window, and stores the account in place of the one before. For a page that stays open: the
 * worker may end meanwhile.
 * @param name from `nameOf`.
 * @throws NotConnected.
 */
export async function signIn(origin: string, name: string): Promise<void> {
  const endpoints = await endpointsOf(origin)
  const redirectUri = chrome.identity.getRedirectURL()
  const registered = await ask(endpoints.registration_endpoint, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Openall extension', redirect_uris: [redirectUri] }),
  })
  const clientId = registered.client_id
  if (!isToken(clientId)) throw new NotConnected(`${hostOf(origin)} did not register the extension.`)
  const [verifier, state] = [randomText(), randomText()]
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const resource = `${origin}/api`
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: SCOPE,
    resource,
    state,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
  })
  const url = `${endpoints.authorization_endpoint}?${query}`
  const back = await chrome.identity.launchWebAuthFlow({ url, interactive: true }).catch(() => undefined)
  if (back === undefined) throw new NotConnected('The sign-in was closed before its end. Try again.')
  const answer = new URL(back).searchParams
  // Another state is not the answer to this request, and another issuer would get a code that is not its own (RFC 9207).
  if (answer.get('state') !== state || answer.get('iss') !== origin)
    throw new NotConnected('The answer to the sign-in is not for this request. Try again.')
  const code = answer.get('code')
  if (code === null) throw new NotConnected('You did not connect the extension.')
  const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier, resource }
  await inTurn(turnOf(origin), async () => {
    const tokens = await tokensFor(origin, clientId, grant)
    const before = await accountOf(origin)
    await keepTokens(origin, tokens)
    const account = { clientId, hasEnded: false }
    if ((await instanceOf(origin)) === null) await keepInstance({ origin, name, account, opensAtOnce: false })
    else await changeInstance(origin, { name, account })
    // Signed in once more: the tokens before would work until they expire.
    if (before !== null) await revoke(origin, before)
  })
}

/**
 * Connects an instance without an account.
 * @param name from `nameOf`.
 * @throws NotConnected if the instance wants an account.
 */
export async function connectWithoutAccount(origin: string, name: string): Promise<void> {
  const anonymous = createClient({ server: origin, source: 'extension', fetch: plainFetch, retries: 0 })
  // A try that stores nothing: there is no other word of whether an instance allows this.
  await anonymous.createBundle.dryRun({ urls: ['https://example.com/'] }).catch((error: unknown) => {
    const { code, message } = error as OpenallError
    if (code === 'UNAUTHORIZED') throw new NotConnected(`${name} needs an account. Sign in instead.`)
    throw new NotConnected(message)
  })
  const before = await accountOf(origin)
  if (before !== null) throw new NotConnected(`You are signed in to ${name}. Sign out first.`)
  await keepInstance({ origin, name, account: null, opensAtOnce: false })
}

/**
 * Signs out: revokes the tokens, forgets the instance, and gives its permission back.
 * @returns whether the instance has ended the sign-in; one that can't be reached has not, and its page of keys ends it.
 */
export async function disconnect(origin: string): Promise<boolean> {
  const before = await inTurn(turnOf(origin), async () => {
    const account = await accountOf(origin)
    await dropInstance(origin)
    await dropTokens(origin)
    return account
  })
  const isEnded = before === null || (await revoke(origin, before))
  const { all } = await readInstances()
  const pattern = hostPattern(origin)
  // A host may have several instances, each on its port.
  if (!all.some((other) => hostPattern(other.origin) === pattern))
    await chrome.permissions.remove({ origins: [pattern] }).catch(() => false)
  return isEnded
}

/** Options of calls for which somebody waits in the popup: what takes longer is an error with a button. */
export const PATIENCE = { retries: 1, maxWaitMs: 3_000, timeoutMs: 20_000 }

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
      const answer = await plainFetch(input, withToken(init, token))
      if (answer.status !== 401 || token === null) return answer
      // The instance has ended the token before its time: a renewal tells whether the sign-in has ended too.
      return plainFetch(input, withToken(init, await accessToken(origin, token)))
    }) as typeof fetch,
  })
}

function withToken(init: RequestInit, token: string | null): RequestInit {
  const headers = new Headers(init.headers)
  if (token !== null) headers.set('authorization', `Bearer ${token}`)
  return { ...init, headers }
}

/** Without cookies, which are those of the instance's pages, whose rights are not ours. The SDK follows no redirect. */
const plainFetch = (async (input: string, init: RequestInit) =>
  bounded(await fetch(input, { ...init, credentials: 'omit' }), MAX_API_BYTES)) as typeof fetch

// Tokens: an access token for an hour, and a refresh token that works once.

/** The tokens of an account, as an instance gave them. */
interface Tokens {
  token: string
  refreshToken: string
  seconds: number
}

interface Kept {
  token: string
  /** When it expires, in milliseconds since 1970. */
  until: number
}

const tokenName = (origin: string) => `token ${origin}`

/** Stores new tokens: first the refresh token, without which nothing could renew what a crash in between leaves. */
async function keepTokens(origin: string, { token, refreshToken, seconds }: Tokens): Promise<void> {
  await keepPrivate(tokenName(origin), refreshToken)
  await chrome.storage.session.set({ [tokenName(origin)]: { token, until: Date.now() + seconds * 1000 } })
}

/** The access token, which is in memory alone; null for none, as after a start of the browser. */
async function readToken(origin: string): Promise<Kept | null> {
  const name = tokenName(origin)
  return (await chrome.storage.session.get<Record<string, Kept>>(name))[name] ?? null
}

/** The refresh token; null for none. */
async function readRefreshToken(origin: string): Promise<string | null> {
  const found = await readPrivate(tokenName(origin))
  return typeof found === 'string' ? found : null
}

async function dropTokens(origin: string): Promise<void> {
  await dropPrivate(tokenName(origin))
  await chrome.storage.session.remove(tokenName(origin))
}

/**
 * A valid access token; null without an account.
 * @param refused the token that the instance has just refused.
 * @throws OpenallError.
 */
function accessToken(origin: string, refused?: string): Promise<string | null> {
  return inTurn(turnOf(origin), async () => {
    const { account } = (await instanceOf(origin)) ?? { account: null }
    if (account === null) return null
    if (account.hasEnded) throw ended()
    const kept = await readToken(origin)
    if (kept !== null && kept.token !== refused && kept.until > Date.now() + EARLY_MS) return kept.token
    return renew(origin, account.clientId)
  })
}

async function renew(origin: string, clientId: string): Promise<string> {
  try {
    const refreshToken = await readRefreshToken(origin)
    if (refreshToken === null) throw new NotConnected(AGAIN, 'invalid_grant')
    const grant = { grant_type: 'refresh_token', refresh_token: refreshToken }
    // Once more if the answer was lost: for half a minute the service repeats it, later it takes the token for stolen.
    const tokens = await tokensFor(origin, clientId, grant).catch((error: NotConnected) => {
      if (error.error !== LOST) throw error
      return tokensFor(origin, clientId, grant)
    })
    await keepTokens(origin, tokens)
    return tokens.token
  } catch (error) {
    if (!(error instanceof NotConnected)) throw error
    if (!ENDED.has(error.error)) throw new OpenallError('NETWORK_ERROR', error.message, { cause: error })
    await changeInstance(origin, { account: { clientId, hasEnded: true } })
    throw ended()
  }
}

function ended(): OpenallError {
  return new OpenallError('UNAUTHORIZED', AGAIN, { status: 401 })
}

/** Exchanges a code or a refresh token. @throws NotConnected. */
async function tokensFor(origin: string, clientId: string, grant: Record<string, string>): Promise<Tokens> {
  const { token_endpoint } = await endpointsOf(origin)
  const answer = await ask(token_endpoint, { body: new URLSearchParams({ ...grant, client_id: clientId }) })
  const { access_token: token, refresh_token: refreshToken, expires_in: seconds } = answer
  if (!isToken(token) || !isToken(refreshToken) || typeof seconds !== 'number')
    throw new NotConnected('The service answered without a token.', LOST)
  return { token, refreshToken, seconds: Math.min(Math.max(seconds, 0), MAX_SECONDS) }
}

/** What a header and a form can carry. */
function isToken(said: unknown): said is string {
  return typeof said === 'string' && /^[\x21-\x7e]{1,8000}$/.test(said)
}

interface Held {
  clientId: string
  refreshToken: string
}

async function accountOf(origin: string): Promise<Held | null> {
  const [instance, refreshToken] = [await instanceOf(origin), await readRefreshToken(origin)]
  if (instance === null || instance.account === null || refreshToken === null) return null
  return { clientId: instance.account.clientId, refreshToken }
}

/** @returns whether the instance took it. */
async function revoke(origin: string, { clientId, refreshToken }: Held): Promise<boolean> {
  try {
    const { revocation_endpoint } = await endpointsOf(origin)
    await ask(revocation_endpoint, { body: new URLSearchParams({ token: refreshToken, client_id: clientId }) })
    return true
  } catch {
    return false
  }
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

/** A refresh token works once, so it is used in turn. */
function turnOf(origin: string): string {
  return `token ${origin}`
}
