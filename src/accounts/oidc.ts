import { genericOAuth } from 'better-auth/plugins'
import type { Config } from '../config/config.ts'
import type { Proofs } from '../identity/proof.ts'
import { emailFromProvider, OIDC } from './proof-hooks.ts'

type Oidc = NonNullable<Config['oidc']>

/** better-auth fetches the discovery document without a timeout. */
const OIDC_TIMEOUT_MS = 2_000

/** Sign-in at the OpenID Connect provider. */
export function oidcPlugin(oidc: Oidc, proofs: Proofs) {
  return genericOAuth({
    config: [
      {
        // Part of the redirect URI: `/api/auth/callback/oidc`.
        providerId: OIDC,
        clientId: oidc.clientId,
        clientSecret: oidc.clientSecret,
        discoveryUrl: discoveryUrl(oidc),
        scopes: ['openid', 'email', 'profile'],
        pkce: true,
        mapProfileToUser: (profile) => emailFromProvider(profile, proofs),
      },
    ],
  })
}

/** Whether the provider's discovery document can be read. */
export async function isReachable(oidc: Oidc): Promise<boolean> {
  try {
    const response = await fetch(discoveryUrl(oidc), { signal: AbortSignal.timeout(OIDC_TIMEOUT_MS) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

function discoveryUrl({ issuer }: Oidc): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
}
