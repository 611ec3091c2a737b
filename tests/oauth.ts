import { createHash, randomBytes } from 'node:crypto'
import { eventually } from './eventually.ts'
import type { Answer, Visitor } from './people.ts'
import type { Server } from './server.ts'

// An app that signs in by OAuth, by hand: so that tests can do what the official clients never would.

type At = Pick<Server, 'origin'>
type Fields = Record<string, unknown>

export const REDIRECT = 'https://app.example/callback'

/** What the service answers to an app. */
export interface Told {
  error: string
  error_description: string
  code: string
  client_id: string
  access_token: string
  refresh_token: string
  scope: string
  expires_in: number
  redirect_uris: string[]
  grant_types: string[]
  device_code: string
  user_code: string
  verification_uri: string
  interval: number
}

export async function register(
  { origin }: At,
  fields: Fields = {},
  headers: Record<string, string> = {},
): Promise<Answer<Told>> {
  const response = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ client_name: 'Test app', redirect_uris: [REDIRECT], ...fields }),
  })
  return answerOf(response)
}

export async function newApp(at: At, fields: Fields = {}): Promise<string> {
  const { status, body } = await register(at, fields)
  if (status !== 201) throw new Error(`an app was refused: ${status} ${JSON.stringify(body)}`)
  return body.client_id
}

/** Posts a form to an address below `/oauth`. */
export async function post(
  { origin }: At,
  path: 'token' | 'revoke' | 'introspect' | 'device_authorization',
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const body = new URLSearchParams(fields)
  return answerOf(await fetch(`${origin}/oauth/${path}`, { method: 'POST', body, headers }))
}

async function answerOf(response: Response): Promise<Answer<Told>> {
  return { status: response.status, headers: response.headers, body: (await response.json()) as Told }
}

/** A PKCE verifier and its challenge. */
export function newProof() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** The path that an app sends a browser to; null removes a parameter. */
export function askPath(clientId: string, challenge: string, more: Record<string, string | null> = {}): string {
  const all = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'the-state',
    ...more,
  }
  const given = Object.entries(all).filter((one): one is [string, string] => one[1] !== null)
  return `/oauth/authorize?${new URLSearchParams(given)}`
}

/** Where the browser is sent back to after a decision; null if it is not. */
export function backTo(answer: Response): URL | null {
  const to = answer.headers.get('refresh')?.replace(/^0;url=/, '')
  return to === undefined ? null : new URL(to)
}

/** Presses Connect on the page at a path. @returns where the browser is sent. */
export async function approve(person: Visitor, path: string, subject = ''): Promise<URL> {
  const answer = await person.form(path, { decision: 'connect', subject })
  const back = backTo(answer)
  if (back === null) throw new Error(`consent was refused: ${answer.status} ${await answer.text()}`)
  return back
}

/** An app with tokens, and what it needs to get more. */
export interface SignedInApp {
  clientId: string
  accessToken: string
  refreshToken: string
  scope: string
}

/** Registers an app and signs it in for a person. */
export async function signInApp(
  at: At,
  person: Visitor,
  { subject = '', ask = {}, app = {} }: { subject?: string; ask?: Record<string, string>; app?: Fields } = {},
): Promise<SignedInApp> {
  const clientId = await newApp(at, app)
  const { verifier, challenge } = newProof()
  const back = await approve(person, askPath(clientId, challenge, ask), subject)
  const { status, body } = await redeem(at, clientId, back.searchParams.get('code') ?? '', verifier)
  if (status !== 200) throw new Error(`a code was refused: ${JSON.stringify(body)}`)
  return { clientId, accessToken: body.access_token, refreshToken: body.refresh_token, scope: body.scope }
}

export function redeem(at: At, clientId: string, code: string, verifier: string, more: Record<string, string> = {}) {
  return post(at, 'token', {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT,
    ...more,
  })
}

export function refresh(at: At, { clientId, refreshToken }: SignedInApp, more: Record<string, string> = {}) {
  return post(at, 'token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken, ...more })
}

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
/** The client id of the command. */
export const OWN_COMMAND = 'openall-cli'

/** Begins the sign-in of a device. */
export async function beginDevice(at: At, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
  const all = { client_id: OWN_COMMAND, scope: 'links:write', resource: `${at.origin}/api`, ...fields }
  return post(at, 'device_authorization', all, headers)
}

/** Asks for a device's tokens. */
export function poll(at: At, deviceCode: string, more: Record<string, string> = {}) {
  return post(at, 'token', { grant_type: DEVICE_GRANT, client_id: OWN_COMMAND, device_code: deviceCode, ...more })
}

/** The same, again and again until the answer is no order to slow down. */
export async function pollPatiently(at: At, deviceCode: string, more: Record<string, string> = {}) {
  let answer = await poll(at, deviceCode, more)
  await eventually(async () => {
    if (answer.body.error === 'slow_down') answer = await poll(at, deviceCode, more)
    return answer.body.error !== 'slow_down'
  }, 'an answer that is no order to slow down')
  return answer
}

/** Types a device's code and presses a button. @returns the page that follows. */
export async function decideDevice(person: Visitor, code: string, decision = 'connect', subject = '') {
  return person.form('/device', { code, decision, subject })
}

/** The status of an MCP call and a JSON call with a token. */
export async function reach({ origin }: At, token: string): Promise<{ mcp: number; api: number }> {
  const authorization = `Bearer ${token}`
  const mcp = await fetch(`${origin}/api/mcp`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  })
  const api = await fetch(`${origin}/api/me`, { headers: { authorization } })
  await Promise.all([mcp.text(), api.text()])
  return { mcp: mcp.status, api: api.status }
}

/** The WWW-Authenticate header of a refusal at `/api`: for a missing credential unless it says more. */
export function challengeOf({ origin }: { origin: string }, ...said: string[]): string {
  const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/api"`
  return `Bearer ${[...said, metadata].join(', ')}`
}
