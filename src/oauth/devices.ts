import { sha256 } from '../core/hash.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { clientNetwork } from '../http/client.ts'
import { SCOPES, type Scope } from '../identity/roles.ts'
import { appOf } from '../keys/apps.ts'
import { addDeviceRequest, stateOfRequest } from '../keys/device-requests.ts'
import { type AppTokens, endGrant, grantOfCode, issueTokens, newTokens, useCode } from '../keys/grants.ts'
import { DEVICE_SECONDS } from '../keys/token.ts'
import type { Limit } from '../limits/bucket.ts'
import { granted } from './library.ts'
import { inForm, isDocument, type Parameters, Refused, refuseOtherResource } from './parameters.ts'
import { audienceOf, DEVICE_GRANT } from './resources.ts'

// Sign-in of programs where there is no browser (RFC 8628), as they see it.

/** How often a device may ask whether somebody has typed its code. */
const EVERY_SECONDS = 5
/** A second less, because not every request takes equally long. */
const POLLS: Limit = { name: 'device-polls', max: 1, windowMs: (EVERY_SECONDS - 1) * 1000 }

/**
 * What a device may get: nothing that makes keys or sends data elsewhere. Its user sees a code and a name, and no address that
 * would prove where it goes.
 */
const ALLOWED: readonly Scope[] = SCOPES.filter((scope) => scope.startsWith('links:'))

/**
 * Stores a device’s request.
 * @returns what the device needs: its own code, and what to show its user. No link with the code in it: whoever is sent
 * one would have connected a stranger’s device with a press (RFC 8628, 5.4).
 * @throws Refused; Problem RATE_LIMITED if too many codes wait.
 */
export async function begin(request: Request, service: Service) {
  const { config, store } = service
  const { client_id: clientId, scope, resource } = await inForm(request)
  // Nobody proves to be what publishes a document: a stranger’s device would pass for a well-known app.
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
    verification_uri: `${config.origin}/device`,
    expires_in: DEVICE_SECONDS,
    interval: EVERY_SECONDS,
  }
}

/**
 * Exchanges a device’s code, once somebody has typed the other one.
 * @throws Refused, also if nobody has yet.
 */
export async function collect(parameters: Parameters, service: Service): Promise<AppTokens> {
  const { bucket, store } = service
  const { device_code: code, client_id: clientId } = parameters
  if (code === undefined || clientId === undefined)
    throw new Refused('invalid_request', 'device_code and client_id are needed')
  const grant = await grantOfCode(store, code)
  const state = grant === null ? await stateOfRequest(store, code, clientId) : 'connected'
  const isOwn = grant === null || (grant.redirectUri === '' && grant.clientHash.equals(sha256(clientId)))
  if (state === null || !isOwn) throw new Refused('invalid_grant', 'the device code is not one of this client')
  // After this, because a code that does not exist needs no counter.
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
  // Somebody else has the code too, so what it gave is not safe.
  if (!isFirst) await endGrant(store, keyId)
  await keyRing.forget()
  if (!isIssued) throw new Refused('invalid_grant', 'the device code was used already, or the sign-in has ended')
  return tokens
}
