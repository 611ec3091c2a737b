import {
  OAuthClientInformationFullSchema,
  OAuthClientMetadataSchema,
  OAuthTokenRevocationRequestSchema,
  OAuthTokensSchema,
} from '@modelcontextprotocol/sdk/shared/auth.js'
import { Elysia } from 'elysia'
import { actingAs } from '../../db/client.ts'
import { optionsOf, refuseMethod, share } from '../api/json.ts'
import { type Met, Problem, toProblem } from '../core/problem.ts'
import { routes } from '../core/routes.ts'
import { sha256 } from '../core/secrets.ts'
import type { Service } from '../core/service.ts'
import { isObject } from '../core/untyped.ts'
import { RAW, readPlainJson } from '../http/body.ts'
import { clientAddress, clientNetwork, requestId } from '../http/request.ts'
import { JSON_TYPE, json, text } from '../http/respond.ts'
import {
  allows,
  allowsRole,
  invalidCredential,
  type KnownKey,
  keyHeader,
  SCOPES,
  type Scope,
  type Subject,
  unauthorized,
} from '../identity/caller.ts'
import { appOf, redirectHost, registerApp, unfitName, unfitRedirects } from '../keys/apps.ts'
import { addDeviceRequest, stateOfRequest } from '../keys/device-requests.ts'
import {
  type AppTokens,
  answerAgain,
  endGrant,
  grantOfCode,
  grantOfToken,
  issueTokens,
  newTokens,
  TOKEN_SECONDS,
  useCode,
  type WorkingToken,
  workingToken,
} from '../keys/grants.ts'
import { DEVICE_SECONDS } from '../keys/key-ring.ts'
import { countForAddress, countForKey, type Limit } from '../limits/rate-limits.ts'
import { ClientDocuments } from './client-documents.ts'
import { consentPage, decide } from './consent.tsx'
import { devicePage, typedCode } from './device-pages.tsx'
import { exchange, granted } from './library.ts'
import { inForm, isDocument, issueOf, type Parameters, Refused, refuseOtherResource } from './parameters.ts'
import { audienceOf, DEVICE_GRANT, documents, resourceOf } from './resources.ts'

const NAMES = ['register', 'token', 'revoke', 'introspect', 'device_authorization'] as const

/** Clients may be pages of other sites; the documents hold nothing private. */
const PUBLIC = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'public, max-age=3600',
}

/** Sign-in of apps with OAuth 2.1: metadata documents, and the endpoints for machines. */
export function oauth(service: Service) {
  const { origin, name } = service.config
  const app = new Elysia()
  for (const [path, document] of documents(origin, name)) {
    const body = JSON.stringify(document)
    app
      .get(path, ({ request }) => text(request, body, { type: JSON_TYPE, headers: PUBLIC }))
      .all(path, () => refuseMethod(['GET', 'HEAD']), RAW)
  }
  for (const name of NAMES) {
    const path = `/oauth/${name}`
    app
      .post(path, async ({ request }) => share(request, await answer(name, request, service)), RAW)
      .options(path, () => optionsOf(['POST']), RAW)
  }
  return app
}

/** The pages where a person decides whether an app may act for them. */
export function consentPages(service: Service) {
  const documents = new ClientDocuments(service)
  return new Elysia()
    .get(routes.account.authorize.path, ({ request }) => consentPage(request, service, documents))
    .post(routes.account.authorize.path, ({ request }) => decide(request, service, documents), RAW)
    .get(routes.account.device.path, ({ request }) => devicePage(request, service))
    .post(routes.account.device.path, ({ request }) => typedCode(request, service), RAW)
}

// The endpoints for apps. The schemas are the official clients' own, so they can read whatever passes here.

/** The endpoints, by their paths below `/oauth`. */
const ENDPOINTS = { register, token, revoke, introspect, device_authorization: deviceAuthorization } as const

/** The endpoints that programs call again and again. */
const FREQUENT: ReadonlySet<string> = new Set(['token', 'introspect'])

