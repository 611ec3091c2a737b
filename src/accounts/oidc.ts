import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import type { Config } from '../config/config.ts'
import { isAscii } from '../core/text.ts'
import { isVouchedFor, type Proofs } from '../identity/proof.ts'

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
    await discover(oidc)
    return true
  } catch {
    return false
  }
}

/**
 * Fetches the provider's discovery document.
 * @throws Error of the network, or with the status of the answer.
 */
export async function discover(oidc: Oidc): Promise<void> {
  const url = discoveryUrl(oidc)
  const response = await fetch(url, { signal: AbortSignal.timeout(OIDC_TIMEOUT_MS) })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${url} answers ${response.status}`)
}

function discoveryUrl({ issuer }: Oidc): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
}

/** The id of the OIDC provider in better-auth. */
const OIDC = 'oidc'

/** Reads a provider’s `email_verified`, a boolean or its text. If it vouches for the address, that counts as proof. */
async function emailFromProvider({ email, email_verified, sub }: Record<string, unknown>, proofs: Proofs) {
  // Lower-casing a non-ASCII letter may give someone else’s address.
  const emailVerified = isVouchedFor(email_verified) && isAscii(String(email))
  if (emailVerified) await proofs.proveByProvider(String(email).toLowerCase(), OIDC, String(sub))
  return { emailVerified }
}
