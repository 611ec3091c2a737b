import {
  OAuthClientInformationFullSchema,
  OAuthClientMetadataSchema,
  OAuthTokenRevocationRequestSchema,
  OAuthTokensSchema,
} from '@modelcontextprotocol/sdk/shared/auth.js'
import { actingAs } from '../../db/acting.ts'
import { type Met, Problem, toProblem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { isObject } from '../core/untyped.ts'
import { readPlainJson } from '../http/body.ts'
import { clientNetwork } from '../http/client.ts'
import { requestId } from '../http/observe.ts'
import { json } from '../http/respond.ts'
import { redirectHost, registerApp, unfitName, unfitRedirects } from '../keys/apps.ts'
import { type AppTokens, answerAgain, endGrant, grantOfToken, TOKEN_SECONDS } from '../keys/grants.ts'
import { countForAddress } from '../limits/count-requests.ts'
import { begin, collect } from './devices.ts'
import { introspect } from './introspection.ts'
import { exchange } from './library.ts'
import { inForm, issueOf, Refused } from './parameters.ts'
import { DEVICE_GRANT } from './resources.ts'

// What apps call themselves. The schemas are the official clients' own, so what passes here is what they can read.

/** What a machine asks for, by its path below `/oauth`. */
export const ENDPOINTS = { register, token, revoke, introspect, device_authorization: deviceAuthorization } as const

/** What programs ask for again and again. */
const FREQUENT: ReadonlySet<string> = new Set(['token', 'introspect'])

/**
 * Answers a request of an app.
 * @returns errors as the protocol has them, and with our `code`, `requestId` and `docUrl`.
 */
export async function answer(name: keyof typeof ENDPOINTS, request: Request, service: Service): Promise<Response> {
  try {
    await countForAddress(service, FREQUENT.has(name) ? 'tokens' : 'signIn', clientNetwork(request), `oauth ${name}`)
    return await ENDPOINTS[name](request, service)
  } catch (error) {
    const met = { requestId: requestId(request), origin: service.config.origin }
    if (error instanceof Refused) {
      const { error: said, message, status } = error
      return json(inProtocol(said, new Problem('BAD_REQUEST', `${message}.`), met), status)
    }
    const problem = toProblem(error)
    if (problem.code === 'INTERNAL_ERROR')
      service.log.error({ err: error, id: met.requestId }, 'an app’s request failed')
    const { status, headers } = problem
    const said = ERRORS[status] ?? (status < 500 ? 'invalid_request' : 'server_error')
    return json(inProtocol(said, problem, met), status, headers)
  }
}

/** What the protocol calls our problems, by their status. */
const ERRORS: Readonly<Record<number, string>> = { 401: 'invalid_token', 403: 'insufficient_scope', 429: 'slow_down' }

/** An error under the protocol's name, whose sentence is the description. */
function inProtocol(said: string, problem: Problem, met: Met) {
  const { error, ...rest } = problem.body(met)
  return { error: said, error_description: error, ...rest }
}

/** Registers an app (RFC 7591). All of them may only do one thing: ask a person. */
async function register(request: Request, { config: { secret } }: Service): Promise<Response> {
  const sent = await readPlainJson(request)
  // Devices have none, but the schema wants the field.
  const said = OAuthClientMetadataSchema.safeParse(isObject(sent) ? { redirect_uris: [], ...sent } : sent)
  if (!said.success) throw new Refused('invalid_client_metadata', issueOf(said.error.issues))
  const { redirect_uris: redirectUris, client_name, grant_types = [BY_CODE] } = said.data
  const isForDevices = grant_types.includes(DEVICE_GRANT)
  const isForBrowsers = grant_types.includes(BY_CODE)
  if (!isForBrowsers && !isForDevices) {
    throw new Refused('invalid_client_metadata', `grant_types must include ${BY_CODE} or ${DEVICE_GRANT}`)
  }
  const unfit = isForBrowsers || redirectUris.length > 0 ? unfitRedirects(redirectUris) : null
  if (unfit !== null) throw new Refused('invalid_redirect_uri', unfit)
  const [first] = redirectUris
  const name = client_name?.trim() || (first === undefined ? '' : redirectHost(first))
  const unfitting = unfitName(name)
  if (unfitting !== null) throw new Refused('invalid_client_metadata', `client_name must be ${unfitting}`)
  const app = registerApp({ name, redirectUris: isForBrowsers ? redirectUris : [], isForDevices }, secret)
  const registered = {
    client_id: app.id,
    client_id_issued_at: app.registeredAt,
    client_name: app.name,
    redirect_uris: [...app.redirectUris],
    grant_types: [...(isForBrowsers ? [BY_CODE] : []), ...(isForDevices ? [DEVICE_GRANT] : []), 'refresh_token'],
    response_types: isForBrowsers ? ['code'] : [],
    token_endpoint_auth_method: 'none',
  }
  return json(OAuthClientInformationFullSchema.parse(registered), 201)
}

const BY_CODE = 'authorization_code'

/** Begins the sign-in of a device (RFC 8628). */
async function deviceAuthorization(request: Request, service: Service): Promise<Response> {
  return json(await begin(request, service), 200)
}

/** Exchanges a code, a device’s code or a refresh token for new tokens. */
async function token(request: Request, service: Service): Promise<Response> {
  const parameters = await inForm(request)
  if (parameters.grant_type === DEVICE_GRANT) return tokensOf(await collect(parameters, service))
  try {
    return tokensOf(await exchange(parameters, service))
  } catch (error) {
    const { grant_type, refresh_token: refreshToken, client_id: clientId = '' } = parameters
    const isRefused = error instanceof Refused && error.error === 'invalid_grant'
    if (!isRefused || grant_type !== 'refresh_token' || refreshToken === undefined) throw error
    const again = await answerAgain(service.store, { refreshToken, clientId, secret: service.config.secret })
    if (again === 'reused') await service.keyRing.forget()
    if (again === 'reused' || again === null) throw error
    return tokensOf(again.tokens, Math.ceil((again.expiresAt - Date.now()) / 1000))
  }
}

function tokensOf({ accessToken, refreshToken, scopes }: AppTokens, seconds = TOKEN_SECONDS): Response {
  const tokens = {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: seconds,
    refresh_token: refreshToken,
    scope: scopes.join(' '),
  }
  return json(OAuthTokensSchema.parse(tokens), 200, { pragma: 'no-cache' })
}

/** Revokes what an app holds (RFC 7009): both its tokens, whichever it sends. An unknown one is as good as revoked. */
async function revoke(request: Request, { store, keyRing }: Service): Promise<Response> {
  const parameters = await inForm(request)
  const said = OAuthTokenRevocationRequestSchema.safeParse(parameters)
  if (!said.success) throw new Refused('invalid_request', issueOf(said.error.issues))
  const keyId = await grantOfToken(store, said.data.token, parameters.client_id ?? '')
  if (keyId !== null) {
    await actingAs({ type: 'app', userId: null, keyId }, () => endGrant(store, keyId))
    await keyRing.forget()
  }
  return json({}, 200)
}
