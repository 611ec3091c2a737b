import type { Audience } from '../../db/rights.ts'
import { SCOPES, type Scope } from '../identity/roles.ts'

// What tokens are valid for, and where machines find how to get one (RFC 9728, RFC 8414).

const PATHS: Record<Audience, string> = { mcp: '/api/mcp', api: '/api' }

/** How devices ask for their tokens (RFC 8628). */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** What an agent asks for unless told otherwise: it should not be able to make keys that outlive its own. */
const USUAL: readonly Scope[] = ['links:read', 'links:write']

/**
 * The audience that a `resource` parameter names; null if it is none of ours. Without one, the narrowest. Agents send the
 * address that their user typed: with a query, in capitals, or that of the service alone, which means `/api/mcp`.
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

/** The resource that tokens with an audience are for. */
export function resourceOf(audience: Audience, origin: string): string {
  return origin + PATHS[audience]
}

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'
const SERVER_METADATA = '/.well-known/oauth-authorization-server'

/** Where each metadata document is, and what it says. */
export function documents(origin: string, name: string): ReadonlyMap<string, Record<string, unknown>> {
  const resource = (audience: Audience) => ({
    resource: resourceOf(audience, origin),
    resource_name: name,
    authorization_servers: [origin],
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
    resource_documentation: `${origin}/docs`,
  })
  const server = {
    issuer: origin,
    authorization_endpoint: `${origin}/oauth/authorize`,
    token_endpoint: `${origin}/oauth/token`,
    registration_endpoint: `${origin}/oauth/register`,
    revocation_endpoint: `${origin}/oauth/revoke`,
    introspection_endpoint: `${origin}/oauth/introspect`,
    device_authorization_endpoint: `${origin}/oauth/device_authorization`,
    // Without the last, some clients believe that they get no refresh token, and do not renew.
    scopes_supported: [...SCOPES, 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', DEVICE_GRANT],
    code_challenge_methods_supported: ['S256'],
    // Apps on other people's computers cannot keep a secret; what they register proves nothing.
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    // With a token or a key of one's own.
    introspection_endpoint_auth_methods_supported: ['Bearer'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    service_documentation: `${origin}/docs`,
  }
  return new Map<string, Record<string, unknown>>([
    [SERVER_METADATA, server],
    [RESOURCE_METADATA, resource('mcp')],
    [RESOURCE_METADATA + PATHS.mcp, resource('mcp')],
    [RESOURCE_METADATA + PATHS.api, resource('api')],
  ])
}

/**
 * A challenge to send another credential, with where a client finds how to get one (RFC 9728). To an agent it also says
 * what to ask for.
 * @param said the WWW-Authenticate header of the refusal.
 */
export function challenge(said: string, origin: string, audience: Audience): string {
  const metadata = `resource_metadata="${origin}${RESOURCE_METADATA}${PATHS[audience]}"`
  const scope = audience === 'mcp' && !said.includes('scope=') ? [`scope="${USUAL.join(' ')}"`] : []
  return said + (said.includes('=') ? ', ' : ' ') + [metadata, ...scope].join(', ')
}

/** What the credential of a request to a URL must be valid for. */
export function audienceAt(url: string): Audience {
  return url.split('?', 1)[0]?.endsWith(PATHS.mcp) ? 'mcp' : 'api'
}
