import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { clientAddress } from '../http/client.ts'
import { json } from '../http/respond.ts'
import { invalidCredential, type KnownKey, type Subject, unauthorized } from '../identity/caller.ts'
import { keyHeader } from '../identity/identify.ts'
import { allows, allowsRole } from '../identity/roles.ts'
import { type WorkingToken, workingToken } from '../keys/introspection.ts'
import { countForKey } from '../limits/count-requests.ts'
import { inForm, Refused } from './parameters.ts'
import { resourceOf } from './resources.ts'

/**
 * Says whether a token works, and for what (RFC 7662): a credential about itself, and with `keys:admin` about all of its
 * subject. Anybody else's is not told apart from one that does not exist.
 * @throws Refused; Problem UNAUTHORIZED, FORBIDDEN, RATE_LIMITED.
 */
export async function introspect(request: Request, service: Service): Promise<Response> {
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

/** Whether there is such a token or not, so that nobody finds out by asking. */
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