/**
 * Answers a request of an app.
 * @returns errors in the protocol's form, also with `code`, `requestId` and `docUrl`.
 */
async function answer(name: keyof typeof ENDPOINTS, request: Request, service: Service): Promise<Response> {
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

/** The protocol's names for problems, by their status. */
const ERRORS: Readonly<Record<number, string>> = { 401: 'invalid_token', 403: 'insufficient_scope', 429: 'slow_down' }

/** An error under the protocol's name, with its sentence as the description. */
function inProtocol(said: string, problem: Problem, met: Met) {
  const { error, ...rest } = problem.body(met)
  return { error: said, error_description: error, ...rest }
}

/** Registers an app (RFC 7591). A registered app may only ask a person for consent. */
async function register(request: Request, { config: { secret } }: Service): Promise<Response> {
  const sent = await readPlainJson(request)
  // Devices have no redirect URIs, but the schema requires the field.
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

/** Revokes the tokens of an app (RFC 7009): both, whichever it sends. An unknown one counts as revoked. */
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

// Sign-in of programs without a browser (RFC 8628): the requests of the programs.

/** How often a device may ask whether somebody has typed its code. */
const EVERY_SECONDS = 5
/** A second less, because requests take different times. */
const POLLS: Limit = { name: 'device-polls', max: 1, windowMs: (EVERY_SECONDS - 1) * 1000 }

/**
 * The scopes that a device may get: none that makes keys or sends data elsewhere. Its user sees only a code and a name, and no
 * address that proves who gets the access.
 */
const ALLOWED: readonly Scope[] = SCOPES.filter((scope) => scope.startsWith('links:'))

/**
 * Stores a device’s request.
 * @returns the device’s secret code, and the code and address for its user. There is no link that contains the code: people who
 * are sent one would connect a stranger’s device with one press (RFC 8628, 5.4).
 * @throws Refused; Problem RATE_LIMITED if too many codes wait.
 */
async function begin(request: Request, service: Service) {
  const { config, store } = service
  const { client_id: clientId, scope, resource } = await inForm(request)
  // A device cannot prove that it belongs to a document’s publisher: a stranger’s would pass for a well-known app.
  if (isDocument(clientId ?? ''))
    throw new Refused('unauthorized_client', 'a device needs a client_id from /oauth/register')
  const app = appOf(clientId ?? '', config.secret)
  if (app === null) throw new Refused('invalid_client', 'client_id is not that of a registered app')
  if (!app.isForDevices)
    throw new Refused('unauthorized_client', `register the app with grant_types: ["${DEVICE_GRANT}"]`)
  const audience = audienceOf(resource, config.origin)
  if (audience === null) throw new Refused('invalid_target', `resource must be ${config.origin}/api/mcp`)
  const scopes = granted(scope?.split(' '))
  if (scopes === false || !scopes.every((one) => ALLOWED.includes(one)))
    throw new Refused('invalid_scope', `scope must be of ${ALLOWED.join(', ')}`)
  const asked = { app, audience, scopes, from: clientNetwork(request) }
  const codes = await addDeviceRequest(store, asked, config.secret)
  if (codes === null) {
    throw new Problem('RATE_LIMITED', 'Too many codes are waiting. Try again in a minute.', { retryAfterSeconds: 60 })
  }
  return {
    device_code: codes.deviceCode,
    user_code: codes.userCode,
    verification_uri: `${config.origin}${routes.account.device.href()}`,
    expires_in: DEVICE_SECONDS,
    interval: EVERY_SECONDS,
  }
}

/**
 * Exchanges a device’s secret code for tokens, once somebody has typed its user code.
 * @throws Refused, also while nobody has.
 */
async function collect(parameters: Parameters, service: Service): Promise<AppTokens> {
  const { bucket, store } = service
  const { device_code: code, client_id: clientId } = parameters
  if (code === undefined || clientId === undefined)
    throw new Refused('invalid_request', 'device_code and client_id are needed')
  const grant = await grantOfCode(store, code)
  const state = grant === null ? await stateOfRequest(store, code, clientId) : 'connected'
  const isOwn = grant === null || (grant.redirectUri === '' && grant.clientHash.equals(sha256(clientId)))
  if (state === null || !isOwn) throw new Refused('invalid_grant', 'the device code is not one of this client')
  // Counted only here, because an unknown code needs no counter.
  const { allowed } = await bucket.take(POLLS, sha256(code).toString('base64url'))
  if (!allowed) throw new Refused('slow_down', `wait ${EVERY_SECONDS} seconds longer between requests`)
  if (state === 'waiting') throw new Refused('authorization_pending', 'nobody has entered the code yet')
  if (state === 'denied') throw new Refused('access_denied', 'the user did not connect the device')
  if (grant === null || grant.codeExpiresAt < Date.now()) throw expired()
  refuseOtherResource(parameters, grant.audience, service.config.origin)
  return issue(code, grant, service)
}

function expired(): Refused {
  return new Refused('expired_token', 'the code has expired: ask for a new one')
}

async function issue(
  code: string,
  { keyId, scopes }: { keyId: number; scopes: Scope[] },
  { config, store, keyRing }: Service,
): Promise<AppTokens> {
  const tokens = newTokens(scopes)
  const isFirst = await useCode(store, code)
  const isIssued = isFirst && (await issueTokens(store, { keyId, tokens, renewed: null, secret: config.secret }))
  // Somebody else has the code too, so the tokens from it are not safe.
  if (!isFirst) await endGrant(store, keyId)
  await keyRing.forget()
  if (!isIssued) throw new Refused('invalid_grant', 'the device code was used already, or the sign-in has ended')
  return tokens
}

/**
 * Describes a token if it is valid (RFC 7662). A credential may ask about itself, and with `keys:admin` about every token of
 * its subject. Tokens of others look like unknown ones.
 * @throws Refused; Problem UNAUTHORIZED, FORBIDDEN, RATE_LIMITED.
 */
async function introspect(request: Request, service: Service): Promise<Response> {
  const authorization = keyHeader(request.headers)
  if (authorization === null) throw unauthorized()
  const caller = await service.keyRing.identify(authorization, clientAddress(request))
  if (caller === null) throw invalidCredential('This token is not valid. Send one that is, or an API key.')
  const headers = await countForKey(caller, service)
  const { token } = await inForm(request)
  if (token === undefined) throw new Refused('invalid_request', 'token is missing')
  const found = await workingToken(service, token, caller.subject)
  if (found?.keyId !== caller.id) refuseUnlessAdmin(caller)
  return json(found === null ? { active: false } : described(found, caller.subject, service), 200, headers)
}

/** Refuses whether or not the token exists, so that nobody can probe for tokens. */
function refuseUnlessAdmin({ scopes, audience, role }: KnownKey): void {
  if (allows(scopes, 'keys:admin') && audience !== 'mcp' && allowsRole(role, 'admin')) return
  const message = 'needs scope keys:admin and role admin for other tokens than the one it is asked with'
  const challenge = `Bearer error="insufficient_scope", error_description="${message}", scope="keys:admin"`
  throw new Problem('FORBIDDEN', message, { headers: { 'www-authenticate': challenge } })
}

function described(
  { kind, userId, scopes, audience, createdAt, expiresAt }: WorkingToken,
  subject: Subject,
  { config: { origin } }: Service,
) {
  return {
    active: true,
    scope: scopes.join(' '),
    ...(kind === 'access' ? { token_type: 'Bearer' } : {}),
    iat: Math.floor(createdAt / 1000),
    ...(expiresAt === null ? {} : { exp: Math.floor(expiresAt / 1000) }),
    sub: userId,
    ...(subject.type === 'organization' ? { organization_id: subject.organizationId } : {}),
    aud: resourceOf(audience ?? 'api', origin),
    iss: origin,
  }
}
