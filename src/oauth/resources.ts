import type { Audience } from '../../db/rights.ts'
import { routes } from '../core/routes.ts'
import { SCOPES, type Scope } from '../identity/caller.ts'

// The audiences of tokens, and the metadata that tells machines how to get one (RFC 9728, RFC 8414).

const PATHS: Record<Audience, string> = { mcp: '/api/mcp', api: '/api' }

/** The grant type of devices (RFC 8628). */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** The scopes that an agent requests by default: it should not be able to make keys that outlive its own. */
const USUAL: readonly Scope[] = ['links:read', 'links:write']

/**
 * The audience that a `resource` parameter names; null if it is not of this service. Without the parameter, the narrowest.
 * Agents send the address that their user typed: with a query, in capitals, or that of the service alone, which means
 * `/api/mcp`.
 */
export function audienceOf(resource: string | undefined, origin: string): Audience | null {
  if (resource === undefined) return 'mcp'
  if (!URL.canParse(resource)) return null
  const { origin: named, pathname, username, password } = new URL(resource)
  if (named !== origin || username !== '' || password !== '') return null
  const path = pathname.replace(/\/$/, '')
  if (path === '') return 'mcp'
  return (Object.keys(PATHS) as Audience[]).find((name) => PATHS[name] === path) ?? null
}

/** The address of the resource that an audience stands for. */
export function resourceOf(audience: Audience, origin: string): string {
  return origin + PATHS[audience]
}

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'
const SERVER_METADATA = '/.well-known/oauth-authorization-server'

/** The metadata documents, by their paths. */
export function documents(origin: string, name: string): ReadonlyMap<string, Record<string, unknown>> {
  const resource = (audience: Audience) => ({
    resource: resourceOf(audience, origin),
    resource_name: name,
    authorization_servers: [origin],
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
    resource_documentation: `${origin}${routes.docs.reference.href()}`,
  })
  const server = {
    issuer: origin,
    authorization_endpoint: `${origin}${routes.account.authorize.href()}`,
    token_endpoint: `${origin}/oauth/token`,
    registration_endpoint: `${origin}/oauth/register`,
    revocation_endpoint: `${origin}/oauth/revoke`,
    introspection_endpoint: `${origin}/oauth/introspect`,
    device_authorization_endpoint: `${origin}/oauth/device_authorization`,
    // Without `offline_access`, some clients expect no refresh token, and do not renew.
    scopes_supported: [...SCOPES, 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', DEVICE_GRANT],
    code_challenge_methods_supported: ['S256'],
    // Apps on other people's computers cannot keep a secret; what they register proves nothing.
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    // With a token or a key of the caller's own.
    introspection_endpoint_auth_methods_supported: ['Bearer'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    service_documentation: `${origin}${routes.docs.reference.href()}`,
  }
  return new Map<string, Record<string, unknown>>([
    [SERVER_METADATA, server],
    [RESOURCE_METADATA, resource('mcp')],
    [RESOURCE_METADATA + PATHS.mcp, resource('mcp')],
    [RESOURCE_METADATA + PATHS.api, resource('api')],
  ])
}

/**
 * Adds to a challenge the address of the metadata that tells a client how to get a credential (RFC 9728), and for an agent the
 * scopes to request.
 * @param said the WWW-Authenticate header of the refusal.
 */
export function challenge(said: string, origin: string, audience: Audience): string {
  const metadata = `resource_metadata="${origin}${RESOURCE_METADATA}${PATHS[audience]}"`
  const scope = audience === 'mcp' && !said.includes('scope=') ? [`scope="${USUAL.join(' ')}"`] : []
  return said + (said.includes('=') ? ', ' : ' ') + [metadata, ...scope].join(', ')
}

/** The audience that the credential of a request to a URL must have. */
export function audienceAt(url: string): Audience {
  return url.split('?', 1)[0]?.endsWith(PATHS.mcp) ? 'mcp' : 'api'
}
